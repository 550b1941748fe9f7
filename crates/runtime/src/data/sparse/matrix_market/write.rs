//! Writing: sparse matrices by coordinates, arrays by columns; both `general`.
//!
//! Floats are written with the fewest digits that read back as the same value.

use std::fmt::Write;

use super::super::super::Reason;
use super::super::super::number::Text;
use crate::coordinates::Coordinates;
use crate::dtype::with_element;
use crate::shape::show_shape;
use crate::{Buffer, DType};

/// Writes a sparse matrix; one of truth values that are all true has no values.
pub(in super::super) fn write_coordinates(matrix: &Coordinates) -> Result<Vec<u8>, Reason> {
    let ([rows, columns], [row_crds, column_crds]) = (matrix.shape(), matrix.columns()) else {
        return Err(no_matrix(matrix.shape(), "`.tns` holds sparse tensors of any rank"));
    };
    let pattern =
        matrix.dtype() == DType::Bool && matrix.values().as_slice::<bool>()?.iter().all(|&value| value);
    let field = if pattern { "pattern" } else { field(matrix.dtype()) };
    let mut text = banner("coordinate", field);
    let _ = writeln!(text, "{rows} {columns} {}", matrix.len());
    with_element!(matrix.dtype(), T => {
        let places = row_crds.iter().zip(column_crds);
        for ((row, column), &value) in places.zip(matrix.values().as_slice::<T>()?) {
            let _ = write!(text, "{} {}", row + 1, column + 1);
            let _ = if pattern { writeln!(text) } else { writeln!(text, " {}", Text(value)) };
        }
    });
    Ok(text.into_bytes())
}

/// Writes a matrix, or a vector as a matrix of one column.
pub(in super::super) fn write_array(array: &Buffer) -> Result<Vec<u8>, Reason> {
    let (rows, columns) = match *array.shape() {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return Err(no_matrix(array.shape(), "`.npy` holds arrays of any rank")),
    };
    let mut text = banner("array", field(array.dtype()));
    let _ = writeln!(text, "{rows} {columns}");
    with_element!(array.dtype(), T => {
        let elements = array.as_slice::<T>()?;
        for column in 0..columns {
            for element in elements.iter().skip(column).step_by(columns) {
                let _ = writeln!(text, "{}", Text(*element));
            }
        }
    });
    Ok(text.into_bytes())
}

fn banner(layout: &str, field: &str) -> String {
    format!("%%MatrixMarket matrix {layout} {field} general\n")
}

/// What values of this type are.
fn field(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 | DType::F64 => "real",
        DType::I32 | DType::I64 | DType::U8 | DType::Bool => "integer",
    }
}

fn no_matrix(shape: &[usize], hint: &str) -> Reason {
    Reason::Unsupported(format!("a tensor of shape {} is no matrix; {hint}", show_shape(shape)))
}
