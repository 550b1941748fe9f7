"""Functions of NumPy's on symbols: each means in a trace what it means to NumPy, from no elements on."""

import contextlib
import re

import numpy as np
import pytest

import atl
from atl import bool_, c64, c128, f32, f64, gen, i32, i64, u8, u32, u64

M, K, N = atl.sizes("M K N")
V, A, B, S = f64[N], f64[N, M], f64[M, N], f64[N, N]


def sobel(x):
    p = np.pad(x, 1)
    gx = p[:-2, :-2] + 2 * p[1:-1, :-2] + p[2:, :-2] - p[:-2, 2:] - 2 * p[1:-1, 2:] - p[2:, 2:]
    gy = p[:-2, :-2] + 2 * p[:-2, 1:-1] + p[:-2, 2:] - p[2:, :-2] - 2 * p[2:, 1:-1] - p[2:, 2:]
    return np.hypot(gx, gy)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True, initial=-np.inf)) if isinstance(x, np.ndarray) else np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(q, k, v):
    return softmax(q @ k.T / np.sqrt(q.shape[1])) @ v


def layer(x, g, b):
    mu, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return g * (x - mu) / np.sqrt(var + 1e-5) + b


def moving(x):
    c = np.concatenate([np.zeros_like(x[:1]), np.cumsum(x)])
    return (c[3:] - c[:-3]) / 3


def gray(x):
    r, g, b = x.transpose(2, 0, 1)
    return 0.299 * r + 0.587 * g + 0.114 * b


