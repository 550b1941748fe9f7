"""Several results of one pass."""

import numpy as np

from .case import Case, doubles, floats

ROWS = [{"N": n, "M": m} for n, m in [(0, 3), (1, 1), (3, 1), (2, 7), (17, 5), (5, 70), (33, 8)]]
SQUARE = [{"N": n} for n in (1, 3, 7, 19)]


def shifted(x):
    return np.exp(x - x.max(1, keepdims=True))


def definite(rng, sizes):
    a = rng.standard_normal([sizes["N"]] * 2)
    return {"a": a @ a.T + sizes["N"] * np.eye(sizes["N"]), "b": rng.standard_normal(sizes["N"]), "eps": np.float64(1e-16)}


def conjugate_gradients(a, s):
    x, r, p, rho, n = 0 * a["b"], a["b"], a["b"], a["b"] @ a["b"], 0
    while rho > a["eps"] and n < 3 * s["N"] + 3:
        v = a["a"] @ p
        alpha = rho / (p @ v)
        x, r = x + alpha * p, r - alpha * v
        p, rho, n = r + (r @ r) / rho * p, r @ r, n + 1
    assert np.allclose(a["a"] @ x, a["b"])
    return x, np.float64(rho), np.int32(n)


def power(a, s):
    value, v = 0.0, a["start"]
    for _ in range(len(a["rounds"])):
        w = a["a"] @ v
        value = np.linalg.norm(w)
        v = w / value
    return np.float64(value), v


def factors(a, s):
    l, u = np.eye(s["N"]), a["a"].copy()
    for k in range(s["N"]):
        l[k + 1 :, k] = u[k + 1 :, k] / u[k, k]
        u[k + 1 :, k + 1 :] -= np.outer(l[k + 1 :, k], u[k, k + 1 :])
        u[k + 1 :, k] = 0
    return l, u


def lloyd(a, s):
    c, near = a["start"], np.zeros(s["N"], np.int32)
    for _ in range(len(a["rounds"])):
        near = ((a["x"][:, None] - c) ** 2).sum(-1).argmin(1).astype(np.int32)
        c = np.array([a["x"][near == k].mean(0) if (near == k).any() else c[k] for k in range(s["K"])]).reshape(c.shape)
    return c, near


def grid(rng, sizes):
    """Small integers, whose distances are exact: so equal ones are."""
    numbers = {"x": (sizes["N"], sizes["D"]), "start": (sizes["K"], sizes["D"]), "rounds": (sizes["T"],)}
    return {name: rng.integers(-9, 9, shape).astype(np.float64) for name, shape in numbers.items()}


CASES = [
    Case("one_pass.atl", "mean_and_variance", doubles(x="N, M"), lambda a, s: (a["x"].mean(1), a["x"].var(1)), ROWS, tolerance=1e-12),
    Case("one_pass.atl", "greatest_and_sum", floats(x="N, M"), lambda a, s: (a["x"].max(1), shifted(a["x"]).sum(1)), ROWS),
    Case("one_pass.atl", "softmax_in_two_passes", floats(x="N, M"),
         lambda a, s: shifted(a["x"]) / shifted(a["x"]).sum(1, keepdims=True), ROWS),
    Case("one_pass.atl", "greatest", doubles(x="N, M"), lambda a, s: (a["x"].max(1), a["x"].argmax(1).astype(np.int32)), ROWS, tolerance=0),
    Case("one_pass.atl", "least_four", doubles(x="N, M"),
         lambda a, _: tuple(np.sort(np.pad(a["x"], ((0, 0), (0, 4)), constant_values=np.inf))[:, k] for k in range(4)),
         [{"N": n, "M": m} for n, m in ((0, 3), (1, 0), (3, 2), (7, 17))], tolerance=0),
    Case("one_pass.atl", "envelope", doubles(x="N"),
         lambda a, s: (np.minimum.accumulate(a["x"]), np.maximum.accumulate(a["x"])), [{"N": n} for n in (1, 2, 7, 53)], tolerance=0),
    Case("one_pass.atl", "power_iteration", doubles(a="N, N", start="N", rounds="T"), power,
         [{"N": n, "T": t} for n, t in [(1, 1), (3, 4), (7, 0), (19, 9)]], tolerance=1e-9),
    Case("one_pass.atl", "solved", definite, conjugate_gradients, SQUARE, tolerance=1e-6),
    Case("one_pass.atl", "factors", doubles(a="N, N"), factors, SQUARE, tolerance=1e-6),
    Case("one_pass.atl", "groups", grid, lloyd,
         [{"N": n, "D": d, "K": k, "T": t} for n, d, k, t in [(0, 2, 1, 2), (1, 1, 1, 1), (9, 2, 3, 4), (40, 3, 5, 7), (7, 3, 4, 0)]], tolerance=1e-12),
]
