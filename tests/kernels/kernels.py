"""The kernels that are compared with SciPy and NumPy, each a dense program.

A kernel says what its operands are called, over which sizes they go and which of them are sparse. A sparse operand's letter is where its
format comes from: `F` is the format of the table's column, anything else is a format. Reference functions take
SciPy matrices, `Entries` for sparse tensors of other ranks, and arrays; they work for large operands, too.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Entries:
    """A sparse tensor of any rank: the coordinates along each dimension, and the values."""

    shape: tuple[int, ...]
    at: tuple[np.ndarray, ...]
    values: np.ndarray

    def __abs__(self) -> "Entries":
        return Entries(self.shape, self.at, abs(self.values))

    def matrix(self, rows: np.ndarray, columns: np.ndarray, values: np.ndarray, shape: tuple[int, int]):
        """What adds up at places of a matrix."""
        return sp.coo_array((values, (rows, columns)), shape=shape).tocsr()


@dataclass(frozen=True)
class Kernel:
    """A dense program, its operands, and what it should compute."""

    name: str
    # Name, dimensions, and format; no format for a dense operand.
    operands: tuple[tuple[str, str, str | None], ...]
    # The dimensions of the result, and the formats that it is stored in; `own` is the column's, or by rows where that is not stored in.
    result: str
    results: tuple[str, ...]
    body: str
    reference: Callable
    # The loops of each sparse operand, so that they can be cut as blocks are.
    loops: tuple[str, ...]
    # What bounds the magnitude of the terms, given magnitudes; the reference itself if nothing is subtracted.
    magnitude: Callable | None = None
    # The operand whose places the result has, be they zero.
    kept: str | None = None

    @property
    def inner(self) -> bool:
        """Does it go over all elements of the result, whatever is stored?"""
        return "inner" in self.name

    @property
    def rank(self) -> int:
        """The rank of the operand whose format is the column's."""
        return next(len(dims) for _, dims, format in self.operands if format == "F")

    def program(self, result: str) -> str:
        """The text of the function `f`."""
        params = ", ".join(f"{name}: f64{shape(dims)}" for name, dims, _ in self.operands)
        stored = "" if result == "dense" else f" as {result}"
        return f"fn f({params}) -> f64{shape(self.result)}{stored} {{\n    {self.body}\n}}\n"


def shape(dims: str) -> str:
    """A type's shape."""
    return f"[{', '.join(dims)}]" if dims else ""


def kernel(name, operands, result, body, reference, loops, results=("dense",), magnitude=None, kept=None) -> Kernel:
    """Operands are words `A:NM:F`, or `x:M` where one is dense."""
    words = [(*word.split(":"), None)[:3] for word in operands.split()]
    return Kernel(name, tuple(words), result, results, body, reference, tuple(loops.split()), magnitude, kept)


def ttm(t: Entries, c):
    """The last dimension becomes another; the first two are rows."""
    i, j, k = t.at
    out = np.zeros((t.shape[0], t.shape[1], c.shape[0]))
    np.add.at(out, (i, j), t.values[:, None] * c.T[k])
    return out


def mttkrp(t: Entries, c, d):
    """A row of the result adds up rows of both factors."""
    c, d = (x.toarray() if sp.issparse(x) else x for x in (c, d))
    i, k, l = t.at
    ones = sp.csr_array((t.values, (i, np.arange(len(i)))), shape=(t.shape[0], len(i)))
    return ones @ (c[k] * d[l])


def aligned(t: Entries, u: Entries, both: Callable) -> Entries:
    """The elements that two tensors store, where their union is, and what becomes of both."""
    flat = [np.ravel_multi_index(x.at, x.shape) if len(x.values) else np.zeros(0, np.int64) for x in (t, u)]
    places = np.union1d(*flat).astype(np.int64)
    values = [np.zeros(len(places)) for _ in flat]
    for value, at, x in zip(values, flat, (t, u)):
        value[np.searchsorted(places, at)] = x.values
    at = np.unravel_index(places, t.shape) if len(places) else tuple(places for _ in t.shape)
    return Entries(t.shape, tuple(at), both(*values))


SPARSE = ("csr", "dcsr", "coo")
PRODUCT = "gen i < N, k < K { sum j < M { A[i, j] * B[j, k] } }"

