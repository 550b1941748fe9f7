#!/usr/bin/env python3
"""Times programs over bytes, short integers, complex numbers and tuples beside plain C and NumPy, on one thread.

    benches/values/race.py --atl target/release/atl

Ours are the functions of `values.atl` and of the examples, without a word of schedule but for the camera's and where
a name says so; theirs are the loops of `plain.c` compiled with `cc -O3 -march=native -ffp-contract=off`, NumPy, and Halide for pictures,
where it is installed. All run in turn in this process on the same arrays, and results are compared. A ratio is the
median of those of single rounds: theirs by ours, so more than one is quicker. `--look` only prints; otherwise
`benches/results/values.json` is written.
"""

import argparse
import ctypes
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paired import built, plain_c, raced, row_of, written

ROUNDS = 9
# Pictures of which there is a schedule, too.
BLOCKS = "sobel", "unsharp"


def in_halide(name, x, expected):
    """A picture in Halide, where that is installed: the names of schedules, and a function that runs each."""
    try:
        import with_halide
    except ImportError:
        print("skipped: Halide is not installed (pip install halide)")
        return
    for schedule, run, out in with_halide.candidates(name, x, expected):
        run()
        if not np.array_equal(out, expected):
            raise SystemExit(f"{name} in Halide, {schedule}: results differ")
        yield f"Halide, {schedule}", run


class Race:
    """Functions of ours beside others."""

    def __init__(self, atl, folder):
        self.atl, self.folder, self.rows = atl, folder, []
        self.plain = plain_c("benches/values/plain.c", folder)

    def built(self, program, function, rounding="bitwise"):
        """Our kernel, under the schedule that is chosen."""
        return built(self.atl, program, function, self.folder, "--rounding", rounding)

    def run(self, what, ours, others, same):
        """Times and compares; `others` are functions by name."""
        times = raced({"ours": ours} | others, ROUNDS, 1)
        if not same():
            raise SystemExit(f"{what}: results differ")
        self.rows.append(row_of(what, times, others))
        print(json.dumps(self.rows[-1]), flush=True)


def call(kernel, sizes, *arrays):
    """A call of a kernel or of plain C: sizes, operands, results."""
    words = [ctypes.c_int64(n) for n in sizes] + [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    return lambda: kernel(*words)


def pictures(race, height=2000, width=3000):
    rng = np.random.default_rng(1)
    def windows(x, n):
        return [x[r:r + height, s:s + width] for r in range(n) for s in range(n)]

    def dilated(x):
        return lambda: np.maximum.reduce(windows(x, 3))

    table = {
        "dilate": (np.uint8, 2, np.uint8, dilated),
        "box": (np.uint16, 2, np.uint16, None),
        "sobel": (np.uint8, 2, np.int16, None),
        "gauss": (np.uint8, 4, np.uint8, None),
        "unsharp": (np.uint8, 2, np.uint8, None),
    }
    for name, (dtype, border, result, numpy) in table.items():
        x = rng.integers(0, np.iinfo(dtype).max, (height + border, width + border), dtype=dtype, endpoint=True)
        out, their, other = (np.empty((height, width), result) for _ in range(3))
        kernel = race.built("benches/values/values.atl", name)
        others = {"plain C": call(getattr(race.plain, name), (height, width), x, their)}
        others["plain C"]()
        others |= {"NumPy": numpy(x)} if numpy else {}
        if name in BLOCKS:
            scheduled = built(race.atl, "benches/values/values.atl", name, race.folder, "--schedule", "blocks")
            others["ours, in blocks"] = call(scheduled, (height, width), x, other)
        others |= dict(in_halide(name, x, their))
        race.run(f"{name} of {height} by {width}", call(kernel, (height, width), x, out), others, lambda: np.array_equal(out, their))


def histogram(race, n=4096 * 4096):
    x = np.random.default_rng(1).normal(128, 30, n).clip(0, 255).astype(np.uint8)
    out, their = np.empty(256, np.int32), np.empty(256, np.int32)
    kernel = race.built("benches/values/values.atl", "histogram")
    others = {"plain C": call(race.plain.histogram, (n,), x, their), "numpy.bincount": lambda: np.bincount(x, minlength=256)}
    race.run(f"a histogram of {n} bytes", call(kernel, (n,), x, out), others, lambda: np.array_equal(out, their))


def products(race, n=1024):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-128, 128, (n, n), dtype=np.int8) for _ in range(2))
    out, their = np.empty((n, n), np.int32), np.empty((n, n), np.int32)
    x, y, single = a.astype(np.float32), b.astype(np.float32), np.empty((n, n), np.float32)
    bytes_, floats = (race.built("benches/values/values.atl", f, "real") for f in ("bytes_product", "floats_product"))
    others = {"our product of f32": call(floats, (n, n, n), x, y, single), "plain C": call(race.plain.bytes_product, (n, n, n), a, b, their)}
    race.run(f"a product of bytes, {n}", call(bytes_, (n, n, n), a, b, out), others, lambda: np.array_equal(out, their))


