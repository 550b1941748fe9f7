"""Arrays of SciPy's as operands: eleven kinds of matrices in each format, with indices of either type."""

import numpy as np
import pytest

import atl

sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed: sparse operands are not tested")

FORMATS = ["csr", "csc", "coo", "bsr", "dia"]
EXPRESSIONS = {
    "y(i) = A(i,j) * x(j)": lambda A, x, z: A @ x,
    "y(j) = A(i,j) * z(i)": lambda A, x, z: A.T @ z,
    "s = A(i,j)": lambda A, x, z: A.sum(),
    "s = z(i) * A(i,j) * x(j)": lambda A, x, z: z @ (A @ x),
    "y(i) = A(i,j) * A(i,j)": lambda A, x, z: (A.toarray() ** 2).sum(axis=1),
    "D(i,j) = A(i,j) * x(j)": lambda A, x, z: A.toarray() * x,
}


def matrices():
    """Small ones of the kinds that collections have; extents are even, for blocks of 2 by 2."""
    rng = np.random.default_rng(7)
    n = 12

    def random(shape, density):
        return sparse.random_array(shape, density=density, rng=rng)

    ring = sparse.coo_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    powers = sparse.coo_array((rng.random(30), np.unravel_index(rng.choice(n * n, 30, replace=False), (n, n))), shape=(n, n))
    return {
        "diagonal": sparse.diags_array(rng.random(n)),
        "tridiagonal": sparse.diags_array([rng.random(n - 1), rng.random(n), rng.random(n - 1)], offsets=[-1, 0, 1]),
        "random": random((n, n), 0.3),
        "wide": random((4, 20), 0.2),
        "tall": random((20, 4), 0.2),
        "one row": random((2, 16), 0.5),
        "empty": sparse.coo_array((n, n)),
        "dense": sparse.coo_array(rng.random((6, 8))),
        "ring": ring,
        "scattered": powers,
        "blocks": sparse.coo_array(np.kron(np.eye(4), rng.random((2, 2)))),
    }


def with_indices(matrix, dtype):
    """The same, with indices of this type."""
    for name in ("indptr", "indices", "offsets"):
        if hasattr(matrix, name):
            setattr(matrix, name, getattr(matrix, name).astype(dtype))
    if matrix.format == "coo":
        matrix.coords = tuple(column.astype(dtype) for column in matrix.coords)
    return matrix


def parts(matrix):
    """Copies of the arrays of a matrix."""
    names = [name for name in ("data", "indptr", "indices", "offsets") if hasattr(matrix, name)]
    found = [getattr(matrix, name) for name in names]
    return [array.copy() for array in [*found, *(matrix.coords if matrix.format == "coo" else ())]]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_products_are_scipys(format, dtype, expression):
    rng = np.random.default_rng(0)
    for name, matrix in matrices().items():
        matrix = matrix.astype(np.float64)
        A = matrix.tobsr(blocksize=(2, 2)) if format == "bsr" else matrix.asformat(format)
        A.sum_duplicates() if hasattr(A, "sum_duplicates") else None
        A = with_indices(A, dtype)
        x, z = rng.random(A.shape[1]), rng.random(A.shape[0])
        operands = {"x": x} if "x(" in expression else {}
        operands |= {"z": z} if "z(" in expression else {}
        before = parts(A)
        for operand in (A, atl.pack(A)):
            found = atl.tensor(expression, A=operand, **operands)
            np.testing.assert_allclose(found, EXPRESSIONS[expression](A, x, z), rtol=1e-12, atol=1e-14, err_msg=name)
        for now, then in zip(parts(A), before):
            np.testing.assert_array_equal(now, then)
            assert now.dtype == then.dtype


SPMV = atl.compile(
    "fn spmv(A: f64[N, M] as csr, x: f64[M]) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }\n"
    "schedule s of spmv { rounding real; sparsify; }"
).schedule("s")


def small():
    return sparse.csr_array(np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0], [0.0, 0.0, 5.0]]))


