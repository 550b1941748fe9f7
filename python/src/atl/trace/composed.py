"""Functions of NumPy's that others make up: weighted means, choices, products of axes, slopes, and pieces of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import refusal
from .arrays import ARRAYS, axes_of
from .expr import Expr, alike, array_function, as_expr, binary, divide, in_type_of, index, is_complex, is_condition, is_float, named, where
from .extremes import extreme
from .scopes import SCOPES
from .shapes import array, elem_of, element_type, one_axis, whole
from .types import beside, c128, f64, i32, i64, widest
from .views import agree, at, bind, fresh, number, stretch, term, together, view

__all__ = ["ARRAYS"]


def average(a: Any, axis: Any = None, weights: Any = None, keepdims: Any = False) -> Expr:
    """The mean, each number with a weight."""
    if weights is None:
        return array_function("mean", a, axis=axis, keepdims=keepdims)
    x, w = array(a, "average"), array(weights, "average")
    if len(w.shape) == 1 and len(x.shape) > 1:
        along = one_axis(x, axis, "np.average")
        w = view(w, tuple(slice(None) if k == along else None for k in range(len(x.shape))))
    # NumPy multiplies in the type of the result: a float, unless there are complex numbers.
    kinds = [elem_of(x), elem_of(w), *([] if is_float(x) else [f64])]
    common = widest(kinds)
    if common is None:
        raise refusal(f"`np.average` of `{elem_of(x)}` with weights of `{elem_of(w)}`", help="convert: `np.average(f64(x), weights=f64(w))`")
    x, w = (e if elem_of(e) is common else common(e) for e in (x, w))
    # Weights of each element, so that sums of both are over the same.
    products = x * w
    total = array_function("sum", products, axis=axis, keepdims=keepdims)
    return divide(total, array_function("sum", array_function("broadcast_to", w, products.shape), axis=axis, keepdims=keepdims))


def select(conditions: Any, choices: Any, default: Any = 0) -> Expr:
    """For each place the first choice whose condition holds."""
    if len(conditions) != len(choices) or not conditions:
        raise refusal("`np.select` of other conditions than choices", help="give a choice for each condition")
    *values, found = of_one_type([*choices, default], "np.select")
    for condition, choice in reversed(list(zip(conditions, values))):
        found = where(condition, choice, found)
    return found


def of_one_type(values: Any, what: str) -> list[Expr]:
    """Numbers in the type that NumPy has for all, those of Python's in that of the others."""
    found = [as_typed(e) for e in values]
    kinds = [elem_of(e) for e in found if elem_of(e) is not None]
    literals = {type(e.args[0]) if e.op == "number" else int for e in found if elem_of(e) is None}
    common = widest(kinds) if kinds else next(of for kind, of in ((complex, c128), (float, f64), (int, i64)) if kind in literals)
    if common is None:
        raise refusal(f"`{what}` of numbers of the types {', '.join(map(str, kinds))}", help="convert them to one: `f64(x)`")
    common = beside(common, literals) if literals else common
    return [e if elem_of(e) is common and e.op != "number" else common(e.args[0].real, e.args[0].imag) if is_imaginary(e) else common(e) for e in found]


def as_typed(value: Any) -> Expr:
    """A symbol; a number of NumPy's has its type, and one of Python's none."""
    e = as_expr(value)
    if e.op != "number" or not hasattr(value, "dtype"):
        return e
    elem = element_type(value.dtype)
    return elem(e.args[0].real, e.args[0].imag) if is_imaginary(e) else elem(e)


def is_imaginary(e: Expr) -> bool:
    """Is it a literal with two parts?"""
    return e.op == "number" and type(e.args[0]) is complex


def cross(a: Any, b: Any) -> Expr:
    """The vectors that are perpendicular to two; their three parts are the last axis."""
    x, y = array(a, "cross"), array(b, "cross")
    if any(number(e.shape[-1]) != 3 for e in (x, y)):
        raise refusal("`np.cross` of vectors that are not known to have three parts", help="say so in the type: `f64[N, 3]`")
    (p, q, r), (u, v, w) = ([view(e, (..., k)) if len(e.shape) > 1 else e[k] for k in range(3)] for e in (x, y))
    return array_function("stack", (q * w - r * v, r * u - p * w, p * v - q * u), axis=-1)


