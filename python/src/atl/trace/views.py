"""Views of arrays: slices, new axes, elements at integers of an array, and arrays stretched to a shape.

Each is a binder that reads. As in NumPy a slice ends where the array does, and an axis of one element goes with any other.
"""

from __future__ import annotations

from typing import Any

from ..errors import refusal
from .expr import Expr, Index, as_expr
from .scopes import SCOPES

__all__ = [
    "NAMES", "agree", "at", "bind", "equal", "fresh", "number", "of_indices", "of_sizes", "plain", "stretch", "stretched", "term", "together", "view",
]  # fmt: skip

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


def bind(word: str, indices: tuple[Index, ...], body: Expr, whole: str | None = None) -> Expr:
    """A binder over indices, or the body if there are none."""
    if not indices:
        return body
    shape = tuple(index.args[1] for index in indices) + body.shape if word == "gen" else body.shape
    # A condition has no elements; an array of truth values has.
    elem = "bool" if word in ("any", "all") or body.sort == "pred" else body.elem
    found = Expr("bind", (word, indices, (), body), "value", elem, shape)
    found.whole = whole or word
    return found


def at(x: Expr, indices: tuple[Expr, ...]) -> Expr:
    if x.sort == "pred" and indices:
        # A condition on arrays is one on their elements.
        found = x._with(tuple(at(part, indices) if part.shape else part for part in x.args))
        found.shape = ()
        return found
    if x.op == "bind" and x.whole in ("transpose", "view", "stretch") and x.args[3].op == "read" and len(indices) == len(x.shape):
        _, of, _, read = x.args
        tensor, terms, guarded = read.args
        places = {id(index): indices[k] for k, index in enumerate(of)}
        elsewhere = [e for e in (moved(e, places) for e in terms) if e is not None]
        if len(elsewhere) == len(terms):
            return at(tensor, tuple(elsewhere)) if guarded is None else read._with((tensor, tuple(elsewhere), guarded))
    # Indices over its own extents are in bounds: neither guarded nor to be proved.
    return Expr("read", (x, indices, None), "value", x.elem, x.shape[len(indices) :]) if indices else x


def moved(e: Expr, places: dict[int, Expr]) -> Expr | None:
    """A term of indices, at other ones."""
    if e.op in ("number", "name", "index"):
        return places.get(id(e), e)
    if e.op not in ("+", "-", "*"):
        return None
    a, b = (moved(part, places) for part in e.args)
    return None if a is None or b is None else as_expr(term(e.op, a, b))


def equal(a: Expr, b: Expr) -> bool:
    """Are two terms of sizes written alike?"""
    if a is b:
        return True
    if a.op != b.op or a.op in ("index", "let", "state", "rec", "rounds", "bind") or len(a.args) != len(b.args):
        return False
    pairs = zip(a.args, b.args)
    return all(equal(p, q) if isinstance(p, Expr) and isinstance(q, Expr) else same(p, q) for p, q in pairs)


def same(p: Any, q: Any) -> bool:
    if isinstance(p, tuple) and isinstance(q, tuple):
        return len(p) == len(q) and all(equal(a, b) for a, b in zip(p, q))
    return type(p) is type(q) and not isinstance(p, Expr) and bool(p == q)


def number(e: Any) -> int | None:
    """A whole number that Python knows."""
    if type(e) is int:
        return e
    return e.args[0] if isinstance(e, Expr) and e.op == "number" and type(e.args[0]) is int else None