def test_entries_are_read_where_they_are():
    A, x = small(), np.array([1.0, 10.0, 100.0])
    before = SPMV.stats.copies
    np.testing.assert_array_equal(SPMV(A, x, copy=False), A @ x)
    A.data[0] = 7
    np.testing.assert_array_equal(SPMV(A, x, copy=False), A @ x)
    assert SPMV.stats.copies == before
    wide = with_indices(small(), np.int64)
    np.testing.assert_array_equal(SPMV(wide, x), wide @ x)
    assert SPMV.stats.copies == before + 1
    with pytest.raises(atl.RefusedArgument, match="atl.pack"):
        SPMV(wide, x, copy=False)


def test_entries_in_another_order_are_put_in_order():
    A, x = small(), np.array([1.0, 10.0, 100.0])
    A.indices[1:3], A.data[1:3] = A.indices[1:3][::-1].copy(), A.data[1:3][::-1].copy()
    A.has_sorted_indices = False
    np.testing.assert_array_equal(SPMV(A, x), [20, 403, 500])
    assert A.indices.tolist() == [1, 2, 0, 2], "the caller's matrix stays as it is"
    with pytest.raises(atl.RefusedArgument):
        SPMV(A, x, copy=False)


@pytest.mark.parametrize(
    "part, at, value",
    [
        ("indptr", 1, 9),
        ("indptr", 1, -1),
        ("indptr", 0, 1),
        ("indptr", 2, 0),
        ("indptr", 3, 2**31 - 1),
        ("indices", 0, 3),
        ("indices", 0, -1),
        ("indices", 3, 2**31 - 1),
        ("indices", 2, 0),
    ],
)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_malformed_arrays_are_refused_before_anything_is_read(part, at, value, dtype):
    A, x = with_indices(small(), dtype), np.ones(3)
    getattr(A, part)[at] = value
    for call in (lambda: SPMV(A, x), lambda: SPMV.bind(A, x), lambda: atl.pack(A)):
        with pytest.raises(atl.Refused):
            call()


@pytest.mark.parametrize("last", [-(10**6), -1, 0])
def test_pointers_that_leave_entries_out_are_refused(last):
    x = np.ones(3)
    for kind in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix):
        A = kind(small())
        A.indptr[-1] = last
        entries = A.data.copy()
        for call in (lambda: SPMV(A, x), lambda: SPMV.bind(A, x), lambda: atl.pack(A)):
            with pytest.raises(atl.Refused, match="malformed"):
                call()
        np.testing.assert_array_equal(A.data, entries)


@pytest.mark.parametrize("length", ["indptr", "indices", "data"])
def test_arrays_of_other_lengths_are_refused(length):
    A, x = small(), np.ones(3)
    setattr(A, length, getattr(A, length)[:-1])
    with pytest.raises(atl.Refused):
        SPMV(A, x)


def test_a_packed_operand_that_was_called_with_last_is_another_one_now():
    x = np.ones(3)
    first, second = atl.pack(small()), atl.pack(2 * small())
    for _ in range(3):
        np.testing.assert_array_equal(SPMV(first, x), small() @ x)
        np.testing.assert_array_equal(SPMV(second, x), 2 * (small() @ x))
    with pytest.raises(atl.Refused):
        SPMV(first, np.ones(4))
    with pytest.raises(atl.Refused):
        SPMV(first, x, out=x)


def test_operands_of_many_forms_take_turns():
    rng = np.random.default_rng(5)
    stored = [factor * small() for factor in (1, 2, 3)] + [sparse.csr_array(np.eye(n)) for n in (3, 4)]
    operands = [(A, A) for A in stored] + [(atl.pack(A), A) for A in stored] + [(A.toarray(), A) for A in stored]
    for k in rng.integers(len(operands), size=200):
        operand, A = operands[k]
        x = rng.integers(9, size=A.shape[1]).astype(float)
        np.testing.assert_array_equal(SPMV(operand, x), A @ x)
    # What was packed and is gone takes no other's place.
    for factor in range(20):
        A = factor * small()
        np.testing.assert_array_equal(SPMV(atl.pack(A), np.ones(3)), A @ np.ones(3))


#: What is wrong with a matrix after calls in which it was right.
FAULTS = [("indptr", 1, 9), ("indptr", 1, -1), ("indptr", 0, 1), ("indices", 0, 3), ("indices", 0, -1), ("indices", 2, 0)]


