#!/usr/bin/env python3
"""Compares every function and monoid of the standard library with NumPy and SciPy, for its element types, on every back end.

A case is a program that uses the function, its inputs and a reference. Sizes are 0, 1, 3 and odd ones, as far as the
function's conditions allow. The last inputs, the largest ones, are tried on every back end, others by turns. A function of the
library without a case is an error.
"""

import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

try:
    import numpy as np
    import scipy.fft
    import scipy.ndimage as nd
    import scipy.signal
    import scipy.special as sp
except ImportError:
    print("skipped: NumPy or SciPy is not installed (./test installs them)")
    sys.exit(0)

from models import (
    BT601, MASK, affine, attention, bayer, bits_of, blocks, but_one, by_bits, conv2d, eight_bits, equalize, exactly,
    first_two, from_gray, layer_norm, log_softmax, modulo, nearest, neighbours, next_power, normal, of_bits, philox,
    resize, segmented, selu, sobel, softmax, stft, through_matrices, topk, uniform, warped, words, wrapping,
)

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "target" / "numpy" / "library"
LIBRARY = ROOT / "crates" / "lang" / "src" / "library"
BACKENDS = ["interp", "c", "cranelift"]
FLOATS = ["f32", "f64"]
NUMBERS = ["f32", "f64", "i32", "u8"]
DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "u8": np.uint8, "i8": np.int8, "i64": np.int64, "u32": np.uint32, "u64": np.uint64,
          "i16": np.int16, "u16": np.uint16, "bool": np.bool_}

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """What is compared: `T` in the head and the body stands for each of the types; several functions are `f, g`."""

    module: str
    function: str
    head: str
    body: str
    reference: Callable[..., object]
    shapes: list[dict[str, Shape]]
    types: list[str] = field(default_factory=lambda: FLOATS)
    sizes: dict[str, int] = field(default_factory=dict)
    units: float = 64


def vectors(*names: str, sizes: tuple[int, ...] = (0, 1, 3, 17)) -> list[dict[str, Shape]]:
    return [{name: (n,) for name in names} for n in sizes]


def pictures(*shapes: Shape) -> list[dict[str, Shape]]:
    return [{"x": shape} for shape in shapes or ((0, 3), (1, 1), (3, 3), (7, 5), (13, 19))]


def pointwise(module: str, function: str, reference: Callable[..., object], types: list[str] = FLOATS, **more) -> Case:
    """A function of one number, on a vector."""
    return Case(module, function, "x: T[N]) -> T[N]", f"{function}(x)", reference, vectors("x"), types, **more)


PUBLISHED = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([MASK] * 4, [MASK] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
]

WINDOW = [{"x": s} for s in ((2, 0, 3), (1, 3, 3), (2, 7, 5), (3, 8, 9))]
TABLE_SHAPES = ((0, 3), (1, 1), (3, 4), (5, 17))
TABLE = [{"x": s} for s in TABLE_SHAPES]
NUMERIC = dict(types=NUMBERS)


