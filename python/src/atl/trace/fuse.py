"""Elements in place of whole arrays: ``x * 2 + y`` becomes ``gen i < N { x[i] * 2 + y[i] }``.

It follows the choice of what has a `let`, so nothing is computed more often than it was. Arrays whose shapes are written
differently stay whole: that they agree is for the compiler to show.
"""

from __future__ import annotations

import copy
from typing import Any

from .expr import Expr, Index, as_expr
from .facts import LEAVES
from .views import equal, fresh, term

__all__ = ["fused"]

#: What goes element by element, other than calls.
OPERATORS = frozenset("+ - * / % & | ^ << >> && || < <= > >= == != neg ~ ! guard".split())


def fused(lets: list[Expr], body: Expr) -> tuple[list[Expr], Expr]:
    """A body with its `let`s."""
    for let in lets:
        if let.op == "rec":
            own, elem, indices, inner, element = let.args
            let.args = (own, elem, extents(indices), *fused(inner, element))
        else:
            let.args = (let.args[0], whole(let.args[1]))
    return lets, whole(body)


def extents(indices: Any) -> Any:
    for index in indices:
        index.args = tuple(None if e is None else whole(e) for e in index.args)
    return indices


def is_elementwise(e: Expr) -> bool:
    """Is it computed of operands of its own shape?"""
    if e.op not in OPERATORS and e.op != "call":
        return False
    return all(not part.shape or len(part.shape) == len(e.shape) and all(map(equal, part.shape, e.shape)) for part in parts(e))


def parts(e: Expr) -> list[Expr]:
    found = e.args[1] if e.op == "call" else e.args
    return [part for part in found if isinstance(part, Expr)]


def rebuilt(e: Expr, of: Any) -> Expr:
    """The same of other operands."""
    args: list[Any] = []
    for part in e.args:
        if isinstance(part, tuple):
            args.append(tuple([of(p) for p in part]))
        else:
            args.append(of(part) if isinstance(part, Expr) else part)
    return e._with(tuple(args))


def whole(e: Expr) -> Expr:
    """A symbol, with each array in it by its elements."""
    if e.op in LEAVES:
        return e
    if e.op == "bundle":
        return rebuilt(e, whole)
    if e.op == "bind":
        word, indices, lets, body = e.args
        return e._with((word, extents(indices), *fused(lets, body)))
    if e.op == "rounds":
        return e._with((rounds(e.args[0]),))
    if e.op == "read":
        tensor, indices, guarded = e.args
        found = tuple(whole(index) for index in indices)
        if guarded is True:
            return e._with((whole(tensor), found, guarded))
        return element(tensor, found, e, guarded)
    if e.shape and is_elementwise(e):
        of = fresh(e.shape)
        for index in of:
            index.site = e.site
        made = Expr("bind", ("gen", of, (), element(e, of, e, None)), "value", "bool" if e.sort == "pred" else e.elem, e.shape)
        made.site, made.scope, made.whole = e.site, e.scope, "gen"
        return made
    return rebuilt(e, whole)


def rounds(of: Any) -> Any:
    """What is repeated, with each array in it by its elements."""
    found = copy.copy(of)
    found.starts = [whole(start) for start in of.starts]
    extents([of.index])
    found.lets, steps = fused(of.lets, Expr("bundle", tuple(of.steps), "value"))
    found.steps = list(steps.args)
    for block in ("until", "last"):
        if getattr(of, block) is not None:
            setattr(found, block, fused(*getattr(of, block)))
    return found


def element(e: Expr, at: tuple[Expr, ...], read: Expr, guarded: Any) -> Expr:
    """The element of an array, or a row, at indices."""
    if not at:
        return whole(e)
    if e.op == "read" and e.args[2] is not True:
        tensor, indices, inner = e.args
        # What has to be proved of either read is to be proved.
        return element(tensor, (*(whole(index) for index in indices), *at), e, False if False in (guarded, inner) else None)
    if is_elementwise(e) and len(at) == len(e.shape):
        made = rebuilt(e, lambda part: element(part, at, read, guarded) if part.shape else whole(part))
        made.shape = ()
        return made
    # An index that has to be shown to be in bounds is so of this array, and not of what it is made of.
    sure = guarded is None or all(is_own(index, extent) for index, extent in zip(at, e.shape))
    if sure and e.op == "bind" and e.args[0] == "gen" and len(e.args[1]) <= len(at) and not e.args[2]:
        _, indices, _, body = e.args
        places = {id(index): moved(index, to) for index, to in zip(indices, at)}
        found = placed(body, places)
        if found is not None:
            return element(found, at[len(indices) :], e, guarded)
    made = Expr("read", (whole(e), at, guarded), "value", e.elem, e.shape[len(at) :])
    made.site, made.scope = read.site, read.scope
    return made


def is_own(index: Expr, extent: Expr) -> bool:
    """Does an index run from the first place of an axis to the last?"""
    return type(index) is Index and index.args[0] is None and equal(index.args[1], extent)


def moved(index: Index, to: Expr) -> Expr:
    """Where an index is that begins at another number than 0."""
    low = index.args[0]
    return to if low is None else as_expr(term("+", to, low))


def placed(e: Expr, places: dict[int, Expr]) -> Expr | None:
    """A body at other indices; none, if it has names of its own, which would be there twice."""
    if e.op in LEAVES:
        return places.get(id(e), e)
    if e.op == "rounds":
        return None
    if e.op == "bind":
        word, indices, lets, body = e.args
        made = []
        for index in indices:
            ends = [None if end is None else placed(end, places) for end in index.args]
            if lets or ends[1] is None or index.args[0] is not None and ends[0] is None:
                return None
            copied = Index(ends[0], ends[1])
            copied.name, copied.site, copied.scope = index.name, index.site, index.scope
            made.append(copied)
        found = placed(body, {**places, **{id(old): new for old, new in zip(indices, made)}})
        return None if found is None else e._with((word, tuple(made), (), found))
    operands: list[Any] = []
    for part in e.args:
        if isinstance(part, tuple):
            several = [placed(p, places) for p in part]
            operands.append(None if any(p is None for p in several) else tuple(several))
        else:
            operands.append(placed(part, places) if isinstance(part, Expr) else part)
        if operands[-1] is None and part is not None:
            return None
    return e._with(tuple(operands))