@pytest.mark.parametrize("backend", ["c", "cranelift"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_a_call_like_the_last_one_looks_at_entries_again(backend, dtype):
    spmv = atl.Kernel(SPMV.program, "spmv", "s", backend=backend)
    A, x, out = with_indices(small(), dtype), np.array([1.0, 10.0, 100.0]), np.zeros(3)
    for factor in (1, 2, 3):
        A.data[:] = factor
        np.testing.assert_array_equal(spmv(A, x), A @ x)
        assert spmv(A, x, out=out) is out
        np.testing.assert_array_equal(out, A @ x)
    for part, at, value in FAULTS:
        right = getattr(A, part)[at]
        getattr(A, part)[at] = value
        out[:] = -1
        with pytest.raises(atl.Refused):
            spmv(A, x, out=out)
        np.testing.assert_array_equal(out, [-1, -1, -1], err_msg=f"{part}[{at}] = {value}")
        getattr(A, part)[at] = right
        np.testing.assert_array_equal(spmv(A, x, out=out), A @ x)
    for over in (A.data[:3], A.data[1:4]):
        with pytest.raises(atl.RefusedArgument, match="overlaps"):
            spmv(A, x, out=over)


def test_another_operand_than_that_of_the_last_call():
    rng = np.random.default_rng(3)
    x = rng.random(3)
    first = small()
    others = [
        sparse.csr_array(np.array([[1.0, 0.0, 0.0], [0.0, 3.0, 4.0], [0.0, 0.0, 5.0]])),
        with_indices(small(), np.int64),
        small().tocsc(),
        small().tocoo(),
        sparse.csr_matrix(small()),
        atl.pack(small()),
        small().toarray(),
        sparse.csr_array(np.eye(3)),
        sparse.csr_array((5, 3)),
    ]
    for other in others:
        for A in (first, other, other, first):
            wanted = (small() if isinstance(A, atl.Packed) else A) @ x
            np.testing.assert_allclose(SPMV(A, x), wanted, rtol=1e-14)
    for wrong in (small().astype(np.float32), small().astype(bool)):
        SPMV(first, x)
        with pytest.raises(atl.RefusedArgument, match="E0505"):
            SPMV(wrong, x)
    wide = sparse.csr_array(np.ones((3, 4)))
    with pytest.raises(atl.RefusedArgument):
        SPMV(wide, x)
    np.testing.assert_array_equal(SPMV(wide, np.ones(4)), [4, 4, 4])


def test_an_operand_that_has_other_arrays_each_time_is_never_read_as_the_last_one():
    class Changing(sparse.csr_array):
        """Gives elements of another type each time that it is asked."""

        asked = 0

        @property
        def data(self):
            type(self).asked += 1
            return self._kept.astype(np.float32) if type(self).asked % 2 else self._kept

        @data.setter
        def data(self, kept):
            self._kept = kept

    A, x = Changing(small()), np.ones(3)
    for _ in range(6):
        try:
            np.testing.assert_array_equal(SPMV(A, x), small() @ x)
        except atl.RefusedArgument as refused:
            assert refused.code == "E0505"


def test_entries_of_a_call_like_the_last_one_may_be_in_another_order():
    A, x = small(), np.array([1.0, 10.0, 100.0])
    wanted = A @ x
    for _ in range(2):
        np.testing.assert_array_equal(SPMV(A, x), wanted)
    A.indices[1:3], A.data[1:3] = A.indices[1:3][::-1].copy(), A.data[1:3][::-1].copy()
    for _ in range(2):
        np.testing.assert_array_equal(SPMV(A, x), wanted)
    assert A.indices.tolist() == [1, 2, 0, 2]


GATHER = atl.compile("fn gather(x: f64[N], at: i32[K]) -> f64[K] where all p < K { 0 <= at[p] < N } { gen p < K { x[at[p]] } }")


def test_indices_of_a_call_like_the_last_one_are_looked_at():
    x, at, out = np.arange(4.0), np.array([3, 0, 2], np.int32), np.zeros(3)
    for k in range(3):
        at[1] = k
        np.testing.assert_array_equal(GATHER(x, at, out=out), x[at])
    for wrong in (-1, 4, 2**31 - 1, -(2**31)):
        at[1] = wrong
        out[:] = -1
        with pytest.raises(atl.Refused, match="E0506"):
            GATHER(x, at, out=out)
        np.testing.assert_array_equal(out, [-1, -1, -1])
    at[1] = 0
    np.testing.assert_array_equal(GATHER(x, at), [3, 0, 2])
