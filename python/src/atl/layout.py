"""Layouts in CuTe's notation."""

from __future__ import annotations

from . import _atl
from .program import entry

__all__ = ["Layout", "layout"]


class Layout:
    """The value of an expression of layouts: ``str`` is its notation, ``picture`` a grid of text; a notebook draws it."""

    def __init__(self, expression: str) -> None:
        import json  # it is used here alone, and takes milliseconds

        self.expression = expression
        text, value, self._svg = _atl.layout(expression)
        head, _, rest = text.partition("\n")
        self._notation, self.picture = head, rest
        self.value = json.loads(value)

    def __str__(self) -> str:
        return self._notation

    def __repr__(self) -> str:
        return f"atl.layout({self._notation!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._notation == other._notation

    def __hash__(self) -> int:
        return hash(self._notation)

    def _repr_svg_(self) -> str | None:
        return self._svg


@entry
def layout(expression: str) -> Layout:
    """The value of an expression: ``o`` composes, and ``complement``, ``coalesce`` and the others are functions.

    Raises ``Refused`` where an operation has no value, also where CuTe computes a wrong one.

    >>> layout("(6,2):(8,2) o (4,3):(3,1)")
    atl.layout('((2,2),3):((24,2),8)')
    """
    return Layout(expression)
