"""Stages: what is costly and read at many places is bound by a ``let`` before.

A product of matrices is a binder over a sum. Inside of another binder each read would compute it again, and so
would a mean beside each element of an array. The elements of ``np.exp(x)`` are computed again at each read, too.
All of them get a ``let`` at the outermost place that has their operands.
What stands in a generator expression stays there; what Python computed before is bound where Python was.
"""

from __future__ import annotations

import copy
import dis
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from .expr import APART, Expr, Index, Site
from .facts import LEAVES, Facts, own_cost
from .fuse import OPERATORS, fused

__all__ = ["staged"]

#: What a stage is called that no variable of Python's holds.
NAMES = {
    "dot": "product", "sum": "total", "prod": "product", "mean": "mean", "max": "largest", "min": "smallest",
    "any": "found", "all": "every", "var": "variance", "std": "deviation", "norm": "norm", "argmax": "place", "argmin": "place",
}  # fmt: skip

#: The same of what always has one.
OWN = {"max": "largest", "min": "smallest", "any": "has_nan", "i32": "places", "sum": "total", "prod": "total"}

#: Instructions that store, and not in a variable.
ELSEWHERE = ("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE")

#: How deep a walk may be; the printer comes to its own end before.
DEEPEST = 20_000

#: What an element costs at least, in additions, that is not computed again by another loop.
COSTLY = 4

#: The same for copies at one place of one loop, all but the first together: the C compiler computes them
#: once.
LONG = 32

#: How many symbols are looked at, where some are read again.
MANY = 1000

#: The loops that a term runs through, each value once; or none if values are repeated.
Through = frozenset[int] | None

#: An array's indices where it is read.
At = tuple[Expr, ...]


class Level:
    """A place where a `let` may stand: the function, or the body of a binder."""

    def __init__(self, bound: Iterable[Expr] = (), loops: Iterable[int] = ()) -> None:
        self.bound = {id(e) for e in bound}
        self.lets: list[Expr] = []
        #: Inside of how many guards the walk is.
        self.guards = 0
        self.memo: dict[tuple[int, bool], Expr] = {}
        #: What runs here, and which loops its indices run through.
        self.loops = set(loops)
        self.through: dict[int, Through] = {}


class Seen:
    """The places at which a symbol is read."""

    def __init__(self) -> None:
        self.count = 0
        self.keys: set[Any] = set()
        #: Is it read in a loop that does not select its elements, or beside elements that it does not need?
        self.again = False


def staged(lets: Sequence[Expr], result: Expr, sparse: Iterable[str]) -> tuple[list[Expr], Expr]:
    """A function with its stages: two walks over its symbols find what is read often, the last binds it. The zeros of
    ``sparse`` parameters are not stored."""
    if not lets and has_none(result):
        return [], result
    facts, limit = Facts(sparse), sys.getrecursionlimit()
    # A walk is a few calls deep for each operator, and a sum that Python unrolls has hundreds.
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        # The first walk meets operands of stages inside of loops; the second one where their `let`s are.
        for _ in range(2):
            walk = Walk(facts, finds=True)
            walk.body(lets, result, [], Level())
            facts.bind(walk.often())
            if not facts.often:
                return fused(list(lets), result)
        facts.prune(COSTLY)
        return fused(*Walk(facts, finds=False).body(lets, result, [], Level()))
    finally:
        sys.setrecursionlimit(limit)


def has_none(result: Expr) -> bool:
    """Are these elements of parameters, computed in one loop without reductions, and none of them worth a stage? So are
    most functions, and this is said by one look at each symbol."""
    found = [result]
    if result.op == "bind":
        word, indices, lets, body = result.args
        if word != "gen" or lets or result.whole is not None:
            return False
        found = [body, *(end for index in indices for end in index.args if end is not None)]
    cost, is_shared, visits, seen = 0, False, 0, set()
    while found:
        e = found.pop()
        op = e.op
        if op in ("number", "name", "index"):
            if e.shape:
                return False
            continue
        if e.shape or e.whole is not None:
            return False
        is_shared |= id(e) in seen
        seen.add(id(e))
        visits += 1
        if op == "read":
            tensor, indices, _ = e.args
            if tensor.op != "name":
                return False
            found += indices
        elif op == "call":
            found += e.args[1]
            cost += own_cost(e)
        elif op in OPERATORS or op == "between":
            found += e.args
            cost += own_cost(e)
        else:
            return False
        # What is read again costs no more than all of it, with what is read again each time.
        if is_shared and (cost >= LONG or visits > MANY):
            return False
    return True


