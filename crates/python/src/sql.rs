//! Queries over tables that Python gives by name: columns of NumPy's, or files.

use crate::errors;
use crate::worker::on_worker;
use atl_driver::Failure;
use atl_driver::backends::{Options, preferred};
use atl_tables::query::{Column, Loaded, Prepared, Table, TableFile, Value, Values, tables_of};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A column: its name, its kind (`int`, `decimal`, `float`, `date`, `text`), the digits after the point
/// of a decimal, its numbers, and the distinct texts that they are places of.
type Given<'py> = (String, String, u8, Bound<'py, PyAny>, Vec<String>);

/// A table in memory: its name, its columns, and how many rows it has.
type InMemory<'py> = (String, Vec<Given<'py>>, usize);

/// What an answer is: the names of its columns, its rows, and the plan as text.
type Answered<'py> = (Vec<String>, Vec<Vec<Bound<'py, PyAny>>>, String);

/// The names of the tables of a query.
#[pyfunction]
pub(crate) fn sql_tables(py: Python<'_>, query: &str) -> PyResult<Vec<String>> {
    tables_of(query).map_err(|failure| errors::refused(py, &failure))
}

/// The answer of a query.
#[pyfunction]
pub(crate) fn sql_answer<'py>(
    py: Python<'py>,
    query: String,
    tables: Vec<InMemory<'py>>,
    files: Vec<(String, PathBuf)>,
) -> PyResult<Answered<'py>> {
    let mut loaded = Vec::new();
    for (name, columns, rows) in tables {
        loaded.push(table(name, columns, rows)?);
    }
    let answered = on_worker(py, move || {
        let files: Vec<TableFile> =
            files.into_iter().map(|(name, path)| TableFile::new(name, path)).collect();
        loaded.extend(Loaded::read(&query, &files)?.tables().iter().cloned());
        let prepared = Prepared::new(&query, &Loaded::of(loaded))?;
        let plan = format!("{}\n{}", prepared.contraction(), prepared.plan());
        let answer = prepared.compile(preferred(), Options::default())?.answer()?;
        Ok::<_, Failure>((answer, plan))
    })?;
    let (answer, plan) = answered.map_err(|failure| errors::refused(py, &failure))?;
    let rows = answer.rows.iter().map(|row| row.iter().map(|value| object(py, value)).collect());
    Ok((answer.names, rows.collect::<PyResult<_>>()?, plan))
}

/// A table of columns.
fn table(name: String, columns: Vec<Given<'_>>, rows: usize) -> PyResult<Table> {
    let header = columns.iter().map(|(name, ..)| name.clone()).collect();
    let columns = columns.into_iter().map(|(name, kind, scale, numbers, texts)| {
        let values = match kind.as_str() {
            "int" => Values::Int(numbers_of(&numbers)?),
            "decimal" => Values::Decimal(scale, numbers_of(&numbers)?),
            "float" => Values::Float(numbers_of(&numbers)?),
            "date" => Values::Date(numbers_of(&numbers)?),
            "text" => Values::Text(Arc::new(texts), numbers_of(&numbers)?),
            other => return Err(PyTypeError::new_err(format!("there is no kind of column `{other}`"))),
        };
        Ok(Column { name, values, text_by: None })
    });
    let columns: Vec<Column> = columns.collect::<PyResult<_>>()?;
    if let Some(column) = columns.iter().find(|column| column.values.len() != rows) {
        let (name, found) = (&column.name, column.values.len());
        return Err(PyTypeError::new_err(format!(
            "the column `{name}` has {found} rows, and the table {rows}"
        )));
    }
    Ok(Table { name, header, columns, rows, remarks: Vec::new() })
}

/// The elements of an array of one dimension.
fn numbers_of<T: numpy::Element + Copy>(array: &Bound<'_, PyAny>) -> PyResult<Arc<Vec<T>>> {
    let array = array.cast::<PyArray1<T>>().map_err(|_| PyTypeError::new_err("a column of another type"))?;
    Ok(Arc::new(array.to_vec()?))
}

/// A value as Python has it: a decimal as its digits and its scale, a date as its days from 1970 on.
fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Int(value) => value.into_bound_py_any(py),
        Value::Decimal(value, scale) => ("decimal", *value, *scale).into_bound_py_any(py),
        Value::Float(value) => value.into_bound_py_any(py),
        Value::Date(days) => ("date", *days, 0).into_bound_py_any(py),
        Value::Text(text) => text.into_bound_py_any(py),
        Value::Null => Ok(py.None().into_bound(py)),
    }
}
