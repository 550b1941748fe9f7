"""Arrays that are made of sizes: what `np.arange(N)`, `np.zeros((N, M))` and their like are, for which NumPy wants numbers."""

from __future__ import annotations

from typing import Any

from ..errors import refusal
from .expr import Expr, as_expr, divide, is_condition, where
from .scopes import SCOPES
from .types import f64, i64
from .views import bind, fresh, number, term

__all__ = ["arange", "eye", "full", "linspace", "ones", "zeros"]


def element_type(dtype: Any) -> Any:
    from .shapes import element_type as found  # which a program without arrays does without

    return found(dtype)


def axes(shape: Any, what: str) -> Any:
    """An index for each axis of a new array."""
    if not SCOPES.open:
        raise refusal(f"`atl.{what}` outside of a traced function", help=f"of numbers that Python knows, `np.{what}` makes an array")
    return fresh(tuple(as_expr(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,))))


def full(shape: Any, value: Any, dtype: Any = None) -> Expr:
    """An array of one number: ``np.full((N, M), 2.0)`` of sizes."""
    e = as_expr(value)
    if dtype is None:
        kind = type(e.args[0]) if e.op == "number" else None
        dtype = e.elem if kind is None else {bool: bool, int: i64, float: f64, complex: "complex128"}[kind]
        dtype = "bool" if kind is None and is_condition(e) else i64 if dtype is None else dtype
    return bind("gen", axes(shape, "full"), element_type(dtype)(value), "filled")


def zeros(shape: Any, dtype: Any = f64) -> Expr:
    """An array of zeros: ``np.zeros((N, M))`` of sizes."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = f64) -> Expr:
    """An array of ones: ``np.ones((N, M))`` of sizes."""
    return full(shape, 1, dtype)


def arange(start: Any, stop: Any = None, step: int = 1, dtype: Any = i64) -> Expr:
    """Whole numbers in order: ``np.arange(N)`` of a size."""
    low, high = (0, start) if stop is None else (start, stop)
    if type(step) is not int or step < 1 or any(as_expr(e).elem is not None or type(as_expr(e).args[0]) is float for e in (low, high)):
        raise refusal("`atl.arange` of other than sizes and whole numbers", help="the step is 1, 2, ..; multiply: `0.5 * atl.arange(N)`")
    extent = term("max", term("-", high, low), 0)
    (i,) = axes(term("/", term("+", extent, step - 1), step) if step > 1 else extent, "arange")
    return bind("gen", (i,), element_type(dtype)(as_expr(term("+", term("*", i, step), low))), "filled")


def linspace(start: Any, stop: Any, num: Any) -> Expr:
    """Numbers at equal distances, both ends included: ``np.linspace(0, 1, N)`` of a size."""
    (i,) = axes(num, "linspace")
    low, high = f64(start), f64(stop)
    last = as_expr(term("-", num, 1))
    between = low + f64(i) * divide(high - low, f64(as_expr(term("max", last, 1))))
    return bind("gen", (i,), where((i == last) & (i > 0), high, between), "filled")


def eye(rows: Any, columns: Any = None, k: int = 0, dtype: Any = f64) -> Expr:
    """Ones on a diagonal, else zeros: ``np.eye(N)`` of a size."""
    if number(k) is None:
        raise refusal("`atl.eye` of a diagonal that is not a number", help="compare indices: `gen(atl.where(j == i + K, 1.0, 0.0) for i in N for j in M)`")
    i, j = axes((rows, rows if columns is None else columns), "eye")
    elem = element_type(dtype)
    return bind("gen", (i, j), where(j == term("+" if k >= 0 else "-", i, abs(k)), elem(1), 0), "filled")
