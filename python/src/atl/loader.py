"""A function that `atl` compiled, for Python with NumPy and without `atl`."""

from __future__ import annotations

import ctypes
import importlib
import os
from typing import Any, Callable, cast

import numpy as np

#: What a call looks like; arrays, sizes and extents are numbered by position.
SIGNATURE: dict[str, Any] = {}

TYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "bool": "bool",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}  # fmt: skip
NAMES = {numpy: name for name, numpy in TYPES.items()}
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.floor_divide,
    "mod": np.remainder,
    "min": np.minimum,
    "max": np.maximum,
    "eq": np.equal,
    "lt": np.less,
    "le": np.less_equal,
}


#: The shapes of so many calls are remembered.
REMEMBERED = 16


class RefusedArgument(ValueError, TypeError):
    """Arguments of a call are refused."""


def _library() -> Any:
    name = SIGNATURE["c"]["function"]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"lib{name}.so")
    call = getattr(ctypes.CDLL(path), SIGNATURE["c"]["call"])
    call.argtypes, call.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int32
    return call


def _term(term: Any, sizes: list[int | None], arrays: list[Any], points: list[Any]) -> Any:
    """The value of a term: an integer, or one for each point of variables, the innermost of which is numbered 0."""
    if isinstance(term, int):
        return term
    ((kind, of),) = [pair for pair in term.items() if pair[0] != "at"]
    if kind == "size":
        return sizes[of]
    if kind == "variable":
        return points[-1 - of]
    if kind == "array":
        at = [np.asarray(_term(ix, sizes, arrays, points)) for ix in term["at"]]
        if any(bool(((ix < 0) | (ix >= n)).any()) for ix, n in zip(at, arrays[of].shape)):
            raise IndexError
        return arrays[of][tuple(at)].astype(np.int64)
    a, b = (_term(part, sizes, arrays, points) for part in of)
    if a is None or b is None:
        return None
    return int(ARITHMETIC[kind](a, b)) if isinstance(a, int) and isinstance(b, int) else ARITHMETIC[kind](a, b)


def _holds(pred: Any, sizes: list[int | None], arrays: list[Any], points: list[Any]) -> Any:
    """Does a predicate hold, at each point? What the left side of `and` and `or` decides, the right is not asked."""
    count = len(points[0]) if points else 1
    if isinstance(pred, bool):
        return np.full(count, pred)
    ((kind, of),) = pred.items()
    if kind == "not":
        return ~_holds(of, sizes, arrays, points)
    if kind in ("and", "or"):
        found = _holds(of[0], sizes, arrays, points).copy()
        open_ = found if kind == "and" else ~found
        found[open_] = _holds(of[1], sizes, arrays, [values[open_] for values in points]) if points else (
            _holds(of[1], sizes, arrays, points)[open_]
        )
        return found
    a, b = (_term(part, sizes, arrays, points) for part in of)
    return np.broadcast_to(ARITHMETIC[kind](a, b), count)


def _all(stated: Any, sizes: list[int | None], arrays: list[Any]) -> bool:
    """Does a statement about the elements of arrays hold for all values of its variables?"""
    points: list[Any] = []
    try:
        for variable in stated["variables"]:
            count = len(points[0]) if points else 1
            low, high = (
                np.broadcast_to(np.asarray(_term(variable[end], sizes, arrays, points), dtype=np.int64), count)
                for end in ("from", "below")
            )
            many = np.maximum(high - low, 0)
            each = np.repeat(np.arange(count), many)
            inside = np.arange(len(each)) - np.repeat(np.cumsum(many) - many, many)
            points = [values[each] for values in points] + [low[each] + inside]
        return bool(np.all(_holds(stated["holds"], sizes, arrays, points)))
    except IndexError:
        return False


def _type(name: str) -> Any:
    """NumPy's element type; that of `bf16` is in a package of its own."""
    if name != "bf16":
        return np.dtype(TYPES[name])
    try:
        return np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    except ImportError as error:
        raise RefusedArgument("NumPy has no `bf16`: install `ml_dtypes`, which has it as `ml_dtypes.bfloat16`") from error


