#!/usr/bin/env python3
"""Times the functions of floats in vectors beside a loop that calls the C library, on one thread.

    benches/functions/race.py --atl target/release/atl

Both are compiled with `cc -O3 -march=native`: ours from `gen i < N { sin(x[i]) }` under `vectorize i`, theirs from
`y[i] = sin(x[i])`. Arrays of 4096 doubles or 8192 singles stay in the cache, and the two run in turn in this process; a
ratio is that of the fastest rounds. `--look` only prints; otherwise `benches/results/functions.json` is written.
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
from paired import written

ONE = "acos asin atan cbrt cos cosh erf erfc exp exp10 exp2 expm1 log log10 log1p log2 sin sinh tan tanh".split()
TWO = "atan2 hypot pow".split()
RANGES = {
    "acos": (-1, 1), "asin": (-1, 1), "erf": (-3, 3), "erfc": (-3, 6), "exp10": (-10, 10), "sin": (-50, 50),
    "cos": (-50, 50), "tan": (-50, 50), "tanh": (-4, 4), "exp": (-20, 20), "exp2": (-20, 20), "cosh": (-10, 10),
    "sinh": (-10, 10), "expm1": (-5, 20),
}
TYPES = {"f64": ("double", np.float64, "", 8, 4096), "f32": ("float", np.float32, "f", 16, 8192)}
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


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def measured(name, ty, ours, theirs):
    """The fastest rounds of both, in nanoseconds an element."""
    _, dtype, _, _, count = TYPES[ty]
    rng = np.random.default_rng(1)
    x = rng.uniform(*RANGES.get(name, (0.01, 10)), count).astype(dtype)
    z = rng.uniform(-3, 3, count).astype(dtype)
    y = np.empty_like(x)
    inputs = [address(x), address(z)] if name in TWO else [address(x)]
    n = ctypes.c_int64(count)
    runs = [lambda: ours(n, *inputs, address(y)), lambda: theirs(n, address(x), address(z), address(y))]
    best = [float("inf")] * 2
    for _ in range(ROUNDS):
        for which, run in enumerate(runs):
            start = time.perf_counter_ns()
            for _ in range(CALLS):
                run()
            best[which] = min(best[which], (time.perf_counter_ns() - start) / CALLS / count)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/release/atl", help="the command that builds the kernels")
    parser.add_argument("--only", default="", help="only this function")
    parser.add_argument("--look", action="store_true", help="write no results")
    args = parser.parse_args()
    atl, rows = str(Path(args.atl).resolve()), []
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = programs()
        program, loops = Path(folder) / "functions.atl", Path(folder) / "loops.c"
        program.write_text(ours)
        loops.write_text(theirs)
        library = str(loops.with_suffix(".so"))
        words = ["cc", "-O3", "-march=native", "-shared", "-fPIC", str(loops), "-o", library, "-lm"]
        subprocess.run(words, check=True)
        their_functions = ctypes.CDLL(library)
        for name in (name for name in ONE + TWO if args.only in ("", name)):
            row = {"function": name}
            for ty in TYPES:
                function, built = f"{name}_{ty}", str(Path(folder) / f"{name}_{ty}")
                words = [atl, "build", str(program), "--fn", function, "--schedule", "vectors", "-o", built]
                subprocess.run(words, check=True, capture_output=True)
                kernel = getattr(ctypes.CDLL(f"{built}/lib{function}.so"), function)
                best = measured(name, ty, kernel, getattr(their_functions, function))
                row[ty] = {"ours": round(best[0], 3), "library": round(best[1], 3), "ratio": round(best[1] / best[0], 2)}
            rows.append(row)
            print(row, flush=True)
    if not args.look:
        written("functions", rows, unit="nanoseconds an element")
    return 0


if __name__ == "__main__":
    sys.exit(main())
