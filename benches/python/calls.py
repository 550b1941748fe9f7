#!/usr/bin/env python3
"""What a call from Python costs, as ratios measured in one process.

    python benches/python/calls.py [--rounds 120]

Each line is a figure, what it is compared with, and the bound that is demanded of it. A round times every candidate once,
in turn, after a call that is not timed: candidates have arrays of their own, and one that shares them with its neighbour would
find them in the caches. A figure is the ratio of 5th percentiles of all rounds, so that what else the machine does is left out.
"""

import argparse
import importlib
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
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
        call()  # the first one compiles: what counts is how long the others take
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


#: The first run of a program writes what Python compiles of the package.
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def said(*words):
    """What Python says in a process of its own, of both streams."""
    done = subprocess.run([sys.executable, *words], check=True, env=COMPILED, capture_output=True, text=True)
    return done.stdout + done.stderr


def imports(rounds=30):
    """The microseconds of importing NumPy, and then the package: the least of both in so many processes."""
    least = {"numpy": sys.maxsize, "atl": sys.maxsize}
    for _ in range(rounds):
        for cumulative, name in re.findall(r"\| +(\d+) \| (numpy|atl)$", said("-X", "importtime", "-c", "import numpy, atl"), re.MULTILINE):
            least[name] = min(least[name], int(cumulative))
    return least["numpy"], least["atl"]


def resident(program):
    """The MB that a process has in memory at its end, the least of five."""
    asked = f"{program}; print(next(line for line in open('/proc/self/status') if line.startswith('VmRSS')).split()[1])"
    return min(int(said("-c", asked)) for _ in range(5)) / 1000


def cpu(program):
    """Seconds of processor time that a program takes in a process of its own, the least of seven."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said("-c", program)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(7))


def processes():
    """What it takes to begin."""
    numpy, package = imports()
    first = "import numpy as np, atl; k = atl.compile('fn f(x: f64[N]) -> f64[N] { gen i < N { x[i] + x[i] } }'%s); k(np.ones(3))"
    ours = cpu("import numpy, atl")
    figure("import numpy, atl", package / numpy, 0.1, "× NumPy's")
    figure("memory of the import", resident("import numpy, atl") - resident("import numpy"), 10, "MB beyond NumPy's")
    with tempfile.TemporaryDirectory() as folder:
        # Each process has a cache of its own.
        cold = f"import os, tempfile; os.environ['ATL_CACHE'] = tempfile.mkdtemp(dir={folder!r}); {first % ''}"
        figure("first result, C, cold", cpu(cold) - ours, 0.5, "s of CPU beyond the import")
    figure("first result, C, warm", cpu(first % "") - ours, 0.05, "s of CPU beyond the import")
    figure("first result, Cranelift", cpu(first % ", backend='cranelift'") - ours, 0.05, "s of CPU beyond the import")


def figure(name, found, wanted, unit):
    print(f"{name:40} {found:8.3f} {unit}   demanded ≤ {wanted}: {'holds' if found <= wanted else 'does not hold'}")


def sum_of(count):
    """A call that adds so many arrays of 8 numbers."""
    names = [f"x{k}" for k in range(count)]
    kernel = atl.compile(
        f"fn f({', '.join(f'{name}: f32[N]' for name in names)}) -> f32[N] {{ gen i < N {{ {' + '.join(f'{name}[i]' for name in names)} }} }}"
    )
    # Each argument is written, for to unpack a list takes longer than to look at an array.
    given = {name: np.ones(8, np.float32) for name in [*names, "out"]}
    return eval(f"lambda: kernel({', '.join(names)}, out=out)", {"kernel": kernel, **given})


def loaded(kernel, folder):
    """The function of the module that `build` writes."""
    kernel.build(folder)
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("add").add
    finally:
        sys.path.remove(folder)


def tracing():
    """The milliseconds in which a function of 20 operators becomes a text."""
    N = atl.size("N")

    def f(x, y):
        return atl.gen((x[i] * 2 + y[i] * 3 - x[i] * y[i]) / (x[i] + 4) + (y[i] - x[i]) * (x[i] - 5) * (y[i] + x[i] * 7 - 8) / (y[i] + 9) for i in N)

    def least(call):
        times = []
        for _ in range(200):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return min(times) * 1e3

    text = atl.fn(x=atl.f64[N], y=atl.f64[N])(f).text
    return least(lambda: atl.fn(x=atl.f64[N], y=atl.f64[N])(f)) - least(lambda: atl.compile(text))


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
    parser.add_argument("--wheel", type=pathlib.Path, help="a wheel, which is weighed")
    options = parser.parse_args()
    rounds = options.rounds
    a, b, c = np.ones(8, np.float32), np.ones(8, np.float32), np.ones(8, np.float32)
    add = atl.compile(ADD)
    bound = add.bind(a, b, out=c)
    with tempfile.TemporaryDirectory() as folder:
        module = loaded(add, folder)
        calls = {
            "np.add(a, b, out=c)": lambda: np.add(a, b, out=c),
            "add(a, b, out=c)": lambda: add(a, b, out=c),
            "add(a, b)": lambda: add(a, b),
            "add.bind(a, b, out=c)()": bound,
            "four operands, out=": sum_of(4),
            "eight operands, out=": sum_of(8),
            "the module of build": lambda: module(a, b),
        }
        measured = figures(rounds, calls)
    demanded = {"add(a, b, out=c)": 1.5, "add.bind(a, b, out=c)()": 0.5, "add(a, b)": 2.5, "four operands, out=": 1.5, "the module of build": 12}
    demanded["eight operands, out="] = round(measured[1]["four operands, out="] + 4 * 0.2, 2)
    show("c = a + b, 8 numbers, × np.add(a, b, out=c)", demanded, measured)
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
    for size, entries in [(8, 20), (100, 10_000), (1000, 10_000), (30_000, 1_000_000)]:
        rng = np.random.default_rng(0)
        S = scipy.sparse.random_array((size, size), density=min(1, entries / size**2), format="csr", rng=rng)
        x, y = rng.random(size), np.empty(size)
        packed, another, same = atl.pack(S), S.copy(), S.copy()
        # Equal calls of SciPy's differ by the memory of each, and by who else uses the caches: no ratio is more exact.
        candidates = {
            "A @ x": lambda: S @ x,
            "a copy of A @ x": lambda: same @ x,
            "packed": lambda: spmv(packed, x, out=y),
            "bound": spmv.bind(S, x, out=y),
            "call": lambda: spmv(another, x, out=y),
        }
        measured = figures(rounds, candidates)
        show(f"A @ x, {S.nnz} entries, {size} rows, × scipy", {"packed": 1, "bound": 1}, measured)
        if S.nnz >= 10_000:
            figure("    the check of entries", measured[1]["call"] - measured[1]["packed"], 0.3, "× scipy's product")
    u, v, w = (np.random.default_rng(k).random((200, 200)) for k in range(3))
    show(
        "einsum('ij,jk,kl->il'), 200 × 200, × np.einsum(optimize=True)",
        {"atl.einsum": 1},
        figures(
            min(rounds, 40),
            {
                "np.einsum": lambda: np.einsum("ij,jk,kl->il", u, v, w, optimize=True),
                "atl.einsum": lambda: atl.einsum("ij,jk,kl->il", u, v, w),
            },
        ),
    )
    figure("tracing 20 operators", tracing(), 0.2, "ms")
    figure("a million calls", memory(add, a, b, c), 1024, "KiB more")
    if options.wheel:
        figure("the wheel", options.wheel.stat().st_size / 1e6, 8, "MB")
    if options.processes:
        processes()


if __name__ == "__main__":
    main()
