"""The recurrences of `examples/`, with SciPy's and NumPy's algorithms for them, or plain recursion where these have none."""

import itertools
import math
from functools import cache

import numpy as np
import scipy.linalg
import scipy.signal
import scipy.sparse.csgraph

from .case import Arrays, Case, Sizes, doubles

LENGTHS = [{"N": n} for n in (0, 1, 2, 3, 7, 53)]
BOARDS = [dict(zip("NM", n)) for n in [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (7, 3), (13, 17)]]

TABLES = [dict(zip("NM", n)) for n in itertools.product((0, 1, 2, 3, 7), repeat=2)] + [{"N": 17, "M": 29}, {"N": 67, "M": 5}]


def with_numbers(low: int, high: int, **names: str):
    """Inputs of whole numbers from `low` to `high - 1`."""
    def make(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        return {name: rng.integers(low, high, [sizes[e] for e in shape.split(", ")]) for name, shape in names.items()}

    return make


def filtered(a: Arrays, _: Sizes) -> np.ndarray:
    return scipy.signal.lfilter([1], [1, -0.5, 0.3], a["x"]) if a["x"].size else a["x"]


def forth(rows: np.ndarray) -> np.ndarray:
    out = rows.copy()
    for x in range(1, rows.shape[1]):
        out[:, x] = 0.4 * rows[:, x] + 0.6 * out[:, x - 1]
    return out


def segments(rng: np.random.Generator, s: Sizes) -> Arrays:
    return {"v": rng.integers(0, 5, s["N"]), "begins": rng.random(s["N"]) < 0.3}


def segmented_argmax(a: Arrays, _: Sizes) -> np.ndarray:
    def begin(i: int) -> int:
        return max([j for j in range(i + 1) if a["begins"][j]], default=0)

    n = len(a["v"])
    return np.array([begin(i) + int(np.argmax(a["v"][begin(i):i + 1])) for i in range(n)], np.int64)


def measurements(rng: np.random.Generator, s: Sizes) -> Arrays:
    return {"z": rng.standard_normal(s["N"]), "q": np.array(0.01), "r": np.array(0.5)}


def kalman(a: Arrays, _: Sizes) -> np.ndarray:
    """The estimate is the mean of the posterior: least squares over all levels so far."""
    z, q, r = a["z"], float(a["q"]), float(a["r"])
    out = np.zeros(len(z))
    for n in range(1, len(z) + 1):
        # The level before the first measurement has variance 1 and drifts before each.
        prior = np.array([[1 + q * (min(i, j) + 1) for j in range(n)] for i in range(n)])
        out[n - 1] = (prior @ np.linalg.solve(prior + r * np.eye(n), z[:n]))[-1]
    return out


def edit_distance(a: Arrays, _: Sizes) -> np.ndarray:
    x, y = a["a"], a["b"]

    @cache
    def d(i: int, j: int) -> int:
        if i * j == 0:
            return i + j
        return min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + int(x[i - 1] != y[j - 1]))

    return np.array([[d(i, j) for j in range(len(y) + 1)] for i in range(len(x) + 1)])


def small_numbers(low: int, high: int, **names: str):
    """Inputs of whole numbers of 32 bits."""
    made = with_numbers(low, high, **names)
    return lambda rng, sizes: {name: x.astype(np.int32) for name, x in made(rng, sizes).items()}


def swept(a: Arrays, _: Sizes) -> np.ndarray:
    n, m = a["u"].shape
    v = np.pad(a["u"], 1)
    for i, j in np.ndindex(n, m):
        v[i + 1, j + 1] = 0.25 * (v[i, j + 1] + v[i + 1, j] + v[i + 2, j + 1] + v[i + 1, j + 2] - a["f"][i, j])
    return v[1:-1, 1:-1]