def kron(a: Any, b: Any) -> Expr:
    """Each element of one array times all of the other."""
    x, y = array(a, "kron"), array(b, "kron")
    if len(x.shape) != len(y.shape):
        raise refusal("`np.kron` of arrays with other axes", help="give both the same axes: `x[None, :]` has one more")
    of = fresh(tuple(as_expr(term("*", n, m)) for n, m in zip(x.shape, y.shape)))
    first = Expr("read", (x, tuple(as_expr(term("/", i, m)) for i, m in zip(of, y.shape)), None), "value", x.elem)
    second = Expr("read", (y, tuple(as_expr(i) % m for i, m in zip(of, y.shape)), None), "value", y.elem)
    return bind("gen", of, first * second, "kron")


def meshgrid(*vectors: Any, indexing: str = "xy") -> tuple[Expr, ...]:
    """Each vector along an axis of its own, with copies along the others."""
    found = [array(v, "meshgrid") for v in vectors]
    order = list(range(len(found)))
    if indexing == "xy" and len(found) > 1:
        order[:2] = [1, 0]
    lifted = [view(v, tuple(slice(None) if axis == order[k] else None for axis in range(len(found)))) for k, v in enumerate(found)]
    shape = together([e.shape for e in lifted])
    return tuple(array_function("broadcast_to", e, shape) for e in lifted)


def gradient(f: Any, h: Any = 1.0, axis: Any = None) -> Expr:
    """The slopes between the neighbours of each element; at an end between it and its neighbour."""
    x = array(f, "gradient")
    along = one_axis(x, axis, "np.gradient")
    if as_expr(h).shape:
        raise refusal("`np.gradient` over distances that differ", help="give one number: `np.gradient(x, h)`")
    x = x if is_float(x) else f64(x)
    last = as_expr(term("-", x.shape[along], 1))
    SCOPES.open[0].needs.append(as_expr(x.shape[along] >= 2))
    of = fresh(x.shape)
    low, high = as_expr(term("max", term("-", of[along], 1), 0)), as_expr(term("min", term("+", of[along], 1), last))
    before, after = (at(x, tuple(end if k == along else i for k, i in enumerate(of))) for end in (low, high))
    slope = divide(after - before, x.elem(high - low))
    return bind("gen", of, slope if number(h) == 1 or h == 1.0 else divide(slope, h), "gradient")


def split(x: Any, sections: Any, axis: int = 0) -> list[Expr]:
    """Pieces of one length, or between these places."""
    x = array(x, "split")
    (along,) = axes_of(x, axis)
    if isinstance(sections, (list, tuple)):
        ends = [None, *sections, None]
        return [view(x, whole(len(x.shape), along, slice(a, b))) for a, b in zip(ends, ends[1:])]
    if number(sections) is None or number(sections) == 0:
        raise refusal("`np.split` into pieces whose number is not known", help="reshape: `x.reshape(K, -1)` has a row for each piece")
    extent = x.shape[along]
    step = as_expr(term("/", extent, sections))
    agree(extent, as_expr(term("*", step, sections)), "")
    found = []
    for k in range(sections):
        of = fresh(tuple(step if axis == along else n for axis, n in enumerate(x.shape)))
        read = tuple(as_expr(term("+", i, term("*", step, k))) if axis == along else i for axis, i in enumerate(of))
        found.append(bind("gen", of, Expr("read", (x, read, None), "value", x.elem), "view"))
    return found


def vander(x: Any, N: Any = None, increasing: bool = False) -> Expr:
    """The powers of each number."""
    x = array(x, "vander")
    if number(N) is None:
        raise refusal("`np.vander` of powers whose number is not known", help="write `x[:, None] ** f64(atl.arange(K))`")
    # NumPy takes the numbers for those of the type that holds both them and its integers of 64 bits.
    elem = widest([elem_of(x), i64]) or f64
    x = x if elem_of(x) is elem else elem(x)
    powers = [x**k if k else array_function("ones_like", x) for k in range(N)]
    return array_function("stack", powers if increasing else powers[::-1], axis=1)


def sinc(x: Any) -> Expr:
    """``sin(pi x) / (pi x)``."""
    e = as_expr(x)
    scaled = 3.141592653589793 * (e if is_float(e) else f64(e))
    return where(scaled == 0, 1.0, divide(named("sin", scaled), scaled))


