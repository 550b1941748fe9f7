"""Arrays with other elements at some places: ``x.at[1:-1].set(y)`` in place of ``x[1:-1] = y``, as in JAX."""

from __future__ import annotations

from typing import Any, Callable

from ..errors import refusal
from .constants import is_list
from .expr import Expr, as_expr, binary, divide, where
from .extremes import propagated
from .scopes import SCOPES
from .types import NAMED
from .views import agree, at, bind, ends, expanded, fresh, number, of_indices, of_sizes, stretch, term

__all__ = ["At"]


class At:
    """The array, of which places are chosen: ``x.at[..]``."""

    def __init__(self, x: Expr) -> None:
        self.x = x

    def __getitem__(self, indices: Any) -> Chosen:
        return Chosen(self.x, indices if isinstance(indices, tuple) else (indices,))


class Chosen:
    """Places of an array; each method gives the array with others there."""

    def __init__(self, x: Expr, indices: tuple[Any, ...]) -> None:
        if any(i is None or is_list(i) or isinstance(i, Expr) and i.shape for i in indices):
            raise refusal(
                "`.at` with other than slices and indices",
                help="write the elements: `gen(x[k] + sum(atl.guard(k == at[i], v[i]) for i in N) for k in K)` adds at places of an array",
            )
        self.x, self.indices = x, expanded(x, indices)

    def set(self, value: Any) -> Expr:
        """These elements there."""
        return self.changed(value, lambda old, new: new)

    def add(self, value: Any) -> Expr:
        return self.changed(value, lambda old, new: binary("+", old, new))

    def subtract(self, value: Any) -> Expr:
        return self.changed(value, lambda old, new: binary("-", old, new))

    def multiply(self, value: Any) -> Expr:
        return self.changed(value, lambda old, new: binary("*", old, new))

    def divide(self, value: Any) -> Expr:
        return self.changed(value, divide)

    def max(self, value: Any) -> Expr:
        return self.changed(value, lambda old, new: propagated("max", old, new))

    def min(self, value: Any) -> Expr:
        return self.changed(value, lambda old, new: propagated("min", old, new))

    def changed(self, value: Any, of: Callable[[Any, Any], Expr]) -> Expr:
        """Where an index is one of the places, what a function makes of both; elsewhere the element."""
        x, new = self.x, as_expr(value)
        places = fresh(x.shape)
        conditions: list[Expr] = []
        own: list[Any] = []
        extents: list[Expr] = []
        for index, extent, i in zip(places, x.shape, self.indices):
            if not isinstance(i, slice):
                (place,) = of_indices(Expr("name", ("x",), "value", None, (extent,)), (i,))
                conditions.append(index == place)
                known, length = number(as_expr(i)), number(extent)
                needed = 0 if known is None else known + 1 if known >= 0 else -known
                if length is not None and needed > length:
                    raise refusal(f"a place beyond an axis of {length} elements", help=f"places are from {-length} to {length - 1}")
                if length is None and needed and of_sizes(extent):
                    SCOPES.open[0].needs.append(Expr("<=", (as_expr(needed), extent), "pred", "bool"))
                continue
            begin, count, step, _ = ends(extent, i)
            whole = i.start is None and i.stop is None
            first = term("-", begin, term("*", term("-", count, 1), -step)) if step < 0 else begin
            steps = term("-", index, first)
            if not whole or abs(step) > 1:
                conditions += [as_expr(index >= first), as_expr(steps < term("*", count, abs(step)))]
            if abs(step) > 1:
                conditions.append(as_expr(steps % abs(step) == 0))
                steps = term("/", steps, abs(step))
            own.append(as_expr(term("-", term("-", count, 1), steps) if step < 0 else steps))
            extents.append(as_expr(count))
        if new.shape:
            new = stretch(new, tuple(extents)) if len(new.shape) <= len(extents) else new
            if len(new.shape) != len(extents):
                raise refusal("more axes than there are places for", help=f"the places have {len(extents)} axes")
            for own_extent, extent in zip(new.shape, extents):
                agree(own_extent, extent, "give as many elements as there are places")
            guarded = True if conditions else None
            new = Expr("read", (new, tuple(own), guarded), "value", new.elem) if own else new
        old, new = at(x, places), self.converted(new)
        found = of(old, new)
        for condition in reversed(conditions):
            found = where(condition, found, old)
        found = self.converted(found)
        return bind("gen", places, found if found.elem is not None else self.x.elem(found), "updated")

    def converted(self, e: Expr) -> Expr:
        """A number in the type of the array, as NumPy stores it there."""
        elem: Any = NAMED.get(str(self.x.elem), self.x.elem)
        if e.op == "number" and type(e.args[0]) is bool and elem is not NAMED["bool"]:
            return as_expr(int(e.args[0]))
        if e.elem is None or str(e.elem) == str(elem):
            return e
        return as_expr(elem(e))
