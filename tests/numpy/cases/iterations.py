"""Functions that run in rounds."""

import numpy as np

from .case import Case, doubles

RODS = [{"N": n, "T": t, "M": m} for n, t, m in [(0, 3, 1), (1, 0, 4), (3, 1, 0), (5, 2, 7), (17, 5, 3), (70, 12, 2)]]


def rounds(step, *states, times):
    for t in range(times):
        states = step(t, *states)
    return states


def around(x):
    wide = np.pad(x, 1)
    return wide[:-2], wide[2:]


CASES = [
    Case("recurrences.atl", "horner", doubles(c="N", x="M"), lambda a, _: np.polynomial.polynomial.polyval(a["x"], a["c"]) if a["c"].size else 0 * a["x"],
         RODS, tolerance=1e-9),
    Case("recurrences.atl", "heat", doubles(u="N", time="T"),
         lambda a, s: rounds(lambda t, x: (0.25 * around(x)[0] + 0.5 * x + 0.25 * around(x)[1],), a["u"], times=len(a["time"]))[0],
         RODS, tolerance=1e-12),
    Case("recurrences.atl", "paths", doubles(d="N, N"),
         lambda a, s: rounds(lambda k, x: (np.minimum(x, x[:, [k]] + x[[k], :]),), a["d"], times=len(a["d"]))[0],
         [{"N": n} for n in (0, 1, 3, 4, 7, 19)], tolerance=0),
    Case("recurrences.atl", "wave", doubles(u="N", v="N", time="T"),
         lambda a, s: rounds(lambda t, x, y: (y, 2 * y - x + 0.25 * (around(y)[0] - 2 * y + around(y)[1])), a["u"], a["v"],
                             times=len(a["time"]))[1],
         RODS, tolerance=1e-9),
]