def swept_line(a: Arrays, _: Sizes) -> np.ndarray:
    rows = [a["u"]]
    for f in a["f"]:
        old = np.append(rows[-1], 0)
        row = np.zeros(len(old))
        for i in range(len(old) - 1):
            row[i] = f + 0.5 * (row[i - 1] + old[i + 1])
        rows.append(row[:-1])
    return np.array(rows)


def local_alignment(a: Arrays, _: Sizes) -> np.ndarray:
    x, y = a["a"], a["b"]
    h = np.zeros((len(x) + 1, len(y) + 1), np.int64)
    for i, j in itertools.product(range(len(x)), range(len(y))):
        h[i + 1, j + 1] = max(0, h[i, j] + (3 if x[i] == y[j] else -3), h[i, j + 1] - 2, h[i + 1, j] - 2)
    return h[1:, 1:]


def items(rng: np.random.Generator, s: Sizes) -> Arrays:
    n, room = s["N"], np.zeros(s["C"], np.int64)
    return {"w": rng.integers(1, 4, n), "v": rng.integers(1, 9, n), "room": room}


def knapsack(a: Arrays, s: Sizes) -> np.ndarray:
    sets = [list(q) for k in range(len(a["w"]) + 1) for q in itertools.combinations(range(len(a["w"])), k)]
    best = [max(int(a["v"][q].sum()) for q in sets if a["w"][q].sum() <= c) for c in range(s["C"])]
    return np.array(best, np.int64)


def grammar(rng: np.random.Generator, s: Sizes) -> Arrays:
    return {"w": (rng.random((s["N"], s["K"])) < 0.5).astype(np.uint8), "r": rng.random((s["K"],) * 3) < 0.3}


def cyk(a: Arrays, s: Sizes) -> np.ndarray:
    @cache
    def derives(i: int, j: int) -> frozenset[int]:
        if j == i + 1:
            return frozenset(np.flatnonzero(a["w"][i]))
        parts = [(d, f) for m in range(i + 1, j) for d in derives(i, m) for f in derives(m, j)]
        return frozenset(c for c in range(s["K"]) if any(a["r"][c, d, f] for d, f in parts))

    out = np.zeros((s["N"], s["N"] + 1, s["K"]), np.uint8)
    for i, j in itertools.combinations(range(s["N"] + 1), 2):
        out[i, j, list(derives(i, j))] = 1
    return out


def chain(rng: np.random.Generator, s: Sizes) -> Arrays:
    return {"e": rng.random((s["T"] + 1, s["S"])), "a": rng.random((s["S"], s["S"]))}


def score(a: Arrays, way: tuple[int, ...]) -> float:
    return sum(a["e"][t, s] for t, s in enumerate(way)) + sum(a["a"][r, s] for r, s in itertools.pairwise(way))


def ways(s: Sizes, length: int):
    return itertools.product(range(s["S"]), repeat=length)


def viterbi_scores(a: Arrays, s: Sizes) -> np.ndarray:
    def best(t: int, state: int) -> float:
        return max(score(a, (*way, state)) for way in ways(s, t))

    return np.array([[best(t, state) for state in range(s["S"])] for t in range(s["T"] + 1)])


def viterbi(a: Arrays, s: Sizes) -> np.ndarray:
    return np.array(max(ways(s, s["T"] + 1), key=lambda way: score(a, way))[::-1], np.int32)


def model(rng: np.random.Generator, s: Sizes) -> Arrays:
    return {"e": rng.random((s["T"], s["S"])), "a": rng.random((s["S"], s["S"])), "begin": rng.random(s["S"])}


def forward(a: Arrays, s: Sizes) -> np.ndarray:
    def weight(way: tuple[int, ...]) -> float:
        seen = math.prod(a["e"][t, state] for t, state in enumerate(way))
        return a["begin"][way[0]] * seen * math.prod(a["a"][r, q] for r, q in itertools.pairwise(way))

    def at(t: int, state: int) -> float:
        return sum(weight((*way, state)) for way in ways(s, t))

    return np.array([[at(t, q) for q in range(s["S"])] for t in range(s["T"])]).reshape(s["T"], s["S"])


