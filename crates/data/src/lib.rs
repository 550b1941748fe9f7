//! Reading and writing arrays as files, by the extension of the path.
//!
//! | extension | in | out |
//! |---|---|---|
//! | `.npy` | every dtype that fits a [`DType`](atl_runtime::DType) | the same dtype, little-endian, row-major |
//! | `.npz` | the only array; with `file.npz:NAME`, that one | one array, called `NAME` or `arr_0` |
//! | `.png` `.jpg` `.jpeg` | `u8`, or `i32` of 16 bits, as `[H, W]` or `[H, W, 3]` | rank 2, or rank 3 with 3 channels |
//! | `.pgm` `.ppm` | `u8`, or `u16` where the greatest sample is above 255 | as `.png` |
//! | `.wav` | `u8`, `i16`, `i32`, `f32`, `f64`; a vector, or `[frames, channels]` | the same |
//! | `.safetensors` | the only tensor, or the one in `file.safetensors:NAME` | one, `NAME` or `arr_0` |
//! | `.csv` | numbers, a vector or a matrix | rank 0, 1 or 2 |
//! | `.mtx` | a matrix; with entries only, the others are zero | rank 1 or 2 |
//! | `.tns`, sparse `.npz` | a tensor of entries, the others are zero | see `sparse` |
//!
//! One idea: each format is a pair of pure functions between bytes and a [`Buffer`]; files, conversion to the
//! wanted element type and safe replacement are here, once for all formats. A declared size is believed only
//! as far as there are bytes to back it. Saving writes a temporary file in the same folder and renames it
//! over the target, so a failure leaves the old file as it was. A pipe or device is refused as a target.
//!
//! Files of sparse tensors are read and written as such by [`load_tensor`] and [`save_sparse`], in `sparse`.

mod csv;
mod error;
mod image;
#[cfg(test)]
mod mutation_tests;
mod npy;
mod npz;
mod number;
mod pnm;
mod refusal;
mod safetensors;
mod sparse;
#[cfg(test)]
#[path = "../../runtime/src/testing.rs"]
mod testing;
mod wav;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::DataError;
use error::Reason;
pub use refusal::{Fault, Place, Refusal};
pub use sparse::{
    Archive, Request, Structure, Symmetry, load_tensor, save_archive, save_sparse, save_symmetric,
};

use atl_runtime::shape::show_shape;
use atl_runtime::{Buffer, DType, Tensor, check_place, replace_file};

/// What the reader of a file would like to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The element type; without it, the file's own.
    pub dtype: Option<DType>,
    /// The number of dimensions; without it, the file's own.
    pub rank: Option<usize>,
}

/// An array from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The array.
    pub buffer: Buffer,
    /// What the file holds that the array does not, one sentence each.
    pub notes: Vec<String>,
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Npy,
    Npz,
    Image(image::Encoding),
    Wav,
    Safetensors,
    Csv,
    MatrixMarket,
    Frostt,
}

/// The extensions, lower case.
const EXTENSIONS: [(&str, Format); 13] = [
    ("npy", Format::Npy),
    ("npz", Format::Npz),
    ("png", Format::Image(image::Encoding::Png)),
    ("jpg", Format::Image(image::Encoding::Jpeg)),
    ("jpeg", Format::Image(image::Encoding::Jpeg)),
    ("pgm", Format::Image(image::Encoding::Pnm)),
    ("ppm", Format::Image(image::Encoding::Pnm)),
    ("pnm", Format::Image(image::Encoding::Pnm)),
    ("wav", Format::Wav),
    ("safetensors", Format::Safetensors),
    ("csv", Format::Csv),
    ("mtx", Format::MatrixMarket),
    ("tns", Format::Frostt),
];

/// Where an array is: a file, and the name inside it for an archive.
struct Target {
    path: PathBuf,
    format: Format,
    member: Option<String>,
}

impl Target {
    /// Splits `file.npz:NAME`; any other path is a file.
    fn parse(path: &Path) -> Result<Target, DataError> {
        if let Some(text) = path.to_str()
            && let Some((file, member)) = text.rsplit_once(':')
            && let Some(format @ (Format::Npz | Format::Safetensors)) = format_of(Path::new(file))
        {
            let member = Some(member.to_owned());
            return Ok(Target { path: PathBuf::from(file), format, member });
        }
        let format = format_of(path).ok_or_else(|| DataError::UnknownFormat { path: path.to_owned() })?;
        Ok(Target { path: path.to_owned(), format, member: None })
    }
}

