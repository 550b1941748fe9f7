"""Programs that use constants, generic functions and the standard library."""

import numpy as np

from .case import PICTURES, ROWS, Arrays, Case, Sizes, doubles, floats, pairs
from .integers import integers


def contrast(a: Arrays, _: Sizes) -> np.ndarray:
    if not a["img"].size:
        return a["img"]
    padded = np.pad(a["img"], 1, mode="edge")
    clean = np.median(np.lib.stride_tricks.sliding_window_view(padded, (3, 3)), axis=(2, 3)).astype(int)
    return clean * clean // 255


def peaks(a: Arrays, _: Sizes) -> np.ndarray:
    padded = np.pad(a["x"], 2)
    weights = (1, 4, 6, 4, 1)
    smooth = sum(w * padded[k : k + len(a["x"])] for k, w in enumerate(weights)) / 16
    return np.maximum(a["x"] - smooth, 0)


def details(a: Arrays, _: Sizes) -> np.ndarray:
    img = a["img"]
    if not img.size:
        return img
    weights = np.exp(-0.5 * (np.arange(-6, 7) / 2) ** 2)
    weights /= weights.sum()
    soft = np.apply_along_axis(lambda row: np.convolve(np.pad(row, 6, mode="edge"), weights, "valid"), 1, img)
    return img - np.apply_along_axis(lambda row: np.convolve(np.pad(row, 6, mode="edge"), weights, "valid"), 0, soft)


CASES = [
    Case("library.atl", "contrast", integers(img="u8 H, W"), contrast, pairs("H", "W", *PICTURES), tolerance=0, result="u1"),
    Case("library.atl", "peaks", doubles(x="N"), peaks, ROWS, tolerance=1e-13),
    Case("library.atl", "details", floats(img="H, W"), details, pairs("H", "W", *PICTURES)),
]
