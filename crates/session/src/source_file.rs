//! Reads texts from files, up to the length limits of the syntax.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// What some editors write before a text in UTF-8. It is no part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of a regular file of at most [`atl_syntax::MAX_BYTES`].
///
/// # Errors
/// What the system says; or the file is none, is too long, or is no UTF-8 text.
pub fn read_program(path: &Path) -> Result<String> {
    // Asked before opening: to open a pipe waits for a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(refused("it is not a regular file"));
    }
    let text = read_text(path, atl_syntax::MAX_BYTES)?;
    Ok(text.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned).unwrap_or(text))
}

/// The text of a file or pipe of at most this many bytes.
///
/// # Errors
/// What the system says; or it is too long, or is no UTF-8 text.
pub fn read_text(path: &Path, most: usize) -> Result<String> {
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(refused(format!("it has more than {most} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| refused("it is no UTF-8 text"))
}

fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidData, why.into())
}

#[cfg(test)]
mod tests {
    use super::read_program;
    use std::path::Path;

    fn refused(path: &Path) -> String {
        read_program(path).unwrap_err().to_string()
    }

    #[test]
    fn only_regular_files_of_bounded_length_are_read() {
        let path = std::env::temp_dir().join(format!("atl-read-{}.atl", std::process::id()));
        std::fs::write(&path, "fn").unwrap();
        let text = read_program(&path).unwrap();
        std::fs::write(&path, "\u{feff}fn\u{feff}").unwrap();
        let marked = read_program(&path).unwrap();
        std::fs::write(&path, vec![b' '; atl_syntax::MAX_BYTES + 1]).unwrap();
        let too_long = refused(&path);
        std::fs::write(&path, [0xff]).unwrap();
        let no_text = refused(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!((text.as_str(), marked.as_str()), ("fn", "fn\u{feff}"));
        assert_eq!(too_long, format!("it has more than {} bytes", atl_syntax::MAX_BYTES));
        assert_eq!(no_text, "it is no UTF-8 text");
        assert_eq!(refused(&std::env::temp_dir()), "it is not a regular file");
    }
}
