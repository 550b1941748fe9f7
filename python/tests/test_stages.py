"""What costs much is bound by a `let` before it is read at many places; where that would not be the same, it stays."""

import time

import numpy as np
import pytest

import atl
from atl import f64, gen, i32, sum
from atl.trace import stages

M, K, N = atl.sizes("M K N")


def body(function, **types):
    """The lines of a trace."""
    function.__name__ = "f"
    return [line.strip() for line in atl.fn(**types)(function).text.splitlines()[1:-1]]


#: Of `x: [N, M]`, `y: [N]` and `w: [M]`.
CHAINS = {
    "standardised": lambda x, y, w: (x - x.mean()) / np.sqrt(((x - x.mean()) ** 2).mean()),
    "gradient": lambda x, y, w: x.T @ (x @ w - y),
    "of a mean": lambda x, y, w: x.T @ (x @ x.mean(axis=0) - y),
    "logistic": lambda x, y, w: x.T @ (1 / (1 + np.exp(-(x @ w))) - y),
    "three": lambda x, y, w: x @ (x.T @ (x @ w)),
    "of a product": lambda x, y, w: (x @ x.T).T @ y / (1 + (x @ x.T).sum()),
    "beside": lambda x, y, w: y / np.dot(y, y) + np.max(w) * np.prod(y) - w.sum() * y,
    "twice": lambda x, y, w: x @ w + (x @ w) * (x @ w),
    "chosen": lambda x, y, w: np.where(y > y.mean(), y - y.mean(), np.minimum(y, y.max())),
    "results": lambda x, y, w: (x @ w, (x @ w).sum(), x.mean(axis=1)),
}

#: How many `let`s there are.
LETS = {"standardised": 2, "gradient": 1, "of a mean": 2, "logistic": 1, "three": 2, "of a product": 2, "beside": 3, "twice": 1, "chosen": 2, "results": 1}


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("sizes", [(0, 1), (0, 0), (1, 1), (3, 7), (7, 3)])
def test_chains_mean_what_they_mean_to_numpy(name, sizes):
    n, m = sizes
    rng = np.random.default_rng(3)
    arrays = rng.random((n, m)) + 0.5, rng.random(n), rng.random(m)
    CHAINS[name].__name__ = "f"
    kernel = atl.fn(x=f64[N, M], y=f64[N], w=f64[M])(CHAINS[name])
    assert kernel.text.count("let ") == LETS[name], kernel.text
    if n == 0 and name in ("beside", "chosen", "standardised"):
        wanted = np.zeros((n, m) if name == "standardised" else n)
    elif 0 in sizes and name == "of a mean":
        wanted = np.zeros(m)
    elif 0 in sizes and name == "results":
        wanted = np.zeros(n), 0.0, np.full(n, np.nan)
    else:
        wanted = CHAINS[name](*arrays)
    for ours, theirs in zip(kernel(*arrays), wanted, strict=True) if isinstance(wanted, tuple) else [(kernel(*arrays), wanted)]:
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


#: Of `x: [N]`, `y: [N]`, `z: [N, M]` and `s`: what has no stage, and what is close to having one.
GLANCES = {
    "a tree": lambda x, y, z, s: gen((x[i] * 2 + y[i]) / (x[i] - s) for i in N),
    "shared": lambda x, y, z, s: gen((lambda d: d * d + d)(x[i] - y[i]) for i in N),
    "shared and dear": lambda x, y, z, s: gen((lambda e: e * e * e * e * e + e)(np.exp(x[i]) - y[i] / s) for i in N),
    "shared and long": lambda x, y, z, s: gen((lambda d: d**4 * d**4 * d**4 * d**4 / d**4 / d**4)(x[i] / y[i]) for i in N),
    "guards": lambda x, y, z, s: gen(atl.where(i > 0, x.get(i - 1), np.exp(y[i])) + atl.guard(i < 2, x[i]) for i in N),
    "two loops": lambda x, y, z, s: gen(np.exp(x[i]) * z[i, j] for i in N for j in M),
    "an inner loop": lambda x, y, z, s: gen(gen(np.exp(x[i]) * z[i, j] for j in M) for i in N),
    "a reduction": lambda x, y, z, s: gen(x[i] / sum(z[i, j] for j in M) for i in N),
    "a row": lambda x, y, z, s: gen(z[i] for i in N),
    "a number": lambda x, y, z, s: s * s + np.sqrt(s),
    "an array": lambda x, y, z, s: x,
    "whole arrays": lambda x, y, z, s: np.exp(x) * y + np.exp(x),
    "an array that is read": lambda x, y, z, s: gen((x * y)[i] + x[i] for i in N),
    "two results": lambda x, y, z, s: (gen(np.exp(x[i]) for i in N), gen(np.exp(x[i]) + 1 for i in N)),
    "terms in terms": lambda x, y, z, s: gen(x.get(2 * i + 1) + x.get(2 * i + 1 - (2 * i + 1)) for i in N),
}


