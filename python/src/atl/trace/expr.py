"""Symbols: what a traced function computes with.

One class for index terms, values and predicates; what may be mixed, the compiler says. Each remembers the
instruction that made it, so that a refusal is about a place in Python.
"""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any, Iterator

from ..errors import refusal

__all__ = ["Expr", "Index", "as_expr", "between", "guard", "where"]

#: Where a symbol was made: the code, and the offset of the instruction.
Site = tuple[CodeType, int]


def site() -> Site | None:
    """The instruction outside of this package that is being carried out."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("atl."):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)


class Expr:
    """A symbol: an index term (``ix``), a value, or a predicate (``pred``)."""

    __slots__ = ("op", "args", "sort", "elem", "shape", "site", "__weakref__")

    def __init__(self, op: str, args: tuple[Any, ...], sort: str, elem: Any = None, shape: tuple[Expr, ...] = ()) -> None:
        self.op = op
        self.args = args
        self.sort = sort
        self.elem = elem
        self.shape = shape
        self.site = site()

    # Reading.

    def __getitem__(self, at: Any) -> Expr:
        return self._read(at, guarded=False)

    def get(self, *at: Any) -> Expr:
        """The element, or zero where the index is outside."""
        return self._read(at, guarded=True)

    def _read(self, at: Any, guarded: bool) -> Expr:
        indices = at if isinstance(at, tuple) else (at,)
        if self.sort != "value" or not self.shape:
            raise refusal("a number is read at an index", help="only tensors have elements: leave the brackets out")
        if len(indices) > len(self.shape):
            raise refusal(
                f"a tensor of {len(self.shape)} dimensions is read at {len(indices)} indices",
                help="give one index for each dimension",
            )
        if any(isinstance(i, slice) or i is Ellipsis or i is None for i in indices):
            raise refusal("a slice in a traced function", help="bind the index: `gen(x[i + 1] for i in N - 1)`")
        found = tuple(as_expr(i) for i in indices)
        return Expr("read", (self, found, guarded), "value", self.elem, self.shape[len(found) :])

    # Arithmetic.

    def __add__(self, other: Any) -> Expr:
        return binary("+", self, other)

    def __radd__(self, other: Any) -> Expr:
        return binary("+", other, self)

    def __sub__(self, other: Any) -> Expr:
        return binary("-", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return binary("-", other, self)

    def __mul__(self, other: Any) -> Expr:
        return binary("*", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return binary("*", other, self)

    def __truediv__(self, other: Any) -> Expr:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return divide(other, self)

    def __floordiv__(self, other: Any) -> Expr:
        return floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Expr:
        return floor_divide(other, self)

    def __mod__(self, other: Any) -> Expr:
        return binary("%", self, other)

    def __rmod__(self, other: Any) -> Expr:
        return binary("%", other, self)

    def __neg__(self) -> Expr:
        return Expr("neg", (self,), self.sort, self.elem, self.shape)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return named("abs", self)

    def __pow__(self, power: Any) -> Expr:
        if type(power) is not int or not 1 <= power <= 4:
            return named("pow", self, power)
        found = self
        for _ in range(power - 1):
            found = found * self
        return found

    def __rpow__(self, base: Any) -> Expr:
        return named("pow", base, self)

    # What the functions of `math` ask for, where they ask.

    def __round__(self) -> Expr:
        return named("round", self)

    def __floor__(self) -> Expr:
        return named("floor", self)

    def __ceil__(self) -> Expr:
        return named("ceil", self)

    def __trunc__(self) -> Expr:
        return named("trunc", self)

    # Comparisons.

    def __lt__(self, other: Any) -> Expr:
        return compare("<", self, other)

    def __le__(self, other: Any) -> Expr:
        return compare("<=", self, other)

    def __gt__(self, other: Any) -> Expr:
        return compare(">", self, other)

    def __ge__(self, other: Any) -> Expr:
        return compare(">=", self, other)

    def __eq__(self, other: Any) -> Any:
        return compare("==", self, other)

    def __ne__(self, other: Any) -> Any:
        return compare("!=", self, other)

    # Of conditions `and`, `or`, `not`; of integers their bits.

    def __and__(self, other: Any) -> Expr:
        return both("&", "&&", self, other)

    def __rand__(self, other: Any) -> Expr:
        return both("&", "&&", other, self)

    def __or__(self, other: Any) -> Expr:
        return both("|", "||", self, other)

    def __ror__(self, other: Any) -> Expr:
        return both("|", "||", other, self)

    def __xor__(self, other: Any) -> Expr:
        return both("^", "!=", self, other)

    def __rxor__(self, other: Any) -> Expr:
        return both("^", "!=", other, self)

    def __lshift__(self, other: Any) -> Expr:
        return binary("<<", self, other)

    def __rlshift__(self, other: Any) -> Expr:
        return binary("<<", other, self)

    def __rshift__(self, other: Any) -> Expr:
        return binary(">>", self, other)

    def __rrshift__(self, other: Any) -> Expr:
        return binary(">>", other, self)

    def __invert__(self) -> Expr:
        if is_condition(self):
            return Expr("!", (self,), "pred", "bool")
        return Expr("~", (self,), self.sort, self.elem, self.shape)

    __hash__ = object.__hash__

    # What a symbol is not.

    def __bool__(self) -> bool:
        raise refusal(
            "a condition on symbols decides what Python does",
            note="the function is traced once, for all arrays and sizes: `if`, `and`, `or`, `not` and chained comparisons "
            "have no single answer",
            help="write `atl.where(p, a, b)` or `atl.guard(p, e)`; join conditions by `&`, `|` and `~`; "
            "for a range, `atl.between(0, i, N)`",
        )

    def __iter__(self) -> Iterator[Any]:
        if self.sort != "ix":
            raise refusal("a loop over the elements of a tensor", help="bind an index: `gen(f(x[i]) for i in N)`")
        return bound(self)

    def __float__(self) -> float:
        raise refusal("a symbol is used as a number of Python's", help="use `np.exp`, `atl.erf` and their like, not `math`'s")

    __int__ = __index__ = __float__

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Expr:
        made = UFUNCS.get(ufunc.__name__)
        if made is None or method != "__call__" or options:
            raise refusal(f"`np.{ufunc.__name__}` of symbols", help="the functions are " + ", ".join(sorted(UFUNCS)))
        result: Expr = made(*inputs)
        return result

    def __repr__(self) -> str:
        from .printer import Printer

        return Printer().text(self)


class Index(Expr):
    """The index of a binder; its name is known when the binder is made."""

    __slots__ = ("name",)

    def __init__(self, low: Expr | None, high: Expr) -> None:
        super().__init__("index", (low, high), "ix")
        self.name: str | None = None


def bound(extent: Expr, low: Expr | None = None) -> Iterator[Index]:
    """The one index of a loop over an extent."""
    from .binders import open_binder

    index = Index(low, extent)
    open_binder().append(index)
    yield index


def as_expr(value: Any) -> Expr:
    """A symbol, or a number as one."""
    if isinstance(value, Expr):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, (bool, int, float)):
        sort = "pred" if isinstance(value, bool) else "value"
        return Expr("number", (value,), sort)
    if hasattr(value, "__array__") or isinstance(value, (list, tuple)):
        raise refusal(
            "an array where a symbol or a number is due",
            note="an array of the enclosing scope would be compiled into the kernel",
            help="pass it as an argument of the traced function, or use its numbers one by one",
        )
    raise refusal(f"a `{type(value).__name__}` in a traced function", help="compute with arguments, indices, sizes and numbers")


def binary(op: str, a: Any, b: Any) -> Expr:
    """An operation on two symbols or numbers."""
    x, y = as_expr(a), as_expr(b)
    is_ix = all(e.sort == "ix" or e.op == "number" and type(e.args[0]) is int for e in (x, y))
    return Expr(op, (x, y), "ix" if is_ix else "value", x.elem or y.elem, x.shape or y.shape)


def is_condition(e: Expr) -> bool:
    """Is the symbol true or false, rather than an integer with bits?"""
    return e.sort == "pred" or getattr(e.elem, "numpy", None) == "bool"


def both(bits: str, logical: str, a: Any, b: Any) -> Expr:
    """An operation on the bits of integers, or the one on conditions that NumPy spells the same."""
    x, y = as_expr(a), as_expr(b)
    if is_condition(x) or is_condition(y):
        return Expr(logical, (x, y), "pred", "bool")
    return binary(bits, x, y)


def divide(a: Any, b: Any) -> Expr:
    """``a / b``, of floats."""
    found = binary("/", a, b)
    if found.sort == "ix" or getattr(found.elem, "is_integer", False):
        raise refusal("`/` of integers", note="in NumPy it gives a float", help="write `//`, which rounds down, or convert: `f64(a) / f64(b)`")
    return found


def floor_divide(a: Any, b: Any) -> Expr:
    """``a // b``, of integers."""
    found = binary("/", a, b)
    if found.sort != "ix" and not getattr(found.elem, "is_integer", False):
        raise refusal("`//` of floats", help="write `atl.floor(a / b)`")
    return found


