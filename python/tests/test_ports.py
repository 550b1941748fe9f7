"""Functions as users of NumPy, SciPy and JAX have them, decorated and otherwise unchanged: the kernel has NumPy's values.

`new` is NumPy for the function and `atl` for its trace: there sizes have no value, so what makes arrays of them is ours.
"""

import traceback

import numpy as np
import pytest

import atl
from atl import f32, f64, i64

special = pytest.importorskip("scipy.special", reason="SciPy is not installed: ports of its functions are not compared")
linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed: ports of its functions are not compared")

N, M, K, D, H = atl.sizes("N M K D H")
RNG = np.random.default_rng(0)


class New:
    """What makes arrays of sizes."""

    of = np

    def __getattr__(self, name):
        return getattr(self.of, name)


new = New()


def normal(*shape):
    return RNG.standard_normal(shape)


def moving_average(x):
    c = np.cumsum(x)
    return (c[4:] - np.concatenate([[0.0], c[:-5]])) / 5


def correlation(x):
    y = x - x.mean(axis=0, keepdims=True)
    c = y.T @ y
    d = np.sqrt(np.diag(c))
    return c / d[:, None] / d[None, :]


def rotation(q):
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    w, x, y, z = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1)


def pooled(img):
    h, w = img.shape
    return img[: h // 2 * 2, : w // 2 * 2].reshape(h // 2, 2, w // 2, 2).mean(axis=(1, 3))


def fitted(x, y):
    xm, ym = x.mean(), y.mean()
    b = ((x - xm) * (y - ym)).sum() / ((x - xm) ** 2).sum()
    return b, ym - b * xm


def haversine(lat, lon):
    p, q = np.radians(lat), np.radians(lon)
    a = np.sin((p[:, None] - p) / 2) ** 2 + np.cos(p[:, None]) * np.cos(p) * np.sin((q[:, None] - q) / 2) ** 2
    return 2 * 6371 * np.arcsin(np.sqrt(a))


def perceptron(x, w, b, v):
    z = np.tanh(x @ w + b) @ v
    top = z.max(-1, keepdims=True)
    return z - top - np.log(np.exp(z - top).sum(-1, keepdims=True))


def causal(q, k, v):
    n = q.shape[0]
    s = np.where(np.tril(new.ones((n, n), bool)), q @ k.T / np.sqrt(q.shape[1]), -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    return (p / p.sum(-1, keepdims=True)) @ v


def cross_entropy(x, y):
    lse = np.log(np.exp(x - x.max(1, keepdims=True)).sum(1)) + x.max(1)
    return (lse - x[new.arange(x.shape[0]), y]).mean()


def half_turned(x):
    d = x.shape[1]
    return np.concatenate([-x[:, d // 2 :], x[:, : d // 2]], axis=1)


def attracted(p):
    d = p[None] - p[:, None]
    r2 = (d**2).sum(-1) + 1e-3
    return (d / r2[..., None] ** 1.5).sum(1)


def kernel_matrix(x):
    s = (x * x).sum(1)
    return np.exp(-0.5 * (s[:, None] + s - 2 * x @ x.T))


def median_of_three(x):
    a, b, c = x[:-2], x[1:-1], x[2:]
    return np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))


def histogram(x):
    edges = np.linspace(-2, 2, 5)
    return ((x[:, None] >= edges[:-1]) & (x[:, None] < edges[1:])).sum(0)


def crossed(x, y):
    a, b = np.meshgrid(x, y)
    c, d = np.meshgrid(x, y, indexing="ij")
    return a * b, c - d


def halves(x):
    a, b = np.split(x, 2, axis=1)
    c, d = np.split(x, [1])
    return a - b, c, d


def quantised(x):
    s = np.abs(x).max(axis=1, keepdims=True) / 127
    return np.round(x / s).astype(np.int8)


def entropy(x):
    p = np.exp(x - x.max())
    p = p / p.sum()
    return -np.sum(np.where(p > 0, p * np.log(p), 0.0))


def in_place(x):
    y = x * 1.0
    y += 1
    y *= x
    return y


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi).astype(np.float32) * (x + 0.044715 * x**3)))