fn format_of(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    EXTENSIONS.iter().find(|(name, _)| *name == extension).map(|(_, format)| *format)
}

/// Reads an array, converting its elements to the wanted type where every value can be kept.
pub fn load(path: impl AsRef<Path>, wanted: Option<DType>) -> Result<Buffer, DataError> {
    load_noted(path, Wanted { dtype: wanted, rank: None }).map(|loaded| loaded.buffer)
}

/// Like [`load`], and also checks the rank and says what was left out.
pub fn load_noted(path: impl AsRef<Path>, wanted: Wanted) -> Result<Loaded, DataError> {
    load_filled(path, wanted, 0.0)
}

/// Like [`load_noted`], where what a sparse file has no entry for is this number, as the zero of a semiring
/// may be.
pub fn load_filled(path: impl AsRef<Path>, wanted: Wanted, absent: f64) -> Result<Loaded, DataError> {
    let target = Target::parse(path.as_ref())?;
    let loaded = if sparse::may_be_sparse(&target) {
        load_sparse(&target, wanted, absent)
    } else {
        fs::read(&target.path).map_err(Reason::Io).and_then(|bytes| decode(&target, &bytes, wanted, absent))
    };
    loaded.map_err(|reason| reason.at(path.as_ref()))
}

/// Reads an array of complex numbers as its real and its imaginary parts, of this element type where every
/// value can be kept. Of an array of real numbers, the imaginary parts are 0.
///
/// # Errors
/// As for [`load_filled`].
pub fn load_complex(path: impl AsRef<Path>, wanted: Wanted) -> Result<[Loaded; 2], DataError> {
    let target = Target::parse(path.as_ref())?;
    let read = || -> Result<[Loaded; 2], Reason> {
        let bytes = fs::read(&target.path).map_err(Reason::Io)?;
        let (re, im) = match target.format {
            Format::Npy => npy::read_complex(&bytes)?,
            Format::Npz => {
                let mut archive = npz::Archive::open(&bytes)?;
                npy::read_complex(&npz::content(&mut archive, target.member.as_deref())?)?
            }
            _ => (decode(&target, &bytes, Wanted::default(), 0.0)?.buffer, None),
        };
        let im = match im {
            Some(im) => im,
            None => Buffer::zeros(wanted.dtype.unwrap_or(re.dtype()), re.shape())?,
        };
        Ok([fitting(&target, re, wanted, Vec::new())?, fitting(&target, im, wanted, Vec::new())?])
    };
    read().map_err(|reason| reason.at(path.as_ref()))
}

/// Reads a file that may hold a sparse tensor as an array.
fn load_sparse(target: &Target, wanted: Wanted, absent: f64) -> Result<Loaded, Reason> {
    let request = Request { dtype: wanted.dtype, ..Request::default() };
    let mut notes = Vec::new();
    let tensor = sparse::load(target, &request, &mut notes)?;
    as_array(target, tensor, wanted, absent, notes)
}

/// The array that a tensor describes.
fn as_array(
    target: &Target,
    tensor: Tensor,
    wanted: Wanted,
    absent: f64,
    mut notes: Vec<String>,
) -> Result<Loaded, Reason> {
    let buffer = match tensor {
        Tensor::Dense(buffer) => buffer,
        Tensor::Sparse(sparse) => sparse.coordinates.to_dense_of(absent)?,
    };
    notes.extend(shape_note(&target.path, buffer.shape()));
    fitting(target, buffer, wanted, notes)
}

/// What to know about the shape that a file was read with, if it does not say its own.
pub fn shape_note(path: &Path, shape: &[usize]) -> Option<String> {
    let (path, shape) = (says_no_shape(path).then(|| path.display())?, show_shape(shape));
    Some(format!("{path} does not say its shape; it is read as {shape}, where the last entries are"))
}

