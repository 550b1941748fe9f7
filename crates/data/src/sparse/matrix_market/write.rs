//! Writing: sparse matrices by coordinates, arrays by columns.
//!
//! One idea: what a symmetric file leaves out is what a reader makes of the rest, bit for bit, or the matrix
//! is refused. Floats are written with the fewest digits that read back as the same value.

use std::fmt::Write;

use super::super::super::Reason;
use super::super::super::number::Text;
use super::super::super::refusal::{Fault, Place, Refusal};
use super::header::Symmetry;
use atl_runtime::Coordinates;
use atl_runtime::convert::Scalar;
use atl_runtime::shape::show_shape;
use atl_runtime::with_element;
use atl_runtime::{Buffer, DType, Kind};

/// Writes a sparse matrix; one of truth values that are all true has no values.
pub(in super::super) fn write_coordinates(
    matrix: &Coordinates,
    symmetry: Symmetry,
) -> Result<Vec<u8>, Reason> {
    let (&[rows, columns], [row_crds, column_crds]) = (matrix.shape(), matrix.columns()) else {
        return Err(no_matrix(matrix.shape(), "`.tns` holds sparse tensors of any rank"));
    };
    let pattern =
        matrix.dtype() == DType::Bool && matrix.values().as_slice::<bool>()?.iter().all(|&value| value);
    let field = if pattern { "pattern" } else { field(matrix.dtype()) };
    let places = || row_crds.iter().copied().zip(column_crds.iter().copied());
    let written = places().filter(|&(row, column)| symmetry.writes(row, column)).count();
    let mut text = banner("coordinate", field, symmetry);
    let _ = writeln!(text, "{rows} {columns} {written}");
    with_element!(matrix.dtype(), T => {
        let values = matrix.values().as_slice::<T>()?;
        if symmetry != Symmetry::General {
            let at = |row, column| {
                let first = row_crds.partition_point(|&r| r < row);
                let len = row_crds[first..].partition_point(|&r| r == row);
                let entry = first + column_crds[first..first + len].partition_point(|&c| c < column);
                let found = entry < first + len && column_crds[entry] == column;
                found.then(|| values[entry])
            };
            let entries = places().zip(values.iter().copied());
            check(symmetry, rows, columns, entries, at)?;
        }
        for ((row, column), &value) in places().zip(values) {
            if symmetry.writes(row, column) {
                let _ = write!(text, "{} {}", row + 1, column + 1);
                let _ = if pattern { writeln!(text) } else { writeln!(text, " {}", Text(value)) };
            }
        }
    });
    Ok(text.into_bytes())
}

/// Writes a matrix, or a vector as a matrix of one column.
pub(in super::super) fn write_array(array: &Buffer, symmetry: Symmetry) -> Result<Vec<u8>, Reason> {
    let (rows, columns) = match *array.shape() {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return Err(no_matrix(array.shape(), "`.npy` holds arrays of any rank")),
    };
    let mut text = banner("array", field(array.dtype()), symmetry);
    let _ = writeln!(text, "{rows} {columns}");
    let places = || (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
    with_element!(array.dtype(), T => {
        let elements = array.as_slice::<T>()?;
        let at = |row: usize, column: usize| elements[row * columns + column];
        if symmetry != Symmetry::General {
            let stored = |place: &(usize, usize)| place.0 != place.1 || symmetry.writes(place.0, place.1);
            // A diagonal that is not written is zero.
            let zero = |place: &(usize, usize)| at(place.0, place.1).is_same(T::default());
            let entries = places().filter(|place| stored(place) || !zero(place));
            check(symmetry, rows, columns, entries.map(|(i, j)| ((i, j), at(i, j))), |i, j| Some(at(i, j)))?;
        }
        for (row, column) in places().filter(|&(row, column)| symmetry.writes(row, column)) {
            let _ = writeln!(text, "{}", Text(at(row, column)));
        }
    });
    Ok(text.into_bytes())
}

/// Refuses entries of which a reader would make others than they are.
fn check<T: Scalar>(
    symmetry: Symmetry,
    rows: usize,
    columns: usize,
    mut entries: impl Iterator<Item = ((usize, usize), T)>,
    at: impl Fn(usize, usize) -> Option<T>,
) -> Result<(), Reason> {
    let name = symmetry.name();
    let refused = |found: String, expected: String| -> Reason {
        Refusal::new(Fault::Symmetry, Place::File, found, expected).into()
    };
    if rows != columns {
        let found = format!("a matrix of shape {}", show_shape(&[rows, columns]));
        return Err(refused(found, format!("as many rows as columns, as it is to be {name}")));
    }
    let differs = |&((row, column), value): &((usize, usize), T)| {
        let other = at(column, row);
        match (symmetry.writes(row, column), other.and_then(|other| symmetry.mirror(other))) {
            (true, _) => other.is_none(),
            (false, made) => row == column || !made.is_some_and(|made| made.is_same(value)),
        }
    };
    match entries.find(differs) {
        None => Ok(()),
        Some(((row, column), value)) => {
            let found = format!("`{}` at ({}, {})", Text(value), row + 1, column + 1);
            let expected = match at(column, row) {
                _ if row == column => "no entry on the diagonal".to_owned(),
                None => format!("an entry at ({}, {}) that it follows from", column + 1, row + 1),
                Some(other) => {
                    let sign = if symmetry == Symmetry::SkewSymmetric { "the opposite of " } else { "" };
                    format!("{sign}`{}`, which is at ({}, {})", Text(other), column + 1, row + 1)
                }
            };
            Err(refused(found, format!("{expected}, as the matrix is to be {name}")))
        }
    }
}

fn banner(layout: &str, field: &str, symmetry: Symmetry) -> String {
    format!("%%MatrixMarket matrix {layout} {field} {}\n", symmetry.name())
}

/// What values of this type are.
fn field(dtype: DType) -> &'static str {
    if dtype.kind() == Kind::Float { "real" } else { "integer" }
}

fn no_matrix(shape: &[usize], hint: &str) -> Reason {
    Reason::Unsupported(format!("a tensor of shape {} is no matrix; {hint}", show_shape(shape)))
}