#: Functions, the types of their parameters, and arguments; a text is a condition on sizes.
PORTS = [
    (lambda x: (x - x.mean(axis=0)) / x.std(axis=0, ddof=1), [f64[N, M]], [normal(7, 4)]),
    (lambda a, b: np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(-1)), [f64[N, D], f64[M, D]], [normal(5, 3), normal(4, 3)]),
    (correlation, [f64[N, M]], [normal(7, 4)]),
    (moving_average, [f64[N]], [normal(20)], "5 <= N"),
    (lambda y, x: np.sum((y[1:] + y[:-1]) * np.diff(x)) / 2, [f64[N], f64[N]], [normal(9), normal(9)]),
    (lambda x, c: (c * x[:, None] ** np.arange(4)).sum(axis=1), [f64[N], f64[K]], [normal(9), normal(4)]),
    (entropy, [f64[N]], [normal(9)]),
    (rotation, [f64[N, 4]], [normal(5, 4)]),
    (lambda x: (x[:, :, None] > x[:, None, :]).sum(axis=-1), [f64[N, M]], [normal(6, 5)]),
    (lambda x: x @ np.array([0.299, 0.587, 0.114]), [f64[H, M, 3]], [normal(5, 6, 3)]),
    (pooled, [f64[H, M]], [normal(7, 8)], "2 <= H, 2 <= M"),
    (fitted, [f64[N], f64[N]], [normal(12), normal(12)]),
    (lambda x: (x - x.min(0)) / (x.max(0) - x.min(0)), [f64[N, M]], [normal(12, 3)]),
    (haversine, [f64[N], f64[N]], [normal(6), normal(6)]),
    (perceptron, [f64[N, D], f64[D, H], f64[H], f64[H, M]], [normal(5, 3), normal(3, 4), normal(4), normal(4, 2)]),
    (causal, [f64[N, D], f64[N, D], f64[N, M]], [normal(5, 3), normal(5, 3), normal(5, 2)]),
    (gelu, [f32[N]], [normal(9).astype(np.float32)]),
    (cross_entropy, [f64[N, D], i64[N]], [normal(5, 3), RNG.integers(0, 3, 5)], "all i < N { 0 <= y[i] < D }"),
    (lambda y: (y[:, None] == np.arange(3)).astype(np.float32), [i64[N]], [RNG.integers(0, 3, 5)]),
    (half_turned, [f64[N, D]], [normal(6, 4)]),
    (lambda a, b: np.einsum("nkd,ndm->nkm", a, b), [f64[N, K, D], f64[N, D, M]], [normal(3, 4, 2), normal(3, 2, 5)]),
    (lambda a, b: np.einsum("...kd,...dm->...km", a, b), [f64[N, K, D], f64[N, D, M]], [normal(3, 4, 2), normal(3, 2, 5)]),
    (lambda a, b: (np.einsum("...d,dm->m...", a, b), np.einsum("...d,...d", a, a), np.einsum("...d,dm", a, b)), [f64[N, K, D], f64[D, M]], [normal(3, 4, 2), normal(2, 5)]),
    (lambda x, y: (np.cov(x, y), np.corrcoef(x, y), np.cov(x), np.corrcoef(y)), [f64[N], f64[N]], [normal(9), normal(9)]),
    (lambda x, y: (np.cov(x, y, rowvar=False), np.cov(x, y[:, 0], False)), [f64[N, 1], f64[N, 2]], [normal(7, 1), normal(7, 2)]),
    (lambda x: (x.var(dtype=np.float64), np.std(x, 0, np.float64, ddof=1), x.std(axis=1, keepdims=True)), [f32[N, M]], [normal(6, 5).astype(np.float32)]),
    (attracted, [f64[N, 3]], [normal(6, 3)]),
    (lambda x, c: ((x[:, None] - c) ** 2).sum(-1).argmin(1), [f64[N, D], f64[K, D]], [normal(6, 2), normal(3, 2)]),
    (kernel_matrix, [f64[N, D]], [normal(6, 2)]),
    (lambda x: np.convolve(x, np.array([-3, 12, 17, 12, -3]) / 35, mode="valid"), [f64[N]], [normal(16)]),
    (lambda x: (x * np.cos(2 * np.pi * new.arange(x.shape[0]) / 8)).sum(), [f64[N]], [normal(16)]),
    (histogram, [f64[N]], [normal(16)]),
    (median_of_three, [f64[N]], [normal(16)]),
    (lambda x: x - x.mean(0) - x.mean(1)[:, None] + x.mean(), [f64[N, N]], [normal(5, 5)]),
    (lambda x: np.mod(x + np.pi, 2 * np.pi) - np.pi, [f64[N]], [normal(6)]),
    (quantised, [f64[N, M]], [normal(6, 4)]),
    (in_place, [f64[N]], [normal(6)]),
    (lambda x: (np.sum(x, where=x > 0), x.mean(where=x < 0), np.any(x > 0, where=x < 9)), [f64[N]], [normal(6)]),
    (lambda x: (np.max(x, initial=0.0), np.sum(x, initial=5), np.min(x, where=x > 0, initial=9)), [f64[N]], [normal(6)]),
    (lambda x: np.average(x, axis=1, weights=[1, 2, 3]), [f64[N, M]], [normal(6, 3)]),
    (lambda x, w: (np.average(x, weights=w), np.average(x)), [f64[N], f64[N]], [normal(6), normal(6) ** 2]),
    (lambda x: np.select([x < 0, x > 1], [-1.0, x * 2], x), [f64[N, M]], [normal(6, 3)]),
    (lambda x, y: np.cross(x, y), [f64[N, 3], f64[N, 3]], [normal(4, 3), normal(4, 3)]),
    (lambda x, y: np.cross(x, y), [f64[3], f64[3]], [normal(3), normal(3)]),
    (lambda x, y: np.kron(x, y), [f64[N, M], f64[K, D]], [normal(2, 3), normal(3, 1)]),
    (crossed, [f64[N], f64[M]], [normal(4), normal(3)]),
    (lambda x: (np.gradient(x), np.gradient(x, 0.5)), [f64[N]], [normal(6)]),
    (lambda x: (np.cov(x), np.cov(x, rowvar=False, bias=True), np.corrcoef(x)), [f64[N, M]], [normal(3, 7)]),
    (lambda x: (np.trapezoid(x), np.trapezoid(x, dx=0.5, axis=0), np.trapezoid(x, [0, 1, 3])), [f64[N, M]], [normal(5, 3)]),
    (lambda y, x: (np.trapezoid(y, x), np.polyval([1.0, -2, 3], y), np.column_stack([x, y])), [f64[N], f64[N]], [normal(5), normal(5)]),
    (lambda x: (np.linalg.matrix_power(x, 5), x / np.shape(x)[0] * np.size(x) / np.ndim(x)), [f64[N, N]], [normal(3, 3)]),
    (lambda x: (special.expit(x), special.logit(x), special.xlogy(x, x), special.entr(x), special.ndtr(x), special.erf(x)), [f64[N]],
     [np.array([0.0, 0.25, 1, -1, 800, -800, np.inf, np.nan])]),
    (lambda x: np.asarray(x)[::-1] * 2, [f64[3]], [normal(3)]),
    (lambda x: np.gradient(x, axis=1), [f64[N, M]], [normal(6, 2)]),
    (halves, [f64[N, M]], [normal(6, 4)]),
    (lambda x: (np.vander(x, 3), np.vander(x, 4, increasing=True), np.sinc(x)), [f64[N]], [np.array([0.0, 0.5, -2.0])]),
    (lambda x, n: new.eye(x.shape[0]) * x + new.eye(x.shape[0], k=-1), [f64[N], f64], [normal(4), 1.0]),
    (lambda x: new.full(x.shape, 2.0) + new.zeros(x.shape[0]) + new.linspace(-1, 1, x.shape[0]) * x, [f64[N]], [normal(5)]),
    (lambda x: new.arange(2, x.shape[0], 3), [f64[N]], [normal(9)]),
    *((lambda x: (np.diff(x, prepend=0), np.diff(x, append=[1, 2]), np.diff(x, 2, prepend=x[:1]), np.diff(x, prepend=0.5)), [elem[N]], [values], "1 <= N")
      for elem, values in ((f32, normal(4).astype(np.float32)), (atl.u8, np.array([9, 3, 250], np.uint8)))),
    (lambda x: (np.diff(x, axis=0, prepend=0), np.diff(x, axis=1, append=x[:, :1])), [f64[N, M]], [normal(3, 4)], "1 <= M"),
    (lambda a, v: (np.searchsorted(a, v), np.searchsorted(a, v, "right")), [f64[N], f64[M]], [np.array([0, 1, 1, 2, np.nan]), np.array([-1, 0, 0.5, 1, 3, np.nan])]),
    *((lambda x, p, f: np.interp(x, p, f), [f64[N], f64[M], f64[M]], [np.array([-1, 0, 0.5, 1, 2.5, 3, np.nan]), np.array(p), normal(len(p))])
      for p in ([0, 1, 2.5], [1.0], [0.0, 0, 1], [0, 1.0, 1])),
]  # fmt: skip


