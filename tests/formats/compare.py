#!/usr/bin/env python3
"""Compares the arrays of sparse formats with SciPy's, where SciPy has the format.

Matrices are random, and of every kind that has an edge: without rows, columns or entries, full, with one entry, with empty rows, with
one full row. The example `arrays` of the crate `formats` packs them, all in one run.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

try:
    import numpy as np
    import scipy.sparse as sp
    from scipy.io import mmread
except ImportError:
    print("skipped: SciPy is not installed (./test installs it)")
    sys.exit(0)

ROOT = Path(__file__).resolve().parents[2]
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A matrix, a format, and the arrays that SciPy has for it."""

    format: str
    entries: sp.coo_array
    expected: Arrays

    def text(self) -> str:
        """What `arrays` reads."""
        lines = [self.format, " ".join(map(str, self.entries.shape))]
        lines += [" ".join(map(str, coords)) for coords in self.entries.coords]
        return "\n".join([*lines, " ".join(map(repr, self.entries.data.tolist()))]) + "\n"


def matrices(count: int) -> list[sp.coo_array]:
    """Small matrices; zeros are not stored."""
    random = np.random.default_rng(1)
    made = []
    for at in range(count):
        n, m = random.integers(1, 12, 2)
        share = [0.0, 0.1, 0.3, 1.0][at % 4]
        matrix = random.choice([-1.5, 0.25, 1e-300, 7.0], (n, m)) * (random.random((n, m)) < share)
        if at % 5 == 0:
            matrix[random.integers(n)] = 3.0
        if at % 7 == 0:
            matrix[::2] = 0.0
        if at % 11 == 0:
            matrix[:] = 0.0
            matrix[-1, random.integers(m)] = 1.0
        made.append(sp.coo_array(matrix))
    return made


def cases(matrix: sp.coo_array) -> list[Case]:
    """The formats that SciPy has."""
    found = []

    def case(name: str, expected: Arrays, of: sp.coo_array = matrix) -> None:
        found.append(Case(name, of, expected))

    n, m = matrix.shape
    csr, csc = matrix.tocsr(), matrix.tocsc()
    coo = csr.tocoo()
    case("csr", {"1.pos": csr.indptr, "1.crd": csr.indices, "values": csr.data})
    case("csc", {"1.pos": csc.indptr, "1.crd": csc.indices, "values": csc.data})
    rows, columns = coo.coords
    case("coo", {"0.pos": [0, coo.nnz], "0.crd0": rows, "0.crd1": columns, "values": coo.data})
    for k1, k2 in [(1, 1), (2, 2), (4, 4), (3, 2)]:
        padded = sp.coo_array((coo.data, coo.coords), shape=(n + -n % k1, m + -m % k2))
        bsr = sp.bsr_array(padded, blocksize=(k1, k2))
        bsr.sort_indices()
        arrays = {"1.pos": bsr.indptr, "1.crd": bsr.indices, "values": bsr.data.ravel()}
        case(f"bcsr({k1}, {k2})", arrays)
        case(f"bcsr({k1}, {k2})", arrays, padded)
    if len(np.unique(columns - rows)) * min(n, m) < 10_000_000:
        case("dia", diagonals(matrix))
    return found


def diagonals(matrix: sp.coo_array) -> Arrays:
    """SciPy's diagonals; its rows are by columns of the matrix, ours by the place on the diagonal."""
    n, m = matrix.shape
    dia = sp.dia_array(matrix)
    values = np.zeros((len(dia.offsets), min(n, m)))
    for at, offset in enumerate(dia.offsets):
        columns = np.arange(max(0, offset), min(m, n + offset, dia.data.shape[1]))
        values[at, np.minimum(columns - offset, columns)] = dia.data[at, columns]
    return {"0.pos": [0, len(dia.offsets)], "0.crd": dia.offsets, "values": values.ravel()}


def read(output: str) -> list[Arrays]:
    """What `arrays` printed, tensor by tensor; each ends with its values."""
    found, arrays = [], {}
    for line in output.splitlines():
        name, *words = line.split(" ")
        if name == "refused":
            sys.exit(line)
        arrays[name] = np.array([float(word) for word in words if word])
        if name == "values":
            found.append(arrays)
            arrays = {}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arrays", default="target/debug/examples/arrays", help="the example, compiled")
    parser.add_argument("--count", type=int, default=400, help="how many random matrices")
    parser.add_argument("--matrices", type=Path, help="a folder of .mtx files to compare instead")
    options = parser.parse_args()
    if options.matrices:
        for file in sorted(options.matrices.glob("*.mtx")):
            print(f"{file.name}: ", end="", flush=True)
            matrix = sp.coo_array(mmread(file)).astype(float)
            matrix.sum_duplicates()
            compare(options.arrays, cases(matrix))
    else:
        compare(options.arrays, [case for matrix in matrices(options.count) for case in cases(matrix)])


def compare(program: str, all_cases: list[Case]) -> None:
    """Packs all cases in one run, and compares."""
    text = "".join(case.text() for case in all_cases)
    run = subprocess.run([str(ROOT / program)], input=text, capture_output=True, text=True, check=True)
    found = read(run.stdout)
    if len(found) != len(all_cases):
        sys.exit(f"{len(all_cases)} tensors, but {len(found)} answers")
    for case, arrays in zip(all_cases, found):
        if arrays.keys() != case.expected.keys():
            sys.exit(f"{case.format}: arrays {list(arrays)}, expected {list(case.expected)}")
        for name, expected in case.expected.items():
            if not np.array_equal(arrays[name], np.asarray(expected, dtype=float)):
                sys.exit(f"{case.format} of\n{case.entries}\n{name} is {arrays[name]}, SciPy has {expected}")
    print(f"{len(all_cases)} tensors have SciPy's arrays")


if __name__ == "__main__":
    main()
