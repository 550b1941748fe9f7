"""Operands however they lie in memory: right or refused, never wrong; and which of them are copied."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import atl

KERNELS = {
    1: atl.compile("fn f(x: f64[N], c: f64) -> f64[N] { gen i < N { c * x[i] + x[i] } }"),
    2: atl.compile("fn g(x: f64[N, M], c: f64) -> f64[M, N] { gen j < M, i < N { c * x[i, j] + x[i, j] } }"),
    3: atl.compile("fn h(x: f64[N, M, K], c: f64) -> f64[N, K] { gen i < N, k < K { c * (sum j < M { x[i, j, k] }) } }"),
}


def expected(rank, x, c):
    x = np.asarray(x, dtype=np.float64)
    if rank == 1:
        return c * x + x
    if rank == 2:
        return (c * x + x).T
    return c * x.sum(axis=1)


@st.composite
def operands(draw):
    """An array of 1 to 3 dimensions, with the ways in which it is turned in memory, and whether it is legal."""
    rank = draw(st.integers(1, 3))
    shape = draw(st.tuples(*[st.integers(0, 4)] * rank))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    axes = draw(st.permutations(range(rank)))
    steps = draw(st.tuples(*[st.sampled_from([1, 1, 2, 3, -1, -2, 0])] * rank))
    # An array that holds the elements at these steps along axes in another order.
    stored = [max(1, abs(step)) * max(n, 1) if step else 1 for n, step in zip(shape, steps)]
    memory = rng.random([stored[axis] for axis in axes]).transpose(np.argsort(axes))
    picked = []
    for n, step in zip(shape, steps):
        end = n * max(1, abs(step))
        picked.append(slice(0, 1) if step == 0 else slice(0, end, step) if step > 0 else slice(end - 1 if n else 0, None, step))
    array = memory[tuple(picked)]
    array = array[tuple(slice(0, n) if step else slice(None) for n, step in zip(shape, steps))]
    array = np.broadcast_to(array, shape) if 0 in steps else array
    kind = draw(st.sampled_from(["plain"] * 6 + ["read-only", "unaligned", "big-endian", "subclass", "masked", "f32", "offset"]))
    if kind == "read-only":
        array = array.view()
        array.flags.writeable = False
    elif kind == "unaligned":
        raw = np.zeros(array.size * 8 + 3, np.uint8)
        turned = raw[3:].view(np.float64).reshape(array.shape)
        turned[...] = array
        array = turned
    elif kind == "big-endian":
        array = array.astype(">f8")
    elif kind == "subclass":
        array = array.view(type("Sub", (np.ndarray,), {}))
    elif kind == "masked":
        array = np.ma.masked_array(array)
    elif kind == "f32":
        array = array.astype(np.float32)
    elif kind == "offset":
        array = np.concatenate([array, array], axis=0)[len(array) :]
    return rank, array, kind in ("big-endian", "masked", "f32")


@settings(max_examples=2000, deadline=None)
@given(operands(), st.sampled_from([0.5, 2, np.float64(3)]))
def test_operands_are_read_right_or_refused(operand, c):
    rank, array, is_illegal = operand
    before = np.array(array, copy=True)
    if is_illegal:
        with pytest.raises(atl.RefusedArgument, match="E0505"):
            KERNELS[rank](array, c)
    else:
        result = KERNELS[rank](array, c)
        np.testing.assert_allclose(result, expected(rank, array, c), rtol=1e-13, strict=True)
    np.testing.assert_array_equal(array, before)


@settings(max_examples=300, deadline=None)
@given(operands())
def test_without_copies_the_addresses_are_numpys(operand):
    rank, array, is_illegal = operand
    kernel = KERNELS[rank]
    # Or its axes lie in another order.
    is_dense = array.flags.c_contiguous or type(array) is np.ndarray and any(
        array.transpose(axes).flags.c_contiguous for axes in itertools.permutations(range(rank))
    )
    in_place = is_dense and array.flags.aligned
    before = kernel.stats.copies
    if is_illegal or not in_place:
        with pytest.raises(atl.RefusedArgument, match="E0505"):
            kernel(array, 1.0, copy=False)
    else:
        result = kernel(array, 1.0, copy=False)
        np.testing.assert_allclose(result, expected(rank, array, 1.0), rtol=1e-13, strict=True)
    assert kernel.stats.copies == before
    if not is_illegal:
        kernel(array, 1.0)
        assert kernel.stats.copies == before + (not in_place)


def test_what_is_dear_in_a_chosen_schedule_is_told_of_once():
    kernel = atl.compile("fn f(A: f64[N, M] as csr) -> f64[N, M] as csr { gen i < N, j < M { max(0.0, A[i, j]) } }")
    a = sparse.csr_matrix(np.eye(3))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(3):
            kernel(a)
    if kernel.backend == "c":
        assert [w.category for w in found] == [atl.PerformanceWarning] and found[0].filename == __file__
        assert "E0419" in str(found[0].message)


def test_large_copies_are_told_of_once_for_each_call_site():
    x = np.zeros((601, 1200))[1:, ::2]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            KERNELS[2](x.T, 1.0)
        KERNELS[2](x[:10, :10].T, 1.0)
        KERNELS[2](np.zeros((600, 600)).T, 1.0)
    assert [w.category for w in found] == [atl.CopyWarning] and found[0].filename == __file__
    assert "ascontiguousarray(x)" in str(found[0].message)


def test_a_call_like_the_last_one_is_checked_as_the_first_one_was():
    """What a repeated call leaves out is what cannot have changed."""
    add = atl.compile("fn add(a: f64[N], b: f64[N]) -> f64[N] { gen i < N { a[i] + b[i] } }")
    a, b, out = np.arange(4.0), np.ones(4), np.zeros(4)
    for _ in range(3):
        assert add(a, b, out=out) is out
        np.testing.assert_array_equal(add(a, b), a + 1)
    wrong = [
        (np.arange(3.0), b, {}),
        (a.astype(np.float32), b, {}),
        (a.astype(">f8"), b, {}),
        (a, b, {"out": np.zeros(3)}),
        (a, b, {"out": np.zeros(4, np.float32)}),
        (a, b, {"out": a}),
        (a, b, {"out": np.zeros(8)[::2]}),
        (np.ma.masked_array(a), b, {}),
        (a.reshape(2, 2), b, {}),
    ]
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    for first, second, options in [*wrong, (a, b, {"out": frozen})]:
        add(a, b)
        with pytest.raises(atl.RefusedArgument):
            add(first, second, **options)
    # Other shapes are another call, and then the first ones again.
    np.testing.assert_array_equal(add(np.ones(2), np.ones(2)), [2, 2])
    np.testing.assert_array_equal(add(a[::-1], b), a[::-1] + 1)
    np.testing.assert_array_equal(add(a, b), a + 1)
    raw = np.zeros(33, np.uint8)
    unaligned = raw[1:].view(np.float64)
    np.testing.assert_array_equal(add(unaligned, b), b)


def test_contents_are_checked_at_each_call():
    gather = atl.compile("fn gather(x: f64[N], at: i32[K]) -> f64[K] where all p < K { 0 <= at[p] < N } { gen p < K { x[at[p]] } }")
    x, at = np.arange(4.0), np.array([3, 0], np.int32)
    for value in (2, 1):
        at[0] = value
        np.testing.assert_array_equal(gather(x, at), [value, 0])
    at[1] = 4
    with pytest.raises(atl.Refused) as caught:
        gather(x, at)
    assert caught.value.counterexample == {"p": 1}