@pytest.mark.parametrize("name", GLANCES)
def test_a_glance_finds_no_stage_where_walks_find_none(name, monkeypatch):
    function, types = GLANCES[name], {"x": f64[N], "y": f64[N], "z": f64[N, M], "s": f64}
    function.__name__ = "f"
    seen = []
    glance = stages.has_none
    monkeypatch.setattr(stages, "has_none", lambda result: seen.append(glance(result)) or seen[-1])
    found = atl.fn(**types)(function).text
    monkeypatch.setattr(stages, "has_none", lambda result: False)
    assert atl.fn(**types)(function).text == found
    assert seen == [name in ("a tree", "shared", "guards", "two loops", "a number", "terms in terms")]


def test_a_stage_has_the_name_of_the_variable():
    def f(x, y):
        error = x @ y
        top = error.max()
        error = x.T @ (error - top)
        return error / error.sum()

    assert body(f, x=f64[N, N], y=f64[N]) == [
        "let error = gen i < N { sum k < N { x[i, k] * y[k] } };",
        "let top = iterate t < N from largest = f64(-inf) {",
        "let element = error[t];",
        "select(element > largest || element != element, element, largest)",
        "};",
        "let error_2 = gen i < N { sum k < N { x[k, i] * (error[k] - top) } };",
        "let total = sum i < N { error_2[i] };",
        "gen i < N { error_2[i] / total }",
    ]


def test_what_is_read_once_is_not_bound():
    assert body(lambda x, y: x @ y, x=f64[N, M], y=f64[M]) == ["gen i < N { sum k < M { x[i, k] * y[k] } }"]
    assert body(lambda x, y: x @ y - 1, x=f64[N, M], y=f64[M]) == ["gen i < N { (sum k < M { x[i, k] * y[k] }) - 1 }"]
    assert body(lambda x: x.mean() / 2, x=f64[N]) == ["(sum i < N { x[i] }) / f64(N) / 2"]
    assert body(lambda x: (x * 2).T @ x, x=f64[N, M])[0].startswith("gen i < M, j < M")


def test_a_sum_of_a_generator_expression_stays_in_it():
    assert body(lambda x: gen(sum(x[i] for i in N) * x[j] for j in N), x=f64[N]) == ["gen j < N { (sum i < N { x[i] }) * x[j] }"]

    def outside(x):
        s = sum(x[i] for i in N)
        return gen(s * x[j] for j in N)

    assert body(outside, x=f64[N]) == ["let s = sum i < N { x[i] };", "gen j < N { s * x[j] }"]
    # One of whole arrays leaves all binders that it does not need.
    assert body(lambda x, a: gen(gen(x[i].sum() * a.sum() * a[j] for j in M) for i in N), x=f64[N, M], a=f64[M])[:3] == [
        "let total = sum i < M { a[i] };",
        "gen i < N {",
        "let stage = (sum i_2 < M { x[i, i_2] }) * total;",
    ]


def test_a_guard_still_bounds_what_it_guards():
    def rows(x, w):
        return gen(atl.guard(i > 0, x[i - 1].sum() * w) for i in N)

    def first(x, w):
        return gen(atl.guard(i > 0, gen(x[i - 1].sum() * w[j] for j in M)) for i in N)

    x, w = np.arange(12.0).reshape(4, 3), np.array([1.0, 2, 3])
    wanted = np.concatenate([np.zeros((1, 3)), x[:-1].sum(axis=1, keepdims=True) * w])
    for function in (rows, first):
        np.testing.assert_allclose(atl.fn(x=f64[N, M], w=f64[M])(function)(x, w), wanted)


def test_an_extent_still_bounds_what_it_bounds():
    # `x[0]` is in bounds only where there is an `i < N`.
    @atl.fn(x=f64[N], w=f64[M])
    def kernel(x, w):
        return gen(gen((x[0] * w).sum() + w[j] for j in M) for i in N)

    np.testing.assert_allclose(kernel(np.array([2.0, 1]), np.ones(3)), np.full((2, 3), 7.0))
    assert kernel(np.zeros(0), np.ones(3)).shape == (0, 3)


