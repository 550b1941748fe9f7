#!/usr/bin/env python3
"""What a call from Python costs, as ratios measured in one process.

    python benches/python/calls.py [--rounds 120]

Each line is a figure, what it is compared with, and the bound that is demanded of it. A round times every candidate once,
in turn, after a call that is not timed: candidates have arrays of their own, and one that shares them with its neighbour would
find them in the caches. A figure is the 5th percentile of the ratios of rounds, so that what else the machine does is left out.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np
import scipy.sparse

import atl

ADD = "fn add(a: f32[N], b: f32[N]) -> f32[N] { gen i < N { a[i] + b[i] } }"
SPMV = """fn spmv(A: f64[N, M] as csr, x: f64[M]) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }
schedule entries of spmv { rounding real; sparsify; }"""


def figures(rounds, candidates):
    """The 5th percentile of each candidate's time over the first one's."""
    calls, times = {}, {name: [] for name in candidates}
    for name, call in candidates.items():
        start = time.perf_counter()
        for _ in range(20):
            call()
        once = (time.perf_counter() - start) / 20
        calls[name] = max(1, min(2000, int(0.002 / max(once, 1e-8))))
    for _ in range(rounds):
        for name, call in candidates.items():
            n = calls[name]
            call()  # its arrays are in the caches now, not those of the candidate before
            start = time.perf_counter()
            for _ in range(n):
                call()
            times[name].append((time.perf_counter() - start) / n)
    base = np.percentile(next(iter(times.values())), 5)
    return base, {name: np.percentile(found, 5) / base for name, found in times.items()}


def show(title, demanded, measured):
    base, ratios = measured
    print(f"{title} ({base * 1e6:.2f} µs)")
    for name, ratio in ratios.items():
        wanted = demanded.get(name)
        verdict = "" if wanted is None else f"   demanded ≤ {wanted}: {'holds' if ratio <= wanted else 'does not hold'}"
        print(f"    {name:32} {ratio:8.2f}{verdict}")


def cpu(program):
    """Seconds of processor time that a program takes in a process of its own, the least of seven."""
    # The first run writes what Python compiles of the package.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", program], check=True, env=env)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(7))


def processes():
    """What it takes to begin."""
    numpy = cpu("import numpy")
    first = "import numpy as np, atl; k = atl.compile('fn f(x: f64[N]) -> f64[N] { gen i < N { x[i] + x[i] } }'%s); k(np.ones(3))"
    ours = cpu("import numpy, atl")
    ratios = {"import atl": (ours - numpy) / numpy, "first result, C, warm": cpu(first % "") - ours}
    ratios["first result, Cranelift"] = cpu(first % ", backend='cranelift'") - ours
    print(f"import numpy ({numpy:.3f} s of CPU)")
    for (name, found), wanted in zip(ratios.items(), [0.1, 0.05, 0.05]):
        unit = "x numpy's" if name == "import atl" else "s beyond import"
        print(f"    {name:32} {found:8.3f} {unit}   demanded <= {wanted}: {'holds' if found <= wanted else 'does not hold'}")


def memory(add, a, b, c):
    """How many KiB the process grows by in a million calls."""
    for _ in range(100_000):
        add(a, b, out=c)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1_000_000):
        add(a, b, out=c)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--processes", action="store_true", help="also what imports and first results take")
    options = parser.parse_args()
    rounds = options.rounds
    a, b, c = np.ones(8, np.float32), np.ones(8, np.float32), np.ones(8, np.float32)
    add = atl.compile(ADD)
    bound = add.bind(a, b, out=c)
    show(
        "c = a + b, 8 numbers, × np.add(a, b, out=c)",
        {"add(a, b, out=c)": 1.5, "add.bind(a, b, out=c)()": 0.5, "add(a, b)": 2.5},
        figures(
            rounds,
            {
                "np.add(a, b, out=c)": lambda: np.add(a, b, out=c),
                "add(a, b, out=c)": lambda: add(a, b, out=c),
                "add(a, b)": lambda: add(a, b),
                "add.bind(a, b, out=c)()": bound,
            },
        ),
    )
    m, n = np.ones((3, 3)), np.ones((3, 3))
    show(
        "einsum('ij,jk->ik'), 3 × 3, × np.einsum",
        {"atl.einsum": 2},
        figures(
            rounds,
            {
                "np.einsum": lambda: np.einsum("ij,jk->ik", m, n),
                "atl.einsum": lambda: atl.einsum("ij,jk->ik", m, n),
            },
        ),
    )
    spmv = atl.compile(SPMV).schedule("entries")
    for size, entries in [(8, 20), (1000, 10_000), (30_000, 1_000_000)]:
        rng = np.random.default_rng(0)
        S = scipy.sparse.random_array((size, size), density=entries / size**2, format="csr", rng=rng)
        x, y = rng.random(size), np.empty(size)
        packed, another = atl.pack(S), S.copy()
        show(
            f"A @ x, {S.nnz} entries, × scipy",
            {"packed": 1, "bound": 1, "call": 1.3 if size > 100 else None},
            figures(
                max(20, min(rounds, 2_000_000 // max(S.nnz, 1))),
                {"A @ x": lambda: S @ x, "packed": lambda: spmv(packed, x, out=y), "bound": spmv.bind(S, x, out=y), "call": lambda: spmv(another, x, out=y)},
            ),
        )
    grown = memory(add, a, b, c)
    print(f"a million calls: {grown} KiB more   demanded ≤ 1024: {'holds' if grown <= 1024 else 'does not hold'}")
    extension = next(pathlib.Path(atl.__file__).parent.glob("_atl*.so"))
    print(f"the extension: {extension.stat().st_size / 1e6:.1f} MB")
    if options.processes:
        processes()


if __name__ == "__main__":
    main()
