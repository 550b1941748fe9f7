#!/usr/bin/env python3
"""Runs a kernel of SciPy whenever it is asked to.

    with_scipy.py FORMAT FOLDER

FOLDER has the entries of a matrix (`shape`, `rows`, `columns`, `values`) and the dense factor, as `.npy` files; without a
factor the matrix is multiplied by itself, and the rows of the product are sorted. The first line printed is the kernel's name,
or `skipped: why`; its result is then in `result.npy`, or in `pos`, `crd` and `vals` without the zeros that it has. After that
each line read runs it once more, and prints the nanoseconds that this took.
"""

import sys
import time
from pathlib import Path

import numpy as np


def main() -> int:
    form, folder = sys.argv[1], Path(sys.argv[2])
    try:
        import scipy.sparse
    except ImportError as why:
        print(f"skipped: not installed ({why})", flush=True)
        return 0
    read = lambda name: np.load(folder / f"{name}.npy")
    rows, columns = read("rows"), read("columns")
    matrix = scipy.sparse.coo_array((read("values"), (rows, columns)), shape=tuple(read("shape")))
    matrix = matrix.tobsr((4, 4)) if form == "bsr" else matrix.asformat(form)
    if (folder / "factor.npy").exists():
        factor = read("factor")
        run = lambda: matrix @ factor
        np.save(folder / "result.npy", run())
        print(f"{form} @ {'matrix' if factor.ndim == 2 else 'vector'}", flush=True)
    else:
        run = lambda: product(matrix)
        result = run()
        result.eliminate_zeros()
        for name, array, kind in ("pos", result.indptr, "i8"), ("crd", result.indices, "i4"), ("vals", result.data, "f8"):
            np.save(folder / f"{name}.npy", array.astype(kind))
        print(f"{form} @ itself, sorted", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter_ns()
        run()
        print(time.perf_counter_ns() - start, flush=True)
    return 0


def product(matrix):
    result = matrix @ matrix
    result.sort_indices()
    return result


if __name__ == "__main__":
    sys.exit(main())
