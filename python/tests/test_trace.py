"""Traced functions: their text, their results, and what is refused at which line."""

import builtins
import functools
import importlib.util
import inspect
import itertools
import keyword
import linecache
import math
import pathlib
import py_compile
import re
import subprocess
import sys
import traceback
import zipfile

import numpy as np
import pytest

import atl
from atl import f32, f64, gen, i32, max, sum
from atl.trace import expr
from atl.trace.function import parameters_of
from atl.trace.functions import FUNCTIONS
from atl.trace.scopes import SCOPES, Scope
from atl.trace.words import KEYWORDS

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
M, K, N = atl.sizes("M K N")


@atl.fn(a=f32[M, K], b=f32[K, N])
def matmul(a, b):
    return gen(sum(a[i, k] * b[k, j] for k in K) for i in M for j in N)


@atl.fn(img=f32[N, M])
def blur(img):
    """A 3x3 box blur in two stages: three neighbours of a row, then three of a column. Outside the image is zero."""
    bx = atl.let(bx=gen(img.get(y, x - 1) + img[y, x] + img.get(y, x + 1) for y in N for x in M))
    return gen((bx.get(y - 1, x) + bx[y, x] + bx.get(y + 1, x)) / 9.0 for y in N for x in M)


@atl.fn(x=f32[N, M])
def softmax(x):
    """The softmax of every row. The largest entry is taken away first, so that no exponential overflows; the row is divided by
    its sum in one division and many products."""

    def row(i):
        top = atl.let(top=max(x[i, j] for j in M))
        e = atl.let(e=gen(atl.exp(x[i, j] - top) for j in M))
        total = atl.let(total=sum(e[j] for j in M))
        share = atl.let(share=1 / total)
        return gen(e[j] * share for j in M)

    return gen(row(i) for i in N)


def head_of(example):
    """The first function of an example, without imports and schedules."""
    text = (EXAMPLES / example).read_text()
    start = text.index("///")
    return text[start : text.index("\n}\n") + 3]


@pytest.mark.parametrize("kernel, example", [(blur, "blur.atl"), (softmax, "softmax.atl")])
def test_traced_functions_are_the_examples(kernel, example):
    assert kernel.text == head_of(example)


def test_results():
    rng = np.random.default_rng(0)
    a, b = rng.random((4, 5)).astype(np.float32), rng.random((5, 3)).astype(np.float32)
    np.testing.assert_allclose(matmul(a, b), a @ b, rtol=1e-6)
    assert matmul.text == (
        "fn matmul(a: f32[M, K], b: f32[K, N]) -> f32[M, N] {\n"
        "    gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } }\n}\n"
    )
    e = np.exp(a - a.max(1, keepdims=True))
    np.testing.assert_allclose(softmax(a), e / e.sum(1, keepdims=True), rtol=1e-6)
    img = rng.random((40, 50)).astype(np.float32)
    fast = blur.tile("y, x", by=(16, 16)).compute("bx", at="x.o").peel()
    np.testing.assert_array_equal(fast(img), blur(img))


def test_every_function_of_floats_is_there():
    page = (EXAMPLES.parent / "docs/book/src/functions.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)\((.*?)\)` \|", page, re.MULTILINE))
    assert rows.keys() | {"abs", "clz", "ctz", "mulhi", "popcount"} == FUNCTIONS.keys() and len(rows) > 30
    x = np.random.default_rng(5).random((3, 100)) + 0.25
    for name, operands in rows.items():
        count = len(operands.split(", "))
        assert name in atl.__all__ and getattr(atl, name) is FUNCTIONS[name]

        @atl.fn(x=f64[3, N])
        def apply(x):
            return gen(FUNCTIONS[name](*(x[k, i] for k in range(count))) for i in N)

        truth = UFUNCS_OF.get(name) or getattr(np, name, None) or np.vectorize(getattr(math, name))
        np.testing.assert_allclose(apply(x), truth(*x[:count]), rtol=1e-15, atol=1e-16, err_msg=name)
    with pytest.raises(TypeError, match="takes 2 numbers"):
        atl.pow(x[0, 0])