def _array(described: dict[str, Any], value: Any) -> Any:
    """The array that a value is for a parameter."""
    name, wanted = described["name"], _type(described["dtype"])
    if isinstance(value, (bool, int, float)) and not described["extents"]:
        number = np.array(value, dtype=wanted)
        is_kind = isinstance(value, bool) == (wanted.kind == "b") and (wanted.kind in "fV" or isinstance(value, int))
        if not is_kind or (isinstance(value, int) and int(number) != value):
            raise RefusedArgument(f"the argument `{name}` is {value!r}, which is not a value of {described['dtype']}")
        return number
    array = value if isinstance(value, np.ndarray) else None
    if array is None or isinstance(value, np.ma.MaskedArray):
        raise RefusedArgument(f"the argument `{name}` is of type `{type(value).__name__}`, and the parameter an array of {described['dtype']}")
    if array.dtype != wanted:
        raise RefusedArgument(f"the argument `{name}` has elements of type {NAMES.get(str(array.dtype), array.dtype)}, and the parameter {described['dtype']}")
    if array.ndim != len(described["extents"]):
        raise RefusedArgument(f"the argument `{name}` has {array.ndim} dimensions, and the parameter {len(described['extents'])}")
    array = np.require(array, requirements=["C", "A"])
    if wanted.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise RefusedArgument(f"the argument `{name}` has bytes other than 0 and 1 as truth values")
    if described["carrier"] is not None and array.size:
        least, greatest = map(float, described["carrier"])
        if not bool(((array >= least) & (array <= greatest)).all()):
            raise RefusedArgument(f"the argument `{name}` contains a number that is not a value of `{described['element']}`")
    return array


def _sizes(arrays: list[Any], given: list[int | None]) -> list[int | None]:
    """The sizes, from shapes and from what is given."""
    sizes = list(given)
    for k, size in enumerate(SIGNATURE["sizes"]):
        source, found = size["from"], None
        if source["kind"] == "extent":
            found = arrays[source["array"]].shape[source["axis"]]
        elif source["kind"] == "solved":
            total = source["constant"] + sum(e["factor"] * arrays[e["array"]].shape[e["axis"]] for e in source["extents"])
            total += sum(s["factor"] * (sizes[s["size"]] or 0) for s in source["sizes"])
            if total % source["divisor"]:
                raise RefusedArgument(f"no whole number `{size['name']}` gives the arguments their shapes")
            found = total // source["divisor"]
        if found is not None and given[k] is not None and found != given[k]:
            raise RefusedArgument(f"the size `{size['name']}` is {given[k]}, and the arguments make it {found}")
        value = given[k] if found is None else found
        if value is None:
            raise RefusedArgument(f"the size `{size['name']}` is not determined by the arrays: give it as an argument, `{size['name']}=..`")
        if not 0 <= value < 2**62:
            raise RefusedArgument(f"the size `{size['name']}` is {value}")
        sizes[k] = value
    return sizes


def _extents(extents: list[Any], sizes: list[int | None]) -> tuple[int, ...]:
    return tuple(_term(extent["value"], sizes, [], []) for extent in extents)