def cases() -> list[Case]:
    one = lambda module, f, head, reference, shapes, **more: Case(
        module, f, head, f"{f}({', '.join(shapes[0])})" if "body" not in more else more.pop("body"), reference, shapes, **more
    )
    found = [
        pointwise("nn", "relu", lambda x: np.maximum(x, 0), NUMBERS),
        pointwise("nn", "sigmoid", sp.expit),
        pointwise("nn", "silu", lambda x: x * sp.expit(x)),
        pointwise("nn", "softplus", lambda x: np.logaddexp(0, x)),
        pointwise("nn", "gelu", lambda x: x * sp.ndtr(x)),
        pointwise("nn", "gelu_tanh", lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
        one("nn", "softmax", "x: T[N, M]) -> T[N, M]", softmax, TABLE),
        one("nn", "layer_norm", "x: T[N, M], g: T[M], b: T[M]) -> T[N, M]", layer_norm,
            [{"x": (n, m), "g": (m,), "b": (m,)} for n, m in ((0, 3), (1, 1), (3, 17))], body="layer_norm(x, g, b, 0.001)"),
        one("nn", "attention", "q: T[N, D], k: T[M, D], v: T[M, E]) -> T[N, E]", attention,
            [{"q": (n, d), "k": (m, d), "v": (m, e)} for n, m, d, e in ((0, 1, 1, 1), (1, 1, 1, 1), (3, 5, 4, 7))]),
        one("nn", "conv2d", "x: T[C, H, W], w: T[O, C, 3, 2]) -> T[O, H - 2, W - 1] where 3 <= H, 2 <= W", modulo(conv2d),
            [{"x": (c, h, w), "w": (o, c, 3, 2)} for c, h, w, o in ((1, 3, 2, 1), (2, 7, 5, 3))], **NUMERIC),
        one("nn", "max_pool", "x: T[C, H, W]) -> T[C, H / 2, W / 2]", lambda x: blocks(x).max((2, 4)), WINDOW,
            body="max_pool(x, 2)", **NUMERIC),
        one("nn", "average_pool", "x: T[C, H, W]) -> T[C, H / 2, W / 2]", lambda x: blocks(x).mean((2, 4)), WINDOW,
            body="average_pool(x, 2)"),
        one("nn", "quantize", "x: T[N]) -> i8[N]",
            lambda x: np.clip(np.round(x / x.dtype.type(0.03)) + 5, -128, 127).astype(np.int8), vectors("x"), body="quantize(x, 0.03, 5)"),
        one("nn", "dequantize", "x: i8[N]) -> f32[N]", lambda x: (x.astype(np.int32) - 5).astype(np.float32) * np.float32(0.03),
            vectors("x"), body="dequantize(x, 0.03, 5)", types=["i8"]),
        one("image", "luma", "x: T[H, W, 3]) -> T[H, W]", lambda x: x @ np.array([0.299, 0.587, 0.114], x.dtype),
            pictures((0, 2, 3), (1, 1, 3), (5, 7, 3))),
        pointwise("image", "gamma", lambda x: np.abs(x) ** 2.2),
        pointwise("image", "srgb_to_linear", lambda x: np.where(x <= 0.04045, x / 12.92, ((np.abs(x) + 0.055) / 1.055) ** 2.4)),
        pointwise("image", "linear_to_srgb", lambda x: np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.abs(x) ** (1 / 2.4) - 0.055)),
        one("image", "box_blur", "x: T[H, W]) -> T[H, W]", neighbours(nd.uniform_filter, size=5), pictures(), body="box_blur(x, 2)"),
        one("image", "gaussian_blur", "x: T[H, W]) -> T[H, W]", neighbours(nd.gaussian_filter, sigma=1.25, radius=3), pictures(),
            body="gaussian_blur(x, 1.25, 3)"),
        one("image", "sobel", "x: T[H, W]) -> (T[H, W], T[H, W])", sobel, pictures(), **NUMERIC),
        one("image", "median3", "x: T[H, W]) -> T[H, W]", neighbours(nd.median_filter, size=3), pictures(), **NUMERIC),
        one("image", "dilate", "x: T[H, W]) -> T[H, W]", neighbours(nd.grey_dilation, size=(5, 5)), pictures(), body="dilate(x, 2)", **NUMERIC),
        one("image", "erode", "x: T[H, W]) -> T[H, W]", neighbours(nd.grey_erosion, size=(5, 5)), pictures(), body="erode(x, 2)", **NUMERIC),
        one("image", "histogram", "x: u8[H, W]) -> i32[256]", lambda x: np.bincount(x.ravel(), minlength=256).astype(np.int32), pictures(), types=["u8"]),
        one("image", "equalize", "x: u8[H, W]) -> u8[H, W]", equalize, pictures(), types=["u8"]),
        one("image", "resize_nearest", "x: T[H, W]) -> T[7, 5] where 0 < H, 0 < W", nearest, pictures((1, 1), (3, 3), (13, 19)),
            body="resize_nearest(x, 7, 5)", **NUMERIC),
        one("linalg", "dot", "x: T[N], y: T[N]) -> T", modulo(np.dot), vectors("x", "y"), **NUMERIC),
        one("linalg", "matvec", "x: T[N, M], y: T[M]) -> T[N]", modulo(np.dot), [{"x": (n, m), "y": (m,)} for n, m in ((0, 3), (1, 1), (5, 17))], **NUMERIC),
        one("linalg", "matmul", "x: T[N, K], y: T[K, M]) -> T[N, M]", modulo(np.dot),
            [{"x": (n, k), "y": (k, m)} for n, k, m in ((0, 1, 3), (1, 1, 1), (5, 7, 9))], **NUMERIC),
        one("linalg", "outer", "x: T[N], y: T[M]) -> T[N, M]", modulo(np.outer), [{"x": (n,), "y": (m,)} for n, m in ((0, 3), (1, 1), (5, 7))], **NUMERIC),
        one("linalg", "trace", "x: T[N, N]) -> T", modulo(np.trace), pictures((0, 0), (1, 1), (5, 5)), **NUMERIC),
        one("linalg", "norm", "x: T[N]) -> T", np.linalg.norm, vectors("x")),
        one("linalg", "norm1", "x: T[N]) -> T", modulo(lambda x: np.abs(x).sum()), vectors("x"), **NUMERIC),
        one("stats", "total", "x: T[N]) -> T", np.sum, vectors("x", sizes=(0, 1, 33, 9000))),
        one("stats", "mean", "x: T[N]) -> T where 0 < N", np.mean, vectors("x", sizes=(1, 3, 33, 9000))),
        one("stats", "variance", "x: T[N]) -> T where 0 < N", np.var, vectors("x", sizes=(1, 3, 33, 9000))),
        # The square of a sum of distances has no place in the type, where the variance has.
        one("stats", "variance", "x: T[N]) -> T where 0 < N",
            lambda x: np.var((x.astype(np.float64) + (np.arange(x.size) < 32)) * 1e17), vectors("x", sizes=(1000,)),
            body="variance(gen i < N { (x[i] + select(i < 32, 1, 0)) * 1e17 })", types=["f32"]),
        one("stats", "sums_about", "x: T[N]) -> (T, T) where 69 <= N", lambda x: (x[5:69].sum() - 64 * 2, ((x[5:69] - 2) ** 2).sum()),
            vectors("x", sizes=(69, 80)), body="sums_about(x, 5, 2, 2)"),
        one("stats", "largest_from", "x: T[N]) -> T where 69 <= N", lambda x: x[5:69].max(), vectors("x", sizes=(69, 80)),
            body="largest_from(x, 5, 2, -9)"),
        one("stats", "exponentials_from", "x: T[N]) -> T where 69 <= N", lambda x: np.exp(x[5:69] - 2).sum(), vectors("x", sizes=(69, 80)),
            body="exponentials_from(x, 5, 2, 2)"),
        one("stats", "covariance", "x: T[N], y: T[N]) -> T where 0 < N", lambda x, y: ((x - x.mean()) * (y - y.mean())).mean(),
            vectors("x", "y", sizes=(1, 3, 17))),
        one("stats", "column_means", "x: T[N, M]) -> T[M] where 0 < N", lambda x: x.mean(0), TABLE[1:]),
        one("stats", "argmax", "x: T[N]) -> (T, i64) where 0 < N", lambda x: (x.max(), x.argmax()), vectors("x", sizes=(1, 3, 17)), **NUMERIC),
        one("stats", "argmin", "x: T[N]) -> (T, i64) where 0 < N", lambda x: (x.min(), x.argmin()), vectors("x", sizes=(1, 3, 17)), **NUMERIC),
        one("stats", "mean_and_variance", "x: T[N]) -> (T, T) where 0 < N", lambda x: (x.mean(), x.var()), vectors("x", sizes=(1, 3, 33, 9000))),
        one("stats", "top_two", "x: T[N]) -> (T, T) where 1 < N", lambda x: tuple(np.sort(x)[:-3:-1]), vectors("x", sizes=(2, 3, 17)), **NUMERIC),
        one("stats", "largest_and_sum", "x: T[N]) -> (T, T) where 0 < N", lambda x: (x.max(), np.exp(x - x.max()).sum()),
            vectors("x", sizes=(1, 3, 33, 2100))),
        one("signal", "fir", "x: T[N], h: T[K]) -> T[N]", modulo(lambda x, h: np.convolve(x, h)[: len(x)] if x.size else x),
            [{"x": (n,), "h": (k,)} for n, k in ((0, 3), (1, 1), (17, 5), (3, 7))], **NUMERIC),
        one("signal", "convolve", "x: T[N], h: T[K]) -> T[N + K - 1] where 0 < N, 0 < K", modulo(np.convolve),
            [{"x": (n,), "h": (k,)} for n, k in ((1, 1), (17, 5), (3, 7))], **NUMERIC),
        one("signal", "dct", "x: T[N]) -> T[N]", lambda x: scipy.fft.dct(x) if x.size else x, vectors("x")),
    ]
    found += of_pictures(one) + of_signals(one) + of_samples(one) + of_networks(one) + of_matrices(one) + of_bits_of_integers(one) + of_lengths()
    for counter, key, expected in PUBLISHED:
        c, k = ", ".join(f"u32({w})" for w in counter), ", ".join(f"u32({w})" for w in key)
        found.append(Case("random", "philox", "n: size) -> u32[4]", f"philox([{c}], [{k}])",
                          lambda e=expected: np.array(e, dtype=np.uint32), [{}], ["f32"], {"n": 0}))
    found += on_tuples()
    parts = lambda of: lambda x, y: (of(x + 1j * y).real, of(x + 1j * y).imag)
    for name, of in [("cexp", np.exp), ("clog", np.log), ("csin", np.sin), ("ccos", np.cos), ("ctan", np.tan),
                     ("csinh", np.sinh), ("ccosh", np.cosh), ("ctanh", np.tanh)]:
        found.append(Case("complex", name, "x: f64[N], y: f64[N]) -> (f64[N], f64[N])",
                          f"let z = gen i < N {{ {name}(c128(x[i], y[i])) }}; (re(z), im(z))", parts(of), vectors("x", "y"), ["f64"]))
    found.append(Case("complex", "polar", "x: f64[N], y: f64[N]) -> (f64[N], f64[N])",
                      "let z = gen i < N { polar(x[i], y[i]) }; (re(z), im(z))",
                      lambda x, y: (x * np.cos(y), x * np.sin(y)), vectors("x", "y"), ["f64"]))
    found.append(Case("complex", "cpow", "x: f64[N], y: f64[N]) -> (f64[N], f64[N])",
                      "let z = gen i < N { cpow(c128(x[i], y[i]), c128(y[i], x[i])) }; (re(z), im(z))",
                      lambda x, y: (((x + 1j * y) ** (y + 1j * x)).real, ((x + 1j * y) ** (y + 1j * x)).imag),
                      vectors("x", "y"), ["f64"]))
    return together(found)


