"""What type checkers say of the package, and whether the stubs are what is there."""

import os
import pathlib
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
print(fast.theorem.rounding, fast.script, fast.show("c"), double(np.arange(3, dtype=np.float32)))
"""


def run(*arguments, **options):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=SOURCES, capture_output=True, text=True, timeout=300, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_has_nothing_to_say():
    run("mypy", "--strict", "--cache-dir", os.devnull, "-p", "atl")


def test_mypy_has_nothing_to_say_of_programs(tmp_path):
    (tmp_path / "uses.py").write_text(USES)
    run("mypy", "--strict", "--cache-dir", os.devnull, str(tmp_path / "uses.py"), env={**os.environ, "MYPYPATH": str(SOURCES)})


def test_stubs_are_what_is_there():
    run("mypy.stubtest", "atl._atl", env={**os.environ, "MYPYPATH": str(SOURCES)})
