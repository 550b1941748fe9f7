"""Functions of NumPy's that move elements: shapes, neighbours, copies; and those that multiply along axes.

They stand in one module for they share what axes and extents mean: each is a few lines around `view`, and the table at the end
is the list of them.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, Callable

import numpy as np

from ..errors import refusal
from .arrays import ARRAYS, axes_of, folded, parts, tensor, transpose, widened
from .constants import is_list
from .expr import Expr, array_function, as_expr, between, compare, guard, is_condition, is_float, is_integer, where
from .extremes import extreme, first_nan, lowest
from .rounds import scan
from .scopes import SCOPES
from .types import NAMED, Elem, widest
from . import ufuncs
from .updates import At
from .views import agree, at, bind, equal, fresh, number, of_sizes, stretch, term, view

__all__ = ["ARRAYS", "ATTRIBUTES", "METHODS"]


def elem_of(x: Expr) -> Any:
    """The element type; that of conditions is `bool`."""
    return NAMED["bool"] if is_condition(x) else x.elem


def array(x: Any, what: str) -> Expr:
    """An array of symbols; a condition on arrays is one of truth values."""
    found = tensor(x, what)
    of = fresh(found.shape)
    return bind("gen", of, at(found, of)) if found.sort == "pred" else found


def whole(rank: int, axis: int, of: Any) -> tuple[Any, ...]:
    """Indices that are whole axes but for one."""
    return tuple(of if k == axis else slice(None) for k in range(rank))


def one_axis(x: Expr, axis: Any, what: str) -> int:
    """The axis of a function that has one."""
    if axis is None:
        if len(x.shape) > 1:
            raise refusal(f"`{what}` of {len(x.shape)} axes without `axis`", help=f"name one: `{what}(x, axis=0)`")
        return 0
    (found,) = axes_of(x, axis)
    return found


# Shapes.

#: What to type instead of a shape that follows from an index.
ELEMENTS = "write the elements: `gen(x[i * M + j] for i in N for j in M)`"


def product(extents: Any) -> Any:
    found: Any = 1
    for extent in extents:
        found = term("*", found, extent)
    return found


def factors(e: Any) -> list[Expr]:
    found = as_expr(e)
    return [*factors(found.args[0]), *factors(found.args[1])] if found.op == "*" else [found]


def without(all_of: Any, some: Any) -> tuple[list[Expr], list[Expr]]:
    """The factors of two products without those that both have."""
    left, right = [e for e in factors(all_of) if number(e) != 1], []
    for e in factors(some):
        same = next((k for k, other in enumerate(left) if equal(other, e)), None)
        if same is not None:
            del left[same]
        elif number(e) != 1:
            right.append(e)
    return left, right


def reshape(x: Any, *shape: Any, order: Any = "C") -> Expr:
    """The elements, row by row, in another shape."""
    x = array(x, "reshape")
    wanted = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else list(shape)
    if order != "C":
        raise refusal(f"`reshape` in the order {order!r}", help="transpose before or after: `x.T.reshape(..)`")
    open_axes = [k for k, extent in enumerate(wanted) if number(extent) == -1]
    if len(open_axes) > 1:
        raise refusal("a shape with two axes of -1", help="one of them follows from the others: name the other one's extent")
    total = product(x.shape)
    if open_axes:
        left, right = without(total, product(e for k, e in enumerate(wanted) if k != open_axes[0]))
        wanted[open_axes[0]] = term("/", product(left), product(right))
        if right:
            agree(as_expr(product(left)), as_expr(term("*", wanted[open_axes[0]], product(right))), ELEMENTS)
    else:
        left, right = without(total, product(wanted))
        agree(as_expr(product(left)), as_expr(product(right)), ELEMENTS)
    extents = tuple(as_expr(extent) for extent in wanted)
    # Axes that stay are read at their own indices.
    ahead = 0
    while ahead < min(len(extents), len(x.shape)) and equal(extents[ahead], x.shape[ahead]):
        ahead += 1
    of = fresh(extents)
    place: Any = 0
    for index in of[ahead:]:
        place = term("+", term("*", place, index.args[1]), index)
    read: list[Any] = []
    for k in range(len(x.shape) - 1, ahead - 1, -1):
        read.insert(0, place if k == ahead else place % x.shape[k])
        place = term("/", place, x.shape[k])
    if ahead == len(x.shape):
        read = []
    element = Expr("read", (x, (*of[:ahead], *(as_expr(e) for e in read)), None), "value", x.elem)
    return bind("gen", of, element if of else at(x, tuple(as_expr(0) for _ in x.shape)), "reshape")


def ravel(x: Any) -> Expr:
    """All elements, row by row."""
    return reshape(x, -1)


def expand_dims(x: Any, axis: Any) -> Expr:
    """The array with an axis of one element more."""
    x = array(x, "expand_dims")
    rank = len(x.shape) + 1
    place = axis + rank if axis < 0 else axis
    return view(x, tuple(None if k == place else slice(None) for k in range(rank)))


def squeeze(x: Any, axis: Any = None) -> Expr:
    """The array without its axes of one element."""
    x = array(x, "squeeze")
    ones = {k for k, extent in enumerate(x.shape) if number(extent) == 1}
    gone = ones if axis is None else axes_of(x, axis)
    if axis is None and any(number(extent) is None for extent in x.shape):
        raise refusal("`squeeze` without an axis", note="a size may be 1, too", help="name the axes: `x.squeeze(0)`")
    if not gone <= ones:
        raise refusal(f"`squeeze` of the axis {axis}, which may have more elements than one", help="select one: `x[:, 0]`")
    return view(x, tuple(0 if k in gone else slice(None) for k in range(len(x.shape))))


def swapaxes(x: Any, first: int, second: int) -> Expr:
    x = array(x, "swapaxes")
    order = list(range(len(x.shape)))
    order[first], order[second] = order[second], order[first]
    return transpose(x, order)


def moveaxis(x: Any, source: Any, destination: Any) -> Expr:
    x = array(x, "moveaxis")
    sources, destinations = (e if isinstance(e, (tuple, list)) else (e,) for e in (source, destination))
    if len(sources) != len(destinations) or any(len(axes_of(x, tuple(axes))) != len(axes) for axes in (sources, destinations)):
        raise refusal(f"`np.moveaxis` of the axes {source} to {destination}", help="name each axis once, and a place for each")
    rank = len(x.shape)
    order = [k for k in range(rank) if k not in axes_of(x, tuple(sources))]
    for place, axis in sorted((place % rank, axis % rank) for place, axis in zip(destinations, sources)):
        order.insert(place, axis)
    return transpose(x, order)


def broadcast_to(x: Any, shape: Any) -> Expr:
    """Copies of the array along new axes, and along those of one element."""
    wanted = tuple(as_expr(n) for n in (shape if isinstance(shape, tuple) else (shape,)))
    found = as_expr(x)
    of = fresh(wanted)
    return stretch(array(found, "broadcast_to"), wanted) if found.shape else bind("gen", of, found, "stretch")


def stored(value: Any, elem: Elem) -> Expr:
    """A number as NumPy stores it in an array of this type."""
    e = as_expr(value)
    if e.op != "number" or elem.is_complex:
        return e if e.elem is None or elem_of(e) is elem else as_expr(elem(e))
    return as_expr((bool if elem.numpy == "bool" else int if elem.is_integer else float)(e.args[0]))


def filled(value: Any) -> Callable[..., Expr]:
    def like(x: Any, fill: Any = value, dtype: Any = None) -> Expr:
        x = tensor(x, "zeros_like")
        elem = elem_of(x) if dtype is None else element_type(dtype)
        return bind("gen", fresh(x.shape), elem(stored(fill, elem)), "filled")

    return like


def element_type(dtype: Any) -> Elem:
    """The element type that NumPy calls so."""
    if isinstance(dtype, Elem):
        return dtype
    name = np.dtype(dtype).name
    found = next((e for e in NAMED.values() if e.numpy == name), None)
    if found is None:
        raise refusal(f"the element type {dtype}", help="the element types are " + ", ".join(NAMED))
    return found


def astype(x: Any, dtype: Any) -> Expr:
    """The numbers as others of this type."""
    return element_type(dtype)(as_expr(x))


def diag(x: Any) -> Expr:
    """Of a matrix the elements at equal indices, and of a vector the matrix that has it there."""
    x = array(x, "diag")
    if len(x.shape) == 1:
        i, j = fresh((x.shape[0], x.shape[0]))
        return bind("gen", (i, j), where(i == j, at(x, (i,)), elem_of(x)(0)), "diag")
    if len(x.shape) != 2:
        raise refusal(f"`np.diag` of {len(x.shape)} axes", help="the elements at equal indices of two of them: `np.diagonal(x)`")
    return diagonal(x)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expr:
    """The elements at equal indices of two axes, in place of which there is one, the last."""
    x = array(x, "diagonal")
    if offset != 0:
        raise refusal("`np.diagonal` beside the middle", help="cut the array: `np.diagonal(x[:, 1:])` is that of `offset=1`")
    if len(x.shape) < 2:
        raise refusal("`np.diagonal` of a vector", help="the matrix that has it there is `np.diag(x)`")
    x = moveaxis(x, (axis1, axis2), (-2, -1)) if (axis1, axis2) != (0, 1) or len(x.shape) > 2 else x
    square = equal(*x.shape[-2:])
    *others, i = fresh((*x.shape[:-2], x.shape[-2] if square else as_expr(term("min", *x.shape[-2:]))))
    return bind("gen", (*others, i), Expr("read", (x, (*others, i, i), None if square else False), "value", x.elem), "diag")


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expr:
    return array_function("sum", diagonal(x, offset, axis1, axis2), axis=-1)


def triangle(word: str) -> Callable[..., Expr]:
    def keep(x: Any, k: Any = 0) -> Expr:
        x = array(x, word)
        if len(x.shape) == 1:
            # As in NumPy, each row of the matrix is the vector.
            x = broadcast_to(x, x.shape * 2)
        of = fresh(x.shape)
        i, j = of[-2:]
        inside = j <= i + k if word == "tril" else j >= i + k
        return bind("gen", of, where(inside, at(x, of), elem_of(x)(0)), word)

    keep.__doc__ = "The matrix with zeros above its diagonal." if word == "tril" else "The matrix with zeros below its diagonal."
    return keep


# Neighbours.


def flip(x: Any, axis: Any = None) -> Expr:
    x = array(x, "flip")
    over = axes_of(x, axis)
    return view(x, tuple(slice(None, None, -1) if k in over else slice(None) for k in range(len(x.shape))))


def roll(x: Any, shift: Any, axis: Any = None) -> Expr:
    """The elements moved along an axis; those that leave enter at the other end."""
    x = array(x, "roll")
    if not isinstance(axis, tuple):
        axis = (one_axis(x, axis, "np.roll"),)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axis)
    moved = dict(zip((one_axis(x, k, "np.roll") for k in axis), shifts))
    of = fresh(x.shape)
    read = tuple((i - moved[k]) % x.shape[k] if k in moved else i for k, i in enumerate(of))
    return bind("gen", of, Expr("read", (x, read, None), "value", x.elem), "roll")


#: The modes of `pad` that read elements, of which there are enough.
FEWEST = ("edge", "wrap", "reflect", "symmetric")


def as_long_as(extent: Expr, least: Any) -> None:
    """An axis has at least this number of elements: where that depends on sizes, each call checks it."""
    n, k = number(extent), number(least)
    if n is not None and k is not None and n < k:
        raise refusal(f"`np.pad` reads {k} elements of an axis of {n}", help="pad by less, and pad the result")
    if (n is None or k is None) and of_sizes(extent) and of_sizes(as_expr(least)):
        SCOPES.open[0].needs.append(as_expr(extent >= least))


def pad(x: Any, width: Any, mode: Any = "constant", constant_values: Any = 0) -> Expr:
    """The array with elements before and after each axis."""
    x = array(x, "pad")
    rank = len(x.shape)
    given = np.asarray(width, dtype=object)
    if given.ndim == 0 or given.shape == (1,):
        sides = [(given.reshape(-1)[0],) * 2] * rank
    elif given.ndim == 1 and given.shape == (2,):
        sides = [tuple(given)] * rank
    elif given.shape == (rank, 2):
        sides = [tuple(side) for side in given]
    else:
        raise refusal(f"widths {width} of {rank} axes", help="give two numbers for each axis: `np.pad(x, ((1, 1), (0, 0)))`")
    of = fresh(tuple(as_expr(term("+", n, term("+", a, b))) for n, (a, b) in zip(x.shape, sides)))
    inner = [term("-", i, a) for i, (a, b) in zip(of, sides)]
    last = [term("-", n, 1) for n in x.shape]
    if mode in FEWEST:
        for n, around in zip(x.shape, sides):
            sure = [max(around)] if all(number(w) is not None for w in around) else around
            for w in (w for w in sure if number(w) != 0):
                as_long_as(n, term("+", w, 1) if mode == "reflect" else w if mode == "symmetric" else 1)
    if mode == "edge":
        inner = [extreme("min", extreme("max", i, 0), n) for i, n in zip(inner, last)]
    elif mode == "wrap":
        inner = [i % n for i, n in zip(inner, x.shape)]
    elif mode == "reflect":
        inner = [n - abs(n - abs(i)) for i, n in zip(inner, last)]
    elif mode == "symmetric":
        inner = [extreme("max", i, term("-", -1, i)) for i in inner]
        inner = [extreme("min", i, term("-", term("+", n, n), term("+", i, 1))) for i, n in zip(inner, x.shape)]
    elif mode != "constant":
        raise refusal(f"`np.pad` with the mode {mode!r}", help="the modes are constant, edge, wrap, reflect and symmetric")
    read = Expr("read", (x, tuple(as_expr(i) for i in inner), mode == "constant"), "value", x.elem)
    if mode == "constant" and constant_values != 0:
        inside = [between(0, i, n) for i, n in zip(inner, x.shape)]
        read = where(functools.reduce(operator.and_, inside), read, stored(constant_values, elem_of(x)))
    return bind("gen", of, read, "pad")


#: How the first elements are taken together, and what is before them.
ACCUMULATED: dict[str, tuple[Callable[[Any, Any], Expr], Callable[[Expr], Any]]] = {
    "cumsum": (lambda s, e: s + e, lambda e: 0),
    "cumprod": (lambda s, e: s * e, lambda e: 1),
    "cummax": (lambda s, e: first_nan("max", s, e), lambda e: lowest(e, 1)),
    "cummin": (lambda s, e: first_nan("min", s, e), lambda e: lowest(e, -1)),
}


def accumulation(word: str) -> Callable[..., Expr]:
    combine, start = ACCUMULATED[word]

    def accumulate(x: Any, axis: Any = None, dtype: Any = None) -> Expr:
        x = array(x if dtype is None else astype(x, dtype), word)
        if dtype is not None and elem_of(x) is NAMED["bool"]:
            raise refusal(f"`np.{word}` in truth values", help="in integers: `dtype=int`")
        axis = one_axis(x, axis, f"np.{word}")
        x = widened(x, word[3:]) if dtype is None and word in ("cumsum", "cumprod") else x
        of, (along,), rest = parts(x, axis)
        last = axis == len(x.shape) - 1
        zero = x.elem(start(x))

        def step(t: Expr, s: Expr) -> Expr:
            own = rest if not last else ()
            element = at(x, tuple(t if i is along else i for i in of))
            return bind("gen", own, combine(at(s, own), element))

        begun = zero if last else bind("gen", fresh(tuple(i.args[1] for i in rest)), zero)
        states = scan(along.args[1], step, begun, give=lambda s: s)
        found = bind("gen", rest, states, word) if last else states
        return found if last or axis == 0 else moveaxis(found, 0, axis)

    accumulate.__doc__ = f"The {word[3:]} of the first elements, for each number of them."
    return accumulate


def fold(combine: Callable[[Any, Any], Expr], start: int) -> Callable[..., Expr]:
    def reduce(x: Any, axis: Any = 0) -> Expr:
        x = array(x, "reduce")
        unsigned = str(x.elem).startswith("u")
        begun = lowest(x, -1) if start < 0 and unsigned else start
        return folded(x, one_axis(x, axis, "reduce"), combine, begun)

    return reduce


# Several arrays.


def concatenate(arrays: Any, axis: Any = 0) -> Expr:
    """Arrays, one after the other along an axis."""
    found = [array(x, "concatenate") for x in arrays]
    (axis,) = axes_of(found[0], axis)
    starts: list[Any] = [0]
    for x in found:
        if len(x.shape) != len(found[0].shape):
            raise refusal("`concatenate` of arrays with other axes", help="give all the same axes: `x[None, :]` has one more")
        for k, (n, first) in enumerate(zip(x.shape, found[0].shape)):
            if k != axis:
                agree(n, first, ELEMENTS)
        starts.append(term("+", starts[-1], x.shape[axis]))
    of = fresh(tuple(as_expr(starts[-1]) if k == axis else n for k, n in enumerate(found[0].shape)))

    def read(x: Expr, start: Any) -> Expr:
        moved = tuple(as_expr(term("-", i, start)) if k == axis else i for k, i in enumerate(of))
        return Expr("read", (x, moved, True), "value", x.elem)

    element = read(found[-1], starts[-2])
    for x, start, end in reversed(list(zip(found[:-1], starts, starts[1:]))):
        element = where(compare("<", of[axis], end), read(x, start), element)
    return bind("gen", of, element, "concatenate")


def stack(arrays: Any, axis: int = 0) -> Expr:
    """Arrays of one shape side by side along a new axis."""
    if all(not as_expr(x).shape for x in arrays):
        return as_expr(list(arrays))
    found = [array(x, "stack") for x in arrays]
    rank = len(found[0].shape) + 1
    return concatenate([expand_dims(x, axis % rank) for x in found], axis % rank)


def vstack(arrays: Any) -> Expr:
    found = [array(x, "vstack") for x in arrays]
    return concatenate([expand_dims(x, 0) if len(x.shape) == 1 else x for x in found], 0)


def hstack(arrays: Any) -> Expr:
    found = [array(x, "hstack") for x in arrays]
    return concatenate(found, 0 if len(found[0].shape) == 1 else 1)


def repeat(x: Any, repeats: Any, axis: Any = None) -> Expr:
    """Each element several times."""
    x = array(x, "repeat")
    axis = one_axis(x, axis, "np.repeat")
    of = fresh(tuple(as_expr(term("*", n, repeats)) if k == axis else n for k, n in enumerate(x.shape)))
    read = tuple(as_expr(term("/", i, repeats)) if k == axis else i for k, i in enumerate(of))
    return bind("gen", of, Expr("read", (x, read, None), "value", x.elem), "repeat")


def tile(x: Any, reps: Any) -> Expr:
    """The array several times."""
    x = array(x, "tile")
    if isinstance(reps, tuple) and len(reps) != len(x.shape) or not isinstance(reps, tuple) and len(x.shape) > 1:
        raise refusal("`np.tile` with other axes than the array's", help="give a number for each axis: `np.tile(x, (2, 3))`")
    times = reps if isinstance(reps, tuple) else (reps,)
    of = fresh(tuple(as_expr(term("*", n, r)) for n, r in zip(x.shape, times)))
    return bind("gen", of, Expr("read", (x, tuple(i % n for i, n in zip(of, x.shape)), None), "value", x.elem), "tile")


def take(x: Any, indices: Any, axis: Any = None) -> Expr:
    x = array(x, "take")
    return view(x, whole(len(x.shape), one_axis(x, axis, "np.take"), indices if is_list(indices) else as_expr(indices)))


def take_along_axis(x: Any, indices: Any, axis: int) -> Expr:
    """Of each row the elements at the integers of a row."""
    x, found = array(x, "take_along_axis"), array(indices, "take_along_axis")
    (axis,) = axes_of(x, axis)
    for k, (n, own) in enumerate(zip(found.shape, x.shape)):
        if k != axis:
            agree(n, own, ELEMENTS)
    of = fresh(tuple(n if k == axis else own for k, (n, own) in enumerate(zip(found.shape, x.shape))))
    read = tuple(at(found, of) if k == axis else i for k, i in enumerate(of))
    return bind("gen", of, Expr("read", (x, read, False), "value", x.elem), "take")


# Products.


def outer(a: Any, b: Any) -> Expr:
    """The products of each element with each."""
    a, b = array(a, "outer"), array(b, "outer")
    a, b = (x if len(x.shape) == 1 else ravel(x) for x in (a, b))
    return view(a, (slice(None), None)) * view(b, (None, slice(None)))


def inner(a: Any, b: Any) -> Expr:
    a, b = array(a, "inner"), array(b, "inner")
    return array_function("dot", a, transpose(b) if len(b.shape) == 2 else b)


def vdot(a: Any, b: Any) -> Expr:
    a, b = array(a, "vdot"), array(b, "vdot")
    a, b = (x if len(x.shape) == 1 else ravel(x) for x in (a, b))
    return array_function("dot", a.conj() if getattr(a.elem, "is_complex", False) else a, b)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Expr:
    """The sums of products over some axes of both."""
    a, b = array(a, "tensordot"), array(b, "tensordot")
    if isinstance(axes, int):
        axes = range(len(a.shape) - axes, len(a.shape)), range(axes)
    ours, theirs = ([of] if isinstance(of, int) else list(of) for of in axes)
    letters = "abcdefghijklmnopqrstuvwxyz"
    left, right = list(letters[: len(a.shape)]), list(letters[len(a.shape) : len(a.shape) + len(b.shape)])
    for k, j in zip(ours, theirs):
        right[j] = left[k]
    rest = [c for c in left if c not in right] + [c for c in right if c not in left]
    return einsum(f"{''.join(left)},{''.join(right)}->{''.join(rest)}", a, b)


def spelled_out(notation: str, ranks: list[int]) -> str:
    """The notation with letters in place of ``...``: those of the last axes are the same ones in each operand."""
    left, arrow, right = notation.partition("->")
    words = left.split(",")
    if "..." not in notation or len(words) != len(ranks):
        return notation
    free = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in notation]
    counts = [max(rank - len(word) + 3, 0) if "..." in word else 0 for word, rank in zip(words, ranks)]
    every = "".join(free[: max(counts)][::-1])
    spelled = [word.replace("...", every[len(every) - count :]) for word, count in zip(words, counts)]
    if not arrow:
        once = sorted(c for c in set(left) if c.isalpha() and left.count(c) == 1)
        return f"{','.join(spelled)}->{every}{''.join(once)}"
    return f"{','.join(spelled)}->{right.replace('...', every)}"


def einsum(notation: str, *operands: Any, optimize: Any = None) -> Expr:
    """Sums of products in index notation: ``np.einsum("ij,jk->ik", a, b)``."""
    del optimize
    arrays = [array(x, "einsum") for x in operands]
    left, arrow, right = spelled_out(notation.replace(" ", ""), [len(x.shape) for x in arrays]).partition("->")
    words = left.split(",")
    if not all(word.isalpha() or not word for word in (*words, right)) or len(words) != len(arrays):
        raise refusal(f"the notation {notation!r} of {len(arrays)} arrays", help="a letter for each axis: `ij,jk->ik`")
    if any(len(word) != len(x.shape) for word, x in zip(words, arrays)):
        raise refusal(f"the notation {notation!r} has not a letter for each axis", help="a letter for each axis: `ij,jk->ik`")
    letters = "".join(words)
    if not arrow:
        right = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if not set(right) <= set(letters) or len(set(right)) < len(right):
        raise refusal(f"the result of {notation!r} has other letters than the arrays", help="each letter once, as in `ij,jk->ik`")
    indices: dict[str, Any] = {}
    for word, x in zip(words, arrays):
        for c, extent in zip(word, x.shape):
            if c in indices:
                agree(extent, indices[c].args[1], ELEMENTS)
            else:
                (indices[c],) = fresh((extent,))
                indices[c].name = c
    element: Any = None
    for word, x in zip(words, arrays):
        read = Expr("read", (x, tuple(indices[c] for c in word), None), "value", x.elem)
        element = read if element is None else element * read
    over = tuple(indices[c] for c in dict.fromkeys(letters) if c not in right)
    total = bind("sum", over, element) if over else element
    return bind("gen", tuple(indices[c] for c in right), total, "dot")


def product_within(a: Expr, place: Expr, weight: Any, is_finite: Any) -> Expr:
    """An element times a weight; outside of the array zero, which a weight that may be infinite or no number does not multiply."""
    if is_finite:
        return as_expr(Expr("read", (a, (place,), True), "value", a.elem) * weight)
    return guard(between(0, place, a.shape[0]), weight * Expr("read", (a, (place,), False), "value", a.elem))


def convolve(a: Any, v: Any, mode: str = "full") -> Expr:
    """The sums of products with the reverse of the other array, at each place."""
    if not isinstance(a, Expr):
        a, v = v, a
    a = array(a, "convolve")
    if isinstance(v, (list, tuple)) and any(isinstance(e, Expr) for e in v):
        v = as_expr(v)
    known = None if isinstance(v, Expr) else np.asarray(v)
    weights: Any = v if known is None else known.reshape(-1).tolist()
    rank = len(weights.shape) if known is None else known.ndim
    if len(a.shape) != 1 or rank != 1 or mode not in ("full", "same", "valid"):
        raise refusal(
            "`np.convolve` of other than vectors, or with another mode",
            help="the modes are full, same and valid; of images write the sum",
        )
    if known is not None:
        if not weights:
            raise refusal("`np.convolve` with no weights", help="NumPy refuses it, too: give one at least")
        common = widest([elem_of(a), element_type(known.dtype)])
        if common is None or common.numpy == "bool":
            raise refusal(f"`np.convolve` of `{elem_of(a)}` and `{known.dtype}`", help="convert: `np.convolve(f64(x), w)`")
        a = a if elem_of(a) is common else array(common(a), "convolve")
    n: Any = a.shape[0]
    k: Any = weights.shape[0] if known is None else len(known)
    shorter, longer = term("min", n, k), term("max", n, k)
    extent, start = {
        "full": (term("max", term("-", term("+", n, k), 1), 0), 0),
        "same": (longer, term("/", term("-", shorter, 1), 2)),
        "valid": (term("+", term("-", longer, shorter), 1), term("-", shorter, 1)),
    }[mode]
    (i,) = fresh((as_expr(extent),))
    place = term("+", i, start)
    if known is not None:
        places = [as_expr(term("-", place, j)) for j in range(len(weights))]
        total: Any = sum(product_within(a, p, w, np.isfinite(w)) for p, w in zip(places, weights))
    else:
        (j,) = fresh((as_expr(k),))
        j.name = "k"
        total = bind("sum", (j,), product_within(a, place - j, at(weights, (j,)), not is_float(weights)))
    return bind("gen", (i,), total, "convolve")


def odd(x: Any, axis: Any = 0) -> Expr:
    """Do an odd number of truth values hold?"""
    return as_expr(array_function("count_nonzero", x, axis=axis) % 2 == 1)


ARRAYS.update(
    reshape=reshape, ravel=ravel, flatten=ravel, expand_dims=expand_dims, squeeze=squeeze, swapaxes=swapaxes, moveaxis=moveaxis,
    broadcast_to=broadcast_to, zeros_like=filled(0), ones_like=filled(1), full_like=filled(0), empty_like=filled(0), astype=astype,
    diag=diag, diagonal=diagonal, trace=trace, tril=triangle("tril"), triu=triangle("triu"), flip=flip,
    fliplr=lambda x: flip(x, 1), flipud=lambda x: flip(x, 0), roll=roll, pad=pad, cumsum=accumulation("cumsum"),
    cumprod=accumulation("cumprod"), concatenate=concatenate, stack=stack, vstack=vstack, hstack=hstack, repeat=repeat, tile=tile,
    take=take, take_along_axis=take_along_axis, copy=lambda x: as_expr(x), outer=outer, inner=inner, vdot=vdot, tensordot=tensordot, einsum=einsum, convolve=convolve,
)  # fmt: skip

#: What methods of functions of two numbers are; NumPy has no other names for them.
OF_METHODS: dict[tuple[str, str], Callable[..., Expr]] = {
    ("maximum", "accumulate"): accumulation("cummax"),
    ("minimum", "accumulate"): accumulation("cummin"),
    ("bitwise_and", "reduce"): fold(lambda s, e: s & e, -1),
    ("bitwise_or", "reduce"): fold(lambda s, e: s | e, 0),
    ("bitwise_xor", "reduce"): fold(lambda s, e: s ^ e, 0),
    ("logical_xor", "reduce"): odd,
}

#: Those of them that are methods, too.
METHODS = frozenset(
    "all any argmax argmin astype clip conj conjugate copy cumprod cumsum diagonal dot flatten max mean min prod ptp ravel repeat reshape round "
    "squeeze std sum swapaxes take trace transpose var".split()
)

#: What symbols have that is no function.
ATTRIBUTES: dict[str, Callable[[Expr], Any]] = {
    "T": lambda x: array_function("transpose", x),
    "ndim": lambda x: len(x.shape),
    "size": lambda x: product(x.shape),
    "dtype": lambda x: np.dtype(elem_of(x).numpy),
    "real": lambda x: array_function("real", x),
    "imag": lambda x: array_function("imag", x),
    "at": lambda x: At(array(x, "at")),
}
