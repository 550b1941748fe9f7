//! Reading the text of a program from a file.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The text of a regular file of at most [`atl_syntax::MAX_BYTES`].
///
/// # Errors
/// What the system says; or the file is none, is too long, or is no UTF-8 text.
pub fn read_program(path: &Path) -> Result<String> {
    let refused = |why: String| Err(Error::new(ErrorKind::InvalidData, why));
    // Asked before opening: to open a pipe waits for a writer.
    if !std::fs::metadata(path)?.is_file() {
        return refused("it is not a regular file".to_owned());
    }
    let most = atl_syntax::MAX_BYTES;
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return refused(format!("it has more than {most} bytes"));
    }
    String::from_utf8(bytes).or_else(|_| refused("it is no UTF-8 text".to_owned()))
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
        std::fs::write(&path, vec![b' '; atl_syntax::MAX_BYTES + 1]).unwrap();
        let too_long = refused(&path);
        std::fs::write(&path, [0xff]).unwrap();
        let no_text = refused(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(text, "fn");
        assert_eq!(too_long, format!("it has more than {} bytes", atl_syntax::MAX_BYTES));
        assert_eq!(no_text, "it is no UTF-8 text");
        assert_eq!(refused(&std::env::temp_dir()), "it is not a regular file");
    }
}
