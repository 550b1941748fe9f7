#!/usr/bin/env python3
"""Times recurrences side by side beside SciPy and plain C, on one thread.

    benches/recurrences/race.py --atl target/release/atl

Ours are functions of the examples under the schedules that stand below; theirs are NumPy and SciPy, OpenBLAS, and
the loops of `plain.c` compiled with `cc -O3 -march=native -ffp-contract=off`. All run in turn in this process on the
same arrays, and a ratio is the median of those of single rounds: theirs by ours, so more than one is quicker.
`--look` only prints; otherwise `benches/results/recurrences.json` is written. `--matrices FOLDER` says where
`bcsstk16.mtx` of the SuiteSparse collection is; without it the solver's race is skipped.
"""

import os

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

import argparse
import ctypes
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse
from scipy.linalg import blas, lapack
from scipy.signal import lfilter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import paired
from paired import at, plain_c, row_of, written

ROUNDS = 15


def built(atl, program, function, schedule, folder):
    """Our kernel."""
    return paired.built(atl, program, function, folder, "--schedule", schedule)


def raced(runs, rounds=ROUNDS):
    return paired.raced(runs, rounds, 2 if rounds == ROUNDS else 1)


def filters(atl, folder, plain, rows=2000, columns=2000):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((rows, columns))
    b, a = np.array([0.2, 0.3, 0.1]), np.array([1.0, -0.5, 0.3])
    out, their = np.empty_like(x), np.empty_like(x)
    kernel = built(atl, "examples/batches.atl", "filter_rows", "lanes", folder)
    sizes = ctypes.c_int64(rows), ctypes.c_int64(columns)
    times = raced({
        "ours": lambda: kernel(*sizes, at(x), at(b), at(a), at(out)),
        "plain C": lambda: plain.filter_rows(*sizes, at(x), at(b), at(a), at(their)),
        "scipy.signal.lfilter": lambda: lfilter(b, a, x),
    })
    assert np.array_equal(out, lfilter(b, a, x)), "not SciPy's bits"
    return row_of(f"a filter of order 2 along {rows} rows of {columns}", times, ["plain C", "scipy.signal.lfilter"])


def systems(atl, folder, plain, n=64, count=100_000):
    rng = np.random.default_rng(1)
    a, c, d = (rng.uniform(-1, 1, (n, count)) for _ in range(3))
    b = rng.uniform(3, 4, (n, count))
    out, their, kept, moved = (np.empty_like(a) for _ in range(4))
    kernel = built(atl, "examples/batches.atl", "tridiagonals", "lanes", folder)
    sizes, cells = (ctypes.c_int64(n), ctypes.c_int64(count)), ctypes.c_int64(count * n)
    arrays = [at(a), at(b), at(c), at(d)]
    times = raced({
        "ours": lambda: kernel(*sizes, *arrays, at(out)),
        "plain C": lambda: plain.tridiagonals(*sizes, *arrays, at(their), at(kept)),
        "moving the arrays": lambda: plain.move(cells, *arrays, at(moved)),
    })
    assert np.array_equal(out, their), "not the bits of plain C"
    return row_of(f"{count} tridiagonal systems of {n}, in columns", times, ["plain C", "moving the arrays"])


def words(atl, folder, plain, n=5000):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, 4, n, dtype=np.int32) for _ in range(2))
    out, their, row = np.empty(1, np.int32), np.empty(1, np.int32), np.empty(n + 1, np.int32)
    kernel = built(atl, "examples/wavefronts.atl", "edit_distance", "fronts", folder)
    sizes = ctypes.c_int64(n), ctypes.c_int64(n)

    def by_rows():
        their[0] = plain.edit_distance(*sizes, at(a), at(b), at(row))

    times = raced({"ours": lambda: kernel(*sizes, at(a), at(b), at(out)), "plain C": by_rows})
    assert out == their, "not the distance of plain C"
    return row_of(f"the edit distance of two words of {n} letters", times, ["plain C"])


def right_sides(atl, folder, plain, n=1000, count=1000):
    rng = np.random.default_rng(1)
    lower = np.tril(rng.uniform(-1, 1, (n, n))) / n + 2 * np.eye(n)
    b = rng.standard_normal((n, count))
    out, their = np.empty_like(b), np.empty_like(b)
    kernel = built(atl, "examples/solvers.atl", "triangular_columns", "blocks", folder)
    sizes = ctypes.c_int64(n), ctypes.c_int64(count)
    times = raced({
        "ours": lambda: kernel(*sizes, at(lower), at(b), at(out)),
        # Rows of the transposed system are columns in memory, as BLAS has them.
        "dtrsm": lambda: blas.dtrsm(1.0, lower.T, b.T, side=1),
        "plain C": lambda: plain.triangular_columns(*sizes, at(lower), at(b), at(their)),
    })
    assert np.allclose(out, their, rtol=0, atol=1e-12), "not the solution of plain C"
    return row_of(f"a triangular system of {n} rows with {count} right sides", times, ["dtrsm", "plain C"])


