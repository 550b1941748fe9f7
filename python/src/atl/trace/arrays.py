"""Functions of whole arrays: what NumPy's mean on symbols, as binders over fresh indices."""

from __future__ import annotations

from typing import Any, Callable

from ..errors import refusal
from .binders import let
from .expr import APART, Expr, array_function, as_expr, in_type_of, is_complex, is_condition, is_float, named, where
from .extremes import better, extreme, first_nan, is_simple, lowest, propagated
from .rounds import iterate
from .scopes import SCOPES
from .types import f32, f64, i32, i64, u64
from .views import NAMES, agree, at, bind, fresh, number, of_sizes, stretch, together, view

__all__ = ["ARRAYS", "matmul", "reduced", "transpose"]


def tensor(x: Any, what: str) -> Expr:
    """An array of symbols."""
    found = as_expr(x)
    if not found.shape:
        raise refusal(f"`{what}` of a number", help="numbers are multiplied by `*` and have no axes")
    return found


def transpose(x: Any, *axes: Any) -> Expr:
    """The array with its axes in reverse, or in this order: shape ``[M, N]`` of one of ``[N, M]``."""
    found = tensor(x, "transpose")
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
    order = tuple(range(len(found.shape)))[::-1] if given is None else tuple(given)
    if sorted(order) != list(range(len(found.shape))):
        raise refusal(f"axes {order} of an array of {len(found.shape)} dimensions", help="name each axis once")
    if len(order) < 2:
        return found
    of = fresh(found.shape)
    return bind("gen", tuple(of[axis] for axis in order), at(found, of), "transpose")


def matmul(a: Any, b: Any) -> Expr:
    """The product of matrices and vectors: ``[M, K] @ [K, N]``, ``[M, K] @ [K]``, ``[K] @ [K, N]``, ``[K] @ [K]``."""
    a, b = tensor(a, "@"), tensor(b, "@")
    # Axes before the last two are those of several products.
    rank = max(len(a.shape), len(b.shape)) - 2
    if rank > 0 and min(len(a.shape), len(b.shape)) > 1:
        several = together([a.shape[:-2], b.shape[:-2]])
        for n, m in zip(a.shape[-3::-1], b.shape[-3::-1]):
            if number(n) != 1 and number(m) != 1:
                agree(n, m, "write the sum: `sum(a[n, i, k] * b[n, k, j] for k in K)`")
        a, b = (stretch(x, several + x.shape[-2:]) for x in (a, b))
    elif rank > 0 and len(b.shape) == 1:
        first = fresh(a.shape[:-1])
        (inner,) = fresh(a.shape[-1:])
        inner.name = "k" if len(first) < 3 else "n"
        agree(a.shape[-1], b.shape[0], "write the sum: `sum(a[n, i, k] * b[k] for k in K)`")
        return bind("gen", first, bind("sum", (inner,), at(a, (*first, inner)) * at(b, (inner,))))
    elif rank > 0:
        raise refusal("`@` of a vector and an array of more than two axes", help="give the vector an axis: `v[None] @ x`")
    agree(a.shape[-1], b.shape[0 if len(b.shape) == 1 else -2], "write the sum: `sum(a[k] * b[k] for k in K)`")
    first = fresh(a.shape[: max(rank, 0)])
    rows, columns = fresh(a.shape[max(rank, 0) : -1]), fresh(b.shape[max(rank, 0) + 1 :])
    (inner,) = fresh(a.shape[-1:])
    inner.name = "k"
    for index in columns:
        index.name = "j"
    for k, index in enumerate(first):
        index.name = NAMES[k + 3]
    total = bind("sum", (inner,), at(a, (*first, *rows, inner)) * at(b, (*first, inner, *columns)))
    return bind("gen", (*first, *rows, *columns), total)


def widened(e: Expr, word: str) -> Expr:
    """What NumPy adds up of small integers and of truth values: integers of 64 bits, and floats for a mean."""
    name = getattr(e.elem, "name", e.elem)
    wide = f64 if word == "mean" else u64 if str(name).startswith("u") else i64
    if name == "bool":
        return where(e, wide(1), 0)
    integers = ("i8", "i16", "i32", "u8", "u16", "u32", *(("i64", "u64") if word == "mean" else ()))
    return wide(e) if name in integers else e


def axes_of(x: Expr, axis: Any) -> set[int]:
    """The axes that a reduction is over: all, or these."""
    rank = len(x.shape)
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if any(type(k) is not int or not -rank <= k < rank for k in axes):
        raise refusal(f"axis {axis} of an array of {rank} dimensions", help=f"axes count from 0 to {rank - 1}")
    return {k % rank for k in axes}


