#!/usr/bin/env python3
"""Runs a kernel of SciPy whenever it is asked to.

    with_scipy.py WHAT FORMAT FOLDER

FOLDER has the entries of a matrix (`shape`, `rows`, `columns`, `values`), perhaps of a second one (`second-shape`, ..), and the dense
factor, as `.npy` files. WHAT is the product with the `factor`, the `square`, of which rows are sorted, the matrix by `columns`, the
`sum` with the second one, or the number of `triangles`. The first line printed is the kernel's name, or `skipped: why`; its result is
then in `result.npy`, or in `pos`, `crd` and `vals` without the zeros that it has. After that each line read runs it once more, and
prints the nanoseconds that this took.
"""

import sys
import time
from pathlib import Path

import numpy as np


def main() -> int:
    what, form, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    try:
        import scipy.sparse
    except ImportError as why:
        print(f"skipped: not installed ({why})", flush=True)
        return 0

    def stored(prefix: str):
        values, rows, columns, shape = (np.load(folder / f"{prefix}{name}.npy") for name in ("values", "rows", "columns", "shape"))
        matrix = scipy.sparse.coo_array((values, (rows, columns)), shape=tuple(shape))
        return matrix.tobsr((4, 4)) if form == "bsr" else matrix.asformat(form)

    matrix = stored("")
    name, run = kernel(what, form, matrix, folder, stored)
    result = run()
    if what in ("factor", "triangles"):
        np.save(folder / "result.npy", np.asarray(result))
    else:
        result.eliminate_zeros()
        for array, kind, file in (result.indptr, "i8", "pos"), (result.indices, "i4", "crd"), (result.data, "f8", "vals"):
            np.save(folder / f"{file}.npy", array.astype(kind))
    print(name, flush=True)
    for _ in sys.stdin:
        start = time.perf_counter_ns()
        run()
        print(time.perf_counter_ns() - start, flush=True)
    return 0


def kernel(what: str, form: str, matrix, folder: Path, stored):
    """Its name, and what runs it."""
    if what == "factor":
        factor = np.load(folder / "factor.npy")
        return f"{form} @ {'matrix' if factor.ndim == 2 else 'vector'}", lambda: matrix @ factor
    if what == "columns":
        return f"{form} to csc", lambda: matrix.tocsc()
    if what == "sum":
        second = stored("second-")
        return f"{form} + {form}", lambda: matrix + second
    if what == "triangles":
        return f"({form} @ itself) * itself, summed", lambda: (matrix @ matrix).multiply(matrix).sum()
    return f"{form} @ itself, sorted", lambda: product(matrix)


def product(matrix):
    result = matrix @ matrix
    result.sort_indices()
    return result


if __name__ == "__main__":
    sys.exit(main())
