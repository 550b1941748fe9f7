#!/usr/bin/env python3
"""What a call from Python costs, as ratios measured in one process.

    python benches/python/calls.py [--rounds 120]

Each line is a figure, what it is compared with, and the bound that is demanded of it. A round times every candidate once,
in turn; a figure is the 5th percentile of the ratios of rounds, so that what else the machine does is left out.
"""

import argparse
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=120)
    rounds = parser.parse_args().rounds
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
        packed = atl.pack(S)
        show(
            f"A @ x, {S.nnz} entries, × scipy",
            {"packed": 1, "bound": 1, "call": 1.3},
            figures(
                max(5, min(rounds, 2_000_000 // max(S.nnz, 1))),
                {"A @ x": lambda: S @ x, "packed": lambda: spmv(packed, x, out=y), "bound": spmv.bind(S, x, out=y), "call": lambda: spmv(S, x, out=y)},
            ),
        )


if __name__ == "__main__":
    main()
