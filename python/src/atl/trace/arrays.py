"""Functions of whole arrays: what NumPy's mean on symbols, as binders over fresh indices."""

from __future__ import annotations

from typing import Any, Callable

from ..errors import refusal
from .expr import Expr, Index, as_expr, extreme, in_type_of, where
from .types import f64, i64, u64

__all__ = ["ARRAYS", "matmul", "reduced", "transpose"]

#: The names of fresh indices; those that are taken get a number when they are printed.
NAMES = "ijklmn"


def fresh(shape: tuple[Expr, ...]) -> tuple[Index, ...]:
    """An index for each axis."""
    made = []
    for axis, extent in enumerate(shape):
        index = Index(None, extent)
        index.name = NAMES[axis % len(NAMES)]
        made.append(index)
    return tuple(made)


def bind(word: str, indices: tuple[Index, ...], body: Expr) -> Expr:
    """A binder over indices, or the body if there are none."""
    if not indices:
        return body
    shape = tuple(index.args[1] for index in indices) if word == "gen" else ()
    found = Expr("bind", (word, indices, (), body), "value", body.elem, shape)
    found.whole = word
    return found


def at(x: Expr, indices: tuple[Expr, ...]) -> Expr:
    if x.sort == "pred" and indices:
        # A condition on arrays is one on their elements.
        found = x._with(tuple(at(part, indices) if part.shape else part for part in x.args))
        found.shape = ()
        return found
    if x.op == "bind" and x.whole == "transpose" and len(indices) == len(x.shape):
        _, of, _, read = x.args
        places = {id(index): indices[k] for k, index in enumerate(of)}
        return at(read.args[0], tuple(places[id(index)] for index in read.args[1]))
    # Indices over its own extents are in bounds: neither guarded nor to be proved.
    return Expr("read", (x, indices, None), "value", x.elem, x.shape[len(indices) :]) if indices else x


def tensor(x: Any, what: str) -> Expr:
    """An array of symbols."""
    found = as_expr(x)
    if not found.shape:
        raise refusal(f"`{what}` of a number", help="numbers are multiplied by `*` and have no axes")
    return found


def transpose(x: Any, axes: Any = None) -> Expr:
    """The array with its axes in reverse, or in this order: shape ``[M, N]`` of one of ``[N, M]``."""
    found = tensor(x, "transpose")
    order = tuple(range(len(found.shape)))[::-1] if axes is None else tuple(axes)
    if sorted(order) != list(range(len(found.shape))):
        raise refusal(f"axes {order} of an array of {len(found.shape)} dimensions", help="name each axis once")
    if len(order) < 2:
        return found
    of = fresh(found.shape)
    return bind("gen", tuple(of[axis] for axis in order), at(found, of))


def matmul(a: Any, b: Any) -> Expr:
    """The product of matrices and vectors: ``[M, K] @ [K, N]``, ``[M, K] @ [K]``, ``[K] @ [K, N]``, ``[K] @ [K]``."""
    a, b = tensor(a, "@"), tensor(b, "@")
    if len(a.shape) > 2 or len(b.shape) > 2:
        raise refusal(
            f"`@` of arrays of {len(a.shape)} and {len(b.shape)} dimensions",
            help="write the sum: `gen(sum(a[n, i, k] * b[n, k, j] for k in K) for n in B for i in M for j in N)`",
        )
    rows, columns = fresh(a.shape[:-1]), fresh(b.shape[1:])
    (inner,) = fresh(a.shape[-1:])
    inner.name = "k"
    for index in columns:
        index.name = "j"
    total = bind("sum", (inner,), at(a, (*rows, inner)) * at(b, (inner, *columns)))
    return bind("gen", (*rows, *columns), total)


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


def reduced(word: str, x: Any, axis: Any = None) -> Expr:
    """A reduction over all axes, or over these: shape ``[N]`` of one of ``[N, M]`` with ``axis=1``."""
    x = tensor(x, word)
    over, of = axes_of(x, axis), fresh(x.shape)
    element = widened(at(x, of), word) if word in ("sum", "prod") else at(x, of)
    total = bind(word, tuple(of[k] for k in range(len(of)) if k in over), element)
    return bind("gen", tuple(of[k] for k in range(len(of)) if k not in over), total)


def mean(x: Any, axis: Any = None) -> Expr:
    """The sum over axes, divided by how many numbers are added."""
    x = tensor(x, "mean")
    over, of = axes_of(x, axis), fresh(x.shape)
    total = bind("sum", tuple(of[k] for k in range(len(of)) if k in over), widened(at(x, of), "mean"))
    count: Any = 1
    for k in sorted(over):
        count = x.shape[k] * count if type(count) is Expr else x.shape[k]
    return bind("gen", tuple(of[k] for k in range(len(of)) if k not in over), total / in_type_of(total, count))


def clip(x: Any, low: Any = None, high: Any = None) -> Expr:
    """Numbers held between bounds."""
    found = as_expr(x)
    found = found if low is None else extreme("max", found, low)
    return found if high is None else extreme("min", found, high)


def reduction(word: str) -> Callable[..., Expr]:
    def reduce(x: Any, axis: Any = None) -> Expr:
        return reduced(word, x, axis)

    return reduce


#: What functions of NumPy's, and methods of its arrays, are of symbols.
ARRAYS: dict[str, Callable[..., Expr]] = {
    "where": where,
    "clip": clip,
    "transpose": transpose,
    "dot": matmul,
    "mean": mean,
    **{name: reduction(name) for name in ("sum", "prod", "max", "min", "any", "all")},
    "amax": reduction("max"),
    "amin": reduction("min"),
}