def compare(op: str, a: Any, b: Any) -> Expr:
    """A comparison."""
    return Expr(op, (as_expr(a), as_expr(b)), "pred", "bool")


def where(condition: Any, holds: Any, fails: Any) -> Expr:
    """``holds`` where the condition does, else ``fails``; the condition may be about data."""
    p, a, b = as_expr(condition), as_expr(holds), as_expr(fails)
    sort = "ix" if a.sort == b.sort == "ix" else "value"
    return Expr("call", ("select", (p, a, b)), sort, a.elem or b.elem, a.shape or b.shape)


def guard(condition: Any, value: Any) -> Expr:
    """``value`` where the condition on indices holds, else zero; ``value`` is not evaluated where it fails."""
    v = as_expr(value)
    return Expr("guard", (as_expr(condition), v), "value", v.elem, v.shape)


def between(low: Any, value: Any, high: Any) -> Expr:
    """``low <= value < high``."""
    return Expr("between", (as_expr(low), as_expr(value), as_expr(high)), "pred", "bool")


def named(name: str, *operands: Any) -> Expr:
    """A function of floats, by its name in programs."""
    from .functions import FUNCTIONS

    return FUNCTIONS[name](*operands)


def extreme(name: str, a: Any, b: Any) -> Expr:
    """The larger or the smaller of two."""
    x, y = as_expr(a), as_expr(b)
    is_ix = all(e.sort == "ix" or e.op == "number" and type(e.args[0]) is int for e in (x, y))
    return Expr("call", (name, (x, y)), "ix" if is_ix else "value", x.elem or y.elem)


