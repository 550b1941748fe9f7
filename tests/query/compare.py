#!/usr/bin/env python3
"""Compares answers of `atl query` with DuckDB's: queries of TPC-H, and random queries over small random tables, in CSV and Parquet files.

Exact numbers, dates and texts must be equal, floating-point ones nearly. `--scale S` generates larger tables of TPC-H, `--time`
reports how long both take, each with one thread; files are left in `target/query`.
"""

import argparse
import csv
import decimal
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

try:
    import duckdb
except ImportError:
    print("skipped: DuckDB is not installed (./test installs it)")
    sys.exit(0)

import generate

HERE = Path(__file__).resolve().parent
SCRATCH = HERE.parents[1] / "target" / "query"
# What TPC-H says of its columns; keys are integers, and what is not named here is text.
DECIMALS = {"l_quantity", "l_extendedprice", "l_discount", "l_tax", "ps_supplycost", "o_totalprice", "c_acctbal", "s_acctbal", "p_retailprice"}
INTEGERS = {"p_size", "o_shippriority", "l_linenumber", "ps_availqty"}
TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]


class Wrong(Exception):
    """Something differs."""


def sql_type(column: str) -> str:
    """The type of a column of TPC-H."""
    if column in DECIMALS:
        return "DECIMAL(15, 2)"
    if column in INTEGERS:
        return "INTEGER"
    if column.endswith("key"):
        return "BIGINT"
    return "DATE" if column.endswith("date") else "VARCHAR"


