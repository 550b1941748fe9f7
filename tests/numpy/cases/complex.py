"""The complex examples, with NumPy's arithmetic and transform."""

import numpy as np

from .case import Arrays, Case, Sizes, doubles, grid

SIZES = grid(N=[0, 1, 3, 17], K=[0, 1, 5], M=[0, 1, 8, 13])


def complexes(**names: str):
    """Inputs of normally distributed complex numbers of double precision."""
    real = doubles(**names)

    def make(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        first, second = real(rng, sizes), real(rng, sizes)
        return {name: first[name] + 1j * second[name] for name in names}

    return make


def product(a: Arrays, _: Sizes) -> np.ndarray:
    return a["a"] @ a["b"]


def plane(_: np.random.Generator, s: Sizes) -> Arrays:
    return {"x": np.linspace(-2, 0.6, s["N"]), "y": np.linspace(-1.2, 1.2, s["M"])}


def mandelbrot(a: Arrays, _: Sizes) -> np.ndarray:
    """Round by round, with products of numbers, so that no fused operation of NumPy's vectors has a say."""
    x, y = np.meshgrid(a["x"], a["y"])
    re, im, rounds = np.zeros_like(x), np.zeros_like(x), np.zeros(x.shape, np.int32)
    for _ in range(100):
        stays = np.hypot(re, im) <= 2
        re, im = np.where(stays, re * re - im * im + x, re), np.where(stays, re * im + im * re + y, im)
        rounds += stays
    return rounds


CASES = [
    Case("complex.atl", "transform_pass", complexes(x="256"),
         lambda a, s: np.stack([a["x"][:128] + a["x"][128:],
                                np.exp(-2j * np.pi * np.arange(128) / 256) * (a["x"][:128] - a["x"][128:])], 1).reshape(256),
         [{"m": 1}], ("m",), tolerance=1e-14),
    Case("complex.atl", "fft", complexes(x="256"), lambda a, _: np.fft.fft(a["x"]), [{}], tolerance=1e-15 * 16),
    Case("complex.atl", "inverse_fft", lambda rng, s: {"y": np.fft.fft(complexes(x="256")(rng, s)["x"])},
         lambda a, _: np.fft.ifft(a["y"]), [{}], tolerance=1e-15 * 16),
    Case("complex.atl", "product", complexes(a="N, K", b="K, M"), product, SIZES, tolerance=1e-14),
    Case("complex.atl", "mandelbrot", plane, mandelbrot, grid(N=[0, 1, 7, 33], M=[0, 1, 5, 18]), tolerance=0, result="int32"),
]
