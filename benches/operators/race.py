#!/usr/bin/env python3
"""Times operators of fluid dynamics under the schedule `batched` beside `opt_einsum`, on one thread.

    benches/operators/race.py --atl target/release/atl --nodes 2-20

Both get the same arrays, of doubles that begin at multiples of 64 bytes, and run in turn in this process; results are compared
first, to the bit, since the arrays hold small whole numbers. What is timed of ours is the library that `atl build` writes; of
`opt_einsum`, expressions whose order of contraction was chosen before. `moves.c`, which reads and writes as much and computes nothing,
runs between them: that is the roof which memory sets. Rows of `benches/results/operators.json` are replaced by
those that are measured; `--look` only prints.
"""

import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np
import opt_einsum

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches" / "results" / "operators.json"
FORWARD, BACKWARD = "ai,bj,ck,eijk->eabc", "ia,jb,kc,eijk->eabc"

# At most so many rounds, and none begins after so many seconds unless there were too few.
ROUNDS, LEAST, PATIENCE = 41, 5, 2.5


def whole_numbers(rng, shape):
    """An array at a multiple of 64 bytes."""
    array = zeros(shape)
    array[...] = rng.integers(-3, 4, shape, "i1")
    return array


def zeros(shape):
    count = int(np.prod(shape)) * 8
    memory = np.zeros(count + 64, "u1")
    first = -memory.ctypes.data % 64
    return memory[first : first + count].view("f8").reshape(shape)


def interpolation(n, elements, rng):
    matrix, field = whole_numbers(rng, (n, n)), whole_numbers(rng, (elements, n, n, n))
    along = opt_einsum.contract_expression(FORWARD, *[matrix.shape] * 3, field.shape)
    return "interpolate", "v", [matrix, field], 6 * n**4, lambda: along(matrix, matrix, matrix, field)


def helmholtz(n, elements, rng):
    matrix = whole_numbers(rng, (n, n))
    scale, field = (whole_numbers(rng, (elements, n, n, n)) for _ in range(2))
    there, back = (opt_einsum.contract_expression(of, *[matrix.shape] * 3, field.shape) for of in (BACKWARD, FORWARD))

    def both():
        modal = there(matrix, matrix, matrix, field)
        modal *= scale
        return back(matrix, matrix, matrix, modal)

    return "helmholtz", "sol", [matrix, scale, field], 12 * n**4 + n**3, both


def gradient(n, elements, rng):
    matrix, field = whole_numbers(rng, (n, n)), whole_numbers(rng, (elements, n, n, n))
    axes = ("ai,eijk->eajk", "bj,eijk->eibk", "ck,eijk->eijc")
    along = [opt_einsum.contract_expression(axis, matrix.shape, field.shape) for axis in axes]
    together = zeros((elements, 3, n, n, n))

    def each():
        for axis, derivative in enumerate(along):
            together[:, axis] = derivative(matrix, field)
        return together

    return "gradient", "g", [matrix, field], 6 * n**4, each


OPERATORS = {"interpolation": interpolation, "gradient": gradient, "inverse Helmholtz": helmholtz}


def pointer(array):
    """An address that keeps its array."""
    return array.ctypes.data_as(ctypes.c_void_p)


def library(atl, example, function, n, folder):
    """The kernel that `atl` builds of an example with so many nodes and points along each axis."""
    text = (ROOT / "examples" / f"{example}.cfd").read_text()
    program = Path(folder) / f"{example}_{n}.cfd"
    program.write_text(re.sub(r"\[(3 )?[mn]( [mn])*\]", lambda sizes: re.sub("[mn]", str(n), sizes[0]), text))
    built = program.with_suffix("")
    words = [atl, "build", str(program), "--fn", function, "--schedule", "batched", "-o", str(built)]
    subprocess.run(words, check=True, capture_output=True)
    return getattr(ctypes.CDLL(str(built / f"lib{function}.so")), function)


