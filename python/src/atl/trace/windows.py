"""Windows that slide along axes, and sums of products with one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import refusal
from .composed import ARRAYS
from .expr import Expr, array_function, as_expr
from .scopes import SCOPES
from .shapes import array, convolve, flip
from .views import bind, fresh, number, term

__all__ = ["ARRAYS"]


def sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Expr:
    """The windows of some elements along axes: an axis of places for each of these, and one more for what is in a window."""
    x = array(x, "sliding_window_view")
    lengths = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    axes = range(len(x.shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = len(x.shape)
    if len(lengths) != len(axes) or any(type(a) is not int or not -rank <= a < rank for a in axes):
        raise refusal(
            f"windows of {len(lengths)} axes along {len(axes)} axes of an array that has {rank}",
            help="give a length for each axis: `sliding_window_view(x, 3, axis=-1)`, `sliding_window_view(img, (3, 3))`",
        )
    extents = list(x.shape)
    for a, length in zip(axes, lengths):
        w, n = number(length), number(extents[a])
        if w is None and getattr(length, "sort", "value") != "ix" or w is not None and (w < 0 or n is not None and w > n):
            raise refusal(f"windows of {length!r} elements along an axis of {extents[a]!r}", help="give a number or a size that the axis has")
        if w is None or n is None:
            SCOPES.open[0].needs.append(as_expr(extents[a] >= as_expr(length)))
        extents[a] = as_expr(term("+", term("-", extents[a], length), 1))
    of = fresh(tuple(extents))
    within = fresh(tuple(map(as_expr, lengths)))
    terms: list[Any] = list(of)
    for a, k, name in zip(axes, within, "uvwpqr"):
        k.name = name
        terms[a] = term("+", terms[a], k)
    return bind("gen", (*of, *within), Expr("read", (x, tuple(map(as_expr, terms)), None), "value", x.elem), "view")


def correlate(a: Any, v: Any, mode: str = "valid") -> Expr:
    """The sums of products with another array, moved along: a convolution with its reverse."""
    if mode == "same":
        # Of a longer `v` NumPy takes other places.
        n, k = (e.shape[0] if isinstance(e, Expr) and e.shape else as_expr(len(e)) for e in (a, v))
        if number(n) is None or number(k) is None:
            SCOPES.open[0].needs.append(as_expr(n >= k))
        elif (number(n) or 0) < (number(k) or 0):
            raise refusal("`np.correlate` with a longer array and `mode='same'`", help="exchange the two, and reverse the result")
    reverse = flip(array_function("conj", v), 0) if isinstance(v, Expr) else np.conj(np.asarray(v))[::-1]
    return convolve(a, reverse, mode)


ARRAYS.update(sliding_window_view=sliding_window_view, correlate=correlate)
