"""Sizes and element types of traced functions."""

from __future__ import annotations

from typing import Any

from ..errors import refusal
from .expr import Expr, Sizes, alike, as_expr, as_float, bound, is_complex, of_values, real_type
from .words import checked

__all__ = [
    "ArrayType", "Elem", "Elems", "SizeArgument", "bf16", "bool_", "c128", "c64", "elem", "f16", "f32", "f64", "i16", "i32", "i64", "i8", "size", "sizes", "span",
    "u16", "u32", "u64", "u8", "upto",
]  # fmt: skip


def Size(name: str) -> Expr:
    """A size: a natural number, which the shapes of arrays give."""
    if not name.isidentifier() or not name.isascii():
        help = 'names are words: `M, N = atl.sizes("M N")`, and arithmetic is over these, `f32[M + 1]`'
        raise refusal(f"`{name}` is not a name of a size", help=help)
    checked(name, "the name of a size")
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


def extents_of(extents: Any) -> tuple[Expr, ...]:
    """The extents of a type: sizes, arithmetic over them, numbers, and the names of sizes in texts, ``f32["M N"]``."""
    found = extents if isinstance(extents, tuple) else (extents,)
    words = [word for n in found for word in (n.replace(",", " ").split() if isinstance(n, str) else [n])]
    return tuple(named(n) if isinstance(n, str) else as_expr(n) for n in words)


def named(word: str) -> Expr:
    """The extent that a word is: a number, or a size by this name."""
    return as_expr(int(word)) if word.isascii() and word.isdigit() else Size(word)


#: Element types by kind.
REAL, WHOLE = ("f16", "bf16", "f32", "f64"), ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


class Elem:
    """An element type: ``f32[M, N]`` is a type of arrays, ``f32(e)`` a conversion."""

    def __init__(self, name: str, numpy: str) -> None:
        self.name = name
        self.numpy = numpy
        #: The types of Python's numbers that are of this one beside it.
        self.literals: tuple[type, ...] = (int, float) if name in REAL else (int,) if name in WHOLE else ()

    @property
    def is_integer(self) -> bool:
        """Are its numbers whole?"""
        return self.numpy.startswith(("int", "uint"))

    @property
    def is_complex(self) -> bool:
        """Do its numbers have an imaginary part?"""
        return self.numpy.startswith("complex")

    def __getitem__(self, extents: Any) -> ArrayType:
        return ArrayType(self, extents_of(extents))

    def __call__(self, value: Any, imag: Any = None) -> Expr:
        if imag is not None:
            return parts_of(self, value, imag)
        e = of_values(as_expr(value))
        if self.name == "bool" and e.op == "number":
            e = as_expr(e.args[0] != 0)
        if e.elem is None and e.sort == "value" and e.op != "number" and self.numpy.startswith("float"):
            e = as_float(e, self)
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
        return ArrayType(self, extents_of(extents))

    def __repr__(self) -> str:
        return " or ".join(map(repr, self.choices))


class SizeArgument:
    """The type of a size that is given on its own; of a name it makes a size, ``N = atl.size("N")``."""

    def __call__(self, name: str) -> Expr:
        return Size(name)

    def __repr__(self) -> str:
        return "size"


def parts_of(elem: Elem, real: Any, imag: Any) -> Expr:
    """The complex number with these parts."""
    if not elem.is_complex:
        raise refusal(f"`{elem}` of two numbers", help="complex numbers have two parts: `c128(x, y)`, `c64(x, y)`")
    x, y = alike(real, imag)
    return Expr("call", (elem.name, (x, y)), "value", elem, x.shape or y.shape)


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
c64 = Elem("c64", "complex64")
c128 = Elem("c128", "complex128")
size = SizeArgument()

#: The element types by their names in programs.
NAMED = {e.name: e for e in (f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool_, c64, c128)}

#: What NumPy's functions of floats make of integers.
FLOATS = {"bool": f16, "i8": f16, "u8": f16, "i16": f32, "u16": f32, "i32": f64, "u32": f64, "i64": f64, "u64": f64}


def promoted(*operands: Expr) -> tuple[Expr, ...]:
    """Numbers of the type that NumPy has for all; a literal and an index term take the type of the others."""
    kinds = {str(e.elem) for e in operands if e.elem is not None}
    literals = {type(e.args[0]) for e in operands if e.op == "number"} & {int, float, complex}
    if kinds - NAMED.keys() or len(kinds) == 1 and not literals or not kinds and complex not in literals:
        return operands
    common = widest([NAMED[kind] for kind in kinds]) if kinds else c128
    if common is not None and literals:
        common = beside(common, literals)
    return operands if common is None else tuple(converted(e, common) for e in operands)


def converted(e: Expr, common: Elem) -> Expr:
    """A number as one of this type; literals and index terms of a real one stay as they are."""
    if e.op == "number" and common.is_complex and type(e.args[0]) is complex:
        return parts_of(common, e.args[0].real, e.args[0].imag)
    if e.elem is None and common.is_complex and e.sort == "ix" and e.op != "number":
        return common(f64(e))
    return e if e.elem is None or str(e.elem) == common.name else common(e)


def by_parts(op: str, a: Any, b: Any) -> tuple[Expr, ...] | None:
    """The operands of a complex number times a real one, or divided by one."""
    x, y = as_expr(a), as_expr(b)
    reals = (f16, bf16, f32, f64)
    if x.op == "number" and type(x.args[0]) is complex and (y.sort == "ix" and y.op != "number" or y.elem in reals):
        x = parts_of(c64 if y.elem in (f16, bf16, f32) else c128, x.args[0].real, x.args[0].imag)
    if y.sort == "ix" and y.op != "number" and is_complex(x):
        y = as_float(y, real_type(x))
    if op == "*" and x.elem in reals and is_complex(y):
        y, x = by_parts(op, y, x) or (y, x)
        return x, y
    if op not in ("*", "/") or not is_complex(x) or y.elem not in reals:
        return None
    wide = widest([x.elem, y.elem])
    if wide is None:
        return None
    part = f32 if wide is c64 else f64
    return stretched_of(x if x.elem is wide else wide(x), y if y.elem is part else part(y))


def stretched_of(*operands: Expr) -> tuple[Expr, ...]:
    from .views import stretched  # which needs this file

    return stretched(*operands)


def widest(kinds: list[Elem]) -> Elem | None:
    """The type that has the numbers of all; of a signed and an unsigned one of 64 bits there is none."""
    import numpy as np  # a program of one type does without

    if len(kinds) == 1:
        return kinds[0]
    if any(e.name == "bf16" for e in kinds):
        return None
    name = np.result_type(*(np.dtype(e.numpy) for e in kinds)).name
    if name == "float64" and all(e.is_integer for e in kinds):
        return None
    return next((e for e in NAMED.values() if e.numpy == name), None)


def beside(kind: Elem, literals: set[type]) -> Elem:
    """The type of numbers of a type beside literals: integers and truth values beside 0.5 are floats."""
    if complex in literals:
        return kind if kind.is_complex else c64 if kind.name in ("f16", "bf16", "f32") else c128
    if float in literals and (kind.is_integer or kind.numpy == "bool"):
        return f64
    return i64 if kind.numpy == "bool" else kind


def elem(names: str) -> Elems:
    """One of these element types: ``T = atl.elem("f32 f64")``."""
    words = names.replace(",", " ").split()
    unknown = [word for word in words if word not in NAMED]
    if unknown or not words:
        raise refusal(f"`{' '.join(unknown) or names}` is not an element type", help="the element types are " + ", ".join(NAMED))
    return Elems(tuple(NAMED[word] for word in words))
