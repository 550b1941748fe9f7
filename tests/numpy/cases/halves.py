"""Functions of floats of 16 bits, step by step as they are rounded."""

import numpy as np

from .case import Arrays, Case, Sizes, floats, grid


def bf16(x: np.ndarray) -> np.ndarray:
    """The bits of `float32` numbers rounded to the upper half, to nearest even."""
    u = np.ascontiguousarray(x, np.float32).view(np.uint32)
    rounded = (u.astype(np.uint64) + 0x7FFF + (u >> 16 & 1)) >> 16
    return np.where(np.isnan(x), np.uint64(0x7FC0), rounded).astype(np.uint16)


def halves(**names: str):
    """Inputs as `floats` makes them, of half precision."""
    single = floats(**names)
    return lambda rng, sizes: {name: array.astype(np.float16) for name, array in single(rng, sizes).items()}


def summed(a: Arrays, s: Sizes, dtype: type) -> np.ndarray:
    """Term by term, each product and each sum of this type."""
    x, y = a["a"].astype(dtype), a["b"].astype(dtype)
    total = np.zeros((s["M"], s["N"]), dtype)
    for k in range(s["K"]):
        total = total + x[:, k : k + 1] * y[k : k + 1]
    return total.astype(np.float16)


def layer(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    single = floats(w="M, N", b="M", x="N")(rng, sizes)
    return {name: array if name == "x" else array.astype(np.float16) for name, array in single.items()}


def activated(a: Arrays, _: Sizes) -> np.ndarray:
    total = np.zeros(len(a["b"]), np.float32)
    for j, x in enumerate(a["x"]):
        total = total + a["w"][:, j].astype(np.float32) * x
    return np.maximum(a["b"].astype(np.float32) + total, 0)


def as_bf16(a: Arrays, _: Sizes) -> np.ndarray:
    return bf16(a["x"])


MATRICES = grid(M=[0, 1, 3, 17], K=[0, 1, 5, 37], N=[1, 3, 16, 19])
VECTORS = [{"N": n} for n in (0, 1, 3, 64, 129)]
CASES = [
    Case("halves.atl", "half_matmul", halves(a="M, K", b="K, N"), lambda a, s: summed(a, s, np.float32), MATRICES, tolerance=0),
    Case("halves.atl", "half_matmul_rounded", halves(a="M, K", b="K, N"), lambda a, s: summed(a, s, np.float16), MATRICES, tolerance=0),
    Case("halves.atl", "half_layer", layer, activated, [{"M": m, "N": n} for m, n in ((0, 3), (1, 1), (3, 0), (17, 37))], tolerance=1e-6, result="float32"),
    Case("halves.atl", "bf16_error", floats(x="N"), lambda a, s: (as_bf16(a, s).astype(np.uint32) << 16).view(np.float32) - a["x"], VECTORS, tolerance=0),
]
