"""Functions of NumPy's on the extremes of each type: a trace gives NumPy's value and type, or is refused."""

import os
import warnings

import numpy as np
import pytest

import atl

N, M = atl.sizes("N M")
TYPES = {name: getattr(atl, name) for name in "f64 f32 f16 i8 i16 i32 i64 u8 u16 u32 u64 bool_ c128 c64".split()}
INF, NAN = np.inf, np.nan


def traced(text, **types):
    function = eval(f"lambda {', '.join(types)}: ({text})", {"np": np})
    function.__name__ = "f"
    return function, atl.fn(backend="cranelift", **types)(function)


def differs(found, wanted):
    """What is not NumPy's; the sign of a zero is not looked at."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return f"{found.dtype}{found.shape} for {wanted.dtype}{wanted.shape}"
    tolerance = 1e-2 if wanted.dtype == np.float16 else 1e-4 if wanted.dtype.name in ("float32", "complex64") else 1e-9
    same = np.isclose(found, wanted, rtol=tolerance, atol=tolerance * 1e-2, equal_nan=True)
    return "" if same.all() else f"{found[~same][:3]} for {wanted[~same][:3]}"


#: What was found wrong: an expression, and the types and numbers of its arguments.
FOUND = [
    ("np.isclose(x, y)", ("f64", [INF, 1, NAN, INF, -INF, 1]), ("f64", [INF, 1, NAN, -INF, -INF, INF])),
    ("np.isclose(x, y, equal_nan=True)", ("f32", [INF, 1, NAN, NAN]), ("f32", [INF, 1, NAN, 1])),
    ("np.isclose(x, y)", ("c128", [INF + 1j, 1, 1e308 + 1e308j]), ("c128", [INF + 1j, 1, 1e308 + 1e308j])),
    ("np.isclose(x, y, atol=3)", ("u8", [5, 7, 0]), ("u8", [7, 5, 255])),
    ("np.isclose(x, y)", ("i8", [-128, 127]), ("i8", [0, -128])),
    ("np.allclose(x, y)", ("i8", [-128]), ("i8", [0])),
    ("np.isclose(x, y)", ("i64", [-(2**63)]), ("i64", [0])),
    ("np.isclose(x, 1), np.isclose(x, 1.5, atol=1)", ("i8", [1, -128])),
    ("np.isclose(x, 0), np.isclose(1, x), np.isclose(x, np.inf)", ("f64", [INF, 1e-9, 1, NAN])),
    ("np.isfinite(x)", ("c128", [1e308 + 1e308j, complex(INF, NAN)])),
    ("np.isinf(x)", ("c64", [3e38 + 3e38j, complex(NAN, INF)])),
    ("np.logaddexp(x, y)", ("u8", [5, 0]), ("u8", [7, 255])),
    ("np.logaddexp(x, y)", ("i16", [5, -32768]), ("i16", [7, 32767])),
    ("np.logaddexp(x, y)", ("i8", [5, -128]), ("u8", [7, 255])),
    ("np.logaddexp(x, y)", ("f64", [INF, INF, -INF, NAN]), ("f64", [INF, -INF, -INF, 1])),
    ("np.angle(x)", ("f64", [INF, 1, -1, -0.0, NAN, -INF])),
    ("np.angle(x)", ("u8", [0, 255])),
    ("np.angle(x)", ("i16", [0, -5])),
    ("np.imag(x)", ("f64", [INF, 1, -1, NAN])),
    ("np.imag(x)", ("i8", [0, 1])),
    ("np.imag(x), np.tril(x), np.zeros_like(x), np.bitwise_xor.reduce(x)", ("bool_", [0, 1])),
    ("np.bitwise_and.reduce(x)", ("bool_", [1, 1])),
    ("np.bitwise_and.reduce(x), np.bitwise_or.reduce(x)", ("u8", [7, 3])),
    ("np.any(x), np.all(x)", ("f64", [NAN, 0, -0.0])),
    ("np.any(x, axis=0), x.all(axis=1, keepdims=True)", ("i8", [[-128, 0], [0, 0]])),
    ("np.argmax(x)", ("f64", [1, NAN, 3])),
    ("np.argmax(x)", ("f64", [NAN, NAN])),
    ("np.argmax(x)", ("f64", [-INF, -INF])),
    ("np.argmin(x)", ("f32", [NAN, NAN, 1])),
    ("x.argmin(axis=1)", ("f64", [[3, 1, 2], [3, NAN, NAN]])),
    ("x.argmax(axis=0, keepdims=True)", ("f64", [[3, 1, NAN], [3, 2, NAN]])),
    ("np.minimum.accumulate(x)", ("f64", [3, NAN, 2])),
    ("np.maximum.accumulate(x)", ("f32", [3, NAN, 2])),
    ("np.maximum.accumulate(x), np.minimum.accumulate(x)", ("bool_", [0, 1, 0])),
    ("np.ptp(x)", ("f64", [3, NAN, 2])),
    ("np.maximum(0, x)", ("f64", [3, NAN, -2])),
    ("np.maximum(x, y), np.minimum(x, y), np.fmax(x, y), np.fmin(x, y)", ("f32", [3, NAN, 1, NAN, INF, NAN]), ("f64", [1, 2, NAN, NAN, NAN, -INF])),
    ("np.maximum(x, y), np.minimum(y, x), np.maximum(2 * x, np.exp(y))", ("f64", [3, NAN, -2]), ("i32", [5, -1, 3])),
    ("np.where(x > 1, x, np.nan), x + np.nan, np.maximum(x, np.nan), np.fmax(np.nan, x), x * [np.nan, 1, np.inf]", ("f32", [3, NAN, -2])),
    ("np.clip(x, y, 2 * y), x.clip(-1, y), np.clip(2, x, y)", ("f64", [3, NAN, 1, -7]), ("f64", [1, 2, NAN, 4])),
    ("x.max(), x.min(), np.amax(x, axis=0), x.min(axis=1, keepdims=True), np.minimum.reduce(x)", ("f16", [[3, NAN, 1], [4, -INF, 2]])),
    ("np.nansum(x), np.nanprod(x, axis=0), np.nanmean(x, axis=1), np.nanmax(x, axis=0), np.nanmin(x)", ("f32", [[3, NAN, NAN], [4, -INF, NAN]])),
    ("np.nansum(x), np.nanmax(x), np.nanmean(x)", ("i32", [3, -7])),
    ("x / x.max(), np.exp(x).max(axis=0), np.ptp(x, axis=1)", ("f64", [[3, NAN, 1], [4, -INF, 2]])),
    ("x.mean(), x.sum(), x.var(), x.std()", ("f16", np.ones(4096))),
    ("x.mean()", ("f16", np.ones(70000))),
    ("x.mean(axis=1), x.var(axis=0, ddof=1)", ("f16", [[1, 2], [3, 5]])),
    ("x.var(ddof=3)", ("f64", [1, 5])),
    *((f"np.linalg.norm(x, {p})", ("f64", [[1, 2], [3, -4]])) for p in ("1, axis=(0, 1)", "np.inf, (0, 1)", "1", "np.inf", "'fro'", "1, (1, 0)")),
    ("np.linalg.norm(x, 1, axis=(0, 1), keepdims=True)", ("f64", [[1, 2], [3, -4]])),
    ("np.linalg.norm(x, np.inf)", ("f64", [1, NAN])),
    ("x.sum(dtype=np.uint8), x.prod(dtype=np.uint8)", ("u8", [200, 200])),
    ("x.sum(dtype=bool), x.prod(dtype=bool)", ("i32", [2, 0])),
    ("x.sum(dtype=np.float64), np.sum(x, dtype=int)", ("i32", [1, 2])),
    ("np.bitwise_count(x)", ("i32", [-1, 5, -(2**31)])),
    ("np.bitwise_count(x)", ("u32", [2**32 - 1, 5])),
    ("x // y, x % y", ("f64", [-1, 1, -0.0, INF, 1, -7.5, -1]), ("f64", [INF, -INF, 3, 2, 0, 2, 0.1])),
    ("x // y, x % y, np.fmod(x, y)", ("i8", [-128, 5, -7, 7]), ("i8", [-1, 0, 2, -2])),
    ("np.nan_to_num(x)", ("c128", [complex(NAN, INF), complex(-INF, 2)])),
    ("x ** 0.5", ("f64", [-0.0, -INF, 4])),
    ("x ** y", ("c128", [0, 0, 1 + 1j]), ("c128", [0, 2, 0])),
    ("x ** 0", ("c128", [0, 1j])),
    ("np.fabs(x), np.rint(x)", ("i32", [-1, -(2**31)])),
    ("np.fabs(x), np.rint(x)", ("i8", [-1, -128])),
    ("np.round(x, -1), np.round(x, 1), np.round(x)", ("i32", [15, 25, -15])),
    ("np.float_power(x, 2), np.float_power(x, y)", ("f32", [3]), ("i8", [-1])),
    ("np.float_power(x, y)", ("i32", [3, 2]), ("i32", [-1, 5])),
    ("np.deg2rad(x), np.heaviside(x, x)", ("i8", [-128, 3])),
    ("np.convolve(x, [1, 2, 3])", ("i32", [1, 2**31 - 1])),
    ("np.convolve(x, [0.5])", ("f32", [1, 2])),
    ("np.tril(x), np.triu(x, 1)", ("f64", [1, 2, 3])),
    ("x % 0, x // 0", ("i8", [5, 0, -7])),
    ("np.linalg.norm(x, np.inf)", ("f32", [])),
    ("np.linalg.norm(x, np.inf, axis=(0, 1)), np.linalg.norm(x, np.inf, axis=0), np.linalg.norm(x, np.inf, axis=1)", ("f64", np.zeros((0, 2)))),
    ("np.cov(np.stack([x, x])), x.mean()", ("f64", [])),
    ("np.cov(x), np.cov(x, ddof=5), np.cov(x, bias=True), np.corrcoef(x)", ("f32", [[1, 2], [4, 7]])),
    ("x.clip(min=1), np.clip(x, min=0, max=2), np.clip(x, 1, None), x.clip(max=3)", ("f32", [-1, 5, NAN])),
    ("x.mean(dtype=np.float32), np.mean(x, axis=0, dtype='f8'), np.mean(x, 0, np.float32, keepdims=True)", ("i16", [3, 30000, 30000])),
    ("np.cumsum(x, dtype=np.int8), x.cumprod(dtype=np.float32), np.cumsum(x, dtype=int)", ("u8", [100, 200, 3])),
    ("np.where(x > 1, np.float32(2), 1.5), np.where(x > 1, np.int8(2), 1), np.where(x > 1, True, 2)", ("i8", [3, -1])),
    ("np.nan_to_num(x, nan=np.float64(2), posinf=np.float64(7)), np.float64(2) * x", ("f32", [3, NAN, INF])),
    ("np.pad(x, 1, constant_values=2.5), np.pad(x, 1, constant_values=-1)", ("i64", [2**60 + 1, -1])),
    ("np.full_like(x, 2.5), np.full_like(x, np.float64(-1)), np.full_like(x, 2, dtype=np.float32), np.ones_like(x, dtype=bool)", ("i8", [0, 1])),
    ("np.pad(x, 1, constant_values=2.5), np.pad(x, 1, constant_values=3)", ("bool_", [0, 1])),
    ("np.float32(2) * x.shape[0] * x, x * (np.sqrt(2) * x.size), np.where(x > 1, True, False)", ("i8", [3, -1])),
    ("np.average(x, weights=y), np.average(x, weights=[1, 2, 3])", ("u8", [200, 100, 50]), ("u8", [1, 2, 3])),
    ("np.average(x, weights=y), np.average(y, weights=x)", ("i16", [32767, -32768, 7]), ("f32", [1, 3, 0.5])),
    ("np.average(x, weights=[1.5, 2])", ("f32", [2, 4])),
    ("np.polyval([1, 2, 3], x), np.polyval([1, 2.5], x), np.polyval([], x), np.polyval([x.max(), 2], 3)", ("u8", [4, 49, 176])),
    ("np.polyval([1, 2.5], x), np.polyval([1, 2], x), np.polyval(np.float32([1, 2]), x), np.polyval([x.max(), 2], 2)", ("f32", [4, 1e30, -INF])),
    ("np.polyval(np.stack([y.max(), y.min()]), x), np.polyval([1, 2j], x)", ("f32", [4, -2]), ("i16", [300, 2])),
    ("np.vander(x, 3)", ("i16", [-24000, 200])),
    ("np.vander(x, 2, increasing=True)", ("f32", [1.5, 2])),
    ("np.vander(x, 2)", ("u64", [1, 2])),
    *((f"np.convolve(x, y[:3], {mode!r}), np.convolve(y[1:], x, {mode!r})", ("f64", [1, 2, INF, 4, 5]), ("f32", [1, NAN, 2, 3, 4])) for mode in ("full", "same", "valid")),
    ("np.convolve(x, [1, np.inf, 1]), np.convolve([np.nan, 0.5], x, 'same')", ("f64", [1, 2, 3])),
    ("np.convolve(x, y[:2])", ("i32", [1, 2, 3]), ("f64", [INF, 1, 2])),
    ("np.interp(x, [0, 1, 2], [1, np.inf, np.inf]), np.interp(x, [-np.inf, 0, np.inf], [4, 6, 7])", ("f64", [1.5, -1, 0, INF, -INF, NAN])),
    ("np.interp(x, [0, 1, np.inf], [-np.inf, 2, 3]), np.interp(x, [2], [np.inf])", ("f64", [0.5, 5, INF, -INF, NAN])),
    ("np.select([x > 1, x > 2], [x, 1.5]), np.select([x > 1], [np.float32(2)], default=1.5), np.select([x > 1], [1], 2)", ("f32", [3, -1])),
    ("np.select([x > 1], [np.float64(2)], x), np.select([x > 1, x < 0], [1, 2.5], np.float32(0)), np.select([x > 1], [1j], x)", ("f32", [3, -1])),
    ("np.select([x > 0, y > 9], [x, y], -1), np.select([x > 0], [x > 5], 7)", ("i8", [3, -1, -5]), ("u8", [3, 200, 9])),
    ("np.select([x > 1], [[1, 2, 3]], True), np.select([x > 1], [x], 0.5)", ("u8", [3, 1, 0])),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("text, operands", [(text, operands) for text, *operands in FOUND], ids=lambda e: e if isinstance(e, str) else "")
def test_what_was_found_wrong(text, operands):
    arrays = [np.array(numbers, TYPES[name].numpy) for name, numbers in operands]
    types = {n: TYPES[name][(N, M)[: x.ndim]] for n, (name, _), x in zip("xy", operands, arrays)}
    function, kernel = traced(text, **types)
    found, wanted = kernel(*arrays), function(*arrays)
    for ours, theirs in zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]:
        assert not differs(ours, theirs), differs(ours, theirs)


def test_a_zero_has_its_sign():
    _, kernel = traced("x // 2, x ** 0.5, x % 3", x=atl.f64[N])
    assert [str(e[0]) for e in kernel(np.array([-0.0]))] == ["-0.0", "-0.0", "0.0"]


#: What is refused, and what its help says.
REFUSED = [
    ("np.linalg.norm(x, 2)", "f64", 2, "1, infinity and `fro`"),
    ("np.linalg.norm(x, 'nuc', axis=(0, 1))", "f64", 2, "1, infinity and `fro`"),
    ("np.reciprocal(x)", "i32", 1, "1 / x"),
    ("np.convolve(x, [])", "f64", 1, "at least"),
    ("np.convolve(x, [True])", "bool_", 1, "convert"),
    ("np.round(x, -1)", "i64", 1, "f64"),
    ("np.round(x, 1)", "bool_", 1, "f64"),
    ("np.bitwise_count(x)", "f64", 1, "i64"),
    ("np.fabs(x)", "c128", 1, "abs"),
    ("x ** 2", "bool_", 1, "i8"),
    *((f"{text}", "f64", 1, "NumPy raises, too") for text in ("x[:0].max()", "np.ptp(x[:0])", "np.argmin(x[:0])", "x[None, :0].argmax(axis=1)")),
    ("x.mean(dtype=int)", "f64", 1, "i64(x.mean())"),
    ("x.cumsum(dtype=bool)", "f64", 1, "dtype=int"),
    ("np.polyval([True], x)", "bool_", 1, "i64(x)"),
    ("np.select([x > 1, x > 0], [x, np.int64(1)])", "u64", 1, "convert"),
    ("np.take(np.arange(256), x)", "u8", 1, "`atl.constant(lut)[x]`"),
    ("np.arange(256)[x]", "u8", 1, "`atl.constant(lut)[x]`"),
]


@pytest.mark.parametrize("text, name, rank, says", REFUSED)
def test_what_is_refused_says_what_to_write(text, name, rank, says):
    with pytest.raises(atl.Refused) as caught:
        traced(text, x=TYPES[name][(N, M)[:rank]])
    assert says in caught.value.help[0], caught.value.help


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_nan_anywhere_is_the_result(axis):
    rng = np.random.default_rng(5)
    text = f"x.max(axis={axis}), x.min(axis={axis}), np.argmax(x, axis={axis}), np.argmin(x, axis={axis}), np.ptp(x, axis={axis})"
    function, kernel = traced(text, x=atl.f32[N, M])
    for n, m in [(1, 1), (1, 37), (3, 17), (65, 5)]:
        for share in (0, 0.05, 1):
            x = rng.standard_normal((n, m), dtype=np.float32)
            x[rng.random((n, m)) < share] = NAN
            for ours, theirs in zip(kernel(x), function(x), strict=True):
                np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("text", ["np.argmax(x)", "x.argmin(axis=0)", "np.ptp(x, axis=1)"])
def test_places_and_spans_of_no_elements_are_refused(text):
    function, kernel = traced(text, x=atl.f64[N, M])
    for shape in [(0, 3), (3, 0), (2, 1), (0, 0)]:
        x = np.zeros(shape)
        try:
            expected = function(x)
        except ValueError:
            with pytest.raises(atl.Refused, match="1 <= "):
                kernel(x)
        else:
            np.testing.assert_array_equal(kernel(x), expected)


def test_elements_are_looked_at_in_one_pass():
    for text in ("x.argmax()", "np.roll(x, 1, axis=1).argmin()", "np.tile(x, (1, 2)).argmax(axis=1)", "np.argmax(np.repeat(x, 2, axis=0), axis=0)"):
        _, kernel = traced(text, x=atl.f64[N, M])
        assert "max " not in kernel.text and "min " not in kernel.text, kernel.text
        assert kernel.text.count("place = i64(0)") == 1, kernel.text
    for text in ("np.exp(x).argmax(axis=1)", "np.exp(x).max(axis=0)", "np.exp(x).min()"):
        _, kernel = traced(text, x=atl.f64[N, M])
        assert kernel.text.count("exp(") == 1, kernel.text


ELEMENTWISE = """add subtract multiply divide floor_divide remainder bitwise_and bitwise_or bitwise_xor left_shift right_shift logical_and logical_or
    logical_xor power maximum minimum fmax fmin heaviside logaddexp less less_equal greater greater_equal equal not_equal arctan2 float_power copysign fmod hypot
    isclose allclose""".split()
OF_ONE = """negative square reciprocal isnan isinf isfinite deg2rad degrees absolute fabs rint bitwise_count conjugate invert logical_not
    arccos arcsin arctan cbrt ceil cos cosh exp exp2 expm1 floor log log10 log1p log2 sign sin sinh sqrt tan tanh trunc all any argmax argmin mean sum prod ptp
    std var count_nonzero cumsum cumprod diff ravel angle real imag nan_to_num round fix tril triu diag flip max min""".split()
TEXTS = [
    *(f"np.{word}(x, y)" for word in ELEMENTWISE), *(f"np.{word}(x)" for word in OF_ONE),
    *"x**0.5;x**2;x**-1;x + 1;x - 1;1 - x;x * 2;x / 2;x // 2;x % 3;x * 0.5;x < 1;-x;abs(x);np.round(x, 1);np.clip(x, 1, 2)".split(";"),
    *"np.linalg.norm(x);np.linalg.norm(x, 1);np.linalg.norm(x, np.inf);np.maximum(0, x);np.minimum(x, 1)".split(";"),
    *"np.maximum.accumulate(x);np.minimum.accumulate(x);x.sum(dtype=np.float32);x.sum(dtype=bool);x.prod(dtype=np.int16)".split(";"),
    *"np.isclose(x, y, equal_nan=True);np.convolve(x, [1, 2]);np.convolve(x, [0.5]);np.where(x > 1, x, 0);x.var(ddof=1)".split(";"),
    *"np.logaddexp(x, 1);np.hypot(2, x);np.float_power(2, x);np.fmod(x, -3);x // -3;7 // x;7 % x;np.heaviside(x, 1);2**x;x**1.5".split(";"),
    *"np.arctan2(x, -1);np.isclose(x, 2, rtol=0.5);np.nan_to_num(x, nan=1, posinf=5);x.any();x.all();x.sum(dtype=complex)".split(";"),
    *"np.average(x, weights=y);np.polyval([1, 2, 3], x);np.polyval([1.5, 2], x);np.vander(x, 3);np.convolve(x[:7], y[:3])".split(";"),
    *"np.select([x > 1, y > 1], [x, y], 1);np.select([x > 1], [x], 2.5);np.interp(x[::-1], np.arange(8), x)".split(";"),
    *"divmod(x, y)[0];divmod(x, y)[1];x[:3] @ y[:3];np.outer(x[:3], y[:3]);np.inner(x, x);np.vdot(x, x)".split(";"),
]  # fmt: skip


def is_documented(text, kinds):
    """Does the book say that a trace gives something else?"""
    # Complex numbers with infinite parts; floats that an integer type does not hold.
    return "c" in kinds or "dtype=np.int16" in text and kinds & {"f"}


def extremes(elem):
    kind = np.dtype(elem.numpy)
    if kind.kind == "b":
        return np.array([0, 1, 1, 0, 1, 0, 0, 1], kind)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return np.array([limits.min, limits.max, 0, 1, limits.max // 2 + 3, 5, limits.min + 1, 15], kind)
    if kind.kind == "f":
        return np.array([NAN, INF, -INF, -0.0, 0.0, np.finfo(kind).max, -1.5, 2.5], kind)
    # NaN and infinities of complex numbers are others in products: the book says so.
    return np.array([1 - 1j, 0, 1, -0.5, 3 + 4j, -1.5 - 2j, 2j, 0.25], kind)


#: `ATL_EXTREMES` says of how many types of each function; each takes about 4 ms.
SOME = int(os.environ.get("ATL_EXTREMES", "3"))


def test_extremes_of_each_type():
    rng = np.random.default_rng(1)
    compared, wrong = 0, []
    for text in TEXTS:
        for name in rng.permutation(list(TYPES))[:SOME]:
            two = "y" in text.replace("any", "").replace("copysign", "").replace("py", "")
            names = [name, rng.choice([name, name, *TYPES])] if two else [name]
            arrays = [extremes(TYPES[n]) for n in names]
            if two:
                arrays = [np.repeat(arrays[0], 8), np.tile(arrays[1], 8)]
            try:
                function, kernel = traced(text, **{n: TYPES[of][N] for n, of in zip("xy", names)})
            except atl.Refused:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    wanted = function(*arrays)
            except TypeError:
                # Python has no types of arrays before it runs: what NumPy has no loop for may have a meaning here.
                continue
            found = differs(kernel(*arrays), wanted)
            compared += 1
            if found and not is_documented(text, {a.dtype.kind for a in arrays}):
                wrong.append(f"{text} of {', '.join(names)}: {found}")
    assert not wrong, "\n".join(wrong)
    assert compared > len(TEXTS)
