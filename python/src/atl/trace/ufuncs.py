"""NumPy's functions that go element by element, and their methods `outer`, `reduce` and `accumulate`."""

from __future__ import annotations

import cmath
import operator
from typing import Any, Callable

from ..errors import refusal
from .arrays import ARRAYS, clip, reduced
from .expr import (
    Expr, alike, array_function, as_expr, binary, both, compare, divide, floor_divide, is_complex,
    is_condition, is_float, is_integer, real_type, remainder, where,
)  # fmt: skip
from .extremes import extreme, propagated
from .functions import FUNCTIONS, abs_, acos, asin, atan, atan2, erfc, exp, floats, fmod, log, log1p, popcount, pow, round
from .types import bool_, c128, f16, f64, i64, i8, u8

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
    if is_complex(as_expr(x)):
        return is_inf(part("re")(x)) | is_inf(part("im")(x))
    return compare("==", abs_(x), float("inf"))


def is_finite(x: Any) -> Expr:
    if is_complex(as_expr(x)):
        return is_finite(part("re")(x)) & is_finite(part("im")(x))
    # A NaN is not less than anything.
    return abs_(x) < float("inf")


def is_close(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Expr:
    """Are numbers nearly equal? Equal infinities are, too."""
    x, y = as_expr(a), as_expr(b)
    if y.op == "number":
        number = y.args[0] if type(y.args[0]) is complex else float(y.args[0])
        near = abs_(x - number) <= atol + rtol * abs(number) if cmath.isfinite(number) else x == number
        return as_expr(near | (x == number))
    y = f64(y) if is_integer(y) or is_condition(y) else y
    near = (abs_(x - y) <= atol + rtol * abs_(y)) & is_finite(y) | (x == y)
    return as_expr(near | is_nan(x) & is_nan(y) if equal_nan else near)


def other(word: str) -> Callable[[Any, Any], Expr]:
    """The larger or the smaller of two; where one is a NaN, the other one."""

    def of(a: Any, b: Any) -> Expr:
        x, y = alike(a, b)
        if x.op == "number":
            x, y = y, x
        return where(is_nan(x), y, extreme(word, x, y)) if is_float(x) or is_float(y) else extreme(word, x, y)

    return of


def heaviside(x: Any, at_zero: Any) -> Expr:
    x, y = floats(x, at_zero)
    return where(x > 0, 1.0, where(x < 0, 0.0, where(x == 0, y, x)))


def logaddexp(a: Any, b: Any) -> Expr:
    x, y = floats(a, b)
    return where(x == y, x + 0.6931471805599453, extreme("max", x, y) + log1p(exp(-abs_(x - y))))


def conjugate(x: Any) -> Expr:
    e = as_expr(x)
    if is_condition(e):
        return i8(e)
    return Expr("call", ("conj", (e,)), "value", e.elem, e.shape) if is_complex(e) else e


def part(name: str) -> Callable[[Any], Expr]:
    """The real or the imaginary part of numbers."""

    def of(x: Any) -> Expr:
        e = as_expr(x)
        if not is_complex(e):
            return e if name == "re" else array_function("zeros_like", e) if e.shape else type_of(e)(0)
        return Expr("call", (name, (e,)), "value", real_type(e), e.shape)

    return of


def angle(x: Any) -> Expr:
    """The angle of complex numbers; of real ones 0, or pi where the sign is negative."""
    e = as_expr(x)
    if not is_complex(e):
        return atan2(0, e)
    return Expr("call", ("arg", (e,)), "value", real_type(e), e.shape)


def rounded(x: Any, decimals: Any = 0) -> Expr:
    """To whole numbers, halves to even ones."""
    e = as_expr(x)
    if decimals == 0:
        return round(f16(e)) if is_condition(e) else round(e)
    scale = float(10 ** abs(decimals))
    if is_condition(e) or is_integer(e) and decimals < 0 and str(e.elem) in ("u32", "i64", "u64"):
        raise refusal(f"`{e.elem}` rounded to {decimals} decimals", help=f"convert: `np.round(f64(x), {decimals})`")
    if is_integer(e):
        # Integers that are too large for the type wrap.
        return e if decimals > 0 else e.elem(i64(round(f64(e) / scale) * scale))
    return round(x * scale) / scale if decimals > 0 else round(x / scale) * scale


def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Expr:
    """Numbers without NaN and infinities."""
    e = as_expr(x)
    if not is_float(e):
        return e
    if is_complex(e):
        real, imag = (nan_to_num(part(name)(e), nan, posinf, neginf) for name in ("re", "im"))
        return as_expr(e.elem(real, imag))
    most = {"f16": 65504.0, "f32": 3.4028234663852886e38}.get(str(e.elem), 1.7976931348623157e308)
    high, low = (most if posinf is None else posinf), (-most if neginf is None else neginf)
    # Numbers of NumPy's have no type of their own here.
    nan, high, low = map(as_expr, (nan, high, low))
    return where(is_nan(e), nan, where(e == float("inf"), high, where(e == -float("inf"), low, e)))


def type_of(e: Expr) -> Any:
    return bool_ if is_condition(e) else e.elem


def of_floats(made: Callable[..., Expr]) -> Callable[..., Expr]:
    """A function of real numbers that gives floats of integers, too."""

    def of(x: Any) -> Expr:
        (e,) = floats(x)
        if is_complex(e):
            raise refusal("a function of real numbers of complex ones", help="take a part: `z.real`, `z.imag`, `abs(z)`")
        return made(e)

    return of


def float_power(a: Any, b: Any) -> Expr:
    """A power in the widest type of floats, whatever the operands are."""
    x, y = as_expr(a), as_expr(b)
    wide = c128 if is_complex(x) or is_complex(y) else f64
    return pow(*(e if e.op == "number" else wide(e) for e in (x, y)))


def reciprocal(x: Any) -> Expr:
    e = as_expr(x)
    if is_integer(e) or is_condition(e):
        raise refusal(
            "`np.reciprocal` of integers",
            note="in NumPy it is an integer: 0, but of 1 and -1",
            help="write `1 / x`, which is a float",
        )
    return 1.0 / e


def rest(a: Any, b: Any) -> Expr:
    """What a division that rounds to zero leaves."""
    x, y = alike(a, b)
    if is_condition(x) and is_condition(y):
        x, y = i8(x), i8(y)
    if not is_integer(x) and not is_integer(y):
        return fmod(x, y)
    found = remainder(x, y)
    if any(str(e.elem).startswith("u") for e in (x, y)):
        return found
    return where((found != 0) & ((x < 0) != (y < 0)), found - y, found)


def bit_count(x: Any) -> Expr:
    """How many bits an integer without its sign has."""
    e = as_expr(x)
    if is_condition(e):
        return u8(e)
    if not is_integer(e):
        raise refusal("`np.bitwise_count` of other than integers", help="convert: `np.bitwise_count(i64(x))`")
    return u8(popcount(e if str(e.elem).startswith("u") else abs_(e)))


def expit(x: Any) -> Expr:
    """The logistic function; nothing overflows."""
    (e,) = floats(x)
    part = exp(-abs_(e))
    return where(e < 0, part / (1 + part), 1 / (1 + part))


def logit(x: Any) -> Expr:
    (e,) = floats(x)
    return log(e / (1 - e))


def xlogy(x: Any, y: Any) -> Expr:
    """``x log(y)``, and 0 where ``x`` is 0 and ``y`` no NaN."""
    a, b = floats(x, y)
    return where((a == 0) & (b == b), 0.0, a * log(b))


def entr(x: Any) -> Expr:
    """``-x log(x)``."""
    (e,) = floats(x)
    return where(e > 0, -e * log(e), where(e == 0, 0.0, where(e < 0, -float("inf"), e)))


def ndtr(x: Any) -> Expr:
    """How probable a normal number below this one is."""
    (e,) = floats(x)
    return 0.5 * erfc(e * -0.7071067811865476)


#: What functions of NumPy's, and of SciPy's, are of symbols.
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
    "power": operator.pow,
    "square": lambda a: (e := i8(a) if is_condition(as_expr(a)) else a) * e,
    "reciprocal": reciprocal,
    "remainder": remainder,
    "matmul": lambda a, b: array_function("dot", a, b),
    "maximum": lambda a, b: propagated("max", a, b),
    "minimum": lambda a, b: propagated("min", a, b),
    "fmax": other("max"),
    "fmin": other("min"),
    "heaviside": heaviside,
    "expit": expit,
    "logit": logit,
    "xlogy": xlogy,
    "entr": entr,
    "ndtr": ndtr,
    "logaddexp": logaddexp,
    "conjugate": conjugate,
    "isnan": is_nan,
    "isinf": is_inf,
    "isfinite": is_finite,
    "deg2rad": of_floats(lambda x: x * (3.141592653589793 / 180.0)),
    "radians": of_floats(lambda x: x * (3.141592653589793 / 180.0)),
    "rad2deg": of_floats(lambda x: x * (180.0 / 3.141592653589793)),
    "degrees": of_floats(lambda x: x * (180.0 / 3.141592653589793)),
    "clip": clip,
    "less": lambda a, b: compare("<", a, b),
    "less_equal": lambda a, b: compare("<=", a, b),
    "greater": lambda a, b: compare(">", a, b),
    "greater_equal": lambda a, b: compare(">=", a, b),
    "equal": lambda a, b: compare("==", a, b),
    "not_equal": lambda a, b: compare("!=", a, b),
    **FUNCTIONS,
    # NumPy's names where they are others.
    "absolute": abs_, "fabs": of_floats(abs_), "arccos": acos, "arcsin": asin, "arctan": atan, "arctan2": atan2, "float_power": float_power,
    "rint": of_floats(round), "bitwise_count": bit_count, "fmod": rest,
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
            known_of = "there is this of " + ", ".join(f"`np.{n}`" for n in names)
            step = f"np.{name}(s, x[t])"
            written = f"`atl.scan(N, lambda t, s: {step}, start)[1:]`" if word == "accumulate" else f"`atl.iterate(N, lambda t, s: {step}, start)`"
            raise refusal(f"`np.{name}.{word}` of symbols", help=f"{known_of}; of others write the steps: {written}")
        return array_function(known[name], x, axis=axis)

    return of


#: A call of such a function, and its methods.
METHODS: dict[str, Callable[..., Any]] = {
    "__call__": lambda name, made, *inputs: made(*inputs),
    "outer": outer,
    "reduce": of_method(REDUCTIONS, "reduce"),
    "accumulate": of_method(ACCUMULATIONS, "accumulate"),
}

def without_nan(word: str, instead: float) -> Callable[..., Expr]:
    """A sum or a product of what is no NaN."""

    def of(x: Any, axis: Any = None, keepdims: Any = False) -> Expr:
        e = as_expr(x)
        numbers = where(is_nan(e), instead, e) if is_float(e) else e
        return array_function(word, numbers, axis=axis, keepdims=keepdims)

    return of


def nan_mean(x: Any, axis: Any = None, keepdims: Any = False) -> Expr:
    e = as_expr(x)
    if not is_float(e):
        return array_function("mean", e, axis=axis, keepdims=keepdims)
    total = array_function("nansum", e, axis=axis, keepdims=keepdims)
    return divide(total, total.elem(reduced("sum", where(is_nan(e), i64(0), 1), axis, keepdims)))


def extreme_without_nan(word: str) -> Callable[..., Expr]:
    """The largest or the smallest number, and a NaN where there is none."""

    def of(x: Any, axis: Any = None, keepdims: Any = False) -> Expr:
        e = as_expr(x)
        numbers = reduced(word, e, axis, keepdims)
        if not is_float(e):
            return numbers
        infinite = e.elem(float("inf"))
        return where(reduced("all", is_nan(e), axis, keepdims), infinite - infinite, numbers)

    return of


ARRAYS.update(
    nansum=without_nan("sum", 0.0), nanprod=without_nan("prod", 1.0), nanmean=nan_mean, nanmax=extreme_without_nan("max"), nanmin=extreme_without_nan("min"),
    round=rounded, around=rounded, nan_to_num=nan_to_num, real=part("re"), imag=part("im"), angle=angle, conj=conjugate, conjugate=conjugate,
    fix=FUNCTIONS["trunc"], isclose=is_close,
    allclose=lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: array_function("all", is_close(a, b, rtol, atol, equal_nan)),
)  # fmt: skip
