"""What `build` writes for Python: a module that needs NumPy alone."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import atl

GATHER = """fn gather(x: f64[2 * N], at: i32[K], c: f64, T: size) -> f64[K, T]
where T <= N, all p < K { 0 <= at[p] < N }
{ gen p < K, t < T { c * x[at[p] + t] } }"""


def loaded(tmp_path, kernel):
    """The module, in a process that cannot import the package, as a function of the program to run there."""
    kernel.build(tmp_path)

    def run(program):
        head = "import sys\nsys.modules['atl'] = None\nimport numpy as np\n"
        done = subprocess.run([sys.executable, "-c", head + program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def test_the_module_computes_and_refuses_without_the_package(tmp_path):
    run = loaded(tmp_path, atl.compile(GATHER))
    program = """
from gather import gather
x, at = np.arange(8.0), np.array([3, 0, 1], np.int32)
print(gather(x, at, 2.0, 2).tolist(), gather(x, at, c=2, T=1).shape, gather(x[::-1], at, 1, T=1).tolist())
out = np.empty((3, 2))
print(gather(x, at, 2.0, 2, out=out) is out)
for call in [
    lambda: gather(x.astype(np.float32), at, 1.0, 1),
    lambda: gather(x[:7], at, 1.0, 1),
    lambda: gather(x, at, 1.0, 5),
    lambda: gather(x, at, 1.0),
    lambda: gather(x, at + 2, 1.0, 1),
    lambda: gather(x, at - 1, 1.0, 1),
    lambda: gather(x, at, 1.0, 1, out=x[:3].reshape(3, 1)),
    lambda: gather(x, at, 1.0, 1, out=np.empty((3, 2))),
    lambda: gather(x, at, 1.0, 1, q=1),
    lambda: gather(x),
    lambda: gather(x, at, True, 1),
]:
    try:
        print("accepted", call())
    except (ValueError, TypeError) as why:
        print(why)
"""
    lines = run(program).splitlines()
    assert lines[0] == "[[6.0, 8.0], [0.0, 2.0], [2.0, 4.0]] (3, 1) [[4.0], [7.0], [6.0]]" and lines[1] == "True"
    assert not any(line.startswith("accepted") for line in lines), lines
    assert len(lines) == 13


def test_calls_like_one_before_look_at_what_may_differ(tmp_path):
    kernel = atl.compile("fn f(x: f64[N, M], y: f64[N + 1]) -> f64[N] where 2 <= N { gen i < N { (sum j < M { x[i, j] }) + y[i + 1] } }")
    kernel.build(tmp_path)
    program = """
import numpy as np
from f import f
def refused(*args, **named):
    try:
        f(*args, **named)
    except ValueError:
        return True
rng = np.random.default_rng(0)
for n, m in [(2, 3), (4, 1), (2, 3), (3, 0), *[(k, 2) for k in range(2, 22)], (2, 3)]:
    for k in range(3):
        x, y = rng.random((n, m)), rng.random(n + 1)
        wanted = x.sum(axis=1) + y[1:]
        frozen = x.copy()
        frozen.flags.writeable = False
        for a in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], frozen):
            assert np.allclose(f(a, y), wanted) and np.allclose(f(y=y, x=a), wanted) and np.allclose(f(a, y, out=np.empty(n)), wanted)
        assert refused(x.astype(np.float32), y) and refused(x, y[1:]) and refused(x, y.tolist()) and refused(x) and refused(x, y, x)
        assert refused(x[:1], y[:2]) and refused(x, y, out=np.empty(n + 1)) and refused(x, np.ma.array(y)) and refused(x, y, z=3)
print("as before")
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "as before\n", done.stdout + done.stderr


@pytest.mark.parametrize(
    "args",
    [
        (np.zeros(8, np.float32), np.zeros(1, np.int32)),
        (np.zeros((8, 1)), np.zeros(1, np.int32)),
        (np.zeros(8), np.zeros(1, np.int64)),
    ],
)
def test_the_words_of_refusals_are_the_packages(tmp_path, args):
    kernel = atl.compile("fn take(x: f64[N], at: i32[K]) -> f64[K] where all p < K { 0 <= at[p] < N } { gen p < K { x[at[p]] } }")
    kernel.build(tmp_path)
    sys.path.insert(0, str(tmp_path))
    try:
        import take

        with pytest.raises(atl.Refused) as ours:
            kernel(*args)
        with pytest.raises(ValueError) as theirs:
            take.take(*args)
        assert str(theirs.value) == ours.value.message
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("take", None)


def test_the_module_gives_pythons_lock_away(tmp_path):
    text = "fn slow(x: f64[N]) -> f64 { sum i < N { sum j < N { x[i] * x[j] } } }"
    run = loaded(tmp_path, atl.compile(text))
    program = """
import threading, time
from slow import slow
x, ended, counted = np.ones(20000), threading.Event(), []
def count():
    n = 0
    while not ended.is_set():
        n += 1
    counted.append(n)
counter = threading.Thread(target=count)
counter.start()
slow(x)
ended.set(); counter.join()
print(counted[0] > 1000)
"""
    assert run(program) == "True"
    assert threading.active_count() >= 1


def test_results_in_formats_have_no_module(tmp_path):
    kernel = atl.compile(
        "fn f(A: f64[N, M] as csr) -> f64[N, M] as csr { gen i < N, j < M { A[i, j] * 2.0 } }\nschedule s of f { rounding real; sparsify; }"
    ).schedule("s")
    assert not any(name.endswith(".py") for name in kernel.build(tmp_path))