/// Whether files of this name do not say their shape.
pub fn says_no_shape(path: &Path) -> bool {
    format_of(path) == Some(Format::Frostt)
}

fn decode(target: &Target, bytes: &[u8], wanted: Wanted, absent: f64) -> Result<Loaded, Reason> {
    let mut notes = Vec::new();
    let buffer = match target.format {
        Format::Npy => npy::read_as(bytes, wanted.dtype)?,
        Format::Npz => npz::read(&mut npz::Archive::open(bytes)?, target.member.as_deref(), wanted.dtype)?,
        Format::Image(encoding) => image::read(bytes, encoding, &mut notes)?,
        Format::Wav => wav::read(bytes, &mut notes)?,
        Format::Safetensors => safetensors::read(bytes, target.member.as_deref())?,
        Format::Csv => csv::read(bytes, wanted)?,
        Format::MatrixMarket | Format::Frostt => {
            let request = Request { dtype: wanted.dtype, ..Request::default() };
            let tensor = sparse::decode(target, bytes, &request, &mut notes)?;
            return as_array(target, tensor, wanted, absent, notes);
        }
    };
    fitting(target, buffer, wanted, notes)
}

/// How long the vector is for which a matrix of this shape is taken, where a vector is wanted: one of one
/// column, or of one row. What a file does not say, or says of pixels, is not taken for it.
fn vector_length(format: Format, rank: Option<usize>, shape: &[usize]) -> Option<usize> {
    let says_its_shape = !matches!(format, Format::Frostt | Format::Image(_));
    match (rank, shape) {
        (Some(1), &[count, 1] | &[1, count]) if says_its_shape => Some(count),
        _ => None,
    }
}

/// The array with the wanted rank and elements.
fn fitting(target: &Target, buffer: Buffer, wanted: Wanted, notes: Vec<String>) -> Result<Loaded, Reason> {
    let buffer = match vector_length(target.format, wanted.rank, buffer.shape()) {
        Some(count) => buffer.with_shape(&[count])?,
        None => buffer,
    };
    if let Some(expected) = wanted.rank
        && expected != buffer.rank()
    {
        return Err(Reason::WrongRank {
            expected,
            shape: buffer.shape().to_vec(),
            hint: rank_hint(target, expected),
        });
    }
    let buffer = match wanted.dtype {
        Some(dtype) => buffer.convert(dtype)?,
        None => buffer,
    };
    Ok(Loaded { buffer, notes })
}

/// What to do about an image of the other kind.
fn rank_hint(target: &Target, expected: usize) -> Option<&'static str> {
    match (target.format, expected) {
        (Format::Image(_), 2) => Some("a colour image has the shape [H, W, 3]: use a gray version of it"),
        (Format::Image(_), 3) => Some("a gray image has the shape [H, W]: use a colour version of it"),
        _ => None,
    }
}

/// Refuses a path to which no array could be saved, before there is one.
pub fn check_target(path: impl AsRef<Path>) -> Result<(), DataError> {
    let target = Target::parse(path.as_ref())?;
    check_place(&target.path).map_err(|source| DataError::Io { path: target.path, source })
}

/// Writes an array, replacing the file only when all of it is written. What the file holds otherwise than the
/// array is said, a sentence each.
///
/// # Errors
/// The file cannot be written, or its format cannot hold the array.
pub fn save(path: impl AsRef<Path>, buffer: &Buffer) -> Result<Vec<String>, DataError> {
    let (target, mut notes) = (Target::parse(path.as_ref())?, Vec::new());
    let bytes = encode(&target, buffer, &mut notes).map_err(|reason| reason.at(path.as_ref()))?;
    let saved = replace_file(&target.path, &bytes);
    saved.map(|()| notes).map_err(|source| DataError::Io { path: target.path, source })
}

/// Writes complex numbers, given by their real and their imaginary parts, of one type and shape.
///
/// # Errors
/// As for [`save`]; `.npy` and `.npz` hold complex numbers.
pub fn save_complex(path: impl AsRef<Path>, re: &Buffer, im: &Buffer) -> Result<(), DataError> {
    let target = Target::parse(path.as_ref())?;
    let bytes = match target.format {
        Format::Npy => Ok(npy::write_complex(re, im)),
        Format::Npz => {
            npz::write(&[(target.member.as_deref().unwrap_or("arr_0"), npy::write_complex(re, im))])
        }
        _ => Err(Reason::Unsupported("complex numbers are saved as `.npy` or `.npz`".to_owned())),
    };
    let bytes = bytes.map_err(|reason| reason.at(path.as_ref()))?;
    replace_file(&target.path, &bytes).map_err(|source| DataError::Io { path: target.path, source })
}

