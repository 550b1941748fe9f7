"""Symbols: what a traced function computes with.

One class for index terms, values and predicates; what may be mixed, the compiler says. Each remembers the
instruction that made it, so that a refusal is about a place in Python.
"""

from __future__ import annotations

import functools
import opcode
import sys
from types import CodeType
from typing import Any, Iterator

from ..errors import Refused, refusal
from .scopes import SCOPES, Scope

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

    __slots__ = ("op", "args", "sort", "elem", "shape", "site", "scope", "whole", "__weakref__")

    def __init__(self, op: str, args: tuple[Any, ...], sort: str, elem: Any = None, shape: tuple[Expr, ...] = ()) -> None:
        self.op = op
        self.args = args
        self.sort = sort
        self.elem = elem
        self.shape = shape
        self.site = site()
        self.scope: Scope | None = SCOPES.open[-1] if SCOPES.open else None
        #: The function of whole arrays that made it, if one did.
        self.whole: str | None = None

    def _with(self, args: tuple[Any, ...]) -> Expr:
        """The same of other operands, at the same place in Python."""
        found = Expr.__new__(Expr)
        found.op, found.args, found.sort, found.elem, found.shape = self.op, args, self.sort, self.elem, self.shape
        found.site, found.scope, found.whole = self.site, self.scope, self.whole
        return found

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
            raise refusal(
                "a slice in a traced function",
                help='bind the index: `gen(x[i + 1] for i in N - 1)`, with `where="1 <= N"` in the decorator',
            )
        found = tuple(as_expr(i) for i in indices)
        for k, i in enumerate(found):
            if not guarded and i.op == "number" and type(i.args[0]) is int and i.args[0] < 0:
                of = self.args[0] if self.op in ("name", "let", "state", "rec") else "x"
                at = [f"{self.shape[j]!r} - {-i.args[0]}" if j == k else repr(e) for j, e in enumerate(found)]
                raise refusal(
                    "an index is negative",
                    note="indices count from the start",
                    help=f"count from the end by the size: `{of}[{', '.join(at)}]`",
                )
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

    def __matmul__(self, other: Any) -> Expr:
        return array_function("dot", self, other)

    def __rmatmul__(self, other: Any) -> Expr:
        return array_function("dot", other, self)

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

    def __len__(self) -> int:
        raise refusal(
            "`len` of a symbol", note="it is not known while the function is traced", help="`x.shape[0]` is the size: `for i in x.shape[0]`"
        )

    def __float__(self) -> float:
        raise refusal(
            "a symbol is used as a number of Python's",
            help="use `np.exp`, `atl.erf` and their like, not `math`'s; loop over a size itself, `for i in N`, not over `range(N)`",
        )

    __int__ = __float__

    def __index__(self) -> int:
        raise refusal(
            "a symbol is used as an index of Python's",
            help="make the list or the array an argument, `t=f64[K]`; loop over a size itself, `for i in N`, "
            "not over `range(N)`",
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Expr:
        made = UFUNCS.get(ufunc.__name__)
        if made is None or method != "__call__" or options:
            raise refusal(f"`np.{ufunc.__name__}` of symbols", help="the functions are " + ", ".join(sorted(UFUNCS)))
        result: Expr = made(*inputs)
        return result

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Expr:
        return array_function(function.__name__, *args, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        from .arrays import ARRAYS

        if name == "T":
            return array_function("transpose", self)
        if name in ARRAYS and name != "where":
            return functools.partial(array_function, name, self)
        raise missing(f"`.{name}` of a symbol")

    def __repr__(self) -> str:
        from .printer import Printer

        return Printer().text(self)


class Sizes(tuple[Expr, ...]):
    """Sizes, as a tuple."""

    def alone(self) -> Refused:
        """The refusal of a tuple where its one size is meant."""
        names = " ".join(e.args[0] for e in tuple.__iter__(self))
        typed = f'write `{names}, = atl.sizes("{names}")` or `{names} = atl.size("{names}")`'
        return refusal(
            "a tuple of sizes where a size is due",
            note=f"`atl.sizes({names!r})` is a tuple of {len(self)}",
            help=typed if len(self) == 1 else "name one of them",
        )

    def __iter__(self) -> Iterator[Expr]:
        frame = sys._getframe(1)
        if len(self) == 1 and SCOPES.open and opcode.opname[frame.f_code.co_code[frame.f_lasti]] == "GET_ITER":
            raise self.alone()
        return super().__iter__()


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
    if isinstance(value, Sizes):
        raise value.alone()
    if hasattr(value, "__array__") or isinstance(value, (list, tuple)):
        raise refusal(
            "an array where a symbol or a number is due",
            note="an array of the enclosing scope would be compiled into the kernel",
            help="pass it as an argument of the traced function, or use its numbers one by one",
        )
    raise refusal(f"a `{type(value).__name__}` in a traced function", help="compute with arguments, indices, sizes and numbers")


class Missing(Refused, AttributeError):
    """An attribute that symbols do not have."""


def missing(what: str) -> Missing:
    """The refusal of what arrays of NumPy's have and symbols do not."""
    from .arrays import ARRAYS

    known = ", ".join(f"`{name}`" for name in sorted(ARRAYS))
    found = refusal(
        what, help=f"of whole arrays there are {known}, `@` and `.T`; else write the elements: `gen(f(x[i]) for i in N)`, `sum(x[i] for i in N)`"
    )
    return Missing(str(found), found.diagnostics)


def array_function(name: str, *args: Any, **options: Any) -> Expr:
    """A function of NumPy's, or a method of its arrays, of symbols."""
    from .arrays import ARRAYS

    made = ARRAYS.get(name)
    if made is None:
        raise missing(f"`np.{name}` of symbols")
    outermost = SCOPES.open[0].made if SCOPES.open else {}
    given = {option: value for option, value in options.items() if value is not None}
    if not given.keys() <= {"axis", "axes"}:
        raise refusal(f"`np.{name}` of symbols with `{'`, `'.join(given)}`", help="only `axis` is understood here")
    # The same of the same symbols is computed once.
    key = (made, *(id(e) if isinstance(e, Expr) else repr(e) for e in (*args, *sorted(given.items()))))
    if key not in outermost:
        found = made(*args, **given)
        if not any(found is e for e in args):
            found.whole = name
        outermost[key] = args, found
    return outermost[key][1]


def in_type_of(value: Expr, term: Any) -> Expr:
    """An index term as a float where it stands beside one, as NumPy takes a Python integer; whatever else, as it is."""
    e = as_expr(term)
    is_float = value.sort == "value" and getattr(value.elem, "name", None) in ("f16", "bf16", "f32", "f64")
    return as_float(e, value.elem) if is_float and e.elem is None else e


def as_float(e: Expr, elem: Any) -> Expr:
    """What is computed from numbers and index terms alone, of this type."""
    if e.op == "number" or e.elem is not None or e.shape:
        return e
    if e.sort == "ix":
        return Expr("call", (elem.name, (e,)), "value", elem)
    if e.op == "call":
        name, operands = e.args
        found = e._with((name, tuple(as_float(part, elem) for part in operands)))
    elif e.op in ("+", "-", "*", "/", "%", "neg"):
        found = e._with(tuple(as_float(part, elem) for part in e.args))
    else:
        return e
    found.elem = elem
    return found


def alike(a: Any, b: Any) -> tuple[Expr, Expr]:
    """Two operands; an index term beside a float is one."""
    x, y = as_expr(a), as_expr(b)
    return in_type_of(y, x), in_type_of(x, y)


def binary(op: str, a: Any, b: Any) -> Expr:
    """An operation on two symbols or numbers."""
    x, y = alike(a, b)
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
    x, y = alike(a, b)
    return Expr(op, (x, y), "pred", "bool", x.shape or y.shape)


def where(condition: Any, holds: Any, fails: Any) -> Expr:
    """``holds`` where the condition does, else ``fails``; the condition may be about data."""
    p, (a, b) = of_values(as_expr(condition)), alike(holds, fails)
    sort = "ix" if a.sort == b.sort == "ix" else "value"
    return Expr("call", ("select", (p, a, b)), sort, a.elem or b.elem, a.shape or b.shape or p.shape)


def of_values(p: Expr) -> Expr:
    """A condition on data: where an integer of an array is compared with an index term, both are of type i64."""
    if p.op in ("&&", "||", "!"):
        return p._with(tuple(of_values(part) for part in p.args))
    if p.sort != "pred" or p.op not in ("<", "<=", ">", ">=", "==", "!="):
        return p
    has_index = any(e.sort == "ix" and e.op != "number" for e in p.args)
    if p.op == "==" and has_index and any(map(is_element, p.args)):
        # An element as an index term: where a step says so of one place, it changes that place alone.
        return p._with(tuple(index(e) if is_element(e) else e for e in p.args))
    kinds = {"ix" if e.sort == "ix" and e.op != "number" else getattr(e.elem, "name", "") for e in p.args}
    if "ix" not in kinds or not kinds & {"i8", "i16", "i32", "i64", "u8", "u16", "u32"}:
        return p
    return p._with(tuple(e if getattr(e.elem, "name", "") == "i64" else Expr("call", ("i64", (e,)), "value", e.elem, e.shape) for e in p.args))


def is_element(e: Expr) -> bool:
    """Is it an element of an integer parameter that fits an index term?"""
    is_read = e.op == "read" and not e.shape and e.args[0].op == "name" and e.args[2] is False
    return is_read and getattr(e.elem, "name", "") in ("i8", "i16", "i32", "i64", "u8", "u16", "u32")


def index(value: Any) -> Expr:
    """An integer of an array as an index term: ``k == atl.index(x[i])``."""
    return Expr("call", ("index", (as_expr(value),)), "ix")


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
    x, y = alike(a, b)
    is_ix = all(e.sort == "ix" or e.op == "number" and type(e.args[0]) is int for e in (x, y))
    return Expr("call", (name, (x, y)), "ix" if is_ix else "value", x.elem or y.elem, x.shape or y.shape)


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
    "matmul": lambda a, b: array_function("dot", a, b),
    "maximum": lambda a, b: extreme("max", a, b),
    "minimum": lambda a, b: extreme("min", a, b),
    "less": lambda a, b: compare("<", a, b),
    "less_equal": lambda a, b: compare("<=", a, b),
    "greater": lambda a, b: compare(">", a, b),
    "greater_equal": lambda a, b: compare(">=", a, b),
    "equal": lambda a, b: compare("==", a, b),
    "not_equal": lambda a, b: compare("!=", a, b),
}
