"""Index notation and einsum strings over arrays of NumPy and SciPy."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _atl
from .errors import refusal
from .kernel import Kernel
from .program import Program, entry

if TYPE_CHECKING:
    from .trace.types import ArrayType

__all__ = ["Packed", "cache_clear", "cache_info", "einsum", "pack", "tensor", "tensordot", "transpose"]

#: The letters of index strings, in NumPy's order.
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

#: How many expressions are remembered.
REMEMBERED = 512


@functools.lru_cache(maxsize=REMEMBERED)
def planned(
    notation: str,
    operands: tuple[str, ...],
    formats: tuple[str, ...],
    element: str,
    semiring: str | None,
    shapes: tuple[tuple[str, tuple[int, ...]], ...],
) -> tuple[Kernel, tuple[str, ...]]:
    """The kernel of a notation, and its operands in order."""
    text, function, schedule, order = _atl.translate(
        notation, list(operands), list(formats), element, semiring, list(shapes)
    )
    return kernel_of(text, function, schedule), tuple(order)


@functools.lru_cache(maxsize=REMEMBERED)
def kernel_of(text: str, function: str, schedule: str | None) -> Kernel:
    """One kernel for each text: shapes choose among texts, and compile nothing. Expressions promise no order of additions."""
    return Kernel(Program(text, name="the program of the expression"), function, schedule, rounding="real")


def cache_info() -> Any:
    """How many expressions were found, and how many made: as ``functools.lru_cache`` says it."""
    return planned.cache_info()


def cache_clear() -> None:
    """Forgets all expressions and their kernels."""
    planned.cache_clear()
    kernel_of.cache_clear()
    einsum.known.clear()


def element_of(operands: dict[str, Any]) -> str:
    """The one element type of arrays."""
    found = {name: str(a.dtype) for name, a in operands.items() if hasattr(a, "dtype")}
    types = sorted(set(found.values()))
    if len(types) > 1:
        listed = ", ".join(f"`{name}` has {dtype}" for name, dtype in found.items())
        wanted = max(types, key=lambda name: ("float" in name, name))
        other = next(name for name, dtype in found.items() if dtype != wanted)
        raise refusal("the operands have several element types", note=listed, help=f"convert them to one: `{other}.astype(np.{wanted})`")
    if not types:
        raise refusal("no operand is an array", help="give arrays of NumPy or SciPy")
    known = elements()
    if types[0] not in known:
        raise refusal(f"`{types[0]}` is not an element type", help="convert the operands: the types are " + ", ".join(known))
    return known[types[0]]


@functools.lru_cache
def elements() -> dict[str, str]:
    """Element types by NumPy's names; index notation has no complex ones."""
    from .trace.types import NAMED

    return {elem.numpy: elem.name for elem in NAMED.values() if not elem.is_complex}


class Packed(_atl.Packed):
    """A tensor that was read and checked once: later calls neither copy nor check its entries. It is frozen."""

    def __new__(cls, array: Any) -> Packed:
        self: Packed = super().__new__(cls, array)
        self.format = format_of(array)
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, len(array.shape)
        return self

    format: str | None
    shape: tuple[int, ...]
    dtype: Any
    ndim: int

    def __repr__(self) -> str:
        return f"<atl.Packed {self.format or 'dense'} {self.dtype}{list(self.shape)}>"


@entry
def pack(array: Any) -> Packed:
    """An array of ``scipy.sparse`` for calls that repeat: its entries are copied and checked here.

    >>> import numpy as np, scipy.sparse
    >>> W = pack(scipy.sparse.csr_array(np.eye(2)))
    >>> tensor("y(i) = A(i,j) * x(j)", A=W, x=np.array([3.0, 4.0]))
    array([3., 4.])
    """
    return Packed(array)


def format_of(array: Any) -> str | None:
    """The format of an array of SciPy's; none of a dense one."""
    if isinstance(array, Packed):
        return array.format
    name = getattr(array, "format", None)
    if not isinstance(name, str) or not hasattr(array, "tocoo"):
        return None
    if name == "bsr":
        rows, columns = array.blocksize
        return f"bcsr({rows}, {columns})"
    return {"csr": "csr", "csc": "csc", "dia": "dia"}.get(name, "coo")


