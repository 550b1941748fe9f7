"""Floats of 16 bits: NumPy's `float16`, and `bfloat16`, which is in a package of its own."""

import importlib.util

import numpy as np
import pytest

import atl

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
HAS_BF16 = importlib.util.find_spec("ml_dtypes") is not None


def same(found, expected):
    """The same bits, but for those of NaN."""
    return found.dtype == expected.dtype and np.array_equal(found, expected, equal_nan=True) and np.array_equal(np.signbit(found)[expected == 0], np.signbit(expected)[expected == 0])


@pytest.mark.parametrize("backend", ["c", "cranelift"])
def test_every_number_has_numpys_results(backend):
    f = atl.compile("fn f(x: f16[N], y: f16[N]) -> f16[N] { gen i < N { sqrt(abs(x[i])) * y[i] - x[i] / y[i] } }", backend=backend)
    other = np.roll(EVERY, 12345)
    with np.errstate(all="ignore"):
        assert same(f(EVERY, other), np.sqrt(abs(EVERY)) * other - EVERY / other)
    assert f(EVERY[:0], EVERY[:0]).shape == (0,)


def test_sums_round_unless_the_program_says_otherwise():
    x = np.array([2048, 1, 1], np.float16)
    own = atl.compile("fn own(x: f16[N]) -> f16 { sum i < N { x[i] } }")
    wide = atl.compile("fn wide(x: f16[N]) -> f16 { f16(sum i < N { f32(x[i]) }) }")
    assert (own(x), wide(x)) == (2048, 2050)
    assert isinstance(own(x), np.float16)


def test_results_are_stored_where_they_are_wanted_and_nothing_is_cast():
    f = atl.compile("fn f(x: f16[N]) -> f16[N] { gen i < N { x[i] + 1 } }")
    x, out = np.array([0.5, 2], np.float16), np.empty(2, np.float16)
    assert f(x, out=out) is out and out.tolist() == [1.5, 3]
    for wrong in (x.astype(np.float32), x.view(np.uint16)):
        with pytest.raises(atl.Refused, match="float16"):
            f(wrong)


def test_numbers_of_python_fit_if_they_are_of_the_type():
    f = atl.compile("fn f(x: f16) -> f16 { x }")
    assert f(0.1) == np.float16(0.1) and f(2048) == 2048 and np.isinf(f(float("inf")))
    for wrong in (2049, 1e6):
        with pytest.raises(atl.Refused):
            f(wrong)


def test_traced_functions_have_the_type():
    (N,) = atl.sizes("N")

    @atl.fn(x=atl.f16[N])
    def twice(x):
        return atl.gen(x[i] + x[i] for i in N)

    assert twice(np.array([1.5], np.float16)).tolist() == [3]


@pytest.mark.skipif(HAS_BF16, reason="ml_dtypes is installed")
def test_without_the_package_bf16_is_refused_and_the_remedy_named():
    f = atl.compile("fn f(x: f32[N]) -> bf16[N] { gen i < N { bf16(x[i]) } }")
    with pytest.raises(ImportError, match="install `ml_dtypes`"):
        f(np.ones(3, np.float32))


@pytest.mark.skipif(not HAS_BF16, reason="ml_dtypes is not installed: bf16 has no type in NumPy")
def test_bf16_goes_in_and_comes_out():
    bfloat16 = importlib.import_module("ml_dtypes").bfloat16
    f = atl.compile("fn f(x: bf16[N]) -> bf16[N] { gen i < N { x[i] * x[i] + 1 } }")
    x = (np.arange(1 << 16, dtype=np.uint16)).view(bfloat16)
    found = f(x)
    assert found.dtype == bfloat16
    with np.errstate(all="ignore"):
        expected = x * x + bfloat16(1)
    assert np.array_equal(found.astype(np.float32), expected.astype(np.float32), equal_nan=True)
