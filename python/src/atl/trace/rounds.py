"""Recurrences: ``iterate``, ``scan`` and ``rec``. A step is a function of the round and the states, run once on symbols.

The states and the indices have the names of the step's parameters.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable

from ..errors import refusal
from .binders import stray
from .expr import Expr, Index, as_expr
from .scopes import SCOPES, Scope
from .types import Elem

__all__ = ["iterate", "old", "rec", "scan"]


def run(function: Callable[..., Any], arguments: tuple[Expr, ...], what: str) -> tuple[list[Expr], list[Expr]]:
    """What a function gives for symbols, and the `let`s that it makes."""
    scope = Scope(arguments)
    SCOPES.open.append(scope)
    try:
        found = function(*arguments)
    finally:
        SCOPES.open.pop()
    if scope.indices:
        raise stray()
    given = [as_expr(part) for part in found] if isinstance(found, tuple) else [as_expr(found)]
    if not given:
        raise refusal(f"{what} gives nothing", help="return a value for each state")
    return given, scope.lets


def one(function: Callable[..., Any], arguments: tuple[Expr, ...], what: str) -> tuple[list[Expr], Expr]:
    """The same of what gives one value."""
    given, lets = run(function, arguments, what)
    if len(given) != 1:
        raise refusal(f"{what} gives {len(given)} values", help="return one")
    return lets, given[0]


def names(function: Callable[..., Any], count: int, what: str) -> list[str]:
    """The names of a function's parameters, of which there are so many."""
    found = list(inspect.signature(function).parameters)
    if len(found) != count:
        raise refusal(
            f"{what} has {len(found)} parameters, and {count} values are given to it",
            help="a step takes the number of the round and then each state, other functions take each state",
        )
    return found


