#!/usr/bin/env python3
"""Times recurrences side by side beside SciPy and plain C, on one thread.

    benches/recurrences/race.py --atl target/release/atl

Ours are the functions of `examples/batches.atl` under `lanes`, the edit distance of `examples/wavefronts.atl` under
`fronts` and two functions of `examples/solvers.atl` under `blocks`; theirs are `scipy.signal.lfilter`, OpenBLAS, and the loops of `plain.c` compiled
with `cc -O3 -march=native -ffp-contract=off`. All run in turn in this process on the same arrays, and a ratio is the median of
those of single rounds: theirs by ours, so more than one is quicker. `--look` only prints; otherwise
`benches/results/recurrences.json` is written.
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
from scipy.linalg import blas, lapack
from scipy.signal import lfilter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import paired
from paired import at, plain_c, row_of, written

ROUNDS = 15


def built(atl, program, function, schedule, folder):
    """Our kernel."""
    return paired.built(atl, program, function, folder, "--schedule", schedule)


def raced(runs):
    return paired.raced(runs, ROUNDS, 2)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/release/atl", help="the command that builds the kernels")
    parser.add_argument("--look", action="store_true", help="write no results")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plain = plain_c("benches/recurrences/plain.c", folder)
        rows = []
        for race in (filters, systems, words, right_sides, factors):
            rows.append(race(str(Path(args.atl).resolve()), folder, plain))
            print(json.dumps(rows[-1]), flush=True)
    if not args.look:
        written("recurrences", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
