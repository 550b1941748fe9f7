"""Binders: generator expressions, run once; and ``let``.

A generator that stands at its first value holds its indices under their names, and that value is the body.
"""

from __future__ import annotations

import builtins
import functools
import operator
from types import GeneratorType
from typing import Any, Callable

from ..errors import refusal
from .expr import Expr, Index, array_function, as_expr
from .extremes import extreme
from .scopes import SCOPES, Scope

__all__ = ["all", "any", "gen", "let", "max", "min", "prod", "sum"]

#: What no index has for its value.
END = object()


def stray() -> Exception:
    return refusal(
        "an index leaves its binder",
        note="a loop over a size makes the index of a binder; a statement, a list and Python's own `sum` are none",
        help="write a generator expression inside a binder: `atl.sum(x[i] for i in N)`, `atl.gen(..)`; "
        "over a number known to Python, `for k in range(3)` unrolls",
    )


def values(word: str, generator: Any) -> tuple[Scope, list[Any]]:
    """The first value of a generator, with the scope of its indices; and the others, if Python iterates."""
    if not isinstance(generator, GeneratorType):
        raise refusal(
            f"`{word}` of a `{type(generator).__name__}`",
            help=f"give it a generator expression: `{word}(x[i] for i in N)`, without brackets inside",
        )
    scope = Scope()
    SCOPES.open.append(scope)
    try:
        first = next(generator, END)
        held = {} if generator.gi_frame is None else generator.gi_frame.f_locals
        names = {id(value): name for name, value in held.items() if type(value) is Index}
        for index in scope.indices:
            if id(index) not in names:
                raise stray()
            index.name = names[id(index)]
        made = len(scope.indices)
        rest = list(generator)
        if made and rest or len(scope.indices) > made:
            raise refusal(
                f"a loop of Python's inside `{word}` over an index",
                note="the body would be several",
                help=f"bind it, `for k in atl.upto(3)`, or write a `{word}` of its own for it",
            )
    finally:
        SCOPES.open.pop()
    return scope, ([] if first is END else [first, *rest])


def bind(word: str, scope: Scope, body: Any) -> Expr:
    """A binder over these indices."""
    e = as_expr(body)
    shape = tuple(extent(index) for index in scope.indices) + e.shape if word == "gen" else e.shape
    elem = "bool" if word in ("any", "all") else e.elem
    return Expr("bind", (word, tuple(scope.indices), tuple(scope.lets), e), "value", elem, shape)


def extent(index: Index) -> Expr:
    low: Expr | None
    high: Expr
    low, high = index.args
    return high if low is None else high - low


def gen(generator: Any) -> Expr:
    """The tensor of a generator's values: ``gen(x[i] + y[j] for i in N for j in M)`` has shape ``[N, M]``."""
    scope, found = values("gen", generator)
    if not scope.indices:
        raise refusal("`gen` without an index", help="iterate over a size, or `atl.upto(3)`: `gen(x[i] for i in N)`")
    return bind("gen", scope, found[0])


def reduction(word: str, combine: Callable[[Any, Any], Any], python: Callable[..., Any], doc: str) -> Any:
    """A reduction: of a generator over indices, or of values that Python enumerates."""

    def reduce(first: Any, *others: Any, **options: Any) -> Any:
        if isinstance(first, GeneratorType) and not others and not options:
            scope, found = values(word, first)
            if scope.indices:
                return bind(word, scope, found[0])
            first = found
        if isinstance(first, Expr) and first.shape and not others:
            return array_function(word, first, **options)
        operands = [first, *others] if others else first
        if not options and isinstance(operands, (list, tuple)) and builtins.any(isinstance(e, Expr) for e in operands):
            return functools.reduce(combine, operands)
        return python(first, *others, **options)

    reduce.__name__ = reduce.__qualname__ = word
    reduce.__doc__ = doc
    return reduce


sum = reduction("sum", operator.add, builtins.sum, "The sum of a generator's values, in order.")
prod = reduction(
    "prod", operator.mul, lambda values: functools.reduce(operator.mul, values, 1), "The product of a generator's values."
)
max = reduction("max", functools.partial(extreme, "max"), builtins.max, "The largest of a generator's values, or of several.")
min = reduction("min", functools.partial(extreme, "min"), builtins.min, "The smallest of a generator's values, or of several.")
any = reduction("any", operator.or_, builtins.any, "Does one of a generator's conditions hold?")
all = reduction("all", operator.and_, builtins.all, "Do all of a generator's conditions hold?")


def let(**bound: Any) -> Any:
    """A value with a name, which schedules use: ``bx = atl.let(bx=gen(..))``. Several are given back in order."""
    if not SCOPES.open:
        raise refusal("`let` outside of a traced function", help="use it in a function with `@atl.fn`")
    made = []
    for name, value in bound.items():
        e = as_expr(value)
        found = Expr("let", (name, e), "value" if e.sort != "pred" else "pred", e.elem, e.shape)
        SCOPES.open[-1].lets.append(found)
        made.append(found)
    return made[0] if len(made) == 1 else tuple(made)
