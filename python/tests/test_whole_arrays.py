"""Traced functions as users of NumPy, SciPy and JAX write them first: whole arrays, sizes as numbers, several results."""

import re

import numpy as np
import pytest

import atl
from atl import f32, f64, gen, i32, i64, max, min, sum

M, K, N = atl.sizes("M K N")
RNG = np.random.default_rng(0)

#: Functions of arrays `[N, M]` and `[M, K]` that mean the same to NumPy and to a trace.
SAME = {
    "product": lambda x, y: x @ y,
    "of a vector": lambda x, y: x @ y.sum(axis=1),
    "from the left": lambda x, y: x.sum(axis=0) @ y,
    "inner": lambda x, y: x.sum(axis=0) @ y.sum(axis=1),
    "transposed": lambda x, y: (x @ y).T,
    "sum": lambda x, y: x.sum() + np.sum(y),
    "last axis": lambda x, y: np.sum(x, axis=-1) + np.max(x, axis=1) * np.min(x, axis=1),
    "means": lambda x, y: x.mean(axis=0) + np.mean(y),
    "mean of rows": lambda x, y: np.mean(x * 2 - 1, axis=1),
    "product of all": lambda x, y: np.prod(y),
    "functions": lambda x, y: np.exp(np.sin(x) * 0.5) @ y,
    "chosen": lambda x, y: np.where(x > 0.5, x, -x),
    "clipped": lambda x, y: np.clip(x, 0.25, 0.75) + x.clip(0.5, None),
    "counted": lambda x, y: x / x.shape[0] + np.sqrt(x.shape[1]) * x,
    "ratio of sizes": lambda x, y: x * (1.0 / (x.shape[1] + 1)),
    "larger than a size": lambda x, y: np.maximum(x * 10, x.shape[0]),
    "any of a column": lambda x, y: (x > 0.5).any(axis=0),
    "all": lambda x, y: np.all(y < 2),
    "two results": lambda x, y: (x.sum(axis=1), y * 2),
}


@pytest.mark.parametrize("function", SAME.values(), ids=SAME.keys())
@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 5, 2), (17, 7, 13)])
def test_whole_arrays_mean_what_they_mean_to_numpy(function, sizes):
    n, m, k = sizes
    x, y = RNG.random((n, m)), RNG.random((m, k))
    function.__name__ = "f"
    kernel = atl.fn(x=f64[N, M], y=f64[M, K])(function)
    found, wanted = kernel(x, y), function(x, y)
    for ours, theirs in zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]:
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        assert np.shape(ours) == np.shape(theirs)


@pytest.mark.parametrize("elem, dtype", [(f32, np.float32), (f64, np.float64)])
def test_a_size_beside_a_float_is_one(elem, dtype):
    @atl.fn(x=elem[N])
    def centred(x):
        mean = atl.let(mean=sum(x[i] for i in N) / N)
        return gen(x[i] - mean + i for i in N)

    x = RNG.random(9).astype(dtype)
    assert centred(x).dtype == dtype
    np.testing.assert_allclose(centred(x), x - x.mean() + np.arange(9), rtol=1e-6)


@pytest.mark.parametrize("elem, dtype", [(atl.i8, np.int8), (atl.u16, np.uint16), (i32, np.int32), (i64, np.int64)])
def test_integers_are_compared_with_indices_as_numbers(elem, dtype):
    @atl.fn(x=elem[N], B=atl.size)
    def counts(x, B):
        return gen(sum(atl.where((x[i] == b) & (x[i] < N), i64(1), 0) for i in N) for b in B)

    x = RNG.integers(0, 9, 300).astype(dtype)
    # 300 bins are more than an i8 can count.
    np.testing.assert_array_equal(counts(x, B=300), np.bincount(x, minlength=300))
    np.testing.assert_array_equal(counts((x * 0 - 1).astype(dtype), B=3), [0, 0, 0])


def test_a_guard_of_an_index_still_bounds_it():
    @atl.fn(x=f64[N], at=i32[K])
    def take(x, at):
        return gen(atl.guard((0 <= at[k]) & (at[k] < N), x[at[k]]) for k in K)

    np.testing.assert_array_equal(take(np.arange(3.0), np.array([2, -1, 3, 0], np.int32)), [2, 0, 0, 0])


def test_operands_in_formats():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed: sparse operands are not tested")

    @atl.fn(P=f64[N, N].as_("csr"), r=f64[N], d=f64)
    def step(P, r, d):
        return gen((1 - d) / N + d * sum(P[i, j] * r[j] for j in N) for i in N)

    P, r = sparse.random_array((30, 30), density=0.2, format="csr", rng=RNG), RNG.random(30)
    assert "P: f64[N, N] as csr" in step.text
    np.testing.assert_allclose(step(P, r, 0.85), 0.15 / 30 + 0.85 * (P @ r))


