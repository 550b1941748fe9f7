"""Element types: how NumPy holds them, operands that try them, and what each operation and conversion is to give.

A number of `f16` or `bf16` is 16 bits here, and its arithmetic is that of `float32`, rounded.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cases.halves import bf16

Value = np.ndarray
WIDTHS = {f"{kind}{width}": width for kind in "iu" for width in (8, 16, 32, 64)}
INTEGERS = list(WIDTHS)
HALVES = ["f16", "bf16"]
FLOATS = [*HALVES, "f32", "f64"]
REAL = ["bool", *INTEGERS, *FLOATS]
COMPLEX = {"c64": "f32", "c128": "f64"}
DTYPES = {"bool": np.bool_, "f16": np.uint16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
DTYPES |= {name: np.dtype(name[0] + str(width // 8)).type for name, width in WIDTHS.items()}


def single(x: Value, kind: str) -> Value:
    """The `float32` numbers with these 16 bits."""
    return x.view(np.float16).astype(np.float32) if kind == "f16" else (x.astype(np.uint32) << 16).view(np.float32)


def halved(x: Value, kind: str) -> Value:
    """The bits of `float32` numbers, rounded to the type."""
    with np.errstate(over="ignore"):
        return x.astype(np.float16).view(np.uint16) if kind == "f16" else bf16(x)


def computed(x: Value, kind: str) -> Value:
    """The numbers in the type that computes with them."""
    return single(x, kind) if kind in HALVES else x


def kept(x: Value, kind: str) -> Value:
    """A result of `computed` operands as the type holds it."""
    return halved(x, kind) if kind in HALVES else x


def to_odd(n: Value) -> Value:
    """`float32` numbers so that rounding them again rounds `n` once: what is inexact gets an odd last bit."""
    if n.dtype.kind in "iu":
        # What is beyond the 53 bits of `float64` decides nothing but whether the rest is inexact.
        low = n & n.dtype.type(4095) if n.dtype.itemsize == 8 else n & n.dtype.type(0)
        large = np.abs(n.astype(np.float64)) >= 2.0**50
        n = np.where(large, (n - low) | (low != 0).astype(n.dtype) * n.dtype.type(4096 if n.dtype.itemsize == 8 else 0), n)
    exact = n.astype(np.float64)
    rounded = exact.astype(np.float32)
    bits = rounded.view(np.uint32)
    off = (rounded.astype(np.float64) != exact) & ~np.isnan(exact) & ~np.isinf(exact)
    down = np.abs(rounded.astype(np.float64)) > np.abs(exact)
    return np.where(off, (bits - down.astype(np.uint32)) | 1, bits).astype(np.uint32).view(np.float32)


def converted(x: Value, kind: str, to: str) -> Value:
    """Numbers of one type as another."""
    if kind in HALVES:
        return x if to == kind else converted(single(x, kind), "f32", to)
    if to == "bool":
        return x != 0
    if to in WIDTHS and kind in FLOATS:
        limits, whole = np.iinfo(DTYPES[to]), np.trunc(x.astype(np.float64))
        inside = (whole >= float(limits.min)) & (whole < float(limits.max) + (0 if WIDTHS[to] == 64 else 1))
        clamped = np.where(whole < 0, limits.min, limits.max)
        return np.where(np.isnan(x), 0, np.where(inside, np.where(inside, whole, 0).astype(DTYPES[to]), clamped.astype(DTYPES[to]))).astype(DTYPES[to])
    if to == "bf16":
        return bf16(x.astype(np.float32) if kind in ("bool", "f32") else to_odd(x))
    if to == "f16":
        return x.astype(np.float64).astype(np.float16).view(np.uint16)
    return x.astype(DTYPES[to])


def samples(kind: str, rng: np.random.Generator, count: int) -> Value:
    """Numbers of the type: all of it, if it is small, else extremes, and random ones of every size."""
    if kind == "bool":
        return np.arange(2).astype(np.bool_)
    if kind in COMPLEX:
        return pairs(kind, rng, count)[0]
    width = 8 * np.dtype(DTYPES[kind]).itemsize
    unsigned = np.dtype(f"u{width // 8}")
    if width == 8 or (width == 16 and kind in HALVES):
        return np.arange(1 << width).astype(unsigned).view(DTYPES[kind])
    bits = rng.integers(0, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + rng.integers(0, 2, count, dtype=np.uint64)
    bits >>= np.uint64(64 - width)
    if kind in FLOATS:
        x = bits.astype(unsigned).view(DTYPES[kind])
        # A third are of moderate size, and some of them lie beside an integer, where conversions decide.
        moderate = (rng.normal(size=count) * np.exp2(rng.integers(-8, 70, count))).astype(DTYPES[kind])
        near = np.nextafter(np.rint(moderate[::2]), rng.choice([-np.inf, np.inf], moderate[::2].shape).astype(DTYPES[kind]))
        moderate[::2] = near
        x[::3] = moderate[::3]
        return np.concatenate([extremes(kind), x])
    x = (bits >> rng.integers(0, width, count).astype(np.uint64)).astype(unsigned)
    negative = rng.integers(0, 2, count).astype(np.bool_)
    x = np.where(negative, unsigned.type(0) - x, x).astype(unsigned)
    return np.concatenate([extremes(kind), x.view(DTYPES[kind])])


def extremes(kind: str) -> Value:
    """Numbers at which operations change what they do."""
    dtype = DTYPES[kind]
    if kind in WIDTHS:
        limits = np.iinfo(dtype)
        powers = [1 << k for k in range(WIDTHS[kind])]
        wanted = {0, limits.min, limits.max, limits.min + 1, limits.max - 1, *range(2, 9)}
        wanted |= {sign * p + d for p in powers for sign in (-1, 1) for d in (-1, 0, 1)}
        return np.array(sorted(n for n in wanted if limits.min <= n <= limits.max), dtype)
    limits = np.finfo(dtype)
    numbers = [0, 1, 0.5, 1.5, 2.5, 3, limits.max, limits.tiny, limits.smallest_subnormal, 1 + limits.eps, 1 - limits.epsneg, np.inf]
    numbers += [2.0**k + d for k in (7, 8, 15, 16, 31, 32, 63, 64) for d in (-1, 0, 1)]
    numbers += [65504, 65519.996, 65520, 3.3895314e38, 2049, 2051, 257, 259, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40]
    with np.errstate(over="ignore"):
        both = np.array([sign * n for n in numbers for sign in (1, -1)], dtype)
    return np.append(both, dtype(np.nan))


def pairs(kind: str, rng: np.random.Generator, count: int) -> tuple[Value, Value]:
    """Pairs of numbers of the type: all of them, if they are few, else all pairs of extremes, and random ones."""
    if np.dtype(DTYPES[kind]).itemsize == 1:
        every = samples(kind, rng, count)
        return np.repeat(every, len(every)), np.tile(every, len(every))
    if kind in COMPLEX:
        parts = [rng.normal(size=count) * np.exp2(rng.integers(-20, 20, count)) for _ in range(4)]
        z, w = (a + 1j * b for a, b in (parts[:2], parts[2:]))
        return z.astype(DTYPES[kind]), w.astype(DTYPES[kind])
    special = halved(extremes("f32"), kind) if kind in HALVES else extremes(kind)
    x, y = (rng.choice(samples(kind, rng, count), count) for _ in range(2))
    if kind in FLOATS:
        # Half of the pairs are of like size, so that sums round.
        a = computed(x[::2], kind)
        with np.errstate(all="ignore"):
            y[::2] = kept((a * rng.uniform(-4, 4, a.shape).astype(a.dtype)).astype(a.dtype), kind)
    else:
        y[::2] >>= rng.integers(0, 8 * y.itemsize, y[::2].shape).astype(y.dtype)
    return np.concatenate([np.repeat(special, len(special)), x]), np.concatenate([np.tile(special, len(special)), y])


def floor_divided(x: Value, y: Value) -> Value:
    """Rounded down; by zero 0; the least by -1 is itself."""
    zero, least = y == 0, np.zeros_like(x, np.bool_)
    if x.dtype.kind == "i":
        least = (x == np.iinfo(x.dtype).min) & (y == -1)
    safe = np.where(zero | least, 1, y).astype(x.dtype)
    return np.where(zero, 0, np.where(least, x, x // safe)).astype(x.dtype)


def shifted(x: Value, y: Value, left: bool) -> Value:
    """Bits moved; a count beyond the width leaves 0, or copies of the sign."""
    width = 8 * x.itemsize
    outside = (y >= width) | (y < 0) if x.dtype.kind == "i" else y >= width
    count = np.where(outside, 0, y).astype(x.dtype)
    beyond = np.where(x < 0, -1, 0).astype(x.dtype) if x.dtype.kind == "i" and not left else np.zeros_like(x)
    return np.where(outside, beyond, np.left_shift(x, count) if left else np.right_shift(x, count))


def high(x: Value, y: Value) -> Value:
    """The high half of the exact product."""
    wide = np.int64 if x.dtype.kind == "i" else np.uint64
    return (x.astype(wide) * y.astype(wide) >> wide(8 * x.itemsize)).astype(x.dtype)


def zeros_above(x: Value) -> Value:
    """How many zeros stand above the highest bit that is set."""
    width, u = 8 * x.itemsize, x.view(f"u{x.itemsize}").copy()
    for k in (1, 2, 4, 8, 16, 32):
        if k < width:
            u |= u >> u.dtype.type(k)
    return (width - np.bitwise_count(u).astype(np.int64)).astype(x.dtype)


def zeros_below(x: Value) -> Value:
    """How many zeros stand below the lowest bit that is set."""
    u = x.view(f"u{x.itemsize}")
    return np.bitwise_count(~u & (u - u.dtype.type(1))).astype(x.dtype)


@dataclass(frozen=True)
class Operation:
    """An operation: its name in the table, its text over `x` and `y`, the types that have it, and what it gives.

    `exact` computes in the type, or in `float32` for 16 bits. `four` folds four neighbours, from the number that it gives. `slack` is
    how many units in the last place the result may be off.
    """

    name: str
    text: str
    kinds: list[str]
    exact: Callable[[Value, Value], Value]
    result: str = "same"
    four: Callable[[str], float] | None = None
    slack: float = 0.0

    def gives(self, kind: str) -> str:
        """The type of the result."""
        return {"same": kind, "truth": "bool", "part": COMPLEX.get(kind, kind)}[self.result]


def result(operation: Operation, kind: str, x: Value, y: Value) -> Value:
    """What an operation gives of operands of a type."""
    def once(a: Value, b: Value) -> Value:
        value = operation.exact(computed(a, kind), computed(b, kind))
        return value if operation.result == "truth" else kept(value.astype(computed(a, kind).dtype, copy=False), kind) if kind not in COMPLEX else value

    if operation.four is None:
        return once(x, y)
    rows = x[: len(x) // 4 * 4].reshape(-1, 4)
    start = operation.four(kind)
    total = np.full(len(rows), start, DTYPES[kind]) if kind not in HALVES else halved(np.full(len(rows), start, np.float32), kind)
    for k in range(4):
        total = once(total, rows[:, k])
    return total


def least(kind: str) -> float:
    """The start of a maximum."""
    return np.iinfo(DTYPES[kind]).min if kind in WIDTHS else -np.inf


def greatest(kind: str) -> float:
    """The start of a minimum."""
    return np.iinfo(DTYPES[kind]).max if kind in WIDTHS else np.inf


def of_parts(real: Callable[..., Value], imaginary: Callable[..., Value]) -> Callable[[Value, Value], Value]:
    """A complex number by its parts, of the parts of both operands."""
    def exact(x: Value, y: Value) -> Value:
        parts = (x.real, x.imag, y.real, y.imag)
        both = np.empty_like(x)
        both.real, both.imag = real(*parts), imaginary(*parts)
        return both

    return exact


def wide(f: Callable[..., Value]) -> Callable[[Value, Value], Value]:
    """A function of complex numbers in more precision."""
    return lambda x, y: f(x.astype(np.clongdouble), y.astype(np.clongdouble))


def smaller(x: Value, y: Value) -> Value:
    return np.where(y < x, y, x)


def larger(x: Value, y: Value) -> Value:
    return np.where(x < y, y, x)


NUMBERS = [*INTEGERS, *FLOATS]
OPERATIONS = [
    Operation("x + y", "x + y", NUMBERS, np.add),
    Operation("x - y", "x - y", NUMBERS, np.subtract),
    Operation("x * y", "x * y", NUMBERS, np.multiply),
    Operation("x + y", "x + y", ["bool"], np.logical_or),
    Operation("x * y", "x * y", ["bool"], np.logical_and),
    Operation("x / y", "x / y", INTEGERS, floor_divided),
    Operation("x / y", "x / y", FLOATS, np.divide),
    Operation("x % y", "x % y", INTEGERS, lambda x, y: x - floor_divided(x, y) * y),
    Operation("-x", "-x", NUMBERS, lambda x, y: -x),
    Operation("abs(x)", "abs(x)", NUMBERS, lambda x, y: np.abs(x)),
    Operation("min(x, y)", "min(x, y)", NUMBERS, smaller),
    Operation("max(x, y)", "max(x, y)", NUMBERS, larger),
    *(Operation(f"x {c} y", f"x {c} y", REAL, f, "truth")
      for c, f in (("<", np.less), ("<=", np.less_equal), ("==", np.equal), ("!=", np.not_equal))),
    Operation("x & y", "x & y", ["bool", *INTEGERS], np.bitwise_and),
    Operation("x | y", "x | y", ["bool", *INTEGERS], np.bitwise_or),
    Operation("x ^ y", "x ^ y", ["bool", *INTEGERS], np.bitwise_xor),
    Operation("~x", "~x", ["bool", *INTEGERS], lambda x, y: ~x),
    Operation("x << y", "x << y", INTEGERS, lambda x, y: shifted(x, y, True)),
    Operation("x >> y", "x >> y", INTEGERS, lambda x, y: shifted(x, y, False)),
    Operation("mulhi(x, y)", "mulhi(x, y)", [k for k in INTEGERS if WIDTHS[k] <= 32], high),
    Operation("popcount(x)", "popcount(x)", INTEGERS, lambda x, y: np.bitwise_count(x.view(f"u{x.itemsize}")).astype(x.dtype)),
    Operation("clz(x)", "clz(x)", INTEGERS, lambda x, y: zeros_above(x)),
    Operation("ctz(x)", "ctz(x)", INTEGERS, lambda x, y: zeros_below(x)),
    Operation("sqrt(x)", "sqrt(x)", FLOATS, lambda x, y: np.sqrt(x)),
    Operation("floor(x)", "floor(x)", FLOATS, lambda x, y: np.floor(x)),
    Operation("ceil(x)", "ceil(x)", FLOATS, lambda x, y: np.ceil(x)),
    Operation("trunc(x)", "trunc(x)", FLOATS, lambda x, y: np.trunc(x)),
    Operation("round(x)", "round(x)", FLOATS, lambda x, y: np.rint(x)),
    Operation("sign(x)", "sign(x)", FLOATS, lambda x, y: np.where(x == 0, x, np.sign(x))),
    Operation("copysign(x, y)", "copysign(x, y)", FLOATS, lambda x, y: np.where(np.isnan(y), np.abs(x), np.copysign(x, y))),
    Operation("fmod(x, y)", "fmod(x, y)", FLOATS, np.fmod),
    Operation("select(x < y, x, y)", "select(x < y, x, y)", REAL, lambda x, y: np.where(x < y, x, y)),
    Operation("sum", "sum k < 4 { x }", ["bool"], np.logical_or, four=lambda kind: 0),
    Operation("prod", "prod k < 4 { x }", ["bool"], np.logical_and, four=lambda kind: 1),
    Operation("sum", "sum k < 4 { x }", NUMBERS, np.add, four=lambda kind: 0),
    Operation("prod", "prod k < 4 { x }", NUMBERS, np.multiply, four=lambda kind: 1),
    Operation("min", "min k < 4 { x }", NUMBERS, smaller, four=greatest),
    Operation("max", "max k < 4 { x }", NUMBERS, larger, four=least),
    Operation("any", "any k < 4 { x }", ["bool"], np.logical_or, four=lambda kind: 0),
    Operation("all", "all k < 4 { x }", ["bool"], np.logical_and, four=lambda kind: 1),
]
COMPLEX_OPERATIONS = [
    Operation("x + y", "x + y", [*COMPLEX], of_parts(lambda a, b, c, d: a + c, lambda a, b, c, d: b + d)),
    Operation("x - y", "x - y", [*COMPLEX], of_parts(lambda a, b, c, d: a - c, lambda a, b, c, d: b - d)),
    Operation("x * y", "x * y", [*COMPLEX], of_parts(lambda a, b, c, d: a * c - b * d, lambda a, b, c, d: a * d + b * c)),
    Operation("x / y", "x / y", [*COMPLEX], wide(np.divide), slack=4),
    Operation("-x", "-x", [*COMPLEX], of_parts(lambda a, b, c, d: -a, lambda a, b, c, d: -b)),
    Operation("abs(x)", "abs(x)", [*COMPLEX], wide(lambda x, y: np.abs(x)), "part", slack=1),
    Operation("x == y", "x == y", [*COMPLEX], np.equal, "truth"),
    Operation("x != y", "x != y", [*COMPLEX], np.not_equal, "truth"),
    Operation("sqrt(x)", "sqrt(x)", [*COMPLEX], wide(lambda x, y: np.sqrt(x)), slack=3),
    Operation("sum", "sum k < 4 { x }", [*COMPLEX], of_parts(lambda a, b, c, d: a + c, lambda a, b, c, d: b + d), four=lambda kind: 0),
    Operation("conj(x)", "conj(x)", [*COMPLEX], of_parts(lambda a, b, c, d: a, lambda a, b, c, d: -b)),
    Operation("re(x)", "re(x)", [*COMPLEX], lambda x, y: x.real, "part"),
    Operation("im(x)", "im(x)", [*COMPLEX], lambda x, y: x.imag, "part"),
    Operation("arg(x)", "arg(x)", [*COMPLEX], wide(lambda x, y: np.angle(x)), "part", slack=2),
]
