"""Arrays and lists of Python's in a traced function: their numbers become a `let` of the program.

Its name is that of the variable that holds the array. The same numbers of one type are one `let`.
"""

from __future__ import annotations

import sys
from typing import Any

from ..errors import refusal
from .expr import Expr, as_expr
from .scopes import SCOPES
from .types import NAMED, i32
from .views import agree, number, of_sizes, term

__all__ = ["constant", "is_list", "places"]

#: How many numbers a program may have in one array; what has more is an argument.
MOST = 1024


def is_list(value: Any) -> bool:
    """Is it an array or a list of numbers that Python knows?"""
    if isinstance(value, (list, tuple)):
        return True
    return not isinstance(value, Expr) and hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0


def constant(values: Any) -> Expr:
    """An array of NumPy's, or a list of numbers, as a part of the program: ``taps = atl.constant(taps)``.

    Operators and functions take an array as it is, ``x * taps``; to read it at an index, ``taps[k]``, make it one of the program.

    >>> import numpy as np
    >>> from atl import f64, gen, sum
    >>> N, taps = atl.size("N"), np.array([0.25, 0.5, 0.25])
    >>> @atl.fn(x=f64[N])
    ... def smooth(x):
    ...     w = atl.constant(taps)
    ...     return gen(sum(w[k] * x.get(i + k - 1) for k in w.shape[0]) for i in N)
    >>> smooth(np.array([0.0, 4.0, 0.0]))
    array([1., 2., 1.])
    """
    import numpy as np  # a program without arrays does without

    try:
        array = np.asarray(values)
    except ValueError:
        raise refusal("rows of different lengths in one list", help="give all the same number of elements") from None
    found = next((e for e in NAMED.values() if e.numpy == array.dtype.name), None)
    if found is None:
        raise refusal(f"an array of the type {array.dtype} in a traced function", help="the element types are " + ", ".join(NAMED))
    return bound(values, array, found)


def bound(values: Any, array: Any, elem: Any) -> Expr:
    """The `let` of these numbers, at the head of the function."""
    if not SCOPES.open:
        raise refusal("an array of numbers outside of a traced function", help="use it in a function with `@atl.fn`")
    if not 0 < array.size <= MOST:
        raise refusal(
            f"an array of {array.size} numbers in a traced function",
            note=f"numbers of the enclosing scope are compiled into the kernel, {MOST} at most",
            help="make it an argument: `@atl.fn(.., t=f64[K])`",
        )
    made, key = SCOPES.open[0].made, ("constant", elem.name, array.shape, array.tobytes())
    if key not in made:
        found = Expr("let", (name_of(values), rows(array.tolist(), elem)), "value", elem, tuple(as_expr(n) for n in array.shape))
        SCOPES.open[0].lets.append(found)
        made[key] = (), found
    return made[key][1]


def rows(values: Any, elem: Any) -> Expr:
    """The array that is written out, each number with its type."""
    if not isinstance(values, list):
        return elem(values.real, values.imag) if isinstance(values, complex) else as_expr(elem(values))
    parts = tuple(rows(part, elem) for part in values)
    return Expr("row", parts, "value", elem, (as_expr(len(parts)), *parts[0].shape))


def name_of(values: Any) -> str:
    """The variable of Python's that holds an array or a list."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("atl."):
        frame = frame.f_back
    held = {} if frame is None else {**frame.f_globals, **frame.f_locals}
    names = (name for name, value in held.items() if value is values and name.isascii() and name[0].isalpha())
    return next(names, "numbers")


# Arrays as indices.


def places(extent: Expr, values: Any) -> tuple[Expr, bool] | list[int]:
    """The `let` of an array of places along an axis, and whether they count from the end; or the places, if they count from both."""
    import numpy as np

    array = np.asarray(values)
    if array.size == 0:
        raise refusal("a list of no places as an index", help="a slice may be empty: `x[:0]`")
    if array.dtype.kind == "b" and array.ndim == 1:
        agree(extent, as_expr(len(array)), "give the mask an element for each of the axis")
        values = array = np.flatnonzero(array)
    if array.dtype.kind not in "iu":
        raise refusal(f"a list of the type {array.dtype} as an index", help="places are whole numbers: `x[[0, 2, 1]]`")
    least, most, length = int(np.min(array)), int(np.max(array)), number(extent)
    needed = max(most + 1, -least)
    if length is not None:
        if needed > length:
            raise refusal(f"a place beyond an axis of {length} elements", help=f"places are from {-length} to {length - 1}")
        array = array % length
        least = 0
    elif of_sizes(extent):
        SCOPES.open[0].needs.append(Expr("<=", (as_expr(needed), extent), "pred", "bool"))
    if least < 0 <= most:
        return list(map(int, array.reshape(-1))) if array.ndim == 1 else refused()
    from_end = least < 0
    return bound(values, (-1 - array if from_end else array).astype(np.int32), i32), from_end


def refused() -> Any:
    raise refusal("an array of places that count from both ends of an axis", help="count from the beginning, or give a list of one dimension")


def place(extent: Expr, read: Expr, from_end: bool) -> Expr:
    """The index that an element of such a `let` is."""
    return as_expr(term("-", term("-", extent, 1), read)) if from_end else read
