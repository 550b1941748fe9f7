"""Symbols as the text of a program, and which part of it each symbol is.

A part is known by how many characters other than spaces stand before it, which the formatter does not change.
"""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Sequence
from typing import Any

from ..errors import refusal
from .expr import Expr, Index, Site
from .functions import FUNCTIONS
from .types import NAMED
from .words import KEYWORDS

__all__ = ["Marks", "Printer"]

#: Words that no index and no `let` may be called.
TAKEN = KEYWORDS | frozenset(NAMED) | frozenset(FUNCTIONS) | frozenset(
    "arg ceil_div conj else flatten im index inf iterate max min one pad_l pad_r re rec relayout scan select "
    "shear size split transpose trunc_l trunc_r tactic unshear zero".split()
)

#: How tightly operators bind.
OPERATORS = {
    "||": 1, "&&": 2, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}
COMPARISON, SUM, PRODUCT, UNARY, POSTFIX = 4, 9, 10, 11, 12

#: The same of whatever else does not bind as tightly as a name.
LEVELS = {**OPERATORS, "neg": UNARY, "!": UNARY, "~": UNARY, "guard": PRODUCT, "between": COMPARISON, "bind": 0, "rounds": 0}

#: Operators as they are written.
SPACED = {op: f" {op} " for op in OPERATORS}

#: Parts of a text, from and to among those that were put one after the other, by the instructions that made them.
Marks = list[tuple[int, int, Site]]