def _function() -> Callable[..., Any]:
    library, arrays, sizes = _library(), SIGNATURE["arrays"], SIGNATURE["sizes"]
    names = [array["name"] for array in arrays]
    free = [size["name"] for size in sizes if size["from"]["kind"] == "argument"]
    buffers_type, sizes_type = ctypes.c_void_p * (len(arrays) + 1), ctypes.c_int64 * len(sizes)
    result, function = SIGNATURE["result"], SIGNATURE["function"]
    # What was found out of arrays of the same shapes, where what they contain needs no look: the sizes and the result's shape.
    is_looked_at = SIGNATURE["contents"] or any(array["carrier"] is not None or array["dtype"] in ("bool", "bf16") for array in arrays)
    ready: dict[tuple[Any, ...], tuple[Any, tuple[int, ...]]] = {}
    dtypes = [] if is_looked_at or free or result["dtype"] == "bf16" else [_type(array["dtype"]) for array in arrays]
    result_type = None if result["dtype"] == "bf16" else _type(result["dtype"])

    addressof = ctypes.addressof
    char_at = cast(Any, ctypes.c_char).from_buffer

    def like_before(args: tuple[Any, ...]) -> tuple[Any, tuple[int, ...]] | None:
        shapes = []
        for value, dtype in zip(args, dtypes):
            # In C order, aligned and writeable.
            if type(value) is not np.ndarray or value.dtype != dtype or not value.flags.carray:
                return None
            shapes.append(value.shape)
        return ready.get(tuple(shapes))

    def call(*args: Any, out: Any = None, **named: Any) -> Any:
        if out is None and not named and len(args) == len(dtypes) and (known := like_before(args)) is not None:
            target = np.empty(known[1], result_type)
            # A tenth of the time of `value.ctypes.data`, of arrays that are writeable and have elements.
            run(known[0], [addressof(char_at(value)) for value in args], addressof(char_at(target)))
            return target if known[1] else target[()]
        order = names + free
        if len(args) > len(order):
            raise RefusedArgument(f"`{function}` takes {len(order)} arguments, and {len(args)} are given")
        given = dict(zip(order, args))
        for name, value in named.items():
            if name in given:
                raise RefusedArgument(f"`{name}` is given twice")
            if name not in order and name not in [size["name"] for size in sizes]:
                raise RefusedArgument(f"`{function}` has no parameter `{name}`")
            given[name] = value
        for name in names:
            if name not in given:
                raise RefusedArgument(f"the argument `{name}` is missing")
        values = [_array(array, given[array["name"]]) for array in arrays]
        found = _sizes(values, [given.get(size["name"]) for size in sizes])
        for condition in SIGNATURE["conditions"]:
            if not _holds(condition["holds"], found, [], [])[0]:
                shown = ", ".join(f"{size['name']} = {n}" for size, n in zip(sizes, found))
                raise RefusedArgument(f"`{condition['text']}` does not hold for {shown}")
        for array, value in zip(arrays, values):
            for axis, (extent, long, n) in enumerate(zip(array["extents"], _extents(array["extents"], found), value.shape)):
                if long != n:
                    raise RefusedArgument(
                        f"the argument `{array['name']}` has extent {n} along axis {axis}, where `{extent['text']}` is {long}"
                    )
        for stated in SIGNATURE["contents"]:
            if not _all(stated, found, values):
                raise RefusedArgument(f"`{stated['text']}` does not hold")
        shape, wanted = _extents(result["extents"], found), _type(result["dtype"])
        target = np.empty(shape, dtype=wanted) if out is None else out
        if not isinstance(target, np.ndarray) or target.dtype != wanted or target.shape != shape:
            raise RefusedArgument(f"`{function}` cannot store its result in `out`: it must be {result['dtype']}{list(shape)}")
        if not (target.flags.c_contiguous and target.flags.aligned and target.flags.writeable):
            raise RefusedArgument(f"`{function}` cannot store its result in `out`: it must be in C order and writeable")
        if out is not None:
            for name, value in zip(names, values):
                if np.may_share_memory(target, value):
                    raise RefusedArgument(f"`out` overlaps the argument `{name}`, which is read while the result is stored")
        numbers = sizes_type(*[n or 0 for n in found])
        if dtypes and all(value.size for value in [*values, target]):
            if len(ready) == REMEMBERED:
                ready.clear()
            ready[tuple([value.shape for value in values])] = numbers, shape
        run(numbers, [value.ctypes.data for value in values], target.ctypes.data)
        return target if out is not None or shape else target[()]

    def run(numbers: Any, values: list[int], target: int) -> None:
        # ctypes gives Python's lock away for the call.
        if (code := library(numbers, buffers_type(*values, target))) != 0:
            raise MemoryError(f"`{function}` could not allocate its scratch memory") if code == 1 else RuntimeError(f"`{function}` failed with code {code}")

    call.__name__ = call.__qualname__ = function
    call.__doc__ = f"{function}({', '.join(array['type'] for array in arrays)}) -> {result['type']}"
    return call


if SIGNATURE:
    globals()[SIGNATURE["function"]] = _function()
