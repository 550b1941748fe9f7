"""The scopes that are open while a function is traced."""

from __future__ import annotations

from _thread import _local as Local
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .expr import Expr, Index

__all__ = ["SCOPES", "Scope"]


class Scope:
    """A binder that is being made, or a function: its indices, the states of a step, and its ``let``s."""

    def __init__(self, arguments: tuple[Expr, ...] = ()) -> None:
        self.outer: Scope | None = SCOPES.open[-1] if SCOPES.open else None
        self.arguments = arguments
        self.indices: list[Index] = []
        self.lets: list[Expr] = []
        #: Conditions on sizes, which a call checks.
        self.needs: list[Expr] = []
        #: What functions of whole arrays gave, by function and operands: the same again is the same symbol.
        self.made: dict[Any, tuple[Any, Expr]] = {} if self.outer is None else self.outer.made

    def bound(self) -> set[int]:
        """The indices and states of this scope and of those around it."""
        own = {id(e) for e in (*self.indices, *self.arguments)}
        return own if self.outer is None else own | self.outer.bound()


class Scopes(Local):
    """The scopes that are open, the innermost last."""

    def __init__(self) -> None:
        self.open: list[Scope] = []


SCOPES = Scopes()
