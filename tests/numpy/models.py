"""Models of functions of the standard library, by NumPy and SciPy, where these have no function of the same meaning."""

from typing import Callable

import numpy as np
import scipy.ndimage as nd
import scipy.special as sp


def softmax(x: np.ndarray) -> np.ndarray:
    return sp.softmax(x, axis=1) if x.size else x


def layer_norm(x: np.ndarray, g: np.ndarray, b: np.ndarray) -> np.ndarray:
    if not x.size:
        return x
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-3) * g + b


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return softmax(q @ k.T / np.sqrt(q.shape[1])) @ v


def conv2d(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(1, 2))
    return np.einsum("chwab,ocab->ohw", windows, w)


def blocks(x: np.ndarray) -> np.ndarray:
    c, h, w = x.shape[0], x.shape[1] // 2, x.shape[2] // 2
    return x[:, : 2 * h, : 2 * w].reshape(c, h, 2, w, 2)


def equalize(x: np.ndarray) -> np.ndarray:
    if not x.size:
        return x
    below = np.cumsum(np.bincount(x.ravel(), minlength=256))
    first = below[below > 0][0]
    scale = 255.0 / max(x.size - first, 1)
    return np.round(np.maximum(below - first, 0) * scale).astype(np.uint8)[x]


def neighbours(of: Callable[..., np.ndarray], **more) -> Callable[[np.ndarray], object]:
    """An operation of SciPy on windows, which takes no empty picture."""
    return lambda x: of(x, mode="nearest", **more) if x.size else x


def sobel(x: np.ndarray) -> object:
    wide = x.astype(np.int64) if x.dtype.kind in "iu" else x
    return tuple((nd.sobel(wide, axis=k, mode="nearest") if x.size else wide).astype(x.dtype) for k in (0, 1))


def nearest(x: np.ndarray) -> np.ndarray:
    rows = (2 * np.arange(7) + 1) * x.shape[0] // 14
    columns = (2 * np.arange(5) + 1) * x.shape[1] // 10
    return x[np.ix_(rows, columns)]


def resize(x: np.ndarray) -> np.ndarray:
    """As PyTorch's `interpolate` has it, without `align_corners`."""
    for axis, n in ((0, 7), (1, 5)):
        size = x.shape[axis]
        at = np.maximum((np.arange(n) + 0.5) * size / n - 0.5, 0)
        low = at.astype(int)
        part = (at - low).reshape((-1, 1) if axis == 0 else (1, -1))
        x = (1 - part) * x.take(low, axis) + part * x.take(np.minimum(low + 1, size - 1), axis)
    return x


def warped(mode: str) -> Callable[..., np.ndarray]:
    return lambda x, a: nd.affine_transform(x.astype(np.float64), a[:, :2], a[:, 2], (7, 5), order=1, mode=mode)


def bayer(dy: int, dx: int) -> Callable[[np.ndarray], np.ndarray]:
    """Sums of neighbours that have the colour, by SciPy's convolution, mirrored."""
    cross, all_round = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]]) / 4, np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 4

    def of(x: np.ndarray) -> np.ndarray:
        y, z = np.add.outer(np.arange(x.shape[0]), 0 * np.arange(x.shape[1])) + dy, np.arange(x.shape[1]) + dx
        red, blue = (y % 2 == 0) & (z % 2 == 0), (y % 2 == 1) & (z % 2 == 1)
        planes = [(red, all_round), ((y + z) % 2 == 1, cross), (blue, all_round)]
        return np.stack([nd.convolve(np.where(has, x, 0), k, mode="mirror") for has, k in planes], -1)

    return of


BT601 = np.array([[0.299, 0.587, 0.114], [-0.299 / 1.772, -0.587 / 1.772, 0.5], [0.5, -0.587 / 1.402, -0.114 / 1.402]])


def eight_bits(scales: list[float], shifts: list[float], inverse: bool) -> Callable[[np.ndarray], np.ndarray]:
    """Eight bits of Y, Cb, Cr by a matrix, or of the colours by its inverse."""

    def of(x: np.ndarray) -> np.ndarray:
        found = (x - np.array(shifts)) / scales * 255 @ np.linalg.inv(BT601).T if inverse else x / 255 @ BT601.T * scales + shifts
        return np.clip(np.round(found), 0, 255).astype(np.uint8)

    return of


