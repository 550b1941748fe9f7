"""NumPy's functions that go element by element, and their methods `outer`, `reduce` and `accumulate`."""

from __future__ import annotations

from typing import Any, Callable

from ..errors import refusal
from .arrays import ARRAYS, clip
from .expr import (
    Expr, alike, array_function, as_expr, binary, both, compare, divide, extreme, floor_divide, is_complex,
    is_condition, is_float, real_type, remainder, where,
)  # fmt: skip
from .functions import FUNCTIONS, abs_, acos, asin, atan, atan2, exp, log1p, popcount, pow, round
from .types import i8

__all__ = ["METHODS", "UFUNCS"]


def truth(x: Any) -> Expr:
    """A condition: a number that is not zero is true."""
    e = as_expr(x)
    return e if is_condition(e) else compare("!=", e, 0)


def negation(x: Any) -> Expr:
    return ~truth(x)


def is_nan(x: Any) -> Expr:
    return compare("!=", x, x)


def is_inf(x: Any) -> Expr:
    return compare("==", abs_(x), float("inf"))


def is_finite(x: Any) -> Expr:
    # A NaN is not less than anything.
    return abs_(x) < float("inf")


def other(word: str) -> Callable[[Any, Any], Expr]:
    """The larger or the smaller of two; where one is a NaN, the other one."""

    def of(a: Any, b: Any) -> Expr:
        x, y = alike(a, b)
        return where(is_nan(x), y, extreme(word, x, y)) if is_float(x) or is_float(y) else extreme(word, x, y)

    return of


def heaviside(x: Any, at_zero: Any) -> Expr:
    x, y = alike(x, at_zero)
    return where(x > 0, 1.0, where(x < 0, 0.0, where(x == 0, y, x)))


def logaddexp(a: Any, b: Any) -> Expr:
    x, y = alike(a, b)
    return where(x == y, x + 0.6931471805599453, extreme("max", x, y) + log1p(exp(-abs_(x - y))))


def conjugate(x: Any) -> Expr:
    e = as_expr(x)
    return Expr("call", ("conj", (e,)), "value", e.elem, e.shape) if is_complex(e) else e


def part(name: str) -> Callable[[Any], Expr]:
    """The real or the imaginary part of numbers."""

    def of(x: Any) -> Expr:
        e = as_expr(x)
        if not is_complex(e):
            return e if name == "re" else e * 0
        return Expr("call", (name, (e,)), "value", real_type(e), e.shape)

    return of


def angle(x: Any) -> Expr:
    """The angle of complex numbers."""
    e = as_expr(x)
    if not is_complex(e):
        return where(e < 0, 3.141592653589793, 0.0 * e)
    return Expr("call", ("arg", (e,)), "value", real_type(e), e.shape)


def rounded(x: Any, decimals: Any = 0) -> Expr:
    """To whole numbers, halves to even ones."""
    if decimals == 0:
        return round(x)
    scale = float(10 ** abs(decimals))
    return round(x * scale) / scale if decimals > 0 else round(x / scale) * scale


def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Expr:
    """Numbers without NaN and infinities."""
    e = as_expr(x)
    if not is_float(e):
        return e
    most = {"f16": 65504.0, "f32": 3.4028234663852886e38}.get(str(e.elem), 1.7976931348623157e308)
    high, low = (most if posinf is None else posinf), (-most if neginf is None else neginf)
    return where(is_nan(e), nan, where(e == float("inf"), high, where(e == -float("inf"), low, e)))


