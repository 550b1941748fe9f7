"""Calls: arrays in, arrays out, and what is refused."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import atl

ADD = "fn add(a: f32[N], b: f32[N]) -> f32[N] { gen i < N { a[i] + b[i] } }"
MATMUL = """fn matmul(a: f64[M, K], b: f64[K, N]) -> f64[M, N] {
    gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } }
}
schedule rows of matmul { parallel i; }"""
PRODUCT = atl.compile(MATMUL)


@pytest.fixture(scope="module")
def add():
    return atl.compile(ADD)


@pytest.fixture(scope="module")
def matmul():
    return atl.compile(MATMUL)


def f32(*values):
    return np.array(values, dtype=np.float32)


def test_by_position_and_by_name(add):
    a, b = f32(1, 2), f32(3, 5)
    for result in [add(a, b), add(a, b=b), add(b=b, a=a)]:
        np.testing.assert_array_equal(result, f32(4, 7))
        assert result.dtype == np.float32


@pytest.mark.parametrize("backend", ["c", "cranelift", "loops", "interp"])
def test_every_back_end_has_the_same_bits(backend):
    kernel = atl.compile(MATMUL, backend=backend)
    rng = np.random.default_rng(0)
    a, b = rng.random((5, 7)), rng.random((7, 3))
    assert kernel(a, b).tobytes() == atl.compile(MATMUL)(a, b).tobytes()
    np.testing.assert_allclose(kernel(a, b), a @ b)


def test_results_without_dimensions_are_numbers():
    dot = atl.compile("fn dot(x: f64[N], y: f64[N]) -> f64 { sum i < N { x[i] * y[i] } }")
    result = dot(np.arange(4.0), np.arange(4.0))
    assert result == 14 and isinstance(result, np.float64)


def test_numbers_fit_exactly():
    scale = atl.compile("fn scale(x: f32[N], c: f32) -> f32[N] { gen i < N { c * x[i] } }")
    for c in [2, 2.0, np.float32(2)]:
        np.testing.assert_array_equal(scale(f32(1, 3), c), f32(2, 6))
    for c in [2**24 + 1, np.float64(2), "2", 1e300, True]:
        with pytest.raises(atl.RefusedArgument, match="E0505"):
            scale(f32(1), c)
    count = atl.compile("fn count(x: i32[N], c: i32) -> i32[N] { gen i < N { c + x[i] } }")
    for c in [1.0, 2**31, np.int64(1)]:
        with pytest.raises(atl.RefusedArgument, match="E0505"):
            count(np.zeros(2, np.int32), c)


def test_sizes_that_no_array_gives():
    head = atl.compile("fn head(x: f64[N], K: size) -> f64[K] where K <= N { gen i < K { x[i] } }")
    np.testing.assert_array_equal(head(np.arange(4.0), K=2), [0, 1])
    np.testing.assert_array_equal(head(np.arange(4.0), 3), [0, 1, 2])
    with pytest.raises(atl.Refused, match="E0506"):
        head(np.arange(4.0), K=5)
    with pytest.raises(atl.RefusedArgument) as caught:
        head(np.arange(4.0))
    assert caught.value.code == "E0507" and caught.value.help == ["give it as an argument: `K=..`"]


def test_out(add):
    a, b, out = f32(1, 2), f32(3, 5), np.zeros(2, np.float32)
    assert add(a, b, out=out) is out
    np.testing.assert_array_equal(out, f32(4, 7))
    frozen = np.zeros(2, np.float32)
    frozen.flags.writeable = False
    swapped = np.zeros(2, np.dtype(np.float32).newbyteorder())
    for wrong in [np.zeros(3, np.float32), np.zeros(2), np.zeros(4, np.float32)[::2], frozen, swapped, [0, 0]]:
        with pytest.raises(atl.RefusedArgument, match="cannot store its result in `out`"):
            add(a, b, out=wrong)


def test_an_out_that_overlaps_an_argument_is_refused(add):
    memory = np.arange(8, dtype=np.float32)
    before = memory.copy()
    for out in [memory[:4], memory[3:7], np.frombuffer(memory, np.float32)[:4]]:
        with pytest.raises(atl.RefusedArgument, match="overlaps"):
            add(memory[:4], memory[4:].copy(), out=out)
        np.testing.assert_array_equal(memory, before)
    add(memory[:4], memory[:4], out=memory[4:])
    np.testing.assert_array_equal(memory, [0, 1, 2, 3, 0, 2, 4, 6])


def test_calls_that_repeat_look_at_each_argument_again():
    total = atl.compile("fn f(a: f32[N], b: f32[N], c: f32[N], d: f32[M]) -> f32[N] { gen i < N { a[i] + b[i] + c[i] + sum j < M { d[j] } } }")
    a, b, c, d, out = f32(1, 2), f32(3, 5), f32(10, 20), f32(100, 100, 100), np.zeros(2, np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(total(a, b, c, d, out=out), [314, 327])
        np.testing.assert_array_equal(total(a, b, c, d, out=None), [314, 327])
    for k in range(3):
        given = [a.copy(), b.copy(), c.copy()]
        with pytest.raises(atl.RefusedArgument, match="overlaps"):
            total(*given, d, out=given[k])
        given[k] = given[k].astype(np.float64)
        with pytest.raises(atl.RefusedArgument, match="has elements of type f64"):
            total(*given, d, out=out)
        given[k] = np.ones(3, np.float32)
        with pytest.raises(atl.RefusedArgument, match="extent"):
            total(*given, d, out=out)
    with pytest.raises(atl.RefusedArgument, match="overlaps"):
        total(a, b, c, d, out=d[1:])
    np.testing.assert_array_equal(total(a[::-1], b, c, d[:1]), [115, 126])
    np.testing.assert_array_equal(total(a, b, c, d, copy=False, out=out), [314, 327])


def test_a_parameter_may_have_the_name_of_an_option():
    double = atl.compile("fn f(out: f32[N]) -> f32[N] { gen i < N { out[i] + out[i] } }")
    for _ in range(2):
        np.testing.assert_array_equal(double(f32(1, 2)), f32(2, 4))
        np.testing.assert_array_equal(double(out=f32(1, 2)), f32(2, 4))


def test_where_the_schedule_says_so_the_result_is_stored_over_an_argument(add):
    over = add.reuse("a")
    a, b = f32(1, 2), f32(3, 5)
    assert over(a, b, out=a) is a
    np.testing.assert_array_equal(a, f32(4, 7))
    with pytest.raises(atl.RefusedArgument, match="overlaps"):
        over(a, b, out=b)
    with pytest.raises(atl.RefusedArgument, match="overlaps"):
        over(a, a, out=a)
    memory = np.arange(5, dtype=np.float32)
    with pytest.raises(atl.RefusedArgument, match="overlaps"):
        over(memory[:4], memory[:4].copy(), out=memory[1:])


def test_arrays_are_read_where_they_are(add):
    a = f32(1, 2)
    a.flags.writeable = False
    before = add.copies
    add(a, a, copy=False)
    assert add.copies == before
    add(np.zeros(4, np.float32)[::2], a)
    assert add.copies == before + 1
    with pytest.raises(atl.RefusedArgument, match="copy=False"):
        add(np.zeros(4, np.float32)[::2], a, copy=False)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (np.zeros(2), "float64|f64"),
        (np.zeros(2, np.int32), "i32"),
        (np.zeros(2, np.float16), "float16|f16"),
        (np.zeros(2, np.complex64), "complex64"),
        (np.zeros(2, ">f4"), ">f4"),
        (np.array([None, 1]), "object"),
        (np.ma.zeros(2, np.float32), "masked"),
        ([1.0, 2.0], "list"),
        (np.zeros((2, 2), np.float32), "2 dimensions"),
        (None, "NoneType"),
        (np.zeros(3, np.float32), "extent"),
    ],
)
def test_no_cast_is_made(add, wrong, says):
    with pytest.raises(atl.RefusedArgument, match=says) as caught:
        add(f32(1, 2), wrong)
    assert caught.value.help, "it says what to type"


def test_truth_values_are_0_and_1():
    anyone = atl.compile("fn anyone(m: bool[N]) -> bool { any i < N { m[i] } }")
    assert anyone(np.array([False, True])) and not anyone(np.array([False]))
    with pytest.raises(atl.RefusedArgument, match="0 and 1"):
        anyone(np.array([0, 2], np.uint8).view(bool))
    with pytest.raises(atl.RefusedArgument, match="0 and 1"):
        anyone(np.array([0, 2, 2, 2], np.uint8).view(bool)[::2])


def test_arguments_that_do_not_fit(add):
    a = f32(1, 2)
    for call in [
        lambda: add(a),
        lambda: add(a, a, a),
        lambda: add(a, c=a),
        lambda: add(a, a, b=a),
        lambda: add(a, a, N=3),
    ]:
        with pytest.raises(atl.RefusedArgument) as caught:
            call()
        assert isinstance(caught.value, (TypeError, ValueError))
        assert "--set" not in str(caught.value) and "--in" not in str(caught.value), "it speaks of Python"


def shapes(kind, array):
    """The array, as it may lie in memory otherwise."""
    if kind == "fortran":
        return np.asfortranarray(array)
    if kind == "reversed":
        return array[::-1, ::-1].copy()[::-1, ::-1]
    if kind == "sliced":
        wide = np.zeros((array.shape[0] * 2, array.shape[1] * 3 + 1))
        wide[::2, 1::3] = array
        return wide[::2, 1::3]
    if kind == "transposed":
        return array.T.copy().T
    if kind == "unaligned":
        raw = np.zeros(array.nbytes + 1, np.uint8)
        raw[1:].view(np.float64).reshape(array.shape)[...] = array
        return raw[1:].view(np.float64).reshape(array.shape)
    if kind == "broadcast":
        return np.broadcast_to(array[:1], array.shape)
    if kind == "matrix":
        return array.view(np.matrix)
    return array


KINDS = ["plain", "fortran", "reversed", "sliced", "transposed", "unaligned", "broadcast", "matrix"]


@settings(max_examples=300, deadline=None)
@given(
    st.tuples(*[st.integers(0, 5)] * 3),
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
    st.integers(0, 2**32),
)
def test_operands_in_any_order_of_memory(sizes, first, second, seed):
    (m, k, n), rng = sizes, np.random.default_rng(seed)
    a, b = shapes(first, rng.random((m, k))), shapes(second, rng.random((k, n)))
    np.testing.assert_allclose(PRODUCT(a, b), np.asarray(a) @ np.asarray(b), rtol=1e-12, strict=True)


def test_threads_are_a_matter_of_the_call():
    kernel = atl.compile(MATMUL).schedule("rows")
    a = np.random.default_rng(1).random((64, 64))
    one = kernel(a, a, threads=1)
    np.testing.assert_array_equal(one, kernel(a, a, threads=2))


def test_kernels_may_be_called_by_several_threads(matmul):
    a = np.random.default_rng(2).random((30, 30))
    expected, wrong = matmul(a, a), []

    def call():
        for _ in range(50):
            if not np.array_equal(matmul(a, a), expected):
                wrong.append(1)

    threads = [threading.Thread(target=call) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def test_a_bound_call_reads_what_the_arrays_hold(add):
    a, b, out = f32(1, 2), f32(3, 5), np.zeros(2, np.float32)
    call = add.bind(a, b, out=out)
    assert call() is out
    np.testing.assert_array_equal(out, f32(4, 7))
    a[:] = 10
    call()
    np.testing.assert_array_equal(out, f32(13, 15))
    fresh = add.bind(a, b)
    first = fresh()
    assert fresh() is not first
    # The arrays live as long as the call.
    alone = add.bind(np.arange(1000, dtype=np.float32), np.ones(1000, np.float32))
    np.testing.assert_array_equal(alone(), np.arange(1000) + 1)
    for wrong in [lambda: add.bind(a), lambda: add.bind(a, a, out=a), lambda: add.reuse("a").bind(a, b, out=a)]:
        with pytest.raises(atl.Refused):
            wrong()


def test_a_bound_call_checks_what_it_relies_on():
    gather = atl.compile(
        "fn gather(x: f64[N], at: i32[K]) -> f64[K] where all p < K { 0 <= at[p] < N } { gen p < K { x[at[p]] } }"
    )
    x, at = np.arange(4.0), np.array([3, 0], np.int32)
    call = gather.bind(x, at)
    np.testing.assert_array_equal(call(), [3, 0])
    at[0] = 2
    np.testing.assert_array_equal(call(), [2, 0])
    at[0] = 4
    with pytest.raises(atl.Refused, match="E0506"):
        call()


def test_other_threads_run_while_a_kernel_does(matmul):
    a = np.random.default_rng(3).random((500, 500))
    matmul(a, a)
    ended, counted = threading.Event(), []

    def count():
        n = 0
        while not ended.is_set():
            n += 1
        counted.append(n)

    counter = threading.Thread(target=count)
    counter.start()
    matmul(a, a)
    ended.set()
    counter.join()
    # With the lock kept, a thread that counts gets no turn until the call has ended.
    assert counted[0] > 1000


class Exporter:
    """An array that is known by DLPack alone."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_arrays_of_other_libraries(add):
    a = f32(1, 2)
    before = add.copies
    np.testing.assert_array_equal(add(Exporter(a), a, copy=False), f32(2, 4))
    assert add.copies == before
    with pytest.raises(atl.RefusedArgument, match="cpu()"):
        add(Exporter(a, device=2), a)


@pytest.mark.parametrize("results", ["f64[N]", "(f64[N], f64)", "f16[N]", "bool[N]"])
def test_a_result_that_memory_does_not_hold(results):
    one = "true" if "bool" in results else "1.0"
    body = f"gen i < N {{ {one} }}"
    f = atl.compile(f"fn f(N: size) -> {results} {{ {f'({body}, 2.0)' if ',' in results else body} }}")
    with pytest.raises(MemoryError, match="Unable to allocate"):
        f(N=2**46)
    # Both ways to make an array.
    for n in (3, 2**20 + 1):
        found = f(N=n)
        assert np.all((found[0] if isinstance(found, tuple) else found) == 1)


def test_many_calls_keep_no_memory(add):
    resource = pytest.importorskip("resource")
    a, out = f32(*range(1000)), np.zeros(1000, np.float32)

    def calls(n):
        for _ in range(n):
            add(a, a, out=out)
            add(a, a)
            with pytest.raises(atl.Refused):
                add(a)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = calls(300)
    assert calls(3000) - before < 2048
