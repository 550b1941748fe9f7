//! Reading and writing sparse tensors, by the extension of the path.
//!
//! | extension | what it holds |
//! |---|---|
//! | `.mtx` | Matrix Market: a matrix by coordinates, or an array |
//! | `.tns` | FROSTT: a tensor of any rank by coordinates |
//! | `.npz` | the arrays that SciPy's `save_npz` writes |
//!
//! One idea: whatever the layout, what is read is a list of entries in strict order, or an array where the
//! file holds one. Texts are read as they come, byte by byte; a number that a file declares is believed only
//! as far as there are bytes to back it. Every refusal names the line, or the array and its element.

mod entries;
mod frostt;
mod line;
mod matrix_market;
#[cfg(test)]
mod mutation_tests;
mod scipy;
#[cfg(test)]
mod tests;
mod text;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::npz;
use super::refusal::{Fault, Place, Refusal};
use super::{DataError, Format, Reason, Target, Wanted, replace_file, vector_length};
use atl_runtime::shape::show_shape;
use atl_runtime::{Arranged, Coordinates, Wish};
use atl_runtime::{Buffer, DType, Tensor};
use entries::Entries;
pub use matrix_market::Symmetry;
pub use scipy::Archive;

/// What the reader of a sparse tensor would like to have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The type of the values; without it, the file's own.
    pub dtype: Option<DType>,
    /// The shape. A `.tns` file does not say its own; of others it is demanded.
    pub shape: Option<Vec<usize>>,
    /// The number of dimensions that is hoped for: where it is 1, a matrix of one column or of one row is a
    /// vector. No other tensor is changed, or refused.
    pub rank: Option<usize>,
    /// What becomes of entries that share a place, or are zero.
    pub wish: Wish,
    /// Whether arrays of positions and coordinates are looked at.
    pub structure: Structure,
}

/// What is believed of the structure of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Structure {
    /// Nothing: each position and coordinate is checked.
    #[default]
    Check,
    /// That of an `.npz` file: in range, in order, and no place twice.
    Trust,
}

/// What a text holds, as it stands there.
enum Content {
    Dense(Buffer),
    Sparse(Entries),
}

/// Reads a tensor, sparse or not; `notes` learns what the file holds that the tensor does not, a sentence
/// each.
///
/// # Errors
/// The file is missing or damaged, holds something else, or something else than was requested.
pub fn load_tensor(
    path: impl AsRef<Path>,
    request: &Request,
    notes: &mut Vec<String>,
) -> Result<Tensor, DataError> {
    let target = Target::parse(path.as_ref())?;
    load(&target, request, notes).map_err(|reason| reason.at(path.as_ref()))
}

pub(super) fn load(target: &Target, request: &Request, notes: &mut Vec<String>) -> Result<Tensor, Reason> {
    let tensor = match target.format {
        Format::MatrixMarket | Format::Frostt => {
            let file = File::open(&target.path).map_err(Reason::Io)?;
            text(target.format, file, request)?
        }
        _ => decode(target, &fs::read(&target.path).map_err(Reason::Io)?, request, notes)?,
    };
    of_rank(of_shape(tensor, request)?, target.format, request.rank)
}

/// The tensor, as a vector if one is hoped for and it is one.
fn of_rank(tensor: Tensor, format: Format, rank: Option<usize>) -> Result<Tensor, Reason> {
    Ok(match (vector_length(format, rank, tensor.shape()), tensor) {
        (None, tensor) => tensor,
        (Some(count), Tensor::Dense(dense)) => Tensor::Dense(dense.with_shape(&[count])?),
        (Some(_), Tensor::Sparse(sparse)) => {
            Tensor::Sparse(Arranged { coordinates: sparse.coordinates.into_vector(), ..sparse })
        }
    })
}

/// The tensor, if it has the shape that is requested.
fn of_shape(tensor: Tensor, request: &Request) -> Result<Tensor, Reason> {
    match &request.shape {
        Some(wanted) if *wanted != tensor.shape() => {
            let (found, wanted) = (show_shape(tensor.shape()), show_shape(wanted));
            let found = format!("the shape {found}");
            Err(Refusal::new(Fault::Shape, Place::File, found, format!("{wanted}, which is given")).into())
        }
        _ => Ok(tensor),
    }
}

/// Reads a text.
fn text(format: Format, source: impl Read, request: &Request) -> Result<Tensor, Reason> {
    let content = match format {
        Format::Frostt => Content::Sparse(frostt::read(source, request.dtype, request.shape.as_deref())?),
        _ => matrix_market::read(source, request.dtype)?,
    };
    Ok(match content {
        Content::Dense(dense) => Tensor::Dense(dense),
        Content::Sparse(entries) => Tensor::Sparse(entries.arranged(request.wish)?),
    })
}