def before(a: Expr, y: Expr, side: str, elem: Any) -> Expr:
    """How many numbers of a sorted vector come before one number; NaN come after all numbers."""
    (k,) = fresh(a.shape)
    k.name = "k"
    x, y = alike(at(a, (k,)), y)
    is_before = (x < y if side == "left" else x <= y) | ((y != y) & (x == x) if side == "left" else y != y)
    return bind("sum", (k,), where(is_before, elem(1), 0))


def searchsorted(a: Any, v: Any, side: str = "left") -> Expr:
    """How many numbers of a sorted vector are less; with ``side="right"`` those that are equal, too."""
    a, e = array(a, "searchsorted"), as_expr(v)
    if side not in ("left", "right") or len(a.shape) != 1:
        raise refusal("`np.searchsorted` of other than a vector, or on another side", help="the sides are left and right")
    of = fresh(e.shape)
    return bind("gen", of, before(a, at(e, of), side, i64), "searchsorted")


def digitize(x: Any, bins: Any, right: bool = False) -> Expr:
    """The bin of each number: how many bounds are before it, which rise or fall."""
    bounds, e = array(bins, "digitize"), as_expr(x)
    if len(bounds.shape) != 1:
        raise refusal("`np.digitize` with bounds that are not a vector", help="give a vector of bounds that rise, or fall")
    of, count = fresh(e.shape), bounds.shape[0]
    SCOPES.open[0].needs.append(as_expr(count >= 1))
    found = before(bounds, at(e, of), "left" if right else "right", i64)
    first, last = (Expr("read", (bounds, (as_expr(place),), False), "value", bounds.elem) for place in (0, term("-", count, 1)))
    return bind("gen", of, where(first > last, i64(count) - found, found), "digitize")


def interp(x: Any, xp: Any, fp: Any) -> Expr:
    """Values on the straight lines between points, and those of the ends outside."""
    e, places, values = as_expr(x), array(xp, "interp"), array(fp, "interp")
    if is_complex(values):
        raise refusal("`np.interp` of complex values", help="of their parts: `np.interp(x, xp, fp.real)`")
    e, places, values = (y if is_float(y) and str(y.elem) == "f64" else f64(y) for y in (e, places, values))
    agree(places.shape[0], values.shape[0], "")
    # Places are counted in 32 bits, so that their indices do not leave 64.
    SCOPES.open[0].needs += [as_expr(places.shape[0] >= 1), as_expr(places.shape[0] < 2**31)]
    of, last = fresh(e.shape), as_expr(term("-", places.shape[0], 1))
    here = at(e, of)
    after = index(before(places, here, "right", i32))
    # The points before and after, which are one at the ends: terms of indices, which do not wrap around.
    left, right = (extreme("min", extreme("max", place, 0), last) for place in (after - 1, after))
    (a, b), (f, g) = ([Expr("read", (y, (place,), False), "value", f64) for place in (left, right)] for y in (places, values))
    slope = (g - f) / (b - a)
    inside, back = slope * (here - a) + f, slope * (here - b) + g
    # From the other point, where infinite numbers leave none from this one.
    inside = where(inside == inside, inside, where(back == back, back, where(f == g, f, inside)))
    return bind("gen", of, where((here != here) & (last != 0), here, where((a == b) | (here <= a), f, inside)), "interp")


