"""Stages: what reduces is bound by a ``let`` before it is read at many places.

A product of matrices is a binder over a sum. Inside of another binder each read would compute it again, and so
would a mean beside each element of an array. Both get a ``let`` at the outermost place that has their operands.
What stands in a generator expression stays there; what Python computed before is bound where Python was.
"""

from __future__ import annotations

import copy
import dis
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from .expr import Expr, Index, Site

__all__ = ["Stages"]

#: What has its value elsewhere.
LEAVES = ("number", "name", "index", "let", "state", "rec")

#: What a stage is called that no variable of Python's holds.
NAMES = {
    "dot": "product", "sum": "total", "prod": "product", "mean": "mean", "max": "largest", "min": "smallest",
    "any": "found", "all": "every",
}  # fmt: skip

#: Instructions that store, and not in a variable.
ELSEWHERE = ("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE")


#: How deep a walk may be; the printer comes to its own end before.
DEEPEST = 20_000


def children(e: Expr) -> list[Expr]:
    """The operands of what binds nothing."""
    parts: list[Any] = []
    for part in e.args:
        parts += part if isinstance(part, tuple) else (part,)
    return [part for part in parts if isinstance(part, Expr)]


def covers(e: Expr) -> bool:
    """Is a read in bounds by its indices alone? Each is bound over the extent of its axis, or there is a guard."""
    tensor, indices, guarded = e.args
    return guarded is not False or all(same(index, extent) for index, extent in zip(indices, tensor.shape))


def same(index: Expr, extent: Expr) -> bool:
    if type(index) is not Index or index.args[0] is not None:
        return False
    bound = index.args[1]
    return bound is extent or bound.op == extent.op == "name" and bound.args == extent.args


def several(lets: Sequence[Expr]) -> set[int]:
    """What `let`s of several names bind."""
    return {id(part) for let in lets if let.op == "several" for part in let.args[0]}


class Level:
    """A place where a `let` may stand: the function, or the body of a binder."""

    def __init__(self, bound: Iterable[Expr] = ()) -> None:
        self.bound = {id(e) for e in bound}
        self.lets: list[Expr] = []
        #: Inside of how many guards the walk is.
        self.guards = 0
        self.memo: dict[tuple[int, bool], Expr] = {}