def factors(atl, folder, plain, n=1000):
    rng = np.random.default_rng(1)
    m = rng.standard_normal((n, n))
    a = m @ m.T + n * np.eye(n)
    out, their, columns = np.empty_like(a), np.empty_like(a), np.asfortranarray(a)
    kernel = built(atl, "examples/solvers.atl", "upper_factor", "blocks", folder)
    times = raced({
        "ours": lambda: kernel(ctypes.c_int64(n), at(a), at(out)),
        "dpotrf": lambda: lapack.dpotrf(columns, lower=1),
        "plain C": lambda: plain.upper_factor(ctypes.c_int64(n), at(a), at(their)),
    })
    assert np.allclose(out, their, rtol=0, atol=1e-9), "not the factor of plain C"
    return row_of(f"a Cholesky factor of {n} rows", times, ["dpotrf", "plain C"])


def sums(atl, folder, plain, n=4_000_000):
    x = np.random.default_rng(1).random(n)
    out, their, moved = (np.empty_like(x) for _ in range(3))
    kernel = built(atl, "examples/scans.atl", "prefix_sums", "none", folder)
    times = raced({
        "ours": lambda: kernel(ctypes.c_int64(n), at(x), at(out)),
        "plain C": lambda: plain.prefix_sums(ctypes.c_int64(n), at(x), at(their)),
        "numpy.cumsum": lambda: np.cumsum(x, out=their),
        "a copy": lambda: np.copyto(moved, x),
    })
    assert np.array_equal(out, their), "not NumPy's bits"
    return row_of(f"sums of the first of {n} numbers", times, ["plain C", "numpy.cumsum", "a copy"])


def sums_in_blocks(atl, folder, plain, n=10_000_000):
    x = np.random.default_rng(1).random(n)
    out, other, their, moved = (np.empty_like(x) for _ in range(4))
    ours, sequential = (built(atl, "examples/scans.atl", "prefix_sums", s, folder) for s in ("blocks", "none"))
    times = raced({
        "ours": lambda: ours(ctypes.c_int64(n), at(x), at(out)),
        "ours, one after the other": lambda: sequential(ctypes.c_int64(n), at(x), at(other)),
        "numpy.cumsum": lambda: np.cumsum(x, out=their),
        "a copy": lambda: np.copyto(moved, x),
    })
    assert np.allclose(out, their, rtol=1e-10, atol=0) and np.array_equal(other, their), "not NumPy's sums"
    peers = ["ours, one after the other", "numpy.cumsum", "a copy"]
    return row_of(f"sums of the first of {n} numbers, eight at a time", times, peers)


def signal(atl, folder, plain, n=1_000_000):
    x, a = np.random.default_rng(1).standard_normal(n), np.array([0.5, -0.3])
    out, other = np.empty_like(x), np.empty_like(x)
    ours, sequential = (built(atl, "examples/scans.atl", "feedback", s, folder) for s in ("blocks", "none"))
    times = raced({
        "ours": lambda: ours(ctypes.c_int64(n), at(x), at(a), at(out)),
        "ours, one after the other": lambda: sequential(ctypes.c_int64(n), at(x), at(a), at(other)),
        "scipy.signal.lfilter": lambda: lfilter([1.0], [1.0, -a[0], -a[1]], x),
    })
    assert np.allclose(out, other, rtol=0, atol=1e-12), "not the filter one after the other"
    assert np.allclose(out, lfilter([1.0], [1.0, -a[0], -a[1]], x), rtol=0, atol=1e-12), "not SciPy's filter"
    peers = ["ours, one after the other", "scipy.signal.lfilter"]
    return row_of(f"a filter of order 2 along a signal of {n}, eight at a time", times, peers)


def ways(atl, folder, plain, n=1000):
    d = np.random.default_rng(1).integers(1, 1000, (n, n)).astype(float)
    np.fill_diagonal(d, 0)
    out, their = np.empty_like(d), np.empty_like(d)
    kernel = built(atl, "examples/recurrences.atl", "paths", "staged", folder)
    times = raced({
        "ours": lambda: kernel(ctypes.c_int64(n), at(d), at(out)),
        "plain C": lambda: plain.paths(ctypes.c_int64(n), at(d), at(their)),
    }, 5)
    assert np.array_equal(out, their), "not the lengths of plain C"
    return row_of(f"the shortest ways between {n} nodes", times, ["plain C"])


def best_ways(atl, folder, plain, steps=500, states=256):
    rng = np.random.default_rng(1)
    e, a = rng.random((steps + 1, states)), rng.random((states, states))
    out, their = np.empty_like(e), np.empty_like(e)
    kernel = built(atl, "examples/dynamic_programs.atl", "viterbi_scores", "columns", folder)
    sizes = ctypes.c_int64(steps), ctypes.c_int64(states)
    times = raced({
        "ours": lambda: kernel(*sizes, at(e), at(a), at(out)),
        "plain C": lambda: plain.viterbi_scores(*sizes, at(e), at(a), at(their)),
    })
    assert np.array_equal(out, their), "not the scores of plain C"
    return row_of(f"Viterbi's scores, {steps} steps of {states} states", times, ["plain C"])


