"""Operands for kernels: random ones of every kind that has an edge, and those made of a matrix of a file.

Random operands hold small whole numbers, so that results are equal or wrong.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from kernels import Entries, Kernel

KINDS = ["general", "empty rows", "full", "one element", "skew", "no entries", "no rows", "no columns", "one by one"]
SIZES = {"N": 11, "M": 13, "K": 9, "I": 5, "J": 6, "L": 7}


def random(kernel: Kernel, kind: str, seed: int) -> dict:
    """Operands by name; tensors without a format are arrays, sparse matrices SciPy's, and others entries."""
    rng = np.random.default_rng(seed)
    sizes = {name: int(n - rng.integers(0, 3)) for name, n in SIZES.items()}
    first, second = next((dims[0], dims[-1]) for _, dims, format in kernel.operands if format == "F")
    if kind == "one by one":
        sizes = dict.fromkeys(sizes, 1)
    sizes |= {first: 0} if kind == "no rows" else {second: 0} if kind == "no columns" else {}
    made = {}
    for name, dims, format in kernel.operands:
        shape = tuple(sizes[d] for d in dims)
        made[name] = sparse(rng, shape, kind) if format else rng.integers(-3, 4, shape).astype(float)
    return made


def sparse(rng, shape: tuple[int, ...], kind: str):
    """A random sparse tensor of a kind; some stored elements are zero."""
    share = {"full": 1.0, "no entries": 0.0, "one element": 0.0, "one by one": 1.0}.get(kind, 0.3)
    taken = rng.random(shape) < share
    if taken.size:
        if kind == "one element":
            taken[tuple(rng.integers(0, n) for n in shape)] = True
        if kind == "empty rows":
            taken[::2] = False
        if kind == "skew":
            taken &= rng.random(shape) < 0.2
            taken[rng.integers(0, shape[0])] = True
            taken[..., rng.integers(0, shape[-1])] = True
    at = np.nonzero(taken)
    values = rng.choice([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0], len(at[0]))
    return sp.coo_array((values, at), shape=shape) if len(shape) == 2 else Entries(shape, at, values)


def matrices(folder: Path) -> Iterator[tuple[str, sp.csr_array]]:
    """The matrices of a folder."""
    for path in sorted(folder.glob("*.mtx")):
        matrix = sp.csr_array(scipy.io.mmread(path)).astype(float)
        matrix.sum_duplicates()
        yield path.stem, matrix


def of_matrix(kernel: Kernel, matrix: sp.csr_array) -> dict:
    """Operands made of a matrix: it is the first sparse one, and the others are it, turned or moved along.

    A tensor of rank 3 has its rows, and its columns cut into 8 pieces; rank 1 has every third element.
    """
    rng = np.random.default_rng(0)
    sizes, made = {"K": 8, "J": 4}, {}
    for name, dims, format in kernel.operands:
        if format and len(dims) == 2 and kernel.rank == 2:
            x = matrix
            if len(set(dims)) < 2:
                n = min(x.shape)
                x = x[:n, :n]
            elif made and dims != kernel.operands[0][1]:
                x = x.T
            elif made:
                x = x[:, np.roll(np.arange(x.shape[1]), 1)]
            made[name] = x.tocoo()
        elif format and len(dims) == 3:
            made[name] = cut(matrix, moved=len(made))
        else:
            shape = tuple(sizes[d] for d in dims)
            made[name] = factor(rng, shape, format)
        sizes |= dict(zip(dims, made[name].shape))
    return made


def factor(rng, shape: tuple[int, ...], format: str | None):
    """A dense operand, or a sparse one with a third of its elements."""
    dense = rng.standard_normal(shape)
    if not format:
        return dense
    at = np.nonzero(rng.random(shape) < 1 / 3)
    return sp.coo_array((dense[at], at), shape=shape) if len(shape) == 2 else Entries(shape, at, dense[at])


def cut(matrix: sp.csr_array, moved: int) -> Entries:
    """A matrix whose columns are cut into pieces, as a tensor of rank 3."""
    x = matrix.tocoo()
    width = -(-matrix.shape[1] // 8)
    columns = ((x.col + moved) % matrix.shape[1]).astype(np.int64)
    return Entries((matrix.shape[0], 8, width), (x.row.astype(np.int64), columns // width, columns % width), x.data)
