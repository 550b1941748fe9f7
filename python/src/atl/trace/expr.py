"""Symbols: what a traced function computes with.

One class for index terms, values and predicates; what may be mixed, the compiler says. Each remembers the
instruction that made it, so that a refusal is about a place in Python.

The operations stand below the class and not in a module of their own: its methods call them, and they make
more of it, so two modules would import each other.
"""

from __future__ import annotations

import functools
import inspect
import opcode
import sys
from types import CodeType
from typing import Any, Callable, Iterator

from ..errors import Refused, refusal
from .scopes import SCOPES, Scope

__all__ = ["Expr", "Index", "as_expr", "between", "guard", "where"]

#: Where a symbol was made: the code, and the offset of the instruction.
Site = tuple[CodeType, int]


def site(frame: Any) -> Site | None:
    """The instruction outside of this package that is being carried out, in this frame or around it."""
    while frame is not None and frame.f_globals.get("__name__", "")[:4] == "atl.":
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)


#: What `whole` is of a symbol that has a `let` wherever it is read.
APART = "apart"

#: Instructions that call.
CALLS = ("CALL", "PRECALL", "CALL_KW", "CALL_FUNCTION_EX")


class Expr:
    """A symbol: an index term (``ix``), a value, or a predicate (``pred``)."""

    __slots__ = ("op", "args", "sort", "elem", "shape", "site", "scope", "whole", "__weakref__")

    def __init__(self, op: str, args: tuple[Any, ...], sort: str, elem: Any = None, shape: tuple[Expr, ...] = ()) -> None:
        self.op = op
        self.args = args
        self.sort = sort
        self.elem = elem
        self.shape = shape
        self.site = site(sys._getframe(1))
        scopes = SCOPES.open
        self.scope: Scope | None = scopes[-1] if scopes else None
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
        found = element(self, at if type(at) is tuple else (at,), False)
        return self._read(at, guarded=False) if found is None else found

    def get(self, *at: Any) -> Expr:
        """The element, or zero where the index is outside."""
        found = element(self, at, True)
        return self._read(at, guarded=True) if found is None else found

    def _read(self, at: Any, guarded: bool) -> Expr:
        from .views import at as element_of, of_indices, plain, view

        indices = at if isinstance(at, tuple) else (at,)
        if self.sort == "ix" or not self.shape:
            raise refusal("a number is read at an index", help="only tensors have elements: leave the brackets out")
        if not plain(indices):
            if guarded:
                raise refusal("a guarded read at other than indices", help="bind them: `gen(x.get(i - 1) for i in N)`; or `np.pad(x, 1)`")
            return view(self, indices)
        if len(indices) > len(self.shape):
            raise refusal(
                f"a tensor of {len(self.shape)} dimensions is read at {len(indices)} indices",
                help="give one index for each dimension",
            )
        found = tuple(as_expr(i) for i in indices) if guarded else of_indices(self, indices)
        if self.sort == "pred":
            return element_of(self, found) if len(found) == len(self.shape) else view(self, indices)
        return Expr("read", (self, found, guarded), "value", self.elem, self.shape[len(found) :])

    def __setitem__(self, at: Any, value: Any) -> None:
        raise refusal(
            "an element is set",
            note="a symbol is a value, and has no places that change",
            help="make a new one: `y = x.at[1:-1].set(v)` in place of `x[1:-1] = v`; in rounds by `atl.iterate` or `atl.scan`",
        )

    # Arithmetic.

    def __add__(self, other: Any) -> Expr:
        found = alike_as_they_are(self, other)
        return binary("+", self, other) if found is None else made("+", found, self)

    def __radd__(self, other: Any) -> Expr:
        found = alike_as_they_are(self, other)
        return binary("+", other, self) if found is None else made("+", found[::-1], self)

    def __sub__(self, other: Any) -> Expr:
        found = alike_as_they_are(self, other)
        return binary("-", self, other) if found is None else made("-", found, self)

    def __rsub__(self, other: Any) -> Expr:
        found = alike_as_they_are(self, other)
        return binary("-", other, self) if found is None else made("-", found[::-1], self)

    def __mul__(self, other: Any) -> Expr:
        found = alike_as_they_are(self, other)
        return binary("*", self, other) if found is None else made("*", found, self)

    def __rmul__(self, other: Any) -> Expr:
        found = alike_as_they_are(self, other)
        return binary("*", other, self) if found is None else made("*", found[::-1], self)

    def __truediv__(self, other: Any) -> Expr:
        found = alike_as_they_are(self, other) if is_real(self) else None
        return divide(self, other) if found is None else made("/", found, self)

    def __rtruediv__(self, other: Any) -> Expr:
        found = alike_as_they_are(self, other) if is_real(self) else None
        return divide(other, self) if found is None else made("/", found[::-1], self)

    def __floordiv__(self, other: Any) -> Expr:
        return floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Expr:
        return floor_divide(other, self)

    def __mod__(self, other: Any) -> Expr:
        return remainder(self, other)

    def __rmod__(self, other: Any) -> Expr:
        return remainder(other, self)

    def __divmod__(self, other: Any) -> tuple[Expr, Expr]:
        return floor_divide(self, other), remainder(self, other)

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
        if not isinstance(power, Expr) and hasattr(power, "dtype") and getattr(power, "ndim", 1) == 0:
            # The power is known, and its type counts.
            return as_expr(alike(self, power)[0] ** power.item())
        if type(power) is float and power == 0.5 and is_float(self):
            # As in NumPy: of `-inf` a NaN, and of `-0.0` that.
            return named("sqrt", self)
        if is_condition(self):
            raise refusal("a power of truth values", help="convert them: `atl.i8(p) ** 2`")
        whole = getattr(self.elem, "is_integer", False) or is_complex(self)
        if type(power) is not int or not 1 <= power <= (64 if whole else 4):
            return named("pow", self, power)
        found = self
        for bit in bin(power)[3:]:
            found = (found * found if power > 3 else found * self) * self if bit == "1" else found * found
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
            return Expr("!", (self,), "pred", "bool", self.shape)
        return Expr("~", (self,), self.sort, self.elem, self.shape)

    __hash__ = object.__hash__

    # What a symbol is not.

    def __bool__(self) -> bool:
        frame = sys._getframe(1)
        if opcode.opname[frame.f_code.co_code[frame.f_lasti]] in CALLS:
            # A function that is not Python's, such as `np.arange` or `max`.
            raise as_number()
        raise refusal(
            "a condition on symbols decides what Python does",
            note="the function is traced once, for all arrays and sizes: `if`, `and`, `or`, `not` and chained comparisons "
            "have no single answer",
            help="write `atl.where(p, a, b)` or `atl.guard(p, e)`; join conditions by `&`, `|` and `~`; "
            "for a range, `atl.between(0, i, N)`",
        )

    def __iter__(self) -> Iterator[Any]:
        if self.shape and self.shape[0].op == "number":
            return iter([self[k] for k in range(self.shape[0].args[0])])
        if self.sort != "ix" and not (self.op == "number" and type(self.args[0]) is int):
            raise refusal(
                "a loop over the elements of a tensor",
                help="bind an index: `gen(f(x[i]) for i in N)`; what a loop adds up is `atl.sum(f(x[i]) for i in N)`, and what one round hands to the "
                "next is a state of `atl.iterate` or `atl.scan`",
            )
        return bound(self)

    def __len__(self) -> int:
        if self.shape and self.shape[0].op == "number":
            return int(self.shape[0].args[0])
        raise refusal(
            "`len` of a symbol",
            note="it is not known while the function is traced",
            help="`x.shape[0]` is the size: `x.sum() / x.shape[0]`, `gen(f(x[i]) for i in x.shape[0])`",
        )

    def __float__(self) -> float:
        raise refusal(
            "a symbol is used as a number of Python's",
            help="use `np.exp`, `atl.erf` and their like, not `math`'s; loop over a size itself, `for i in N`, not over `range(N)`",
        )

    __int__ = __float__

    def __index__(self) -> int:
        raise as_number()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from .ufuncs import METHODS, UFUNCS

        made = UFUNCS.get(ufunc.__name__)
        of = METHODS.get(method)
        if made is None or of is None or options.keys() - {"axis"}:
            what = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
            raise refusal(f"`np.{what}` of symbols", help="the functions are " + ", ".join(sorted(UFUNCS)))
        return of(ufunc.__name__, made, *inputs, **options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Expr:
        return array_function(function.__name__, *args, **options)

    def __getattr__(self, name: str) -> Any:
        if name == "__array__" and self.shape:
            return functools.partial(of_symbols, self)
        if name.startswith("_"):
            raise AttributeError(name)
        from .shapes import ATTRIBUTES, METHODS

        if name in ATTRIBUTES:
            return ATTRIBUTES[name](self)
        if name in METHODS:
            return functools.partial(array_function, name, self)
        raise missing(name, f"`.{name}` of a symbol")

    def __repr__(self) -> str:
        from .printer import Printer

        return Printer().text(self)


# What most operations are on: operands of one type and shape, to which NumPy's rules do nothing.


def made(op: str, operands: tuple[Expr, Expr], of: Expr) -> Expr:
    """An operation on two symbols whose type and shape are those of this one of them."""
    found = Expr.__new__(Expr)
    found.op, found.args, found.sort, found.elem, found.shape = op, operands, of.sort, of.elem, of.shape
    found.site, found.scope, found.whole = site(sys._getframe(2)), SCOPES.open[-1] if SCOPES.open else None, None
    return found


def alike_as_they_are(a: Expr, b: Any) -> tuple[Expr, Expr] | None:
    """The operands where `alike` changes none: two of one type and one shape, and a literal beside its like."""
    kind = type(b)
    if kind is Expr or kind is Index:
        # Numbers have no type, and no predicate is computed with.
        is_one = a.elem is b.elem and a.shape is b.shape and a.sort == b.sort and (a.sort == "ix" if a.elem is None else a.sort == "value")
        return (a, b) if is_one else None
    if kind is int and a.sort == "ix" or kind in getattr(a.elem, "literals", ()) and a.sort == "value":
        found = Expr.__new__(Expr)
        found.op, found.args, found.sort, found.elem, found.shape = "number", (b,), "value", None, ()
        found.site, found.scope, found.whole = site(sys._getframe(2)), SCOPES.open[-1] if SCOPES.open else None, None
        return a, found
    return None


def is_real(e: Expr) -> bool:
    return float in getattr(e.elem, "literals", ())


def element(x: Expr, at: tuple[Any, ...], guarded: bool) -> Expr | None:
    """The element, or the row, of an array at index terms; none where there is more to it."""
    if x.sort != "value" or not 0 < len(at) <= len(x.shape):
        return None
    for index in at:
        if type(index) is not Index and not (type(index) is Expr and index.sort == "ix" and not index.shape):
            return None
    found = Expr.__new__(Expr)
    found.op, found.args, found.sort, found.elem, found.shape = "read", (x, at, guarded), "value", x.elem, x.shape[len(at) :]
    found.site, found.scope, found.whole = site(sys._getframe(2)), SCOPES.open[-1] if SCOPES.open else None, None
    return found


def of_symbols(x: Expr, *_: Any, **__: Any) -> Any:
    """The array of NumPy's that holds the elements, if it is known how many there are."""
    import numpy as np

    table = "a table that is read at it, `lut[x]` or `np.take(lut, x)`, is `atl.constant(lut)[x]`; else " if is_integer(x) else ""
    if any(extent.op != "number" for extent in x.shape):
        raise refusal(
            "an array of NumPy's is made of a symbol",
            note="how many elements it has is not known while the function is traced, and NumPy would take it for one number",
            help=f"{table}leave `np.asarray` out; use operators, NumPy's functions that know symbols, and `np.stack([x, y])` of several arrays; "
            "write the elements: `gen(f(x[i]) for i in N)`",
        )
    shape = tuple(extent.args[0] for extent in x.shape)
    found = np.empty(shape, object)
    for at in np.ndindex(shape):
        found[at] = x[at]
    return found


def as_number() -> Refused:
    """The refusal of a symbol where a function wants a whole number."""
    return refusal(
        "a symbol is used as a number of Python's",
        note="it has no value while the function is traced",
        help="for `np.arange(N)`, `np.zeros(N)`, `np.ones`, `np.full`, `np.eye` and `np.linspace` write `atl.arange(N)` and so on; for Python's `max(a, b)` "
        "`np.maximum(a, b)`; loop over a size itself in a generator, `atl.sum(x[i] for i in N)`, not over `range(N)`; rounds that "
        "continue each other are `atl.iterate(N, lambda t, x: .., start)`; a list or an array that is read at a symbol is `atl.constant(t)[i]`",
    )


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
        word, operand = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2]
        # Python 3.15 asks for it where it calls a generator expression, which has no frame yet.
        is_loop = opcode.opname[word] == "GET_ITER" or opcode.opname[word] == "CALL" and operand == 0
        if len(self) == 1 and SCOPES.open and is_loop:
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
    index = Index(low, extent)
    if len(SCOPES.open) < 2:
        from .binders import stray

        raise stray()
    SCOPES.open[-1].indices.append(index)
    yield index