def parses(atl, folder, plain, n=100, symbols=16):
    rng = np.random.default_rng(1)
    w, rules = (rng.random((n, symbols)) < 0.3).astype(np.uint8), rng.random((symbols,) * 3) < 0.01
    out, their = (np.empty((n, n + 1, symbols), np.uint8) for _ in range(2))
    kernel = built(atl, "examples/dynamic_programs.atl", "cyk", "early", folder)
    sizes = ctypes.c_int64(n), ctypes.c_int64(symbols)
    times = raced({
        "ours": lambda: kernel(*sizes, at(w), at(rules), at(out)),
        "plain C": lambda: plain.cyk(*sizes, at(w), at(rules), at(their)),
    }, 7)
    assert np.array_equal(out, their), "not the table of plain C"
    return row_of(f"CYK of {n} letters and {symbols} symbols", times, ["plain C"])


def gradients(atl, folder, matrix, rounds=300):
    a = scipy.sparse.csr_array(scipy.io.mmread(matrix))
    a.sort_indices()
    n = a.shape[0]
    b, eps, out, their = a @ np.ones(n), np.zeros(1), np.empty(n), np.empty(n)
    pos, crd = a.indptr.astype(np.int64), a.indices.astype(np.int32)
    kernel = built(atl, "examples/solvers.atl", "sparse_gradients", "sums", folder)
    sizes = [ctypes.c_int64(k) for k in (n, rounds, a.nnz)]

    def with_scipy():
        x, r, p, rho = np.zeros(n), b.copy(), b.copy(), b @ b
        for _ in range(rounds):
            if rho <= eps[0]:
                break
            v = a @ p
            alpha = rho / (p @ v)
            x += alpha * p
            r -= alpha * v
            norm = r @ r
            p *= norm / rho
            p += r
            rho = norm
        their[:] = x

    times = raced({
        "ours": lambda: kernel(*sizes, at(pos), at(crd), at(a.data), at(b), at(eps), at(out)),
        "SciPy's kernels": with_scipy,
    }, 7)
    assert np.allclose(out, their, rtol=0, atol=1e-3 * abs(their).max()), "not the solution of SciPy's kernels"
    return row_of(f"{rounds} rounds of conjugate gradients on {Path(matrix).stem}", times, ["SciPy's kernels"])


def heat(atl, folder, plain, n=4000, steps=64):
    u, time = np.random.default_rng(1).random((n, n)), np.zeros(steps)
    out, rows, their, other = (np.empty_like(u) for _ in range(4))
    zeros = np.zeros(n)
    ours, by_rows = (built(atl, "examples/stepping.atl", "plate", s, folder) for s in ("passes", "rows"))
    sizes = [ctypes.c_int64(k) for k in (n, n, steps)]
    times = raced({
        "ours": lambda: ours(*sizes, at(u), at(time), at(out)),
        "ours, a step a pass": lambda: by_rows(*sizes, at(u), at(time), at(rows)),
        "plain C": lambda: plain.plate(*sizes, at(u), at(zeros), at(their), at(other)),
    }, 3)
    assert np.array_equal(out, their) and np.array_equal(rows, their), "not the plate of plain C"
    return row_of(f"{steps} steps of heat in a plate of {n} by {n}", times, ["ours, a step a pass", "plain C"])


def fluid(atl, folder, plain, n=500, steps=20):
    f, omega, time = np.random.default_rng(1).uniform(0.1, 1, (9, n, n)), np.array(0.6), np.zeros(steps)
    out, their, other = (np.empty_like(f) for _ in range(3))
    kernel = built(atl, "examples/stepping.atl", "lattice", "lanes", folder)
    sizes = [ctypes.c_int64(k) for k in (n, n, steps)]
    times = raced({
        "ours": lambda: kernel(*sizes, at(f), at(omega), at(time), at(out)),
        "plain C": lambda: plain.lattice(*sizes, at(f), at(omega), at(their), at(other)),
    }, 7)
    assert np.array_equal(out, their), "not the fluid of plain C"
    return row_of(f"{steps} steps of a fluid on a lattice of {n} by {n}", times, ["plain C"])


RACES = filters, systems, words, right_sides, factors, sums, sums_in_blocks, signal, ways, best_ways, parses, heat, fluid


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/release/atl", help="the command that builds the kernels")
    parser.add_argument("--look", action="store_true", help="write no results")
    parser.add_argument("--only", default="", help="races whose names contain this")
    parser.add_argument("--matrices", type=Path, help="the folder with bcsstk16.mtx")
    args = parser.parse_args()
    atl = str(Path(args.atl).resolve())
    with tempfile.TemporaryDirectory() as folder:
        plain = plain_c("benches/recurrences/plain.c", folder)
        rows = []

        def kept(row):
            rows.append(row)
            print(json.dumps(row), flush=True)

        for race in RACES:
            if args.only in race.__name__:
                kept(race(atl, folder, plain))
        if args.only in gradients.__name__:
            if args.matrices:
                kept(gradients(atl, folder, args.matrices / "bcsstk16.mtx"))
            else:
                print("skipped: conjugate gradients need bcsstk16.mtx (--matrices FOLDER)")
    if not args.look:
        written("recurrences", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