class Stages:
    """Two walks over the symbols of a function: the first finds what is read often, the second binds it."""

    def __init__(self) -> None:
        self.facts: dict[int, tuple[frozenset[int], bool, bool, Expr]] = {}
        self.known: dict[tuple[int, bool], bool] = {}
        self.often: set[int] = set()

    def of(self, lets: Sequence[Expr], result: Expr) -> tuple[list[Expr], Expr]:
        """The function with its stages."""
        limit = sys.getrecursionlimit()
        # A walk is a few calls deep for each operator, and a sum that Python unrolls has hundreds.
        sys.setrecursionlimit(max(limit, DEEPEST))
        try:
            Walk(self, finds=True).body(lets, result, [], Level())
            return Walk(self, finds=False).body(lets, result, [], Level())
        finally:
            sys.setrecursionlimit(limit)

    def about(self, e: Expr) -> tuple[frozenset[int], bool, bool]:
        """Which symbols must be in scope, whether it reduces, and whether it has a meaning wherever they are."""
        found = self.facts.get(id(e))
        if found is None:
            found = self.facts[id(e)] = (*self.learn(e), e)
        return found[:3]

    def learn(self, e: Expr) -> tuple[frozenset[int], bool, bool]:
        partial = False
        if e.op in LEAVES:
            return frozenset(() if e.op in ("number", "name") else (id(e),)), False, True
        if e.op == "bind":
            word, indices, lets, body = e.args
            needs, reduces, total = self.together([part for index in indices for part in children(index)])
            inner, inner_reduces, inner_total = self.block(lets, body)
            needs |= inner - {id(index) for index in indices}
            reduces, total = word != "gen" or inner_reduces, total and inner_total
        elif e.op == "rounds":
            rounds = e.args[0]
            needs, _, total = self.together([*children(rounds.index), *rounds.starts])
            bound = {id(part) for part in (rounds.index, *rounds.states)}
            blocks = [(rounds.lets, Expr("bundle", tuple(rounds.steps), "value")), rounds.until, rounds.last]
            for inner, _, inner_total in (self.block(*block) for block in blocks if block is not None):
                needs, total = needs | inner - bound, total and inner_total
            reduces = True
        else:
            needs, reduces, total = self.together(children(e))
            if e.op == "read":
                partial = not covers(e)
            else:
                partial = e.sort == "ix" and e.op in ("/", "%", "-")
            total = total and not partial
        # It stays where Python computed it, if it was written with indices or may be out of bounds elsewhere.
        own = e.op == "rounds" or e.op == "bind" and not e.whole
        if e.scope is not None and (own or partial):
            needs |= e.scope.bound()
        return needs, reduces, total

    def together(self, parts: Sequence[Expr]) -> tuple[frozenset[int], bool, bool]:
        known = [self.about(part) for part in parts]
        needs = frozenset().union(*(part[0] for part in known))
        return needs, any(part[1] for part in known), all(part[2] for part in known)

    def block(self, lets: Sequence[Expr], body: Expr) -> tuple[frozenset[int], bool, bool]:
        """The same of a body with its `let`s."""
        needs, reduces, total = self.about(body)
        for let in lets:
            if let.op == "several":
                known = self.about(let.args[1])
                needs, reduces, total = needs | known[0], True, total and known[2]
            elif let.op == "rec":
                _, _, indices, inner, element = let.args
                known = self.block(inner, element)
                needs |= known[0] - {id(index) for index in indices}
                extents = self.together([part for index in indices for part in children(index)])
                needs, reduces, total = needs | extents[0], True, total and known[2]
            else:
                known = self.about(let.args[1])
                needs, reduces, total = needs | known[0], reduces or known[1], total and known[2]
        return needs - {id(let) for let in lets} - several(lets), reduces, total

    def is_stage(self, e: Expr, bound: bool) -> bool:
        """Does it reduce, and is it not an array of elements that do not? Operands may be known to be bound."""
        if e.op in LEAVES or e.sort != "value" or e.elem is None or not self.about(e)[1]:
            return False
        found = self.known.get((id(e), bound))
        if found is None:
            found = self.known[id(e), bound] = self.computes(e, bound)
        return found

    def computes(self, e: Expr, bound: bool) -> bool:
        if e.op == "bind":
            word, indices, lets, body = e.args
            return word != "gen" or self.reduces_at({id(index) for index in indices}, lets, body)
        if e.op == "rounds" or not e.shape:
            return True
        parts = [part for part in children(e) if part.shape and not (bound and id(part) in self.often)]
        return any(self.is_stage(part, bound) for part in parts)

    def reduces_at(self, indices: set[int], lets: Sequence[Expr], body: Expr) -> bool:
        """Is there a reduction in a body that needs these indices?"""
        todo, seen = [body], set()
        while todo or lets:
            if lets:
                if any(let.op in ("rec", "several") for let in lets):
                    return True
                todo, lets = [*todo, *(let.args[1] for let in lets)], ()
            e = todo.pop()
            needs, reduces, _ = self.about(e)
            if id(e) in seen or not reduces:
                continue
            seen.add(id(e))
            if needs & indices and (e.op == "rounds" or e.op == "bind" and e.args[0] != "gen"):
                return True
            if e.op == "bind":
                lets = e.args[2]
                todo.append(e.args[3])
            elif e.op != "rounds":
                todo += children(e)
        return False