def test_several_results_are_a_tuple():
    @atl.fn(x=f64[N])
    def extremes(x):
        return min(x[i] for i in N), max(x[i] for i in N)

    assert extremes(np.array([2.0, -1.0, 5.0])) == (-1, 5)
    with pytest.raises(atl.Refused, match="less than two"):
        atl.fn(x=f64[N])(lambda x: (x,))


REFUSED = {
    "len": (lambda x: gen(x[i] for i in range(len(x))), "shape"),
    "range": (lambda x: gen(x[i] for i in range(N)), "not over `range"),
    "a method": (lambda x: x.searchsorted(1), "`sum`"),
    "a function": (lambda x: np.histogram2d(x, x), "`sum`"),
    "an option": (lambda x: np.sum(x, out=np.zeros(2)), "`axis`"),
    "no axis": (lambda x: np.cumsum(x), "axis=0"),
    "an axis": (lambda x: x.sum(axis=2), "axes count from 0"),
    "a product of numbers": (lambda x: x[0, 0] @ x[0, 0], "by `\\*`"),
    "no type": (lambda x: gen(i for i in N), "i64"),
}


@pytest.mark.parametrize("function, says", REFUSED.values(), ids=REFUSED.keys())
def test_what_symbols_do_not_have_is_refused_with_what_to_type(function, says):
    function.__name__ = "f"
    with pytest.raises(atl.Refused) as caught:
        atl.fn(x=f64[N, M], where="1 <= N, 1 <= M")(function)
    assert re.search(says, "".join(caught.value.help)), caught.value.help
    assert not hasattr(atl.sizes("Q")[0], "tolist")


@pytest.mark.parametrize(
    "types, function",
    [
        ({"x": f64[N]}, lambda x: gen(x[i + 1] - x[i] for i in N - 1)),
        ({"x": f64[N], "w": f64[K]}, lambda x, w: gen(sum(x[i + k] * w[k] for k in K) for i in N - K + 1)),
        ({"x": f64[N], "at": i32[K]}, lambda x, at: gen(x[at[k]] for k in K)),
    ],
)
def test_the_condition_that_is_proposed_is_enough(types, function):
    function.__name__ = "f"
    with pytest.raises(atl.Refused) as caught:
        atl.fn(**types)(function)
    proposed = re.search(r"where='(.*)'\)", caught.value.help[-1])[1]
    assert proposed in str(caught.value)
    atl.fn(**types, where=proposed)(function)


def test_the_operand_of_another_type_is_named():
    with pytest.raises(atl.Refused) as caught:
        atl.tensor("y(i) = A(i,j) * x(j)", A=np.ones((2, 2)), x=np.arange(2))
    assert "x.astype(np.float64)" in caught.value.help[0]


#: Functions of an array whose results have the types that NumPy gives them.
WIDE = {
    "sum": lambda x: x.sum(),
    "of NumPy": lambda x: np.sum(x, axis=1),
    "prod": lambda x: np.prod(x, axis=0),
    "mean": lambda x: x.mean(axis=1),
    "mean of all": lambda x: np.mean(x),
    "counted": lambda x: (x == x).sum(axis=0),
    "share": lambda x: (x == x).mean(),
    "product of matrices": lambda x: x @ x.T,
}


@pytest.mark.parametrize("elem", [atl.i8, atl.i16, i32, i64, atl.u8, atl.u16, atl.u32, atl.u64, atl.bool_, f32, f64], ids=str)
@pytest.mark.parametrize("name", WIDE)
def test_sums_of_small_integers_do_not_wrap(elem, name):
    WIDE[name].__name__ = "f"
    kernel = atl.fn(x=elem[N, M])(WIDE[name])
    top = {"i": 127, "u": 255, "b": 2, "f": 3}[elem.numpy[0]]
    for shape in [(0, 3), (3, 0), (1, 1), (3, 7), (7, 3)]:
        if 0 in shape and name in ("mean", "mean of all", "share"):
            continue
        x = RNG.integers(-top if elem.numpy.startswith("int") else 0, top, shape).astype(elem.numpy)
        found, wanted = kernel(x), WIDE[name](x)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        assert np.asarray(found).dtype == np.asarray(wanted).dtype and np.shape(found) == np.shape(wanted)


def test_a_sum_of_a_generator_keeps_its_type():
    @atl.fn(x=atl.u8[N])
    def total(x):
        return sum(x[i] for i in N)

    assert total(np.full(3, 200, np.uint8)) == 600 % 256


@pytest.mark.parametrize("elem", [atl.i8, atl.i16, i32, i64, atl.u8, atl.u16, atl.u32], ids=str)
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 7), (7, 3)])
def test_a_histogram_is_a_point_update(elem, shape):
    @atl.fn(img=elem[N, M])
    def histogram(img):
        def row(t, h):
            return atl.iterate(M, lambda s, g: gen(atl.where(k == img[t, s], g[k] + 1, g[k]) for k in atl.upto(100)), h)

        return atl.iterate(N, row, gen(i64(0) for k in atl.upto(100)))

    assert "k == index(img[t, s])" in histogram.text
    # The bins are traversed once, to be zero.
    assert histogram.show("loops").count("in 0..100 {") == 1
    img = RNG.integers(-3 if elem.numpy.startswith("int") else 0, 120, shape).astype(elem.numpy)
    inside = img[(img >= 0) & (img < 100)].astype(np.int64)
    np.testing.assert_array_equal(histogram(img), np.bincount(inside, minlength=100))


