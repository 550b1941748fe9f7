//! Programs in TeIL: a file `NAME.teil` is one wherever a program is read, also where it is imported.
//!
//! The one idea: the program that the text becomes is what everything else sees, so checking, schedules and back ends are those of any
//! program. A mistake is reported where it stands in the file.

use crate::failure::Failure;
use atl_diag::{Diagnostic, FileId, err};
use atl_lang::is_function;
use atl_syntax::lex;
use atl_teil::Refusal;
use atl_teil::elaborate::{Elaborated, elaborate};
use atl_teil::language::{Item, Placed, Program, Size, parse};
use atl_teil::typing::check;
use std::path::Path;

pub use atl_teil::guard::Safe;

/// Whether a kernel that was written for another tool stays inside of its tensors, whose sizes are declared as in `A=m,n`.
///
/// # Errors
/// It does not, or cannot be read.
pub fn guard(name: &str, text: &str, declarations: &[String]) -> Result<Safe, Failure> {
    Ok(atl_teil::guard::guard(name, text, declarations)?)
}

/// Whether a file of this name is a program in TeIL.
pub(crate) fn is_teil(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "teil")
}

/// The functions of a text in TeIL.
///
/// # Errors
/// What is wrong with it.
pub fn functions(file: FileId, text: &str) -> Result<Elaborated, Refusal> {
    let program = parse(file, text)?;
    names(&program)?;
    elaborate(&program, &check(&program)?)
}

/// Names of the program that this becomes mean something there already.
fn names(program: &Program) -> Result<(), Refusal> {
    let declared = program.items.iter().filter_map(|item| match item {
        Item::Declare(declaration) => Some(declaration),
        _ => None,
    });
    for declaration in declared {
        let sizes = declaration.shape.iter().filter_map(|size| match &size.value {
            Size::Variable(name) => Some(Placed { value: name.clone(), span: size.span }),
            Size::Number(_) => None,
        });
        for Placed { value: name, span } in sizes.chain([declaration.name.clone()]) {
            if is_function(&name) || is_word(&name) {
                return Err(Box::new(
                    err!(E0282, span, "`{name}` is a word of the programs that this becomes")
                        .help("choose another name"),
                ));
            }
        }
    }
    Ok(())
}

/// Whether programs have a keyword that is written so.
fn is_word(name: &str) -> bool {
    let (tokens, _): (_, Vec<Diagnostic>) = lex(FileId::default(), name);
    tokens.iter().any(|token| token.kind.is_keyword()) || name == "_"
}
