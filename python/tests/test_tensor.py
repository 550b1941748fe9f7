"""Index notation and einsum strings against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import atl


def sparse(shape, format, seed=0, density=0.3):
    return scipy.sparse.random_array(shape, density=density, format=format, rng=np.random.default_rng(seed))


STRINGS = [
    ("ij,jk->ik", [(3, 4), (4, 5)]),
    ("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)]),
    ("ij->ji", [(3, 4)]),
    ("ii->i", [(4, 4)]),
    ("ii", [(4, 4)]),
    ("i,j->ij", [(3,), (4,)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("ij,kj", [(3, 4), (5, 4)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 5)]),
    ("i,i,i->", [(5,), (5,), (5,)]),
    ("ij,ij->", [(3, 4), (3, 4)]),
]


@pytest.mark.parametrize("string, shapes", STRINGS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_einsum_is_numpy_s(string, shapes, dtype):
    rng = np.random.default_rng(0)
    operands = [(10 * rng.random(shape)).astype(dtype) for shape in shapes]
    expected = np.einsum(string, *operands)
    found = atl.einsum(string, *operands)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_einsum_in_memory_of_the_caller_and_compiled():
    a, b = np.random.default_rng(1).random((2, 4, 4))
    out = np.empty((4, 4))
    assert atl.einsum("ij,jk->ik", a, b, out=out) is out
    N, = atl.sizes("N")
    kernel = atl.einsum.compile("ij,jk->ik", (atl.f64[N, N], atl.f64[N, N]))
    np.testing.assert_array_equal(kernel(a, b), out)
    before = atl.cache_info().misses
    atl.einsum("ij,jk->ik", b, a)
    assert atl.cache_info().misses == before


def test_shapes_compile_nothing():
    atl.cache_clear()
    for n in range(1, 6):
        atl.einsum("ij,jk->ik", np.ones((n, n)), np.ones((n, n)))
    assert atl.cache_info().misses == 1


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr"])
@pytest.mark.parametrize("indices", [np.int32, np.int64])
def test_products_with_sparse_matrices(format, indices):
    A = sparse((20, 30), "csr", 3).asformat(format)
    if format in ("csr", "csc", "bsr"):
        A.indices, A.indptr = A.indices.astype(indices), A.indptr.astype(indices)
    before = A.toarray()
    x = np.random.default_rng(4).random(30)
    np.testing.assert_allclose(atl.tensor("y(i) = A(i,j) * x(j)", A=A, x=x), A @ x)
    np.testing.assert_allclose(atl.einsum("ij,j->i", A, x), A @ x)
    np.testing.assert_array_equal(A.toarray(), before)


@settings(max_examples=50, deadline=None)
@given(st.tuples(*[st.integers(1, 12)] * 3), st.sampled_from(["csr", "csc"]), st.sampled_from(["csr", "csc"]), st.integers(0, 99))
def test_sparse_results_are_canonical(sizes, first, result, seed):
    m, k, n = sizes
    A, B = sparse((m, k), first, seed), sparse((k, n), first, seed + 1)
    C = atl.tensor("C(i,j) = A(i,k) * B(k,j)", A=A, B=B, out=result)
    assert C.format == result and C.has_canonical_format and isinstance(C, scipy.sparse.sparray)
    np.testing.assert_allclose(C.toarray(), (A @ B).toarray())


def test_sums_of_sparse_matrices():
    A, B = sparse((6, 7), "csr", 5), sparse((6, 7), "csr", 6)
    C = atl.tensor("C(i,j) = A(i,j) + B(i,j)", A=A, B=B, out="csr")
    np.testing.assert_allclose(C.toarray(), (A + B).toarray())


def test_semirings():
    w = np.array([[0, 1, np.inf], [np.inf, 0, 2], [np.inf, np.inf, 0]])
    found = atl.tensor("d(i,j) = a(i,k) * b(k,j)", semiring="min_plus", a=w, b=w)
    np.testing.assert_array_equal(found, (w[:, :, None] + w[None]).min(1))


def test_what_is_refused():
    a = np.ones((2, 2))
    with pytest.raises(atl.Refused, match="several element types"):
        atl.einsum("ij,jk->ik", a, a.astype(np.float32))
    with pytest.raises(atl.Refused, match="not an element type"):
        atl.einsum("ij->ji", a.astype(complex))
    with pytest.raises(atl.Refused):
        atl.einsum("ij,jk->iz", a, a)
    with pytest.raises(atl.Refused, match="extent"):
        atl.einsum("ij,jk->ik", a, np.ones((3, 2)))
    twice = scipy.sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    with pytest.raises(atl.RefusedArgument, match="sum_duplicates"):
        atl.tensor("y(i) = A(i,j) * x(j)", A=twice, x=np.ones(2))
    truth = scipy.sparse.csr_array(np.eye(2, dtype=bool))
    truth.data = np.array([1, 2], np.uint8).view(bool)
    with pytest.raises(atl.Refused, match="0 and 1"):
        atl.tensor("y(i) = A(i,j) * x(j)", A=truth, x=np.ones(2, bool))
    wrong = scipy.sparse.csr_array(np.eye(3))
    wrong.indptr[1] = 7
    with pytest.raises(atl.RefusedArgument, match="malformed"):
        atl.tensor("y(i) = A(i,j) * x(j)", A=wrong, x=np.ones(3))


def test_packed_operands():
    A = sparse((20, 30), "csr", 7)
    W = atl.pack(A)
    x = np.random.default_rng(8).random(30)
    expected = A @ x
    np.testing.assert_allclose(atl.tensor("y(i) = A(i,j) * x(j)", A=W, x=x), expected)
    # It is frozen: what is written to the matrix afterwards is not seen.
    A.data[:] = 0
    A.indices[:] = 29
    np.testing.assert_allclose(atl.tensor("y(i) = A(i,j) * x(j)", A=W, x=x), expected)
    with pytest.raises(atl.RefusedArgument, match="makes it 29"):
        atl.tensor("y(i) = A(i,j) * x(j)", A=W, x=np.ones(29))
    with pytest.raises(atl.RefusedArgument, match="makes"):
        atl.tensor("C(i,k) = A(i,j) * B(j,k)", A=W, B=atl.pack(sparse((29, 4), "csr")))
    with pytest.raises(atl.RefusedArgument, match="elements of type f64"):
        atl.compile("fn f(A: f32[N, M] as csr) -> f32 { sum i < N, j < M { A[i, j] } }")(W)
    with pytest.raises(atl.Refused, match="sum_duplicates"):
        atl.pack(scipy.sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2)))


def test_what_a_program_requires_besides_is_checked_of_packed_operands_too():
    text = """fn f(A: f64[N, M] as csr, at: i32[K]) -> f64[K] where all p < K { 0 <= at[p] < N } {
        gen p < K { sum j < M { A[at[p], j] } }
    }"""
    kernel = atl.compile(text)
    W = atl.pack(scipy.sparse.csr_array(np.eye(3)))
    np.testing.assert_array_equal(kernel(W, np.array([2, 0], np.int32)), [1, 1])
    with pytest.raises(atl.Refused, match="E0506"):
        kernel(W, np.array([3], np.int32))


def test_shapes_of_packed_operands_must_agree() -> None:
    """Nothing that was checked at packing replaces the check that the operands of one call fit each other."""
    product = atl.compile(
        "fn f(A: f64[N, M] as csr, B: f64[M, K] as csr) -> f64[N, K] { gen i < N, k < K { sum j < M { A[i, j] * B[j, k] } } }\n"
        "schedule s of f { rounding real; sparsify; }"
    ).schedule("s")
    shifted = atl.compile("fn g(A: f64[N, N + 2] as csr) -> f64[N] { gen i < N { sum j < N + 2 { A[i, j] } } }")
    left, right, wide = (scipy.sparse.csr_array(np.ones(shape)) for shape in [(4, 5), (5, 6), (4, 9)])
    np.testing.assert_array_equal(product(atl.pack(left), atl.pack(right)), np.full((4, 6), 5.0))
    for operands in [(wide, right), (atl.pack(wide), right), (wide, atl.pack(right)), (atl.pack(wide), atl.pack(right))]:
        with pytest.raises(atl.Refused, match="E0504"):
            product(*operands)
    for operand in (wide, atl.pack(wide)):
        with pytest.raises(atl.Refused, match="E0504"):
            shifted(operand)


def test_contractions_of_opt_einsum():
    opt_einsum = pytest.importorskip("opt_einsum", reason="opt_einsum is not installed: its back end is not tested")
    rng = np.random.default_rng(5)
    operands = [rng.random(shape) for shape in [(3, 4), (4, 5), (5, 2), (3, 2)]]
    for string in ("ij,jk,kl->il", "ij,jk,kl,il->", "ij,jk,kl,il->jk"):
        given = operands[: string.count(",") + 1]
        np.testing.assert_allclose(opt_einsum.contract(string, *given, backend="atl"), np.einsum(string, *given))
    for axes in (0, 1, ((1,), (0,)), ([1, 0], [0, 1])):
        a, b = rng.random((3, 3)), rng.random((3, 3))
        np.testing.assert_allclose(atl.tensordot(a, b, axes=axes), np.tensordot(a, b, axes=axes))