CHAINS = [dict(zip("TS", n)) for n in [(0, 1), (0, 3), (1, 1), (1, 2), (3, 2), (5, 3)]]


def posterior(a: Arrays, s: Sizes) -> np.ndarray:
    out = np.zeros((s["T"], s["S"]))
    for way in ways(s, s["T"]) if s["T"] else []:
        moves = math.prod(a["a"][r, q] for r, q in itertools.pairwise(way))
        weight = a["begin"][way[0]] * moves * math.prod(a["e"][t, q] for t, q in enumerate(way))
        out[np.arange(s["T"]), list(way)] += weight
    return out / out.sum(1, keepdims=True)


def affine_alignment(a: Arrays, _: Sizes) -> np.ndarray:
    """The scores at all by parts with gaps of every length; with a gap they follow."""
    x, y = a["a"], a["b"]
    n, m = len(x), len(y)
    best, out = np.zeros((n + 1, m + 1), int), np.zeros((n, m, 3), int)
    for i, j in itertools.product(range(1, n + 1), range(1, m + 1)):
        down = max([best[i - k, j] - 3 - k for k in range(1, i + 1)] + [-1000 - i])
        right = max([best[i, j - k] - 3 - k for k in range(1, j + 1)] + [-1000 - j])
        best[i, j] = max(0, best[i - 1, j - 1] + (3 if x[i - 1] == y[j - 1] else -3), down, right)
        out[i - 1, j - 1] = down, right, best[i, j]
    return out


def means(a: Arrays, s: Sizes) -> np.ndarray:
    x, r = a["x"], s["r"]
    windows = {(i, j): x[max(i - r, 0):i + r + 1, max(j - r, 0):j + r + 1] for i, j in np.ndindex(x.shape)}
    return np.array([w.mean() for w in windows.values()]).reshape(x.shape)


def in_colours(a: Arrays, _: Sizes) -> np.ndarray:
    v, colour = a["u"], np.indices(a["u"].shape).sum(0) % 2
    for _ in a["sweeps"]:
        for c in range(2):
            w = np.pad(v, 1)
            v = np.where(colour == c, 0.25 * (w[:-2, 1:-1] + w[2:, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:] - a["f"]), v)
    return v


def pivoted(a: Arrays, _: Sizes) -> tuple[np.ndarray, np.ndarray]:
    n = len(a["a"])
    factors, swaps = scipy.linalg.lu_factor(a["a"]) if n else (a["a"], [])
    rows = np.arange(n)
    for k, p in enumerate(swaps):
        rows[[k, p]] = rows[[p, k]]
    return factors, rows


def second_difference(n: int) -> np.ndarray:
    return 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)


def relaxed_line(u: np.ndarray, f: np.ndarray, square: float, sweeps: int) -> np.ndarray:
    for _ in range(sweeps):
        u = u + (square * f - second_difference(len(u)) @ u) / 3
    return u


def halved(n: int) -> np.ndarray:
    """The matrix that takes `2 n + 1` numbers to `n`; twice its transpose takes them back."""
    out = np.zeros((n, 2 * n + 1))
    for i in range(n):
        out[i, 2 * i:2 * i + 3] = 0.25, 0.5, 0.25
    return out


