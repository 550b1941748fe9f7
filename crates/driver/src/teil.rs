//! Programs in TeIL: a file `NAME.teil` is one wherever a program is read, also where it is imported; and so
//! is `NAME.cfd`.
//!
//! The one idea: the program that the text becomes is what everything else sees, so checking, schedules and
//! back ends are those of any program. A mistake is reported where it stands in the file.

use atl_diag::{Diagnostic, FileId, err};
use atl_lang::is_function;
use atl_session::{Absent, Language, Translated};
use atl_syntax::lex;
use atl_teil::Refusal;
use atl_teil::elaborate::{Elaborated, elaborate};
use atl_teil::fluids;
use atl_teil::language::{Item, Placed, Program, Size, formatted, parse};
use atl_teil::typing::{check, inferred, remedy};
use std::path::Path;

pub use atl_teil::operators;

/// A reader of a language that becomes TeIL, with warnings.
type Reader = fn(FileId, &str) -> Result<(Program, Vec<Diagnostic>), Refusal>;

/// What lays out a text of it.
type Layout = fn(FileId, &str) -> Result<String, Refusal>;

/// The languages whose files are programs.
pub const LANGUAGES: &[Language] = &[
    Language {
        ending: "teil",
        translate: |file, text| translated(|file, text| Ok((parse(file, text)?, vec![])), file, text),
    },
    Language { ending: "cfd", translate: |file, text| translated(fluids::translate, file, text) },
];

/// What lays out the files of these endings.
const LAYOUTS: [(&str, Layout); 2] = [("teil", formatted), ("cfd", fluids::formatted)];

/// What lays out a file of this name.
pub(crate) fn layout(name: &str) -> Option<Layout> {
    let ending = Path::new(name).extension()?;
    LAYOUTS.iter().find(|(known, _)| ending == *known).map(|(_, layout)| *layout)
}

/// The functions of a text, with warnings.
///
/// # Errors
/// What is wrong with it.
fn translated(read: Reader, file: FileId, text: &str) -> Result<Translated, Refusal> {
    let (program, warnings) = read(file, text)?;
    names(&program)?;
    let program = inferred(&program)?;
    let checked = check(&program).map_err(|refusal| match remedy(&program) {
        Some(facts) => {
            Box::new(refusal.note(format!("with `{facts}` the program is well typed; `where ..` infers it")))
        }
        None => refusal,
    })?;
    let Elaborated { text, absent, .. } = elaborate(&program, &checked)?;
    let absent =
        absent.into_iter().map(|a| Absent { function: a.function, schedule: a.schedule, why: a.why });
    Ok(Translated { text, warnings, absent: absent.collect() })
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
