#!/usr/bin/env python3
"""Counts the triangles of a graph in DuckDB, with one thread, whenever it is asked to.

    with_duckdb.py FOLDER

FOLDER has the graph's edges. The first line printed is the database's name, or `skipped: why`. After that each line read is a task, which one
line answers: `prepare`, `compare` and `run`, as of `with_graphblas.py`. Of several ways to write the query, the quickest runs.
"""

import sys
import time
from pathlib import Path

import numpy as np

FOLDER = Path(sys.argv[1])
WAYS = {
    "paths of two": "select count(*) from e a join e b on a.j = b.i join e c on c.i = a.i and c.j = b.j",
    "pairs of neighbours": "select count(*) from e a join e b on a.i = b.i and a.j < b.j join e c on c.i = a.j and c.j = b.j",
}


def timed(run):
    start = time.perf_counter_ns()
    result = run()
    return result, time.perf_counter_ns() - start


def main() -> int:
    try:
        import duckdb
    except ImportError as why:
        print(f"skipped: not installed ({why})", flush=True)
        return 0
    con = duckdb.connect(config={"threads": 1})
    print(f"DuckDB {duckdb.__version__}", flush=True)

    def prepare():
        arrays = {end: np.load(FOLDER / f"upward-{end}.npy").astype(np.int32) for end in ("from", "to")}
        con.execute("create table e (i integer, j integer)")
        con.execute('insert into e select "from", "to" from arrays order by 1, 2')

    def count(way: str) -> int:
        return con.execute(WAYS[way]).fetchone()[0]

    quickest = None
    for line in sys.stdin:
        what, _ = line.split()
        if what == "prepare":
            print(timed(prepare)[1], flush=True)
        elif what == "compare":
            ours, times, wrong = int(np.load(FOLDER / "result.npy")), {}, None
            for way in WAYS:
                found, times[way] = timed(lambda: count(way))
                wrong = wrong or (None if found == ours else f"{ours} triangles, not {found}")
            quickest = min(times, key=times.get)
            print(wrong or f"same: {quickest}", flush=True)
        else:
            print(timed(lambda: count(quickest))[1], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
