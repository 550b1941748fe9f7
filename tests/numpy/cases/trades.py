"""Layers of networks, estimates by random numbers, masks in words, samples of 16 bits, spectra."""

import numpy as np
import scipy.ndimage
import scipy.special
import scipy.stats

from .case import PICTURES, Arrays, Case, Sizes, doubles, floats, pairs
from .halves import bf16
from .integers import integers, philox, words


def rotary(a: Arrays, _: Sizes) -> np.ndarray:
    x, half = a["x"].astype(np.float64), a["x"].shape[1] // 2
    angle = np.arange(len(x))[:, None] * float(a["base"]) ** (-np.arange(half) / max(half, 1))
    turned = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(1j * angle)
    return np.stack([turned.real, turned.imag], -1).reshape(x.shape)


def layer_norm(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["x"]
    if not x.size:
        return x
    centred = x - x.mean(1, keepdims=True)
    return centred / np.sqrt(x.var(1, keepdims=True) + 1e-5) * a["scale"] + a["shift"]


def attention(a: Arrays, _: Sizes) -> np.ndarray:
    scores = a["q"] @ a["k"].T / np.sqrt(a["q"].shape[1])
    return scipy.special.softmax(scores, 1) @ a["v"]


def quantized(a: Arrays, _: Sizes) -> np.ndarray:
    total = (a["a"].astype(np.int64) - int(a["a_zero"])) @ a["b"].astype(np.int64)
    return np.clip(np.rint(total.astype(np.float32) * a["scale"][:, None]) + a["zero"], -128, 127)


def bytes_and_scales(rng: np.random.Generator, s: Sizes) -> Arrays:
    scale = (rng.random(s["M"]) / 100).astype(np.float32)
    return integers(a="i8 M, K", b="i8 K, N")(rng, s) | {"scale": scale, "a_zero": np.int32(3), "zero": np.float32(-5)}


def short(x: np.ndarray) -> np.ndarray:
    """Numbers of `float32` rounded to `bf16`."""
    return (bf16(x).astype(np.uint32) << 16).view(np.float32)


def bf16_matmul(a: Arrays, s: Sizes) -> np.ndarray:
    x, y, total = short(a["a"]), short(a["b"]), np.zeros((s["M"], s["N"]), np.float32)
    for k in range(s["K"]):
        total = total + x[:, k : k + 1] * y[k : k + 1]
    return short(total)


def bf16_matmul_rounded(a: Arrays, s: Sizes) -> np.ndarray:
    x, y, total = short(a["a"]), short(a["b"]), np.zeros((s["M"], s["N"]), np.float32)
    for k in range(s["K"]):
        total = short(total + short(x[:, k : k + 1] * y[k : k + 1]))
    return total


def layer(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    single = floats(w="M, N", b="M", x="N")(rng, sizes)
    return {name: array if name == "x" else array.astype(np.float16) for name, array in single.items()}


def gelu_layer(a: Arrays, _: Sizes) -> np.ndarray:
    y = a["b"] + a["w"].astype(np.float64) @ a["x"]
    return y * scipy.special.ndtr(y)


def gated(a: Arrays, s: Sizes) -> np.ndarray:
    h, out = np.zeros(s["H"]), np.zeros((s["T"], s["H"]))
    for t, x in enumerate(a["x"]):
        seen, kept = a["b"] + a["w"] @ x, a["u"] @ h
        r, z = scipy.special.expit(seen[:2] + kept[:2])
        h = out[t] = (1 - z) * np.tanh(seen[2] + r * kept[2]) + z * h
    return out


def random_words(key: np.ndarray, n: int) -> np.ndarray:
    counter = np.zeros((-(-n // 4), 4), np.uint32)
    counter[:, 0] = np.arange(len(counter))
    return philox({"counter": counter, "key": key}, {}).ravel()[:n]


def keys(**others: float):
    """A key, and numbers."""
    return lambda rng, _: {"key": rng.integers(0, 2**32, 2, np.uint32)} | {n: np.array(x) for n, x in others.items()}


def circle(a: Arrays, s: Sizes) -> np.ndarray:
    u = (random_words(a["key"], 2 * s["n"]) >> 8).astype(np.float32) * np.float32(2.0**-24)
    x, y = u.reshape(-1, 2).T
    return np.float64(4 * (x * x + y * y < 1).sum() / s["n"])


def normal_numbers(a: Arrays, s: Sizes) -> np.ndarray:
    w = (random_words(a["key"], 2 * s["n"]) >> 8).astype(np.float64).reshape(-1, 2)
    z = np.sqrt(-2 * np.log((w[:, 0] + 1) / 2**24)) * np.cos(2 * np.pi * w[:, 1] / 2**24)
    assert s["n"] < 100 or scipy.stats.kstest(z, "norm").pvalue > 0.01, "these are not normal"
    return z


def option(a: Arrays, s: Sizes) -> np.ndarray:
    z = normal_numbers(a, s)
    price, strike, rate, spread, years = (float(a[k]) for k in ("price", "strike", "rate", "spread", "years"))
    ends = price * np.exp((rate - spread**2 / 2) * years + spread * np.sqrt(years) * z)
    estimate = np.exp(-rate * years) * np.maximum(ends - strike, 0).mean()
    # The formula of Black and Scholes, from which many ways are a percent away.
    d = (np.log(price / strike) + (rate + spread**2 / 2) * years) / (spread * np.sqrt(years))
    share, bond = scipy.special.ndtr([d, d - spread * np.sqrt(years)])
    assert s["n"] < 1000 or abs(estimate / (price * share - strike * np.exp(-rate * years) * bond) - 1) < 0.1
    return np.float64(estimate)


CROSS = scipy.ndimage.generate_binary_structure(2, 1)


def cells(x: np.ndarray) -> np.ndarray:
    """The cells of a mask, the lowest bit of a word first."""
    return np.unpackbits(x.view(np.uint8), axis=1, bitorder="little").astype(bool)


def packed(x: np.ndarray) -> np.ndarray:
    return np.packbits(x, axis=1, bitorder="little").view(np.uint64)


def dilated(a: Arrays, _: Sizes) -> np.ndarray:
    return packed(scipy.ndimage.binary_dilation(cells(a["x"]), CROSS)) if a["x"].size else a["x"]


def eroded(a: Arrays, _: Sizes) -> np.ndarray:
    return packed(scipy.ndimage.binary_erosion(cells(a["x"]), CROSS, border_value=1)) if a["x"].size else a["x"]


def binned(a: Arrays, s: Sizes) -> np.ndarray:
    return (a["x"].astype(np.int64).reshape(s["H"], 2, s["W"], 2).sum((1, 3)) + 2) // 4


def box3(a: Arrays, s: Sizes) -> np.ndarray:
    x = a["x"].astype(np.int64)
    shifted = (x[r : r + s["H"], c : c + s["W"]] for r in range(3) for c in range(3))
    return (sum(shifted, np.zeros((s["H"], s["W"]), np.int64)) + 4) // 9


def sound(rng: np.random.Generator, s: Sizes) -> Arrays:
    return {"x": rng.standard_normal(128 * s["F"] + 128), "bands": rng.random((s["B"], 129))}


def spectrogram(a: Arrays, s: Sizes) -> np.ndarray:
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(256) / 256)
    frames = np.array([a["x"][128 * t : 128 * t + 256] for t in range(s["F"])]).reshape(s["F"], 256)
    energy = np.abs(np.fft.rfft(frames * window)) ** 2
    return np.log10(np.maximum(energy @ a["bands"].T, 1e-10))


MASKS = [dict(zip("HW", n)) for n in [(0, 2), (1, 1), (3, 2), (9, 3)]]
SMALL = PICTURES[:3] + PICTURES[-2:]
MATRICES = [dict(zip("MKN", n)) for n in [(0, 1, 3), (1, 0, 1), (3, 37, 5)]]

CASES = [
    Case("networks.atl", "rotary", lambda rng, s: {"x": rng.standard_normal((s["T"], 2 * s["D"])).astype(np.float32),
                                                   "base": np.array(10000.0)}, rotary,
         [dict(zip("TD", n)) for n in [(0, 2), (1, 1), (7, 3), (33, 8)]], tolerance=2.0**-24),
    Case("networks.atl", "layer_norm", doubles(x="N, M", scale="M", shift="M"), layer_norm,
         [dict(zip("NM", n)) for n in [(0, 3), (1, 1), (7, 13)]], tolerance=1e-12),
    Case("networks.atl", "attention", doubles(q="N, D", k="M, D", v="M, E"), attention,
         [dict(zip("NMDE", n)) for n in [(0, 1, 1, 1), (1, 1, 3, 2), (3, 17, 5, 7)]], tolerance=1e-12),
    Case("networks.atl", "quantized", bytes_and_scales, quantized, MATRICES, tolerance=0, result="i1"),
    Case("networks.atl", "bf16_matmul", floats(a="M, K", b="K, N"), bf16_matmul, MATRICES, tolerance=0),
    Case("networks.atl", "bf16_matmul_rounded", floats(a="M, K", b="K, N"), bf16_matmul_rounded, MATRICES, tolerance=0),
    Case("networks.atl", "gelu_layer", layer, gelu_layer, [{"M": m, "N": n} for m, n in ((0, 3), (1, 0), (7, 37))],
         tolerance=1e-6, result="float32"),
    Case("networks.atl", "gated", doubles(x="T, D", w="3, H, D", u="3, H, H", b="3, H"), gated,
         [dict(zip("TDH", n)) for n in [(0, 1, 1), (1, 0, 3), (5, 3, 4)]], tolerance=1e-12),
    Case("monte_carlo.atl", "circle", keys(), circle, [{"n": n} for n in (1, 7, 1000)], ("n",), tolerance=0, result="f8"),
    Case("monte_carlo.atl", "normal_numbers", keys(), normal_numbers, [{"n": n} for n in (1, 1000)], ("n",), tolerance=1e-5, result="f4"),
    Case("monte_carlo.atl", "option", keys(price=100.0, strike=105.0, rate=0.03, spread=0.2, years=1.5), option,
         [{"n": n} for n in (1, 1000)], ("n",), tolerance=1e-5, result="f8"),
    Case("bits.atl", "dilated", words("u8", x="H, W"), dilated, MASKS, tolerance=0),
    Case("bits.atl", "eroded", words("u8", x="H, W"), eroded, MASKS, tolerance=0),
    Case("bits.atl", "marked", words("u8", x="H, W"), lambda a, _: cells(a["x"]).sum(1), MASKS, tolerance=0, result="i4"),
    Case("tables.atl", "binned", integers(x="u16 2*H, 2*W"), binned, pairs("H", "W", *SMALL), tolerance=0),
    Case("tables.atl", "box3", lambda rng, s: {"x": rng.integers(0, 256, (s["H"] + 2, s["W"] + 2), np.uint8)}, box3,
         pairs("H", "W", *SMALL), tolerance=0),
    Case("complex.atl", "spectrogram", sound, spectrogram, [dict(zip("FB", n)) for n in [(0, 1), (2, 3)]], tolerance=1e-12),
]
