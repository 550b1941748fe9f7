#!/usr/bin/env python3
"""Times the functions of floats in vectors beside the C library, SLEEF and NumPy, on one thread.

    benches/functions/race.py --atl target/release/atl

All but NumPy are compiled with `cc -O3 -march=native`: ours from `gen i < N { sin(x[i]) }` under `vectorize i`,
the C library's from `y[i] = sin(x[i])`, SLEEF's from a loop over its vectors, with functions of 1 ulp or so. Arrays
of 4096 doubles or 8192 singles stay in the cache, and all run in turn in this process; a ratio is that of the
fastest rounds, theirs by ours. Without SLEEF (`apt-get install libsleef-dev`) it is skipped. `--look` only prints;
otherwise `benches/results/functions.json` is written.
"""

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paired import at, written

ONE = "acos asin atan cbrt cos cosh erf erfc exp exp10 exp2 expm1 log log10 log1p log2 sin sinh tan tanh".split()
TWO = "atan2 hypot pow".split()
RANGES = {
    "acos": (-1, 1), "asin": (-1, 1), "erf": (-3, 3), "erfc": (-3, 6), "exp10": (-10, 10), "sin": (-50, 50),
    "cos": (-50, 50), "tan": (-50, 50), "tanh": (-4, 4), "exp": (-20, 20), "exp2": (-20, 20), "cosh": (-10, 10),
    "sinh": (-10, 10), "expm1": (-5, 20),
}
TYPES = {"f64": ("double", np.float64, "", 8, 4096), "f32": ("float", np.float32, "f", 16, 8192)}
# What NumPy calls otherwise; and the error that SLEEF's name says, where it is not 10 tenths of an ulp.
NUMPY = {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
SLEEF = {"erfc": "15", "hypot": "05"}
ROUNDS, CALLS = 15, 4


def programs():
    """Our functions and schedules, and the loops of C."""
    ours, theirs = [], ["#define _GNU_SOURCE", "#include <math.h>", "#include <stdint.h>"]
    for ty, (c_type, _, suffix, lanes, _) in TYPES.items():
        for name in ONE + TWO:
            params, operands = (f"x: {ty}[N], z: {ty}[N]", "x[i], z[i]") if name in TWO else (f"x: {ty}[N]", "x[i]")
            function = f"{name}_{ty}"
            ours.append(f"fn {function}({params}) -> {ty}[N] {{ gen i < N {{ {name}({operands}) }} }}")
            ours.append(f"schedule vectors of {function} {{ vectorize i by {lanes}; }}")
            theirs.append(
                f"void {function}(int64_t n, const {c_type} *restrict x, const {c_type} *restrict z, {c_type} *restrict y) "
                f"{{ for (int64_t i = 0; i < n; i++) y[i] = {name}{suffix}({operands}); }}"
            )
    return "\n".join(ours), "\n".join(theirs) + "\n"


def with_sleef():
    """Loops over SLEEF's vectors; the arrays are whole vectors."""
    lines = [
        "#include <immintrin.h>", "#include <sleef.h>", "#include <stdint.h>",
        "#ifdef __AVX512F__", "#define NAME(f, u) f##u##avx512f",
        "#define LOAD(t) _mm512_loadu_##t", "#define STORE(t) _mm512_storeu_##t",
        "#define W 64", "#define D d8_u", "#define S f16_u", "#else",
        "#define NAME(f, u) f##u##avx2",
        "#define LOAD(t) _mm256_loadu_##t", "#define STORE(t) _mm256_storeu_##t",
        "#define W 32", "#define D d4_u", "#define S f8_u", "#endif",
        "#define JOINED(f, w, u) NAME(Sleef_##f, w##u)", "#define OF(f, w, u) JOINED(f, w, u)",
    ]
    for ty, (c_type, _, _, _, _) in TYPES.items():
        width, suffix = ("D", "pd") if ty == "f64" else ("S", "ps")
        for name in ONE + TWO:
            operands = f"LOAD({suffix})(x + i)" + (f", LOAD({suffix})(z + i)" if name in TWO else "")
            call = f"OF({name}, {width}, {SLEEF.get(name, '10')})({operands})"
            lines.append(
                f"void {name}_{ty}(int64_t n, const {c_type} *x, const {c_type} *z, {c_type} *y) "
                f"{{ for (int64_t i = 0; i < n; i += W / sizeof *x) STORE({suffix})(y + i, {call}); }}"
            )
    return "\n".join(lines) + "\n"


def compiled(text, path, *libraries):
    """The functions of a C text, or none where it is not compiled."""
    path.write_text(text)
    library = str(path.with_suffix(".so"))
    words = ["cc", "-O3", "-march=native", "-shared", "-fPIC", str(path), "-o", library, *libraries]
    done = subprocess.run(words, capture_output=True, text=True)
    return None if done.returncode else ctypes.CDLL(library)


def measured(name, ty, libraries):
    """The fastest rounds of each, in nanoseconds an element."""
    _, dtype, _, _, count = TYPES[ty]
    rng = np.random.default_rng(1)
    x = rng.uniform(*RANGES.get(name, (0.01, 10)), count).astype(dtype)
    z = rng.uniform(-3, 3, count).astype(dtype)
    y, n = np.empty_like(x), ctypes.c_int64(count)
    operands = (x, z) if name in TWO else (x,)
    given = {who: operands if who == "ours" else (x, z) for who in libraries}
    runs = {who: lambda f=f, a=given[who]: f(n, *map(at, a), at(y)) for who, f in libraries.items()}
    numpy = getattr(np, NUMPY.get(name, name), None)
    if numpy:
        runs["NumPy"] = lambda: numpy(*operands, out=y)
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(ROUNDS):
        for who, run in runs.items():
            start = time.perf_counter_ns()
            for _ in range(CALLS):
                run()
            best[who] = min(best[who], (time.perf_counter_ns() - start) / CALLS / count)
    ratios = {who: round(t / best["ours"], 2) for who, t in best.items() if who != "ours"}
    return {"nanoseconds": {who: round(t, 3) for who, t in best.items()}, "ratios": ratios}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/release/atl", help="the command that builds the kernels")
    parser.add_argument("--only", default="", help="only this function")
    parser.add_argument("--look", action="store_true", help="write no results")
    args = parser.parse_args()
    atl, rows = str(Path(args.atl).resolve()), []
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = programs()
        program = Path(folder) / "functions.atl"
        program.write_text(ours)
        others = {"C library": compiled(theirs, Path(folder) / "loops.c", "-lm")}
        others["SLEEF"] = compiled(with_sleef(), Path(folder) / "sleef.c", "-lsleef")
        if others["SLEEF"] is None:
            del others["SLEEF"]
            print("skipped: SLEEF is not installed (apt-get install libsleef-dev)")
        for name in (name for name in ONE + TWO if args.only in ("", name)):
            row = {"function": name}
            for ty in TYPES:
                function, built = f"{name}_{ty}", str(Path(folder) / f"{name}_{ty}")
                words = [atl, "build", str(program), "--fn", function, "--schedule", "vectors", "-o", built]
                subprocess.run(words, check=True, capture_output=True)
                kernel = getattr(ctypes.CDLL(f"{built}/lib{function}.so"), function)
                theirs = {who: getattr(library, function) for who, library in others.items()}
                row[ty] = measured(name, ty, {"ours": kernel} | theirs)
            rows.append(row)
            print(row, flush=True)
    if not args.look:
        written("functions", rows, unit="nanoseconds an element")
    return 0


if __name__ == "__main__":
    sys.exit(main())
