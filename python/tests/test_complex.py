"""Complex arrays: one of NumPy's is two of a kernel's."""

import numpy as np
import pytest

import atl

TEXT = """
fn product(z: c128[N], w: c128[N]) -> c128[N] { gen i < N { z[i] * w[i] } }

fn moved(z: c64[N, M], by: c64) -> (c64[M, N], f32[N, M]) { (gen j < M, i < N { z[i, j] + by }, abs(z)) }

fn total(z: c128[N]) -> c128 { sum i < N { z[i] } }
"""

PROGRAM = atl.Program(TEXT)


def numbers(*shape, dtype=np.complex128):
    rng = np.random.default_rng(sum(shape))
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


@pytest.mark.parametrize("n", [0, 1, 17])
def test_arrays_in_and_out(n):
    z, w = numbers(n), numbers(n)[::-1]
    for call in (lambda: PROGRAM["product"](z, w), lambda: PROGRAM["product"](w=w, z=z)):
        found = call()
        assert found.dtype == np.complex128
        np.testing.assert_allclose(found, z * w, rtol=1e-15, atol=1e-15)


def test_several_results_and_numbers():
    z = numbers(3, 5, dtype=np.complex64)
    moved, sizes = PROGRAM["moved"](z, 1 - 2j)
    np.testing.assert_array_equal(moved, z.T + np.complex64(1 - 2j))
    np.testing.assert_allclose(sizes, abs(z), rtol=1e-6)
    assert moved.dtype == np.complex64 and sizes.dtype == np.float32
    total = PROGRAM["total"](numbers(9))
    assert total.dtype == np.complex128 and abs(total - numbers(9).sum()) < 1e-14


def test_results_go_into_the_caller_s_arrays():
    z = numbers(7)
    out = np.empty(7, np.complex128)
    assert PROGRAM["product"](z, z, out=out) is out
    np.testing.assert_allclose(out, z * z, rtol=1e-15, atol=1e-15)
    with pytest.raises(atl.Refused, match="the array for a result"):
        PROGRAM["product"](z, z, out=np.empty(7, np.complex64))


def test_another_type_is_refused_with_what_to_type():
    z = numbers(4)
    with pytest.raises(atl.Refused, match=r"astype\(np.complex128\)"):
        PROGRAM["product"](z, z.real)
    with pytest.raises(atl.Refused, match="complex128"):
        PROGRAM["product"](z, z.astype(np.complex64))
    with pytest.raises(atl.Refused, match="cannot be bound"):
        PROGRAM["product"].bind(z, z)


def test_the_signature_has_one_parameter_for_each():
    assert str(PROGRAM["moved"].__signature__).count("z") == 1
