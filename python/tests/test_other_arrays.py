"""Arrays of other libraries, read where they are."""

import numpy as np
import pytest

import atl

SCALE = atl.compile("fn scale(x: f32[N, M]) -> f32[N, M] { gen i < N, j < M { x[i, j] * 2.0 } }")
LINE = atl.compile("fn line(x: f64[N]) -> f64[N] { gen i < N { x[i] * 2.0 } }")


@pytest.mark.parametrize("library", ["torch", "jax.numpy", "array_api_strict"])
def test_arrays_are_read_in_place(library):
    module = pytest.importorskip(library, reason=f"{library} is not installed: its arrays are not tested")
    x = module.ones((3, 4), dtype=module.float32)
    np.testing.assert_array_equal(SCALE(x, copy=False), np.full((3, 4), 2, np.float32))


def test_columns_of_arrow_are_read_in_place():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: its arrays are not tested")
    np.testing.assert_array_equal(LINE(pyarrow.array([1.0, 2.0]), copy=False), [2, 4])


def test_columns_of_frames_are_read_in_place():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: its columns are not tested")
    np.testing.assert_array_equal(LINE(pandas.Series([1.0, 2.0]), copy=False), [2, 4])
    polars = pytest.importorskip("polars", reason="polars is not installed: its columns are not tested")
    np.testing.assert_array_equal(LINE(polars.Series([1.0, 2.0])), [2, 4])


def test_results_are_numpys():
    result = LINE(np.ones(3))
    assert type(result) is np.ndarray and result.flags.owndata and result.flags.c_contiguous and result.flags.writeable