@entry
def tensor(notation: str, /, *, out: str | None = None, semiring: str | None = None, **operands: Any) -> Any:
    """The result of index notation; a sparse operand is iterated over its entries.

    ``out`` is the format of the result, ``"csr"``, ``"csc"`` or ``"coo"``: then it is an array of ``scipy.sparse``, with the
    zeros that are computed. ``semiring`` says what ``+`` and ``*`` mean.

    >>> import numpy as np
    >>> tensor("y(i) = A(i,j) * x(j)", A=np.ones((2, 3)), x=np.arange(3.0))
    array([3., 3.])
    """
    formats = [f"{name}:{found}" for name, a in operands.items() if (found := format_of(a)) is not None]
    if out is not None:
        result = notation.partition("=")[0].partition("(")[0].partition("[")[0].strip()
        formats.append(f"{result}:{out}")
    kernel, _ = planned(notation, (), tuple(formats), element_of(operands), semiring, ())
    return kernel(**operands)


class Einsum:
    """``einsum``, and ``einsum.compile``."""

    def __init__(self) -> None:
        functools.update_wrapper(self, _einsum, updated=())
        #: Kernels of strings over dense operands that stand in the string's order.
        self.known: dict[tuple[Any, ...], Kernel] = {}

    @entry
    def __call__(self, subscripts: str, /, *operands: Any, out: Any = None) -> Any:
        try:
            if len(operands) == 2:
                a, b = operands
                key: tuple[Any, ...] = (subscripts, type(a), a.dtype.char, a.ndim, type(b), b.dtype.char, b.ndim)
            else:
                key = (subscripts, *[(type(a), a.dtype.char, a.shape) for a in operands])
            kernel = self.known.get(key)
        except AttributeError:
            kernel = None
        if kernel is None:
            return _einsum(subscripts, *operands, out=out)
        return kernel(*operands) if out is None else kernel(*operands, out=out)

    @entry
    def compile(self, subscripts: str, types: tuple[ArrayType, ...]) -> Kernel:
        """The kernel of a string for operands of these types; it is called with the arrays, in order."""
        elements = {str(getattr(t, "elem", t)) for t in types}
        if len(elements) != 1:
            raise refusal("the operands have several element types", help="give types of one element type")
        names = tuple(f"x{k}" for k in range(len(types)))
        kernel, _ = planned(subscripts, names, (), elements.pop(), None, ())
        return kernel


def _einsum(subscripts: str, /, *operands: Any, out: Any = None) -> Any:
    """``numpy.einsum`` of a string; more than two operands are contracted in the order of least cost.

    Sparse operands of SciPy are taken, too. Nothing is cast: the operands have one element type.

    >>> import numpy as np
    >>> einsum("ij,jk->ik", np.ones((2, 3)), np.ones((3, 1)))
    array([[3.],
           [3.]])
    """
    names = tuple(f"x{k}" for k in range(len(operands)))
    element = element_of(dict(zip(names, operands)))
    formats = tuple(f"{n}:{found}" for n, a in zip(names, operands) if (found := format_of(a)) is not None)
    shapes: tuple[Any, ...] = ()
    if len(operands) > 2 or "." in subscripts:
        shapes = tuple((n, tuple(a.shape)) for n, a in zip(names, operands))
    kernel, order = planned(subscripts.replace(" ", ""), names, formats, element, None, shapes)
    if order == names and all(type(a) is np.ndarray for a in operands) and "." not in subscripts:
        if len(einsum.known) >= REMEMBERED:
            einsum.known.clear()
        several = tuple((type(a), a.dtype.char, a.shape) for a in operands)
        two = tuple(part for a in operands for part in (type(a), a.dtype.char, a.ndim))
        einsum.known[(subscripts, *(two if len(operands) == 2 else several))] = kernel
    by_name = dict(zip(names, operands))
    return kernel(*(by_name[n] for n in order), out=out)


einsum = Einsum()


@entry
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``numpy.tensordot``: with ``transpose`` and ``einsum``, what ``opt_einsum.contract(.., backend="atl")`` needs.

    >>> import numpy as np
    >>> tensordot(np.ones((2, 3)), np.ones((3, 1)), axes=1)
    array([[3.],
           [3.]])
    """
    last, first = (range(a.ndim - axes, a.ndim), range(axes)) if isinstance(axes, int) else axes
    last, first = np.atleast_1d(last) % a.ndim if a.ndim else [], np.atleast_1d(first) % b.ndim if b.ndim else []
    left, right = list(LETTERS[: a.ndim]), list(LETTERS[a.ndim : a.ndim + b.ndim])
    for p, q in zip(last, first):
        right[q] = left[p]
    summed = {left[p] for p in last}
    kept = [letter for letter in left + right if letter not in summed]
    return einsum(f"{''.join(left)},{''.join(right)}->{''.join(kept)}", a, b)


def transpose(a: Any, axes: Any = None) -> Any:
    """``numpy.transpose``: a view, which a kernel reads as any other array."""
    return np.transpose(a, axes)
