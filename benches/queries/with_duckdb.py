#!/usr/bin/env python3
"""Runs queries of TPC-H in DuckDB, with one thread, whenever it is asked to.

    with_duckdb.py SCALE

Tables are in memory, with their primary keys declared, and sorted by them. The first line printed is the database's name, or `skipped:
why`. After that each line read is a task, which one line answers:

* `store QUERY`: tables that `atl` stores in another order for this query are sorted by that one; the nanoseconds of loading all tables,
  and of sorting these;
* `compare QUERY`: is the database's answer that of `target/query/tpch-SCALE/QUERY.answer`? `same`, or what differs;
* `run QUERY`: the nanoseconds of running it, up to having all rows.
"""

import csv
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "query"))

import compare  # noqa: E402  (it says so if DuckDB is missing)

KEYS = {
    "customer": "c_custkey", "nation": "n_nationkey", "orders": "o_orderkey", "part": "p_partkey",
    "partsupp": "ps_partkey, ps_suppkey", "region": "r_regionkey", "supplier": "s_suppkey",
}
SORTED = {**KEYS, "lineitem": "l_orderkey, l_linenumber"}
# Where a query's plan goes over a table by another key.
OTHERWISE = {"q5": {"orders": "o_custkey"}, "q9": {"lineitem": "l_partkey"}, "q14": {"lineitem": "l_partkey"}}


def create(database, table: str, source: str, columns: list[str], order: str) -> None:
    """A table with these rows in this order."""
    declared = [f"{column} {compare.sql_type(column)}" for column in columns]
    if table in KEYS:
        declared.append(f"primary key ({KEYS[table]})")
    database.execute(f"create table {table} ({', '.join(declared)})")
    database.execute(f"insert into {table} select * from {source} order by {order}")


def main() -> int:
    scale = sys.argv[1]
    folder = compare.generated(scale)
    database = compare.duckdb.connect(config={"threads": 1})
    columns = {}
    start = time.perf_counter_ns()
    for table in compare.TABLES:
        columns[table], source = compare.source(folder, table)
        create(database, table, source, columns[table], SORTED[table])
    loading = time.perf_counter_ns() - start
    stored = dict(SORTED)
    print(f"DuckDB {compare.duckdb.__version__}", flush=True)
    for line in sys.stdin:
        task, query = line.split()
        sql = (compare.HERE / f"{query}.sql").read_text()
        if task == "store":
            start = time.perf_counter_ns()
            for table in compare.TABLES:
                order = OTHERWISE.get(query, {}).get(table, SORTED[table])
                if order != stored[table]:
                    database.execute(f"alter table {table} rename to before")
                    create(database, table, "before", columns[table], order)
                    database.execute("drop table before")
                    stored[table] = order
            print(loading + time.perf_counter_ns() - start, flush=True)
        elif task == "compare":
            with (folder / f"{query}.answer").open(newline="") as file:
                found = list(csv.reader(file))[1:]
            try:
                compare.compare(query, found, database.execute(sql).fetchall(), ordered=True)
                print("same", flush=True)
            except compare.Wrong as wrong:
                print(" ".join(str(wrong).split()), flush=True)
        else:
            start = time.perf_counter_ns()
            database.execute(sql).fetchall()
            print(time.perf_counter_ns() - start, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