KERNELS = [
    # Matrices and dense operands.
    kernel("matrix × vector", "A:NM:F x:M", "N", "gen i < N { sum j < M { A[i, j] * x[j] } }", lambda a, x: a @ x, "ij"),
    kernel("transposed matrix × vector", "A:NM:F x:N", "M", "gen j < M { sum i < N { A[i, j] * x[i] } }",
           lambda a, x: a.T @ x, "ij"),
    kernel("matrix × matrix", "A:NM:F B:MK", "NK", PRODUCT, lambda a, b: a @ b, "ij"),
    kernel("sampled product", "A:NM:F B:NK C:KM", "NM", "gen i < N, j < M { A[i, j] * sum k < K { B[i, k] * C[k, j] } }",
           lambda a, b, c: sampled(a, b, c), "ij", ("dense", "csr")),
    kernel("diagonal", "A:NN:F", "N", "gen i < N { A[i, i] }", lambda a: a.diagonal(), "ii"),
    kernel("trace", "A:NN:F", "", "sum i < N { A[i, i] }", lambda a: np.array(a.diagonal().sum()), "ii"),
    kernel("scaled matrix", "A:NM:F", "NM", "gen i < N, j < M { 2 * A[i, j] }", lambda a: 2 * a, "ij",
           ("own", "csr", "coo")),
    kernel("transpose", "A:NM:F", "MN", "gen j < M, i < N { A[i, j] }", lambda a: a.T, "ij", ("csr", "csc")),
    # The places of an operand, kept where the result is zero.
    kernel("columns scaled, pattern_of A", "A:NM:F x:M", "NM", "gen i < N, j < M { A[i, j] * x[j] }",
           lambda a, x: scaled(a, x), "ij", ("own",), kept="A"),
    kernel("sampled product, pattern_of A", "A:NM:F B:NK C:KM", "NM", "gen i < N, j < M { A[i, j] * sum k < K { B[i, k] * C[k, j] } }",
           lambda a, b, c: sampled(a, b, c), "ij", ("own",), kept="A"),
    kernel("A ⊙ B, pattern_of A", "A:NM:F B:NM:F", "NM", "gen i < N, j < M { A[i, j] * B[i, j] }", lambda a, b: a.multiply(b),
           "ij ij", ("own",), kept="A"),
    # A matrix and a sparse vector.
    kernel("matrix × sparse vector", "A:NM:F x:M:coo", "N", "gen i < N { sum j < M { A[i, j] * x[j] } }",
           lambda a, x: a @ vector(x), "ij j", ("dense", "[compressed]")),
    # Two sparse matrices.
    kernel("product, rows", "A:NM:F B:MK:csr", "NK", PRODUCT, lambda a, b: a @ b, "ij jk", SPARSE),
    kernel("product, inner", "A:NM:F B:MK:csc", "NK", PRODUCT, lambda a, b: a @ b, "ij jk", SPARSE),
    kernel("product, outer", "A:NM:csc B:MK:F", "NK", PRODUCT, lambda a, b: a @ b, "ij jk", SPARSE),
    kernel("product, one format", "A:NM:F B:MK:F", "NK", PRODUCT, lambda a, b: a @ b, "ij jk", ("dense", "csr")),
    kernel("A + B", "A:NM:F B:NM:F", "NM", "gen i < N, j < M { A[i, j] + B[i, j] }", lambda a, b: a + b, "ij ij",
           ("own", "csr")),
    kernel("A - B", "A:NM:F B:NM:F", "NM", "gen i < N, j < M { A[i, j] - B[i, j] }", lambda a, b: a - b, "ij ij", ("own",),
           lambda a, b: a + b),
    kernel("A + B, B by rows", "A:NM:F B:NM:csr", "NM", "gen i < N, j < M { A[i, j] + B[i, j] }", lambda a, b: a + b,
           "ij ij", ("csr",)),
    kernel("A ⊙ B", "A:NM:F B:NM:F", "NM", "gen i < N, j < M { A[i, j] * B[i, j] }", lambda a, b: a.multiply(b), "ij ij",
           ("own", "csr")),
    kernel("A ⊙ B, B by rows", "A:NM:F B:NM:csr", "NM", "gen i < N, j < M { A[i, j] * B[i, j] }",
           lambda a, b: a.multiply(b), "ij ij", ("csr",)),
    kernel("A ⊙ B ⊙ C", "A:NM:F B:NM:F C:NM:F", "NM", "gen i < N, j < M { A[i, j] * B[i, j] * C[i, j] }",
           lambda a, b, c: a.multiply(b).multiply(c), "ij ij ij", ("own",)),
    kernel("A B x", "A:NM:F B:MK:F x:K", "N", "gen i < N { sum j < M, k < K { A[i, j] * B[j, k] * x[k] } }",
           lambda a, b, x: a @ (b @ x), "ij jk"),
    kernel("A[i, j] * B[j, i]", "A:NM:F B:MN:F", "NM", "gen i < N, j < M { A[i, j] * B[j, i] }",
           lambda a, b: a.multiply(b.T), "ij ji", ("own",)),
    kernel("A[i, j] * A[j, i]", "A:NN:F", "NN", "gen i < N, j < N { A[i, j] * A[j, i] }",
           lambda a: a.multiply(a.T), "ij", ("own",)),
    kernel("A[i, j] * A[i, j]", "A:NM:F", "NM", "gen i < N, j < M { A[i, j] * A[i, j] }",
           lambda a: a.multiply(a), "ij", ("own",)),
    # Tensors of rank 3.
    kernel("tensor × vector", "B:IKL:F c:L", "IK", "gen i < I, k < K { sum l < L { B[i, k, l] * c[l] } }",
           lambda b, c: b.matrix(b.at[0], b.at[1], b.values * c[b.at[2]], b.shape[:2]), "ikl", ("dense", "csr")),
    kernel("tensor × vector, first dimension", "B:IKL:F c:I", "KL", "gen k < K, l < L { sum i < I { B[i, k, l] * c[i] } }",
           lambda b, c: b.matrix(b.at[1], b.at[2], b.values * c[b.at[0]], b.shape[1:]), "ikl", ("dense", "csr")),
    kernel("tensor × matrix", "B:IKL:F C:JL", "IKJ", "gen i < I, k < K, j < J { sum l < L { B[i, k, l] * C[j, l] } }",
           ttm, "ikl"),
    kernel("tensor × factors", "B:IKL:F C:KJ D:LJ", "IJ",
           "gen i < I, j < J { sum k < K, l < L { B[i, k, l] * C[k, j] * D[l, j] } }", mttkrp, "ikl"),
    kernel("tensor × sparse factors", "B:IKL:F C:KJ:csr D:LJ:csr", "IJ",
           "gen i < I, j < J { sum k < K, l < L { B[i, k, l] * C[k, j] * D[l, j] } }", mttkrp, "ikl kj lj", ("dense", "csr")),
    kernel("tensor × sparse vector", "B:IKL:F c:L:coo", "IK", "gen i < I, k < K { sum l < L { B[i, k, l] * c[l] } }",
           lambda b, c: b.matrix(b.at[0], b.at[1], b.values * vector(c)[b.at[2]], b.shape[:2]), "ikl l", ("dense", "csr")),
    kernel("sum_k B[k, j, i] * C[i]", "B:KJI:F C:I", "IJ", "gen i < I, j < J { sum k < K { B[k, j, i] * C[i] } }",
           lambda b, c: b.matrix(b.at[2], b.at[1], b.values * c[b.at[2]], b.shape[:0:-1]), "kji", ("dense", "csr")),
    kernel("fibres scaled, pattern_of B", "B:IKL:F c:L", "IKL", "gen i < I, k < K, l < L { B[i, k, l] * c[l] }",
           lambda b, c: Entries(b.shape, b.at, b.values * c[b.at[2]]), "ikl", ("own",), kept="B"),
    kernel("B + C", "B:IKL:F C:IKL:F", "IKL", "gen i < I, k < K, l < L { B[i, k, l] + C[i, k, l] }",
           lambda b, c: aligned(b, c, np.add), "ikl ikl", ("own",)),
    kernel("B ⊙ C", "B:IKL:F C:IKL:F", "IKL", "gen i < I, k < K, l < L { B[i, k, l] * C[i, k, l] }",
           lambda b, c: aligned(b, c, np.multiply), "ikl ikl", ("own",)),
]


def vector(x: Entries) -> np.ndarray:
    """A sparse vector, dense."""
    dense = np.zeros(x.shape)
    dense[x.at] = x.values
    return dense


def scaled(a, x):
    """Each column times a number."""
    a = a.tocoo()
    return sp.coo_array((a.data * x[a.col], (a.row, a.col)), shape=a.shape).tocsr()


def sampled(a, b, c):
    """Dot products where the matrix has entries."""
    a = a.tocoo()
    return sp.coo_array((a.data * np.einsum("ek,ek->e", b[a.row], c.T[a.col]), (a.row, a.col)), shape=a.shape).tocsr()
