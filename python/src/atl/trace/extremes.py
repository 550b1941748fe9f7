"""The larger and the smaller of two numbers: as a program's `max` and `min` are, and as NumPy's `maximum` and `minimum`."""

from __future__ import annotations

from typing import Any

from .expr import Expr, alike, as_expr, binary, both, is_condition, is_float, is_integer, where

__all__ = ["better", "extreme", "first_nan", "is_simple", "lowest", "propagated"]


def extreme(name: str, a: Any, b: Any) -> Expr:
    """The larger or the smaller of two; a NaN of the first one stays, and one of the second is left out."""
    if is_condition(as_expr(a)) and is_condition(as_expr(b)):
        return both("", "||" if name == "max" else "&&", a, b)
    x, y = alike(a, b)
    if x.op == "number" and is_float(y):
        x, y = y, x
    is_ix = all(e.sort == "ix" or e.op == "number" and type(e.args[0]) is int for e in (x, y))
    return Expr("call", (name, (x, y)), "ix" if is_ix else "value", x.elem or y.elem, x.shape or y.shape)


def propagated(name: str, a: Any, b: Any) -> Expr:
    """The same, and a NaN where one of the two is, as NumPy's `maximum` and `minimum` are."""
    x, y = alike(a, b)
    if not is_float(x) and not is_float(y):
        return extreme(name, a, b)
    if not is_simple(y) and is_simple(x):
        # What is compared with itself is written twice.
        x, y = y, x
    if y.op == "number" and may_be_nan(y):
        return binary("+", x, y)
    found = extreme(name, x, y)
    return where(y != y, y, found) if may_be_nan(y) and may_be_nan(x) else extreme(name, y, x) if may_be_nan(y) else found


def lowest(e: Expr, sign: int) -> Any:
    """The least number of a type, or the greatest."""
    if is_condition(e):
        return sign < 0
    if not is_integer(e):
        return -sign * float("inf")
    kind, bits = e.elem.name[0], int(e.elem.name[1:])
    below = 1 << (bits - 1) if kind == "i" else 0
    return -below if sign > 0 else (1 << bits) - 1 - below


def is_simple(e: Expr) -> bool:
    """Is it one number that is read?"""
    return e.op in ("number", "name", "let", "state") or e.op == "read"


def may_be_nan(e: Expr) -> bool:
    """Can a float be a NaN? Literals, indices and what was an integer are none."""
    if e.op == "call" and e.elem is not None and e.args[0] == getattr(e.elem, "name", None) and len(e.args[1]) == 1:
        return may_be_nan(e.args[1][0])
    return e.args[0] != e.args[0] if e.op == "number" else is_float(e)


def better(word: str, e: Expr, s: Expr) -> Expr:
    """Is a number more than another one, or less; or is it the first NaN?"""
    if not is_float(e):
        return as_expr(e > s if word == "max" else e < s)
    # A NaN is neither more nor less.
    return as_expr(~as_expr(e <= s if word == "max" else e >= s) & (s == s))


def first_nan(word: str, s: Expr, e: Expr) -> Expr:
    """The larger or the smaller of two, and a NaN where there is one."""
    if not is_float(e):
        return extreme(word, s, e)
    return where((e > s if word == "max" else e < s) | (e != e), e, s)