#: What NumPy calls otherwise, or does not have.
UFUNCS_OF = {
    "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "atan2": np.arctan2, "exp10": lambda x: np.power(10.0, x),
    "fma": lambda x, y, z: x * y + z, "pow": np.power, "round": np.rint, "rsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip


def test_integers_have_bits_and_conditions_do_not():
    @atl.fn(x=atl.u32[N], y=atl.u32[N])
    def mixed(x, y):
        return gen((x[i] & 255 | y[i] << 8) ^ ~x[i] >> 3 ^ atl.popcount(y[i]) + atl.mulhi(x[i], 7) % 5 for i in N)

    x, y = np.random.default_rng(6).integers(0, 2**32, (2, 100), dtype=np.uint32)
    high = (x.astype(np.uint64) * 7 >> 32).astype(np.uint32)
    expected = (x & 255 | y << 8) ^ ~x >> 3 ^ np.bitwise_count(y) + high % 5
    np.testing.assert_array_equal(mixed(x, y), expected)

    @atl.fn(x=atl.i32[N], b=atl.bool_[N])
    def both(x, b):
        return gen((x[i] & 1 == 0) & b[i] | ~b[i] ^ (x[i] > 5) for i in N)

    x, b = np.arange(10, dtype=np.int32), np.arange(10) % 3 == 0
    np.testing.assert_array_equal(both(x, b), (x & 1 == 0) & b | ~b ^ (x > 5))


def test_python_is_the_macro_language():
    taps = [0.25, 0.5, 0.25]

    def stencil(x, i):
        return sum(x.get(i + k - 1) * taps[k] for k in range(3))

    @atl.fn(x=f64[N])
    def smooth(x):
        return gen(stencil(x, i) for i in N)

    x = np.arange(5.0)
    np.testing.assert_allclose(smooth(x), np.convolve(x, taps, "same"))


def test_operands_that_stay_as_they_are_are_those_of_the_rules(monkeypatch):
    """Of all pairs: where the quick answer is one, it is that of NumPy's rules for types and shapes."""
    types = [getattr(atl, name) for name in "f16 bf16 f32 f64 i8 i32 u64 bool_ c64 c128".split()]
    shape, found = f64[N].extents, 0
    symbols = [expr.Expr("name", (f"x{k}",), "value", elem, of) for k, elem in enumerate(types) for of in ((), shape, f64[3].extents)]
    symbols += [N, N + 1, expr.Expr("name", ("t",), "value", atl.f64.over("min_plus")), N < 3, expr.as_expr(2), expr.as_expr(2.5), f64(2) < 3]
    monkeypatch.setattr(SCOPES, "open", [Scope()])
    for a, b in itertools.product(symbols, [*symbols, 2, 2.5, True, 1j, np.float32(2), np.int64(2)]):
        quick = expr.alike_as_they_are(a, b)
        if quick is None:
            continue
        found += 1
        for e, other in zip(quick, expr.alike(a, b), strict=True):
            assert e is other or (e.op, e.args, e.sort, e.elem) == (other.op, other.args, other.sort, other.elem), (a, b)
        for op in ("+", "*", *("/" * expr.is_real(a))):
            one, other = expr.made(op, quick, a), expr.divide(a, b) if op == "/" else expr.binary(op, a, b)
            assert (one.op, one.sort, one.elem, one.shape) == (other.op, other.sort, other.elem, other.shape), (op, a, b)
    assert found > 60


def test_parameters_are_those_of_the_signature():
    def plain(a, /, b, c=1, *, d, e=2): ...

    @functools.wraps(plain)
    def wrapped(x): ...

    for function in [plain, wrapped, lambda: 0, lambda x, *others, y, **named: 0, functools.partial(plain, 1), plain.__get__(0)]:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        assert list(parameters_of(function).items()) == [(p.name, p.default is not p.empty) for p in parameters]


def test_a_condition_that_cannot_be_read_is_refused_once():
    for where in ["(N <= 3", "N <=", "N <= 3}"]:
        with pytest.raises(atl.Refused) as caught:
            atl.fn(x=f64[N], where=where)(matmul_of_none)
        assert caught.value.code.startswith("E01") and caught.value.__cause__ is None and caught.value.__suppress_context__


def matmul_of_none(x):
    return gen(x[i] for i in N)


def test_results_that_are_none():
    def nothing(x):
        x + 1

    def named(x):
        return {"x": x + 1}

    def any_number(*x):
        return x[0] + 1

    for function, says in [(nothing, "end it by `return`"), (named, "`return a, b`"), (any_number, "has no parameter `x`")]:
        with pytest.raises(atl.Refused, match=re.escape(says)):
            atl.fn(x=f64[N])(function)
    with pytest.raises(atl.Refused, match="leave it out"):
        atl.fn(x=f64[N])(lambda x: x[0].item())


def test_sizes_and_preconditions():
    T = atl.elem("f32 f64")

    @atl.fn(x=T[N], K=atl.size, where="K <= N")
    def head(x, K):
        return gen(atl.where(x[i] < 0, 0, x[i]) for i in K)

    for dtype in (np.float32, np.float64):
        result = head(np.array([1, -2, 3], dtype), K=2)
        np.testing.assert_array_equal(result, [1, 0])
        assert result.dtype == dtype
    with pytest.raises(atl.Refused, match="E0506"):
        head(np.zeros(2), K=3)
    with pytest.raises(atl.Refused, match="E0505"):
        head(np.zeros(2, np.int32), K=1)


def test_one_size():
    L = atl.size("L")

    @atl.fn(x=f64[L], K=atl.size, where="K <= L")
    def head(x, K):
        return gen(2 * x[i] for i in K)

    np.testing.assert_array_equal(head(np.ones(3), K=2), [2, 2])
    with pytest.raises(atl.Refused, match="not a name of a size"):
        atl.size("L M")
    (one,) = atl.sizes("L")
    assert one.args == L.args and atl.sizes("L M")[1].args == ("M",)


def test_a_tuple_of_one_size_is_refused_with_what_to_type():
    tuple_of_one = atl.sizes("L")
    for made in (
        lambda: atl.fn(x=f64[tuple_of_one])(lambda x: gen(2 * x[i] for i in tuple_of_one)),
        lambda: atl.fn(x=f64[N])(lambda x: gen(sum(x[i] for j in tuple_of_one) for i in N)),
        lambda: atl.fn(x=f64[N])(lambda x: gen(x[i + k] for i in N for k in tuple_of_one)),
        lambda: atl.fn(x=f64[N])(lambda x: x / tuple_of_one),
        lambda: atl.fn(x=f64[N])(lambda x: gen(x[i] for i in atl.upto(tuple_of_one))),
    ):
        with pytest.raises(atl.Refused, match="a tuple of 1") as caught:
            made()
        assert caught.value.help == ['write `L, = atl.sizes("L")` or `L = atl.size("L")`']
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert last.filename == __file__

    with pytest.raises(atl.Refused, match="a tuple of 1"):
        f64[tuple_of_one, 3]

    # A function may take the tuple apart: that does not loop over it.
    @atl.fn(x=f64[N])
    def f(x):
        (n,) = atl.sizes("N")
        return gen(x[i] for i in n)

    np.testing.assert_array_equal(f(np.ones(2)), np.ones(2))


def traced(**types):
    """The body that `@atl.fn` writes for a function of these types."""

    def of(function):
        return atl.fn(**types)(function).text.partition("{\n")[2][4:-3]

    return of


@pytest.mark.parametrize(
    "function, body",
    [
        (lambda x, y: gen(np.float32(2) * x[i] + np.exp(y[i]) for i in N), "gen i < N { 2.0 * x[i] + exp(y[i]) }"),
        (lambda x, y: gen(x[i] - (y[i] - x[i]) for i in N), "gen i < N { x[i] - (y[i] - x[i]) }"),
        (lambda x, y: gen(-(x[i] + 1) ** 2 for i in N), "gen i < N { -((x[i] + 1) * (x[i] + 1)) }"),
        (lambda x, y: gen(atl.guard(atl.between(1, i, N - 1), x[i]) for i in N), "gen i < N { [1 <= i < N - 1] * x[i] }"),
        (lambda x, y: gen(atl.where((x[i] < 0) | ~(y[i] == 1), 0, 1) * x[i] for i in N), "gen i < N { select(x[i] < 0 || !(y[i] == 1), 0, 1) * x[i] }"),
        (lambda x, y: gen(x[i // 2] * y[i % N] for i in N), "gen i < N { x[i / 2] * y[i % N] }"),
        (lambda x, y: gen(x[N - 1 - i] for i in N), "gen i < N { x[N - 1 - i] }"),
        (lambda x, y: gen(atl.max(x[i], y[i], 0) for i in N), "gen i < N { max(max(x[i], y[i]), 0) }"),
        (lambda x, y: gen(sum(x[i] * y[j] for j in atl.span(i, N)) for i in N), "gen i < N { sum j in i..N { x[i] * y[j] } }"),
        (lambda x, y: gen(sum(x[i] for i in N) * y[i] for i in N), "gen i < N { (sum i_2 < N { x[i_2] }) * y[i] }"),
        (lambda x, y: gen(x[i] * f32(i) for i in N), "gen i < N { x[i] * f32(i) }"),
        (lambda x, y: gen(np.hypot(x[i], np.arctan2(y[i], 2)) for i in N), "gen i < N { hypot(x[i], atan2(y[i], 2)) }"),
        (lambda x, y: gen(x[i] ** 0.5 + x[i] ** y[i] + 2 ** x[i] for i in N), "gen i < N { sqrt(x[i]) + pow(x[i], y[i]) + pow(2, x[i]) }"),
        (lambda x, y: gen(round(x[i]) + math.floor(y[i]) for i in N), "gen i < N { round(x[i]) + floor(y[i]) }"),
        (lambda x, y: x + y * 2, "gen i < N { x[i] + y[i] * 2 }"),
        (lambda x, y: gen(x[i] + y[k] for i in x.shape[0] for k in atl.upto(0)), "gen i < N, k < 0 { x[i] + y[k] }"),
    ],
)
def test_bodies(function, body):
    function.__name__ = "f"
    assert traced(x=f32[N], y=f32[N])(function) == body


def test_the_annotation_of_a_result():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed: sparse results are not tested")

    @atl.fn
    def scaled(A: f64[N, M].as_("csr"), s: f64[N]) -> f64[N, M].as_("csr"):
        return A * s[:, None]

    assert "-> f64[N, M] as csr {" in scaled.text
    found = scaled(sparse.csr_array(np.array([[0.0, 2.0], [3.0, 0.0]])), np.array([10.0, 100.0]))
    assert found.format == "csr" and found.toarray().tolist() == [[0.0, 20.0], [300.0, 0.0]]

    @atl.fn
    def both(x: f64[N]) -> (f64[N], f64):
        return x + x, x.sum()

    assert "-> (f64[N], f64) {" in both.text

    def wrong(x: f64[N]) -> f32[N]:
        return x + x

    with pytest.raises(atl.Refused, match="is declared to return `f32"):
        atl.fn(wrong)

    def few(x: f64[N]) -> (f64[N], f64):
        return x + x

    with pytest.raises(atl.Refused, match="has 1 results, and its annotation says 2"):
        atl.fn(few)


def test_what_is_needed_twice_is_said_once():
    @atl.fn(x=f64[N], at=i32[N], K=atl.size, where="all n < N { 0 <= at[n] < K }")
    def means(x, at, K):
        return atl.zeros(K).at[at].add(x) / atl.zeros(K).at[at].add(1.0)

    assert means.text.count("K < 2147483648") == 1


def test_integers_in_indices():
    @atl.fn(x=f64[N], at=i32[K], where="all p < K { 0 <= at[p] < N }")
    def gather(x, at):
        return gen(x[at[p]] for p in K)

    np.testing.assert_array_equal(gather(np.arange(4.0), np.array([3, 0], np.int32)), [3, 0])
    with pytest.raises(atl.Refused, match="E0506"):
        gather(np.arange(4.0), np.array([4], np.int32))


def test_semirings():
    D = f64.over("min_plus")

    @atl.fn(d=D[N], w=D[N, N])
    def relax(d, w):
        return gen(sum(d[u] * w[u, v] for u in N) for v in N)

    w = np.array([[0, 1], [np.inf, 0]])
    np.testing.assert_array_equal(relax(np.array([0, np.inf]), w), [0, 1])


TAPS = np.array([1.0, 2, 1])

REFUSED = {
    "a condition": lambda x: gen(x[i] if x[i] < 0 else 0 for i in N),
    "a chained comparison": lambda x: gen(atl.guard(0 <= i < N, x[i]) for i in N),
    "an index that leaves": lambda x: [x[i] for i in N],
    "a list": lambda x: gen([x[0] for k in range(2)]),
    "Python's sum": lambda x: gen(builtins.sum(x[k] for k in N) for i in N),
    "a captured array": lambda x: gen(x[i] * np.ones(2000) for i in N),
    "a captured array at an index": lambda x: gen(TAPS[i] * x[i] for i in N),
    "a captured list at an index": lambda x: gen(TAPS.tolist()[i] * x[i] for i in N),
    "a mask": lambda x: x[x > 0],
    "a guarded slice": lambda x: x.get(slice(1, None)),
    "too many indices": lambda x: gen(x[i, i] for i in N),
    "an index of a number": lambda x: gen(x[i][i] for i in N),
    "math": lambda x: gen(float(x[i]) for i in N),
    "a loop over data": lambda x: [e for e in x],
    "a division of indices": lambda x: gen(x[i / 2] for i in N),
    "a loop of Python's in a binder": lambda x: gen(x[i] for i in N for k in range(2)),
    "another function of NumPy's": lambda x: gen(np.nextafter(x[i], 1) for i in N),
}


#: What stands at the columns of each: the operation that is refused. From Python 3.13 on a comprehension that begins is what it iterates over.
COLUMNS = {
    "a condition": "x[i] < 0",
    "a chained comparison": "0 <= i < N",
    "an index that leaves": "N" if sys.version_info >= (3, 13) else "[x[i] for i in N]",
    "a list": "gen([x[0] for k in range(2)])",
    "Python's sum": "gen(builtins.sum(x[k] for k in N) for i in N)",
    "a captured array": "x[i] * np.ones(2000)",
    "a captured array at an index": "TAPS[i]",
    "a captured list at an index": "TAPS.tolist()[i]",
    "a mask": "x[x > 0]",
    "a guarded slice": "x.get(slice(1, None))",
    "too many indices": "x[i, i]",
    "an index of a number": "x[i][i]",
    "math": "float(x[i])",
    "a loop over data": "x" if sys.version_info >= (3, 13) else "[e for e in x]",
    "a division of indices": "i / 2",
    "a loop of Python's in a binder": "gen(x[i] for i in N for k in range(2))",
    "another function of NumPy's": "np.nextafter(x[i], 1)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_at_the_line_of_the_user(name):
    function = REFUSED[name]
    function.__name__ = "f"
    with pytest.raises(atl.Refused) as caught:
        atl.fn(x=f32[N])(function)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename == __file__ and last.lineno == function.__code__.co_firstlineno
    assert caught.value.help
    # The columns are those of what is refused.
    line = pathlib.Path(__file__).read_text().splitlines()[last.lineno - 1]
    assert last.end_lineno == last.lineno and line[last.colno : last.end_colno] == COLUMNS[name]


@pytest.mark.parametrize(
    "name, says",
    [
        ("a captured array at an index", "make it an argument"),
        ("a captured list at an index", "atl.constant"),
        ("a mask", "np.where"),
    ],
)
def test_refusals_say_what_to_type(name, says):
    with pytest.raises(atl.Refused) as caught:
        atl.fn(x=f32[N])(REFUSED[name])
    assert re.search(says, caught.value.help[0])


def test_an_index_error_of_the_user_is_one():
    with pytest.raises(IndexError, match="out of bounds"):
        atl.fn(x=f32[N])(lambda x: gen(x[i] * float(TAPS[3]) for i in N))


def test_keywords_are_those_of_the_lexer():
    lexer = pathlib.Path(__file__).resolve().parents[2] / "crates/syntax/src/token.rs"
    words = re.search(r"\n    keywords \{\n(.*?)\n    \}", lexer.read_text(), re.S)[1]
    assert set(re.findall(r'"(\w+)"', words)) == KEYWORDS


@pytest.mark.parametrize("word", sorted(w for w in {*KEYWORDS, "inf"} if not keyword.iskeyword(w)))
def test_keywords_name_local_variables_alone(word):
    made = {"np": np}
    exec(
        f"def f(x):\n    {word} = x * 2.0 / 3\n    return {word}[1:] + {word}[:-1] + np.inf\n"
        f"def g({word}):\n    return {word} + np.inf\ndef {word}(x):\n    return x\n",
        made,
    )
    np.testing.assert_array_equal(atl.fn(x=f64[N])(made["f"])(np.ones(3)), [np.inf, np.inf])
    for function, types in [(made["g"], {word: f64[N]}), (made[word], {"x": f64[N]})]:
        function.__annotations__ = types
        with pytest.raises(atl.Refused, match="choose another name") as caught:
            atl.fn(function)
        assert caught.value.code == ("python" if word == "inf" else "E0123") and caught.value.python[1] == function.__code__.co_firstlineno
    with pytest.raises(atl.Refused, match="the name of a size"):
        atl.size(word)


def test_a_keyword_is_refused_at_the_line_of_the_function():
    with pytest.raises(atl.Refused) as caught:

        @atl.fn(x=f64[N])
        def schedule(x):
            return x

    file, line, _ = caught.value.python
    assert linecache.getline(file, line).strip() == "def schedule(x):" and "def schedule(x):" in caught.value.notes[0]


def test_a_lambda_has_no_name():
    with pytest.raises(atl.Refused, match="`<lambda>`") as caught:
        atl.fn(x=f32[N])(lambda x: 2 * x)
    assert "def f(x)" in caught.value.help[0]


def test_what_leaves_its_binder_through_a_variable():
    kept = []

    def f(x):
        return gen(kept.append(i) or x[kept[0]] for i in N) + gen(x[kept[0]] for j in N)

    with pytest.raises(atl.Refused, match="`i` leaves its binder"):
        atl.fn(x=f32[N])(f)


def test_types_that_are_missing():
    with pytest.raises(atl.Refused, match="has no type for `y`"):
        atl.fn(x=f32[N])(lambda x, y: x)
    with pytest.raises(atl.Refused, match="has no parameter `z`"):
        atl.fn(x=f32[N], z=f32[N])(lambda x: x)
    with pytest.raises(atl.Refused, match="a number of no type"):
        atl.fn(x=f32[N])(lambda x: gen(1 for i in N))


def test_a_kernel_is_not_called_with_symbols():
    kernel = atl.compile("fn g(x: f32[N]) -> f32[N] { gen i < N { x[i] } }")
    with pytest.raises(atl.Refused, match="a plain Python function"):
        atl.fn(x=f32[N])(lambda x: kernel(x))


def test_annotations_are_types():
    @atl.fn
    def twice(x: f32[N]):
        return gen(2 * x[i] for i in N)

    np.testing.assert_array_equal(twice(np.ones(2, np.float32)), [2, 2])


def test_what_the_compiler_refuses_is_placed_in_python():
    with pytest.raises(atl.Refused) as caught:

        @atl.fn(x=f32[N])
        def shifted(x):
            return gen(x[i] + x[i + 1] for i in N)  # here

    file, line, column = caught.value.python
    source = pathlib.Path(file).read_text().splitlines()[line - 1]
    assert caught.value.code == "E0401" and source.endswith("# here") and source[column - 1 :].startswith("x[i + 1]")
    assert "# here" in str(caught.value)


def test_no_source_is_read():
    text = "import atl\nfrom atl import f32, gen\nN, = atl.sizes('N')\n@atl.fn(x=f32[N])\ndef f(x): return gen(x[i] for i in N)\n"
    space = {}
    exec(text, space)
    done = subprocess.run([sys.executable, "-c", text + "print(f.text)"], capture_output=True, text=True, check=True)
    assert done.stdout == str(space["f"].text) + "\n" == "fn f(x: f32[N]) -> f32[N] {\n    gen i < N { x[i] }\n}\n\n"


def test_the_text_is_the_same_however_the_function_was_loaded(tmp_path):
    text = "import atl\nfrom atl import f32, gen\nN, = atl.sizes('N')\n@atl.fn(x=f32[N])\ndef f(x): return gen(x[i] for i in N)\n"
    (tmp_path / "source.py").write_text(text)
    py_compile.compile(str(tmp_path / "source.py"), cfile=str(tmp_path / "bytes.pyc"))
    (tmp_path / "changed.py").write_text(text)
    with zipfile.ZipFile(tmp_path / "app.pyz", "w") as archive:
        archive.writestr("__main__.py", text + "print(f.text)")
    ways = [
        ["-c", "import bytes_ as m; print(m.f.text)"],
        ["-c", "import changed as m; open('changed.py', 'w').write('1 / 0'); print(m.f.text)"],
        [str(tmp_path / "app.pyz")],
    ]
    (tmp_path / "bytes.pyc").rename(tmp_path / "bytes_.pyc")
    if importlib.util.find_spec("IPython") is not None:
        ways.append(["-m", "IPython", "--colors=NoColor", "-c", text + "print(f.text)"])
    for way in ways:
        done = subprocess.run([sys.executable, *way], capture_output=True, text=True, cwd=tmp_path, timeout=60)
        assert done.stdout == "fn f(x: f32[N]) -> f32[N] {\n    gen i < N { x[i] }\n}\n\n", done.stderr


def test_sizes_are_named_in_texts_and_types_in_annotations() -> None:
    @atl.fn(where="0 < M")
    def f(x: f32["N M"], y: f32["M"], z: f32["N", "3"]):  # type: ignore[no-untyped-def]  # noqa: F722, F821
        return x @ y + z[:, 2]

    assert f.text.startswith("fn f(x: f32[N, M], y: f32[M], z: f32[N, 3]) -> f32[N] where 0 < M {")
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert (f(x, x[1], x) == x @ x[1] + x[:, 2]).all()
    with pytest.raises(atl.Refused, match="extent 4 along axis 0, where `M` is 3"):
        f(x, x[:, 0], x)
    with pytest.raises(atl.Refused, match="`N-1` is not a name of a size"):
        f32["N-1"]

    def late(x: f32, y: f32):  # type: ignore[no-untyped-def]
        return x + y * K

    K = np.float32(2)
    late.__annotations__ = {"x": 'f32["N"]', "y": "f32[N, int(K) - 1]"}
    assert atl.fn(late).text.startswith("fn late(x: f32[N], y: f32[N, 1])")
    late.__annotations__["y"] = "f32[unknown]"
    with pytest.raises(atl.Refused, match="`late` has no type for `y`"):
        atl.fn(late)


def test_import_reads_nothing_of_traces():
    said = "print([name for name in sys.modules if name in ('scipy', 'atl.trace', 'atl.trace.shapes', 'atl.trace.ufuncs')])"
    program = f"import sys, atl; {said}; k = atl.fn; {said}; print(k is atl.fn, hasattr(atl, 'unknown'), set(atl.__all__) <= set(dir(atl)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n['atl.trace']\nTrue False True\n", done.stdout + done.stderr
    assert set(atl.trace.__all__) < set(atl.__all__) and all(hasattr(atl, name) for name in atl.__all__)