class Walk:
    """One walk: it finds what is read often, or it binds that."""

    def __init__(self, facts: Facts, finds: bool) -> None:
        self.facts = facts
        self.finds = finds
        self.renamed: dict[int, Expr] = {}
        self.bound: dict[tuple[int, int], Expr] = {}
        self.seen: dict[int, tuple[Expr, Seen]] = {}
        self.met: set[Any] = set()
        #: Levels are told apart by their place in memory, so all of them are kept.
        self.levels: list[Level] = []

    def often(self) -> dict[int, Expr]:
        """What costs more where it is read than by a `let`."""
        return {key: e for key, (e, seen) in self.seen.items() if self.is_often(e, seen)}

    def is_often(self, e: Expr, seen: Seen) -> bool:
        if e.whole == APART:
            return True
        if not e.shape and self.facts.about(e)[1]:
            return seen.count > 1 or seen.again
        cost = self.facts.price(e)
        if e.shape and (seen.again or len(seen.keys) > 1):
            return cost >= COSTLY
        return (seen.count - 1) * cost >= LONG

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
                inner, element = self.body(inner, element, levels, self.loop(indices, (), levels, (let,)))
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
        if self.finds or here in self.bound or self.place(e, levels) != len(levels) - 1:
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

    def loop(self, indices: Sequence[Expr], at: At, levels: list[Level], others: Iterable[Expr] = ()) -> Level:
        """The level of a binder; an index that a read gives runs through the loops of what it is read at."""
        level = Level((*indices, *others), [id(index) for index in indices[len(at) :]])
        for index, term in zip(indices, at):
            level.through[id(index)] = through(term, levels)
        return level

    def place(self, e: Expr, levels: list[Level]) -> int | None:
        """The outermost level at which a stage has its operands; none, if it has to stay where it is."""
        if e.op in LEAVES or e.sort != "value" or e.elem is None:
            return None
        needs, reduces, total = self.facts.about(e)
        if not reduces and self.facts.price(e) < COSTLY and id(e) not in self.facts.often:
            return None
        depth = max((k for k, level in enumerate(levels) if level.bound & needs), default=0)
        return None if not total and any(level.guards for level in levels[depth:]) else depth

    def walk(self, e: Expr, levels: list[Level], at: At = (), region: int | None = None) -> Expr:
        if e.op in LEAVES:
            return self.renamed.get(id(e), e)
        if e.shape and region is None:
            # One loop computes all of an expression of whole arrays.
            region = id(e)
        depth = self.place(e, levels)
        if self.finds:
            return self.find(e, levels, depth, at, region)
        if depth is not None and id(e) in self.facts.often:
            here = levels[depth]
            made = self.bound.get((id(e), id(here)))
            if made is not None:
                return self.renamed.get(id(made), made)
            value = self.inside(e, levels[: depth + 1])
            made = Expr("let", (name_of(e), value), "value", e.elem, e.shape)
            made.site = e.site
            self.bound[id(e), id(here)] = made
            here.lets.append(made)
            return made
        return self.inside(e, levels)

    def find(self, e: Expr, levels: list[Level], depth: int | None, at: At, region: int | None) -> Expr:
        """Notes where a symbol is read, and follows its operands: those of what is cheap for each place."""
        key: Any = (id(levels[-1]), tuple(spelled(term) for term in at), region)
        if depth is not None:
            _, seen = self.seen.setdefault(id(e), (e, Seen()))
            seen.count += 1
            seen.keys.add(key)
            # What a loop computes element by element is a loop, too.
            inside = region != id(e) or any(level.loops for level in levels[depth + 1 :])
            if e.shape:
                seen.again |= repeated(at, levels, depth) or inside and not self.facts.is_separate(e)
            else:
                seen.again |= depth < len(levels) - 1
            if id(e) in self.facts.often:
                levels, at, region = levels[: depth + 1], (), None
        if self.facts.price(e) >= COSTLY:
            key = None
        # A term of indices has no `let`, so its operands are read again.
        if (id(e), key) not in self.met or e.sort == "ix":
            self.met.add((id(e), key))
            self.remade(e, levels, at, region)
        return e

    def inside(self, e: Expr, levels: list[Level]) -> Expr:
        """The same of what it is made of."""
        if self.finds:
            return self.remade(e, levels, (), None)
        level = levels[-1]
        key = id(e), level.guards > 0
        found = level.memo.get(key)
        if found is None:
            found = level.memo[key] = self.remade(e, levels, (), None)
        return found

    def remade(self, e: Expr, levels: list[Level], at: At, region: int | None) -> Expr:
        if e.op == "bind":
            word, indices, lets, body = e.args
            bounds = self.extents(indices, levels)
            level = self.loop(indices, at[: len(indices)] if word == "gen" else (), levels)
            return e._with((word, bounds, *self.body(lets, body, levels, level)))
        if e.op == "rounds":
            rounds = copy.copy(e.args[0])
            rounds.starts = [self.walk(start, levels) for start in rounds.starts]
            inner = Level((rounds.index, *rounds.states), [id(rounds.index)])
            steps = Expr("bundle", tuple(rounds.steps), "value")
            rounds.index = self.index(rounds.index, levels)
            rounds.lets, steps = self.body(rounds.lets, steps, levels, inner)
            rounds.steps = list(steps.args)
            for block in ("until", "last"):
                if getattr(rounds, block) is not None:
                    lets, body = getattr(rounds, block)
                    # They are evaluated after each round.
                    setattr(rounds, block, self.body(lets, body, levels, Level(rounds.states, [id(rounds)])))
            return e._with((rounds,))
        if e.op == "read":
            tensor, indices, guarded = e.args
            found = tuple([self.walk(index, levels) for index in indices])
            return e._with((self.walk(tensor, levels, (*indices, *at), region if at else None), found, guarded))
        guarded = e.op == "guard" or e.op == "call" and e.args[0] == "select"
        levels[-1].guards += guarded
        # A number beside an array is one beside each of its elements.
        beside = levels
        if e.shape:
            self.levels.append(Level())
            beside = [*levels, self.levels[-1]]

        def part(found: Any) -> Any:
            if isinstance(found, tuple):
                return tuple([part(each) for each in found])
            if not isinstance(found, Expr):
                return found
            return self.walk(found, levels, at, region) if found.shape else self.walk(found, beside)

        made = e._with(tuple([part(found) for found in e.args]))
        levels[-1].guards -= guarded
        return made