def as_expr(value: Any) -> Expr:
    """A symbol, or a number as one."""
    if isinstance(value, Expr):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, (bool, int, float, complex)):
        sort = "pred" if isinstance(value, bool) else "value"
        return Expr("number", (value,), sort)
    if isinstance(value, Sizes):
        raise value.alone()
    if isinstance(value, (list, tuple)) or getattr(getattr(value, "dtype", None), "hasobject", False):
        if any(isinstance(e, Expr) for e in elements(value)):
            return row(value)
    if hasattr(value, "__array__") or isinstance(value, (list, tuple)):
        from .constants import constant

        return constant(value)
    raise refusal(f"a `{type(value).__name__}` in a traced function", help="compute with arguments, indices, sizes and numbers")


def elements(parts: Any) -> list[Any]:
    """The elements of a list, or of lists in a list."""
    is_array = hasattr(parts, "__array__") and not isinstance(parts, Expr) and getattr(parts, "ndim", 1) > 0
    is_list = is_array or isinstance(parts, (list, tuple))
    return [e for part in parts for e in elements(part)] if is_list else [parts]


def row(parts: Any, typed: Iterator[Expr] | None = None) -> Expr:
    """The array of these elements, or of these rows."""
    if typed is None:
        found = alike(*elements(parts))
        elem = next(e.elem for e in found if e.elem is not None)
        typed = iter([elem(e) if e.elem is None else e for e in found])
    own = [elements(part) for part in parts]
    values = tuple(next(typed) if len(of) == 1 and of[0] is part else row(part, typed) for of, part in zip(own, parts))
    if any(len(e.shape) != len(values[0].shape) for e in values):
        raise refusal("rows of different shapes in one array", help="give all the same axes, or use `np.concatenate`")
    return Expr("row", values, "value", values[0].elem, (as_expr(len(values)), *values[0].shape))