fn encode(target: &Target, buffer: &Buffer, notes: &mut Vec<String>) -> Result<Vec<u8>, Reason> {
    match target.format {
        Format::Npy => Ok(npy::write(buffer)),
        Format::Npz => npz::write(&[(target.member.as_deref().unwrap_or("arr_0"), npy::write(buffer))]),
        Format::Image(encoding) => image::write(buffer, encoding, notes),
        Format::Wav => wav::write(buffer, notes),
        Format::Safetensors => Ok(safetensors::write(buffer, target.member.as_deref().unwrap_or("arr_0"))),
        Format::Csv => csv::write(buffer),
        Format::MatrixMarket => sparse::write_array(buffer),
        Format::Frostt => {
            Err(Reason::Unsupported("`.tns` holds sparse tensors; `.npy` holds any array".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    /// Saving and loading `file` gives `buffer` back.
    fn check(file: &str, buffer: &Buffer) {
        let scratch = Scratch::new();
        let path = scratch.path().join(file);
        save(&path, buffer).expect("saved");
        assert_eq!(&load(&path, Some(buffer.dtype())).expect("loaded"), buffer, "{file}");
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let matrix = Buffer::from_slice(&[1.5f32, -2.25, 1e-30, 4.0, 5.0, 6.0], &[2, 3]).expect("small");
        for file in ["a.npy", "a.NPY", "a.npz", "a.npz:weights", "a.csv"] {
            check(file, &matrix);
        }
        let pixels = Buffer::from_slice(&(0u8..24).collect::<Vec<_>>(), &[2, 4, 3]).expect("small");
        for file in ["p.png", "p.npy", "p.npz:p"] {
            check(file, &pixels);
        }
    }

    #[test]
    fn conversion_on_loading() {
        let scratch = Scratch::new();
        let path = scratch.path().join("x.npy");
        save(&path, &Buffer::from_slice(&[1.0f64, 300.0], &[2]).expect("small")).expect("saved");
        assert_eq!(load(&path, None).expect("f64").dtype(), DType::F64);
        assert_eq!(load(&path, Some(DType::I32)).expect("whole").as_slice::<i32>().expect("i32"), [1, 300]);
        let error = load(&path, Some(DType::U8)).expect_err("300 is no u8").to_string();
        assert!(error.contains("x.npy") && error.contains("300") && error.contains("[1]"), "{error}");
    }

    #[test]
    fn a_colour_image_for_a_matrix_is_refused_with_a_hint() {
        let scratch = Scratch::new();
        let path = scratch.path().join("c.png");
        save(&path, &Buffer::zeros(DType::U8, &[2, 2, 3]).expect("small")).expect("saved");
        let error = load_noted(&path, Wanted { dtype: None, rank: Some(2) }).expect_err("rank 3").to_string();
        assert!(error.contains("[2, 2, 3]") && error.contains("gray"), "{error}");
    }

    #[test]
    fn unknown_extensions_and_missing_files_name_the_path() {
        for path in ["a.txt", "a", "a.csv:b", "nowhere/a.npy", "nowhere/a.npz:b"] {
            for error in [load(path, None).expect_err("no data"), check_target(path).expect_err("no place")] {
                assert!(error.to_string().contains(path.trim_end_matches(":b")), "{error}");
            }
        }
    }

    #[test]
    fn a_failed_save_keeps_the_old_file() {
        let scratch = Scratch::new();
        let path = scratch.path().join("a.png");
        let old = Buffer::zeros(DType::U8, &[2, 2]).expect("small");
        save(&path, &old).expect("saved");
        save(&path, &Buffer::zeros(DType::U8, &[4]).expect("small")).expect_err("not an image");
        assert_eq!(load(&path, None).expect("still there"), old);
    }
}
