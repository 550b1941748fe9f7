"""Tuples, and sums in monoids of them."""

import numpy as np
import scipy.sparse.csgraph

from .case import Case, doubles

ROWS = [{"N": n, "M": m} for n, m in [(0, 3), (1, 1), (3, 1), (2, 7), (17, 5), (5, 70), (33, 8)]]
PRIME = 1000003


def two(a, s):
    ordered = np.sort(np.pad(a["x"], ((0, 0), (1, 0)), constant_values=-np.inf), axis=1)
    return ordered[:, -1], ordered[:, -2]


def both(a, s):
    z = np.r_[a["x"], a["y"]]
    return np.float64(z.mean()), np.float64(z.var())


def maps(rng, sizes):
    m, c = rng.integers(0, PRIME, (2, sizes["N"]))
    return {"maps_m": m, "maps_c": c, "x": np.int64(7)}


def through_all(a, s):
    x = int(a["x"])
    for m, c in zip(a["maps_m"], a["maps_c"]):
        x = (int(m) * x + int(c)) % PRIME
    return np.int64(x)


def lengths(rng, sizes):
    return {"w": rng.integers(1, 9, [sizes["V"]] * 2).astype(np.float64)}


def cheapest(a, s):
    w, v = a["w"], s["V"]
    cost = np.where(np.eye(v), 0.0, np.inf)
    steps = np.where(np.eye(v), 0, 1000000).astype(np.int32)
    for _ in range(s["rounds"]):
        new, count = cost.copy(), steps.copy()
        for i in range(v):
            for j in range(v):
                ways = [(cost[i, k] + w[k, j], min(steps[i, k], 999999) + 1) for k in range(v)]
                new[i, j], count[i, j] = min(ways + [(cost[i, j], steps[i, j])])
        cost, steps = new, count
    return cost, steps


def streets(rng, sizes):
    """Lengths of few edges, so that several ways are equally long."""
    v = sizes["V"]
    w = np.where(rng.random((v, v)) < 0.5, rng.integers(1, 3, (v, v)), np.inf).astype(np.float64)
    return {"w": w, "start": np.int32(0)}


def ways(a, s):
    cost, before = np.where(np.arange(s["V"]) == 0, 0.0, np.inf), np.where(np.arange(s["V"]) == 0, 0, -1).astype(np.int32)
    for _ in range(s["rounds"]):
        by = cost[:, None] + a["w"]
        better = by.min(0) < cost
        cost, before = np.where(better, by.min(0), cost), np.where(better, by.argmin(0), before).astype(np.int32)
    return cost, before


def shortest_count(a, s):
    """Nodes by their costs: each is reached from those before it as often as these are, over edges that fit."""
    w = np.where(np.isinf(a["w"]), 0, a["w"])
    cost = scipy.sparse.csgraph.dijkstra(w, indices=0)
    count = np.zeros(s["V"], np.int64)
    count[0] = 1
    for v in np.argsort(cost, kind="stable"):
        fits = np.isfinite(cost) & (cost + a["w"][:, v] == cost[v])
        count[v] += count[fits].sum() if np.isfinite(cost[v]) else 0
    return cost, count


def polynomial(a, s):
    """The values of a polynomial and of its derivative."""
    p = np.polynomial.Polynomial(a["c"]) if s["K"] else np.polynomial.Polynomial([0.0])
    return p(a["x"]), p.deriv()(a["x"])


CASES = [
    Case("tuples.atl", "least_of_rows", doubles(x="N, M"),
         lambda a, s: (a["x"].min(1), a["x"].argmin(1).astype(np.int32)), ROWS, tolerance=0),
    Case("tuples.atl", "greatest_two", doubles(x="N, M"), two, [s for s in ROWS if s["M"] > 1], tolerance=0),
    Case("tuples.atl", "variance_of_both", doubles(x="N", y="M"), both,
         [{"N": n, "M": m} for n, m in [(1, 0), (1, 1), (7, 3), (53, 20)]], tolerance=1e-12),
    Case("tuples.atl", "through_all", maps, through_all, [{"N": n} for n in (0, 1, 7, 53)], tolerance=0, result="int64"),
    Case("tuples.atl", "cheapest", lengths, cheapest, [{"V": v, "rounds": r} for v, r in [(1, 0), (2, 1), (3, 3), (7, 4)]],
         set_sizes=("rounds",), tolerance=0),
    Case("tuples.atl", "ways", streets, ways, [{"V": v, "rounds": r} for v, r in [(1, 0), (3, 2), (7, 5)]], ("rounds",), tolerance=0),
    Case("tuples.atl", "shortest_count", streets, shortest_count, [{"V": v} for v in (1, 3, 7, 13)], tolerance=0),
    Case("tuples.atl", "polynomial", doubles(c="K", x="N"), polynomial,
         [{"K": k, "N": n} for k, n in [(0, 3), (1, 0), (1, 1), (2, 7), (5, 8), (13, 53)]], tolerance=1e-13),
]