def restricted(u: np.ndarray, f: np.ndarray, square: float) -> np.ndarray:
    return halved(len(u) // 2) @ (f - second_difference(len(u)) @ u / square)


def cycle(u: np.ndarray, f: np.ndarray, square: float, depth: int) -> np.ndarray:
    if depth == 0:
        return relaxed_line(u, f, square, 50)
    v = relaxed_line(u, f, square, 3)
    coarse = restricted(v, f, square)
    v = v + 2 * halved(len(coarse)).T @ cycle(0 * coarse, coarse, 4 * square, depth - 1)
    return relaxed_line(v, f, square, 3)


def line(*names: str, factor: int, more: int, **numbers: float):
    """Tensors of `factor * N + more` numbers, and numbers."""
    def make(rng: np.random.Generator, s: Sizes) -> Arrays:
        return {n: rng.standard_normal(factor * s["N"] + more) for n in names} | {n: np.array(x) for n, x in numbers.items()}

    return make


def triangle(rng: np.random.Generator, s: Sizes) -> Arrays:
    n = s["N"]
    return {"l": np.tril(rng.random((n, n))) + 3 * np.eye(n), "b": rng.random(n)}


def diagonals(rng: np.random.Generator, s: Sizes) -> Arrays:
    n = s["N"]
    return {"a": rng.random(n), "b": 4 + rng.random(n), "c": rng.random(n), "d": rng.random(n)}


def tridiagonal(a: Arrays, _: Sizes) -> np.ndarray:
    if not a["b"].size:
        return a["b"]
    return np.linalg.solve(np.diag(a["b"]) + np.diag(a["a"][1:], -1) + np.diag(a["c"][:-1], 1), a["d"])


def many_diagonals(rng: np.random.Generator, s: Sizes) -> Arrays:
    shape = (s["N"], s["S"])
    return {"a": rng.random(shape), "b": 4 + rng.random(shape), "c": rng.random(shape), "d": rng.random(shape)}


def tridiagonals(a: Arrays, s: Sizes) -> np.ndarray:
    columns = [tridiagonal({name: x[:, k] for name, x in a.items()}, s) for k in range(s["S"])]
    return np.array(columns).reshape(s["S"], s["N"]).T


def rows(rng: np.random.Generator, s: Sizes) -> Arrays:
    b, a = np.array([0.2, 0.3, 0.1]), np.array([1, -0.5, 0.3])
    return {"x": rng.standard_normal((s["R"], s["C"])), "b": b, "a": a}


def filtered_rows(a: Arrays, _: Sizes) -> np.ndarray:
    return scipy.signal.lfilter(a["b"], a["a"], a["x"]) if a["x"].size else a["x"]


def positive(rng: np.random.Generator, s: Sizes) -> Arrays:
    m = rng.random((s["N"], s["N"]))
    return {"a": m @ m.T + s["N"] * np.eye(s["N"])}


def system(rng: np.random.Generator, s: Sizes) -> Arrays:
    return positive(rng, s) | {"b": rng.random(s["N"]), "eps": np.array(1e-24)}


def banded(rng: np.random.Generator, s: Sizes) -> Arrays:
    """A symmetric matrix with at most 13 entries in a row, and the diagonal the largest."""
    n = s["N"]
    beside = sum((np.diag(rng.random(max(n - k, 0)), k) for k in range(1, min(n, 7))), np.zeros((n, n)))
    a = beside + beside.T
    return {"A": np.diag(1 + a.sum(1)) - a, "b": rng.random(n), "eps": np.array(1e-24)}


def dominant(rng: np.random.Generator, s: Sizes) -> Arrays:
    n = s["N"]
    return {"a": rng.random((n, n)) + 2 * n * np.eye(n), "b": rng.random(n), "sweeps": np.zeros(4)}


def lu(a: Arrays, _: Sizes) -> np.ndarray:
    """The factors that multiply to the matrix are unique, so SciPy's are these where it exchanges no rows."""
    if not a["a"].size:
        return a["a"]
    factors, rows = scipy.linalg.lu_factor(a["a"])
    assert (rows == np.arange(len(rows))).all()
    return factors


def strong(rng: np.random.Generator, s: Sizes) -> Arrays:
    return {"a": rng.random((s["N"], s["N"])) + 2 * s["N"] * np.eye(s["N"])}


def gauss_seidel(a: Arrays, s: Sizes) -> np.ndarray:
    x = np.zeros(s["N"])
    for _ in a["sweeps"]:
        x = np.linalg.solve(np.tril(a["a"]), a["b"] - np.triu(a["a"], 1) @ x) if s["N"] else x
    return x


def roads(rng: np.random.Generator, s: Sizes) -> Arrays:
    n = s["V"]
    w = np.where(rng.random((n, n)) < 0.4, rng.integers(1, 9, (n, n)), np.inf).astype(float)
    start = np.full(n, np.inf)
    start[:1] = 0
    return {"w": w, "start": start}


def shortest_ways(a: Arrays, _: Sizes) -> np.ndarray:
    w = np.where(np.isinf(a["w"]), 0, a["w"])
    return scipy.sparse.csgraph.bellman_ford(w, indices=0) if len(w) else a["start"]


def motion(rng: np.random.Generator, s: Sizes) -> Arrays:
    n = s["N"]
    return {"y0": rng.random(n), "a": rng.random((n, n)) / max(n, 1), "dt": np.array(0.01), "time": np.zeros(s["T"])}


def moved(a: Arrays, s: Sizes) -> np.ndarray:
    return scipy.linalg.expm(a["a"] * (0.01 * s["T"])) @ a["y0"] if s["N"] else a["y0"]


def recurrent(a: Arrays, s: Sizes) -> np.ndarray:
    h, out = np.zeros(s["H"]), np.zeros((s["T"], s["H"]))
    for t, x in enumerate(a["x"]):
        h = out[t] = np.tanh(a["b"] + a["w"] @ h + a["u"] @ x)
    return out


def points(rng: np.random.Generator, s: Sizes) -> Arrays:
    x = rng.random((s["N"], s["D"]))
    return {"x": x, "start": rng.random((s["K"], s["D"])), "time": np.zeros(s["T"])}


def k_means(a: Arrays, s: Sizes) -> np.ndarray:
    c = a["start"].copy()
    for _ in a["time"]:
        near = ((a["x"][:, None] - c) ** 2).sum(-1).argmin(1) if s["N"] else np.zeros(0, int)
        c = np.array([a["x"][near == k].mean(0) if (near == k).any() else c[k] for k in range(s["K"])]).reshape(c.shape)
    return c


def plate(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["u"]
    for _ in a["time"]:
        wide = np.pad(x, 1)
        x = 0.5 * x + 0.125 * (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:])
    return x


# The velocities of a lattice, down and to the right, and their weights.
DIRECTIONS = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]
WEIGHTS = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


