"""Facts about symbols: what must be in scope, whether there is a reduction, and what an element costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .expr import APART, Expr, Index
from .types import NAMED

__all__ = ["LEAVES", "MUCH", "Facts", "children"]

#: What has its value elsewhere.
LEAVES = ("number", "name", "index", "let", "state", "rec")

#: What reductions and recurrences cost.
MUCH = 1_000_000

#: What operations cost, in additions; other functions are series of them.
COSTS = {"/": 4, "%": 4, "sqrt": 4, "select": 1, "max": 1, "min": 1, "abs": 1, "conj": 0, "re": 0, "im": 0, "index": 0}
CONVERSION, FUNCTION = 1, 8


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


class Facts:
    """What is known of symbols, each once."""

    def __init__(self, sparse: Iterable[str] = ()) -> None:
        self.facts: dict[int, tuple[frozenset[int], bool, bool, Expr]] = {}
        #: Parameters whose zeros are not stored.
        self.sparse = frozenset(sparse)
        #: What has a `let`: it costs nothing where it is read.
        self.often: dict[int, Expr] = {}
        self.costs: dict[int, int] = {}
        self.prices: dict[int, int] = {}
        #: A `let` saves at least this.
        self.least = 0
        self.empty: dict[int, bool] = {}
        self.separate: dict[int, bool] = {}

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
            if e.op == "read" and e.args[2] is None:
                # Its indices are in bounds wherever their binders are.
                total = self.about(e.args[0])[2]
            elif e.op == "read":
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

    def bind(self, often: dict[int, Expr]) -> None:
        """These have a `let` each, and no others."""
        self.often = often
        self.costs.clear()
        self.separate.clear()

    def prune(self, least: int) -> None:
        """What costs less once its operands have their `let`s stays without one; operands first."""
        self.least = least
        for e in list(self.often.values()):
            self.cost(e)

    def price(self, e: Expr) -> int:
        """What a `let` saves at a read. An array with the zeros of a sparse one is not stored."""
        found = self.prices.get(id(e))
        if found is None:
            found = self.prices[id(e)] = 0 if e.shape and self.is_sparse(e) else min(MUCH, self.inside(e))
        return found

    def is_separate(self, e: Expr) -> bool:
        """Is each element of an array computed by itself, without the others?"""
        if e.op in LEAVES or not e.shape:
            return True
        found = self.separate.get(id(e))
        if found is None:
            found = e.op != "rounds"
            if e.op == "bind":
                word, _, lets, body = e.args
                found = word == "gen" and not lets and not body.shape and not any(e.whole == APART for e in children(body))
            elif found:
                found = all([id(part) in self.often or self.is_separate(part) for part in children(e)])
            self.separate[id(e)] = found
        return found

    def is_sparse(self, e: Expr) -> bool:
        """Does it have elements of a sparse parameter?"""
        if e.op == "name":
            return e.args[0] in self.sparse
        if not self.sparse or e.op in LEAVES or e.op == "rounds" or e.op == "bind" and e.args[0] != "gen":
            return False
        found = self.empty.get(id(e))
        if found is None:
            parts = [e.args[3]] if e.op == "bind" else children(e)
            found = self.empty[id(e)] = any([self.is_sparse(part) for part in parts])
        return found

    def cost(self, e: Expr) -> int:
        """What an element of an array costs, or a number, where it is read; at most ``MUCH``."""
        if e.op in LEAVES:
            return 0
        found = self.costs.get(id(e))
        if found is None:
            found = min(MUCH, self.inside(e))
            if id(e) in self.often:
                needs, reduces, _ = self.about(e)
                if found < self.least and (e.shape or needs or not reduces):
                    del self.often[id(e)]
                else:
                    found = 0
            self.costs[id(e)] = found
        return found

    def inside(self, e: Expr) -> int:
        """The same of what may have a `let`."""
        if e.op == "rounds" or e.op == "bind" and e.args[0] != "gen":
            return MUCH
        if e.op == "bind":
            _, _, lets, body = e.args
            if any(let.op != "let" for let in lets):
                return MUCH
            return sum(self.cost(let.args[1]) for let in lets) + self.cost(body)
        return own_cost(e) + sum(self.cost(part) for part in children(e))


def own_cost(e: Expr) -> int:
    """What an operation costs without its operands."""
    if e.op == "call":
        return COSTS.get(e.args[0], CONVERSION if e.args[0] in NAMED else FUNCTION)
    return 0 if e.op in ("read", "bundle", "between", "row") or e.sort == "ix" else COSTS.get(e.op, 1)