# Their arguments are not negative.
ALONE = ("gamma", "srgb_to_linear", "linear_to_srgb")


def together(cases: list[Case]) -> list[Case]:
    """Cases of one module with the same inputs are a program with several results, so that there are few runs."""
    groups: dict[object, list[Case]] = {}
    for place, case in enumerate(cases):
        inputs, results = case.head.split(") -> ")
        alone = place if results.startswith("(") or "let " in case.body or case.function in ALONE else None
        where = results.partition(" where ")[2]
        groups.setdefault((case.module, inputs, where, str(case.shapes), str(case.types), str(case.sizes), alone), []).append(case)
    found = []
    for (module, inputs, where, *_), own in groups.items():
        if len(own) == 1:
            found += own
            continue
        results = ", ".join(case.head.split(") -> ")[1].partition(" where ")[0] for case in own)
        head = f"{inputs}) -> ({results})" + (f" where {where}" if where else "")
        names = ", ".join(dict.fromkeys(case.function for case in own))
        body = f"({', '.join(case.body for case in own)})"
        reference = lambda *a, own=own: tuple(case.reference(*a) for case in own)
        units = max(case.units for case in own)
        found.append(Case(module, names, head, body, reference, own[0].shapes, own[0].types, own[0].sizes, units))
    return found


