"""Arrays with other elements at some places: ``x.at[1:-1].set(y)`` in place of ``x[1:-1] = y``, as in JAX."""

from __future__ import annotations

from typing import Any, Callable

from ..errors import refusal
from .constants import is_list
from .expr import APART, Expr, array_function, as_expr, binary, divide, guard, index, is_integer, where
from .extremes import lowest, propagated
from .scopes import SCOPES
from .types import NAMED, i32, i64
from .views import agree, at, bind, ends, expanded, fresh, number, of_indices, of_sizes, stretch, term

__all__ = ["At"]


class At:
    """The array, of which places are chosen: ``x.at[..]``."""

    def __init__(self, x: Expr) -> None:
        self.x = x

    def __getitem__(self, indices: Any) -> Chosen:
        return Chosen(self.x, indices if isinstance(indices, tuple) else (indices,))


def is_vector(indices: tuple[Any, ...], along: int) -> bool:
    """Are these whole axes but for one vector of integers?"""
    rest = indices[:along] + indices[along + 1 :]
    is_whole = all(i is Ellipsis or isinstance(i, slice) and i == slice(None) for i in rest)
    vector = as_expr(indices[along])
    return is_whole and len(vector.shape) == 1 and is_integer(vector)


def counted(vector: Expr, extent: Expr) -> Expr:
    """Places of an axis from its start, in 32 bits; -1 for what is beyond it."""
    if of_sizes(extent) and number(extent) is None:
        SCOPES.open[0].needs.append(as_expr(extent < 2**31))
    of = fresh(vector.shape)
    element, end = at(vector, of), i64(extent)
    element = element if str(element.elem) == "i64" else i64(element)
    place = where(element < 0, element + end, element)
    return bind("gen", of, i32(where((place < 0) | (place >= end), -1, place)), APART)


class Chosen:
    """Places of an array; each method gives the array with others there."""

    def __init__(self, x: Expr, indices: tuple[Any, ...]) -> None:
        listed = [k for k, i in enumerate(indices) if is_list(i) or isinstance(i, Expr) and i.shape]
        if any(i is None for i in indices) or listed and not is_vector(indices, listed[0]):
            raise refusal(
                "`.at` with other than slices, indices, and one vector of integers",
                help="write the elements: `gen(x[k] + sum(atl.guard(k == at[i], v[i]) for i in N) for k in K)` adds at places of an array",
            )
        self.x, self.indices = x, expanded(x, indices)
        #: The axis along which a vector of integers says the places.
        self.along = next((k for k, i in enumerate(self.indices) if not isinstance(i, slice)), None) if listed else None

    def set(self, value: Any) -> Expr:
        """These elements there."""
        if self.along is not None:
            raise refusal(
                "`.at[..].set` at places of an array, which may be the same ones",
                help="write the elements: `gen(atl.where(k == 2, v, x[k]) for k in N)`; `add`, `multiply`, `max` and `min` take all of them",
            )
        return self.changed(value, lambda old, new: new)

    def add(self, value: Any) -> Expr:
        if self.along is not None:
            return binary("+", self.x, self.gathered("sum", value, 0))
        return self.changed(value, lambda old, new: binary("+", old, new))

    def subtract(self, value: Any) -> Expr:
        if self.along is not None:
            return binary("-", self.x, self.gathered("sum", value, 0))
        return self.changed(value, lambda old, new: binary("-", old, new))

    def multiply(self, value: Any) -> Expr:
        if self.along is not None:
            return binary("*", self.x, self.gathered("prod", value, 1))
        return self.changed(value, lambda old, new: binary("*", old, new))

    def divide(self, value: Any) -> Expr:
        if self.along is not None:
            raise refusal("`.at[..].divide` at places of an array", help="multiply by the reciprocals: `x.at[k].multiply(1 / v)`")
        return self.changed(value, divide)

    def max(self, value: Any) -> Expr:
        return self.extreme("max", value)

    def min(self, value: Any) -> Expr:
        return self.extreme("min", value)

    def extreme(self, word: str, value: Any) -> Expr:
        """The larger or the smaller of each element and the numbers for its place."""
        if self.along is not None:
            return propagated(word, self.x, self.gathered(word, value, lowest(self.x, 1 if word == "max" else -1)))
        return self.changed(value, lambda old, new: propagated(word, old, new))

    def gathered(self, word: str, value: Any, none: Any) -> Expr:
        """What a reduction makes of all numbers for each place; of none of them this one. Places count from the end where they are
        negative, and what is beyond the array has none, as in JAX."""
        x, along, new = self.x, self.along or 0, as_expr(value)
        places = fresh(x.shape)
        vector = as_expr(self.indices[along])
        (i,) = fresh(vector.shape)
        i.name = "p"
        inside = tuple(vector.shape[0] if k == along else n for k, n in enumerate(x.shape))
        if new.shape:
            new = stretch(new, inside)
            for own, extent in zip(new.shape, inside):
                agree(own, extent, "give as many elements as there are places")
            new = at(new, tuple(i if k == along else index for k, index in enumerate(places)))
        new = self.converted(new)
        is_it = places[along] == index(at(counted(vector, x.shape[along]), (i,)))
        body = guard(is_it, new) if word == "sum" else where(is_it, new, self.x.elem(none))
        if word in ("sum", "prod"):
            # By itself it is a step for each number.
            return bind("gen", places, bind(word, (i,), body), APART)
        return array_function(word, bind("gen", (*places, i), body), axis=len(places))

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