def compared(function, types, arguments, where=None):
    names = list(function.__code__.co_varnames[: len(types)])
    function.__name__ = "ported"
    new.of = atl
    kernel = atl.fn(where=where, backend="cranelift", **dict(zip(names, types)))(function)
    new.of = np
    found, wanted = kernel(*arguments), function(*arguments)
    for ours, theirs in zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]:
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), kernel.text
        np.testing.assert_allclose(ours, theirs, rtol=1e-5 if ours.dtype == np.float32 else 1e-12, atol=1e-12, err_msg=kernel.text)


@pytest.mark.parametrize("k", range(len(PORTS)))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_port_is_the_function(k):
    compared(*PORTS[k])


#: Places of a matrix of 6 by 5, and the shape of what is there.
PLACES = [
    (np.s_[1:-1, 1:-1], (4, 3)), (np.s_[::2], (3, 5)), (np.s_[::-1, 1::2], (6, 2)), (np.s_[0], (5,)), (np.s_[:, -1], (6,)), (np.s_[4:1:-2], (2, 5)),
    (np.s_[:], (5,)), (np.s_[..., :2], (2,)), (np.s_[-2:], (2, 5)), (np.s_[2, 3], ()),
]  # fmt: skip


def assigned(x, word, at, value):
    y = x.copy()
    y[at] = {"set": value, "add": y[at] + value, "multiply": y[at] * value, "max": np.maximum(y[at], value)}[word]
    return y