def of_pictures(one: Callable[..., Case]) -> list[Case]:
    colours, wide = pictures((0, 2, 3), (1, 1, 3), (5, 7, 3)), pictures((2, 2), (2, 3), (7, 5))
    found = [
        one("image", "resize", "x: T[H, W]) -> T[7, 5] where 0 < H, 0 < W", resize, pictures((1, 1), (3, 3), (13, 19)), body="resize(x, 7, 5)"),
        one("image", "bt601", "x: T[H, W, 3]) -> T[H, W, 3]", lambda x: x @ BT601.T, colours),
        one("image", "bt601_to_rgb", "x: T[H, W, 3]) -> T[H, W, 3]", lambda x: x @ np.linalg.inv(BT601).T, colours),
        one("image", "opening", "x: T[H, W]) -> T[H, W]", neighbours(nd.grey_opening, size=(3, 3)), pictures(), body="opening(x, 1)", **NUMERIC),
        one("image", "closing", "x: T[H, W]) -> T[H, W]", neighbours(nd.grey_closing, size=(3, 3)), pictures(), body="closing(x, 1)", **NUMERIC),
        one("image", "morphological_gradient", "x: T[H, W]) -> T[H, W]", neighbours(nd.morphological_gradient, size=(3, 3)), pictures(),
            body="morphological_gradient(x, 1)", **NUMERIC),
    ]
    for name, mode, where in (("warp", "grid-constant", ""), ("warp_nearest", "nearest", " where 0 < H, 0 < W")):
        found.append(one("image", name, f"x: T[H, W], a: T[2, 3]) -> T[7, 5]{where}", warped(mode),
                         [{"x": s, "a": (2, 3)} for s in ((1, 1), (3, 3), (13, 19))], body=f"{name}(x, a, 7, 5)", units=1e3))
    for dy, dx in ((0, 0), (0, 1), (1, 0), (1, 1)):
        found.append(one("image", "bayer", "x: T[H, W]) -> T[H, W, 3] where 1 < H, 1 < W", bayer(dy, dx), wide[dy + dx :], body=f"bayer(x, {dy}, {dx})"))
    for name, scales, shifts in (("full", [255] * 3, [0, 128, 128]), ("video", [219, 224, 224], [16, 128, 128])):
        for inverse, end in ((False, ""), (True, "_to_rgb")):
            found.append(one("image", f"bt601_{name}{end}", "x: u8[H, W, 3]) -> u8[H, W, 3]", eight_bits(scales, shifts, inverse), colours, types=["u8"]))
    return found


