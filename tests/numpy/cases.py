"""The functions of `examples/`, each with its meaning in NumPy, inputs, and the sizes to try.

References compute in double precision wherever the result is compared with a tolerance, and in the element type where
it must be equal. Every list of sizes has 0, 1, small primes, and non-multiples of every tile size of the schedules.
"""

import math
import zlib
from dataclasses import dataclass, field
from itertools import product
from typing import Callable

import numpy as np

Arrays = dict[str, np.ndarray]
Sizes = dict[str, int]


@dataclass(frozen=True)
class Case:
    """A function of a file in `examples/`."""

    file: str
    function: str
    inputs: Callable[[np.random.Generator, Sizes], Arrays]
    reference: Callable[[Arrays, Sizes], np.ndarray]
    sizes: list[Sizes]
    # The sizes that no input determines; they are passed with `--set`.
    set_sizes: tuple[str, ...] = ()
    # The largest difference allowed, relative to the largest entry; 0 demands equality.
    tolerance: float = 1e-5
    # Further sizes, for the schedules that are for certain sizes only: as written, these would take too long.
    promised: list[Sizes] = field(default_factory=list)
    # The type of the result's elements, where it is not that of the first input.
    result: str = ""


def floats(**names: str):
    """Inputs of normally distributed single-precision numbers; a shape is written like `N, M`."""
    def make(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        def extent(name: str) -> int:
            return sizes[name] if name in sizes else int(name)

        return {
            name: rng.standard_normal([extent(e) for e in shape.split(", ")]).astype(np.float32)
            for name, shape in names.items()
        }

    return make


def grid(**values: list[int]) -> list[Sizes]:
    """All combinations of the sizes."""
    return [dict(zip(values, combination)) for combination in product(*values.values())]


def pairs(first: str, second: str, *values: tuple[int, int]) -> list[Sizes]:
    """The sizes of a two-dimensional argument."""
    return [{first: a, second: b} for a, b in values]


def zero_outside(a: np.ndarray, shift: tuple[int, ...]) -> np.ndarray:
    """`out[i, ..] = a?[i + shift, ..]`."""
    out = np.zeros_like(a)
    to = tuple(slice(max(0, -s), max(0, min(n, n - s))) for s, n in zip(shift, a.shape))
    of = tuple(slice(max(0, s), max(0, min(n, n + s))) for s, n in zip(shift, a.shape))
    out[to] = a[of]
    return out


def blur(img: np.ndarray) -> np.ndarray:
    wide = img.astype(np.float64)
    return sum(zero_outside(wide, (dy, dx)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) / 9.0


def diffuse(u: np.ndarray) -> np.ndarray:
    u = u.astype(np.float64)
    for _ in range(3):
        u = 0.25 * zero_outside(u, (-1, 0)) + 0.5 * u + 0.25 * zero_outside(u, (1, 0))
    return u


def windows(x: np.ndarray, extents: tuple[int, ...], counts: tuple[int, ...]) -> np.ndarray:
    """`out[p.., r..] = x[p + r..]`, also where there is nothing to see."""
    out = np.zeros(counts + extents, np.float64)
    for r in np.ndindex(*extents):
        out[(...,) + r] = x[tuple(slice(o, o + n) for o, n in zip(r, counts))]
    return out


def conv1d(a: Arrays, s: Sizes) -> np.ndarray:
    return windows(a["x"], (s["R"],), (s["W"],)) @ a["w"].astype(np.float64)


def conv1d_same(a: Arrays, s: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    return sum((a["w"][r] * zero_outside(x, (r - s["R"] // 2,)) for r in range(s["R"])), np.zeros(s["N"]))


def conv2d(a: Arrays, s: Sizes) -> np.ndarray:
    view = windows(a["img"], (s["R"], s["S"]), (s["P"], s["Q"]))
    return np.einsum("pqrs,rs->pq", view, a["w"].astype(np.float64))


def im2col(a: Arrays, s: Sizes) -> np.ndarray:
    view = windows(a["img"], (s["R"], s["S"]), (s["P"], s["Q"]))
    return view.reshape(s["P"] * s["Q"], s["R"] * s["S"]).astype(np.float32)


def correlate(a: Arrays, s: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    w = a["w"].astype(np.float64)
    out = np.zeros((s["B"], s["K"], s["W"]))
    for r in range(s["R"]):
        out += np.einsum("kc,ncp->nkp", w[:, :, r], x[:, :, r : r + s["W"]])
    return out


def layer_2d(a: Arrays, s: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    out = np.zeros((s["B"], s["K"], s["P"], s["Q"]))
    for r, t in np.ndindex(s["R"], s["S"]):
        out += np.einsum("kc,ncpq->nkpq", a["w"][:, :, r, t], x[:, :, r : r + s["P"], t : t + s["Q"]])
    return out


def interpolate(a: Arrays, _: Sizes) -> np.ndarray:
    wide = a["a"].astype(np.float64)
    return np.einsum("il,jm,kn,elmn->eijk", wide, wide, wide, a["u"], optimize=True)


def interpolate_batches(a: Arrays, _: Sizes) -> np.ndarray:
    wide = a["a"].astype(np.float64)
    return np.einsum("il,jm,kn,blmne->bijke", wide, wide, wide, a["u"], optimize=True)


def pipeline(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["a"].astype(np.float64)
    smooth = 0.25 * zero_outside(x, (-1,)) + 0.5 * x + 0.25 * zero_outside(x, (1,))
    return zero_outside(smooth, (1,)) - zero_outside(smooth, (-1,))


def softmax(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=1, keepdims=True)


def gelu(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    return 0.5 * x * (1 + np.vectorize(math.erf, otypes=[np.float64])(x / math.sqrt(2)))


def places(rng: np.random.Generator, s: Sizes) -> Arrays:
    """Places on a sphere, and the one that they are compared with."""
    n = s["N"]
    return {
        "lat": rng.uniform(-1.5, 1.5, n), "lon": rng.uniform(-3.1, 3.1, n),
        "to": np.array([rng.uniform(-1.5, 1.5), rng.uniform(-3.1, 3.1)]),
    }


def distance(a: Arrays, _: Sizes) -> np.ndarray:
    lat, lon, to = a["lat"], a["lon"], a["to"]
    h = np.sin((lat - to[0]) / 2) ** 2 + np.cos(lat) * np.cos(to[0]) * np.sin((lon - to[1]) / 2) ** 2
    return 2 * np.arcsin(np.minimum(1, np.sqrt(h)))


def layer_norm(a: Arrays, s: Sizes) -> np.ndarray:
    if s["M"] == 0:
        return np.zeros((s["N"], 0))
    x = a["x"].astype(np.float64)
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    return (x - x.mean(axis=1, keepdims=True)) / deviation * a["scale"] + a["shift"]


def distances(rng: np.random.Generator, s: Sizes) -> Arrays:
    """Distances and edges, some of them missing."""
    v = s["V"]
    d = rng.uniform(0, 9, v).astype(np.float32)
    w = rng.uniform(0, 9, (v, v)).astype(np.float32)
    d[rng.random(v) < 0.3] = np.inf
    w[rng.random((v, v)) < 0.5] = np.inf
    return {"d": d, "w": w}


def relax(a: Arrays, _: Sizes) -> np.ndarray:
    return (a["d"][:, None] + a["w"]).min(axis=0, initial=np.float32(np.inf))


def closure_step(a: Arrays, _: Sizes) -> np.ndarray:
    r = a["r"]
    return r | ((r[:, :, None] & r[None, :, :]).any(axis=1))


def scatter(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """`out[n, k, p]`, the sum of `x[n, c, p + r] * w[k, c, r]` over what there is of `x`."""
    out = np.zeros((x.shape[0], w.shape[0], x.shape[2]))
    for r in range(w.shape[2]):
        shifted = zero_outside(x.astype(np.float64), (0, 0, r))
        out += np.einsum("kc,ncp->nkp", w[:, :, r], shifted)
    return out


def neighbours(a: Arrays, _: Sizes) -> np.ndarray:
    f = a["f"].astype(np.float64)
    return zero_outside(f, (-1,)) + f


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


def shift(a: Arrays, s: Sizes) -> np.ndarray:
    out = np.zeros(s["N"])
    count = max(0, min(s["N"] - 2, s["M"]))
    out[2 : 2 + count] = a["c"][:count]
    return out


def valid(name: str, of: str, by: str, *values: tuple[int, int]) -> list[Sizes]:
    """Sizes of a valid convolution of `of` entries by `by`, and how many results there are."""
    return [{of: n, by: r, name: n + 1 - r} for n, r in values]


def both(rows: list[Sizes], columns: list[Sizes]) -> list[Sizes]:
    """Sizes of the rows with those of the columns: every row with a column, every column with a row."""
    count = max(len(rows), len(columns))
    return [rows[i % len(rows)] | columns[i % len(columns)] for i in range(count)]


PICTURES = [(0, 0), (0, 3), (1, 1), (1, 7), (5, 1), (2, 3), (7, 13), (16, 16), (33, 18)]
STENCILS = both(
    valid("P", "H", "R", (1, 1), (5, 5), (3, 4), (7, 3), (11, 4), (2, 0), (18, 3)),
    valid("Q", "W", "S", (1, 1), (7, 2), (5, 1), (41, 3), (33, 2), (5, 3), (0, 1)),
)
# Pictures of the width that a schedule is for.
JOINED = both(valid("P", "H", "R", (2, 3), (3, 3), (18, 3)), valid("Q", "W", "S", (58, 3)))

ROWS = [{"N": n} for n in (0, 1, 2, 7, 15, 16, 17, 53, 4095, 4096, 8213)]

CASES = [
    Case(
        "blur.atl", "blur", floats(img="N, M"), lambda a, _: blur(a["img"]),
        pairs("N", "M", *PICTURES, (64, 64), (67, 131)),
    ),
    Case("conv1d.atl", "conv1d", floats(x="N", w="R"), conv1d,
         valid("W", "N", "R", (0, 1), (0, 0), (1, 1), (3, 0), (3, 4), (7, 3), (31, 5), (32, 1), (37, 5), (71, 8))),
    Case("conv1d.atl", "conv1d_same", floats(x="N", w="R"), conv1d_same,
         pairs("N", "R", (0, 0), (0, 3), (1, 1), (5, 0), (2, 7), (13, 3), (16, 4), (37, 5))),
    Case("conv2d.atl", "conv2d", floats(img="H, W", w="R, S"), conv2d, STENCILS),
    Case("im2col.atl", "im2col", floats(img="H, W"), im2col, STENCILS, ("R", "S"), tolerance=0),
    Case("im2col.atl", "correlate", floats(x="B, C, L", w="K, C, R"), correlate,
         both(valid("W", "L", "R", (0, 1), (1, 1), (7, 3), (11, 4), (17, 2)), grid(B=[0, 1, 3], K=[1, 2], C=[0, 3]))),
    Case("conv_layers.atl", "conv1d_layer", floats(x="B, C, L", w="K, C, R"), correlate,
         both(valid("W", "L", "R", (0, 1), (1, 1), (7, 3), (11, 4), (67, 2)), grid(B=[0, 1, 3], K=[1, 5], C=[0, 3]))),
    Case("conv_layers.atl", "conv2d_layer", floats(x="B, C, H, W", w="K, C, R, S"), layer_2d,
         both(STENCILS + JOINED, grid(B=[1, 2, 0], K=[5, 1], C=[3, 0]))),
    Case("columns.atl", "columns_product", floats(a="M, K", x="K"), lambda a, _: a["a"].astype(np.float64) @ a["x"],
         pairs("M", "K", (0, 3), (3, 0), (1, 1), (5, 7), (9, 4))),
    Case("columns.atl", "panels_product", floats(a="M, K", x="K"), lambda a, _: a["a"].astype(np.float64) @ a["x"],
         pairs("M", "K", (0, 3), (3, 0), (1, 1), (5, 7), (8, 4))),
    Case("columns.atl", "blas_product", floats(a="M, K", b="K, N"), lambda a, _: a["a"].astype(np.float64) @ a["b"],
         [dict(zip("MKN", s)) for s in [(0, 3, 2), (2, 0, 3), (3, 2, 0), (1, 1, 1), (9, 4, 7), (16, 5, 3)]]),
    Case("columns.atl", "panels", floats(a="M, K"), lambda a, _: a["a"],
         pairs("M", "K", (0, 3), (3, 0), (1, 1), (5, 7), (8, 4)), tolerance=0),
    Case("cuda.atl", "transposed", floats(a="M, N"), lambda a, _: a["a"].T,
         pairs("M", "N", (0, 3), (1, 1), (5, 7), (32, 64), (33, 31)), tolerance=0),
    Case("cuda.atl", "triad", floats(x="N", y="N"), lambda a, _: 3 * a["x"] + a["y"],
         [{"N": n} for n in (0, 1, 255, 256, 300)]),
    Case("cuda.atl", "product", floats(a="M, K", b="K, N"), lambda a, _: a["a"].astype(np.float64) @ a["b"],
         [dict(zip("MKN", s)) for s in [(0, 8, 2), (2, 0, 3), (1, 8, 1), (65, 16, 66)]],
         promised=[dict(zip("MKN", s)) for s in [(0, 3, 2), (1, 1, 1), (13, 37, 33)]]),
    Case("cuda.atl", "blurred", floats(img="N, M"), lambda a, _: 9.0 * blur(a["img"]),
         pairs("N", "M", (0, 3), (1, 1), (16, 32), (17, 33))),
    Case("diffuse.atl", "diffuse", floats(u="N, M"), lambda a, _: diffuse(a["u"]), pairs("N", "M", *PICTURES, (67, 131))),
    Case("elementwise.atl", "add", floats(a="N", b="N"), lambda a, _: a["a"] + a["b"], ROWS, tolerance=0),
    Case("elementwise.atl", "clamp", floats(x="N"), lambda a, _: np.clip(0.125 * a["x"] + 0.5, 0, 1), ROWS),
    Case("elementwise.atl", "multiply_add", floats(a="N", b="N", c="N"),
         lambda a, _: a["a"].astype(np.float64) * a["b"] + a["c"], ROWS),
    Case("interpolation.atl", "interpolate", floats(a="Q, P", u="E, P, P, P"), interpolate,
         [dict(zip("EQP", s)) for s in [(0, 2, 2), (1, 0, 2), (1, 2, 0), (1, 1, 1), (3, 3, 2), (2, 4, 4), (1, 5, 9)]],
         promised=[dict(zip("EQP", s)) for s in [(0, 4, 4), (37, 4, 4), (3, 8, 8), (2, 12, 12), (3, 16, 16)]]),
    Case("interpolation.atl", "interpolate_batches", floats(a="Q, P", u="B, P, P, P, L"), interpolate_batches,
         [dict(zip("BPQL", s)) for s in [(0, 2, 2, 3), (1, 2, 0, 1), (2, 1, 1, 0), (2, 3, 2, 5), (1, 4, 4, 16)]],
         promised=[dict(zip("BPQL", (n, 4, 4, 16))) for n in (0, 1, 2, 5)]),
    Case("image.atl", "grayscale", floats(img="H, W, 3"),
         lambda a, _: a["img"].astype(np.float64) @ [0.299, 0.587, 0.114], pairs("H", "W", *PICTURES)),
    Case("image.atl", "sharpen", floats(img="N, M"), lambda a, _: 2.0 * a["img"] - blur(a["img"]),
         pairs("N", "M", *PICTURES)),
    Case("layer_norm.atl", "layer_norm", floats(x="N, M", scale="M", shift="M"), layer_norm,
         pairs("N", "M", (0, 0), (0, 5), (3, 0), (1, 1), (2, 3), (5, 16), (7, 19), (3, 64), (2, 215)),
         tolerance=1e-4),
    Case("matmul.atl", "matmul", floats(a="M, K", b="K, N"),
         lambda a, _: a["a"].astype(np.float64) @ a["b"],
         [dict(zip("MKN", s)) for s in
          [(0, 0, 0), (0, 3, 2), (3, 0, 2), (2, 3, 0), (1, 1, 1), (2, 3, 5), (8, 32, 16), (7, 31, 17), (13, 37, 33)]]),
    Case("pipeline.atl", "pipeline", floats(a="N"), pipeline,
         [{"N": n} for n in (0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 53)]),
    Case("functions.atl", "gelu", floats(x="N"), gelu, ROWS),
    Case("functions.atl", "distance", places, distance, ROWS, tolerance=1e-14),
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
    Case("philox.atl", "philox_round", words("u4", c="4", k="2"), philox_round, [{}], tolerance=0),
    Case("philox.atl", "philox_key", words("u4", k="2", round=""), philox_key, [{}], tolerance=0),
    Case("philox.atl", "philox", words("u4", counter="N, 4", key="2"), philox,
         [{"N": n} for n in (0, 1, 2, 7, 16, 53)], tolerance=0),
    Case("relax.atl", "relax", distances, relax, [{"V": n} for n in (0, 1, 2, 3, 7, 8, 13, 17)], tolerance=0),
    Case("softmax.atl", "softmax", floats(x="N, M"), softmax,
         pairs("N", "M", (0, 0), (0, 5), (3, 0), (1, 1), (2, 3), (4, 8), (5, 16), (7, 19), (3, 64), (2, 215), (19, 70))),
    Case("tensor_add.atl", "add", floats(a="A, B, C, D", b="A, B, C, D"), lambda a, _: a["a"] + a["b"],
         [dict(zip("ABCD", s)) for s in [(0, 0, 0, 0), (2, 0, 3, 4), (1, 1, 1, 1), (2, 3, 5, 7), (3, 1, 2, 8), (2, 2, 3, 19)]],
         tolerance=0),
    Case("tensor_add.atl", "add_flat", floats(a="A, B, C, D", b="A, B, C, D"), lambda a, _: (a["a"] + a["b"]).ravel(),
         [dict(zip("ABCD", s)) for s in [(0, 0, 0, 0), (2, 0, 3, 4), (1, 1, 1, 1), (2, 3, 5, 7), (3, 1, 2, 8), (2, 2, 3, 19)]],
         tolerance=0),
    Case("transitive_closure.atl", "closure_step", lambda rng, s: {"r": rng.random((s["V"], s["V"])) < 0.2}, closure_step,
         [{"V": n} for n in (0, 1, 2, 3, 7, 8, 13, 17)], tolerance=0),
]

# The derivations of the literature, whose tile sizes are parameters.
TILES = [(0, 0), (1, 1), (2, 3), (5, 2), (8, 12), (7, 9)]
CASES += [
    Case("derivations/pipeline.atl", "pipeline", floats(f="N"), neighbours,
         grid(N=[0, 1, 5, 12], K=[1, 4]), ("K",)),
    Case("derivations/matmul.atl", "matmul", floats(a="M, K", b="K, N"),
         lambda a, _: a["a"].astype(np.float64) @ a["b"],
         [dict(zip("MKNT", s)) for s in [(0, 3, 2, 1), (1, 0, 1, 2), (7, 3, 10, 4), (8, 2, 12, 4)]], ("T",)),
    Case("derivations/convolution.atl", "shift", floats(c="M"), shift, grid(M=[3, 4, 7], N=[0, 1, 5, 11]), ("N",)),
    Case("derivations/im2col.atl", "correlate", floats(x="B, C, L", w="K, C, R"), correlate,
         both(valid("W", "L", "R", (0, 1), (1, 1), (7, 3), (11, 4)), grid(B=[1, 2], K=[1, 2], C=[0, 3])), ("W",)),
    Case("derivations/im2col.atl", "correlate_1d", floats(x="L", w="K, R"),
         lambda a, _: scatter(a["x"][None, None], a["w"][:, None])[0], grid(L=[0, 1, 7], K=[1, 3], R=[1, 4])),
    Case("derivations/gather.atl", "scatter", floats(x="B, C, W", w="K, C, R"), lambda a, _: scatter(a["x"], a["w"]),
         both(pairs("W", "R", (0, 1), (1, 3), (6, 3), (7, 1)), grid(B=[1, 2], K=[1, 3], C=[0, 2]))),
    Case("derivations/gather.atl", "scatter_1d", floats(x="W", w="R"),
         lambda a, _: scatter(a["x"][None, None], a["w"][None, None])[0, 0],
         pairs("W", "R", (0, 1), (1, 4), (6, 3), (7, 0))),
    Case("derivations/elementwise.atl", "product", floats(a="A, C, B, D", b="A, C, B, D"), lambda a, _: a["a"] * a["b"],
         [dict(zip("ACBD", s)) for s in [(0, 2, 3, 4), (1, 1, 1, 1), (2, 3, 5, 7)]], tolerance=0),
    Case("derivations/blur.atl", "blur", floats(v="N, M"), lambda a, _: 9.0 * blur(a["v"]),
         pairs("N", "M", (2, 2), (3, 7), (8, 2), (11, 13))),
    Case("derivations/blur.atl", "blur_tiles", floats(v="N, M"), lambda a, _: 9.0 * blur(a["v"]),
         both(pairs("N", "M", *TILES), pairs("S", "T", (1, 1), (4, 4), (2, 3), (5, 2))), ("S", "T")),
]


def sparse(**names: str):
    """Inputs of double-precision numbers; those whose name is written with a capital letter first are mostly zeros, with
    empty rows and columns among them, unless the shape ends in `!`."""
    def make(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        arrays = {}
        for name, shape in names.items():
            extents = [sizes[e] for e in shape.rstrip("!").split(", ")]
            array = rng.standard_normal(extents)
            if not shape.endswith("!"):
                array[rng.random(extents) < 0.75] = 0
                for axis, n in enumerate(extents):
                    array[(slice(None),) * axis + (rng.random(n) < 0.2,)] = 0
            arrays[name] = array
        return arrays

    return make


def lengths(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """A graph's edges, infinitely long where there are none."""
    w = rng.random((sizes["V"], sizes["V"]))
    w[rng.random(w.shape) < 0.7] = np.inf
    return {"d": rng.random(sizes["V"]), "w": w}


def graph(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Edges as truth values, and which vertices and pairs are reached."""
    edges = rng.random((sizes["V"], sizes["V"])) < 0.2
    return {"x": rng.random(sizes["V"]) < 0.3, "A": edges}


def labels(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Edges of -inf where there are some, and a label for each vertex."""
    edges = np.where(rng.random((sizes["V"], sizes["V"])) < 0.2, -np.inf, np.inf)
    return {"l": rng.permutation(sizes["V"]).astype(np.float64), "A": edges}


def parents(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Edges of -inf where there are some, and for each vertex that is reached a vertex."""
    found = labels(rng, sizes)
    return {"p": np.where(rng.random(sizes["V"]) < 0.3, found["l"], np.inf), "A": found["A"]}


def grouped(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """A matrix, mostly of zeros, and a group for each of its rows and columns."""
    return {**sparse(A="N, N")(rng, sizes), "group": rng.integers(0, 3, sizes["N"]).astype(np.int32)}


def within(a: Arrays, _: Sizes) -> np.ndarray:
    return a["A"] * (a["group"][:, None] == a["group"])


MATRICES = pairs("N", "M", (0, 0), (0, 3), (3, 0), (1, 1), (1, 9), (9, 1), (5, 7), (12, 8), (23, 19))
PROPER = [s for s in MATRICES if s["N"] and s["M"]]
NARROW = [{**s, "K": k} for s, k in zip(MATRICES, (1, 5, 1, 3, 0, 5, 4, 1, 39))]


def product_of(a: Arrays, _: Sizes) -> np.ndarray:
    return a["A"] @ a["x"]


CASES += [
    Case("sparse.atl", "spmv", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_csc", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_dcsr", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_coo", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_ell", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_dia", sparse(A="N, M", x="M!"), product_of, PROPER, tolerance=1e-12),
    Case("sparse.atl", "spmv_bitmask", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_hash", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_bcsr", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmspv", sparse(A="N, M", x="M"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmm", sparse(A="N, M", B="M, K!"), lambda a, _: a["A"] @ a["B"], NARROW, tolerance=1e-12),
    Case("sparse.atl", "spgemm", sparse(A="N, M", B="M, K"), lambda a, _: a["A"] @ a["B"], NARROW, tolerance=1e-12),
    Case("sparse.atl", "sddmm", sparse(A="N, M", B="N, K!", C="K, M!"), lambda a, _: a["A"] * (a["B"] @ a["C"]), NARROW,
         tolerance=1e-12),
    Case("sparse.atl", "ttv", sparse(B="I, K, L", c="L!"), lambda a, _: a["B"] @ a["c"],
         [dict(zip("IKL", n)) for n in [(0, 1, 2), (1, 0, 3), (5, 4, 7), (2, 6, 1)]], tolerance=1e-12),
    Case("sparse.atl", "ttv_sparse", sparse(B="I, K, L", c="L"), lambda a, _: a["B"] @ a["c"],
         [dict(zip("IKL", n)) for n in [(0, 1, 2), (1, 0, 3), (5, 4, 7), (2, 6, 1)]], tolerance=1e-12),
    Case("sparse.atl", "mttkrp", sparse(B="I, K, L", C="K, R!", D="L, R!"),
         lambda a, _: np.einsum("ikl,kr,lr->ir", a["B"], a["C"], a["D"]),
         [dict(zip("IKLR", n)) for n in [(0, 1, 2, 1), (5, 4, 7, 3), (2, 6, 1, 37), (3, 2, 4, 0)]], tolerance=1e-12),
    Case("sparse.atl", "mttkrp_rows", sparse(B="I, K, L", C="K, R!", D="L, R!"),
         lambda a, _: np.einsum("ikl,kr,lr->ir", a["B"], a["C"], a["D"]),
         [dict(zip("IKLR", n)) for n in [(0, 1, 2, 1), (5, 4, 7, 3), (2, 6, 1, 33), (3, 2, 4, 0)]], tolerance=1e-12),
    Case("sparse.atl", "hadamard", sparse(A="N, M", B="N, M"), lambda a, _: a["A"] * a["B"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "triangles", sparse(A="N, N"), lambda a, _: np.sum(a["A"] @ a["A"] * a["A"]),
         [{"N": n} for n in (0, 1, 2, 9, 23)], tolerance=1e-12),
    Case("sparse.atl", "spgemm_csr", sparse(A="N, M", B="M, K"), lambda a, _: a["A"] @ a["B"], NARROW, tolerance=1e-12),
    Case("sparse.atl", "sddmm_csr", sparse(A="N, M", B="N, K!", C="K, M!"), lambda a, _: a["A"] * (a["B"] @ a["C"]), NARROW,
         tolerance=1e-12),
    Case("sparse.atl", "within", grouped, within, grid(N=[0, 1, 2, 13]), tolerance=0),
    Case("sparse.atl", "within_coo", grouped, within, grid(N=[0, 1, 2, 13]), tolerance=0),
    Case("sparse.atl", "turn", sparse(A="N, M"), lambda a, _: a["A"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "add", sparse(A="N, M", B="N, M"), lambda a, _: a["A"] + a["B"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "add_coo", sparse(A="N, M", B="N, M"), lambda a, _: a["A"] + a["B"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "hadamard_coo", sparse(A="N, M", B="N, M"), lambda a, _: a["A"] * a["B"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "compact", sparse(A="N, M"), lambda a, _: a["A"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "outer", sparse(x="N", y="M"), lambda a, _: np.outer(a["x"], a["y"]), MATRICES, tolerance=1e-12),
    Case("sparse.atl", "diagonal", sparse(A="N, N"), lambda a, _: np.diag(a["A"]).copy(), grid(N=[0, 1, 2, 11]), tolerance=1e-12),
    Case("sparse.atl", "relax_edges", lengths,
         lambda a, _: np.min(a["d"][:, None] + a["w"], axis=0, initial=np.inf), grid(V=[0, 1, 2, 13]), tolerance=0),
]

GRAPHS = grid(V=[0, 1, 2, 13])
CASES += [
    Case("graphs.atl", "reach", graph, lambda a, _: a["x"] | (a["x"][:, None] & a["A"]).any(axis=0), GRAPHS, tolerance=0),
    Case("graphs.atl", "shortest", lambda rng, s: {"d": (a := lengths(rng, s))["d"], "A": a["w"]},
         lambda a, _: np.minimum(a["d"], np.min(a["d"][:, None] + a["A"], axis=0, initial=np.inf)), GRAPHS, tolerance=0),
    Case("graphs.atl", "tree", parents,
         lambda a, _: np.where(a["p"] < np.inf, a["p"],
                               np.min(np.where((a["p"] < np.inf)[:, None] & (a["A"] < 0), np.arange(len(a["p"]))[:, None], np.inf), axis=0, initial=np.inf)),
         GRAPHS, tolerance=0),
    Case("graphs.atl", "components", lambda rng, s: {n: array.astype(np.float32) for n, array in labels(rng, s).items()},
         lambda a, _: np.minimum(a["l"], np.min(np.maximum(a["l"][:, None], a["A"]), axis=0, initial=np.inf)), GRAPHS,
         tolerance=0),
    Case("graphs.atl", "rank", sparse(x="V!", A="V, V", jump="V!"),
         lambda a, _: 0.15 * a["jump"] + 0.85 * (a["x"] @ a["A"]), GRAPHS, tolerance=1e-12),
    Case("graphs.atl", "triangles", lambda rng, s: {"A": (rng.random((s["V"], s["V"])) < 0.4).astype(np.int64)},
         lambda a, _: np.sum(a["A"] @ a["A"] * a["A"]), GRAPHS, tolerance=0),
    Case("graphs.atl", "closure", lambda rng, s: {"r": (a := graph(rng, s))["A"].T.copy(), "A": a["A"]},
         lambda a, _: a["r"] | ((a["r"][:, :, None] & a["A"][None]).any(axis=1)), GRAPHS, tolerance=0),
]

CUBES = [dict(zip("IKL", n)) for n in [(0, 1, 2), (1, 0, 3), (5, 4, 7), (2, 6, 1), (9, 8, 11)]]
CASES += [
    Case("contractions.atl", "rows_combined", sparse(A="N, M", B="M, K"), lambda a, _: a["A"] @ a["B"], NARROW, tolerance=1e-12),
    Case("contractions.atl", "inner_products", sparse(A="N, M", B="K, M"), lambda a, _: a["A"] @ a["B"].T, NARROW, tolerance=1e-12),
    Case("contractions.atl", "times_vector", sparse(B="I, K, L", c="L"), lambda a, _: a["B"] @ a["c"], CUBES, tolerance=1e-12),
    Case("contractions.atl", "times_matrix", sparse(B="I, K, L", C="R, L"), lambda a, _: a["B"] @ a["C"].T,
         [s | {"R": r} for s, r in zip(CUBES, (2, 3, 0, 1, 5))], tolerance=1e-12),
    Case("contractions.atl", "sparse_factors", sparse(B="I, K, L", C="K, R", D="L, R"),
         lambda a, _: np.einsum("ikl,kr,lr->ir", a["B"], a["C"], a["D"]),
         [s | {"R": r} for s, r in zip(CUBES, (2, 3, 0, 1, 5))], tolerance=1e-12),
    Case("contractions.atl", "inner_product", sparse(A="I, K, L", B="I, K, L"), lambda a, _: np.sum(a["A"] * a["B"]), CUBES, tolerance=1e-12),
    Case("contractions.atl", "filtered", sparse(A="N, M", x="M"), lambda a, _: a["A"] @ np.where(a["x"] > 0.5, a["x"], 0), MATRICES,
         tolerance=1e-12),
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


def doubles(**names: str):
    """Inputs as `floats` makes them, of double precision."""
    single = floats(**names)
    return lambda rng, sizes: {name: array.astype(np.float64) for name, array in single(rng, sizes).items()}


RODS = [{"N": n, "T": t, "M": m} for n, t, m in [(0, 3, 1), (1, 0, 4), (3, 1, 0), (5, 2, 7), (17, 5, 3), (70, 12, 2)]]


def rounds(step, *states, times):
    for t in range(times):
        states = step(t, *states)
    return states


def around(x):
    wide = np.pad(x, 1)
    return wide[:-2], wide[2:]


CASES += [
    Case("recurrences.atl", "horner", doubles(c="N", x="M"), lambda a, _: np.polynomial.polynomial.polyval(a["x"], a["c"]) if a["c"].size else 0 * a["x"],
         RODS, tolerance=1e-9),
    Case("recurrences.atl", "heat", doubles(u="N", time="T"),
         lambda a, s: rounds(lambda t, x: (0.25 * around(x)[0] + 0.5 * x + 0.25 * around(x)[1],), a["u"], times=len(a["time"]))[0],
         RODS, tolerance=1e-12),
    Case("recurrences.atl", "paths", doubles(d="N, N"),
         lambda a, s: rounds(lambda k, x: (np.minimum(x, x[:, [k]] + x[[k], :]),), a["d"], times=len(a["d"]))[0],
         [{"N": n} for n in (0, 1, 3, 7, 19)], tolerance=0),
    Case("recurrences.atl", "wave", doubles(u="N", v="N", time="T"),
         lambda a, s: rounds(lambda t, x, y: (y, 2 * y - x + 0.25 * (around(y)[0] - 2 * y + around(y)[1])), a["u"], a["v"],
                             times=len(a["time"]))[1],
         RODS, tolerance=1e-9),
]


def centred(a: Arrays, _: Sizes) -> tuple[np.ndarray, np.ndarray]:
    mean = a["x"].mean(axis=1, dtype=np.float64)
    return mean.astype(np.float32), (a["x"] - mean[:, None]).astype(np.float32)


def extent_of_rows(a: Arrays, _: Sizes) -> tuple[np.ndarray, ...]:
    x = a["x"]
    return x.min(axis=1), x.max(axis=1), (x < 0).sum(axis=1).astype(np.int32)


FILLED = [dict(zip("NM", n)) for n in [(0, 1), (1, 1), (3, 7), (5, 17), (31, 64)]]
CASES += [
    Case("several.atl", "centred", floats(x="N, M"), centred, FILLED),
    Case("several.atl", "range", floats(x="N, M"), extent_of_rows, FILLED, tolerance=0),
    Case("several.atl", "scaled", floats(x="N, M"),
         lambda a, _: (a["x"] - a["x"].min(axis=1, keepdims=True)) / (np.ptp(a["x"], axis=1, keepdims=True) + np.float32(1)), FILLED),
]