def pooled(x):
    n, m = x.shape
    return x[: n // 2 * 2, : m // 2 * 2].reshape(n // 2, 2, m // 2, 2).mean(axis=(1, 3))


def median(x):
    a, b, c = x[:-2], x[1:-1], x[2:]
    return a + b + c - np.maximum(np.maximum(a, b), c) - np.minimum(np.minimum(a, b), c)


def morton(x):
    x = (x | (x << 8)) & 0x00FF00FF
    x = (x | (x << 4)) & 0x0F0F0F0F
    x = (x | (x << 2)) & 0x33333333
    return (x | (x << 1)) & 0x55555555


def normalised(a):
    d = 1 / np.sqrt(a.sum(axis=1))
    return np.diag(a.sum(axis=1)) - d[:, None] * a * d


#: Functions with the types of their parameters.
SAME = {
    # Shapes that go together.
    "a row beside a matrix": (lambda x, y: x + y * 2, A, f64[M]),
    "a column beside a matrix": (lambda x, y: x * y[:, None] - x.mean(axis=1, keepdims=True), A, V),
    "an outer product": (lambda x, y: (np.outer(x, y), x[:, None] * y, np.subtract.outer(x, y)), V, f64[M]),
    "distances": (lambda x, y: ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=-1), f64[N, 5], f64[M, 5]),
    "conditions of rows": (lambda x, y: np.where((x > y) & (y < 0.5) | ~(x > 0.2), x, y), A, f64[M]),
    "products of many": (lambda x, y: x @ y, f64[3, N, M], f64[3, M, K]),
    "one for many": (lambda x, y: x @ y, f64[3, N, M], f64[M, K]),
    # Slices.
    "differences": (lambda x: (x[1:] - x[:-1], np.diff(x), np.diff(x, n=2)), V),
    "steps": (lambda x: (x[::2], x[1::3], x[::-1], x[::-2], x[-3:], x[:-3], x[2:4], x[-4:-1], x[5:2], x[4:1:-1]), V),
    "steps of few": (lambda x: (x[:, 1:], x[:, ::-1], x[:, -2:], x[:, 3:], x[..., 1], x[:, -1]), f64[N, 3]),
    "neighbours": (lambda x: x[1:-1, 2:] + x[1:-1, :-2] + x[2:, 1:-1] + x[:-2, 1:-1] - 4 * x[1:-1, 1:-1], A),
    "sobel": (sobel, A),
    "median": (median, V),
    "moving": (moving, V),
    "gray": (gray, f64[N, M, 3]),
    "pooled": (pooled, A),
    "halves": (lambda x: np.maximum(x[::2, ::2], x[1::2, 1::2]), f64[2 * N, 2 * M]),
    # Reductions.
    "statistics": (lambda x: ((x - x.mean(axis=0)) / x.std(axis=0), x.var(), np.ptp(x, axis=0)), A),
    "norms": (lambda x: (np.linalg.norm(x), np.linalg.norm(x, axis=1), np.linalg.norm(x, ord=1, axis=0)), A),
    "counts": (lambda x: (np.count_nonzero(x > 0.5), (x > 0.5).sum(axis=0), ((x > 0.5) & (x < 0.7)).any(axis=1)), A),
    "places": (lambda x: (np.argmax(x), x.argmin(axis=1), x.argmax(axis=0), np.argmax(x > 0.5, axis=1)), A),
    "softmax": (softmax, A),
    "attention": (attention, f64[N, 5], f64[N, 5], A),
    "layer": (layer, A, f64[M], f64[M]),
    "firsts": (lambda x: (x.cumsum(axis=0), np.cumsum(x, axis=1), np.cumprod(x, axis=-1), np.maximum.accumulate(x)), A),
    "sums of functions": (lambda x: (np.add.reduce(x), np.maximum.reduce(x, axis=1), np.multiply.accumulate(x)), A),
    # What moves elements.
    "rolled": (lambda x: (np.roll(x, 1, axis=0) + np.roll(x, -2, axis=1), np.roll(x, (1, 2), axis=(0, 1))), A),
    "padded": (lambda x: (np.pad(x, 1), np.pad(x, ((1, 0), (0, 2)), constant_values=3.0)), A),
    "flipped": (lambda x: np.flip(x, axis=0) + np.fliplr(x) + np.flipud(x), A),
    "reshaped": (lambda x: (x.reshape(-1), x.ravel(), x.reshape(-1, 1), x.T.flatten()), A),
    "split": (lambda x: x.reshape(-1, 4), f64[4 * N]),
    "joined": (lambda x, y: (np.concatenate([x, y, x]), np.stack([x, x], axis=1), np.hstack([x, y]), np.vstack([x, x])), V, f64[M]),
    "copies": (lambda x: (np.repeat(x, 3), np.tile(x, 2), np.broadcast_to(x, (3, x.shape[0]))), V),
    "axes": (lambda x: (np.swapaxes(x, 0, 2), np.moveaxis(x, 0, 1), np.expand_dims(x, 1).squeeze(1), np.transpose(x, (1, 0, 2))), f64[N, M, 3]),
    "axes in places": (lambda x: (np.moveaxis(x, (0, 1), (1, 0)), np.moveaxis(x, [0, 2], [-1, 0]), np.moveaxis(x, -1, 0)), f64[N, M, 3]),
    "diagonals": (
        lambda x: (np.trace(x, axis1=1, axis2=2), np.diagonal(x, axis1=0, axis2=2), x.diagonal(), x.trace(axis1=2, axis2=0), x.trace(0, -1, -2)),
        f64[N, M, 3],
    ),
    "odd numbers of truth values": (lambda x: (np.logical_xor.reduce(x > 0.5), np.logical_xor.reduce(x, axis=1)), A),
    "steps of truth values": (lambda x: (np.diff(x > 0.5), np.diff(x > 0.3, 2), np.diff(x > 0.5, axis=0, prepend=False)), A),
    "bins": (
        lambda x, y: (np.digitize(x, np.array([0.2, 0.5, 0.5, 0.9])), np.digitize(x, [0.9, 0.2], right=True), np.digitize(y, [3, 50])),
        V, i32[N],
    ),  # fmt: skip
    "triangles": (lambda x: (np.tril(x), np.triu(x, 1), np.diag(x), np.trace(x)), S),
    "filled": (lambda x: np.zeros_like(x) + 2 * np.ones_like(x) - np.full_like(x, 0.5), A),
    "products": (lambda x, y: (np.einsum("ij,ji->i", x, y), np.einsum("ij,jk", x, y), np.inner(x, x), np.vdot(x, x)), A, B),
    "products along axes": (lambda x, y: (np.tensordot(x, y, 1), np.tensordot(x, y, ((0, 1), (1, 0))), np.einsum("ij->j", x)), A, B),
    "rows of numbers": (
        lambda x: (np.array([x.sum(), x @ x]), np.stack([x.sum(), x.prod()]), np.array([[np.cos(x.sum()), 1], [0, 2.5]]), np.vstack([x, -x])),
        V,
    ),
    "convolved": (lambda x, w: (np.convolve(x, [1.0, 2, 0.5], "same"), np.convolve(x, [1, 2]), np.convolve(x, w, "full")), V, f64[K]),
    "kronecker": (lambda a, b: np.einsum("ij,kl->ikjl", a, b).reshape(a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), A, f64[K, 5]),
    "a laplacian": (normalised, S),
    # Element by element.
    "missing": (lambda x: (np.where(np.isnan(x), 0.0, x), np.nan_to_num(x), np.isfinite(x), np.isinf(x)), V),
    "quotients": (lambda x: (x // 0.3, x % 0.3, x % -0.3, -x // 0.25, divmod(x, 0.7)[0]), V),
    "powers": (lambda x: (x**2, x**0, x**-1, x**0.5, x**5, np.square(x), np.logaddexp(x, 1 - x)), V),
    "angles": (lambda x: (np.deg2rad(x), np.degrees(x), x.round(), np.round(x, 2), np.heaviside(x - 0.5, 0.5)), V),
    "logical": (lambda x: (np.logical_and(x > 0.3, x < 0.7), np.logical_not(x > 0.3), np.logical_xor(x > 0.3, x > 0.6), np.fmax(x, 0.5)), V),
    "chosen": (lambda x: (np.where(x > 0.5, 1.0, 0.0), np.where(x > 0.5, 1, 0), np.where(x > 0.5, 1.0, 0.0) * x, np.where(x > 0.5, x, 0)), f32[N]),
    "signs": (lambda x: (np.sign(x - 50), np.sign(x.astype(np.uint8)), np.sum(x.max()), abs(x - 50), np.floor(x), -x, np.clip(x, 20, 50)), i32[N]),
    # Types are widened.
    "integers and floats": (lambda x, y: (x * y, x / 3, x * 0.5, np.sqrt(x), (y > 0.5) * y, (y > 0.5) * 2), i32[N], V),
    "truth values": (
        lambda p, x, k: (p / x, k / x, p / p, (p * 3) / 2, np.square(p), p.max(), np.minimum(p, ~p), p.mean(), p.sum(), p @ p),
        bool_[N], f32[N], atl.i8[N],
    ),  # fmt: skip
    "integers": (lambda x, y: (x + y, x**6, np.maximum(x, y), x // 7, x % 7, x == y, np.exp(x * 0.1)), i32[N], i64[N]),
    "converted": (lambda x: (x.astype(np.float32) / 255, np.clip(x * 1.5, 0, 255).astype(np.uint8), x.astype(bool)), u8[N]),
    "bits": (lambda x: (morton(x), np.bitwise_xor.reduce(x), np.bitwise_or.reduce(x), np.left_shift(x, 3)), u32[N]),
    "random": (lambda x: (lambda y: y ^ (y >> 7))(x ^ (x << 13)), u64[N]),
    "floats of 32 bits": (lambda x: (x.mean(), x.std(), x * 0.1, np.linalg.norm(x), x @ x), f32[N]),
    # Complex numbers.
    "complex": (lambda z, w: (z * w + z / w - w, z == w, -z, z**3, np.conj(z) * 1j), c128[N], c128[N]),
    "complex parts": (lambda z: (z.real * 2, z.imag, abs(z), np.angle(z), z.conj() + (0.5 - 2j)), c64[N]),
    "complex and real": (lambda z, x, k: (z * x + x, x * z, z / x, x / z, (1 + 2j) * x, z * k - k), c128[N], V, i32[N]),
    "complex of two widths": (lambda z, x: z * x + 1, c64[N], V),
    "complex functions": (lambda z: (np.exp(z), np.sqrt(z), np.log(z), np.sin(z) * np.cos(z), z**2.5), c128[N]),
    "complex matrices": (lambda z, w: (z @ w, z.conj().T @ z, np.vdot(z, z), z.sum(axis=0), z.mean(), np.prod(z), z.prod(axis=1)), c128[N, M], c128[M]),
}


def array(ty, sizes, rng):
    """Numbers of a type."""
    elem = getattr(ty, "elem", ty)
    shape = tuple(eval(repr(extent), {}, sizes) for extent in getattr(ty, "extents", ()))
    if elem.numpy.startswith("complex"):
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(elem.numpy)
    if elem.numpy == "bool":
        return rng.random(shape) > 0.5
    return (rng.random(shape) + 0.1).astype(elem.numpy) if elem.numpy.startswith("float") else rng.integers(0, 100, shape).astype(elem.numpy)


def compare(found, wanted, what):
    for ours, theirs in zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]:
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, what
        tolerance = 1e-4 if theirs.dtype.name in ("float32", "complex64") else 1e-2 if theirs.dtype == np.float16 else 1e-9
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * 1e-2, err_msg=what)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", SAME)
def test_functions_mean_what_they_mean_to_numpy(name):
    function, *types = SAME[name]
    names = function.__code__.co_varnames[: len(types)]
    function.__name__ = "f"
    kernel = atl.fn(backend="cranelift", **dict(zip(names, types)))(function)
    compared = 0
    for n in (0, 1, 3, 7, 20):
        rng = np.random.default_rng(n)
        sizes = {"N": n, "M": n + 2 if n < 20 else 13, "K": min(n, 3)}
        arrays = [array(ty, sizes, rng) for ty in types]
        try:
            wanted = function(*arrays)
        except (ValueError, IndexError):
            # Of no elements NumPy has no maximum.
            assert n <= 1, name
            continue
        compare(kernel(*arrays), wanted, f"{name}, {n}")
        compared += 1
    assert compared >= 3


def test_a_shape_that_does_not_fit_is_refused_at_the_call():
    @atl.fn(x=V)
    def f(x):
        return x.reshape(-1, 4)

    assert "where N == N / 4 * 4" in f.text
    np.testing.assert_array_equal(f(np.arange(8.0)), np.arange(8.0).reshape(-1, 4))
    with pytest.raises(atl.Refused, match="E0506"):
        f(np.arange(7.0))


#: Functions of arrays whose shapes do not fit, or do so for some sizes alone.
MISFITS = {
    "a longer row": (lambda x, y: x + y, A, f64[M + 1], False),
    "a longer vector": (lambda x, y: x * 2 + y, V, f64[N + 1], False),
    "of a sum": (lambda x, y: (x * 2 + y).sum(), V, f64[N + 1], False),
    "another size": (lambda x, y: x + y, V, f64[M], False),
    "a product": (lambda x, y: x @ y, A, f64[M + 1, K], True),
    "a product of vectors": (lambda x, y: np.dot(x, y), V, f64[M], True),
    "index notation": (lambda x, y: np.einsum("ij,jk->ik", x, y), A, f64[M + 1, K], True),
    "side by side": (lambda x, y: np.concatenate([x, y]), A, f64[N, K], True),
    "a stack": (lambda x, y: np.stack([x, y]), V, f64[M], True),
}


@pytest.mark.parametrize("name", MISFITS)
def test_shapes_that_do_not_fit_are_refused(name):
    function, left, right, by_the_call = MISFITS[name]
    try:
        kernel = atl.fn(x=left, y=right)(named(function))
    except atl.Refused as refused:
        assert not by_the_call and refused.code in ("E0232", "E0401"), refused
        return
    assert by_the_call, kernel.text
    sizes = {"N": 3, "M": 5, "K": 4}
    with pytest.raises(atl.Refused, match="E0506"):
        kernel(*(array(ty, sizes, np.random.default_rng(0)) for ty in (left, right)))


def test_bounds_of_bins_rise_or_fall():
    @atl.fn(x=V, bounds=f64[K])
    def f(x, bounds):
        return np.digitize(x, bounds), np.digitize(x, bounds, right=True)

    x = np.array([-np.inf, -2.0, 0.0, 0.5, 1.0, 2.0, 3.0, np.inf, np.nan])
    for bounds in ([0.0, 1.0, 2.0], [2.0, 1.0, 0.0], [1.0, 1.0, 2.0], [2.0, 2.0, 1.0], [1.0, 1.0], [0.5]):
        compare(f(x, np.array(bounds)), (np.digitize(x, bounds), np.digitize(x, bounds, right=True)), f"{bounds}")


#: Widths and modes of what stands around an array.
MODES = [(2, "reflect"), ((2, 1), "wrap"), (2, "edge"), ((3, 2), "symmetric")]


def test_places_that_need_a_size():
    @atl.fn(x=V, at=i64[K], where="3 <= N, all k < K { 0 <= at[k] < N }")
    def f(x, at):
        return x[-1] + x[0], x[at], np.take(x, at), *(np.pad(x, w, mode=m) for w, m in MODES)

    for n in (3, 7):
        x, at = np.random.default_rng(n).random(n), np.array([2, 0, 1])
        compare(f(x, at), (x[-1] + x[0], x[at], x[at], *(np.pad(x, w, mode=m) for w, m in MODES)), "places")


@pytest.mark.parametrize("width, mode, least", [(2, "reflect", 3), ((2, 0), "symmetric", 2), (2, "edge", 1), (3, "wrap", 1)])
def test_each_call_checks_that_there_is_what_stands_around_an_array(width, mode, least):
    function = named(lambda x: np.pad(x, width, mode=mode))
    f = atl.fn(x=V)(function)
    for n in range(least, 5):
        compare(f(np.arange(1.0, n + 1)), function(np.arange(1.0, n + 1)), f"{mode} of {n}")
    with pytest.raises(atl.Refused, match=f"`{least} <= N` does not hold"):
        f(np.ones(least - 1))
    with pytest.raises(atl.Refused, match="pad by less") if mode in ("reflect", "symmetric") else contextlib.nullcontext():
        atl.fn(x=f64[max(least - 1, 1)])(function)


def test_slices_by_sizes_are_proved():
    with pytest.raises(atl.Refused) as caught:
        atl.fn(x=V, K=atl.size)(named(lambda x, K: x[K:]))
    assert caught.value.code == "E0403"

    @atl.fn(x=V, K=atl.size, where="K <= N")
    def f(x, K):
        return x[K:], x[:K]

    compare(f(np.arange(5.0), K=2), (np.arange(2.0, 5), np.arange(2.0)), "slices")


def named(function):
    function.__name__ = "f"
    return function


REFUSED = {
    "a mask": (lambda x: x[x > 0], "np.where"),
    "a step that is a size": (lambda x: x[::N], "gen"),
    "an assignment": (lambda x: x.__setitem__(0, 1), "x.at"),
    "a range": (lambda x: x * np.arange(N), "atl.arange"),
    "two shapes of -1": (lambda x: x.reshape(-1, -1), "name the other"),
    "a power of integers": (lambda x: x.astype(int) ** x.astype(int), "f64"),
    "sizes that may be one": (lambda x: x.squeeze(), "squeeze\\(0\\)"),
    "too many axes": (lambda x: x[0, ..., 0, 0], "one index for each"),
    "an option": (lambda x: np.sum(x, out=np.zeros(2)), "keepdims"),
    "a function": (lambda x: np.unwrap(x), "np.cumsum"),
    "an axis that is named twice": (lambda x: np.moveaxis(x[:, None], (0, 0), (0, 1)), "each axis once"),
    "a diagonal beside the middle": (lambda x: np.diagonal(x[:, None] * x, 1), "x\\[:, 1:\\]"),
    "an array at the end": (lambda x: np.append(x, x), "concatenate"),
    "a number as a range": (lambda x: gen(x[i] for i in 2), "atl.upto\\(3\\)"),
    "steps of another function": (lambda x: np.logaddexp.accumulate(x), "atl.scan\\(N, lambda t, s: np.logaddexp\\(s, x\\[t\\]\\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_meaning_is_refused_with_what_to_type(name):
    function, says = REFUSED[name]
    with pytest.raises(atl.Refused) as caught:
        atl.fn(x=V)(named(function))
    assert re.search(says, caught.value.help[0]), caught.value.help


def test_a_spectrum_is_a_sum():
    @atl.fn(x=c128[N])
    def spectrum(x):
        return gen(atl.sum(x[j] * np.exp(-2j * np.pi * k * j / N) for j in N) for k in N)

    # The exponential of an imaginary number has no exponential in it.
    assert "exp" not in spectrum.text
    for n in (0, 1, 3, 7, 16):
        z = array(c128[N], {"N": n}, np.random.default_rng(n))
        np.testing.assert_allclose(spectrum(z), np.fft.fft(z) if n else z, rtol=1e-9, atol=1e-9)


def test_complex_states():
    @atl.fn(c=c128[N])
    def escaped(c):
        return atl.iterate(20, lambda t, z: np.where(abs(z) < 2, z * z + c, z), np.zeros_like(c))

    @atl.fn(x=c128[N])
    def filtered(x):
        return atl.scan(N, lambda t, s: s * 0.5j + x[t], 0j)

    c = array(c128[N], {"N": 9}, np.random.default_rng(1))
    z, s = np.zeros_like(c), [0j]
    for _ in range(20):
        z = np.where(abs(z) < 2, z * z + c, z)
    for e in c:
        s.append(s[-1] * 0.5j + e)
    np.testing.assert_allclose(escaped(c), z)
    np.testing.assert_allclose(filtered(c), s)
