"""What type checkers say of the package, and whether the stubs are what is there."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="mypy is not installed: types are not checked")

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "src"

USES = """
import numpy as np
import atl
from atl import f32, f64, gen, sum

M, K, N = atl.sizes("M K N")

@atl.fn(a=f64[M, K], b=f64[K, N])
def matmul(a, b):  # type: ignore[no-untyped-def]
    return gen(sum(a[i, k] * b[k, j] for k in K) for i in M for j in N)

double: atl.Kernel = atl.compile("fn double(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }")
fast: atl.Kernel = double.split("i", by=4).peel().schedule("simplify;")
print(fast.stats.copies, [site.name for site in fast.sites()], fast.rules(), fast.theorem.conditions[:1])
answer: atl.Answer = atl.sql("select sum(a) as s from t", t={"a": [1, 2]})
try:
    double(np.zeros(2))
except atl.Refused as refused:
    print(refused.code, refused.counterexample, answer.rows)
print(fast.theorem.rounding, fast.script, fast.show("c"), double(np.arange(3, dtype=np.float32)))
"""


def run(*arguments, **options):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=SOURCES, capture_output=True, text=True, timeout=300, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def uses(tmp_path):
    (tmp_path / "uses.py").write_text(USES)
    return tmp_path / "uses.py"


def test_mypy_has_nothing_to_say(uses):
    # Of both at once: most of the time goes by in the types of NumPy.
    run("mypy", "--strict", "--cache-dir", os.devnull, "atl", str(uses), env={**os.environ, "MYPYPATH": str(SOURCES)})


def test_the_programs_run(uses):
    done = subprocess.run([sys.executable, uses], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


def test_ty_has_nothing_to_say(uses):
    ty = shutil.which("ty", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))
    if ty is None:
        pytest.skip("ty is not installed: types are checked by mypy alone")
    for path in ("atl", uses):
        done = subprocess.run(
            [ty, "check", "--python", sys.executable, "--extra-search-path", SOURCES, path], cwd=SOURCES, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_has_nothing_to_say(uses):
    pytest.importorskip("pyright", reason="pyright is not installed: types are checked by mypy alone")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    if subprocess.run([*command, "--version"], capture_output=True, timeout=300).returncode:
        pytest.skip("pyright has no Node.js here")
    for path in ("atl", uses):
        done = subprocess.run([*command, path], cwd=SOURCES, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_what_is_there():
    run("mypy.stubtest", "atl._atl", env={**os.environ, "MYPYPATH": str(SOURCES)})