class Missing(Refused, AttributeError):
    """An attribute that symbols do not have."""


def missing(name: str, what: str) -> Missing:
    """The refusal of what arrays of NumPy's have and symbols do not."""
    from .missing import instead

    found = refusal(what, help=instead(name))
    return Missing(str(found), found.diagnostics)


def array_function(name: str, *args: Any, **options: Any) -> Expr:
    """A function of NumPy's, or a method of its arrays, of symbols."""
    from .windows import ARRAYS

    made = ARRAYS.get(name)
    if made is None:
        raise missing(name, f"`np.{name}` of symbols")
    outermost = SCOPES.open[0].made if SCOPES.open else {}
    given = {option: value for option, value in options.items() if value is not None}
    signature = inspect.signature(made)
    try:
        called = signature.bind(*args, **given)
    except TypeError as error:
        words = ", ".join(f"`{n}`" for n in signature.parameters)
        raise refusal(f"`np.{name}` of symbols: {error}", help=f"its parameters are {words} here") from None
    # The same of the same symbols is computed once.
    key = (made, key_of(sorted(called.arguments.items())))
    if key not in outermost:
        found = made(*called.args, **called.kwargs)
        if isinstance(found, Expr) and found.whole not in ("transpose", "view", "stretch") and not any(found is e for e in args):
            found.whole = name
        outermost[key] = args, found
    return outermost[key][1]


