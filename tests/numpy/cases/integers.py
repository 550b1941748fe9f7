"""Functions of integers: bits, checksums, random numbers, and tables that are read at computed places."""

import zlib

import numpy as np

from .case import PICTURES, ROWS, Arrays, Case, Sizes, floats, pairs


def words(dtype: str, **names: str):
    """Random integers of a type, of every size: what has few bits is as likely as what has many."""
    def make(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        bits = 8 * np.dtype(dtype).itemsize
        def array(extents: str) -> np.ndarray:
            shape = tuple(int(n) if n.isdigit() else sizes[n] for n in extents.split(", ") if n)
            values = rng.integers(0, 2**bits, shape, dtype=np.uint64 if bits == 64 else np.dtype(dtype), endpoint=False)
            return (values >> rng.integers(0, bits, shape).astype(values.dtype)).astype(dtype)
        return {name: array(extents) for name, extents in names.items()}
    return make


def set_bits(x: np.ndarray) -> np.ndarray:
    return np.unpackbits(x[..., None].view(np.uint8), axis=-1).sum(-1, dtype=np.int32)


def hamming(a: Arrays, _: Sizes) -> np.ndarray:
    return set_bits(a["x"][:, None] ^ a["y"][None]).sum(-1, dtype=np.int32)


def scattered(a: Arrays, s: Sizes) -> np.ndarray:
    h = np.arange(s["n"], dtype=np.uint32) ^ a["seed"]
    h = (h ^ h >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    h = (h ^ h >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return h ^ h >> np.uint32(16)


def xorshift(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["x"]
    x = x ^ x << np.uint32(13)
    x = x ^ x >> np.uint32(17)
    return x ^ x << np.uint32(5)


def checksums(a: Arrays, _: Sizes) -> np.ndarray:
    return np.array([zlib.crc32(row.tobytes()) for row in a["x"]], dtype=np.uint32)


def crc_table(_: Arrays, __: Sizes) -> np.ndarray:
    """By the checksums of single bytes, which differ from the entries by the ones at the beginning and the end."""
    flipped = [zlib.crc32(bytes([k ^ 0xFF])) ^ 0xFFFFFFFF ^ 0x00FFFFFF for k in range(256)]
    return np.array(flipped, dtype=np.uint32)


def crc_bit(a: Arrays, _: Sizes) -> np.ndarray:
    c = a["c"]
    return c >> np.uint32(1) ^ (c & np.uint32(1)) * np.uint32(0xEDB88320)


def crc_byte(a: Arrays, s: Sizes) -> np.ndarray:
    """`zlib.crc32` begins with the complement of a checksum, and gives the complement."""
    return np.uint32(zlib.crc32(a["byte"].tobytes(), int(a["c"]) ^ 0xFFFFFFFF) ^ 0xFFFFFFFF)


def high(a: int, b: int) -> int:
    return a * b >> 32


def philox_round(a: Arrays, _: Sizes) -> np.ndarray:
    c, k = a["c"].tolist(), a["k"].tolist()
    (m, n), mask = (0xD2511F53, 0xCD9E8D57), 0xFFFFFFFF
    words = [high(n, c[2]) ^ c[1] ^ k[0], n * c[2] & mask, high(m, c[0]) ^ c[3] ^ k[1], m * c[0] & mask]
    return np.array(words, dtype=np.uint32)


def philox_key(a: Arrays, _: Sizes) -> np.ndarray:
    steps = np.array([0x9E3779B9, 0xBB67AE85], dtype=np.uint32)
    return a["k"] + a["round"] * steps


def philox(a: Arrays, s: Sizes) -> np.ndarray:
    def words(c: np.ndarray) -> np.ndarray:
        for r in range(10):
            c = philox_round({"c": c, "k": philox_key({"k": a["key"], "round": np.uint32(r)}, s)}, s)
        return c
    return np.array([words(c) for c in a["counter"]], dtype=np.uint32).reshape(-1, 4)


# Counters, keys and words that Random123 publishes.
PUBLISHED = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0],
     [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]
for _counter, _key, _words in PUBLISHED:
    _given = {"counter": np.array([_counter], dtype=np.uint32), "key": np.array(_key, dtype=np.uint32)}
    assert philox(_given, {}).tolist() == [_words]


CASES = [
    Case("bits.atl", "hamming", words("u8", x="M, W", y="N, W"), hamming,
         [dict(zip("MNW", s)) for s in [(0, 3, 2), (3, 2, 0), (1, 1, 1), (5, 17, 3), (4, 16, 2), (9, 33, 1)]], tolerance=0,
         result="int32"),
    Case("bits.atl", "unpack", words("u1", mask="N"),
         lambda a, _: np.unpackbits(a["mask"], bitorder="little").astype(bool), ROWS, tolerance=0, result="bool"),
    Case("bits.atl", "scattered", words("u4", seed=""), scattered, [{"n": s["N"]} for s in ROWS], ("n",), tolerance=0),
    Case("bits.atl", "xorshift", words("u4", x="N"), xorshift, ROWS, tolerance=0),
    Case("bits.atl", "crc_bit", words("u4", c=""), crc_bit, [{}], tolerance=0),
    Case("bits.atl", "crc_byte", lambda rng, s: words("u4", c="")(rng, s) | words("u1", byte="")(rng, s), crc_byte,
         [{}], tolerance=0),
    Case("bits.atl", "crc_table", lambda rng, s: {}, crc_table, [{}], tolerance=0, result="uint32"),
    Case("bits.atl", "crc32", words("u1", x="N, 4"), checksums, ROWS, tolerance=0, result="uint32"),
    Case("bits.atl", "checksum", words("u1", x="N"), lambda a, _: np.asarray(zlib.crc32(a["x"].tobytes())), ROWS[:6], tolerance=0,
         result="uint32"),
    Case("philox.atl", "philox_round", words("u4", c="4", k="2"), philox_round, [{}], tolerance=0),
    Case("philox.atl", "philox_key", words("u4", k="2", round=""), philox_key, [{}], tolerance=0),
    Case("philox.atl", "philox", words("u4", counter="N, 4", key="2"), philox,
         [{"N": n} for n in (0, 1, 2, 7, 16, 53)], tolerance=0),
]


def integers(**names: str):
    """Inputs of integers: `"u8 H, W"` is their type and shape; floats are as in `floats`."""
    def make(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        def extent(text: str) -> int:
            factor, _, name = text.rpartition("*")
            return int(factor or 1) * (sizes[name] if name in sizes else int(name))

        arrays = {}
        for name, declared in names.items():
            kind, shape = declared.split(" ", 1)
            extents = [extent(e) for e in shape.replace(" ", "").split(",")]
            if kind.startswith("f"):
                arrays[name] = rng.standard_normal(extents).astype(np.float32)
                continue
            dtype = np.dtype({"i": "int", "u": "uint"}[kind[0]] + kind[1:])
            ends = np.iinfo(dtype)
            arrays[name] = rng.integers(ends.min, ends.max, extents, dtype, endpoint=True)
        return arrays

    return make


def camera(a: Arrays, _: Sizes) -> np.ndarray:
    light = np.maximum(a["raw"].astype(np.int32), 256) - 256
    green = (light[::2, 1::2] + light[1::2, ::2]) // 2
    rgb = np.stack([light[::2, ::2], green, light[1::2, 1::2]], -1).astype(np.float32)
    out = np.zeros(rgb.shape, np.float32)
    for k in range(3):
        out = out + a["matrix"][:, k] * rgb[..., k, None]
    return a["gamma"][np.clip(np.trunc(out), 0, 65535).astype(np.int32) // 64]


def equalize(a: Arrays, _: Sizes) -> np.ndarray:
    below = np.cumsum(np.bincount(a["img"].ravel(), minlength=256)).astype(np.float32)
    if not a["img"].size:
        return a["img"]
    curve = (below * (np.float32(255) / below[255])).astype(np.uint8)
    return curve[a["img"]]


def by_keys(a: Arrays, _: Sizes) -> np.ndarray:
    return a["x"][np.argsort(a["keys"], kind="stable")]


def few_keys(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    arrays = floats(x="N")(rng, sizes)
    return {**arrays, "keys": rng.integers(-2, 3, sizes["N"]).astype(np.int32)}


def shares(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    x = rng.uniform(-0.2, 1.2, sizes["N"]).astype(np.float32)
    return {"x": x, **integers(colours="u8 256, 3")(rng, sizes)}


CASES += [
    Case("tables.atl", "camera", integers(raw="u16 2*H, 2*W", matrix="f32 3, 3", gamma="u8 1024"), camera,
         pairs("H", "W", *PICTURES), tolerance=0, result="u1"),
    Case("tables.atl", "histogram", integers(x="u8 N"), lambda a, _: np.bincount(a["x"], minlength=256), ROWS, tolerance=0,
         result="i4"),
    Case("tables.atl", "bins", integers(x="u16 N"), lambda a, _: np.bincount(a["x"] // 256, minlength=256), ROWS,
         tolerance=0, result="i4"),
    Case("tables.atl", "equalize", integers(img="u8 H, W"), equalize, pairs("H", "W", *PICTURES), tolerance=0),
    Case("tables.atl", "palette", shares,
         lambda a, _: a["colours"][np.clip(np.trunc(np.float32(255) * a["x"]), 0, 255).astype(int)], ROWS, tolerance=0,
         result="u1"),
    Case("tables.atl", "by_keys", few_keys, by_keys, [{"N": n} for n in (0, 1, 2, 3, 7, 16, 53)], tolerance=0),
    Case("tables.atl", "through", integers(x="f32 N", p="u8 256", q="u16 M"),
         lambda a, _: a["x"][4 * a["p"].astype(int)[a["q"] // 256]],
         pairs("N", "M", (1024, 0), (1024, 1), (1031, 7), (2048, 53)), tolerance=0),
]