class Rounds:
    """What `iterate` and `scan` have in common. States that are given as a tuple may be one parameter of each function, as in JAX."""

    def __init__(self, word: str, times: Any, step: Callable[..., Any], starts: tuple[Any, ...]) -> None:
        if not SCOPES.open:
            raise refusal(f"`{word}` outside of a traced function", help="use it in a function with `@atl.fn`")
        self.is_tuple = len(starts) == 1 and isinstance(starts[0], tuple)
        starts = starts[0] if self.is_tuple else starts
        if callable(times) or not callable(step):
            raise refusal(
                f"the step of `{word}` is no function",
                note="first is the number of rounds, then the step, then each start",
                help=f"`atl.{word}(T, lambda t, x: .., start)`",
            )
        if not starts:
            raise refusal(f"`{word}` without a state", help=f"`atl.{word}(T, lambda t, x: .., start)`")
        step, (round_name, *state_names) = self.function(step, 1, len(starts), f"the step of `{word}`")
        self.word = word
        self.index = Index(None, as_expr(times))
        self.index.name = round_name
        self.starts = begun = [as_expr(start) for start in starts]
        self.states: tuple[Expr, ...] = tuple(Expr("state", (n, s), "value", s.elem, s.shape) for n, s in zip(state_names, begun))
        self.steps, self.lets = run(step, (self.index, *self.states), f"the step of `{word}`")
        if len(self.steps) != len(self.states):
            raise refusal(
                f"the step of `{word}` gives {len(self.steps)} values for {len(self.states)} states",
                help="return a value for each state, in their order",
            )
        # A start that is a plain number has the type of what the step makes of it.
        for state, made in zip(self.states, self.steps):
            state.elem = state.elem or made.elem
        self.until: tuple[list[Expr], Expr] | None = None
        self.last: tuple[list[Expr], Expr] | None = None

    def function(self, of: Callable[..., Any], before: int, count: int, what: str) -> tuple[Callable[..., Any], list[str]]:
        """A function of the states, each a parameter of its own after the first ones, and the names of its parameters."""
        found = list(inspect.signature(of).parameters)
        if not self.is_tuple or len(found) != before + 1 or count == 1 and not before:
            return of, names(of, before + count, what)
        named = [f"{found[-1]}_{k}" for k in range(count)]
        return lambda *given: of(*given[:before], given[before:]), [*found[:-1], *named]

    def made(self, value: Expr, shape: tuple[Expr, ...]) -> Expr:
        return Expr("rounds", (self,), "value", value.elem, shape)

    def ends_in(self, function: Callable[..., Any], extents: tuple[Expr, ...], what: str) -> Any:
        """What a function makes of the states: a value, or a tuple of several."""
        given, lets = run(function, self.states, what)
        self.last = lets, given[0] if len(given) == 1 else Expr("bundle", tuple(given), "value")
        if len(given) == 1:
            return self.made(given[0], (*extents, *given[0].shape))
        return self.several([(*extents, *e.shape) for e in given], tuple(given))

    def several(self, shapes: list[tuple[Expr, ...]], values: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """What they end in, by name."""
        names = [e.args[0] if e.op in ("state", "let") else "value" for e in values]
        known = zip(names, values, shapes)
        parts = tuple(Expr("let", (name, None), "value", e.elem, shape) for name, e, shape in known)
        SCOPES.open[-1].lets.append(Expr("several", (parts, Expr("rounds", (self,), "value")), "value"))
        return parts


def iterate(
    times: Any,
    step: Callable[..., Any],
    *starts: Any,
    until: Callable[..., Any] | None = None,
    value: Callable[..., Any] | None = None,
) -> Any:
    """The state after so many rounds, each of which makes ``step(t, x)`` of the state ``x``; or ``value`` of them.

    Several states, or several values, are a tuple; a tuple of starts may be one parameter of each function.

    ``until`` is a condition on the states: the first ones for which it holds are the last.

    >>> import numpy as np
    >>> from atl import f64, gen, iterate
    >>> N, T = atl.sizes("N T")
    >>> @atl.fn(u=f64[N], steps=f64[T])
    ... def heat(u, steps):
    ...     return iterate(T, lambda t, x: gen((x.get(i - 1) + 2 * x[i] + x.get(i + 1)) / 4 for i in N), u)
    >>> heat(np.array([0.0, 4, 0]), np.zeros(2))
    array([1. , 1.5, 1. ])
    """
    rounds = Rounds("iterate", times, step, starts)
    states = rounds.states
    if until is not None:
        until, _ = rounds.function(until, 0, len(states), "the condition of `iterate`")
        rounds.until = one(until, states, "the condition of `iterate`")
    if value is None:
        shapes: list[tuple[Expr, ...]] = [e.shape for e in states]
        return rounds.made(states[0], shapes[0]) if len(states) == 1 else rounds.several(shapes, states)
    value, _ = rounds.function(value, 0, len(states), "the value of `iterate`")
    return rounds.ends_in(value, (), "the value of `iterate`")


def scan(times: Any, step: Callable[..., Any], *starts: Any, give: Callable[..., Any] | None = None) -> Any:
    """All states of so many rounds, ``times + 1`` of them; or what ``give`` makes of the new states of each round.
    Several are a tuple.

    In ``give``, ``atl.old(x)`` is the state before the round.

    >>> import numpy as np
    >>> from atl import f64, scan
    >>> N = atl.sizes("N")[0]
    >>> @atl.fn(x=f64[N])
    ... def running(x):
    ...     return scan(N, lambda t, s: s + x[t], 0.0, give=lambda s: s)
    >>> running(np.array([1.0, 2, 3]))
    array([1., 3., 6.])
    """
    rounds = Rounds("scan", times, step, starts)
    states, extent = rounds.states, rounds.index.args[1]
    if give is None:
        shapes: list[tuple[Expr, ...]] = [(extent + 1, *e.shape) for e in states]
        return rounds.made(states[0], shapes[0]) if len(states) == 1 else rounds.several(shapes, states)
    give, _ = rounds.function(give, 0, len(states), "`give` of `scan`")
    return rounds.ends_in(give, (extent,), "`give` of `scan`")


def old(state: Expr) -> Expr:
    """In `give` of a scan, a state before the round."""
    if not isinstance(state, Expr) or state.op != "state":
        raise refusal("`old` takes a state, and this value is not one", help="pass a parameter of `give`: `give=lambda s: s - atl.old(s)`")
    return Expr("old", (state,), "value", state.elem, state.shape)


def rec(elem: Elem, element: Callable[..., Any], *extents: Any) -> Expr:
    """A tensor whose elements need earlier ones: ``element(x, i, j)`` is the one at ``i, j``, and reads ``x`` at earlier places.

    >>> import numpy as np
    >>> from atl import f64, rec
    >>> N = atl.sizes("N")[0]
    >>> @atl.fn(x=f64[N])
    ... def filtered(x):
    ...     return rec(f64, lambda y, t: x[t] + y.get(t - 1) / 2, N)
    >>> filtered(np.array([4.0, 0, 0]))
    array([4., 2., 1.])
    """
    if not SCOPES.open:
        raise refusal("`rec` outside of a traced function", help="use it in a function with `@atl.fn`")
    if not isinstance(elem, Elem) or not extents:
        raise refusal("`rec` without a type or an extent", help="`atl.rec(f64, lambda x, i: .., N)`")
    own, *index_names = names(element, 1 + len(extents), "the element of `rec`")
    indices = []
    for name, extent in zip(index_names, extents):
        index = Index(None, as_expr(extent))
        index.name = name
        indices.append(index)
    shape = tuple(index.args[1] for index in indices)
    made = Expr("rec", (own,), "value", elem, shape)
    lets, body = one(element, (made, *indices), "the element of `rec`")
    made.args = (own, str(elem), tuple(indices), lets, body)
    SCOPES.open[-1].lets.append(made)
    return made