def key_of(value: Any) -> Any:
    """What tells arguments apart; symbols are told apart by what they are, not by what they look like."""
    if isinstance(value, (tuple, list)):
        return (type(value), *map(key_of, value))
    if isinstance(value, slice):
        return (slice, *map(key_of, (value.start, value.stop, value.step)))
    return (type(value), id(value) if isinstance(value, Expr) or hasattr(value, "__array__") else repr(value))


def in_type_of(value: Expr, term: Any) -> Expr:
    """An index term as a float where it stands beside one, as NumPy takes a Python integer; whatever else, as it is."""
    e = as_expr(term)
    elem = real_type(value) if is_complex(value) else value.elem
    return as_float(e, elem) if value.sort == "value" and is_float(value) and e.elem is None else e


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


def is_complex(e: Expr) -> bool:
    return bool(getattr(e.elem, "is_complex", False))


def is_float(e: Expr) -> bool:
    return getattr(e.elem, "name", None) in ("f16", "bf16", "f32", "f64", "c64", "c128")


def real_type(e: Expr) -> Any:
    """The type of the parts of complex numbers."""
    from .types import f32, f64

    return f32 if e.elem.name == "c64" else f64


#: The types of Python's own numbers.
PLAIN = (int, float, complex, bool)


def with_types(*operands: Any) -> tuple[Any, ...]:
    """Operands, of which numbers of NumPy's have their types beside elements of another one: `np.sqrt(2)` is a `f64`."""
    if all([type(e) in PLAIN or isinstance(e, Expr) for e in operands]) or not any(isinstance(e, Expr) for e in operands):
        return operands
    own = {str(e.elem) for e in operands if isinstance(e, Expr) and e.elem is not None}
    from .types import NAMED

    kinds = {e.numpy: e for e in NAMED.values()}

    def typed(e: Any) -> Any:
        is_number = not isinstance(e, Expr) and hasattr(e, "dtype") and getattr(e, "ndim", 1) == 0
        elem = kinds.get(e.dtype.name) if is_number else None
        # Beside sizes and indices alone an integer of NumPy's is one more of them.
        elem = None if elem is not None and not own and elem.numpy.startswith(("int", "uint", "bool")) else elem
        value = e.item() if elem is not None else e
        return value if elem is None or own == {elem.name} else elem(value.real, value.imag) if isinstance(value, complex) else elem(value)

    return tuple(map(typed, operands))


