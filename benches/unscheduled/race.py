#!/usr/bin/env python3
"""Times programs as users write them beside plain C and NumPy or SciPy, on one thread.

    benches/unscheduled/race.py --atl target/release/atl

Ours are the functions of `unscheduled.atl`, without a word of schedule, of the class that they have by themselves; theirs are the loops
of `plain.c` compiled with `cc -O3 -march=native -ffp-contract=off`, and NumPy or SciPy. All run in turn in this process on the same
arrays, and results are compared. A ratio is the median of those of single rounds: theirs by ours, so more than one is quicker. `--look`
only prints; otherwise `benches/results/unscheduled.json` is written.
"""

import argparse
import ctypes
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paired import at, built, plain_c, raced, row_of, written

ROUNDS = 9
PROGRAM = "benches/unscheduled/unscheduled.atl"


class Grown(ctypes.Structure):
    """An array that a kernel appends to."""

    _fields_ = [("data", ctypes.c_void_p), ("len", ctypes.c_int64), ("cap", ctypes.c_int64)]

    def array(self, dtype):
        """What it holds."""
        size = self.len * np.dtype(dtype).itemsize
        return np.frombuffer(ctypes.string_at(self.data, size), dtype)


def sparse(n, m, per_row, seed=1):
    """A matrix with so many entries a row, but for duplicates."""
    rng = np.random.default_rng(seed)
    places = np.unique(np.arange(n)[:, None] * m + rng.integers(0, m, (n, per_row)))
    return sp.csr_matrix((rng.standard_normal(len(places)), (places // m, places % m)), (n, m))


def arrays(a):
    """The arrays of a matrix, as kernels name them: rows, columns, values."""
    return a.indptr.astype(np.int64), a.indices.astype(np.int32), a.data


def call(function, sizes, *operands):
    """A call of a kernel or of plain C: sizes, operands, results, which it keeps."""
    words = [ctypes.c_int64(n) for n in sizes] + [at(a) if isinstance(a, np.ndarray) else ctypes.byref(a) for a in operands]
    return lambda operands=operands: function(*words)


def life():
    g = np.random.default_rng(1).integers(0, 2, (2000, 2000), dtype=np.uint8)

    def numpy():
        p = np.pad(g, 1, mode="wrap")
        n = sum(p[i : i + 2000, j : j + 2000] for i in range(3) for j in range(3)) - g
        return ((n == 3) | (n == 2) & (g == 1)).astype(np.uint8)

    return (2000, 2000), [g], (2000, 2000), np.uint8, numpy


def strided():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((2, 32, 128, 128)).astype(np.float32)
    w = rng.standard_normal((32, 32, 3, 3)).astype(np.float32) / 17

    def numpy():
        p = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        columns = np.stack([p[:, :, r : r + 128 : 2, c : c + 128 : 2] for r in range(3) for c in range(3)], 2)
        return (w.reshape(32, -1) @ columns.reshape(2, 288, -1)).reshape(2, 32, 64, 64)

    return (2, 32, 64, 64, 32), [x, w], (2, 32, 64, 64), np.float32, numpy


def viterbi():
    rng = np.random.default_rng(1)
    e, a = rng.standard_normal((2001, 48)), rng.standard_normal((48, 48))

    def numpy():
        out = e.copy()
        for t in range(2000):
            out[t + 1] += (out[t][:, None] + a).max(0)
        return out

    return (2000, 48), [e, a], (2001, 48), np.float64, numpy


def pagerank():
    rng = np.random.default_rng(1)
    a, r, deg, d = sparse(20000, 20000, 40), rng.random(20000), rng.random(20000) + 1, np.array([0.85])
    return (20000,), [*arrays(a), r, deg, d], (20000,), np.float64, lambda: (1 - 0.85) / 20000 + 0.85 * (a @ (r / deg))


def centred():
    x = np.random.default_rng(1).standard_normal((2000, 1000))
    return (2000, 1000), [x], x.shape, np.float64, lambda: x - x.mean(0)


def extremes():
    x = np.random.default_rng(1).standard_normal((3000, 1000)).astype(np.float32)
    return (3000, 1000), [x], (2, 1000), np.float32, lambda: np.stack([x.min(0), x.max(0)])


def looked_up():
    rng = np.random.default_rng(1)
    x, t = rng.integers(0, 256, (1500, 2000, 3), dtype=np.uint8), rng.integers(0, 256, 256, dtype=np.uint8)
    return (1500, 2000), [x, t], x.shape, np.uint8, lambda: t[x]


def contrast():
    x = np.random.default_rng(1).integers(0, 256, (2000, 3000), dtype=np.uint8)
    a, b = np.array([1.5], np.float32), np.array([-40], np.float32)
    return (2000, 3000), [x, a, b], x.shape, np.uint8, lambda: np.clip(a[0] * x + b[0], 0, 255).astype(np.uint8)


def bordered():
    x = np.random.default_rng(1).standard_normal((1500, 2000)).astype(np.float32)

    def numpy():
        p = np.pad(x, 1, mode="edge")
        return sum(p[i : i + 1500, j : j + 2000] for i in range(3) for j in range(3)) / 9

    return (1500, 2000), [x], x.shape, np.float32, numpy


def short_sums():
    x = np.random.default_rng(1).standard_normal((100000, 10))
    return (100000,), [x], x.shape, np.float64, lambda: x.cumsum(1)


def dense_sum():
    a, b = sparse(1500, 1500, 60), np.random.default_rng(2).standard_normal((1500, 1500))
    return (1500, 1500), [*arrays(a), b], b.shape, np.float64, lambda: np.asarray(a + b)


# Each has sizes, operands, the result's shape and type, and the same in NumPy or SciPy.
CASES = [life, strided, viterbi, pagerank, centred, extremes, looked_up, contrast, dense_sum, bordered, short_sums]


def with_dense_results(case, theirs, kernel_of):
    """What runs, and whether the results agree."""
    sizes, operands, shape, dtype, numpy = case()
    out, their = np.empty(shape, dtype), np.empty(shape, dtype)
    function = kernel_of(case.__name__)
    # Kernels are told how many entries there are.
    entries = [len(operands[1])] if len(operands) > 2 and operands[0].dtype == np.int64 else []
    runs = {
        "ours": call(function, [*sizes, *entries], *operands, out),
        "plain C": call(getattr(theirs, case.__name__), sizes, *operands, their),
        "NumPy": numpy,
    }

    def same():
        if np.dtype(dtype).kind == "u":
            return np.array_equal(out, their)
        # Sums may be added up in another order.
        return np.allclose(out, their, 1e-4, 1e-4) and np.allclose(out, numpy(), 1e-4, 1e-4)

    return runs, same


def by_transpose(theirs, kernel_of, n=3000):
    """The same of a matrix by its transpose, whose result is in a format."""
    a = sparse(n, n, 10)
    function, out = kernel_of("by_transpose"), [Grown() for _ in range(3)]
    ones = sp.csr_matrix((np.ones(a.nnz), a.indices, a.indptr), a.shape)
    most = (ones @ ones.T).nnz  # SciPy leaves out sums that are zero
    their = np.empty(n + 1, np.int64), np.empty(most, np.int32), np.empty(most)
    runs = {
        "ours": call(function, (n, n, a.nnz), *arrays(a), *out),
        "plain C": call(theirs.by_transpose, (n, n), *arrays(a), *their),
        "SciPy": lambda: a @ a.T,
    }

    def same():
        ours = sp.csr_matrix((out[2].array(np.float64), out[1].array(np.int32), out[0].array(np.int64)), (n, n))
        other = sp.csr_matrix((their[2], their[1], their[0]), (n, n))
        return abs(ours - other).max() < 1e-10

    return runs, same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/release/atl", help="the command that builds the kernels")
    parser.add_argument("--look", action="store_true", help="write no results")
    parser.add_argument("--only", default="", help="programs whose names contain this")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        theirs = plain_c("benches/unscheduled/plain.c", folder)
        atl = str(Path(args.atl).resolve())

        def kernel_of(name):
            return built(atl, PROGRAM, name, folder)

        cases = {case.__name__: lambda case=case: with_dense_results(case, theirs, kernel_of) for case in CASES}
        cases["by_transpose"] = lambda: by_transpose(theirs, kernel_of)
        for name, case in cases.items():
            if args.only not in name:
                continue
            runs, same = case()
            times = raced(runs, ROUNDS, 1)
            if not same():
                raise SystemExit(f"{name}: results differ")
            rows.append(row_of(name, times, [other for other in runs if other != "ours"]))
            print(json.dumps(rows[-1]), flush=True)
    if not args.look:
        written("unscheduled", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
