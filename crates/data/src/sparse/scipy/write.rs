//! Writing: the arrays under the names that SciPy gives them, so that `load_npz` reads them.
//!
//! Integers are narrow where all fit, as SciPy chooses them.

use super::super::super::{Reason, npy, npz};
use atl_runtime::Coordinates;
use atl_runtime::{Buffer, DType};

/// A sparse matrix in one of SciPy's formats: `csr`, `csc`, `bsr` or `dia`.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    /// The format.
    pub format: &'static str,
    /// The extents.
    pub shape: Vec<usize>,
    /// The array `data`.
    pub data: Buffer,
    /// The arrays of integers, with their names.
    pub arrays: Vec<(&'static str, Vec<i64>)>,
}

/// Writes an archive.
pub(in super::super) fn write(archive: &Archive) -> Result<Vec<u8>, Reason> {
    let Archive { format, shape, data, arrays } = archive;
    let narrow = narrow(shape, data.len());
    let mut files = Vec::new();
    for (name, numbers) in arrays {
        files.push((*name, npy::write(&integers(numbers, &[numbers.len()], narrow)?)));
    }
    encode(format, shape, data, files)
}

/// Writes lists of coordinates.
pub(in super::super) fn write_coordinates(tensor: &Coordinates) -> Result<Vec<u8>, Reason> {
    let narrow = narrow(tensor.shape(), tensor.len());
    let mut files = Vec::new();
    match tensor.columns() {
        [row, col] => {
            files.push(("row", npy::write(&integers(&signed(row)?, &[row.len()], narrow)?)));
            files.push(("col", npy::write(&integers(&signed(col)?, &[col.len()], narrow)?)));
        }
        columns => {
            let all: Vec<usize> = columns.iter().flatten().copied().collect();
            let coords = integers(&signed(&all)?, &[columns.len(), tensor.len()], narrow)?;
            files.push(("coords", npy::write(&coords)));
            // Sparse arrays have any rank, sparse matrices two.
            files.push(("_is_array", npy::write(&Buffer::from_slice(&[true], &[])?)));
        }
    }
    encode("coo", tensor.shape(), tensor.values(), files)
}

/// Puts what every format has beside the arrays of one.
fn encode(
    format: &str,
    shape: &[usize],
    data: &Buffer,
    mut files: Vec<(&'static str, Vec<u8>)>,
) -> Result<Vec<u8>, Reason> {
    if data.dtype() == DType::BF16 {
        return Err(Reason::Unsupported(
            "SciPy has no sparse arrays of `bf16`: convert the values to `f32`, which has them all"
                .to_owned(),
        ));
    }
    let extents = signed(shape)?;
    files.push(("format", npy::write_text(format)));
    files.push(("shape", npy::write(&Buffer::from_slice(&extents, &[extents.len()])?)));
    files.push(("data", npy::write(data)));
    npz::write(&files)
}

/// Whether coordinates below these extents, and positions of this number of entries, have 32 bits.
fn narrow(shape: &[usize], len: usize) -> bool {
    shape.iter().chain([&len]).all(|&number| i32::try_from(number).is_ok())
}

fn integers(numbers: &[i64], shape: &[usize], narrow: bool) -> Result<Buffer, Reason> {
    let wide = Buffer::from_slice(numbers, shape)?;
    Ok(if narrow { wide.convert(DType::I32)? } else { wide })
}

fn signed(numbers: &[usize]) -> Result<Vec<i64>, Reason> {
    let signed: Option<Vec<i64>> = numbers.iter().map(|&number| i64::try_from(number).ok()).collect();
    signed.ok_or_else(|| Reason::Unsupported("an extent is no signed 64-bit integer".to_owned()))
}
