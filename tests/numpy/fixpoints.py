#!/usr/bin/env python3
"""Compares iterations of the steps in `examples/graphs.atl` with SciPy's and NetworkX's algorithms on graphs.

Searches, shortest paths, components and closure are run until stable, and must be equal: lengths are whole numbers, whose sums
are exact. Ranks are run a number of times, and must solve the equation that they are the fixpoint of. NetworkX gives all of the rank of
vertices without edges out to all vertices, where the step here drops it: the two differ by a factor, and agree when they add up to 1.
"""

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

try:
    import networkx
    import numpy as np
    import scipy.sparse as sp
    from scipy.sparse import csgraph
except ImportError:
    print("skipped: NumPy, SciPy or NetworkX is not installed (./test installs them)")
    sys.exit(0)

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "target" / "numpy" / "fixpoints"


def networkx_agrees(weights: np.ndarray, hops: np.ndarray, away: np.ndarray, least: np.ndarray, ranks: np.ndarray) -> bool:
    """Are these NetworkX's hops and lengths from the first vertex, least labels of components, and ranks?"""
    n = len(weights)
    graph = networkx.from_numpy_array(weights, create_using=networkx.DiGraph)
    if n == 0:
        return True

    def filled(found: dict) -> np.ndarray:
        return np.array([found.get(v, np.inf) for v in range(n)], dtype=np.float64)

    components = {v: min(of) for of in networkx.connected_components(graph.to_undirected()) for v in of}
    theirs = networkx.pagerank(graph, alpha=0.85, weight=None, tol=1e-13, max_iter=1000)
    return (
        np.array_equal(filled(networkx.single_source_shortest_path_length(graph, 0)), hops)
        and np.array_equal(filled(networkx.single_source_dijkstra_path_length(graph, 0)), away)
        and np.array_equal(filled(components), least)
        and np.allclose(filled(theirs), ranks / ranks.sum(), rtol=0, atol=1e-10)
    )


def cases(n: int, density: float, seed: int):
    """For a random graph: function, schedule, parameter that repeats, further words, arrays, result, tolerance."""
    rng = np.random.default_rng(seed)
    edges = rng.random((n, n)) < density
    weights = np.where(edges, rng.integers(1, 100, (n, n)), 0).astype(np.float64)
    lengths = np.where(edges, weights, np.inf)
    graph = sp.csr_matrix(weights)
    start = np.arange(n) == 0
    away = csgraph.dijkstra(graph, indices=0) if n else np.zeros(0)
    hops = csgraph.dijkstra(graph, indices=0, unweighted=True) if n else np.zeros(0)
    far = np.where(start, 0.0, np.inf)
    yield "reach", "edges", "x", [], {"x": start, "A": edges}, np.isfinite(away), 0
    yield "reach", "first_edge", "x", [], {"x": start, "A": edges}, np.isfinite(away), 0
    rounds = np.where(np.isfinite(hops), hops, 0).astype(np.int64)
    for schedule in ("edges", "first_edge"):
        yield "reach", schedule, "x", ["--since"], {"x": start, "A": edges}, rounds, 0
    yield "shortest", "edges", "d", [], {"d": far, "A": lengths}, away, 0
    yield "shortest", "edges", "d", [], {"d": far, "A": np.where(edges, 1.0, np.inf)}, hops, 0
    # Of the vertices one edge nearer to the start, the least.
    before = np.arange(n, dtype=np.float64)[:, None]
    nearer = edges & (hops[:, None] + 1 == hops[None]) & np.isfinite(hops)[None]
    found = np.where(start, 0.0, np.where(nearer, before, np.inf).min(axis=0, initial=np.inf))
    yield "tree", "edges", "p", [], {"p": far, "A": np.where(edges, -np.inf, np.inf)}, found, 0
    both = edges | edges.T
    count, of = csgraph.connected_components(sp.csr_matrix(both), directed=False) if n else (0, np.zeros(0, int))
    least = np.array([np.flatnonzero(of == c).min() for c in range(count)])
    labels = {"l": np.arange(n, dtype=np.float32), "A": np.where(both, -np.inf, np.inf).astype(np.float32)}
    yield "components", "edges", "l", [], labels, (least[of] if n else of).astype(np.float32), 0
    all_pairs = np.isfinite(csgraph.dijkstra(graph, unweighted=True)) if n else np.zeros((0, 0), bool)
    yield "closure", "rows", "r", [], {"r": np.eye(n, dtype=bool), "A": edges}, all_pairs, 0
    out = edges.sum(axis=1)
    passed = np.where(edges, 1.0 / np.maximum(out, 1)[:, None], 0.0)
    jump = np.full(n, 1.0 / max(n, 1))
    ranks = np.linalg.solve(np.eye(n) - 0.85 * passed.T, 0.15 * jump)
    if not networkx_agrees(weights, hops, away, least[of] if n else of, ranks):
        raise SystemExit(f"NetworkX does not say what SciPy does of graph {seed}")
    yield "rank", "edges", "x", ["--times", "200"], {"x": jump, "jump": jump, "A": passed}, ranks, 1e-12


def compare(atl: str, words: list[str], out: Path, expected: np.ndarray, tolerance: float) -> str | None:
    out.unlink(missing_ok=True)
    done = subprocess.run([atl, *words], cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return f"exit code {done.returncode}\n{done.stderr.strip()}"
    found = np.load(out)
    same = found.shape == expected.shape and found.dtype == expected.dtype
    equal = np.array_equal if tolerance == 0 else lambda a, b: np.allclose(a, b, rtol=0, atol=tolerance)
    return None if same and equal(found, expected) else f"{found}, not {expected}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/debug/atl", help="the command to test")
    parser.add_argument("--backends", default="c,cranelift,loops", help="which back ends, separated by commas")
    args = parser.parse_args()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    for number, (n, density) in enumerate([(0, 0.0), (1, 1.0), (2, 0.5), (30, 0.03), (60, 0.04), (90, 0.3)]):
        for k, (function, schedule, name, more, arrays, expected, tolerance) in enumerate(cases(n, density, number)):
            for array in arrays:
                np.save(SCRATCH / f"{number}-{k}-{array}.npy", arrays[array])
            inputs = [w for a in arrays for w in ("--in", f"{a}={SCRATCH / f'{number}-{k}-{a}.npy'}")]
            for backend in args.backends.split(","):
                out = SCRATCH / f"{number}-{k}-{backend}.npy"
                words = ["run", "examples/graphs.atl", "--fn", function, "--schedule", schedule, "--iterate", name, *more]
                words += [*inputs, "--backend", backend, "--out", str(out)]
                runs += 1
                if wrong := compare(args.atl, words, out, expected, tolerance):
                    failures += 1
                    print(f"FAIL {shlex.join([args.atl, *words])}\n     {wrong}")
    print(f"{runs} iterations, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
