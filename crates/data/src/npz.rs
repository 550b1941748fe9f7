//! The `.npz` format: a zip archive of `.npy` files.
//!
//! One idea: find the member, inflate it, hand it to `npy`. Without a name an archive must hold exactly one
//! array, so that adding an array to a file never changes which one is read. Memory grows with the bytes that
//! inflating really yields, not with what the archive declares.

use std::io::{Cursor, Read, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::{Reason, npy};
use atl_runtime::{Buffer, DType};

/// An archive that is open.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// The members, as the archive calls them.
    files: Vec<String>,
}

impl<'a> Archive<'a> {
    /// Reads what members there are.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Archive<'a>, Reason> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(corrupt)?;
        let files: Result<Vec<String>, ZipError> =
            zip.file_names().map(|name| name.map(|name| name.into_owned())).collect();
        Ok(Archive { files: files.map_err(corrupt)?, zip })
    }

    /// The names of the arrays.
    fn arrays(&self) -> Vec<&str> {
        self.files.iter().map(|name| name.strip_suffix(".npy").unwrap_or(name)).collect()
    }

    /// Whether there is an array of this name.
    pub(super) fn has(&self, array: &str) -> bool {
        self.arrays().contains(&array)
    }

    /// The `.npy` file of an array.
    pub(super) fn file(&mut self, array: &str) -> Result<Vec<u8>, Reason> {
        let arrays = self.arrays();
        let position = arrays.iter().position(|name| *name == array).ok_or_else(|| {
            Reason::Unsupported(format!("there is no array `{array}`; the archive holds {}", list(&arrays)))
        })?;
        let mut file = self.zip.by_name(&self.files[position]).map_err(corrupt)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content)
            .map_err(|error| Reason::Corrupt(format!("damaged archive: {error}")))?;
        Ok(content)
    }
}

/// Decodes the array called `member`, or the only one.
pub(super) fn read(
    archive: &mut Archive<'_>,
    member: Option<&str>,
    wanted: Option<DType>,
) -> Result<Buffer, Reason> {
    npy::read_as(&content(archive, member)?, wanted)
}

/// The `.npy` file of the array called `member`, or of the only one.
pub(super) fn content(archive: &mut Archive<'_>, member: Option<&str>) -> Result<Vec<u8>, Reason> {
    let member = match (member, &archive.arrays()[..]) {
        (Some(member), _) => member.to_owned(),
        (None, [only]) => (*only).to_owned(),
        (None, arrays) => {
            return Err(Reason::Unsupported(format!(
                "name one of the arrays as FILE.npz:NAME; the archive holds {}",
                list(arrays)
            )));
        }
    };
    archive.file(&member)
}

/// Encodes an archive of `.npy` files, not compressed, as `numpy.savez` does.
pub(super) fn write(arrays: &[(&str, Vec<u8>)]) -> Result<Vec<u8>, Reason> {
    let failed =
        |error: &dyn std::fmt::Display| Reason::Unsupported(format!("no archive can be made: {error}"));
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    for (name, content) in arrays {
        archive.start_file(format!("{name}.npy"), options).map_err(|error| failed(&error))?;
        archive.write_all(content).map_err(|error| failed(&error))?;
    }
    Ok(archive.finish().map_err(|error| failed(&error))?.into_inner())
}

fn corrupt(error: ZipError) -> Reason {
    Reason::Corrupt(format!("damaged archive: {error}"))
}

fn list(arrays: &[&str]) -> String {
    match arrays {
        [] => "no arrays".to_owned(),
        _ => arrays.iter().map(|array| format!("`{array}`")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of one-element arrays `(name, value)`.
    fn archive(arrays: &[(&str, u8)], method: CompressionMethod) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, value) in arrays {
            let options = SimpleFileOptions::default().compression_method(method);
            archive.start_file(format!("{name}.npy"), options).expect("started");
            let buffer = Buffer::from_slice(&[*value], &[1]).expect("small");
            archive.write_all(&npy::write(&buffer)).expect("written");
        }
        archive.finish().expect("finished").into_inner()
    }

    /// Reading `member` yields a value, or a message that contains the text.
    fn check(arrays: &[(&str, u8)], member: Option<&str>, expected: Result<u8, &str>) {
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let bytes = archive(arrays, method);
            let found = Archive::open(&bytes).and_then(|mut archive| read(&mut archive, member, None));
            match (found, expected) {
                (Ok(buffer), Ok(value)) => assert_eq!(buffer.as_slice::<u8>().expect("u8"), [value]),
                (Err(reason), Err(needle)) => assert!(format!("{reason:?}").contains(needle), "{reason:?}"),
                (result, expected) => panic!("{result:?}, expected {expected:?}"),
            }
        }
    }

    #[test]
    fn members() {
        check(&[("a", 7)], None, Ok(7));
        check(&[("a", 7), ("b", 8)], Some("b"), Ok(8));
        check(&[("a", 7), ("b", 8)], None, Err("`a`, `b`"));
        check(&[("a", 7)], Some("c"), Err("no array `c`"));
        check(&[], None, Err("no arrays"));
    }
}
