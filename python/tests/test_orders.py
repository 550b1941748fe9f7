"""Operands whose axes lie in another order, as Fortran's do: read where they are, with the bits of those in C order."""

import itertools
import os
import warnings

import numpy as np
import pytest

import atl
from atl import f64

#: Kernels of operands with several axes, and of what shapes those are at sizes N, M, K.
KERNELS = {
    "matmul": ("fn f(a: f64[N, K], b: f64[K, M]) -> f64[N, M] { gen i < N, j < M { sum k < K { a[i, k] * b[k, j] } } }", ["NK", "KM"]),
    "blur": (
        """fn f(x: f32[N, M], w: f32[3]) -> f32[N, M] {
            let rows = gen y < N, x0 < M { sum r < 3 { w[r] * x?[y, x0 + r - 1] } };
            gen y < N, x0 < M { sum r < 3 { w[r] * rows?[y + r - 1, x0] } }
        }""",
        ["NM", "3"],
    ),
    "relax": (
        "fn f(d: min_plus<f64>[N, K], w: min_plus<f64>[K, M]) -> min_plus<f64>[N, M] { gen i < N, j < M { sum k < K { d[i, k] * w[k, j] } } }",
        ["NK", "KM"],
    ),
    "axes": ("fn f(x: f64[N, M, K], y: f64[M]) -> f64[N, K] { gen i < N, k < K { sum j < M { x[i, j, k] * y[j] } } }", ["NMK", "M"]),
    "results": ("fn f(x: i32[N, M]) -> (i32[N], i32[M, N]) { (gen i < N { max j < M { x[i, j] } }, gen j < M, i < N { (x[i, j]) * 2 }) }", ["NM"]),
    "helper": (
        """fn rows(x: f64[N, M]) -> f64[N] { gen i < N { sum j < M { x[i, j] } } }
        fn f(x: f64[N, M + 1], K: size) -> f64[N] where K <= M { (rows(x)) - gen i < N { x[i, K] } }""",
        ["N1", "0"],
    ),
}

#: Kernels whose orders are all tried: each is compiled for several seconds.
TRIED = list(KERNELS) if os.environ.get("ATL_ORDERS") else ["matmul", "results"]


def of_shape(rng, letters, sizes, elem):
    """An argument of this shape, in C order."""
    if letters == "0":
        return min(sizes["N"], sizes["M"])
    shape = [{"3": 3, "1": sizes["M"] + 1}.get(c) or sizes.get(c, 0) for c in letters]
    found = rng.integers(-9, 9, shape) if elem == "i32" else rng.random(shape)
    return found.astype({"i32": np.int32, "f32": np.float32, "f64": np.float64}[elem])


def turned(array, axes):
    """The same elements, the axis `axes[0]` outermost in memory."""
    return np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))


@pytest.mark.parametrize("name", TRIED)
def test_orders_of_operands_change_no_bit(name):
    text, shapes = KERNELS[name]
    kernel, rng = atl.compile(text, "f"), np.random.default_rng(7)
    elem = next(elem for elem in ("i32", "f32", "f64") if elem in text)
    for n, m, k in [(3, 5, 7), (0, 2, 1), (1, 1, 1), (2, 0, 3), (67, 37, 131), (1, 9, 4)]:
        given = [of_shape(rng, letters, {"N": n, "M": m, "K": k}, elem) for letters in shapes]
        expected = kernel(*given)
        orders = [list(itertools.permutations(range(np.ndim(x)))) for x in given]
        for choice in itertools.product(*orders):
            lying = [turned(x, axes) if np.ndim(x) > 1 else x for x, axes in zip(given, choice)]
            found = kernel(*lying, copy=False)
            pairs = zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]
            assert all(ours.tobytes() == theirs.tobytes() and ours.flags.c_contiguous for ours, theirs in pairs), (n, m, k, choice)
    assert kernel.stats.copies == 0


def test_large_operands_are_read_where_they_are():
    product = atl.compile("fn product(a: f64[N, M], x: f64[M]) -> f64[N] { gen i < N { sum j < M { a[i, j] * x[j] } } }")
    a, x = np.random.default_rng(0).random((401, 701)).T, np.ones(401)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (lambda: product(a, x), lambda: product(x=x, a=a), lambda: product(a, x, out=np.empty(701)), product.bind(a, x)):
            np.testing.assert_allclose(call(), a @ x)
    assert product.stats.copies == 0
    # What is wrong with a call is said of its arguments as they were given.
    for wrong in [(a, np.ones(3)), (a.astype(np.float32), x), (a[:, :5], x)]:
        with pytest.raises(atl.Refused) as turned_, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            product(*wrong)
        with pytest.raises(atl.Refused) as plain:
            product(*map(np.ascontiguousarray, wrong))
        assert str(turned_.value) == str(plain.value)