def polyval(p: Any, x: Any) -> Expr:
    """A polynomial by Horner's rule, its highest power first."""
    x, *factors = of_one_type([e if isinstance(e, Expr) else np.asarray(e)[()] for e in (x, *p)], "np.polyval")
    if is_condition(x):
        raise refusal("`np.polyval` of truth values alone", help="convert: `np.polyval(p, i64(x))`")
    found = x * 0
    for k, c in enumerate(factors):
        found = (found if k == 0 else found * x) + c
    return as_expr(found)


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Expr:
    """Each element less the one before. What stands at the ends has NumPy's type, and a number is one element."""
    ends = [e if e is None or isinstance(e, Expr) else np.asarray(e)[()] for e in (prepend, append)]
    x = array(x, "diff")
    (axis,) = axes_of(x, axis)
    if prepend is not None or append is not None:
        before, after = ends
        found = of_one_type([e for e in (before, x, after) if e is not None], "np.diff")
        one = tuple(as_expr(1) if k == axis else extent for k, extent in enumerate(x.shape))
        x = array_function("concatenate", [e if e.shape else stretch(e, one) for e in found], axis=axis)
    for _ in range(n):
        following, preceding = (view(x, whole(len(x.shape), axis, part)) for part in (slice(1, None), slice(None, -1)))
        # Of truth values the difference is whether they differ.
        x = binary("^" if is_condition(x) else "-", following, preceding)
    return as_expr(x)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Expr:
    """The integral along an axis, by the trapezoidal rule."""
    e = array(y, "trapezoid")
    (along,) = axes_of(e, axis)
    after, before_ = (view(e, whole(len(e.shape), along, of)) for of in (slice(1, None), slice(None, -1)))
    if x is not None:
        dx = array_function("diff", x, axis=axis if len(as_expr(x).shape) > 1 else -1)
        if len(as_expr(x).shape) == 1 and len(e.shape) > 1:
            dx = view(as_expr(dx), tuple(slice(None) if k == along else None for k in range(len(e.shape))))
    return array_function("sum", dx * (after + before_) / 2.0, axis=along)


def quantities(m: Any, rowvar: bool) -> Expr:
    """A row of numbers, of 64 bits as in NumPy, for each quantity."""
    x = array(m, "cov")
    if is_complex(x) or len(x.shape) > 2:
        raise refusal("`np.cov` of other than vectors and matrices of real numbers", help="give it a row for each quantity")
    x = x if elem_of(x) is f64 else f64(x)
    if len(x.shape) == 1:
        return view(x, (None, slice(None)))
    return x if rowvar else array_function("transpose", x)


def covariance(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None) -> Expr:
    """The covariances of rows, or of columns; with ``y`` of both arrays' quantities."""
    x = quantities(m, rowvar)
    if y is not None:
        x = array_function("concatenate", (x, quantities(y, rowvar)), axis=0)
    rest = x - array_function("mean", x, axis=1, keepdims=True)
    less = (0 if bias else 1) if ddof is None else ddof
    total = array_function("dot", rest, array_function("transpose", rest))
    found = divide(total, in_type_of(total, extreme("max", as_expr(x.shape[1]) - less, 0) if less else x.shape[1]))
    # That of one quantity is a number.
    return found if y is not None or len(as_expr(m).shape) == 2 else at(found, (as_expr(0), as_expr(0)))


def correlation(x: Any, y: Any = None, rowvar: bool = True) -> Expr:
    """The covariances over both deviations."""
    c = array_function("cov", x, y, rowvar=rowvar)
    if not as_expr(c).shape:
        return as_expr(c / c)
    d = array_function("diagonal", c)
    root = named("sqrt", d)
    return array_function("clip", c / view(root, (slice(None), None)) / view(root, (None, slice(None))), -1, 1)


def column_stack(arrays: Any) -> Expr:
    found = [array(x, "column_stack") for x in arrays]
    return array_function("concatenate", tuple(view(x, (slice(None), None)) if len(x.shape) == 1 else x for x in found), axis=1)


def matrix_power(a: Any, n: Any) -> Expr:
    """The product of a matrix with itself."""
    if type(n) is not int or n < 1:
        raise refusal("`np.linalg.matrix_power` of other than 1, 2, ..", help="of 0 it is `atl.eye(N)`; inverses there are none")
    found = square = array(a, "matrix_power")
    for bit in bin(n)[3:]:
        found = array_function("dot", found, found)
        found = array_function("dot", found, square) if bit == "1" else found
    return found


ARRAYS.update(
    average=average, select=select, cross=cross, kron=kron, meshgrid=meshgrid, gradient=gradient, split=split, vander=vander, sinc=sinc,
    searchsorted=searchsorted, digitize=digitize, interp=interp, polyval=polyval, trapezoid=trapezoid, cov=covariance, corrcoef=correlation,
    column_stack=column_stack, diff=diff, matrix_power=matrix_power, shape=lambda x: as_expr(x).shape, ndim=lambda x: len(as_expr(x).shape),
    size=lambda x: as_expr(x).size, iscomplexobj=lambda x: is_complex(as_expr(x)), isrealobj=lambda x: not is_complex(as_expr(x)),
)  # fmt: skip