def test_stages_of_steps():
    @atl.fn(x=f64[N, N], v=f64[N], T=atl.size)
    def power(x, v, T):
        def step(t, v):
            w = x.T @ (x @ v)
            return w / np.sqrt((w * w).sum())

        return atl.iterate(T, step, v / v.sum())

    @atl.fn(x=f64[N], T=atl.size)
    def until(x, T):
        total = x.sum()

        def step(t, v, n):
            return v - v.mean() * x / total, n + 1

        return atl.iterate(T, step, x, i32(0), until=lambda v, n: v.sum() < total / 8, value=lambda v, n: v / v.max() + f64(n) * v.mean())

    rng = np.random.default_rng(4)
    x, v = rng.random((7, 7)), rng.random(7)
    w = v / v.sum()
    for _ in range(5):
        w = x.T @ (x @ w)
        w = w / np.sqrt((w * w).sum())
    np.testing.assert_allclose(power(x, v, T=5), w)
    assert "let w = " in power.text and power.text.count("let ") == 4
    w, n = v, 0
    while n < 50 and not w.sum() < v.sum() / 8:
        w, n = w - w.mean() * v / v.sum(), n + 1
    np.testing.assert_allclose(until(v, T=50), w / w.max() + n * w.mean())


def test_a_recurrence_is_not_repeated():
    def differences(x):
        running = atl.scan(N, lambda t, s: s + x[t], 0.0)
        return gen(running[t + 1] - running[t] for t in N)

    assert body(differences, x=f64[N])[0] == "let running = scan t < N from s = f64(0.0) { s + x[t] };"


def test_the_work_is_that_of_numpy():
    @atl.fn(x=f64[N, M], y=f64[N])
    def gradient(x, y):
        return x.T @ (x @ x.mean(axis=0) - y)

    rng = np.random.default_rng(5)
    x, y = rng.random((1000, 300)), rng.random(1000)
    np.testing.assert_allclose(gradient(x, y), x.T @ (x @ x.mean(axis=0) - y))
    start = time.perf_counter()
    gradient(x, y)
    # Recomputed at each read it takes a minute.
    assert time.perf_counter() - start < 10


def test_sums_that_python_unrolls_are_deep():
    @atl.fn(x=f64[N])
    def window(x):
        return gen(sum(x.get(i + k) * (k + 1) for k in range(300)) for i in N)

    x = np.random.default_rng(6).random(7)
    np.testing.assert_allclose(window(x), [(x[i:] * np.arange(1, 8 - i)).sum() for i in range(7)])


def test_what_is_squared_often_is_traced_quickly():
    @atl.fn(x=f64[N])
    def scaled(x):
        m = x.mean()
        for _ in range(40):
            m = m * m
        return gen(x[i] * m for i in N)

    assert scaled.text.count("let ") == 41
    np.testing.assert_array_equal(scaled(np.ones(3)), np.ones(3))


def neighbours(y):
    return gen(y.get(i - 1) + y[i] + y.get(i + 1) for i in N)


def of_neighbours(y):
    return np.pad(y, (1, 0))[:-1] + y + np.pad(y, (0, 1))[1:]


def chained(x, f, times):
    for _ in range(times):
        x = f(x)
    return x