def moving(arrays, result, folder):
    """A run that reads the fields and stores a result, and computes nothing."""
    built = Path(folder) / "moves.so"
    source = Path(__file__).with_name("moves.c")
    subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(built)], check=True)
    fields = [array for array in arrays if array.ndim == 4]
    first, second = [pointer(array) for array in fields] + [None] * (2 - len(fields))
    cells, results = fields[0].size, result.size // fields[0].size
    moves, out = ctypes.CDLL(str(built)).moves, pointer(result)
    return lambda: moves(ctypes.c_int64(cells), ctypes.c_int64(results), first, second, out)


def timed(run):
    start = time.perf_counter_ns()
    result = run()
    return (time.perf_counter_ns() - start) / 1e6, result


def prepared(atl, name, n, elements, folder):
    """What is timed, the results compared: ours, what memory asks, and theirs; and the operations of all elements."""
    example, function, arrays, operations, theirs = OPERATORS[name](n, elements, np.random.default_rng(0))
    kernel = library(atl, example, function, n, folder)
    result = zeros(theirs().shape)
    pointers = [pointer(array) for array in (*arrays, result)]

    def ours():
        if kernel(ctypes.c_int64(elements), *pointers):
            raise MemoryError

    ours()
    if not np.array_equal(result, theirs()):
        raise ValueError(f"{name}, {n} nodes: the results differ")
    return (ours, moving(arrays, result, folder), theirs), operations * elements


def row_of(name, n, runs, operations, patience):
    """Rounds, and what they say."""
    times, start = [], time.perf_counter()
    while len(times) < ROUNDS and (len(times) < LEAST or time.perf_counter() - start < patience):
        times.append([timed(run)[0] for run in runs])
    median = lambda values: sorted(values)[len(times) // 2]
    row = {"operator": name, "nodes": n, "rounds": len(times)}
    for who, values in zip(("ours", "moves", "theirs"), zip(*times)):
        row |= {who: round(median(values), 4), f"{who}_fastest": round(min(values), 4)}
    row["times_as_fast"] = round(median(theirs / ours for ours, _, theirs in times), 2)
    row["by_fastest_runs"] = round(row["theirs_fastest"] / row["ours_fastest"], 2)
    row["of_the_roof"] = round(median(moves / ours for ours, moves, _ in times), 3)
    row["operations_a_nanosecond"] = round(operations / row["ours"] / 1e6, 1)
    return row


def machine(load):
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    said = lambda *words: subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout
    return {
        "processor": model[1] if model else "unknown",
        "cores": os.cpu_count(),
        "load": load or Path("/proc/loadavg").read_text().split()[0],
        "compiler": said("cc", "--version").splitlines()[0],
        "numpy": np.__version__,
        "opt_einsum": opt_einsum.__version__,
        "commit": said("git", "describe", "--always", "--dirty", "--exclude", "*").strip(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/release/atl", help="the command that builds the kernels")
    parser.add_argument("--nodes", default="2-20", help="nodes along each axis, as 2,5-7")
    parser.add_argument("--elements", type=int, default=10_000)
    parser.add_argument("--only", default="", help="only operators whose name contains this")
    parser.add_argument("--load", default="", help="what to say of the machine's load instead of a number")
    parser.add_argument("--look", action="store_true", help="write no results")
    args = parser.parse_args()
    ends = [part.split("-") for part in args.nodes.split(",")]
    nodes = [n for end in ends for n in range(int(end[0]), int(end[-1]) + 1)]
    about = machine(args.load)
    for name in (name for name in OPERATORS if args.only in name):
        for n in nodes:
            with tempfile.TemporaryDirectory() as folder:
                runs, operations = prepared(str(Path(args.atl).resolve()), name, n, args.elements, folder)
                row = row_of(name, n, runs, operations, PATIENCE)
            print(*(f"{key} {value}" for key, value in row.items()), sep=", ", flush=True)
            if not args.look:
                known = json.loads(RESULTS.read_text())["results"]["rows"] if RESULTS.exists() else []
                rows = [r for r in known if (r["operator"], r["nodes"]) != (name, n)] + [row]
                rows.sort(key=lambda r: (list(OPERATORS).index(r["operator"]), r["nodes"]))
                results = {"elements": args.elements, "rows": rows}
                RESULTS.write_text(json.dumps({"machine": about, "results": results}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