def ask(atl: str, sql: str, folder: Path, *options: str) -> tuple[list[list[str]], str]:
    """The lines that `atl query` prints, and what it says besides."""
    words = [atl, "query", sql, "--tables", str(folder), *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise Wrong(f"{sql}\n{done.stderr}")
    return list(csv.reader(done.stdout.splitlines()))[1:], done.stderr


def same(found: str, wanted: object) -> bool:
    """Is a field what DuckDB has there?"""
    if wanted is None:
        return found == ""
    if isinstance(wanted, bool):
        return found == str(wanted).lower()
    if isinstance(wanted, float):
        return abs(float(found) - wanted) <= 1e-9 * max(1.0, abs(wanted))
    if isinstance(wanted, (int, decimal.Decimal)):
        return decimal.Decimal(found) == wanted
    return found == str(wanted)


def compare(sql: str, found: list[list[str]], wanted: list[tuple], ordered: bool) -> None:
    """The rows are the same, in any order if there is none."""
    if not ordered:
        def place(field: str) -> str:
            try:
                # Nearly equal numbers are at one place.
                return str(round(float(field), 6) + 0.0)
            except ValueError:
                return field

        def text(value: object) -> str:
            return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

        found = sorted(found, key=lambda row: [place(field) for field in row])
        wanted = sorted(wanted, key=lambda row: [place(text(value)) for value in row])
    right = len(found) == len(wanted) and all(
        len(a) == len(b) and all(same(x, y) for x, y in zip(a, b)) for a, b in zip(found, wanted)
    )
    if not right:
        raise Wrong(f"{sql}\nfound  {found[:10]}\nwanted {wanted[:10]}")


def generated(scale: str) -> Path:
    """The folder of TPC-H's tables at a scale, which are generated on the first visit."""
    folder = SCRATCH / f"tpch-{scale}"
    if not (folder / "supplier.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        generator = Path(sys.executable).parent / "tpchgen-cli"
        subprocess.run([generator, "csv", "-s", scale, f"--output-dir={folder}"], check=True, capture_output=True)
    return folder


def source(folder: Path, table: str) -> tuple[list[str], str]:
    """The columns of a table of TPC-H, and how DuckDB reads its file."""
    path = folder / f"{table}.csv"
    with path.open() as lines:
        header = lines.readline().strip().split(",")
    types = ", ".join(f"'{column}': '{sql_type(column)}'" for column in header)
    return header, f"read_csv('{path}', header = true, columns = {{{types}}})"


def tpch(atl: str, scale: str, timed: bool, only: list[str]) -> int:
    """Queries of TPC-H."""
    folder = generated(scale)
    database = duckdb.connect(config={"threads": 1})
    start = time.perf_counter()
    for table in TABLES:
        database.execute(f"create table {table} as select * from {source(folder, table)[1]}")
    loading = time.perf_counter() - start
    queries = sorted(HERE.glob("q*.sql"), key=lambda path: int(path.stem[1:]))
    queries = [path for path in queries if not only or path.stem in only]
    for path in queries:
        sql = path.read_text()
        wanted = database.execute(sql).fetchall()
        options = ["--time"] if timed else []
        found, said = ask(atl, sql, folder, *options)
        compare(path.name, found, wanted, ordered=True)
        if timed:
            times = []
            while sum(times) < 2 or len(times) < 5:
                start = time.perf_counter()
                database.execute(sql).fetchall()
                times.append(time.perf_counter() - start)
            print(f"{path.stem} at scale {scale}: DuckDB {1e3 * statistics.median(times):.3f} ms (loading {loading:.1f} s); atl: {said.strip()}")
    return len(queries)


def random_queries(atl: str, count: int, seed: int) -> int:
    """Random queries over random tables."""
    folder = SCRATCH / f"random-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(count):
        rng = random.Random(f"{seed} {at}")
        database = duckdb.connect(config={"threads": 1})
        filled = rng.random() < 0.3
        for name in ["R", "S", "T"]:
            database.execute(generate.table(rng, name, folder))
            packed = folder / f"{name}.parquet"
            packed.unlink(missing_ok=True)
            if rng.random() < 0.4:
                codec = rng.choice(["snappy", "gzip", "uncompressed", "zstd", "lz4_raw", "brotli"])
                database.execute(f"copy {name} to '{packed}' (format parquet, compression {codec}, row_group_size 4, parquet_version {rng.choice(['v1', 'v2'])})")
                (folder / f"{name}.csv").unlink()
            if filled:
                database.execute(f"update {name} set u = coalesce(u, {generate.EMPTY})")
        sql, ordered = generate.query(rng, filled=filled)
        wanted = database.execute(sql).fetchall()
        empty = [word for name in ["R", "S", "T"] for word in ("--empty", f"{name}.u={generate.EMPTY}") if filled and f"{name}." in sql]
        found, _ = ask(atl, sql, folder, "--backend", rng.choice(["cranelift", "cranelift", "interp", "loops"]), *empty)
        compare(f"seed {seed} {at}: {sql}", found, wanted, ordered)
    return count


# Texts that are compared and joined at once, in choices too; conditions that never hold; averages.
SMALL = {"p": "s,u\na,b\nb,a\n", "e": "a,b\nx,y\ny,z\nz,x\nx,x\n", "g": "k,s,v\n1,b,3.0001\n2,a,3.0001\n3,a,3.0001\n"}
FIXED = [
    "select count(*) from p x, p y where x.s = y.s and x.u = y.u and x.s <> y.u",
    "select count(*) from p x, p y where x.s = y.s and x.u = y.u and x.s > x.u",
    "select count(*) from p x, p y where x.s = y.s and x.u = y.u and (x.s = x.u or x.s = 'a')",
    "select count(*) from p x, p y where x.s = y.s and x.u = y.u and not (x.s = x.u)",
    "select count(*) from e p, e q, e r where p.b = q.a and q.b = r.a and r.b = p.a and p.a <> q.a",
    "select sum(case when x.s = y.u then 1 else 10 end) from p x, p y where x.s = y.s",
    "select sum(case when s = u then 1 else 0 end) from p",
    "select count(*) from g x, g y where x.k = y.k and x.s = 'q'",
    "select count(*) from g x, g y where x.k = y.k and 1 = 2",
    "select count(*) from g where case when s = 'a' then 1 else 2 end = 1",
    "select s, avg(v) from g group by s order by s",
    "select s, count(*) from g group by s having count(*) > 1 or s < 'b'",
    "select s, sum(v) as t from g group by s having t between 3 and 4 and not (s in ('a', 'c'))",
    "select count(*) from g having sum(k) > 100",
    "select sum(k) from g having min(v) / 2 < 2",
    "select s from g group by s having max(v) = 3.0001 order by s desc",
    "select min(s), max(s), max(t.b) from g, e t where g.s = 'a'",
    "select max(s) from g where k > 7",
    "select a, max(b) from e group by a having max(b) > 'y' order by max(b), a",
    "select k, k * v - 1 from g order by v * k * (-1)",
    "select s from g order by k * k desc, s",
    "select k * 2 + 1, s from g where k <> 2 order by 1",
    "select k * 2 as twice, count(*) from g group by k order by twice",
    f"select count(*) from g where k in ({', '.join(str(n) for n in range(2, 400))})",
    f"select count(*) from e where a not in ({', '.join(repr(f'x{n}') for n in range(300))}, 'y')",
]


def fixed_queries(atl: str) -> int:
    """Small queries of one kind each."""
    folder = SCRATCH / "fixed"
    folder.mkdir(parents=True, exist_ok=True)
    database = duckdb.connect()
    for name, lines in SMALL.items():
        path = folder / f"{name}.csv"
        path.write_text(lines)
        database.execute(f"create table {name} as select * from read_csv('{path}', header = true)")
    for sql in FIXED:
        found, _ = ask(atl, sql, folder, "--backend", "cranelift")
        compare(sql, found, database.execute(sql).fetchall(), "order by" in sql)
    return len(FIXED)


# What a column of a Parquet file may be, and what `atl query` says of its sum or count; without, it has DuckDB's answer.
COLUMNS = {
    "i::tinyint": "", "i::integer": "", "i::bigint": "", "i::utinyint": "", "i::uinteger * 400000000": "", "i::ubigint": "", "i / 4.0::double": "",
    "(i / 4)::float": "", "i * 1.25::decimal(9, 3)": "", "i * 1.25::decimal(15, 2)": "", "(i - 5) * 1.25::decimal(38, 4)": "", "i::hugeint": "",
    "(i * 1000000000000000000)::decimal(38, 4)": "E0541", "(18446744073709551615 - i)::ubigint": "E0541", "case when i = 7 then null else i end": "E0541",
    "(i / 0.0)::double": "E0541", "i > 3": "E0546", "timestamp '2020-01-01' + to_hours(i::int)": "E0541", "timestamptz '2020-01-01 00:00:00+00' + to_days(i::int)": "E0540", "[i, i]": "E0540", "{'x': i}": "E0540",
    "(i * 0.5)::decimal(38, 20)": "E0540", "time '12:00:00'": "E0540", "date '9999-12-30' + i::int": "E0541", "uuid()": "E0540",
}


def parquet_columns(atl: str) -> int:
    """Columns of every type in Parquet files, and damaged files."""
    folder = SCRATCH / "parquet"
    folder.mkdir(parents=True, exist_ok=True)
    database = duckdb.connect()
    path = folder / "P.parquet"
    for column, code in COLUMNS.items():
        database.execute(f"copy (select {column} as u, i as v from range(10) t(i)) to '{path}' (format parquet)")
        sql = "select sum(u), sum(v), count(*) from P"
        if code:
            done = subprocess.run([atl, "query", sql, f"P={path}"], capture_output=True, text=True, timeout=100)
            if done.returncode != 1 or code not in done.stderr:
                raise Wrong(f"{column}: {done.returncode} {done.stderr}{done.stdout}")
        else:
            found, _ = ask(atl, sql, folder)
            compare(column, found, database.execute(sql.replace("P", f"'{path}'")).fetchall(), False)
    database.execute(f"copy (select case when i % 3 = 1 then null else i * 0.25::decimal(9, 2) end as u, nullif('t' || i % 4, 't2') as s from range(50) t(i)) to '{path}' (format parquet)")
    plain = folder / "plain.csv"
    database.execute(f"copy (select * from '{path}') to '{plain}' (header false)")
    sql = "select s, sum(u), count(*) from P group by s"
    expected = database.execute(f"select coalesce(s, 'none'), sum(coalesce(u, -1.5)), count(*) from '{path}' group by 1").fetchall()
    for word in [f"P={path}", f"P(u, s)={plain}"]:
        found, _ = ask(atl, sql, folder, word, "--empty", "P.u=-1.5", "--empty", "p.S=none")
        compare(word, found, expected, False)
    for kind in ["timestamp_ms", "timestamp", "timestamp_ns"]:
        database.execute(f"copy (select (timestamp '1969-12-27' + to_days(i::int % 7))::{kind} as u, i as v from range(20) t(i)) to '{path}' (format parquet)")
        found, _ = ask(atl, "select u, sum(v) from p group by u", folder)
        compare(kind, found, database.execute(f"select u::date, sum(v) from '{path}' group by 1").fetchall(), False)
    rng = random.Random(3)
    database.execute(f"copy (select i as u, 't' || i as s, i * 1.5 as d from range(50) t(i)) to '{path}' (format parquet)")
    whole = path.read_bytes()
    for _ in range(150):
        bad = bytearray(whole)
        for _ in range(rng.choice([1, 1, 2, 8])):
            bad[rng.randrange(len(bad))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
        path.write_bytes(bad[: rng.choice([len(bad), len(bad), rng.randrange(len(bad))])])
        done = subprocess.run([atl, "query", "select s, sum(u), sum(d) from P group by s", f"P={path}"], capture_output=True, text=True, timeout=100)
        if done.returncode not in (0, 1) or "panicked" in done.stderr:
            (folder / "damaged.parquet").write_bytes(path.read_bytes())
            raise Wrong(f"{folder / 'damaged.parquet'}: {done.returncode} {done.stderr}")
    path.unlink()
    return len(COLUMNS)


def main() -> int:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atl", default="target/debug/atl")
    parser.add_argument("--scale", default="0.01")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], help="queries of TPC-H: q5 q9")
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    try:
        queries = tpch(args.atl, args.scale, args.time, args.only)
        queries += fixed_queries(args.atl)
        queries += parquet_columns(args.atl)
        queries += random_queries(args.atl, args.random, args.seed)
    except Wrong as wrong:
        print(wrong)
        return 1
    print(f"{queries} queries have DuckDB's answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
