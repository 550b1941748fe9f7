"""Sizes and element types of traced functions."""

from __future__ import annotations

from typing import Any

from ..errors import refusal
from .expr import Expr, Sizes, as_expr, bound, of_values

__all__ = [
    "ArrayType", "Elem", "Elems", "SizeArgument", "bf16", "bool_", "elem", "f16", "f32", "f64", "i16", "i32", "i64", "i8", "size", "sizes", "span",
    "u16", "u32", "u64", "u8", "upto",
]  # fmt: skip


def Size(name: str) -> Expr:
    """A size: a natural number, which the shapes of arrays give."""
    if not name.isidentifier() or not name.isascii():
        raise refusal(f"`{name}` is not a name of a size", help='names are words: `M, N = atl.sizes("M N")`')
    return Expr("name", (name,), "ix")


def sizes(names: str) -> tuple[Expr, ...]:
    """Sizes by these names: ``M, K, N = atl.sizes("M K N")``."""
    return Sizes(Size(name) for name in names.replace(",", " ").split())


def upto(extent: Any) -> Any:
    """What an index of a binder runs over where it is a number: ``gen(x[i] for i in upto(3))``."""
    return bound(as_expr(extent))


def span(low: Any, high: Any) -> Any:
    """The same from ``low`` to ``high - 1``; the result's index begins at 0."""
    return bound(as_expr(high), as_expr(low))


class ArrayType:
    """An element type with extents."""

    def __init__(self, elem: Elem | Elems, extents: tuple[Expr, ...], format: str | None = None) -> None:
        self.elem = elem
        self.extents = extents
        self.format = format

    def as_(self, format: str) -> ArrayType:
        """The type of arrays in a format: ``f64[N, M].as_("csr")`` takes those of ``scipy.sparse``."""
        return ArrayType(self.elem, self.extents, format)

    def __repr__(self) -> str:
        inside = ", ".join(map(repr, self.extents))
        name = f"{self.elem}[{inside}]" if inside else str(self.elem)
        return f"{name} as {self.format}" if self.format else name


class Elem:
    """An element type: ``f32[M, N]`` is a type of arrays, ``f32(e)`` a conversion."""

    def __init__(self, name: str, numpy: str) -> None:
        self.name = name
        self.numpy = numpy

    @property
    def is_integer(self) -> bool:
        """Are its numbers whole?"""
        return self.numpy.startswith(("int", "uint"))

    def __getitem__(self, extents: Any) -> ArrayType:
        found = extents if isinstance(extents, tuple) else (extents,)
        return ArrayType(self, tuple(as_expr(n) for n in found))

    def __call__(self, value: Any) -> Expr:
        e = of_values(as_expr(value))
        return Expr("call", (self.name, (e,)), "value", self, e.shape)

    def over(self, semiring: str) -> Elem:
        """The same numbers with the operations of a semiring: ``f64.over("min_plus")``."""
        return Elem(f"{semiring}<{self.name}>", self.numpy)

    def __repr__(self) -> str:
        return self.name


class Elems:
    """One of several element types, which the arrays of a call decide."""

    def __init__(self, choices: tuple[Elem, ...]) -> None:
        self.choices = choices

    def __getitem__(self, extents: Any) -> ArrayType:
        found = extents if isinstance(extents, tuple) else (extents,)
        return ArrayType(self, tuple(as_expr(n) for n in found))

    def __repr__(self) -> str:
        return " or ".join(map(repr, self.choices))


class SizeArgument:
    """The type of a size that is given on its own; of a name it makes a size, ``N = atl.size("N")``."""

    def __call__(self, name: str) -> Expr:
        return Size(name)

    def __repr__(self) -> str:
        return "size"


f16 = Elem("f16", "float16")
bf16 = Elem("bf16", "bfloat16")
f32 = Elem("f32", "float32")
f64 = Elem("f64", "float64")
i8 = Elem("i8", "int8")
i16 = Elem("i16", "int16")
i32 = Elem("i32", "int32")
i64 = Elem("i64", "int64")
u8 = Elem("u8", "uint8")
u16 = Elem("u16", "uint16")
u32 = Elem("u32", "uint32")
u64 = Elem("u64", "uint64")
bool_ = Elem("bool", "bool")
size = SizeArgument()

#: The element types by their names in programs.
NAMED = {e.name: e for e in (f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool_)}


def elem(names: str) -> Elems:
    """One of these element types: ``T = atl.elem("f32 f64")``."""
    words = names.replace(",", " ").split()
    unknown = [word for word in words if word not in NAMED]
    if unknown or not words:
        raise refusal(f"`{' '.join(unknown) or names}` is not an element type", help="the element types are " + ", ".join(NAMED))
    return Elems(tuple(NAMED[word] for word in words))