@pytest.mark.parametrize("k", range(len(PLACES)))
def test_changed_places_are_those_of_an_assignment(k):
    at, shape = PLACES[k]
    word = ("set", "add", "multiply", "max")[k % 4]

    def changed(x, v):
        return getattr(x.at[at], word)(v)

    x, v = normal(6, 5), normal(*shape)
    known = atl.fn(x=f64[6, 5], v=f64[shape] if shape else f64, backend="cranelift")(changed)
    np.testing.assert_array_equal(known(x, v if shape else float(v)), assigned(x, word, at, v))
    sizes = atl.fn(x=f64[N, M], v=f64, where="2 < N, 3 < M", backend="cranelift")(changed)
    np.testing.assert_array_equal(sizes(x, 2.5), assigned(x, word, at, 2.5))


@pytest.mark.parametrize("elem, value", [(f64, 2), (atl.i8, 3), (atl.bool_, True), (atl.c64, 1 + 2j), (f64, np.float32(0.5))])
def test_all_places_take_one_number(elem, value):
    kernel = atl.fn(x=elem[N, M], backend="cranelift")(lambda_of(lambda x: (x.at[:].set(value), x.at[...].set(value))))
    wanted = np.full((2, 3), value, elem.numpy)
    for found in kernel(np.zeros((2, 3), elem.numpy)):
        np.testing.assert_array_equal(found, wanted, strict=True)


def lambda_of(function):
    function.__name__ = "f"
    return function


@pytest.mark.parametrize("elem, place", [(f64, atl.i64), (atl.u8, atl.u8)])
def test_numbers_for_places_of_a_vector_are_all_taken(elem, place):
    """As `np.add.at` does; places beyond the array have none, as in JAX."""

    def changed(x, p, v):
        return x.at[p].add(v), x.at[p, :].max(v), x.at[:, p].min(3), x.at[p].multiply(v), x.at[..., [0, -1, 0]].subtract(1)

    rng = np.random.default_rng(4)
    kernel = atl.fn(x=elem[N, M], p=place[K], v=elem[K, M], backend="cranelift")(changed)
    for n, m, k in [(5, 5, 0), (4, 4, 9), (1, 1, 3)]:
        x, v = (rng.integers(2, 4, shape).astype(elem.numpy) for shape in [(n, m), (k, m)])
        p = rng.integers(0 if place is atl.u8 else -n, n, k).astype(place.numpy)
        expected = [x.copy() for _ in range(5)]
        every = slice(None)
        for function, y, at, value in zip(
            (np.add, np.maximum, np.minimum, np.multiply, np.subtract), expected, (p, p, (every, p), p, (every, [0, -1, 0])), (v, v, 3, v, 1)
        ):
            function.at(y, at, np.asarray(value, elem.numpy))
        for found, wanted in zip(kernel(x, p, v), expected, strict=True):
            np.testing.assert_array_equal(found, wanted, strict=True)
        beyond = np.full(k, 100).astype(place.numpy)
        np.testing.assert_array_equal(kernel(x, beyond, v)[0], x)


