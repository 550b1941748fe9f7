"""What a case is, inputs, and sizes that several files share."""

from dataclasses import dataclass, field
from itertools import product
from typing import Callable

import numpy as np

Arrays = dict[str, np.ndarray]
Sizes = dict[str, int]


@dataclass(frozen=True)
class Case:
    """A function of a file in `examples/`."""

    file: str
    function: str
    inputs: Callable[[np.random.Generator, Sizes], Arrays]
    reference: Callable[[Arrays, Sizes], np.ndarray]
    sizes: list[Sizes]
    # The sizes that no input determines; they are passed with `--set`.
    set_sizes: tuple[str, ...] = ()
    # The largest difference allowed, relative to the largest entry; 0 demands equality.
    tolerance: float = 1e-5
    # Further sizes, for the schedules that are for certain sizes only: as written, these would take too long.
    promised: list[Sizes] = field(default_factory=list)
    # The type of the result's elements, where it is not that of the first input.
    result: str = ""


def floats(**names: str):
    """Inputs of normally distributed single-precision numbers; a shape is written like `N, M`."""
    def make(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        def extent(name: str) -> int:
            return sizes[name] if name in sizes else int(name)

        return {
            name: rng.standard_normal([extent(e) for e in shape.split(", ")]).astype(np.float32)
            for name, shape in names.items()
        }

    return make


def doubles(**names: str):
    """Inputs as `floats` makes them, of double precision."""
    single = floats(**names)
    return lambda rng, sizes: {name: array.astype(np.float64) for name, array in single(rng, sizes).items()}


def grid(**values: list[int]) -> list[Sizes]:
    """All combinations of the sizes."""
    return [dict(zip(values, combination)) for combination in product(*values.values())]


def pairs(first: str, second: str, *values: tuple[int, int]) -> list[Sizes]:
    """The sizes of a two-dimensional argument."""
    return [{first: a, second: b} for a, b in values]


def valid(name: str, of: str, by: str, *values: tuple[int, int]) -> list[Sizes]:
    """Sizes of a valid convolution of `of` entries by `by`, and how many results there are."""
    return [{of: n, by: r, name: n + 1 - r} for n, r in values]


def both(rows: list[Sizes], columns: list[Sizes]) -> list[Sizes]:
    """Sizes of the rows with those of the columns: every row with a column, every column with a row."""
    count = max(len(rows), len(columns))
    return [rows[i % len(rows)] | columns[i % len(columns)] for i in range(count)]


PICTURES = [(0, 0), (0, 3), (1, 1), (1, 7), (5, 1), (2, 3), (7, 13), (16, 16), (33, 18)]
ROWS = [{"N": n} for n in (0, 1, 2, 7, 15, 16, 17, 53, 4095, 4096, 8213)]