def term(word: str, a: Any, b: Any) -> Any:
    """A term of two others, computed where Python knows both."""
    x, y = number(a), number(b)
    if x is not None and y is not None:
        return {"+": x + y, "-": x - y, "*": x * y, "/": x // y if y else 0, "max": max(x, y), "min": min(x, y)}[word]
    if word == "*" and 0 in (x, y):
        return 0
    if word == "max" and y == 0 and isinstance(a, Expr) and not_negative(a):
        return a
    if word in ("max", "min"):
        return Expr("call", (word, (as_expr(a), as_expr(b))), "ix")
    if (y == 0 and word in "+-") or (y == 1 and word in "*/"):
        return a
    if (x == 0 and word == "+") or (x == 1 and word == "*"):
        return b
    if y is not None and word in "+-" and isinstance(a, Expr) and a.op in ("+", "-") and number(a.args[1]) is not None:
        # `N + 2 - 2` is `N`.
        inner = (number(a.args[1]) or 0) * (1 if a.op == "+" else -1) + (y if word == "+" else -y)
        return term("+" if inner >= 0 else "-", a.args[0], abs(inner))
    return Expr(word, (as_expr(a), as_expr(b)), "ix")


def not_negative(e: Expr) -> bool:
    """Is a term of sizes written so that it is not negative?"""
    if e.op in ("+", "*", "/"):
        return all(map(not_negative, e.args))
    if e.op == "call" and e.args[0] == "max":
        return any(map(not_negative, e.args[1]))
    return e.op == "name" or e.op == "number" and e.args[0] >= 0


# Shapes that go together.


def is_one(extent: Expr) -> bool:
    return number(extent) == 1


def together(shapes: list[tuple[Expr, ...]]) -> tuple[Expr, ...]:
    """The shape of what is computed of arrays of these shapes."""
    rank = max(map(len, shapes))
    found = []
    for axis in range(rank):
        extents = [shape[len(shape) - rank + axis] for shape in shapes if len(shape) - rank + axis >= 0]
        several = [extent for extent in extents if not is_one(extent)]
        found.append(next((extent for extent in several if number(extent) is not None), (several or extents)[0]))
    return tuple(found)


def agree(a: Expr, b: Expr, help: str) -> None:
    """Two extents have to be equal: each call checks it, if they are not written alike."""
    if equal(a, b):
        return
    if number(a) is not None and number(b) is not None:
        raise refusal(f"axes of {number(a)} and {number(b)} elements do not go together", help="give both as many, or one of them a single one")
    if not of_sizes(a) or not of_sizes(b):
        raise refusal("an extent that depends on an index", help=help)
    SCOPES.open[0].needs.append(Expr("==", (a, b), "pred", "bool"))


def of_sizes(e: Expr) -> bool:
    """Is it a term of sizes and numbers?"""
    if e.op in ("number", "name"):
        return True
    operands = [p for part in e.args for p in (part if isinstance(part, tuple) else (part,)) if isinstance(p, Expr)]
    return e.sort == "ix" and e.op != "index" and all(map(of_sizes, operands))


def stretch(x: Expr, shape: tuple[Expr, ...]) -> Expr:
    """The array with more axes before, and with copies along those of one element."""
    rank = len(x.shape)
    pairs = list(zip(x.shape, shape[len(shape) - rank :]))
    short = [is_one(own) and not is_one(extent) for own, extent in pairs]
    fixed = [of_sizes(own) and number(own) is None and number(extent) is not None for own, extent in pairs]
    for (own, extent), is_fixed in zip(pairs, fixed):
        if is_fixed:
            agree(own, extent, "")
    if len(shape) == rank and not any(short) and not any(fixed):
        return x
    # Its other axes keep their extents, so that the compiler sees whether they fit.
    fits = [extent if is_short or is_fixed else own for (own, extent), is_short, is_fixed in zip(pairs, short, fixed)]
    of = fresh((*shape[: len(shape) - rank], *fits))
    read = tuple(as_expr(0) if is_short else index for index, is_short in zip(of[len(of) - rank :], short))
    return bind("gen", of, at(x, read), "stretch")


def stretched(*operands: Expr) -> tuple[Expr, ...]:
    """Operands of one shape; a number stays one."""
    shapes = [e.shape for e in operands if e.shape]
    ones, numbers = (any(map(of, sum(shapes, ()))) for of in (is_one, lambda extent: number(extent) is not None))
    if len(shapes) < 2 or all(len(shape) == len(shapes[0]) for shape in shapes) and not ones and not numbers:
        return operands
    shape = together(shapes)
    return tuple(stretch(e, shape) if e.shape else e for e in operands)


# Indices of NumPy's.


def plain(indices: tuple[Any, ...]) -> bool:
    """Is each an index of one axis that selects one place?"""
    from .constants import is_list

    return not any(isinstance(i, slice) or i is Ellipsis or i is None or is_list(i) or isinstance(i, Expr) and i.shape for i in indices)


def of_indices(x: Expr, indices: tuple[Any, ...]) -> tuple[Expr, ...]:
    """Indices that select one place; a negative number counts from the end."""
    found = []
    for extent, i in zip(x.shape, indices):
        e = as_expr(i)
        low = number(e)
        found.append(as_expr(term("-", extent, -low)) if low is not None and low < 0 else e)
    return tuple(found)


def ends(extent: Expr, of: slice) -> tuple[Any, Any, int, bool]:
    """Where a slice begins, how many elements it has, by which step, and whether that is in bounds for sure."""
    step = 1 if of.step is None else number(of.step)
    if step is None or step == 0:
        raise refusal("the step of a slice is not a number", help="write `x[::2]`, or the elements: `gen(x[s * i] for i in K)`")
    if any(isinstance(end, Expr) and end.sort != "ix" and number(end) is None for end in (of.start, of.stop)):
        raise refusal(
            "a slice ends at a value",
            note="how many elements it has would depend on what an array or a number holds",
            help="declare a parameter as a size, `@atl.fn(.., i=atl.size)`; a slice `x[i : i + 4]` is then in bounds by `where='i + 4 <= N'`",
        )
    known = all(end is None or number(end) is not None for end in (of.start, of.stop))
    length = number(extent)
    if known and length is not None:
        places = range(*slice(number(of.start), number(of.stop), step).indices(length))
        return places.start, len(places), step, True
    last = term("-", extent, 1)

    def end(given: Any, default: Any) -> Any:
        place = number(given)
        if given is None or place is None:
            return default if given is None else as_expr(given)
        low, high = (0, extent) if step > 0 else (-1, last)
        if place >= 0:
            return term("min", place, high) if place else (0 if step > 0 else term("min", 0, high))
        return term("max", term("-", extent, -place), low)

    start, stop = number(of.start), number(of.stop)
    if step > 0:
        begin, until = end(of.start, 0), end(of.stop, extent)
        if start is not None and start >= 0 and known:
            # What begins after the end has no elements, so the beginning need not be moved to it.
            begin = start
            until = extent if stop is None else term("-", extent, -stop) if stop < 0 else until
        count = term("-", until, begin)
        if of.start is None and (known or of.stop is None) or start is not None and start < 0 and of.stop is None:
            # It is not negative.
            count = until if of.start is None else term("min", -(start or 0), extent)
        elif known:
            count = term("max", count, 0)
    else:
        begin, until = end(of.start, last), end(of.stop, -1)
        count = term("-", begin, until)
        if of.start is not None or of.stop is not None:
            count = term("max", count, 0) if known else count
        else:
            count = extent
    if abs(step) > 1:
        count = term("/", term("+", count, abs(step) - 1), abs(step))
    return begin, count, step, known


def expanded(x: Expr, indices: tuple[Any, ...]) -> list[Any]:
    """Indices of all axes: dots and what is left out are whole axes."""
    if sum(i is Ellipsis for i in indices) > 1:
        raise refusal("two `...` in one index", help="one of them is enough: the other axes have indices of their own")
    missing = len(x.shape) - sum(i is not None and i is not Ellipsis for i in indices)
    if missing < 0:
        raise refusal(
            f"a tensor of {len(x.shape)} dimensions is read at {len(x.shape) - missing} indices",
            help="give one index for each dimension",
        )
    place = next((k for k, i in enumerate(indices) if i is Ellipsis), None)
    whole = [slice(None)] * missing
    return [*indices, *whole] if place is None else [*indices[:place], *whole, *indices[place + 1 :]]


def view(x: Expr, indices: tuple[Any, ...]) -> Expr:
    """What NumPy reads at slices, new axes, and integers of arrays."""
    from .constants import is_list, place, places

    found = expanded(x, indices)
    backwards: set[int] = set()
    extents = iter(x.shape)
    for k, i in enumerate(found):
        extent = None if i is None else next(extents)
        if extent is not None and is_list(i):
            listed = places(extent, i)
            if isinstance(listed, list):
                # They count from both ends: each is a view by itself.
                return joined(x, found, k, listed)
            found[k] = listed[0]
            backwards |= {k} if listed[1] else set()
    arrays = [k for k, i in enumerate(found) if isinstance(i, Expr) and i.shape]
    if any(i.sort == "pred" or getattr(i.elem, "name", "") == "bool" for i in (found[k] for k in arrays)):
        raise refusal(
            "a mask as an index",
            note="how many elements it selects is known when the kernel runs",
            help="write `np.where(p, x, 0)`, which has the shape of `x`: its sum is that of `x[p]`, and `np.count_nonzero(p)` how many there are",
        )
    if arrays and any(isinstance(found[k], slice) or found[k] is None for k in range(arrays[0], arrays[-1])):
        raise refusal("slices between arrays of indices", help="write the elements: `gen(x[p[k], i, q[k]] for k in K for i in N)`")
    gathered = dict(zip(arrays, stretched(*(found[k] for k in arrays))))
    for k in arrays[1:]:
        for n, m in zip(gathered[arrays[0]].shape, gathered[k].shape):
            agree(n, m, "give all arrays of indices the same axes")
    axes: list[Index] = []
    terms: list[Expr] = []
    extents = iter(x.shape)
    own: tuple[Index, ...] = ()
    sure = True

    def axis(extent: Any) -> Index:
        (index,) = fresh((as_expr(extent),))
        index.name = NAMES[len(axes) % len(NAMES)]
        axes.append(index)
        return index

    for k, i in enumerate(found):
        if i is None:
            axis(1)
            continue
        extent = next(extents)
        if isinstance(i, slice):
            begin, count, step, known = ends(extent, i)
            index = axis(count)
            moved: Any = index if step == 1 else term("*", index, abs(step))
            terms.append(as_expr(term("+", moved, begin) if step > 0 else term("-", begin, moved)))
            sure &= known
        elif k in gathered:
            own = own or tuple(axis(n) for n in gathered[k].shape)
            terms.append(place(extent, in_order(at(gathered[k], own)), k in backwards))
            sure = False
        else:
            terms.extend(of_indices(Expr("name", ("x",), "value", None, (extent,)), (i,)))
            sure = False
    read = Expr("read", (x, tuple(terms), None if sure else False), "value", x.elem)
    return bind("gen", tuple(axes), read, "view")


def in_order(read: Expr) -> Expr:
    """An element of `atl.arange` as the term of indices that it is."""
    tensor, terms, _ = read.args
    if tensor.op == "bind" and tensor.whole == "filled" and tensor.args[3].op == "call":
        term_ = tensor.args[3].args[1][0]
        found = moved(term_, {id(index): e for index, e in zip(tensor.args[1], terms)}) if term_.sort == "ix" else None
        return read if found is None else found
    return read


def joined(x: Expr, indices: list[Any], axis: int, listed: list[int]) -> Expr:
    """What is read at several places of one axis, one after the other."""
    from .constants import is_list
    from .expr import array_function

    others = [i for k, i in enumerate(indices) if k != axis]
    if any(is_list(i) or isinstance(i, Expr) and i.shape for i in others):
        raise refusal("a list of places that count from both ends, beside another one", help="count from the beginning")
    views = tuple(view(x, tuple(one if k == axis else i for k, i in enumerate(indices))) for one in listed)
    dropped = sum(i is not None and not isinstance(i, slice) for i in indices[:axis])
    return array_function("stack", views, axis=axis - dropped)
