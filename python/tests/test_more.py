"""Fixpoints, linear operators, layouts, and what is built."""

import pathlib

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg

import atl

RELAX = """fn relax(d: min_plus<f64>[V], w: min_plus<f64>[V, V]) -> min_plus<f64>[V] {
    gen v < V { sum u < V { d[u] * w[u, v] } }
}"""


def test_shortest_paths():
    rng = np.random.default_rng(0)
    w = np.where(rng.random((30, 30)) < 0.1, rng.random((30, 30)), np.inf)
    np.fill_diagonal(w, 0)
    d = np.full(30, np.inf)
    d[0] = 0
    before = d.copy()
    found = atl.fixpoint(atl.compile(RELAX), d=d, w=w)
    dense = np.where(np.isinf(w), 0, w)
    np.testing.assert_allclose(found, scipy.sparse.csgraph.dijkstra(dense, indices=0))
    np.testing.assert_array_equal(d, before)


def test_iterations_that_do_not_end():
    count = atl.compile("fn count(x: i64[N]) -> i64[N] { gen i < N { x[i] + 1 } }")
    np.testing.assert_array_equal(atl.fixpoint(count, times=7, x=np.zeros(2, np.int64)), [7, 7])
    with pytest.raises(atl.Refused, match="still changes"):
        atl.fixpoint(count, most=5, x=np.zeros(2, np.int64))
    total = atl.compile("fn total(x: i64[N]) -> i64 { sum i < N { x[i] } }")
    with pytest.raises(atl.Refused, match="cannot replace `x`"):
        atl.fixpoint(total, x=np.zeros(2, np.int64))


def test_conjugate_gradients():
    spmv = atl.compile(
        "fn spmv(A: f64[N, M] as csr, x: f64[M]) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }"
        "schedule s of spmv { rounding real; sparsify; }"
    ).schedule("s")
    n = 40
    A = scipy.sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(n, n), format="csr")
    b = np.random.default_rng(1).random(n)
    x, info = scipy.sparse.linalg.cg(atl.linop(spmv, "x", A=A), b, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(A @ x, b, rtol=1e-7)


def test_layouts():
    found = atl.layout("(6,2):(8,2) o (4,3):(3,1)")
    assert str(found) == "((2,2),3):((24,2),8)" and "<svg" in found._repr_svg_() and "|" in found.picture
    assert found == atl.layout(str(found))
    with pytest.raises(atl.Refused) as caught:
        atl.layout("(4,3):(3,1)(5)")
    assert caught.value.code == "E0271" and caught.value.span.column == 12


def test_what_is_built(tmp_path):
    kernel = atl.compile("fn twice(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }").split("i", by=4)
    files = [pathlib.Path(file) for file in kernel.build(tmp_path / "out")]
    assert {"twice.c", "twice.h", "twice.atlp", "twice.md"} <= {file.name for file in files}
    assert all(file.exists() for file in files)
    # The file has the loops, too, which are no part of the theorem.
    theorem, loops, _ = (tmp_path / "out" / "twice.atlp").read_bytes().partition(b"loops\n")
    assert loops and kernel.theorem.proof.startswith(theorem)
    assert "twice(int64_t N" in (tmp_path / "out" / "twice.h").read_text()


def test_tuning_gives_a_schedule_with_the_same_bits():
    blur = atl.load(pathlib.Path(__file__).resolve().parents[2] / "examples/blur.atl")["blur"]
    img = np.random.default_rng(2).random((96, 80), dtype=np.float32)
    lines = []
    best = blur.tune(img, budget=12, best=2, rounds=2, progress=lines.append)
    np.testing.assert_array_equal(best(img), blur(img))
    assert best.theorem.rounding == "bitwise" and best.report.tried <= 12 and len(best.report.measured) <= 2
    assert lines
    with pytest.raises(atl.Refused, match="as it is written"):
        blur.schedule("tiled").tune(img)


class Shell:
    """What a magic needs of a shell of IPython."""

    def __init__(self):
        self.user_ns, self.magics = {}, {}

    def register_magic_function(self, function, kind, name):
        self.magics[name] = function

    def push(self, variables):
        self.user_ns.update(variables)


def test_cells_of_programs():
    shell = Shell()
    atl.load_ipython_extension(shell)
    cell = shell.magics["atl"]
    cell("", "fn twice(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }")
    twice = shell.user_ns["twice"]
    cell("-s twice", "split i by 4;\npeel;")
    assert shell.user_ns["twice"].script == "split i by 4;\npeel;"
    np.testing.assert_array_equal(shell.user_ns["twice"](np.ones(9, np.float32)), twice(np.ones(9, np.float32)))
    with pytest.raises(atl.Refused) as caught:
        cell("", "fn wrong(x: f32[N]) -> f32[N] {\n    gen i < N { x[i + 1] }\n}")
    assert caught.value.span.line == 2 and caught.value.span.file == "the cell"


@pytest.mark.parametrize("elem, dtype", [("f64", np.float64), ("c128", np.complex128)])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (7, 3)])
def test_operators_with_a_transpose(elem, dtype, shape):
    times = atl.compile(f"fn times(A: {elem}[N, M], x: {elem}[M]) -> {elem}[N] {{ gen i {{ sum j {{ A[i, j] * x[j] }} }} }}")
    back = atl.compile(f"fn back(A: {elem}[N, M], x: {elem}[N]) -> {elem}[M] {{ gen j {{ sum i {{ A[i, j] * x[i] }} }} }}")
    rng = np.random.default_rng(9)
    A = (rng.random(shape) + 1j * rng.random(shape)).astype(dtype) if dtype is np.complex128 else rng.random(shape)
    x, y = rng.random(shape[1]).astype(dtype), rng.random(shape[0]).astype(dtype)
    L = atl.linop(times, "x", transposed=back, A=A)
    np.testing.assert_allclose(L @ x, A @ x)
    np.testing.assert_allclose(L.T @ y, A.T @ y)
    np.testing.assert_allclose(L.H @ y, A.conj().T @ y)
    np.testing.assert_allclose(scipy.sparse.linalg.lsqr(L, A @ x, atol=1e-14, btol=1e-14)[0], np.linalg.lstsq(A, A @ x)[0], rtol=1e-6)
    with pytest.raises(NotImplementedError):
        atl.linop(times, "x", A=A).T @ y