/// Reads a file that is in memory.
pub(super) fn decode(
    target: &Target,
    bytes: &[u8],
    request: &Request,
    notes: &mut Vec<String>,
) -> Result<Tensor, Reason> {
    match target.format {
        Format::MatrixMarket | Format::Frostt => return text(target.format, bytes, request),
        Format::Npz if target.member.is_none() => {
            let mut archive = npz::Archive::open(bytes)?;
            if scipy::is_sparse(&archive) {
                let read = scipy::read(&mut archive, request)?;
                return Ok(Tensor::Sparse(read.arranged(request.wish)?));
            }
        }
        Format::Npz | Format::Npy | Format::Image(_) | Format::Wav | Format::Safetensors | Format::Csv => {}
    }
    let wanted = Wanted { dtype: request.dtype, rank: None };
    let loaded = super::decode(target, bytes, wanted, 0.0)?;
    notes.extend(loaded.notes);
    Ok(Tensor::Dense(loaded.buffer))
}

/// Whether a file of this format may hold a sparse tensor.
pub(super) fn may_be_sparse(target: &Target) -> bool {
    match target.format {
        Format::MatrixMarket | Format::Frostt => true,
        Format::Npz => target.member.is_none(),
        Format::Npy | Format::Image(_) | Format::Wav | Format::Safetensors | Format::Csv => false,
    }
}

/// Writes a sparse tensor as its entries, replacing the file only when all of it is written. An `.mtx` file
/// leaves out what symmetry says.
///
/// # Errors
/// The file cannot be written, its format holds no sparse tensor of this rank, or the symmetry is another.
pub fn save_sparse(
    path: impl AsRef<Path>,
    tensor: &Coordinates,
    symmetry: Symmetry,
) -> Result<(), DataError> {
    replace(path.as_ref(), |format| encode(format, tensor, symmetry))
}

/// Writes an array as an `.mtx` file that leaves out what symmetry says.
///
/// # Errors
/// The file cannot be written, is not to be an `.mtx` file, or the symmetry is another.
pub fn save_symmetric(path: impl AsRef<Path>, matrix: &Buffer, symmetry: Symmetry) -> Result<(), DataError> {
    replace(path.as_ref(), |format| match format {
        Format::MatrixMarket => matrix_market::write_array(matrix, symmetry),
        _ => Err(not_left_out(symmetry)),
    })
}

fn not_left_out(symmetry: Symmetry) -> Reason {
    Reason::Unsupported(format!(
        "only .mtx files leave out what follows where a matrix is {}",
        symmetry.name()
    ))
}

/// Writes a sparse matrix as one of SciPy's archives, replacing the file only when all of it is written.
///
/// # Errors
/// The file cannot be written, or is not to be an `.npz` file.
pub fn save_archive(path: impl AsRef<Path>, archive: &Archive) -> Result<(), DataError> {
    replace(path.as_ref(), |format| match format {
        Format::Npz => scipy::write(archive),
        _ => Err(Reason::Unsupported(format!("only .npz holds the format {}", archive.format))),
    })
}

fn replace(path: &Path, encode: impl FnOnce(Format) -> Result<Vec<u8>, Reason>) -> Result<(), DataError> {
    let target = Target::parse(path)?;
    let bytes = match target.member {
        None => encode(target.format),
        Some(_) => Err(Reason::Unsupported(
            "a sparse tensor is a whole archive, whose arrays have names of their own".to_owned(),
        )),
    };
    let bytes = bytes.map_err(|reason| reason.at(path))?;
    replace_file(&target.path, &bytes).map_err(|source| DataError::Io { path: target.path, source })
}

fn encode(format: Format, tensor: &Coordinates, symmetry: Symmetry) -> Result<Vec<u8>, Reason> {
    match format {
        Format::MatrixMarket => matrix_market::write_coordinates(tensor, symmetry),
        _ if symmetry != Symmetry::General => Err(not_left_out(symmetry)),
        Format::Frostt => frostt::write(tensor),
        Format::Npz => scipy::write_coordinates(tensor),
        Format::Npy | Format::Image(_) | Format::Wav | Format::Safetensors | Format::Csv => {
            Err(Reason::Unsupported(
                "the file holds arrays; sparse tensors are held by .mtx, .tns and .npz".to_owned(),
            ))
        }
    }
}

/// Writes an array as a Matrix Market file.
pub(super) fn write_array(array: &Buffer) -> Result<Vec<u8>, Reason> {
    matrix_market::write_array(array, Symmetry::General)
}
