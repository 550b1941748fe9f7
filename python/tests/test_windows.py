"""Windows that slide along axes, and correlations, beside NumPy's."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import atl
from atl import c128, f64, i64

N, M = atl.sizes("N M")
RNG = np.random.default_rng(11)


def scores(x, width=5):
    windows = sliding_window_view(x, width)
    return (x[width - 1 :] - windows.mean(axis=1)) / windows.std(axis=1)


def largest(img):
    return sliding_window_view(img, (2, 3)).max(axis=(2, 3)), sliding_window_view(img, 3, axis=0).sum(-1)


def apart(img):
    return sliding_window_view(img, 2, axis=-1)[:, ::2], sliding_window_view(img, (2, 3), axis=(0, 0))


@pytest.mark.parametrize(
    "function, types, shape",
    [(scores, {"x": f64[N]}, (30,)), (scores, {"x": f64[N]}, (5,)), (largest, {"img": f64[N, M]}, (5, 7)), (apart, {"img": f64[N, M]}, (4, 3))],
)
def test_windows_are_those_of_numpy(function, types, shape):
    x = RNG.random(shape)
    found, wanted = atl.fn(backend="cranelift", **types)(function)(x), function(x)
    for a, b in zip(*((e if isinstance(e, tuple) else (e,)) for e in (found, wanted)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_a_window_longer_than_the_axis_is_refused_as_numpy_refuses_it():
    kernel = atl.fn(x=f64[N], backend="cranelift")(scores)
    with pytest.raises(ValueError, match="larger"):
        scores(np.ones(4))
    with pytest.raises(atl.Refused, match="does not hold for N = 4"):
        kernel(np.ones(4))
    with pytest.raises(atl.Refused, match="windows of 5 elements along an axis of 4"):
        atl.fn(x=f64[4])(scores)
    with pytest.raises(atl.Refused, match="windows of 2 axes"):
        atl.fn(x=f64[N])(lambda_named("pair", lambda x: sliding_window_view(x, (2, 2))))


def lambda_named(name, function):
    function.__name__ = name
    return function


def numbers(length, elem):
    found = RNG.integers(-9, 9, length)
    return found + 1j * RNG.integers(-9, 9, length) if elem is c128 else found


@pytest.mark.parametrize("mode", ["full", "valid", "same"])
@pytest.mark.parametrize("elem", [i64, c128], ids=str)
def test_correlations_are_those_of_numpy(mode, elem):
    def both(x, y):
        return np.correlate(x, y, mode=mode)

    def known(x):
        return np.correlate(x, weights, mode=mode)

    kernel = atl.fn(x=elem[N], y=elem[M], backend="cranelift")(both)
    for n, m in [(9, 4), (9, 3), (4, 4), (1, 1), *([(3, 7)] if mode != "same" else [])]:
        x, y = numbers(n, elem), numbers(m, elem)
        np.testing.assert_allclose(kernel(x, y), both(x, y))
    weights = numbers(4, elem)
    x = numbers(9, elem)
    np.testing.assert_allclose(atl.fn(x=elem[N], backend="cranelift")(known)(x), known(x))


def test_a_longer_second_array_of_mode_same_is_refused():
    kernel = atl.fn(x=f64[N], y=f64[M], backend="cranelift")(lambda_named("same", lambda x, y: np.correlate(x, y, "same")))
    with pytest.raises(atl.Refused, match="does not hold"):
        kernel(np.ones(3), np.ones(4))