def parts(x: Expr, axis: Any) -> tuple[Any, Any, Any]:
    """Fresh indices of all axes, of those that a reduction is over, and of those that are left."""
    over, of = axes_of(x, axis), fresh(x.shape)
    return of, tuple(of[k] for k in range(len(of)) if k in over), tuple(of[k] for k in range(len(of)) if k not in over)


def element_at(x: Expr, of: Any, over: Any, places: tuple[Expr, ...]) -> Expr:
    """The element at these places of the axes that a reduction is over."""
    own = {id(index): place for index, place in zip(over, places)}
    return named_once(at(x, tuple([own[id(index)] if id(index) in own else index for index in of])))


def kept(found: Expr, x: Expr, axis: Any, keepdims: Any) -> Expr:
    """The reduction of an array, with axes of one element in place of those that it is over."""
    if not keepdims:
        return found
    over = axes_of(x, axis)
    if found.shape:
        return view(found, tuple(None if k in over else slice(None) for k in range(len(x.shape))))
    return bind("gen", fresh(tuple(as_expr(1) for _ in x.shape)), found, "view")


def is_half(e: Expr) -> bool:
    """Is it a float of 16 bits? NumPy adds those up in 32 bits."""
    return getattr(e.elem, "name", None) in ("f16", "bf16")


def reduced(word: str, x: Any, axis: Any = None, keepdims: Any = False, wide: bool = True) -> Expr:
    """A reduction over all axes, or over these: shape ``[N]`` of one of ``[N, M]`` with ``axis=1``."""
    if not as_expr(x).shape and axis is None:
        return widened(as_expr(x), word) if word in ("sum", "prod") else as_expr(x)
    x = tensor(x, word)
    if word == "prod" and is_complex(x):
        return kept(product(x, sorted(axes_of(x, axis))), x, axis, keepdims)
    if word in ("any", "all") and not is_condition(x):
        # A NaN is not zero, too.
        x = as_expr(x != 0)
    if is_condition(x) and word in ("max", "min"):
        word = "any" if word == "max" else "all"
    of, over, rest = parts(x, axis)
    element = widened(at(x, of), word) if wide and word in ("sum", "prod") else at(x, of)
    if word == "sum" and is_half(element):
        return kept(bind("gen", rest, x.elem(bind(word, over, f32(element))), word), x, axis, keepdims)
    return kept(bind("gen", rest, bind(word, over, element), word), x, axis, keepdims)


def folded(x: Expr, axis: int, combine: Callable[[Any, Any], Expr], start: int) -> Expr:
    """What a function of two numbers makes of the elements along an axis, one after the other."""
    of, (along,), rest = parts(x, axis)
    found = iterate(along.args[1], lambda t, s: combine(s, at(x, tuple(t if i is along else i for i in of))), x.elem(start))
    return bind("gen", rest, found)


def product(x: Expr, axes: list[int]) -> Expr:
    """The product of complex numbers, one round after the other."""
    for axis in reversed(axes):
        x = folded(x, axis, lambda s, e: s * e, 1)
    return x


def count(x: Expr, axis: Any) -> Any:
    """How many numbers a reduction is over."""
    found: Any = 1
    for k in sorted(axes_of(x, axis)):
        found = x.shape[k] * found if type(found) is Expr else x.shape[k]
    return found


def floats(x: Expr, dtype: Any, what: str) -> Expr:
    """The numbers in a type that has fractions."""
    x = as_expr(array_function("astype", x, dtype))
    if str(x.elem) not in ("f32", "f64", "c64", "c128"):
        raise refusal(f"a {what} in the type `{x.elem}`", help=f"convert the {what}: `i64(x.{'mean' if what == 'mean' else 'var'}())`")
    return x


def mean(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, where: Any = True) -> Expr:
    """The sum over axes, divided by how many numbers are added."""
    x = tensor(x, "mean")
    x = x if dtype is None else floats(x, dtype, "mean")
    if where is not True:
        total = array_function("sum", widened(x, "mean"), axis=axis, keepdims=keepdims, where=where)
        counts = reduced("sum", array_function("broadcast_to", where, x.shape), axis, keepdims)
        return as_expr(total / total.elem(counts))
    if is_half(x):
        return as_expr(x.elem(mean(f32(x), axis, None, keepdims)))
    of, over, rest = parts(x, axis)
    total = bind("sum", over, widened(at(x, of), "mean"))
    return kept(bind("gen", rest, total / in_type_of(total, count(x, axis))), x, axis, keepdims)


