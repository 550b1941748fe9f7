#!/usr/bin/env python3
"""Runs algorithms on a graph in SuiteSparse:GraphBLAS, with one thread, whenever it is asked to.

    with_graphblas.py FOLDER

FOLDER has the graph's edges in three forms, and their lengths. The first line printed is the library's name, or `skipped: why`. After that each
line read is a task, which one line answers:

* `prepare TASK`: the nanoseconds of making its matrices;
* `compare TASK`: runs the task in several ways, keeps the quickest, and compares `result.npy`: `same: WAY`, or what differs;
* `run TASK`: the nanoseconds of running it once.
"""

import sys
import time
from pathlib import Path

import numpy as np

FOLDER = Path(sys.argv[1])


class Graph:
    """The edges as matrices, and ways to ask them."""

    def __init__(self, gb):
        self.gb = gb
        start, self.n = np.load(FOLDER / "start.npy").astype(np.int64)
        self.start = int(start)
        self.n = int(self.n)

    def matrix(self, name: str, values, dtype):
        i, j = (np.load(FOLDER / f"{name}-{end}.npy").astype(np.uint64) for end in ("from", "to"))
        return self.gb.Matrix.from_coo(i, j, values, nrows=self.n, ncols=self.n, dtype=dtype)

    def prepare(self, task: str) -> None:
        gb = self.gb
        if task == "levels":
            self.a = self.matrix("edges", True, bool)
        elif task == "shortest":
            self.a = self.matrix("edges", np.load(FOLDER / "lengths.npy"), float)
            self.t = self.a.T.new()
        elif task == "components":
            self.a = self.matrix("both", True, bool)
        elif task == "ranks":
            self.a = self.matrix("edges", 1.0, float)
            degree = self.a.reduce_rowwise(gb.monoid.plus).new()
            out = gb.Vector(float, self.n)
            out[:] = 1.0
            out(gb.binary.second) << degree
            self.out = out
            self.t = self.a.T.new()
        else:
            self.u = self.matrix("upward", 1, np.int64)
            self.l = self.u.T.new()

    def levels(self):
        gb = self.gb
        v, q = gb.Vector(int, self.n), gb.Vector(bool, self.n)
        q[self.start] = True
        level = 0
        while q.nvals:
            v(mask=q.S) << level
            q(~v.S, replace=True) << gb.semiring.any_pair(q @ self.a)
            level += 1
        return v

    def all_edges(self, product):
        """Shortest paths, where each round relaxes all edges."""
        gb = self.gb
        d = gb.Vector(float, self.n)
        d[self.start] = 0.0
        while True:
            e = d.dup()
            e(gb.binary.min) << product(d)
            if e.isequal(d):
                return d
            d = e

    def changed_edges(self):
        """Shortest paths, where each round relaxes edges from what has changed."""
        gb = self.gb
        d = gb.Vector(float, self.n)
        d[self.start] = 0.0
        q = d.dup()
        while q.nvals:
            c = gb.semiring.min_plus(q @ self.a).new()
            better = gb.binary.lt(c & d).new().select("==", True)
            q = gb.Vector(float, self.n)
            q(~d.S) << c
            q(better.S) << c
            d(q.S) << q
        return d

    def labels(self, changed: bool):
        gb = self.gb
        label = gb.Vector.from_dense(np.arange(self.n))
        if not changed:
            while True:
                e = label.dup()
                e(gb.binary.min) << gb.semiring.min_second(self.a @ label)
                if e.isequal(label):
                    return label
                label = e
        q = label
        while q.nvals:
            c = gb.semiring.min_first(q @ self.a).new()
            better = gb.binary.lt(c & label).new().select("==", True)
            q = gb.Vector(int, self.n)
            q(better.S) << c
            label(q.S) << q
        return label

    def ranks(self, product):
        gb = self.gb
        jump = gb.Vector.from_dense(np.full(self.n, 0.15 / self.n))
        x = gb.Vector.from_dense(np.full(self.n, 1 / self.n))
        for _ in range(20):
            w = gb.binary.truediv(x & self.out).new()
            w << gb.unary.identity(gb.binary.times(w, 0.85))
            x = jump.dup()
            x(gb.binary.plus) << product(w)
        return x

    def triangles(self, a, b, mask):
        gb = self.gb
        c = gb.Matrix(np.int64, self.n, self.n)
        c(mask.S) << gb.semiring.plus_pair(a @ b)
        return c.reduce_scalar().new().value

    def ways(self, task: str):
        """Ways to do a task, and their names."""
        s = self.gb.semiring
        if task == "levels":
            return {"any_pair over the frontier": self.levels}
        if task == "shortest":
            return {
                "min_plus over what changed": self.changed_edges,
                "min_plus, rows": lambda: self.all_edges(lambda d: s.min_plus(d @ self.a)),
                "min_plus, columns": lambda: self.all_edges(lambda d: s.min_plus(self.t @ d)),
            }
        if task == "components":
            return {"min_second": lambda: self.labels(False), "min_first over what changed": lambda: self.labels(True)}
        if task == "ranks":
            return {
                "plus_first, rows": lambda: self.ranks(lambda w: s.plus_first(w @ self.a)),
                "plus_second, columns": lambda: self.ranks(lambda w: s.plus_second(self.t @ w)),
            }
        u, l = self.u, self.l
        return {
            "U @ U": lambda: self.triangles(u, u, u),
            "L @ L": lambda: self.triangles(l, l, l),
            "U @ L'": lambda: self.triangles(u, l.T, u),
        }


def differs(task: str, found, n: int) -> str | None:
    """What is wrong with our result, if anything is."""
    ours = np.load(FOLDER / "result.npy")
    if task == "triangles":
        return None if ours == found else f"{ours} triangles, not {found}"
    theirs = found.to_dense(fill_value=np.inf if task in ("levels", "shortest") else 0, dtype=float)
    same = np.allclose(ours, theirs, rtol=1e-9, atol=0) if task == "ranks" else np.array_equal(ours, theirs)
    return None if same else f"{ours} is not {theirs}"


def timed(run):
    start = time.perf_counter_ns()
    result = run()
    return result, time.perf_counter_ns() - start


def main() -> int:
    try:
        import graphblas as gb
    except ImportError as why:
        print(f"skipped: not installed ({why})", flush=True)
        return 0
    gb.init("suitesparse", blocking=True)
    gb.ss.config["nthreads"] = 1
    graph = Graph(gb)
    version = ".".join(str(part) for part in gb.ss.about["library_version"])
    print(f"SuiteSparse:GraphBLAS {version}", flush=True)
    quickest = {}
    for line in sys.stdin:
        what, task = line.split()
        if what == "prepare":
            print(timed(lambda: graph.prepare(task))[1], flush=True)
        elif what == "compare":
            times, wrong = {}, None
            for way, run in graph.ways(task).items():
                result, first = timed(run)
                # What takes long is not tried twice.
                again = timed(run)[1] if first < 1e9 else first
                times[way] = min(first, again)
                wrong = wrong or differs(task, result, graph.n)
            way = min(times, key=times.get)
            quickest[task] = graph.ways(task)[way]
            print(wrong or f"same: {way}", flush=True)
        else:
            print(timed(quickest[task])[1], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