def stft(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    frames = np.lib.stride_tricks.sliding_window_view(x, w.size)[::3]
    return np.fft.rfft(frames * w, axis=1)


def topk(sign: int) -> Callable[[np.ndarray], object]:
    def of(x: np.ndarray) -> object:
        at = np.argsort(sign * x.astype(np.float64), kind="stable")[:3]
        return x[at], at

    return of


def log_softmax(x: np.ndarray) -> np.ndarray:
    return sp.log_softmax(x, axis=1) if x.size else x


def selu(x: np.ndarray) -> np.ndarray:
    return 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x)


def bits_of(x: np.ndarray) -> list[list[int]]:
    """The bits of numbers, the lowest first."""
    return [[int(v) >> k & 1 for k in range(8 * x.itemsize)] for v in x]


def of_bits(bits: list[list[int]], dtype: np.dtype) -> np.ndarray:
    whole = [sum(b << k for k, b in enumerate(own)) for own in bits]
    return np.array(whole, np.uint64).astype(f"u{np.dtype(dtype).itemsize}").view(dtype)


def by_bits(of: Callable[..., list[int]], result: object = None) -> Callable[..., np.ndarray]:
    """A function of the bits of a number and of the other numbers."""
    return lambda x, *more: of_bits([of(b, *own) for b, *own in zip(bits_of(x), *more)], result or x.dtype)


def exactly(of: Callable[..., int]) -> Callable[..., np.ndarray]:
    """A function of integers of any size, element by element, clamped."""

    def clamped(x: np.ndarray, *more: np.ndarray) -> np.ndarray:
        info = np.iinfo(x.dtype)
        whole = [min(max(of(*(int(v) for v in own)), info.min), info.max) for own in zip(x, *more)]
        return np.array(whole, x.dtype)

    return clamped


def next_power(x: np.ndarray) -> np.ndarray:
    powers = [1 if v <= 1 else 1 << (int(v) - 1).bit_length() for v in x]
    return np.array([p if p <= np.iinfo(x.dtype).max else 0 for p in powers], x.dtype)


def from_gray(bits: list[int]) -> list[int]:
    return list(np.cumsum(bits[::-1])[::-1] % 2)


def modulo(of: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Integers wrap around, as NumPy's do when the type is kept."""
    return lambda *a: np.asarray(of(*(x.astype(np.int64) if x.dtype.kind in "iu" else x for x in a))).astype(a[0].dtype)


MASK = 2**32 - 1


def philox(counter: list[int], key: list[int]) -> list[int]:
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & MASK, a >> 32 ^ c[3] ^ k[1], a & MASK]
        k = [k[0] + 0x9E3779B9 & MASK, k[1] + 0xBB67AE85 & MASK]
    return c


def words(n: int) -> np.ndarray:
    found = [w for b in range(-(-n // 4)) for w in philox([b, 0, 0, 0], [7, 11])]
    return np.array(found[:n], dtype=np.uint32)


def uniform(n: int) -> np.ndarray:
    return (words(n) >> 8).astype(np.float32) * np.float32(2**-24)


def normal(n: int) -> np.ndarray:
    w = (words(2 * n) >> 8).astype(np.float64) * 2**-24
    return (np.sqrt(-2 * np.log(w[::2] + 2**-24)) * np.cos(2 * np.pi * w[1::2])).astype(np.float32)


def segmented(x: np.ndarray) -> tuple[bool, float]:
    starts = np.flatnonzero(x > 0.5)
    return starts.size > 0, x[starts[-1] if starts.size else 0 :].sum()


def affine(x: np.ndarray, y: np.ndarray) -> tuple[object, object]:
    m, c = x.dtype.type(1), x.dtype.type(0)
    for own, more in zip(x, y):
        m, c = own * m, own * c + more
    return m, c


def wrapping(x: np.ndarray, y: np.ndarray) -> tuple[object, object]:
    with np.errstate(over="ignore"):
        return affine(x.astype(np.uint64), y.astype(np.uint64))


def but_one(x: np.ndarray, y: np.ndarray) -> float:
    """The sum of the products with one factor of `y` in place of that of `x`."""
    return sum(np.prod(x[:k]) * y[k] * np.prod(x[k + 1 :]) for k in range(x.size))


def through_matrices(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    whole = np.eye(2)
    for a, b in zip(x, y):
        whole = whole @ np.array([[a, b], [1, 0.5]])
    return tuple(whole.ravel())


def first_two(x: np.ndarray, sign: int) -> tuple[object, ...]:
    """The two least numbers, or the two greatest of them, with their places."""
    first, second = np.argsort(sign * x, kind="stable")[:2]
    return x[first], first, x[second], second
