//! The operator language of computational fluid dynamics, as published with its compiler, as TeIL.
//!
//! ```text
//! var input P : [6 4]
//! var input w : [4 4 4]
//! var output z : [6 6 6]
//! z = P # P # P # w . [[1 6] [3 7] [5 8]]
//! ```
//!
//! The one idea: each of its operations is a few of TeIL's, so what is safe and how it becomes fast is
//! decided there. Positions count from 0 here. Operators associate to the right, as published; where that
//! surprises, a warning says so. With `elem [w z] 8 first` the tensors named have one more dimension, of
//! elements, and everything is done for each.

mod lower;
mod parse;

use crate::Refusal;
use crate::language::Program;
use atl_diag::{Diagnostic, FileId};

/// A text as a program in TeIL, with warnings.
///
/// # Errors
/// It cannot be read (E0295), or an operation has operands of other shapes (E0296).
pub fn translate(file: FileId, text: &str) -> Result<(Program, Vec<Diagnostic>), Refusal> {
    let (program, warnings) = parse::parse(file, text)?;
    Ok((lower::lower(&program)?, warnings))
}

/// A text in canonical layout; its tokens and comments stay as they are.
///
/// # Errors
/// It cannot be read.
pub fn formatted(file: FileId, text: &str) -> Result<String, Refusal> {
    parse::formatted(file, text)
}