def folds(race, rows=2000, columns=2000):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    out, their = np.empty(rows, np.int32), np.empty(rows, np.int32)
    others = {"plain C": call(race.plain.argmax, (rows, columns), x, their), "numpy.argmax": lambda: np.argmax(x, 1)}
    kernel, place = race.built("benches/values/values.atl", "argmax"), np.empty_like(out)
    others["ours, the largest first"] = call(race.built("benches/values/values.atl", "argmax_in_two_looks", "finite"), (rows, columns), x, place)
    race.run(f"argmax of {rows} rows of {columns}", call(kernel, (rows, columns), x, out), others,
             lambda: np.array_equal(out, their) and np.array_equal(place, their))
    z = rng.standard_normal(4_000_000)
    mine, yours = ([np.empty(1), np.empty(1)] for _ in range(2))
    others = {"plain C": call(race.plain.welford, (len(z),), z, *yours), "numpy.var": lambda: np.var(z)}
    kernel = race.built("benches/values/values.atl", "welford")
    race.run(f"Welford of {len(z)}", call(kernel, (len(z),), z, *mine), others, lambda: mine == yours)
    kernel = race.built("benches/values/values.atl", "samples")
    race.run(f"mean and variance of {len(z)}, in samples side by side", call(kernel, (len(z),), z, *mine), {"numpy.var": lambda: np.var(z)},
             lambda: np.allclose([mine[0][0], mine[1][0]], [z.mean(), z.var()], rtol=1e-10, atol=1e-12))
    top, best = np.empty(columns, np.float32), np.empty(1, np.int64)
    kernel = race.built("benches/values/values.atl", "largest_of_columns")
    race.run(f"the largest of {columns} columns, or NaN", call(kernel, (rows, columns), x, top), {"numpy.max": lambda: x.max(0)},
             lambda: np.array_equal(top, x.max(0)))
    kernel = race.built("benches/values/values.atl", "argmax_of_all")
    race.run(f"argmax of {x.size}", call(kernel, (x.size,), x, best), {"numpy.argmax": lambda: np.argmax(x)}, lambda: best[0] == np.argmax(x))
    softmaxes(race, x)


def softmaxes(race, x):
    """The first pass of a softmax beside a pass that only reads, and whole ones beside a copy."""
    rows, columns = x.shape
    both, moved, one = np.empty_like(x), np.empty_like(x), np.empty(1, np.float32)
    largest, sums = np.empty(rows, np.float32), np.empty(rows, np.float32)

    def softmax():
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    kernel = race.built("benches/values/values.atl", "largest_and_sums")
    reading = race.built("benches/values/values.atl", "total", "real")
    race.run(f"the largest and the sum of exponentials of {rows} rows of {columns}", call(kernel, (rows, columns), x, largest, sums),
             {"our sum of all, in lanes": call(reading, (x.size,), x, one)},
             lambda: np.allclose(sums, np.exp(x - x.max(1, keepdims=True)).sum(1), rtol=1e-5))
    others = {"NumPy": softmax, "a copy": lambda: np.copyto(moved, x)}
    programs = {
        "in two passes": ("examples/one_pass.atl", "softmax_in_two_passes", "real"),
        "in two passes, by blocks": ("benches/values/values.atl", "softmax_in_blocks", "bitwise"),
        "row by row": ("examples/softmax.atl", "softmax", "real"),
    }
    for how, program in programs.items():
        kernel = race.built(*program)
        race.run(f"softmax {how}, {rows} rows of {columns}", call(kernel, (rows, columns), x, both), others,
                 lambda: np.allclose(both, softmax(), rtol=1e-5))


def transform(race, n=65536):
    rng = np.random.default_rng(1)
    z, w = rng.standard_normal(n) + 1j * rng.standard_normal(n), np.exp(-2j * np.pi * np.arange(n) / n)
    parts = [np.ascontiguousarray(a) for a in (z.real, z.imag, w.real, w.imag)]
    re, im, their = np.empty(n), np.empty(n), np.empty(n, complex)
    kernel = race.built("benches/values/values.atl", "fft")
    race.run(f"a Fourier transform of {n} complex numbers, parts apart", call(kernel, (), *parts, re, im),
             {"numpy.fft": lambda: np.fft.fft(z, out=their)}, lambda: np.abs(re + 1j * im - their).max() < 1e-15 * n)


def camera(race, height=1000, width=1500):
    rng = np.random.default_rng(1)
    raw = rng.integers(0, 65536, (2 * height, 2 * width), np.uint16)
    matrix, gamma = rng.uniform(-0.5, 1, (3, 3)).astype(np.float32), rng.integers(0, 256, 1024, np.uint8)
    out, their = (np.empty((height, width, 3), np.uint8) for _ in range(2))
    kernel = built(race.atl, "examples/tables.atl", "camera", race.folder, "--schedule", "camera_rows")
    sizes = height, width
    others = {"plain C": call(race.plain.camera, sizes, raw, matrix, gamma, their)}
    ours = call(kernel, sizes, raw, matrix, gamma, out)
    race.run(f"a camera's picture of {height} by {width}", ours, others, lambda: np.array_equal(out, their))


def random_numbers(race, n=4_000_000):
    key, out = np.array([1, 2], np.uint32), np.empty(n, np.float32)
    kernel = race.built("benches/values/values.atl", "uniform_numbers")
    generator = np.random.Generator(np.random.Philox(1))
    others = {"NumPy's Philox": lambda: generator.random(n, dtype=np.float32)}
    race.run(f"{n} random numbers", call(kernel, (n,), key, out), others, lambda: abs(out.mean() - 0.5) < 1e-3 and out.max() < 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/release/atl", help="the command that builds the kernels")
    parser.add_argument("--look", action="store_true", help="write no results")
    parser.add_argument("--only", default="", help="races whose names contain this")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        race = Race(str(Path(args.atl).resolve()), folder)
        for each in (pictures, histogram, products, folds, transform, camera, random_numbers):
            if args.only in each.__name__:
                each(race)
    if not args.look:
        written("values", race.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
