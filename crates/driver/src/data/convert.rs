//! A tensor from one file to another.
//!
//! One idea: whatever the file holds becomes an array or a list of entries in strict order, and from these
//! every format is written. Nothing is left out, added up or rounded unless an option says so, and a note
//! reports it.

use super::layout::{Layout, Unfit, archive};
use super::refused::{Role, refused};
use atl_data::{
    DataError, Fault, Request, Structure, Symmetry, check_target, load_tensor, save, save_archive,
    save_sparse, save_symmetric,
};
use atl_diag::err;
use atl_formats::Format;
use atl_runtime::{Arranged, Buffer, Coordinates, DType, Duplicates, Tensor, Wish, Zeros};
use atl_session::Failure;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is to be converted, and how.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The file that is read.
    pub input: PathBuf,
    /// The file that is written.
    pub output: PathBuf,
    /// Its layout; without one, all elements where the extension is that of arrays, else entries.
    pub layout: Option<Layout>,
    /// Of an `.mtx` file, what of the matrix is not written, as it follows from the rest.
    pub symmetry: Symmetry,
    /// The type of the values; without it, the file's own.
    pub dtype: Option<DType>,
    /// The shape; needed where the file does not say it.
    pub shape: Option<Vec<usize>>,
    /// What becomes of entries at one place.
    pub duplicates: Duplicates,
    /// What becomes of entries that are zero.
    pub zeros: Zeros,
    /// Whether the structure of an archive is believed.
    pub structure: Structure,
}

/// What was converted.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The type of the values.
    pub dtype: DType,
    /// The extents.
    pub shape: Vec<usize>,
    /// How many entries were written; none if all elements were.
    pub entries: Option<usize>,
    /// How many of these are zero.
    pub zeros: usize,
    /// How many entries of the input were added to another one.
    pub added: usize,
    /// How many zeros were dropped.
    pub dropped: usize,
    /// What to know about the output, a sentence each.
    pub notes: Vec<String>,
}

/// Reads a file and writes it as another.
///
/// # Errors
/// The input is refused, or the output cannot hold the tensor or be written.
pub fn convert(conversion: &Conversion) -> Result<Converted, Failure> {
    let Conversion { input, output, symmetry, .. } = conversion;
    let unread = |why: DataError| Failure::new(&Arc::default(), refused(&why, Role::Input));
    let unfit = |why| unread(DataError::of_entries(input, why));
    let layout = conversion.layout.unwrap_or_else(|| usual(output));
    // Refused before the work rather than after it.
    check_output(output, layout, *symmetry)?;
    let wish = Wish { duplicates: conversion.duplicates, zeros: conversion.zeros };
    let (dtype, shape, structure) = (conversion.dtype, conversion.shape.clone(), conversion.structure);
    let (request, mut notes) = (Request { dtype, shape, rank: None, wish, structure }, Vec::new());
    let tensor = load_tensor(input, &request, &mut notes).map_err(unread)?;
    let mut converted = match (layout, tensor) {
        (Layout::Dense, Tensor::Dense(dense)) => write_dense(output, &dense, *symmetry)?,
        (Layout::Dense, Tensor::Sparse(sparse)) => {
            let dense = sparse.coordinates.to_dense().map_err(unfit)?;
            let written = write_dense(output, &dense, *symmetry)?;
            Converted { added: sparse.added, dropped: sparse.dropped, ..written }
        }
        (_, Tensor::Sparse(sparse)) => write_sparse(output, layout, &sparse, *symmetry)?,
        (_, Tensor::Dense(dense)) => {
            let sparse = Coordinates::from_dense(&dense).and_then(|entries| entries.arranged(wish));
            write_sparse(output, layout, &sparse.map_err(unfit)?, *symmetry)?
        }
    };
    if has_extension(input, "tns") && conversion.shape.is_none() {
        let note = format!("{} does not say its shape; `--shape` would", input.display());
        notes.push(note);
    }
    converted.notes.splice(0..0, notes);
    Ok(converted)
}

/// Refuses an output that cannot be written, or has no such layout or symmetry.
fn check_output(output: &Path, layout: Layout, symmetry: Symmetry) -> Result<(), Failure> {
    check_target(output).map_err(|why| unwritten(&why))?;
    let (why, help) = if symmetry != Symmetry::General && !has_extension(output, "mtx") {
        (symmetry.name().to_owned(), "only .mtx files leave out what symmetry says")
    } else if !holds(output, layout) {
        let help = ".mtx and .tns hold `coo`, .npz holds all formats, and other files hold `dense`";
        (format!("of the format `{layout}`"), help)
    } else {
        return Ok(());
    };
    let why = err!(E0522, "`{}` is no file that is {why}", output.display());
    Err(Failure::new(&Arc::default(), why.help(help)))
}