#: What functions of NumPy's are of symbols.
UFUNCS: dict[str, Any] = {
    "add": lambda a, b: binary("+", a, b),
    "subtract": lambda a, b: binary("-", a, b),
    "multiply": lambda a, b: binary("*", a, b),
    "divide": divide,
    "floor_divide": floor_divide,
    "divmod": lambda a, b: (floor_divide(a, b), remainder(a, b)),
    "bitwise_and": lambda a, b: both("&", "&&", a, b),
    "bitwise_or": lambda a, b: both("|", "||", a, b),
    "bitwise_xor": lambda a, b: both("^", "!=", a, b),
    "invert": lambda a: ~as_expr(a),
    "left_shift": lambda a, b: binary("<<", a, b),
    "right_shift": lambda a, b: binary(">>", a, b),
    "logical_and": lambda a, b: truth(a) & truth(b),
    "logical_or": lambda a, b: truth(a) | truth(b),
    "logical_xor": lambda a, b: truth(a) ^ truth(b),
    "logical_not": negation,
    "negative": lambda a: -a,
    "positive": as_expr,
    "power": lambda a, b: as_expr(a) ** b,
    "square": lambda a: (e := i8(a) if is_condition(as_expr(a)) else a) * e,
    "reciprocal": lambda a: 1.0 / a,
    "remainder": remainder,
    "matmul": lambda a, b: array_function("dot", a, b),
    "maximum": lambda a, b: extreme("max", a, b),
    "minimum": lambda a, b: extreme("min", a, b),
    "fmax": other("max"),
    "fmin": other("min"),
    "heaviside": heaviside,
    "logaddexp": logaddexp,
    "conjugate": conjugate,
    "isnan": is_nan,
    "isinf": is_inf,
    "isfinite": is_finite,
    "deg2rad": lambda x: x * (3.141592653589793 / 180.0),
    "radians": lambda x: x * (3.141592653589793 / 180.0),
    "rad2deg": lambda x: x * (180.0 / 3.141592653589793),
    "degrees": lambda x: x * (180.0 / 3.141592653589793),
    "clip": clip,
    "less": lambda a, b: compare("<", a, b),
    "less_equal": lambda a, b: compare("<=", a, b),
    "greater": lambda a, b: compare(">", a, b),
    "greater_equal": lambda a, b: compare(">=", a, b),
    "equal": lambda a, b: compare("==", a, b),
    "not_equal": lambda a, b: compare("!=", a, b),
    **FUNCTIONS,
    # NumPy's names where they are others.
    "absolute": abs_, "fabs": abs_, "arccos": acos, "arcsin": asin, "arctan": atan, "arctan2": atan2, "float_power": pow, "rint": round,
    "bitwise_count": popcount,
}  # fmt: skip

#: The reductions of functions of two numbers, and the sums and products of the first elements.
REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"}
ACCUMULATIONS = {"add": "cumsum", "multiply": "cumprod"}


def outer(name: str, made: Callable[..., Any], a: Any, b: Any) -> Any:
    x, y = as_expr(a), as_expr(b)
    return made(x[(..., *[None] * len(y.shape))] if x.shape else x, y)


def of_method(known: dict[str, str], word: str) -> Callable[..., Any]:
    def of(name: str, made: Callable[..., Any], x: Any, axis: Any = 0) -> Any:
        from .shapes import OF_METHODS

        if (name, word) in OF_METHODS:
            return OF_METHODS[name, word](x, axis)
        if name not in known:
            names = [*known, *(n for n, method in OF_METHODS if method == word)]
            raise refusal(f"`np.{name}.{word}` of symbols", help="there is this of " + ", ".join(f"`np.{n}`" for n in names))
        return array_function(known[name], x, axis=axis)

    return of


#: A call of such a function, and its methods.
METHODS: dict[str, Callable[..., Any]] = {
    "__call__": lambda name, made, *inputs: made(*inputs),
    "outer": outer,
    "reduce": of_method(REDUCTIONS, "reduce"),
    "accumulate": of_method(ACCUMULATIONS, "accumulate"),
}

ARRAYS.update(
    round=rounded, around=rounded, nan_to_num=nan_to_num, real=part("re"), imag=part("im"), angle=angle, conj=conjugate, conjugate=conjugate,
    fix=FUNCTIONS["trunc"], isclose=lambda a, b, rtol=1e-5, atol=1e-8: abs_(as_expr(a) - b) <= atol + rtol * abs_(b),
    allclose=lambda a, b, rtol=1e-5, atol=1e-8: array_function("all", abs_(as_expr(a) - b) <= atol + rtol * abs_(b)),
)  # fmt: skip
