//! Programs in TeIL: a file `NAME.teil` is one wherever a program is read, also where it is imported; and so is `NAME.cfd`.
//!
//! The one idea: the program that the text becomes is what everything else sees, so checking, schedules and back ends are those of any
//! program. A mistake is reported where it stands in the file.

use crate::failure::Failure;
use atl_diag::{Diagnostic, FileId, err};
use atl_lang::is_function;
use atl_syntax::lex;
use atl_teil::Refusal;
use atl_teil::elaborate::{Elaborated, elaborate};
use atl_teil::fluids;
use atl_teil::language::{Item, Placed, Program, Size, formatted, parse};
use atl_teil::typing::{check, inferred, remedy};
use std::path::Path;

pub use atl_teil::guard::Safe;
pub use atl_teil::operators;

/// Whether a kernel that was written for another tool stays inside of its tensors, whose sizes are declared as in `A=m,n`, and
/// satisfy conditions such as `m + 1 <= n`.
///
/// # Errors
/// It does not, or cannot be read.
pub fn guard(
    name: &str,
    text: &str,
    declarations: &[String],
    conditions: &[String],
) -> Result<Safe, Failure> {
    Ok(atl_teil::guard::guard(name, text, declarations, conditions)?)
}

/// A reader of a language that becomes TeIL, with warnings.
type Reader = fn(FileId, &str) -> Result<(Program, Vec<Diagnostic>), Refusal>;

/// What lays out a text of it.
type Layout = fn(FileId, &str) -> Result<String, Refusal>;

/// The languages by the endings of their files.
const LANGUAGES: [(&str, Reader, Layout); 2] = [
    ("teil", |file, text| Ok((parse(file, text)?, vec![])), formatted),
    ("cfd", fluids::translate, fluids::formatted),
];

/// The language of a file of this name, if that is TeIL or becomes TeIL.
fn language(name: &str) -> Option<&'static (&'static str, Reader, Layout)> {
    let ending = Path::new(name).extension()?;
    LANGUAGES.iter().find(|(known, ..)| ending == *known)
}

/// The reader of a file of this name.
pub(crate) fn reader(name: &str) -> Option<Reader> {
    language(name).map(|(_, reader, _)| *reader)
}

/// What lays out a file of this name.
pub(crate) fn layout(name: &str) -> Option<Layout> {
    language(name).map(|(.., layout)| *layout)
}

/// The functions of a text, with warnings.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn functions(
    read: Reader,
    file: FileId,
    text: &str,
) -> Result<(Elaborated, Vec<Diagnostic>), Refusal> {
    let (program, warnings) = read(file, text)?;
    names(&program)?;
    let program = inferred(&program)?;
    let checked = check(&program).map_err(|refusal| match remedy(&program) {
        Some(facts) => {
            Box::new(refusal.note(format!("with `{facts}` the program is well typed; `where ..` infers it")))
        }
        None => refusal,
    })?;
    Ok((elaborate(&program, &checked)?, warnings))
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