class Printer:
    """Writes symbols; names that are taken get a number."""

    def __init__(self, taken: Any = ()) -> None:
        self.parts: list[str] = []
        self.put = self.parts.append
        self.marks: Marks = []
        self.taken: set[str] = set(taken)
        self.names: dict[int, str] = {}

    def text(self, e: Expr) -> str:
        """A symbol by itself; an index or a `let` whose place is elsewhere has its own name."""
        self.lenient = True
        self.write(e, 0)
        return "".join(self.parts)

    lenient = False

    def name(self, node: Expr, wanted: str) -> str:
        """A name for an index or a `let`, which nothing around it has."""
        base = wanted if wanted.isascii() and wanted.strip("_") and wanted[0].isalpha() else "i"
        name, k = base, 2
        while name in self.taken or name in TAKEN:
            name, k = f"{base}_{k}", k + 1
        self.taken.add(name)
        self.names[id(node)] = name
        return name

    def forget(self, nodes: Sequence[Expr]) -> None:
        for node in nodes:
            self.taken.discard(self.names.pop(id(node)))

    def of(self, node: Expr, wanted: str) -> str:
        found = self.names.get(id(node))
        if found is not None:
            return found
        if self.lenient:
            return wanted
        raise refusal(
            f"`{wanted}` leaves its binder",
            note="an index, or a `let`, is used outside of the generator in which it was made",
            help="use it inside, or make a tensor of it with `gen(..)` and read that",
        )

    def write(self, e: Expr, level: int) -> None:
        """Writes a symbol as an operand of operators of this level."""
        start, op = len(self.parts), e.op
        own = self.level(e.args[0]) if op == "number" else LEVELS.get(op, POSTFIX)
        if own < level:
            self.put("(")
        WRITERS.get(op, Printer.operator)(self, e)
        if own < level:
            self.put(")")
        # A parameter or a size was made at the head, and is read elsewhere.
        if e.site is not None and op != "name":
            self.marks.append((start, len(self.parts), e.site))

    @staticmethod
    def level(number: Any) -> int:
        """How tightly a number binds."""
        if isinstance(number, complex):
            return SUM
        return UNARY if number < 0 or math.copysign(1, number) < 0 else POSTFIX

    def operator(self, e: Expr) -> None:
        own = OPERATORS[e.op]
        a, b = e.args
        # Comparisons chain, and mean something else then.
        self.write(a, own + 1 if own == COMPARISON else own)
        self.put(SPACED[e.op])
        self.write(b, own + 1)

    def number(self, e: Expr) -> None:
        value = e.args[0]
        if type(value) is int:
            self.put(str(value))
        elif isinstance(value, bool):
            self.put("true" if value else "false")
        elif isinstance(value, complex):
            if not cmath.isfinite(value):
                raise refusal(f"the literal {value} in a traced function", help="give it by its parts: `c128(x, y)`")
            self.put(f"{value.real!r} {'-' if math.copysign(1, value.imag) < 0 else '+'} {abs(value.imag)!r}i")
        elif isinstance(value, float) and math.isnan(value):
            # Programs have no literal of it.
            self.put("(inf - inf)")
        elif isinstance(value, float) and math.isinf(value):
            self.put("inf" if value > 0 else "-inf")
        else:
            self.put(repr(value))

    def size(self, e: Expr) -> None:
        self.put(e.args[0])

    def index(self, e: Expr) -> None:
        assert isinstance(e, Index)
        self.put(self.of(e, e.name or "i"))

    def local(self, e: Expr) -> None:
        self.put(self.of(e, e.args[0]))

    def read(self, e: Expr) -> None:
        tensor, indices, guarded = e.args
        self.write(tensor, POSTFIX)
        self.put("?[" if guarded else "[")
        self.list(indices)
        self.put("]")

    def call(self, e: Expr) -> None:
        function, arguments = e.args
        self.put(f"{function}(")
        self.list(arguments)
        self.put(")")

    def bundle(self, e: Expr) -> None:
        self.put("(")
        self.list(e.args)
        self.put(")")

    def row(self, e: Expr) -> None:
        self.put("[")
        self.list(e.args)
        self.put("]")

    def list(self, symbols: Any) -> None:
        for k, symbol in enumerate(symbols):
            self.put(", " if k else "")
            self.write(symbol, 0)

    def unary(self, e: Expr) -> None:
        self.put("-" if e.op == "neg" else e.op)
        self.write(e.args[0], UNARY + 1)

    def guarded(self, e: Expr) -> None:
        self.put("[")
        self.write(e.args[0], 0)
        self.put("] * ")
        self.write(e.args[1], PRODUCT + 1)

    def between(self, e: Expr) -> None:
        for k, part in enumerate(e.args):
            self.put(("", " <= ", " < ")[k])
            self.write(part, SUM)

    def bind(self, e: Expr) -> None:
        self.binder(*e.args)

    def binder(self, word: str, indices: Sequence[Index], lets: Any, body: Expr) -> None:
        self.put(f"{word} ")
        for k, index in enumerate(indices):
            self.put(", " if k else "")
            low, high = index.args
            # An extent is outside of what it binds.
            name = self.name(index, index.name or "i")
            self.put(f"{name} < " if low is None else f"{name} in ")
            if low is not None:
                self.write(low, SUM)
                self.put("..")
            self.write(high, SUM)
        self.put(" { ")
        self.body(lets, body)
        self.put(" }")
        self.forget(indices)

    def body(self, lets: Any, body: Expr) -> None:
        """`let`s, and what they are for."""
        self.lets(lets, shared=False)
        self.write(body, 0)
        self.forget_lets(lets)

    def forget_lets(self, lets: Any) -> None:
        for let in lets:
            self.forget(let.args[0] if let.op == "several" else [let])

    def lets(self, lets: Any, shared: bool) -> None:
        """`let`s; those that several steps share are nothing else."""
        for let in lets:
            if let.op == "several":
                parts, value = let.args
                self.put("let (" + ", ".join(self.name(part, part.args[0]) for part in parts) + ") = ")
                self.write(value, 0)
                self.put("; ")
                continue
            name = self.name(let, let.args[0])
            if let.op == "rec":
                _, elem, indices, inner, body = let.args
                # A `rec` is in scope in its own value, and a `let` of the same name is not.
                self.put(f"let {name} = rec {name}: {elem} = " if shared else f"rec {name}: {elem} = ")
                self.binder("gen", indices, inner, body)
                self.put(f"; {name}; " if shared else "; ")
            else:
                self.put(f"let {name} = ")
                self.write(let.args[1], 0)
                self.put("; ")

    def old(self, e: Expr) -> None:
        self.write(e.args[0], POSTFIX)
        self.put(".old")

    def rounds(self, e: Expr) -> None:
        rounds = e.args[0]
        self.put(f"{rounds.word} {self.name(rounds.index, rounds.index.name)} < ")
        self.write(rounds.index.args[1], SUM)
        self.put(" from ")
        for k, (state, start) in enumerate(zip(rounds.states, rounds.starts)):
            wanted = state.args[0]
            self.put(f"{', ' if k else ''}{self.name(state, wanted)} = ")
            plain = start.elem is None and state.elem is not None and start.op == "number"
            self.put(f"{state.elem}(" if plain else "")
            self.write(start, 0)
            self.put(")" if plain else "")
        if rounds.until is not None:
            lets, condition = rounds.until
            self.put(" until (")
            self.body(lets, condition)
            self.put(")")
        self.put(" { ")
        self.lets(rounds.lets, shared=len(rounds.states) > 1)
        self.list(rounds.steps)
        self.put(" }")
        self.forget_lets(rounds.lets)
        if rounds.last is not None:
            lets, last = rounds.last
            self.put(" in " if rounds.word == "iterate" else " give ")
            self.body(lets, last)
        self.forget([rounds.index, *rounds.states])

    def site(self, start: int) -> Site | None:
        """The instruction that made the smallest part at this place, in characters that are not spaces."""
        places = [0, *itertools.accumulate(len("".join(part.split())) for part in self.parts)]
        parts = [(places[begin], places[to], site) for begin, to, site in self.marks]
        found = [(to - begin, site) for begin, to, site in parts if begin <= start < to]
        return min(found, key=lambda part: part[0])[1] if found else None


#: What writes each kind of symbol that is no operator.
WRITERS = {
    "number": Printer.number,
    "name": Printer.size,
    "index": Printer.index,
    "let": Printer.local,
    "state": Printer.local,
    "old": Printer.old,
    "rec": Printer.local,
    "rounds": Printer.rounds,
    "read": Printer.read,
    "call": Printer.call,
    "neg": Printer.unary,
    "!": Printer.unary,
    "~": Printer.unary,
    "guard": Printer.guarded,
    "between": Printer.between,
    "bind": Printer.bind,
    "bundle": Printer.bundle,
    "row": Printer.row,
}