def test_small_ones_are_copied_until_a_kernel_for_their_order_is_worth_it():
    rows = atl.compile("fn rows(a: f32[N, M]) -> f32[N] { gen i < N { sum j < M { a[i, j] } } }")
    a = np.ones((300, 500), np.float32, order="F")
    for _ in range(40):
        np.testing.assert_array_equal(rows(a), np.full(300, 500))
    # Copies of 16 MiB, and then none.
    assert rows.stats.copies == (16 << 20) // a.nbytes == 27


def test_schedules_of_the_user_and_conditions_on_elements_copy():
    text = "fn f(x: f64[N, M]) -> f64[N] { gen i < N { sum j < M { x[i, j] } } }"
    gather = """fn gather(x: f64[K], at: i32[N, N]) -> f64[N, N] where all i < N, j < N { 0 <= at[i, j] < K && i <= at[i, j] } {
        gen i < N, j < N { x[at[i, j]] }
    }"""
    x = np.random.default_rng(0).random((5, 7))
    at = np.array([[0, 3], [1, 2]], np.int32)
    for kernel, given in [(atl.compile(text).split("i", by=2), (x,)), (atl.compile(gather), (np.arange(4.0), at))]:
        turned_ = [np.asfortranarray(array) for array in given]
        np.testing.assert_array_equal(kernel(*turned_), kernel(*given))
        with pytest.raises(atl.RefusedArgument, match="copy=False"):
            kernel(*turned_, copy=False)
    # In the other order it would hold.
    with pytest.raises(atl.Refused, match="does not hold"):
        atl.compile(gather)(np.arange(4.0), np.array([[0, 3], [0, 2]], np.int32, order="F"))


def test_bound_calls_read_what_strided_operands_hold_then():
    add = atl.compile("fn add(a: f64[N], p: bool[N], b: f64[N]) -> f64[N] { gen i < N { select(p[i], a[i], 0.0) + b[i] } }")
    a, b, p = np.arange(8.0), np.ones(8), np.ones(8, bool)
    call = add.bind(a[::2], p[::-2], b[:4])
    np.testing.assert_array_equal(call(), [1, 3, 5, 7])
    a[2], b[0], p[7] = 10, 5, False
    np.testing.assert_array_equal(call(), [5, 11, 5, 7])
    p.view(np.uint8)[3] = 7
    with pytest.raises(atl.RefusedArgument, match="truth values"):
        call()
    rows = atl.compile("fn rows(a: f64[N, M]) -> f64[N] { gen i < N { sum j < M { a[i, j] } } }").split("i", by=2)
    matrix = np.ones((3, 4), order="F")
    call = rows.bind(matrix)
    matrix[1, 2] = 5
    np.testing.assert_array_equal(call(), [4, 8, 4])


def test_copies_of_all_orders_and_steps():
    """Those that are made by tiles, too, of elements of each size."""
    rng = np.random.default_rng(3)
    kernels = {
        dtype: atl.compile(f"fn f(x: {name}[N, M, K]) -> {name}[N, M, K] {{ x }}", backend="cranelift")
        for name, dtype in {"i8": np.int8, "i16": np.int16, "f32": np.float32, "f64": np.float64}.items()
    }
    for dtype, kernel in kernels.items():
        for axes in itertools.permutations(range(3)):
            for steps in [(1, 1, 1), (2, 1, -1), (-1, 3, 2)]:
                memory = rng.integers(-100, 100, (9, 70, 13)).astype(dtype).transpose(axes)
                x = memory[tuple(slice(None, None, step) for step in steps)]
                np.testing.assert_array_equal(kernel(x), x)
        raw = np.zeros(8 * 200 + 1, np.uint8)[1:].view(dtype)[:180].reshape(3, 6, 10).T
        raw[...] = rng.integers(-100, 100, raw.shape)
        np.testing.assert_array_equal(kernel(raw), raw)


def test_traced_functions_and_einsum_read_fortran_order():
    N, M, K = atl.sizes("N M K")

    @atl.fn(x=f64[N, M])
    def centred(x):
        return (x - x.mean(axis=0)) / (1 + x.std(axis=0))

    x = np.random.default_rng(0).random((31, 17))
    np.testing.assert_array_equal(centred(np.asfortranarray(x), copy=False), centred(x))
    product = atl.einsum.compile("ij,jk->ik", (f64[M, K], f64[K, N]))
    np.testing.assert_allclose(product(x.T, x, copy=False), x.T @ x)
