"""The package and the command give the same bytes: every dense function of the examples, on each back end."""

import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

import atl

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples").glob("*.atl"))

#: The type of a dense parameter.
ARRAY = re.compile(r"(f32|f64|i8|i16|i32|i64|u8|u16|u32|u64)(?:\[([^\]]*)\])?")

#: Numbers for sizes, in the order in which they are named: small, and no two the same.
SIZES = (5, 7, 3, 4, 6, 2)

NUMPY = {"f32": "float32", "f64": "float64"}


BACKENDS = ("c", "cranelift", "loops", "interp")


def command():
    """The command that was built beside the package."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / profile / "atl" for profile in ("debug", "demo", "release")]
    return next((path for path in built if path.exists()), shutil.which("atl"))


def arguments(kernel):
    """Arrays for a function whose extents are numbers and names of sizes, and the sizes; none for another function."""
    rng, sizes, found = np.random.default_rng(11), {}, {}
    for name, ty in kernel.parameters():
        if ty == "size":
            return None
        whole = ARRAY.fullmatch(ty)
        if whole is None:
            return None
        shape = []
        for extent in filter(None, (whole[2] or "").replace(" ", "").split(",")):
            if not re.fullmatch(r"\w+", extent):
                return None
            number = int(extent) if extent.isdigit() else sizes.setdefault(extent, SIZES[len(sizes) % len(SIZES)])
            shape.append(number)
        dtype = np.dtype(NUMPY.get(whole[1]) or whole[1].replace("i", "int").replace("u", "uint"))
        values = rng.random(shape) if dtype.kind == "f" else rng.integers(0, 2, shape)
        found[name] = np.asarray(values, dtype)
    return found


def outputs(result):
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def run(command, words, given, folder):
    """What the command stores, or the text of its refusal."""
    for name, value in given.items():
        np.save(folder / f"{name}.npy", value)
        words += ["--set", f"{name}={value.item()!r}"] if value.ndim == 0 else ["--in", f"{name}={folder / name}.npy"]
    done = subprocess.run([command, "run", *words], capture_output=True, text=True, timeout=120)
    return done.stderr if done.returncode else [np.load(path) for path in words if path.endswith(".out.npy")]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_the_command_and_the_package_give_the_same_bytes(file, tmp_path):
    """Functions take turns on the back ends; each under its first schedule, and as it is written where it has none."""
    if (atl_command := command()) is None:
        pytest.skip("the command is not built: `cargo build -p atl-cli`")
    program, compared = atl.load(file), 0
    for k, name in enumerate(program.functions):
        given = arguments(program[name])
        if given is None:
            continue
        schedule = next(iter(program.schedules.get(name, [])), None)
        backend = BACKENDS[(FILES.index(file) + k) % len(BACKENDS)]
        kernel = atl.Kernel(program, name, schedule, None if schedule else [], backend=backend)
        try:
            expected = outputs(kernel(**given))
        except atl.Refused as refused:
            # The command refuses it, too; its words are compared elsewhere.
            expected = refused.code
        count = 1 if isinstance(expected, str) else len(expected)
        words = [str(file), "--fn", name, "--schedule", schedule or "none", "--backend", backend]
        words += [word for k in range(count) for word in ("--out", str(tmp_path / f"{k}.out.npy"))]
        found = run(atl_command, words, given, tmp_path)
        if isinstance(expected, str):
            assert expected in found, (name, schedule, backend)
            continue
        assert isinstance(found, list), (name, schedule, backend, found)
        for one, other in zip(found, expected, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), (name, schedule, backend)
            assert one.tobytes() == other.tobytes(), (name, schedule, backend)
        compared += 1
    if compared == 0:
        pytest.skip("its functions take sizes, tensors in formats, or extents that are sums: no arrays are made up for them")