def test_a_call_checks_that_there_are_the_places_that_are_changed():
    def changed(x, v):
        return x.at[-3].set(v[0]).at[2:].set(v)

    kernel = atl.fn(x=f64[N], v=f64[M], where="1 <= M", backend="cranelift")(changed)
    assert kernel(np.zeros(4), np.ones(2)).tolist() == [0, 1, 1, 1]
    for n, m in [(2, 1), (4, 3), (4, 1)]:
        with pytest.raises(atl.Refused):
            kernel(np.zeros(n), np.ones(m))


@pytest.mark.parametrize(
    "function, says",
    [
        (lambda x: x * np.arange(x.shape[0]), "atl.arange"),
        (lambda x: max(x.max(), 0.0), "np.maximum"),
        (lambda x: x.sum() / len(x), "x.shape[0]"),
        (lambda x: x.at[[0, 2]].set(1), "write the elements"),
        (lambda x: atl.zeros(3).at[3].set(1), "from -3 to 2"),
        (lambda x: atl.zeros(3).at[1:].set([1, 2, 3]), "as many"),
        (lambda x: x + [[1, 2], [3]], "the same number"),
        (lambda x: np.max(x, where=x > 0), "initial=0"),
        (lambda x: atl.arange(0.5), "multiply"),
        (lambda x: np.cross(x, x), "f64[N, 3]"),
        (lambda x: np.asarray(x).sum(), "leave `np.asarray` out"),
        (lambda x: linalg.norm(x), "write what they compute"),
        (lambda x: special.logsumexp(x), "np.log(e.sum(1))"),
        (lambda x: np.bincount(x), "at[b].add(1)"),
        (lambda x: np.median(x), "np.sort(x)"),
        (lambda x: x[: x[0]], "i=atl.size"),
        (lambda x: np.split(x, N)[0], "reshape"),
    ],
)
def test_what_is_refused_says_what_to_write(function, says):
    function.__name__ = "refused"
    with pytest.raises(atl.Refused) as caught:
        atl.fn(x=f64[N])(function)
    assert says in caught.value.help[0], caught.value.help
    assert traceback.extract_tb(caught.value.__traceback__)[-1].filename == __file__


def test_what_the_help_says_of_functions_of_scipy_is_what_they_compute():
    def computed(x):
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True), np.log(e.sum(1)) + x.max(1)

    x = normal(4, 3)
    for ours, theirs in zip(atl.fn(x=f64[N, M], backend="cranelift")(computed)(x), (special.softmax(x, 1), special.logsumexp(x, 1)), strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_a_parameter_with_a_default_and_no_type_is_that():
    def scaled(x, by=3.0, where="valid"):
        return np.convolve(x, [by, 1.0], where)

    assert atl.fn(x=f64[N], backend="cranelift")(scaled)(np.ones(3)).tolist() == scaled(np.ones(3)).tolist()
    assert atl.fn(x=f64[N], by=f64, backend="cranelift")(scaled)(np.ones(3), 2.0).tolist() == [3.0, 3.0]
    with pytest.raises(atl.Refused, match="has no parameter `by`"):
        atl.fn(x=f64[N], backend="cranelift")(scaled)(np.ones(3), by=2.0)


@pytest.mark.parametrize(
    "function, where, says",
    [
        (lambda x, i: atl.gen(x[i + k] for k in atl.upto(4)), "0 <= i, i + 4 <= N", "i=atl.size"),
        (lambda x, i: i + x.shape[0], None, "atl.i64(N)"),
        (lambda x, i: atl.gen(x[k - k // 3 * 3 + 5] for k in x.shape[0]), None, "where='1 <= N'"),
    ],
)
def test_what_a_program_would_have_is_said_in_python(function, where, says):
    function.__name__ = "refused"
    with pytest.raises(atl.Refused) as caught:
        atl.fn(x=f64[N], i=i64, where=where)(function)
    assert says in caught.value.help[-1] and says in str(caught.value)