def of_signals(one: Callable[..., Case]) -> list[Case]:
    found = []

    def case(name: str, head: str, body: str, of: Callable[..., object], shapes: list, is_complex: bool = True) -> None:
        parts = (lambda *a: (of(*a).real, of(*a).imag)) if is_complex else of
        found.append(Case("signal", name, head, f"let z = {body}; (re(z), im(z))" if is_complex else body, parts, shapes, ["f64"]))

    both = vectors("x", "y", sizes=(0, 1, 3, 16, 30))
    number = "gen i < N { c128(x[i], y[i]) }"
    for name, of in (("fft", np.fft.fft), ("ifft", np.fft.ifft)):
        case(name, "x: f64[N], y: f64[N]) -> (f64[N], f64[N])", f"{name}({number})",
             lambda x, y, of=of: of(x + 1j * y) if x.size else x + 0j, both)
    some = vectors("x", sizes=(1, 2, 7, 16))
    case("rfft", "x: f64[N]) -> (f64[N / 2 + 1], f64[N / 2 + 1]) where 0 < N", "rfft(x)", np.fft.rfft, some)
    case("power_spectrum", "x: f64[N]) -> f64[N / 2 + 1] where 0 < N", "power_spectrum(x)", lambda x: np.abs(np.fft.rfft(x)) ** 2, some, False)
    for n in (1, 2, 7, 16):
        case("irfft", f"x: f64[{n // 2 + 1}], y: f64[{n // 2 + 1}]) -> f64[{n}]", f"irfft(gen i < {n // 2 + 1} {{ c128(x[i], y[i]) }}, {n})",
             lambda x, y, n=n: np.fft.irfft(x + 1j * y, n), vectors("x", "y", sizes=(n // 2 + 1,)), False)
    frames = [{"x": (n,), "w": (k,)} for n, k in ((1, 1), (5, 5), (17, 6))]
    extents = "[(N - K) / 3 + 1, K / 2 + 1]"
    case("stft", f"x: f64[N], w: f64[K]) -> (f64{extents}, f64{extents}) where 0 < K, K <= N", "stft(x, w, 3)", stft, frames)
    case("spectrogram", f"x: f64[N], w: f64[K]) -> f64{extents} where 0 < K, K <= N", "spectrogram(x, w, 3)",
         lambda x, w: np.abs(stft(x, w)) ** 2, frames, False)
    found.append(one("signal", "idct", "x: T[N]) -> T[N]", lambda x: scipy.fft.idct(x) if x.size else x, vectors("x")))
    order = lambda x, k: (np.array([1, 0.5, -0.25, 0.125][:k], x.dtype), np.array([2, -0.5, 0.25, 0.5][:k], x.dtype))
    for k, b, a in ((1, "[T(1)]", "[T(2)]"), (4, "[T(1), 0.5, -0.25, 0.125]", "[T(2), -0.5, 0.25, 0.5]")):
        found.append(one("signal", "iir", "x: T[N]) -> T[N]", lambda x, k=k: scipy.signal.lfilter(*order(x, k), x) if x.size else x, vectors("x"), body=f"iir(x, {b}, {a})"))
    sections = np.array([[1, 0.5, 0.25, 1, -0.5, 0.25], [1, -1, 0.5, 1, 0.25, 0.125]])
    found.append(one("signal", "iir_sections", "x: T[N]) -> T[N]", lambda x: scipy.signal.sosfilt(sections, x) if x.size else x, vectors("x"),
                     body="iir_sections(x, [[T(1), 0.5, 0.25, 1, -0.5, 0.25], [1, -1, 0.5, 1, 0.25, 0.125]])"))
    return found


def of_lengths() -> list[Case]:
    """What takes a length: windows and random numbers."""
    windows = dict(hann="hann", hamming="hamming", blackman="blackman", rectangular="boxcar", triangular="triang")
    drawn = lambda n: (words(n) >> 8).astype(np.float32)
    key = "[u32(7), 11]"
    integers = lambda n, below: words(n).astype(np.uint64) * below >> 32
    draws = [
        ("words", "u32", f"words({key}, n)", words),
        ("integers", "u32", f"integers({key}, 1000, n)", lambda n: integers(n, 1000)),
        ("uniform", "f32", f"uniform({key}, n)", uniform),
        ("normal", "f32", f"normal({key}, n)", normal),
        ("choice", "f32", f"choice({key}, [f32(5), 6, 7], n)", lambda n: integers(n, 3) + 5),
        ("bernoulli", "bool", f"bernoulli({key}, 0.3, n)", lambda n: drawn(n) * 2**-24 < np.float32(0.3)),
        ("exponential", "f32", f"exponential({key}, n)", lambda n: -np.log((drawn(n) + 1) * 2**-24)),
    ]
    found = []
    for n in (0, 1, 3, 16, 17):
        for name, own in windows.items():
            window = getattr(scipy.signal.windows, own)
            found.append(Case("signal", name, "n: size) -> f64[n]", f"{name}(n)", lambda w=window, n=n: w(n), [{}], ["f64"], {"n": n}))
        for name, ty, body, of in draws:
            reference = lambda of=of, n=n, ty=ty: np.asarray(of(n)).astype(DTYPES[ty])
            found.append(Case("random", name, f"n: size) -> {ty}[n]", body, reference, [{}], ["f32"], {"n": n}))
    return found


def of_samples(one: Callable[..., Case]) -> list[Case]:
    some, any_size = vectors("x", sizes=(1, 3, 16, 33)), vectors("x", sizes=(0, 1, 3, 17, 32))
    pair = [{"x": (n,), "y": (n,)} for n in (3, 33)]
    found = [
        one("stats", "standard_deviation", "x: T[N]) -> T where 0 < N", np.std, some),
        one("stats", "standardize", "x: T[N]) -> T[N] where 0 < N", lambda x: (x - x.mean()) / x.std(), some[1:]),
        one("stats", "correlation", "x: T[N], y: T[N]) -> T where 0 < N", lambda x, y: np.corrcoef(x, y)[0, 1], pair),
        one("stats", "sort", "x: T[N]) -> T[N]", np.sort, any_size, **NUMERIC),
        one("stats", "argsort", "x: T[N]) -> i64[N]", lambda x: np.argsort(x, kind="stable"), any_size, **NUMERIC),
        one("stats", "median", "x: T[N]) -> T where 0 < N", np.median, some),
    ]
    found += [one("stats", "quantile", "x: T[N]) -> T where 0 < N", lambda x, q=q: np.quantile(x, q), some, body=f"quantile(x, {q})") for q in (0, 0.3, 1)]
    for name, of in (("cumsum", np.cumsum), ("cumprod", np.cumprod), ("cummax", np.maximum.accumulate), ("cummin", np.minimum.accumulate)):
        found.append(one("stats", name, "x: T[N]) -> T[N]", modulo(of), vectors("x"), **NUMERIC))
    # Rounded, so that some are equal.
    for name, sign in (("topk", -1), ("bottomk", 1)):
        found.append(one("stats", name, "x: T[N]) -> (T[3], i64[3]) where 3 <= N", lambda x, of=topk(sign): of(np.round(x)), vectors("x", sizes=(3, 17)),
                         body=f"{name}(round(x), 3)"))
        found.append(one("stats", name, "x: T[N]) -> (T[3], i64[3]) where 3 <= N", topk(sign), vectors("x", sizes=(3, 17)), body=f"{name}(x, 3)",
                         types=["i32", "u8"]))
    return found


def of_networks(one: Callable[..., Case]) -> list[Case]:
    hard = lambda x: np.clip(x + 3, 0, 6) / 6
    planes = {name: (2,) for name in ("m", "v", "g", "b")}
    conv = lambda x, w: np.einsum("chwab,cab->chw", np.lib.stride_tricks.sliding_window_view(x, w.shape[1:], axis=(1, 2)), w)
    return [
        one("nn", "log_softmax", "x: T[N, M]) -> T[N, M]", log_softmax, TABLE),
        one("nn", "cross_entropy", "x: T[N, M], at: i64[N]) -> T where 0 < N, all i < N { 0 <= at[i] < M }",
            lambda x, at: -np.mean(log_softmax(x)[np.arange(at.size), at]), [{"x": s, "at": (s[0],)} for s in TABLE_SHAPES[1:]]),
        one("nn", "rms_norm", "x: T[N, M], g: T[M]) -> T[N, M]",
            lambda x, g: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-3) * g if x.size else x,
            [{"x": (n, m), "g": (m,)} for n, m in ((0, 3), (1, 1), (3, 17))], body="rms_norm(x, g, 0.001)"),
        one("nn", "batch_norm", "x: T[C, H, W], m: T[C], v: T[C], g: T[C], b: T[C]) -> T[C, H, W]",
            lambda x, *p: (x - p[0][:, None, None]) / np.sqrt((p[1] ** 2)[:, None, None] + 0.5) * p[2][:, None, None] + p[3][:, None, None],
            [{"x": (2, h, w), **planes} for h, w in ((0, 3), (1, 1), (5, 7))], body="batch_norm(x, m, v * v, g, b, 0.5)"),
        pointwise("nn", "selu", selu),
        pointwise("nn", "softsign", lambda x: x / (1 + np.abs(x))),
        pointwise("nn", "hard_tanh", lambda x: np.clip(x, -1, 1)),
        pointwise("nn", "hard_sigmoid", hard),
        pointwise("nn", "hard_silu", lambda x: x * hard(x)),
        one("nn", "elu", "x: T[N]) -> T[N]", lambda x: np.where(x < 0, 0.5 * np.expm1(x), x), vectors("x"), body="elu(x, 0.5)"),
        one("nn", "leaky_relu", "x: T[N]) -> T[N]", lambda x: np.where(x < 0, x.dtype.type(0.01) * x, x), vectors("x"), body="leaky_relu(x, 0.01)"),
        one("nn", "embedding", "x: T[N, M], at: i64[K]) -> T[K, M] where all k < K { 0 <= at[k] < N }", lambda x, at: x[at],
            [{"x": s, "at": (k,)} for s, k in zip(TABLE_SHAPES, (0, 1, 4, 7))], types=NUMBERS),
        one("nn", "depthwise_conv2d", "x: T[C, H, W], w: T[C, 3, 2]) -> T[C, H - 2, W - 1] where 3 <= H, 2 <= W", modulo(conv),
            [{"x": (c, h, w), "w": (c, 3, 2)} for c, h, w in ((1, 3, 2), (2, 7, 5))], **NUMERIC),
    ]


def of_matrices(one: Callable[..., Case]) -> list[Case]:
    square = [{"x": (n, n)} for n in (0, 1, 2, 5)]
    system = [{"x": (n, n), "y": (n,)} for n in (0, 1, 2, 5)]
    far = "gen i < N, j < N { x[i, j] + select(i == j, T(9), T(0)) }"
    full = lambda x: x + 9 * np.eye(len(x), dtype=x.dtype)
    definite = f"let w = {far}; cholesky(gen i < N, j < N {{ sum k < N {{ w[i, k] * w[j, k] }} }})"
    solve = lambda part: lambda x, y: np.linalg.solve(part(full(x)), y) if x.size else y
    found = [
        one("linalg", "kron", "x: T[N, M], y: T[K, L]) -> T[N * K, M * L]", modulo(np.kron),
            [{"x": (n, m), "y": (k, l)} for n, m, k, l in ((0, 1, 2, 3), (1, 1, 1, 1), (2, 3, 4, 5))], **NUMERIC),
        one("linalg", "cross", "x: T[3], y: T[3]) -> T[3]", modulo(np.cross), [{"x": (3,), "y": (3,)}], **NUMERIC),
        one("linalg", "norm_max", "x: T[N]) -> T", modulo(lambda x: np.abs(x).max(initial=0)), vectors("x"), **NUMERIC),
        one("linalg", "matrix_norm", "x: T[N, M]) -> T", np.linalg.norm, TABLE),
        one("linalg", "batched_matmul", "x: T[B, N, K], y: T[B, K, M]) -> T[B, N, M]", modulo(np.matmul),
            [{"x": (b, n, k), "y": (b, k, m)} for b, n, k, m in ((0, 1, 2, 3), (1, 1, 1, 1), (3, 2, 5, 4))], **NUMERIC),
        one("linalg", "solve_lower", "x: T[N, N], y: T[N]) -> T[N]", solve(np.tril), system, body=f"solve_lower({far}, y)"),
        one("linalg", "solve_upper", "x: T[N, N], y: T[N]) -> T[N]", solve(np.triu), system, body=f"solve_upper({far}, y)"),
        one("linalg", "cholesky", "x: T[N, N]) -> T[N, N]", lambda x: np.linalg.cholesky(full(x) @ full(x).T), square, body=definite),
    ]
    power = lambda p: lambda x: np.linalg.matrix_power(x, p)
    found += [one("linalg", "matrix_power", "x: T[N, N]) -> T[N, N]", modulo(power(p)), square, body=f"matrix_power(x, {p})", **NUMERIC) for p in (0, 5)]
    found += [Case("linalg", "identity", "n: size) -> f64[n, n]", "identity(n)", lambda n=n: np.eye(n), [{}], ["f64"], {"n": n}) for n in (0, 3)]
    return found


def of_bits_of_integers(one: Callable[..., Case]) -> list[Case]:
    turned = lambda x, n: x[-n % len(x) :] + x[: -n % len(x)]
    moved = lambda x, n: (x[n:] + [0] * n)[: len(x)] if 0 <= n < len(x) else [0] * len(x)
    pairs = {
        "sat_add": exactly(lambda a, b: a + b),
        "sat_sub": exactly(lambda a, b: a - b),
        "avg_up": exactly(lambda a, b: a + b + 1 >> 1),
        "avg_down": exactly(lambda a, b: a + b >> 1),
        "rotl": by_bits(lambda x, n: turned(x, int(n))),
        "rotr": by_bits(lambda x, n: turned(x, -int(n))),
        "shift_right_logical": by_bits(lambda x, n: moved(x, int(n))),
    }
    single = {
        "reverse_bits": by_bits(lambda x: x[::-1]),
        "next_power_of_two": next_power,
        "gray_code": by_bits(lambda x: [a ^ b for a, b in zip(x, x[1:] + [0])]),
        "from_gray_code": by_bits(from_gray),
    }
    types = ["i8", "u8", "i16", "i32", "u32", "i64", "u64"]
    sizes = (0, 33)
    found = [one("bits", name, "x: T[N], y: T[N]) -> T[N]", of, vectors("x", "y", sizes=sizes), types=types) for name, of in pairs.items()]
    found += [one("bits", name, "x: T[N]) -> T[N]", of, vectors("x", sizes=sizes), types=types) for name, of in single.items()]
    for name, of in (("parity", lambda x: [sum(b) % 2 for b in bits_of(x)]),
                     ("is_power_of_two", lambda x: [int(v) > 0 and int(v).bit_count() == 1 for v in x])):
        found.append(one("bits", name, "x: T[N]) -> bool[N]", lambda x, of=of: np.array(of(x), bool), vectors("x", sizes=sizes), types=types))
    found.append(one("bits", "extract_bits", "x: T[N]) -> T[N]", by_bits(lambda x: x[3:8]), vectors("x", sizes=sizes), body="extract_bits(x, 3, 5)", types=types))
    found.append(one("bits", "insert_bits", "x: T[N], y: T[N]) -> T[N]", lambda x, y: of_bits(
        [a[:3] + b[:4] + a[7:] for a, b in zip(bits_of(x), bits_of(y))], x.dtype), vectors("x", "y", sizes=sizes), body="insert_bits(x, y, 3, 4)", types=types))
    return found


def on_tuples() -> list[Case]:
    """Sums in the library's monoids, and products in its semirings."""
    some, pairs = vectors("x", sizes=(2, 17)), vectors("x", "y", sizes=(0, 17))
    tables = [{"x": shape, "y": shape} for shape in ((1, 1), (7, 5))]
    found = []

    def case(name: str, results: str, body: str, reference: Callable[..., object], shapes: list, ty: str = "f64") -> None:
        dims = "N" if len(shapes[0]["x"]) == 1 else "N, M"
        params = ", ".join(f"{param}: {ty}[{dims}]" for param in shapes[0])
        head = f"{params}) -> ({results})"
        found.append(Case("monoids", name, head, body, reference, shapes, [ty]))
        if ty == "f64":
            found.append(Case("monoids_f32", name, head.replace("f64", "f32"), body, reference, shapes, ["f32"]))

    for name in ("least", "first_least", "greatest", "first_greatest"):
        end = "min" if name.endswith("least") else "max"
        case(name, "f64, i64", f"sum i < N in {name} {{ (round(x[i]), i64(i)) }}",
             lambda x, end=end: (getattr(np.round(x), end)(), getattr(np.round(x), f"arg{end}")()), some)
    for name, sign in (("least_two", 1), ("greatest_two", -1)):
        none = "inf" if sign > 0 else "-inf"
        case(name, "f64, i64, f64, i64", f"sum i < N in {name} {{ (round(x[i]), i64(i), {none}, 9223372036854775807) }}",
             lambda x, sign=sign: first_two(np.round(x), sign), some)
    case("smallest_two", "f64, f64", "sum i < N in smallest_two { (x[i], inf) }", lambda x: tuple(np.sort(x)[:2]), some)
    case("largest_two", "f64, f64", "sum i < N in largest_two { (x[i], -inf) }", lambda x: tuple(np.sort(x)[:-3:-1]), some)
    case("log_sum_exp", "f64, f64", "sum i < N in log_sum_exp { (x[i], 1) }", lambda x: (x.max(), np.exp(x - x.max()).sum()), some)
    case("moments", "f64, f64, f64", "sum i < N in moments { (1, x[i], 0) }", lambda x: (x.size, x.mean(), x.var() * x.size), some)
    case("affine", "f64, f64", "sum i < N in affine { (x[i], y[i]) }", affine, pairs)
    case("affine_wrapping", "u64, u64", "sum i < N in affine_wrapping { (u64(x[i]), u64(y[i])) }", wrapping, pairs, "i64")
    case("segmented", "bool, f64", "sum i < N in segmented { (x[i] > 0.5, x[i]) }", segmented, vectors("x", sizes=(0, 17)))
    case("cheapest", "f64, f64", "sum i < N in cheapest { (round(x[i]), 1) }",
         lambda x: (np.round(x).min(), (np.round(x) == np.round(x).min()).sum()), some)
    case("dual", "f64, f64", "prod i < N in dual { (x[i], y[i]) }", lambda x, y: (x.prod(), but_one(x, y)), pairs)
    case("expectation", "f64, f64",
         "prod i < N in expectation { sum j < M in expectation { (x[i, j], x[i, j] * y[i, j]) } }",
         lambda x, y: (x.sum(1).prod(), but_one(x.sum(1), (x * y).sum(1))), tables)
    case("complex", "f64, f64", "complex.add((1, 0), prod i < N in complex { (x[i], y[i]) })",
         lambda x, y: (1 + (x + 1j * y).prod().real, (x + 1j * y).prod().imag), pairs)
    case("matrix", "f64, f64, f64, f64", "prod i < N in matrix { (x[i], y[i], 1, 0.5) }", through_matrices, pairs)
    case("lexicographic", "f64, f64",
         "sum i < N in lexicographic { prod j < M in lexicographic { (round(x[i, j]), y[i, j]) } }",
         lambda x, y: min(zip(np.round(x).sum(1), y.sum(1))), tables)
    return found


def array(rng: np.random.Generator, ty: str, shape: Shape, positive: bool, of_bits: bool) -> np.ndarray:
    dtype = DTYPES[ty]
    if of_bits:
        info = np.iinfo(dtype)
        near = np.array([info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 64, 65], dtype)
        return np.where(rng.random(shape) < 0.5, rng.choice(near, shape), rng.integers(info.min, info.max, shape, dtype, endpoint=True))
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return rng.integers(max(info.min, -1000), min(info.max, 1000), size=shape, endpoint=True).astype(dtype)
    values = rng.normal(size=shape).astype(dtype)
    return np.abs(values) if positive else values


def backends_of(case: Case, number: int, turn: int, every: bool) -> list[str]:
    """The back ends for these inputs."""
    whole = every or number + 1 == len(case.shapes)
    return BACKENDS if whole else [BACKENDS[(number + turn) % len(BACKENDS)]]


def compare(place: int, case: Case, ty: str, number: int, backends: list[str], atl: str) -> list[str]:
    """What is wrong with the case at a place of the list, for a type and its inputs, on these back ends."""
    folder = SCRATCH / f"{case.module}-{case.function.split(',')[0]}-{place}-{ty}-{number}"
    folder.mkdir(parents=True, exist_ok=True)
    head = re.sub(r"\bT\b", ty, case.head)
    body = re.sub(r"\bT\b", ty, case.body)
    body = body.replace(f"{case.function}(x)", "gamma(abs(x), 2.2)") if case.function == "gamma" else body
    program = folder / "program.atl"
    program.write_text(f"use std.{case.module}.{{{case.function}}};\n\nfn f({head} {{ {body} }}\n")
    rng = np.random.default_rng(number)
    positive = case.function in ("srgb_to_linear", "linear_to_srgb")
    arrays = {name: array(rng, ty, shape, positive, case.module == "bits") for name, shape in case.shapes[number].items()}
    if "at" in arrays:
        arrays["at"] = rng.integers(0, max(min(arrays["x"].shape), 1), arrays["at"].shape)
    expected = case.reference(*arrays.values())
    expected = expected if isinstance(expected, tuple) else (expected,)
    words = [atl, "run", str(program), "--fn", "f"]
    for name, value in arrays.items():
        np.save(folder / f"{name}.npy", value)
        words += ["--in", f"{name}={folder / name}.npy"]
    words += [word for name, n in case.sizes.items() for word in ("--set", f"{name}={n}")]
    wrong = []
    for backend in backends:
        outs = [folder / f"{backend}-{k}.npy" for k in range(len(expected))]
        command = words + ["--backend", backend] + [word for out in outs for word in ("--out", str(out))]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if ran.returncode != 0:
            wrong.append(f"{' '.join(command)}\n{ran.stderr}")
            continue
        for out, want in zip(outs, expected):
            got, want = np.load(out), np.asarray(want)
            # Sums of products of `f32` are compared with those of NumPy, which adds in another order.
            exact = got.dtype.kind in "iub"
            scale = np.abs(want).max(initial=1.0)
            error = np.finfo(got.dtype).eps * case.units * scale if not exact else 0
            same = np.array_equal(got, want) if exact else np.allclose(got, want, rtol=0, atol=error)
            if got.shape != want.shape or not same:
                wrong.append(f"{' '.join(command)}\nis {got}\nnot {want}")
    return wrong


def without_case(found: list[Case]) -> list[str]:
    """The functions and monoids of the library that no case compares."""
    compared = {(case.module, name) for case in found for name in case.function.split(", ")}
    missing = []
    for file in sorted(LIBRARY.glob("*.atl")):
        lines = file.read_text().splitlines()
        for doc, line in zip(lines, lines[1:]):
            if doc.startswith("///") and line.startswith(("fn ", "monoid ", "semiring ")):
                name = re.split(r"\W", line.split(" ", 1)[1])[0]
                if (file.stem, name) not in compared:
                    missing.append(f"std.{file.stem}.{name} has no case")
    return missing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atl", default=str(ROOT / "target" / "debug" / "atl"))
    parser.add_argument("--only", help="a function")
    parser.add_argument("--every", action="store_true", help="all inputs on every back end")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    found = cases()
    wrong = without_case(found)
    work = [
        (place, case, ty, number, backends_of(case, number, place + turn, args.every))
        for place, case in enumerate(found)
        if args.only is None or args.only in case.function.split(", ")
        for turn, ty in enumerate(case.types)
        for number in range(len(case.shapes))
    ]
    with ThreadPoolExecutor(args.jobs) as pool:
        for found_wrong in pool.map(lambda of: compare(*of, args.atl), work):
            wrong += found_wrong
    print("\n\n".join(wrong), end="\n" if wrong else "")
    print(f"{sum(len(backends) for *_, backends in work)} runs, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
