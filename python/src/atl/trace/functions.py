"""The functions of floats and of integers, by their names in programs; and what NumPy calls them."""

from __future__ import annotations

import math
from typing import Any, Callable

from ..errors import refusal
from .expr import Expr, alike, as_expr, is_complex, is_condition, is_integer, real_type, where, with_types
from .types import FLOATS, Elem

__all__ = ["FUNCTIONS", "floats"]

#: Functions that integers have, too.
OF_INTEGERS = ("abs", "clz", "ctz", "mulhi", "popcount")


def floats(*values: Any) -> tuple[Expr, ...]:
    """Operands of one type, integers as floats: small ones are `f16` and `f32`, as in NumPy."""
    found = [as_expr(e) for e in with_types(*values)]
    if all(e.elem is not None for e in found):
        found = [FLOATS[str(e.elem)](e) if str(e.elem) in FLOATS else e for e in found]
    return tuple(FLOATS[str(e.elem)](e) if str(e.elem) in FLOATS else e for e in alike(*found))


def function(name: str, *operands: str) -> Callable[..., Expr]:
    """A function of so many numbers."""

    def of(*values: Any) -> Expr:
        if len(values) != len(operands):
            raise TypeError(f"{name}() takes {len(operands)} numbers ({', '.join(operands)}), and {len(values)} are given")
        found = alike(*values)
        if name not in OF_INTEGERS and any(is_integer(e) or is_condition(e) for e in found):
            if name in ("ceil", "floor", "round", "trunc"):
                return found[0]
            if name == "pow" and all(is_integer(e) or e.op == "number" and type(e.args[0]) is int for e in found):
                raise refusal(
                    "a power of integers that is known when the kernel runs",
                    help="convert one: `f64(x) ** y`; `1 << x` is a power of 2",
                )
            if name == "sign":
                least = found[0].elem(0 if str(found[0].elem).startswith("u") else -1)
                return where(found[0] > 0, 1, where(found[0] < 0, least, 0))
            # A function of integers is one of floats, as in NumPy.
            found = floats(*values)
        if name == "abs" and is_condition(found[0]):
            return found[0]
        if any(map(is_complex, found)):
            return of_complex(name, *found)
        sort = "ix" if name == "abs" and found[0].sort == "ix" else "value"
        elem = next((e.elem for e in found if e.elem is not None), None)
        shape = next((e.shape for e in found if e.shape), ())
        return Expr("call", (name, found), sort, elem, shape)

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"``{name}({', '.join(operands)})``: the book says what it is, and how exact."
    return of


def call(name: str, z: Expr, elem: Any) -> Expr:
    return Expr("call", (name, (z,)), "value", elem, z.shape)


def part_of(word: str, z: Expr) -> Expr:
    """A part of a complex number; of one that is written by its parts, that part."""
    if z.op == "call" and z.args[0] == z.elem.name and len(z.args[1]) == 2:
        return as_expr(z.args[1][word == "im"])
    if z.op in ("*", "/") and not is_complex(z.args[1]) and is_complex(z.args[0]):
        part, factor = part_of(word, z.args[0]), z.args[1]
        # Of sizes, indices and literals alone: an infinity times zero is a NaN.
        plain = factor.op == "number" or factor.op == "call" and factor.args[1][0].sort == "ix"
        if part.op == "number" and part.args[0] == 0 and plain:
            return part
        return as_expr(part * factor if z.op == "*" else part / factor)
    return call(word, z, real_type(z))


def of_complex(name: str, *operands: Expr) -> Expr:
    """A function of complex numbers, by their parts."""
    z = operands[0]
    elem: Elem = next(e.elem for e in operands if is_complex(e))
    if z.op == "number":
        number = complex(z.args[0])
        z = elem(number.real, number.imag)
    x, y, size = part_of("re", z), part_of("im", z), call("abs", z, real_type(z))
    if name == "abs":
        return size
    if name == "sqrt":
        return call(name, z, elem)
    if name == "exp" and x.op == "number":
        return elem(cos(y), sin(y)) if x.args[0] == 0 else elem(math.exp(x.args[0]) * cos(y), math.exp(x.args[0]) * sin(y))
    if name == "exp":
        return elem(exp(x) * cos(y), exp(x) * sin(y))
    if name == "log":
        return elem(log(size), call("arg", z, real_type(z)))
    if name == "sin":
        return elem(sin(x) * cosh(y), cos(x) * sinh(y))
    if name == "cos":
        return elem(cos(x) * cosh(y), -(sin(x) * sinh(y)))
    if name == "pow":
        w, found = operands[1], exp(operands[1] * log(z))
        if w.op != "number":
            # Where the logarithm is infinite.
            found = where((z == 0) & (call("re", w, real_type(w)) > 0), elem(0, 0), found)
            return where(w == 0, elem(1, 0), found)
        return found if w.args[0] != 0 else where(z == z, elem(1, 0), elem(1, 0))
    raise refusal(
        f"`{name}` of complex numbers",
        help="there are abs, sqrt, exp, log, sin, cos and pow; of the parts, `z.real` and `z.imag`, all others",
    )


abs_ = function("abs", "x")
acos = function("acos", "x")
asin = function("asin", "x")
atan = function("atan", "x")
atan2 = function("atan2", "y", "x")
cbrt = function("cbrt", "x")
ceil = function("ceil", "x")
clz = function("clz", "x")
copysign = function("copysign", "x", "y")
cos = function("cos", "x")
cosh = function("cosh", "x")
ctz = function("ctz", "x")
erf = function("erf", "x")
erfc = function("erfc", "x")
exp = function("exp", "x")
exp10 = function("exp10", "x")
exp2 = function("exp2", "x")
expm1 = function("expm1", "x")
floor = function("floor", "x")
fma = function("fma", "x", "y", "z")
fmod = function("fmod", "x", "y")
hypot = function("hypot", "x", "y")
log = function("log", "x")
log10 = function("log10", "x")
log1p = function("log1p", "x")
log2 = function("log2", "x")
mulhi = function("mulhi", "x", "y")
popcount = function("popcount", "x")
pow = function("pow", "x", "y")
round = function("round", "x")
rsqrt = function("rsqrt", "x")
sign = function("sign", "x")
sin = function("sin", "x")
sinh = function("sinh", "x")
sqrt = function("sqrt", "x")
tan = function("tan", "x")
tanh = function("tanh", "x")
trunc = function("trunc", "x")

#: By their names in programs.
FUNCTIONS: dict[str, Callable[..., Expr]] = {
    getattr(f, "__name__"): f
    for f in (
        abs_, acos, asin, atan, atan2, cbrt, ceil, clz, copysign, cos, cosh, ctz, erf, erfc, exp, exp10, exp2, expm1, floor, fma, fmod, hypot,
        log, log10, log1p, log2, mulhi, popcount, pow, round, rsqrt, sign, sin, sinh, sqrt, tan, tanh, trunc,
    )
}  # fmt: skip
