"""The functions of `examples/`, each with its meaning in NumPy, inputs, and the sizes to try.

References compute in double precision wherever the result is compared with a tolerance, and in the element type where
it must be equal. Every list of sizes has 0, 1, small primes, and non-multiples of every tile size of the schedules.
"""

from . import complex, dense, halves, integers, iterations, library, one_pass, recurrences, sparse, trades, tuples
from .case import Case, Sizes

__all__ = ["CASES", "Case", "Sizes"]

CASES = complex.CASES + dense.CASES + sparse.CASES + halves.CASES + integers.CASES + iterations.CASES + library.CASES + one_pass.CASES + recurrences.CASES + trades.CASES + tuples.CASES
