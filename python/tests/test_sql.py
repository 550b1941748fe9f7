"""Queries over tables of every kind: one answer, DuckDB's."""

import datetime
import decimal

import numpy as np
import pytest

import atl

ORDERS = {
    "city": ["Bern", "Rome", "Bern", "Oslo", "Rome", "Bern"],
    "price": [3, 4, 5, 1, 2, 9],
    "weight": [0.5, 1.25, 2.0, 0.25, 4.0, 1.0],
    "day": [datetime.date(2026, 1, day) for day in (1, 2, 3, 4, 5, 6)],
    "tax": [decimal.Decimal(text) for text in ("0.10", "0.20", "1.5", "2", "0.05", "0.10")],
}
QUERIES = [
    "select city, sum(price) as total from orders group by city order by city",
    "select sum(price * weight) as value from orders",
    "select city, count(*) as n, max(weight) as heaviest from orders where price > 2 group by city order by n desc, city",
    "select sum(tax) as tax from orders where day >= date '2026-01-03'",
]


def given():
    """The same table, as each library has it."""
    yield "dictionary", ORDERS
    yield "arrays", {**ORDERS, "price": np.array(ORDERS["price"]), "weight": np.array(ORDERS["weight"])}
    for name, make in [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")]:
        try:
            yield name, getattr(__import__(name), make)(ORDERS)
        except ImportError:
            continue


def rounded(rows):
    return [tuple(round(float(value), 9) if isinstance(value, (float, decimal.Decimal)) else value for value in row) for row in rows]


@pytest.mark.parametrize("query", QUERIES)
def test_all_tables_give_one_answer(query, tmp_path):
    answers = {name: rounded(atl.sql(query, orders=table)) for name, table in given()}
    first = answers["dictionary"]
    assert first and all(answer == first for answer in answers.values()), answers
    names = ["city", "price", "weight", "day", "tax"]
    lines = [",".join(names), *(",".join(str(ORDERS[name][k]) for name in names) for k in range(6))]
    (tmp_path / "orders.csv").write_text("\n".join(lines) + "\n")
    assert rounded(atl.sql(query, orders=tmp_path / "orders.csv")) == first
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: answers are not compared with it")
    connection = duckdb.connect()
    connection.execute(f"create table orders as select * from read_csv('{tmp_path / 'orders.csv'}')")
    assert rounded(connection.execute(query).fetchall()) == first


def test_an_answer_is_rows_with_names():
    answer = atl.sql(QUERIES[0], orders=ORDERS)
    assert answer.columns == ["city", "total"] and answer.rows == [("Bern", 17), ("Oslo", 1), ("Rome", 6)]
    assert answer.to_dict() == {"city": ["Bern", "Oslo", "Rome"], "total": [17, 1, 6]} and len(answer) == 3
    assert "orders" in answer.explain()
    pandas = pytest.importorskip("pandas")
    assert answer.df().equals(pandas.DataFrame(answer.to_dict()))


def test_variables_are_not_looked_up():
    orders = ORDERS
    with pytest.raises(atl.Refused, match="no table `orders` is given"):
        atl.sql(QUERIES[0])
    assert atl.sql(QUERIES[0], orders=orders).rows


@pytest.mark.parametrize(
    "column, says",
    [
        ([1, None, 2], "nulls"),
        ([1.0, float("nan")], None),
        ([1 + 2j], "complex"),
        ([{}, {}], "dict"),
        (np.zeros((2, 2)), "2 dimensions"),
        (np.array(["2026-01-01T10:00"], dtype="datetime64[s]"), "times of day"),
    ],
)
def test_what_no_column_is(column, says):
    def query():
        return atl.sql("select sum(a) as s from t", t={"a": column})

    if says is None:
        query()
        return
    with pytest.raises(atl.Refused, match=says) as caught:
        query()
    assert caught.value.help


def test_refusals_are_the_compilers():
    with pytest.raises(atl.Refused) as caught:
        atl.sql("select median(a) from t", t={"a": [1]})
    assert caught.value.code.startswith("E05")
    with pytest.raises(atl.Refused):
        atl.sql("select a from", t={"a": [1]})