def test_an_element_as_an_index():
    @atl.fn(x=i64[N])
    def counts(x):
        return gen(sum(i64(x[i] == k) + i64(atl.index(x[i] + 1) == k) for i in N) for k in atl.upto(4))

    np.testing.assert_array_equal(counts(np.array([0, 2, 2, -1, 9, -(2**63)])), [2, 1, 2, 2])


#: Of the enclosing scope of what is traced.
TAPS, WEIGHTS, MASK = np.array([0.25, 0.5, 0.25]), np.arange(12.0).reshape(3, 4), np.array([True, False, True])

#: Arrays that Python knows, as operands and as indices of `x: [N, M]`, a matrix of 5 by 3, and `y: [N]`.
KNOWN = [
    lambda x, y: x * TAPS,
    lambda x, y: x + [1, 2, 3],
    lambda x, y: np.where(x > TAPS, x, TAPS[::-1]),
    lambda x, y: x @ WEIGHTS,
    lambda x, y: TAPS @ x.T,
    lambda x, y: x * TAPS.astype(np.float32) + np.float32(0.5),
    lambda x, y: x * np.sqrt(2.0),
    lambda x, y: np.maximum(TAPS, x),
    lambda x, y: np.convolve(y, TAPS, "same"),
    lambda x, y: np.tensordot(x, WEIGHTS, 1),
    lambda x, y: x[[0, 2, 1]],
    lambda x, y: x[:, [0, 2, 1, 1]],
    lambda x, y: x[[0, 2], [1, 1]],
    lambda x, y: x[[-1, -2]],
    lambda x, y: x[:, [0, -1]],
    lambda x, y: y[[0, -1, 1]],
    lambda x, y: x[..., MASK],
    lambda x, y: y[np.array([[0, 1], [2, 3]])],
    lambda x, y: np.take(x, [1, 0], axis=1),
    lambda x, y: x[1:][[0, 2]],
    lambda x, y: x[None][:, [3, 1]],
]


@pytest.mark.parametrize("k", range(len(KNOWN)))
@pytest.mark.parametrize("elem", [f64, atl.f32], ids=str)
def test_arrays_that_python_knows(k, elem):
    KNOWN[k].__name__ = "f"
    kernel = atl.fn(x=elem[N, M], y=elem[N], backend="cranelift")(KNOWN[k])
    rng = np.random.default_rng(k)
    x, y = rng.standard_normal((5, 3)).astype(elem.numpy), rng.standard_normal(5).astype(elem.numpy)
    found, wanted = kernel(x, y), KNOWN[k](x, y)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if elem.name == "f32" else 1e-14)


def test_places_beyond_the_end_are_refused_by_the_call():
    kernel = atl.fn(y=f64[N])(lambda_of("f", lambda y: y[[0, -3]]))
    assert kernel(np.arange(3.0)).tolist() == [0.0, 0.0]
    with pytest.raises(atl.Refused, match="3 <= N"):
        kernel(np.arange(2.0))
    with pytest.raises(atl.Refused, match="beyond an axis of 3"):
        atl.fn(y=f64[3])(lambda_of("f", lambda y: y[[3]]))


def test_places_of_several_axes_are_as_many():
    for at in ([1, 0, 1], [1, -1, 1, 1]), ([0, 1, 0, 1], [0, 1]):
        with pytest.raises(atl.Refused, match="do not go together"):
            atl.fn(x=f64[2, 3])(lambda_of("f", lambda x: x[at]))


def lambda_of(name, function):
    function.__name__ = name
    return function


def test_an_array_has_its_name_and_stands_in_the_program_once():
    @atl.fn(x=f64[N, M])
    def f(x):
        return (x * TAPS + TAPS).sum(axis=1) * TAPS[1]

    assert f.text.splitlines()[1] == "    let TAPS = [f64(0.25), f64(0.5), f64(0.25)];" and f.text.count("let TAPS") == 1
    with pytest.raises(atl.Refused, match="M == 3"):
        f(np.ones((2, 4)))


@pytest.mark.parametrize(
    "function, says",
    [
        (lambda x: x * np.ones(2000), "make it an argument"),
        (lambda x: gen(TAPS[i] for i in N), "atl.constant"),
        (lambda x: x[[0.5]], "whole numbers"),
        (lambda x: x[[]], "x[:0]"),
        (lambda x: x[x > 0], "np.where(p, x, 0)"),
        (lambda x: x + np.array(["a"]), "element types"),
    ],
    ids=str,
)
def test_arrays_that_are_refused(function, says):
    with pytest.raises(atl.Refused) as caught:
        atl.fn(x=f64[N])(lambda_of("f", function))
    assert says in caught.value.help[0]
