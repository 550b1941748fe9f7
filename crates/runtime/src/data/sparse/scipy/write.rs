//! Writing: the arrays under the names that SciPy gives them, so that `load_npz` reads them.
//!
//! Integers are narrow where all fit, as SciPy chooses them.

use super::super::super::{Reason, npy, npz};
use crate::coordinates::Coordinates;
use crate::{Buffer, DType};

/// Writes lists of coordinates.
pub(in super::super) fn write_coordinates(tensor: &Coordinates) -> Result<Vec<u8>, Reason> {
    let greatest = tensor.shape().iter().max().copied().unwrap_or_default().max(tensor.len());
    let mut arrays = Vec::new();
    match tensor.columns() {
        [row, col] => {
            arrays.push(("row", integers(row, &[row.len()], greatest)?));
            arrays.push(("col", integers(col, &[col.len()], greatest)?));
        }
        columns => {
            let all: Vec<usize> = columns.iter().flatten().copied().collect();
            arrays.push(("coords", integers(&all, &[columns.len(), tensor.len()], greatest)?));
            // Sparse arrays have any rank, sparse matrices two.
            arrays.push(("_is_array", Buffer::from_slice(&[true], &[])?));
        }
    }
    archive("coo", tensor.shape(), tensor.values(), arrays)
}

/// An archive of the arrays of a format.
fn archive(
    format: &str,
    shape: &[usize],
    data: &Buffer,
    arrays: Vec<(&'static str, Buffer)>,
) -> Result<Vec<u8>, Reason> {
    let mut files: Vec<(&str, Vec<u8>)> =
        arrays.iter().map(|(name, array)| (*name, npy::write(array))).collect();
    files.push(("format", npy::write_text(format)));
    files.push(("shape", npy::write(&integers(shape, &[shape.len()], usize::MAX)?)));
    files.push(("data", npy::write(data)));
    npz::write(&files)
}

/// Integers, none larger than the greatest.
fn integers(numbers: &[usize], shape: &[usize], greatest: usize) -> Result<Buffer, Reason> {
    let wide: Option<Vec<i64>> = numbers.iter().map(|&number| i64::try_from(number).ok()).collect();
    let wide = wide.ok_or_else(|| Reason::Unsupported("an extent is no signed 64-bit integer".to_owned()))?;
    let wide = Buffer::from_slice(&wide, shape)?;
    let narrow = i32::try_from(greatest).is_ok();
    Ok(if narrow { wide.convert(DType::I32)? } else { wide })
}
