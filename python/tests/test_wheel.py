"""The package by itself: an environment with NumPy and nothing else, and no C compiler anywhere.

`ATL_WHEEL=FILE` says which wheel is installed there; without it the package is the one that these tests import.
"""

import os
import pathlib
import subprocess
import sys
import sysconfig
import venv
import zipfile

import numpy as np
import pytest

import atl

WHEEL = os.environ.get("ATL_WHEEL")

#: The first snippet of the chapter, with what it says of itself.
FIRST = """
import sys, warnings
before = set(sys.modules)  # Debian's Python imports a module of its own.
import numpy as np
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import atl
    double = atl.compile("fn double(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }")
    print(double(np.arange(3, dtype=np.float32)).tolist(), double.backend)
print(atl.__file__)
print([str(warning.message) for warning in said if warning.category is atl.CompilerWarning])
others = {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names) - {"__main__", "numpy", "atl"}
print(sorted(name for name in others if not name.startswith("_")))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of an environment that has NumPy and this package."""
    folder = tmp_path_factory.mktemp("empty")
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    packages = pathlib.Path(sysconfig.get_path("purelib", scheme="venv", vars={"base": str(folder)}))
    numpy = pathlib.Path(np.__file__).parent
    for found in [numpy, numpy.with_name("numpy.libs")]:
        if found.exists():
            (packages / found.name).symlink_to(found)
    if WHEEL:
        zipfile.ZipFile(WHEEL).extractall(packages)
    else:
        (packages / "atl").mkdir()
        for file in pathlib.Path(atl.__file__).parent.iterdir():
            (packages / "atl" / file.name).symlink_to(file)
        extension = pathlib.Path(atl._atl.__file__)
        if not (packages / "atl" / extension.name).exists():
            (packages / "atl" / extension.name).symlink_to(extension)
    return folder, folder / "bin" / "python"


def run(python, program):
    folder, executable = python
    env = {"PATH": str(folder / "nothing"), "HOME": str(folder), "ATL_CACHE": str(folder / "cache")}
    done = subprocess.run([executable, "-c", program], env=env, capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_first_snippet_works_without_a_compiler(python):
    result, where, said, others = run(python, FIRST)
    assert result == "[0.0, 2.0, 4.0] cranelift"
    assert pathlib.Path(where).is_relative_to(python[0])
    # The warning says how much slower that is, and what to install.
    assert "times as long" in said and "ziglang" in said and said.count("no C compiler") == 1
    assert others == "[]", "NumPy is all that is imported"


def test_what_needs_no_compiler_gives_the_same_bits(python, tmp_path):
    text = "fn f(x: f64[N, M]) -> f64[N] { gen i < N { sum j < M { x[i, j] * x[i, j] / 3.0 } } }"
    x = np.random.default_rng(0).random((37, 19))
    np.save(tmp_path / "x.npy", x)
    program = f"import atl, numpy as np; print(atl.compile({text!r})(np.load({str(tmp_path / 'x.npy')!r})).tobytes().hex())"
    assert run(python, program)[-1] == atl.compile(text).schedule("none")(x).tobytes().hex()


@pytest.mark.skipif(not WHEEL, reason="ATL_WHEEL names no wheel: what it weighs and what it needs are not looked at")
def test_the_wheel_needs_numpy_alone():
    with zipfile.ZipFile(WHEEL) as wheel:
        metadata = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        needs = [line for line in wheel.read(metadata).decode().splitlines() if line.startswith("Requires-Dist:")]
        assert any(name.endswith("py.typed") for name in wheel.namelist())
    assert [line for line in needs if "extra ==" not in line] == ["Requires-Dist: numpy>=1.26"]
    assert "cp311-abi3" in WHEEL and sys.version_info >= (3, 11)
    assert os.stat(WHEEL).st_size <= 8_000_000