def fluid(rng: np.random.Generator, s: Sizes) -> Arrays:
    return {"f": rng.uniform(0.1, 1, (9, s["H"], s["W"])), "omega": np.array(0.6), "time": np.zeros(s["T"])}


def lattice(a: Arrays, _: Sizes) -> np.ndarray:
    f, velocities = a["f"], np.array(DIRECTIONS, float)
    for _ in a["time"]:
        f = np.stack([np.roll(x, d, (0, 1)) for x, d in zip(f, DIRECTIONS)])
        rho = f.sum(0)
        u = np.tensordot(velocities.T, f, 1) / rho
        along = np.tensordot(velocities, u, 1)
        equal = WEIGHTS[:, None, None] * rho * (1 + 3 * along + 4.5 * along**2 - 1.5 * (u**2).sum(0))
        f = f + a["omega"] * (equal - f)
    assert np.isclose(f.sum(), a["f"].sum()), "mass is not conserved"
    return f


def collision(rng: np.random.Generator, _: Sizes) -> Arrays:
    return {name: rng.random(()) for name in ("f", "w", "rho", "along", "squares", "omega")}


def relaxed(a: Arrays, _: Sizes) -> np.ndarray:
    equal = a["w"] * a["rho"] * (1 + 3 * a["along"] + 4.5 * a["along"] ** 2 - 1.5 * a["squares"])
    return np.asarray(a["f"] + a["omega"] * (equal - a["f"]))