class Walk:
    """One walk: it finds what is read often, or it binds that."""

    def __init__(self, stages: Stages, finds: bool) -> None:
        self.stages = stages
        self.finds = finds
        self.renamed: dict[int, Expr] = {}
        self.bound: dict[tuple[int, int], Expr] = {}
        self.reads: Counter[tuple[int, int]] = Counter()
        #: Levels are told apart by their place in memory, so all of them are kept.
        self.levels: list[Level] = []

    def body(
        self, lets: Sequence[Expr], body: Expr, around: list[Level], level: Level
    ) -> tuple[list[Expr], Expr]:
        """A body at a new level."""
        self.levels.append(level)
        levels = [*around, level]
        for let in lets:
            if let.op == "rec":
                own, elem, indices, inner, element = let.args
                made = let._with(let.args)
                self.renamed[id(let)] = made
                bounds = self.extents(indices, levels)
                inner, element = self.body(inner, element, levels, Level((*indices, let)))
                made.args = (own, elem, bounds, inner, element)
            elif let.op == "several":
                parts, value = let.args
                made = let._with((parts, self.inside(value, levels)))
                level.bound |= {id(part) for part in parts}
            else:
                name, value = let.args
                own = self.own(value, let, levels)
                made = let._with((name, self.walk(value, levels) if own is None else own))
                self.renamed[id(let)] = made
            level.lets.append(made)
            level.bound.add(id(let))
        found = self.walk(body, levels)
        return level.lets, found

    def own(self, e: Expr, let: Expr, levels: list[Level]) -> Expr | None:
        """The value of a `let` that is itself a stage at this place: what reads it again reads the `let`."""
        here = id(e), id(levels[-1])
        if self.finds or here in self.bound or e.op in LEAVES or self.place(e, levels) != len(levels) - 1:
            return None
        self.bound[here] = let
        return self.inside(e, levels)

    def extents(self, indices: Sequence[Index], levels: list[Level]) -> tuple[Index, ...]:
        """Indices over extents in which a `let` may stand."""
        return tuple(self.index(index, levels) for index in indices)

    def index(self, index: Index, levels: list[Level]) -> Index:
        low, high = index.args
        made = Index(None if low is None else self.walk(low, levels), self.walk(high, levels))
        made.name, made.site, made.scope = index.name, index.site, index.scope
        self.renamed[id(index)] = made
        return made

    def place(self, e: Expr, levels: list[Level]) -> int | None:
        """The outermost level at which a stage has its operands; none, if it has to stay where it is."""
        if not self.stages.is_stage(e, not self.finds):
            return None
        needs, _, total = self.stages.about(e)
        depth = max((k for k, level in enumerate(levels) if level.bound & needs), default=0)
        return None if not total and any(level.guards for level in levels[depth:]) else depth

    def walk(self, e: Expr, levels: list[Level]) -> Expr:
        if e.op in LEAVES:
            return self.renamed.get(id(e), e)
        depth = self.place(e, levels)
        if depth is not None:
            here = levels[depth]
            if self.finds:
                self.reads[id(e), id(here)] += 1
                if self.reads[id(e), id(here)] > 1 or depth < len(levels) - 1:
                    self.stages.often.add(id(e))
                if self.reads[id(e), id(here)] > 1:
                    return e
            if id(e) in self.stages.often:
                made = self.bound.get((id(e), id(here)))
                if made is not None:
                    made = self.renamed.get(id(made), made)
                else:
                    value = self.inside(e, levels[: depth + 1])
                    made = Expr("let", (name_of(e), value), "value", e.elem, e.shape)
                    made.site = e.site
                    self.bound[id(e), id(here)] = made
                    here.lets.append(made)
                return made
        return self.inside(e, levels)

    def inside(self, e: Expr, levels: list[Level]) -> Expr:
        """The same of what it is made of."""
        level = levels[-1]
        key = id(e), level.guards > 0
        found = level.memo.get(key)
        if found is None:
            found = level.memo[key] = self.remade(e, levels)
        return found

    def remade(self, e: Expr, levels: list[Level]) -> Expr:
        if e.op == "bind":
            word, indices, lets, body = e.args
            bounds = self.extents(indices, levels)
            return e._with((word, bounds, *self.body(lets, body, levels, Level(indices))))
        if e.op == "rounds":
            rounds = copy.copy(e.args[0])
            rounds.starts = [self.walk(start, levels) for start in rounds.starts]
            inner, steps = Level((rounds.index, *rounds.states)), Expr("bundle", tuple(rounds.steps), "value")
            rounds.index = self.index(rounds.index, levels)
            rounds.lets, steps = self.body(rounds.lets, steps, levels, inner)
            rounds.steps = list(steps.args)
            for block in ("until", "last"):
                if getattr(rounds, block) is not None:
                    lets, body = getattr(rounds, block)
                    setattr(rounds, block, self.body(lets, body, levels, Level(rounds.states)))
            return e._with((rounds,))
        guarded = e.op == "guard" or e.op == "call" and e.args[0] == "select"
        levels[-1].guards += guarded
        # A number beside an array is one beside each of its elements.
        beside = [*levels, Level()] if e.shape and e.op != "read" else levels

        def part(found: Any) -> Any:
            if isinstance(found, tuple):
                return tuple([part(each) for each in found])
            return self.walk(found, levels if found.shape else beside) if isinstance(found, Expr) else found

        made = e._with(tuple([part(found) for found in e.args]))
        levels[-1].guards -= guarded
        return made


def name_of(e: Expr) -> str:
    """What a stage is called: the variable of Python's that holds it, or what it is."""
    held = variable(e.site)
    if held is not None:
        return held
    return NAMES.get(e.whole or (e.args[0] if e.op == "bind" else ""), "stage")


def variable(site: Site | None) -> str | None:
    """The variable in which Python keeps what an instruction gives."""
    if site is None:
        return None
    code, offset = site
    following = (made for made in dis.get_instructions(code) if made.offset > offset)
    found = next(following, None)
    if found is None or not found.opname.startswith("STORE_") or found.opname in ELSEWHERE:
        return None
    name = str(found.argval[0] if isinstance(found.argval, tuple) else found.argval)
    return name if name.isascii() and name[0].isalpha() else None
