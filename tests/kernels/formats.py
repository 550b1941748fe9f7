"""The formats that kernels are compared in, and what a schedule does for each.

Widths depend on the operands: a format that has one is a template with `{row}` for the entries of the longest row, or `{all}` for twice
all entries.
"""

import re
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kernels import Entries, Kernel

MATRICES = ["csr", "dcsr", "csc", "dcsc", "coo", "bcsr(2, 2)", "bcsr(4, 4)", "bcsr(8, 8)", "dia", "ell({row})", "hash({all})",
            "[dense, hash({row})]", "bitmask"]
TENSORS = ["csf", "coo", "[dense, compressed, compressed]", "bitmask"]

# The formats that results are stored in.
STORED = ["csr", "dcsr", "csc", "dcsc", *TENSORS[:3]]


def stored(result: str, format: str) -> str:
    """How a result is stored beside operands in this format."""
    if result != "own":
        return result
    return format if format in STORED else "csr" if format in MATRICES[:-1] else "csf"


def title(format: str) -> str:
    """What the table calls it."""
    return re.sub(r"\{\w+\}", "w", format)


@dataclass(frozen=True)
class Widths:
    """What the widths of formats are to be: the entries of the longest row, and twice all entries."""

    row: int
    all: int

    @staticmethod
    def of(operands: dict) -> "Widths":
        """Widths that every sparse operand fits in."""
        sparse = [x for x in operands.values() if not isinstance(x, np.ndarray)]
        counts = [stored_entries(x) for x in sparse]
        rows = [longest_row(x) for x in sparse if sp.issparse(x)]
        return Widths(max([2, *rows]), max([2, *(2 * n for n in counts)]))


def longest_row(x) -> int:
    """The entries of the longest row."""
    return int(np.diff(x.tocsr().indptr).max(initial=0))


def steps(kernel: Kernel, format: str, widths: Widths) -> list[str]:
    """The steps of the schedule: formats, loops that are cut as blocks are, and `sparsify`."""
    sparse = [(name, given) for name, _, given in kernel.operands if given]
    formats = [(name, (format if given == "F" else given).format(row=widths.row, all=widths.all)) for name, given in sparse]
    cuts = dict.fromkeys(cut for (_, stored), loops in zip(formats, kernel.loops) for cut in blocks(stored, loops))
    keep = [f"pattern_of {kernel.kept}"] if kernel.kept else []
    return [f"compress {name} as {stored}" for name, stored in formats] + list(cuts) + ["sparsify", *keep]


def blocks(format: str, loops: str) -> list[str]:
    """The loops over the dimensions of blocks are cut at the blocks."""
    sizes = re.match(r"bcsr\((\d+), (\d+)\)", format)
    return [f"split {loop} by {size}" for loop, size in zip(loops, sizes.groups())] if sizes else []


def stored_elements(format: str, x) -> int:
    """How many values the format stores, about."""
    if isinstance(x, Entries):
        return int(np.prod(x.shape, dtype=float)) if format == "bitmask" else len(x.values)
    n, m = x.shape
    if format == "bitmask":
        return n * m
    if format == "dia":
        x = x.tocoo()
        return len(np.unique(x.col.astype(np.int64) - x.row)) * min(n, m)
    if "{row}" in format:
        return n * longest_row(x)
    return 64 * x.nnz if format.startswith("bcsr") else 2 * x.nnz


def walked(format: str, written: bool, x) -> float:
    """How many steps a walk takes that goes over more than is stored: over all elements, or over all of a table for each row, or
    for each element where the program is run as it is written.
    """
    elements = float(np.prod(x.shape, dtype=float))
    if not format.startswith("hash"):
        return elements
    return 2.0 * stored_entries(x) * (elements if written else x.shape[0])


def stored_entries(x) -> int:
    """How many entries there are."""
    return x.nnz if sp.issparse(x) else len(x.values)