def variance(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Expr:
    """The mean of the squares of what is left without the mean."""
    x = tensor(x, "var")
    x = widened(x if dtype is None else floats(x, dtype, "variance"), "mean")
    if is_half(x):
        return as_expr(x.elem(variance(f32(x), axis, None, ddof, keepdims)))
    rest = x - array_function("mean", x, axis=axis, keepdims=True)
    squares = named("abs", rest) ** 2 if is_complex(rest) else rest * rest
    total = reduced("sum", squares, axis, keepdims)
    return total / in_type_of(total, extreme("max", count(x, axis) - as_expr(ddof), 0) if ddof else count(x, axis))


def deviation(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Expr:
    """The root of the variance."""
    return named("sqrt", variance(x, axis, dtype, ddof, keepdims))


def named_once(e: Expr) -> Expr:
    """What is compared several times, with a name."""
    is_stored = e.op != "read" or e.args[0].op in ("name", "let")
    return e if is_stored and is_simple(e) else as_expr(let(element=e))


def first_of(word: str, x: Expr, axis: Any) -> Expr:
    """What is the largest or the smallest when elements are looked at in order, with a NaN that stays."""
    of, over, rest = parts(x, axis)
    start = x.elem(lowest(x, 1 if word == "max" else -1))

    def along(places: tuple[Expr, ...], start: Expr) -> Expr:
        def step(t: Expr, s: Expr) -> Expr:
            now = (*places, t)
            if len(now) < len(over):
                return along(now, s)
            return first_nan(word, s, element_at(x, of, over, now))

        extent = over[len(places)].args[1]
        return as_expr(iterate(extent, (lambda t, largest: step(t, largest)) if word == "max" else lambda t, smallest: step(t, smallest), start))

    found = bind("gen", rest, along((), start))
    found.whole = APART
    return found


def outermost(word: str, x: Any, axis: Any = None, keepdims: Any = False) -> Expr:
    """The largest or the smallest number, and a NaN where there is one."""
    x = tensor(x, word)
    if not is_float(x) or is_complex(x):
        return reduced(word, x, axis, keepdims)
    axes = axes_of(x, axis)
    if len(axes) == len(x.shape) or len(axes) == 1 and len(x.shape) - 1 not in axes:
        # In one pass: of all elements, or of rows that are compared element by element.
        return kept(first_of(word, x, axis), x, axis, keepdims)
    # Each of the two reductions is a stage of its own, so that steps and vectors know it: of a row where elements of
    # rows are compared, and an array where rows are.
    (of, over, rest), (again, others, left) = parts(x, axis), parts(x, axis)
    infinite, element = x.elem(float("inf")), at(x, again)
    if rest and rest[-1] is of[-1]:
        numbers = bind("gen", rest, bind(word, over, at(x, of)), APART)
        has_nan = bind("gen", left, bind("any", others, as_expr(element != element)), APART)
        return kept(where(has_nan, infinite - infinite, numbers), x, axis, keepdims)
    places = {id(index): same for index, same in zip(left, rest)}
    element = at(x, tuple(places.get(id(index), index) for index in again))
    has_nan = bind("any", others, as_expr(element != element), APART)
    found = where(has_nan, infinite - infinite, bind(word, over, at(x, of), APART))
    return kept(bind("gen", rest, found, word), x, axis, keepdims)


def not_empty(x: Any, axis: Any, what: str) -> None:
    """Refuses what there is none of in an axis that is known to have no elements."""
    found = tensor(x, what)
    if any(number(found.shape[k]) == 0 for k in axes_of(found, axis)):
        raise refusal(f"`{what}` of no elements", help="NumPy raises, too: give one at least, or `initial` to `max` and `min`")


def of_some(x: Any, axis: Any, what: str) -> None:
    """The same, and where extents are sizes each call checks that there are elements."""
    not_empty(x, axis, what)
    found = tensor(x, what)
    for k in sorted(axes_of(found, axis)):
        if number(found.shape[k]) is None and of_sizes(found.shape[k]):
            SCOPES.open[0].needs.append(as_expr(found.shape[k] >= 1))


def span_of(x: Any, axis: Any = None, keepdims: Any = False) -> Expr:
    """The largest number less the smallest."""
    of_some(x, axis, "ptp")
    return outermost("max", x, axis, keepdims) - reduced("min", x, axis, keepdims)


def counted(x: Any, axis: Any = None, keepdims: Any = False) -> Expr:
    """How many numbers are not zero."""
    x = tensor(x, "count_nonzero")
    return reduced("sum", x if is_condition(x) else x != 0, axis, keepdims)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Expr:
    """The root of the sum of squares; with ``ord`` 1 or infinity that of sizes, and the largest."""
    x = tensor(x, "norm")
    size = x if is_complex(x) else widened(x, "mean")
    axes = tuple(range(len(x.shape))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    vectors = len(axes) == 1
    if ord is None and (axis is None or len(axes) < 3) or vectors and ord == 2 or len(axes) == 2 and ord == "fro":
        squares = named("abs", size) ** 2 if is_complex(x) else size * size
        return named("sqrt", reduced("sum", squares, axis, keepdims))
    if vectors and ord in (1, float("inf")):
        sizes = named("abs", size)
        return reduced("sum", sizes, axis, keepdims) if ord == 1 else extreme("max", outermost("max", sizes, axis, keepdims), 0)
    if len(axes) == 2 and ord in (1, float("inf")):
        added, compared = axes if ord == 1 else axes[::-1]
        sums = reduced("sum", named("abs", size), added, True)
        found = extreme("max", outermost("max", sums, compared, True), 0)
        return found if keepdims else array_function("squeeze", found, axes)
    raise refusal(
        f"a norm of order {ord!r}",
        help="of vectors there are the orders 1, 2 and infinity, of matrices 1, infinity and `fro`",
    )


def place_of(word: str) -> Callable[..., Expr]:
    def place(x: Any, axis: Any = None, keepdims: Any = False) -> Expr:
        of_some(x, axis, f"arg{word}")
        x = tensor(x, f"arg{word}")
        x = as_expr(where(x, i32(1), 0)) if is_condition(x) else x
        of, over, rest = parts(x, axis)
        start = x.elem(lowest(x, 1 if word == "max" else -1))

        def along(places: tuple[Expr, ...], best: Expr, place: Expr) -> Any:
            def step(t: Expr, best: Expr, place: Expr) -> Any:
                now = (*places, t)
                if len(now) < len(over):
                    return along(now, best, place)
                element = element_at(x, of, over, now)
                is_better, number = better(word, element, best), now[0]
                for index, same in zip(over[1:], now[1:]):
                    number = number * index.args[1] + same
                return where(is_better, element, best), where(is_better, i64(number), place)

            only = None if places else lambda best, place: place
            return iterate(over[len(places)].args[1], step, best, place, value=only)

        # Of several the first, and of NaN, which come before all numbers.
        found = bind("gen", rest, along((), start, i64(0)), f"arg{word}")
        return kept(found, x, axis, keepdims)

    place.__doc__ = f"The first place of the {word}imum."
    return place


def clip(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Expr:
    """Numbers held between bounds."""
    found = as_expr(x)
    low, high = a_min if min is None else min, a_max if max is None else max
    found = found if low is None else propagated("max", found, low)
    return found if high is None else propagated("min", found, high)


def chosen(x: Any, condition: Any, other: Any) -> Expr:
    """Elements where a condition holds, and a number elsewhere."""
    return where(condition, x, as_expr(x).elem(other) if type(other) is int and not is_condition(as_expr(x)) else other)


def reduction(word: str) -> Callable[..., Expr]:
    def reduce(x: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Expr:
        return reduced(word, x if where is True else chosen(x, where, word == "all"), axis, keepdims)

    def add_up(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Expr:
        x = x if where is True else chosen(x, where, 0 if word == "sum" else 1)
        if initial is not None:
            found = add_up(x, axis, dtype, keepdims)
            return as_expr(found + initial if word == "sum" else found * initial)
        if dtype is None:
            return reduced(word, x, axis, keepdims)
        x = array_function("astype", x, dtype)
        # Truth values are added up by `or`, and multiplied by `and`.
        return reduced({"sum": "any", "prod": "all"}[word] if is_condition(x) else word, x, axis, keepdims, wide=False)

    def outer(x: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Expr:
        if where is not True and initial is None:
            raise refusal(f"`{word}` of chosen elements without `initial`", help=f"NumPy wants it, too: `np.{word}(x, where=p, initial=0)`")
        if initial is None:
            not_empty(x, axis, word)
        found = outermost(word, x if where is True else chosen(x, where, initial), axis, keepdims)
        return found if initial is None else propagated(word, found, initial)

    return add_up if word in ("sum", "prod") else outer if word in ("max", "min") else reduce


#: What functions of NumPy's, and methods of its arrays, are of symbols.
ARRAYS: dict[str, Callable[..., Any]] = {
    "where": where,
    "clip": clip,
    "transpose": transpose,
    "dot": matmul,
    "mean": mean,
    "var": variance,
    "std": deviation,
    "ptp": span_of,
    "norm": norm,
    "count_nonzero": counted,
    "argmax": place_of("max"),
    "argmin": place_of("min"),
    **{name: reduction(name) for name in ("sum", "prod", "max", "min", "any", "all")},
    "amax": reduction("max"),
    "amin": reduction("min"),
}
