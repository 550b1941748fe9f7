"""Functions with several results: tuples of arrays, and the caller's own."""

import numpy as np
import pytest

import atl

TEXT = """
fn order(a: i32[N], b: i32[N]) -> (lo: i32[N], hi: i32[N], apart: i64) {
    (gen i < N { min(a[i], b[i]) }, gen i < N { max(a[i], b[i]) }, sum i < N { i64(a[i] != b[i]) })
}
"""


def arrays(n):
    rng = np.random.default_rng(n)
    return rng.integers(-9, 9, n).astype(np.int32), rng.integers(-9, 9, n).astype(np.int32)


def test_a_call_gives_a_tuple():
    order = atl.Program(TEXT)["order"]
    for n in (0, 1, 17):
        a, b = arrays(n)
        for _ in range(2):
            lo, hi, apart = order(a, b)
            np.testing.assert_array_equal(lo, np.minimum(a, b))
            np.testing.assert_array_equal(hi, np.maximum(a, b))
            assert apart == (a != b).sum() and lo.dtype == np.int32


def test_results_go_into_the_caller_s_arrays():
    order = atl.Program(TEXT)["order"]
    a, b = arrays(11)
    lo, hi, apart = np.empty_like(a), np.empty_like(a), np.empty((), np.int64)
    given = order(a, b, out=(lo, hi, apart))
    assert given[0] is lo and given[1] is hi
    np.testing.assert_array_equal(hi, np.maximum(a, b))
    assert apart == (a != b).sum()
    with pytest.raises(atl.RefusedArgument, match="two arrays of `out` overlap"):
        order(a, b, out=(lo, lo, apart))


@pytest.mark.parametrize("wrong", ["too few", "the same twice", "an argument", "another type"])
def test_outputs_that_do_not_fit(wrong):
    order = atl.Program(TEXT)["order"]
    a, b = arrays(11)
    lo, hi, apart = np.empty_like(a), np.empty_like(a), np.empty((), np.int64)
    out = {
        "too few": (lo, hi),
        "the same twice": (lo, lo, apart),
        "an argument": (lo, a, apart),
        "another type": (lo, hi.astype(np.float32), apart),
    }[wrong]
    with pytest.raises(Exception, match="E05"):
        order(a, b, out=out)