def spelled(term: Expr) -> Any:
    """A term of indices, to be compared."""
    if term.op in ("number", "name"):
        return term.args[0]
    if term.op in ("+", "-", "*", "/", "%", "neg"):
        return (term.op, *(spelled(part) for part in term.args))
    return id(term)


def through(term: Expr, levels: list[Level]) -> Through:
    """The loops that an index term runs through, if no value comes again."""
    if term.op == "index" or term.op in LEAVES:
        for level in reversed(levels):
            if id(term) in level.through:
                return level.through[id(term)]
            if id(term) in level.loops:
                return frozenset((id(term),))
        return frozenset()
    parts = [through(part, levels) for part in term.args if isinstance(part, Expr)]
    running = [part for part in parts if part is None or part]
    if len(running) > 1 or running and term.op not in ("+", "-", "neg"):
        return None
    return running[0] if running else frozenset()


def repeated(at: At, levels: list[Level], depth: int) -> bool:
    """Do loops inside of this level read an element more than once?"""
    around = frozenset().union(*(level.loops for level in levels[depth + 1 :]))
    ways = [through(term, levels) for term in at]
    if any(way is None for way in ways):
        return True
    run = [way & around for way in ways if way]
    # An element that no loop selects is computed before the loops.
    return bool(run or not at) and (sum(map(len, run)) < len(around) or len(frozenset().union(*run)) < sum(map(len, run)))


def name_of(e: Expr) -> str:
    """What a stage is called: the variable of Python's that holds it, or what it is."""
    if e.whole == APART:
        of = e.args[3] if e.args[0] == "gen" else e
        # Rounds have the name of their state.
        return str(of.args[0].states[0].args[0]) if of.op == "rounds" else OWN[of.args[0]]
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