#: What functions of NumPy's are of symbols.
UFUNCS: dict[str, Any] = {
    "add": lambda a, b: binary("+", a, b),
    "subtract": lambda a, b: binary("-", a, b),
    "multiply": lambda a, b: binary("*", a, b),
    "divide": divide,
    "floor_divide": floor_divide,
    "bitwise_and": lambda a, b: as_expr(a) & b,
    "bitwise_or": lambda a, b: as_expr(a) | b,
    "bitwise_xor": lambda a, b: as_expr(a) ^ b,
    "invert": lambda a: ~as_expr(a),
    "left_shift": lambda a, b: binary("<<", a, b),
    "right_shift": lambda a, b: binary(">>", a, b),
    "negative": lambda a: -a,
    "power": lambda a, b: as_expr(a) ** b,
    "square": lambda a: a * a,
    "reciprocal": lambda a: 1.0 / a,
    "remainder": lambda a, b: binary("%", a, b),
    "maximum": lambda a, b: extreme("max", a, b),
    "minimum": lambda a, b: extreme("min", a, b),
    "less": lambda a, b: compare("<", a, b),
    "less_equal": lambda a, b: compare("<=", a, b),
    "greater": lambda a, b: compare(">", a, b),
    "greater_equal": lambda a, b: compare(">=", a, b),
    "equal": lambda a, b: compare("==", a, b),
    "not_equal": lambda a, b: compare("!=", a, b),
}
