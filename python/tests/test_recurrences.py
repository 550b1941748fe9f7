"""Traced recurrences against NumPy and SciPy: `iterate`, `scan` and `rec`."""

import numpy as np
import pytest

import atl
from atl import f64, gen, i64, iterate, old, rec, scan, sum

scipy_linalg = pytest.importorskip("scipy.linalg")
scipy_signal = pytest.importorskip("scipy.signal")

M, N, T = atl.sizes("M N T")
LENGTHS = [0, 1, 2, 3, 7, 53]


@atl.fn(x=f64[N])
def prefix_sums(x):
    return scan(N, lambda t, s: s + x[t], 0.0, give=lambda s: s)


@atl.fn(x=f64[N])
def both_sums(x):
    return scan(N, lambda t, s: s + x[t], 0.0, give=lambda s: s + 1000 * old(s))


@atl.fn(x=f64[N])
def all_sums(x):
    return scan(N, lambda t, s: s + x[t], 0.0)


@atl.fn(x=f64[N])
def resonator(x):
    return rec(f64, lambda y, t: x[t] + 0.5 * y.get(t - 1) - 0.3 * y.get(t - 2), N)


@atl.fn(low=f64[N, N], b=f64[N])
def triangular(low, b):
    def unknown(x, i):
        known = atl.let(known=sum(low[i, j] * x[j] for j in atl.upto(i)))
        return (b[i] - known) / low[i, i]

    return rec(f64, unknown, N)


@atl.fn(u=f64[N], time=f64[T])
def heat(u, time):
    return iterate(T, lambda t, x: gen((x.get(i - 1) + 2 * x[i] + x.get(i + 1)) / 4 for i in N), u)


@atl.fn(u=f64[N], time=f64[T])
def heats(u, time):
    return scan(T, lambda t, x: gen((x.get(i - 1) + 2 * x[i] + x.get(i + 1)) / 4 for i in N), u)


@atl.fn(a=f64[N, N], b=f64[N], eps=f64)
def conjugate_gradients(a, b, eps):
    def step(t, x, r, p, rho):
        v = atl.let(v=gen(sum(a[i, j] * p[j] for j in N) for i in N))
        alpha = atl.let(alpha=rho / sum(p[i] * v[i] for i in N))
        q = atl.let(q=gen(r[i] - alpha * v[i] for i in N))
        norm = atl.let(norm=sum(q[i] * q[i] for i in N))
        return gen(x[i] + alpha * p[i] for i in N), q, gen(q[i] + norm / rho * p[i] for i in N), norm

    zeros = gen(0 * b[i] for i in N)
    start = sum(b[i] * b[i] for i in N)
    return iterate(
        3 * N + 3, step, zeros, b, b, start, until=lambda x, r, p, rho: rho <= eps, value=lambda x, r, p, rho: x
    )


@atl.fn(x=i64[N, M])
def summed_area(x):
    return rec(i64, lambda s, i, j: x[i, j] + s.get(i - 1, j) + s.get(i, j - 1) - s.get(i - 1, j - 1), N, M)


def heated(u, times):
    states = [u]
    for _ in range(times):
        wide = np.pad(states[-1], 1)
        states.append((wide[:-2] + 2 * wide[1:-1] + wide[2:]) / 4)
    return np.array(states)


@pytest.mark.parametrize("n", LENGTHS)
def test_scans(n):
    x = np.random.default_rng(n).random(n)
    sums = np.cumsum(x)
    np.testing.assert_allclose(prefix_sums(x), sums)
    np.testing.assert_allclose(both_sums(x), sums + 1000 * (sums - x))
    np.testing.assert_allclose(all_sums(x), [0, *sums])
    np.testing.assert_allclose(resonator(x), scipy_signal.lfilter([1], [1, -0.5, 0.3], x) if n else x)


@pytest.mark.parametrize("n", LENGTHS[:-1])
def test_solvers(n):
    rng = np.random.default_rng(n)
    low, b = np.tril(rng.random((n, n))) + 3 * np.eye(n), rng.random(n)
    np.testing.assert_allclose(triangular(low, b), scipy_linalg.solve_triangular(low, b, lower=True) if n else b)
    a = low @ low.T + np.eye(n)
    np.testing.assert_allclose(conjugate_gradients(a, b, 1e-26), np.linalg.solve(a, b) if n else b, rtol=1e-8)


@pytest.mark.parametrize("n, t", [(0, 2), (1, 0), (3, 1), (7, 5)])
def test_time_steps(n, t):
    u = np.random.default_rng(n).random(n)
    np.testing.assert_allclose(heat(u, np.zeros(t)), heated(u, t)[-1])
    np.testing.assert_allclose(heats(u, np.zeros(t)), heated(u, t))


def test_whole_numbers():
    x = np.random.default_rng(1).integers(0, 9, (3, 5))
    np.testing.assert_array_equal(summed_area(x), x.cumsum(0).cumsum(1))