def alike(*operands: Any) -> tuple[Expr, ...]:
    """Operands of one shape and type: an index term beside a float is one, and types are NumPy's for both."""
    from .types import promoted
    from .views import stretched

    found = [as_expr(e) for e in with_types(*operands)]
    for k, e in enumerate(found):
        for other in found:
            e = in_type_of(other, e)
        found[k] = e
    return stretched(*promoted(*found))


def binary(op: str, a: Any, b: Any) -> Expr:
    """An operation on two symbols or numbers."""
    from .types import by_parts

    a, b = with_types(a, b)
    # A real factor, and a real divisor, is one of both parts.
    x, y = by_parts(op, a, b) or alike(a, b)
    is_ix = all(e.sort == "ix" or e.op == "number" and type(e.args[0]) is int for e in (x, y))
    elem = (y if is_complex(y) else x).elem or y.elem
    return Expr(op, (x, y), "ix" if is_ix else "value", elem, x.shape or y.shape)


def is_condition(e: Expr) -> bool:
    """Is the symbol true or false, rather than an integer with bits?"""
    return e.sort == "pred" or e.elem == "bool" or getattr(e.elem, "numpy", None) == "bool"


def both(bits: str, logical: str, a: Any, b: Any) -> Expr:
    """An operation on the bits of integers, or the one on conditions that NumPy spells the same."""
    from .views import stretched

    x, y = as_expr(a), as_expr(b)
    if is_condition(x) or is_condition(y):
        x, y = stretched(x, y)
        return Expr(logical, (x, y), "pred", "bool", x.shape or y.shape)
    return binary(bits, x, y)