CASES = [
    Case("scans.atl", "prefix_sums", doubles(x="N"), lambda a, _: np.cumsum(a["x"]), [*LENGTHS, {"N": 300}], tolerance=1e-12),
    Case("scans.atl", "sums_before", doubles(x="N"), lambda a, _: np.cumsum(a["x"]) - a["x"], LENGTHS, tolerance=1e-12),
    Case("scans.atl", "peaks", doubles(x="N"), lambda a, _: np.maximum.accumulate(a["x"]), LENGTHS, tolerance=0),
    Case("scans.atl", "resonator", doubles(x="N"), filtered, LENGTHS, tolerance=1e-12),
    Case("scans.atl", "feedback", lambda rng, s: {"x": rng.standard_normal(s["N"]), "a": np.array([0.5, -0.3])}, filtered,
         [*LENGTHS, {"N": 150}], tolerance=1e-12),
    Case("scans.atl", "smooth", doubles(img="H, W"), lambda a, _: forth(forth(a["img"])[:, ::-1])[:, ::-1],
         [dict(zip("HW", n)) for n in [(0, 3), (1, 1), (3, 7), (5, 17)]], tolerance=1e-12),
    Case("scans.atl", "chebyshev", lambda rng, s: {"x": rng.uniform(-1, 1, s["M"]), "orders": np.zeros(s["N"])},
         lambda a, s: np.polynomial.chebyshev.chebvander(a["x"], max(s["N"] - 1, 0)).T[:s["N"]], BOARDS, tolerance=1e-12),
    Case("scans.atl", "summed_area", doubles(x="N, M"), lambda a, _: a["x"].cumsum(0).cumsum(1), BOARDS, tolerance=1e-12),
    Case("scans.atl", "segmented_argmax", segments, segmented_argmax, LENGTHS, tolerance=0),
    Case("scans.atl", "kalman", measurements, kalman, LENGTHS, tolerance=1e-9),
    Case("dynamic_programs.atl", "edit_distance", with_numbers(0, 3, a="N", b="M"), edit_distance, BOARDS, tolerance=0),
    Case("dynamic_programs.atl", "local_alignment", with_numbers(0, 3, a="N", b="M"), local_alignment, BOARDS, tolerance=0),
    Case("dynamic_programs.atl", "knapsack", items, knapsack,
         [dict(zip("NC", n)) for n in [(0, 1), (1, 1), (1, 3), (5, 7), (7, 13)]], tolerance=0),
    Case("dynamic_programs.atl", "cyk", grammar, cyk, [dict(zip("NK", n)) for n in [(0, 1), (1, 3), (2, 3), (3, 1), (7, 3)]],
         tolerance=0),
    Case("dynamic_programs.atl", "viterbi_scores", chain, viterbi_scores, CHAINS, tolerance=1e-12),
    Case("dynamic_programs.atl", "viterbi", chain, viterbi, CHAINS, tolerance=0, result="i4"),
    Case("dynamic_programs.atl", "forward", model, forward, CHAINS, tolerance=1e-12),
    Case("batches.atl", "filter_rows", rows, filtered_rows,
         [dict(zip("RC", n)) for n in [(0, 0), (0, 5), (3, 0), (1, 1), (7, 2), (8, 3), (9, 1), (17, 13)]], tolerance=0),
    Case("batches.atl", "tridiagonals", many_diagonals, tridiagonals,
         [dict(zip("NS", n)) for n in [(0, 0), (0, 5), (3, 0), (1, 1), (2, 7), (5, 128), (3, 131), (1, 257)]], tolerance=1e-9),
    Case("batches.atl", "polynomial", lambda rng, s: {"c": rng.standard_normal(10), "x": rng.standard_normal(s["M"])},
         lambda a, _: np.polynomial.polynomial.polyval(a["x"], a["c"]), [{"M": n} for n in (0, 1, 2, 3, 7, 8, 53)], tolerance=1e-12),
    Case("wavefronts.atl", "edit_distance", small_numbers(0, 3, a="N", b="M"),
         lambda a, s: edit_distance(a, s)[-1, -1].astype(np.int32), TABLES, tolerance=0),
    Case("wavefronts.atl", "local_alignment", small_numbers(0, 3, a="N", b="M"),
         lambda a, s: local_alignment(a, s).astype(np.int32), TABLES, tolerance=0),
    Case("wavefronts.atl", "sweep", doubles(u="N, M", f="N, M"), swept, TABLES, tolerance=1e-12),
    Case("wavefronts.atl", "sweeps", doubles(u="N", f="T"), swept_line, [{"N": s["N"], "T": s["M"]} for s in TABLES],
         tolerance=1e-12),
    Case("solvers.atl", "triangular", triangle,
         lambda a, _: scipy.linalg.solve_triangular(a["l"], a["b"], lower=True) if a["b"].size else a["b"], LENGTHS,
         tolerance=1e-9),
    Case("solvers.atl", "sparse_triangular",
         lambda rng, s: {"L": np.tril(banded(rng, s)["A"]), "d": 3 + rng.random(s["N"]), "b": rng.random(s["N"])},
         lambda a, _: scipy.linalg.solve_triangular(np.tril(a["L"], -1) + np.diag(a["d"]), a["b"], lower=True) if a["b"].size else a["b"],
         [{"N": n} for n in (0, 1, 7, 23)], tolerance=1e-9),
    Case("solvers.atl", "triangular_columns", lambda rng, s: {**triangle(rng, s), "b": rng.random((s["N"], s["R"]))},
         lambda a, _: scipy.linalg.solve_triangular(a["l"], a["b"], lower=True) if a["b"].size else a["b"],
         [dict(zip("NR", n)) for n in [(0, 3), (3, 0), (1, 1), (7, 2), (40, 25), (83, 7)]], tolerance=1e-9),
    Case("solvers.atl", "tridiagonal", diagonals, tridiagonal, LENGTHS, tolerance=1e-9),
    Case("solvers.atl", "cholesky", positive, lambda a, _: np.linalg.cholesky(a["a"]) if a["a"].size else a["a"],
         [{"N": n} for n in (0, 1, 2, 3, 7, 13)], tolerance=1e-9),
    Case("solvers.atl", "upper_factor", positive, lambda a, _: np.linalg.cholesky(a["a"]).T if a["a"].size else a["a"],
         [{"N": n} for n in (0, 1, 2, 3, 7, 40, 83)], tolerance=1e-9),
    Case("solvers.atl", "lu", strong, lu, [{"N": n} for n in (0, 1, 2, 3, 7, 13)], tolerance=1e-9),
    Case("solvers.atl", "gauss_seidel", dominant, gauss_seidel, [{"N": n} for n in (0, 1, 2, 3, 7, 13)], tolerance=1e-9),
    Case("solvers.atl", "conjugate_gradients", system,
         lambda a, _: np.linalg.solve(a["a"], a["b"]) if a["b"].size else a["b"], [{"N": n} for n in (0, 1, 2, 3, 7, 13)],
         tolerance=1e-9),
    Case("solvers.atl", "sparse_gradients", banded,
         lambda a, _: np.linalg.solve(a["A"], a["b"]) if a["b"].size else a["b"],
         [{"N": n, "rounds": 200} for n in (0, 1, 2, 3, 7, 23)], ("rounds",), tolerance=1e-9),
    Case("solvers.atl", "shortest_ways", roads, shortest_ways, [{"V": n} for n in (0, 1, 2, 3, 7, 13)], tolerance=0),
    Case("stepping.atl", "runge_kutta", motion, moved, [dict(zip("NT", n)) for n in [(0, 1), (1, 0), (1, 7), (3, 5), (7, 20)]],
         tolerance=1e-9),
    Case("stepping.atl", "recurrent",
         lambda rng, s: doubles(x="T, D", w="H, H", u="H, D", b="H")(rng, s), recurrent,
         [dict(zip("TDH", n)) for n in [(0, 1, 1), (1, 0, 3), (3, 2, 1), (5, 3, 7)]], tolerance=1e-9),
    Case("stepping.atl", "k_means", points, k_means,
         [dict(zip("NDKT", n)) for n in [(0, 2, 3, 2), (1, 1, 1, 1), (7, 2, 3, 3), (31, 3, 5, 4)]], tolerance=1e-9),
    Case("stepping.atl", "plate", lambda rng, s: {"u": rng.random((s["N"], s["M"])), "time": np.zeros(s["T"])}, plate,
         [dict(zip("NMT", n)) for n in [(0, 3, 2), (3, 0, 4), (1, 1, 5), (2, 3, 4), (7, 17, 9), (21, 18, 17)]], tolerance=1e-12),
    Case("stepping.atl", "relaxed", collision, relaxed, [{}], tolerance=1e-14),
    Case("stepping.atl", "lattice", fluid, lattice,
         [dict(zip("HWT", n)) for n in [(1, 1, 1), (1, 3, 2), (2, 1, 3), (3, 5, 0), (5, 19, 3), (8, 8, 2)]], tolerance=1e-12),
    Case("dynamic_programs.atl", "posterior", model, posterior, CHAINS[1:5], tolerance=1e-12),
    Case("dynamic_programs.atl", "affine_alignment", with_numbers(0, 3, a="N", b="M"), affine_alignment, BOARDS[2:6], tolerance=0),
    Case("scans.atl", "smooth_both", doubles(img="H, W"),
         lambda a, _: forth(forth(forth(forth(a["img"])[:, ::-1])[:, ::-1].T)[:, ::-1])[:, ::-1].T,
         [dict(zip("HW", n)) for n in [(0, 3), (1, 1), (5, 17)]], tolerance=1e-12),
    Case("scans.atl", "box_means", doubles(x="N, M"), means, [s | {"r": r} for s, r in zip(BOARDS[2:], (1, 2, 0, 1, 3))], ("r",),
         tolerance=1e-12),
    Case("solvers.atl", "red_black", doubles(u="N, M", f="N, M", sweeps="T"), in_colours,
         [dict(zip("NMT", n)) for n in [(0, 2, 1), (1, 1, 2), (7, 5, 3)]], tolerance=1e-12),
    Case("solvers.atl", "cyclic_reduction", diagonals, tridiagonal,
         [{"N": n, "rounds": (n - 1).bit_length()} for n in (1, 2, 7, 53)], ("rounds",), tolerance=1e-9),
    Case("solvers.atl", "lu_pivoted", doubles(a="N, N"), pivoted, [{"N": n} for n in (0, 1, 3, 13)], tolerance=1e-9),
    Case("solvers.atl", "relax_line", lambda rng, s: line("u", "f", factor=1, more=0, square=0.5)(rng, s),
         lambda a, s: relaxed_line(a["u"], a["f"], 0.5, s["sweeps"]), [{"N": n, "sweeps": 3} for n in (0, 1, 7)], ("sweeps",),
         tolerance=1e-12),
    Case("solvers.atl", "restricted", line("u", "f", factor=2, more=1, square=0.5), lambda a, _: restricted(a["u"], a["f"], 0.5),
         [{"N": n} for n in (0, 1, 7)], tolerance=1e-12),
    Case("solvers.atl", "prolonged", line("e", factor=1, more=0), lambda a, s: 2 * halved(s["N"]).T @ a["e"],
         [{"N": n} for n in (0, 1, 7)], tolerance=1e-12),
    Case("solvers.atl", "v_cycle", line("u", "f", factor=4, more=3, h=0.5), lambda a, _: cycle(a["u"], a["f"], 0.25, 2),
         [{"N": n} for n in (0, 1, 5)], tolerance=1e-12),
]