/// Do files of this name hold entries?
pub(crate) fn holds_entries(output: &Path) -> bool {
    holds(output, Layout::Coo)
}

/// Writes entries to a file, in the layout of the format they were stored in where the file may have it.
pub(crate) fn save_entries(output: &Path, format: &Format, entries: Coordinates) -> Result<(), Failure> {
    let is = |layout: &Layout| {
        holds(output, *layout) && Format::parse(&layout.to_string(), format.rank()).as_ref() == Ok(format)
    };
    let layout = [Layout::Csr, Layout::Csc].into_iter().find(is).unwrap_or(Layout::Coo);
    let unfit = |why| unwritten(&DataError::of_entries(output, why));
    let wish = Wish { duplicates: Duplicates::Refuse, zeros: Zeros::Keep };
    write_sparse(output, layout, &entries.arranged(wish).map_err(unfit)?, Symmetry::General).map(|_| ())
}

fn write_dense(output: &Path, dense: &Buffer, symmetry: Symmetry) -> Result<Converted, Failure> {
    let saved = match symmetry {
        Symmetry::General => save(output, dense),
        symmetry => save_symmetric(output, dense, symmetry).map(|()| Vec::new()),
    };
    let notes = saved.map_err(|why| unwritten(&why))?;
    let (dtype, shape) = (dense.dtype(), dense.shape().to_vec());
    Ok(Converted { dtype, shape, entries: None, zeros: 0, added: 0, dropped: 0, notes })
}

fn write_sparse(
    output: &Path,
    layout: Layout,
    sparse: &Arranged,
    symmetry: Symmetry,
) -> Result<Converted, Failure> {
    let Arranged { coordinates, added, dropped } = sparse;
    let saved = match layout {
        Layout::Coo => save_sparse(output, coordinates, symmetry),
        layout => save_archive(output, &archive(layout, coordinates).map_err(|why| unfit_for(layout, &why))?),
    };
    saved.map_err(|why| unwritten(&why))?;
    let (shape, zeros) = (coordinates.shape().to_vec(), coordinates.zeros());
    let (mut notes, output_name) = (Vec::new(), output.display());
    if has_extension(output, "tns") && !reaches_its_shape(coordinates) {
        let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
        let extents = extents.join(",");
        notes
            .push(format!("{output_name} does not say its shape; to read it back, give `--shape {extents}`"));
    }
    if layout == Layout::Dia && zeros > 0 {
        notes.push(format!("{output_name} has diagonals, in which an entry that is zero is none"));
    }
    let (dtype, entries) = (coordinates.dtype(), Some(coordinates.len()));
    Ok(Converted { dtype, shape, entries, zeros, added: *added, dropped: *dropped, notes })
}

fn unfit_for(layout: Layout, why: &Unfit) -> Failure {
    let why = err!(E0537, "the tensor has no form `{layout}`: {why}");
    Failure::new(&Arc::default(), why.help("`coo` holds any sparse tensor"))
}

/// The layout that a file has if nobody says.
fn usual(output: &Path) -> Layout {
    if holds(output, Layout::Coo) { Layout::Coo } else { Layout::Dense }
}

/// Whether files of this name have this layout.
fn holds(output: &Path, layout: Layout) -> bool {
    let one_of = |extensions: &[&str]| extensions.iter().any(|extension| has_extension(output, extension));
    match layout {
        Layout::Dense => !one_of(&["tns"]),
        Layout::Coo => one_of(&["mtx", "tns", "npz"]),
        Layout::Csr | Layout::Csc | Layout::Bcsr(..) | Layout::Dia => one_of(&["npz"]),
    }
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Whether the shape can be told from the greatest coordinates.
fn reaches_its_shape(tensor: &Coordinates) -> bool {
    let greatest = |column: &Vec<usize>| column.iter().max().map(|crd| crd + 1);
    tensor.columns().iter().zip(tensor.shape()).all(|(column, &extent)| greatest(column) == Some(extent))
}

fn unwritten(why: &DataError) -> Failure {
    let help = match why {
        DataError::Io { .. } => "check the path",
        DataError::Refused { refusal, .. } if refusal.fault == Fault::Symmetry => {
            "leave `--symmetry` out: both sides of the diagonal are then written"
        }
        _ => "`.npy` holds any array, `.npz` any sparse tensor, `.mtx` any matrix",
    };
    Failure::new(&Arc::default(), err!(E0522, "{why}").help(help))
}
