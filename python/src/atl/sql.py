"""Queries in SQL over tables that the caller names."""

from __future__ import annotations

import datetime
import os
from typing import Any

import numpy as np

from . import _atl
from .errors import refusal
from .program import entry

__all__ = ["Answer", "sql"]

#: What a column becomes: its kind, the digits after the point, its numbers, and the distinct texts.
Converted = tuple[str, int, np.ndarray[Any, Any], list[str]]

EPOCH = datetime.date(1970, 1, 1)


class Answer:
    """The rows of an answer: iterating gives tuples, ``columns`` names them."""

    def __init__(self, names: list[str], rows: list[tuple[Any, ...]], plan: str) -> None:
        self.columns = names
        self.rows = rows
        self._plan = plan

    def explain(self) -> str:
        """The query as an equation with named indices, and the order in which tables are looked up."""
        return self._plan

    def to_dict(self) -> dict[str, list[Any]]:
        """The values of each column."""
        return {name: [row[k] for row in self.rows] for k, name in enumerate(self.columns)}

    def df(self) -> Any:
        """A data frame of pandas."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        return pandas.DataFrame(self.rows, columns=self.columns)

    def arrow(self) -> Any:
        """A table of pyarrow."""
        import pyarrow  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return pyarrow.table({name: pyarrow.array(values) for name, values in self.to_dict().items()})

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __repr__(self) -> str:
        shown = [tuple(map(str, row)) for row in [tuple(self.columns), *self.rows[:20]]]
        widths = [max(len(row[k]) for row in shown) for k in range(len(self.columns))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in shown]
        if len(self.rows) > 20:
            lines.append(f"({len(self.rows)} rows)")
        return "\n".join(lines)


@entry
def sql(query: str, /, **tables: Any) -> Answer:
    """The answer of a query over tables that are given by name: nothing is looked up among variables.

    A table is a dictionary of columns, a frame of pandas or polars, a table of pyarrow, anything with
    ``__arrow_c_stream__``, or the path of a CSV or Parquet file. Nulls are refused. Raises ``Refused`` for what the
    dialect does not have, and where no table of a name is given.

    >>> import numpy as np
    >>> orders = {"city": ["Bern", "Rome", "Bern"], "price": np.array([3, 4, 5])}
    >>> sql("select city, sum(price) as total from orders group by city order by city", orders=orders)
    city  total
    Bern  8
    Rome  4
    """
    wanted = _atl.sql_tables(query)
    given = {name.lower() for name in tables}
    for name in wanted:
        if name.lower() not in given:
            raise refusal(f"no table `{name}` is given", help=f"name it: `atl.sql(.., {name}=..)`; variables are not looked up")
    files, memory = [], []
    for name, table in tables.items():
        if isinstance(table, (str, os.PathLike)):
            files.append((name, os.fspath(table)))
            continue
        columns = {column: converted(f"{name}.{column}", values) for column, values in columns_of(name, table).items()}
        lengths = {len(numbers) for _, _, numbers, _ in columns.values()}
        if len(lengths) > 1:
            raise refusal(f"the columns of `{name}` have several lengths", help="give columns of one length")
        memory.append((name, [(column, *parts) for column, parts in columns.items()], lengths.pop() if lengths else 0))
    names, rows, plan = _atl.sql_answer(query, memory, files)
    return Answer(names, [tuple(map(_value, row)) for row in rows], plan)


def columns_of(name: str, table: Any) -> dict[str, Any]:
    """The columns of a table, by name."""
    if isinstance(table, dict):
        return {str(column): values for column, values in table.items()}
    kind = type(table).__module__.partition(".")[0]
    if kind in ("pandas", "polars"):
        return {str(column): table[column] for column in table.columns}
    if kind == "pyarrow":
        return dict(zip(table.column_names, table.columns))
    if hasattr(table, "__arrow_c_stream__"):
        import pyarrow

        return columns_of(name, pyarrow.table(table))
    raise refusal(
        f"`{name}` is of type `{type(table).__name__}`, which is no table",
        help="give a dictionary of columns, a frame of pandas or polars, a table of pyarrow, or a path",
    )


def converted(name: str, values: Any) -> Converted:
    """A column as the compiler has it."""
    array = _array(values)
    null = refusal(f"the column `{name}` has nulls", help="replace them, or leave those rows out: there are no nulls here")
    if array.ndim != 1:
        raise refusal(f"the column `{name}` has {array.ndim} dimensions", help="give a column of one")
    if array.dtype.kind in "iub":
        if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
            raise refusal(f"the column `{name}` has integers of more than 64 bits", help="convert it to floats")
        return "int", 0, array.astype(np.int64), []
    if array.dtype.kind == "f":
        return "float", 0, array.astype(np.float64), []
    if array.dtype.kind == "M":
        if np.isnat(array).any():
            raise null
        days = array.astype("datetime64[D]")
        if (days != array).any():
            raise refusal(f"the column `{name}` has times of day", help="convert it to dates: `.astype('datetime64[D]')`")
        return "date", 0, days.astype(np.int64).astype(np.int32), []
    found = array.tolist()
    import decimal  # it takes milliseconds

    if any(value is None or value != value for value in found):
        raise null
    if all(isinstance(value, str) for value in found):
        texts, codes = np.unique(np.array(found, dtype=str), return_inverse=True) if found else (np.array([]), np.array([]))
        return "text", 0, codes.astype(np.int32), texts.tolist()
    if all(isinstance(value, decimal.Decimal) for value in found):
        scale = max(-min(int(value.as_tuple().exponent), 0) for value in found)
        return "decimal", scale, np.array([int(value.scaleb(scale)) for value in found], dtype=np.int64), []
    if all(isinstance(value, datetime.date) and not isinstance(value, datetime.datetime) for value in found):
        return "date", 0, np.array([(value - EPOCH).days for value in found], dtype=np.int32), []
    if all(isinstance(value, int) for value in found):
        return "int", 0, np.array(found, dtype=np.int64), []
    kinds = ", ".join(sorted({type(value).__name__ for value in found}))
    raise refusal(f"the column `{name}` has values of type {kinds}", help="columns are integers, decimals, floats, dates or texts")


def _array(values: Any) -> np.ndarray[Any, Any]:
    """The values of a column, as NumPy has them."""
    if isinstance(values, np.ndarray):
        return values
    kind = type(values).__module__.partition(".")[0]
    if kind == "pyarrow":
        import pyarrow

        exact = pyarrow.types.is_floating(values.type) or pyarrow.types.is_integer(values.type)
        if exact and values.null_count == 0:
            return np.asarray(values.to_numpy())
        return _array(values.to_pylist())
    if kind == "polars":
        return np.asarray(values.to_numpy()) if values.dtype.is_numeric() and not values.dtype.is_decimal() and values.null_count() == 0 else _array(values.to_list())
    if kind == "pandas":
        numeric = getattr(values.dtype, "kind", "O") in "iufbM" and isinstance(values.dtype, np.dtype)
        return np.asarray(values.to_numpy()) if numeric else _array([None if v != v else v for v in values.tolist()])
    listed = list(values)
    if listed and all(type(value) in (int, float, bool) for value in listed):
        return np.array(listed)
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column


def _value(value: Any) -> Any:
    """A value of an answer, as Python has it."""
    if isinstance(value, tuple):
        import decimal  # it takes milliseconds

        kind, number, scale = value
        return EPOCH + datetime.timedelta(days=number) if kind == "date" else decimal.Decimal(number).scaleb(-scale)
    return value