def test_the_text_has_the_names_of_the_steps():
    assert prefix_sums.text == (
        "fn prefix_sums(x: f64[N]) -> f64[N] {\n    scan t < N from s = f64(0.0) { s + x[t] } give s\n}\n"
    )
    assert resonator.text == (
        "fn resonator(x: f64[N]) -> f64[N] {\n"
        "    rec y: f64 = gen t < N { x[t] + 0.5 * y?[t - 1] - 0.3 * y?[t - 2] };\n    y\n}\n"
    )


def test_a_later_read_is_refused_at_its_line():
    with pytest.raises(atl.Refused, match="E0390") as refused:

        @atl.fn(x=f64[N])
        def later(x):
            return rec(f64, lambda y, t: x[t] + y.get(t + 1), N)

    assert refused.value.python is not None


@pytest.mark.parametrize(
    "wrong, why",
    [
        (lambda x: iterate(N, lambda t, a: (a, a), 0.0), "gives 2 values for 1 states"),
        (lambda x: iterate(N, lambda a: a, 0.0), "has 1 parameters, and 2 values"),
        (lambda x: rec(f64, lambda y: 1.0), "without a type or an extent"),
        (lambda x: old(x), "takes a state"),
        (lambda x: iterate(N, lambda t, a: a), "without a state"),
        (lambda x: iterate(lambda t, a: a, 0.0, N), "the step of `iterate` is no function"),
        (lambda x: scan(N, 0.0, lambda t, a: a), "the step of `scan` is no function"),
        (lambda x: [x[t] for t in range(N)][0], "`atl.iterate"),
    ],
)
def test_what_is_wrong_is_refused(wrong, why):
    with pytest.raises(atl.Refused, match=why):
        atl.fn(x=f64[N])(wrong)


def test_outside_of_a_traced_function():
    for make in (lambda: iterate(3, lambda t, a: a, 0.0), lambda: rec(f64, lambda y, i: 1.0, 3)):
        with pytest.raises(atl.Refused, match="outside of a traced function"):
            make()


@pytest.mark.parametrize("n", [0, 1, 3, 7])
def test_several_states_and_values_are_tuples(n):
    @atl.fn(x=f64[N], T=atl.size)
    def doubled(x, T):
        return iterate(T, lambda t, v, k: (v + v, k + 1), x, atl.i32(0))

    @atl.fn(x=f64[N], T=atl.size)
    def halved(x, T):
        v, k = iterate(T, lambda t, v, k: (v / 2, k + 1), x, f64(0), until=lambda v, k: v.sum() < 1, value=lambda v, k: (v - k, v.sum()))
        return gen(v[i] * k for i in N)

    @atl.fn(x=f64[N])
    def running(x):
        return scan(N, lambda t, s, p: (s + x[t], p * x[t]), 0.0, 1.0)

    @atl.fn(x=f64[N])
    def changes(x):
        now, before = scan(N, lambda t, s, p: (s + x[t], p * x[t]), 0.0, 1.0, give=lambda s, p: (s - p, old(s)))
        return now, before

    @atl.fn(x=f64[atl.size("K"), N])
    def rows(x):
        def row(i):
            s, p = iterate(N, lambda t, s, p: (s + x[i, t], p * x[i, t]), 0.0, 1.0)
            return s - p

        return gen(row(i) for i in x.shape[0])

    @atl.fn(x=f64[N])
    def carried(x):
        """Starts in a tuple, which is one parameter."""

        def step(t, carry):
            s, p = carry
            return s + x[t], p * x[t]

        difference = iterate(N, step, (0.0, 1.0), value=lambda carry: carry[0] - carry[1])
        until = iterate(N, step, (0.0, 1.0), until=lambda carry: carry[0] > 1e9, value=lambda s, p: s)
        return difference, until, scan(N, step, (0.0, 1.0), give=lambda carry: carry)[1]

    x = np.random.default_rng(8).random(n) + 0.5
    found, count = doubled(x, T=3)
    np.testing.assert_array_equal(found, 8 * x)
    assert count == 3 and count.dtype == np.int32
    v, k = x, 0
    while k < 9 and v.sum() >= 1:
        v, k = v / 2, k + 1
    np.testing.assert_allclose(halved(x, T=9), (v - k) * v.sum())
    s, p = np.concatenate([[0], np.cumsum(x)]), np.concatenate([[1], np.cumprod(x)])
    for ours, theirs in zip((*running(x), *changes(x)), (s, p, (s - p)[1:], s[:-1]), strict=True):
        np.testing.assert_allclose(ours, theirs)
    np.testing.assert_allclose(rows(np.array([x, x])), [s[-1] - p[-1]] * 2)
    for ours, theirs in zip(carried(x), (s[-1] - p[-1], s[-1], p[1:]), strict=True):
        np.testing.assert_allclose(ours, theirs)
