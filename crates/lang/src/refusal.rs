//! What the kernel refuses, in the words of the surface.

use crate::show;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Ctx, Error, TypeError, Unproved};

/// A refusal of the kernel as a diagnostic. `ctx` is the context of the term at hand.
pub fn kernel_error(error: &Error, ctx: &Ctx, span: Option<Span>) -> Diagnostic {
    match error {
        Error::Unproved(unproved) => {
            let goal = show::pred(&unproved.ctx, &unproved.goal);
            let refusal = err!(E0290, span, "`{goal}` could not be proved");
            unproved_notes(unproved).into_iter().fold(refusal, Diagnostic::note)
        }
        Error::IllTyped(why, _) => {
            err!(E0291, span, "the kernel gives this term no type: {}", type_error(why, ctx))
        }
        Error::NoMatch { rule, wants, .. } => {
            err!(E0292, span, "`{rule}` applies to {wants}, and this is something else")
        }
        Error::MissingLaws { rule, laws, elem } => err!(E0293, span, "`{rule}` does not hold over `{elem}`")
            .note(format!("it needs {laws}, which `{}` does not have", elem.algebra.name)),
        Error::Mismatch(what) => err!(E0294, span, "the kernel refuses an inference: {what}"),
    }
}

/// What is known where a goal was not proved, and values for which it is false, if small ones are.
pub fn unproved_notes(unproved: &Unproved) -> Vec<String> {
    let mut notes = show::reasons(&unproved.ctx, &unproved.goal);
    if let Some(why) = &unproved.refused {
        notes.push(format!("a certificate was found and is wrong ({why:?}): this is a bug of the prover"));
    }
    notes
}

fn type_error(why: &TypeError, ctx: &Ctx) -> String {
    match why {
        TypeError::Unbound(_) => "a variable is not in scope".to_owned(),
        TypeError::Jagged(extent) => {
            format!("the extent `{}` depends on the loop's index", show::ix(ctx, extent))
        }
        TypeError::NotATensor => "a scalar is read at an index".to_owned(),
        TypeError::Ranks(a, b) => format!("operands have {a} and {b} dimensions"),
        TypeError::Elems(s, t) => format!("operands are of `{s}` and `{t}`"),
        TypeError::Scalar(prim, scalar) => {
            let name = crate::builtins::name_of(*prim).unwrap_or("the operation");
            format!("`{name}` is not defined on `{scalar}`")
        }
        TypeError::Arity => "a wrong number of operands".to_owned(),
    }
}
