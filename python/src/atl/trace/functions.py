"""The functions of floats and of integers, by their names in programs; and what NumPy calls them."""

from __future__ import annotations

from typing import Any, Callable

from .expr import UFUNCS, Expr, as_expr

__all__ = ["FUNCTIONS"]


def function(name: str, *operands: str) -> Callable[..., Expr]:
    """A function of so many numbers."""

    def of(*values: Any) -> Expr:
        if len(values) != len(operands):
            raise TypeError(f"{name}() takes {len(operands)} numbers ({', '.join(operands)}), and {len(values)} are given")
        found = tuple(as_expr(value) for value in values)
        sort = "ix" if name == "abs" and found[0].sort == "ix" else "value"
        elem = next((e.elem for e in found if e.elem is not None), None)
        shape = next((e.shape for e in found if e.shape), ())
        return Expr("call", (name, found), sort, elem, shape)

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"``{name}({', '.join(operands)})``: the book says what it is, and how exact."
    return of


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

UFUNCS.update(FUNCTIONS)
#: NumPy's names where they are others.
UFUNCS.update(absolute=abs_, fabs=abs_, arccos=acos, arcsin=asin, arctan=atan, arctan2=atan2, float_power=pow, rint=round, bitwise_count=popcount)