#: Of `x: [N]` in a trace and for NumPy, with how many `let`s there are.
ELEMENTWISE = {
    "neighbours": (lambda x: neighbours(np.exp(x)), lambda x: of_neighbours(np.exp(x)), 1),
    "cheap": (lambda x: neighbours(x * 2), lambda x: of_neighbours(x * 2), 0),
    "read once": (lambda x: gen(np.exp(x)[N - 1 - i] for i in N), lambda x: np.exp(x)[::-1], 0),
    "one loop": (lambda x: np.exp(x) * np.exp(x) + (y := np.exp(x)) * y, lambda x: 2 * np.exp(x) ** 2, 0),
    "two loops": (lambda x: (y := np.exp(x)) / y.sum(), lambda x: np.exp(x) / np.exp(x).sum(), 2),
    "repeated": (lambda x: gen(sum(np.exp(x)[j] * x[i] for j in N) for i in N), lambda x: np.exp(x).sum() * x, 1),
    "in a sum": (lambda x: np.exp(x).sum() * x, lambda x: np.exp(x).sum() * x, 1),
    "rounds": (lambda x: atl.iterate(3, lambda t, s: gen(s[i] * np.exp(x)[i] for i in N), x), lambda x: x * np.exp(x) ** 3, 1),
    "of a generator": (lambda x: neighbours(gen(np.exp(x[i]) for i in N)), lambda x: of_neighbours(np.exp(x)), 1),
    "shifted copies": (lambda x: neighbours(neighbours(neighbours(x))), lambda x: chained(x, of_neighbours, 3), 1),
    "long chain": (lambda x: chained(x, lambda y: neighbours(y) / 3, 40), lambda x: chained(x, lambda y: of_neighbours(y) / 3, 40), 39),
    "squares": (lambda x: chained(x, lambda y: y * y - y, 30), lambda x: chained(x, lambda y: y * y - y, 30), 14),
    "of an element": (
        lambda x: gen(chained(x[i], lambda y: y * (1.5 - x[i] * y * y), 9) for i in N),
        lambda x: chained(x, lambda y: y * (1.5 - x * y * y), 9),
        7,
    ),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elements_are_computed_once(name):
    ours, theirs, lets = ELEMENTWISE[name]
    ours.__name__ = "f"
    kernel = atl.fn(x=f64[N])(ours)
    assert kernel.text.count("let ") == lets, kernel.text
    for n in (0, 1, 3, 7, 100):
        x = np.random.default_rng(n).random(n) / 4
        np.testing.assert_allclose(kernel(x), theirs(x), rtol=1e-12, atol=1e-300)


def test_sparse_arrays_are_not_stored():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed: sparse operands are not tested")

    @atl.fn(A=f64[N, N].as_("csr"), d=f64[N], r=f64[N])
    def walk(A, d, r):
        P = gen(A[i, j] / d[j] for i in N for j in N)
        return P @ (P @ r)

    assert walk.text.count("let ") == 1
    @atl.fn(A=f64[N, N].as_("csr"), d=f64)
    def rank(A, d):
        P = A / A.sum(axis=0)
        return atl.iterate(9, lambda t, r: (1 - d) / N + d * (P @ r), gen(1 / f64(N) for i in N))

    assert "let P" not in rank.text and "let total" in rank.text
    A = sparse.random_array((30, 30), density=0.2, format="csr", rng=np.random.default_rng(7)) + sparse.eye_array(30, format="csr")
    d, r = np.arange(1.0, 31), np.random.default_rng(8).random(30)
    P = A.toarray() / A.toarray().sum(axis=0)
    s = np.full(30, 1 / 30)
    for _ in range(9):
        s = 0.15 / 30 + 0.85 * (P @ s)
    np.testing.assert_allclose(rank(A, 0.85), s)
    P = A.toarray() / d
    np.testing.assert_allclose(walk(A, d, r), P @ (P @ r))


def test_what_a_guard_bounds_is_not_computed_before():
    # `x[i - 1]` is in bounds under the guard alone, however long the expression is.
    @atl.fn(x=f64[N])
    def kernel(x):
        return gen(atl.guard(i > 0, chained(np.exp(x[i - 1]), lambda y: y * y - y, 5)) for i in N)

    assert "let " not in kernel.text
    x = np.random.default_rng(9).random(7)
    np.testing.assert_allclose(kernel(x), np.r_[0, chained(np.exp(x[:-1]), lambda y: y * y - y, 5)])


def test_what_elements_have_in_common_is_computed_once():
    def rows(x):
        def row(i):
            total = atl.let(total=sum(x[i, j] for j in M))
            return gen(x[i, j] / total for j in M)

        y = gen(row(i) for i in N)
        return gen(y[i, j] + 1 for i in N for j in M)

    assert body(rows, x=f64[N, M])[0] == "let y = gen i < N {"
    # A recurrence has all of its states at once.
    assert body(lambda x: np.cumsum(x, axis=0) @ x.T, x=f64[N, M])[0].startswith("let stage = scan")
    assert body(lambda x: np.cumsum(x, axis=1) * 2, x=f64[N, M])[0].startswith("let stage = gen i < N { scan")


def shifted(y):
    return gen(y[i - 1] for i in N)


def test_a_read_out_of_bounds_stays_one():
    # `x[1:]` has no element before its first one, and `x` has.
    for function in (
        lambda x: gen(x[1:][i - 1] for i in N),
        lambda x: shifted(gen(x[i] * 2 for i in atl.span(1, N))),
    ):
        function.__name__ = "f"
        with pytest.raises(atl.Refused, match="out of bounds"):
            atl.fn(x=f64[N], where="1 <= N")(function)


def test_whole_arrays_are_written_by_their_elements():
    assert body(lambda x, b: np.maximum(x + b, 0) * 2, x=f64[N, M], b=f64[M]) == ["gen i < N, j < M { max(x[i, j] + b[j], 0) * 2 }"]
    assert body(lambda x: x[1:] - x[:-1], x=f64[N]) == ["gen i < max(N - 1, 0) { x[i + 1] - x[i] }"]
    assert body(lambda x: np.pad(x, 1)[2:] + x, x=f64[N]) == ["gen i < N { x?[i + 2 - 1] + x[i] }"]
    assert body(lambda x, y: x @ y.T + 1, x=f64[N, K], y=f64[M, K]) == ["gen i < N, j < M { (sum k < K { x[i, k] * y[j, k] }) + 1 }"]