def is_integer(e: Expr) -> bool:
    return bool(getattr(e.elem, "is_integer", False))


def divide(a: Any, b: Any) -> Expr:
    """``a / b``; of integers a float of 64 bits, as in NumPy."""
    from .types import by_parts, f64

    a, b = with_types(a, b)
    x, y = by_parts("/", a, b) or alike(a, b)
    x, y = (f64(e) if is_integer(e) or is_condition(e) else e for e in (x, y))
    found = binary("/", x, y)
    if found.sort == "ix":
        raise refusal("`/` of integers", note="in NumPy it gives a float", help="write `//`, which rounds down, or convert: `f64(a) / f64(b)`")
    return found


def known(test: Callable[[Any], bool], e: Expr, condition: Callable[[Expr], Any]) -> Any:
    """A condition on a symbol, decided where it is a number."""
    return test(e.args[0]) if e.op == "number" else condition(e)


def crossing(rest: Expr, y: Expr) -> Expr:
    """Is what a division leaves on the other side of zero than the divisor?"""
    below = known(lambda v: v < 0, y, lambda e: e < 0)
    return rest > 0 if below is True else rest < 0 if below is False else (rest != 0) & (below != (rest < 0))


def remainder(a: Any, b: Any) -> Expr:
    """``a % b``, with the sign of the divisor."""
    x, y = alike(a, b)
    if not is_float(x) and not is_float(y):
        found = binary("%", x, y)
        # In NumPy zero, where the divisor is.
        if is_integer(x) and y.op == "number" and y.args[0] == 0:
            return x * 0
        return where(y == 0, 0, found) if is_integer(y) and y.op != "number" else found
    rest = named("fmod", x, y)
    return where(rest == 0, named("copysign", as_float(as_expr(0.0), rest.elem), y), where(crossing(rest, y), rest + y, rest))


def floor_divide(a: Any, b: Any) -> Expr:
    """``a // b``, rounded down."""
    x, y = alike(a, b)
    if not is_float(x) and not is_float(y):
        return binary("/", x, y)
    # As NumPy computes it: `floor(x / y)` is one too many where the division rounds up.
    rest = named("fmod", x, y)
    exact = (x - rest) / y
    exact = where(crossing(rest, y), exact - 1.0, exact)
    near = named("floor", exact)
    zero = known(lambda v: v == 0, y, lambda e: e == 0)
    none = named("copysign", as_float(as_expr(0.0), rest.elem), x / y)
    return where(zero, x / y, where(exact == 0, none, where(exact - near > 0.5, near + 1.0, near)))


def compare(op: str, a: Any, b: Any) -> Expr:
    """A comparison."""
    x, y = alike(a, b)
    return Expr(op, (x, y), "pred", "bool", x.shape or y.shape)


def where(condition: Any, holds: Any, fails: Any) -> Expr:
    """``holds`` where the condition does, else ``fails``; the condition may be about data."""
    from .views import stretched

    p, a, b = stretched(of_values(as_expr(condition)), *alike(holds, fails))
    if p.shape and a.op == b.op == "number":
        # The elements of an array have a type, and those of NumPy's have this.
        from .composed import of_one_type

        a, b = of_one_type([holds, fails], "np.where")
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
