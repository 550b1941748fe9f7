//! What the kernel refuses, in the words of the surface.

use crate::counterexample::{Valuation, value_of};
use crate::{print, show};
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::cert::CertError;
use atl_kernel::{Ctx, Error, Expr, Ix, Node, TypeError, Unproved};
use atl_syntax::Style;

/// A refusal of the kernel as a diagnostic. `ctx` is the context of the term at hand.
pub fn kernel_error(error: &Error, ctx: &Ctx, span: Option<Span>) -> Diagnostic {
    kernel_error_at(error, ctx, span, None)
}

/// [`kernel_error`] where the caller may know values for which the goal that was not proved is false.
pub fn kernel_error_at(
    error: &Error,
    ctx: &Ctx,
    span: Option<Span>,
    point: Option<&Valuation>,
) -> Diagnostic {
    match error {
        Error::Unproved(unproved) => {
            let goal = show::pred(&unproved.ctx, &unproved.goal);
            let refusal = err!(E0290, span, "`{goal}` could not be proved");
            unproved_notes(unproved, point).into_iter().fold(refusal, Diagnostic::note)
        }
        Error::IllTyped(why, _) => {
            err!(E0291, span, "the kernel gives this term no type: {}", type_error(why, ctx))
        }
        Error::NoMatch { rule, wants, .. } => {
            err!(E0292, span, "`{rule}` applies to {wants}, and this is something else")
        }
        Error::MissingLaws { rule, laws, elem } => err!(E0293, span, "`{rule}` does not hold over `{elem}`")
            .note(format!("it needs {laws}, which `{}` does not have", elem.algebra.name)),
        Error::Mismatch(_) | Error::Stray(_) => {
            err!(E0294, span, "the kernel refuses an inference: {error}")
        }
        Error::TooLarge => err!(E0341, span, "a step makes a term that is too large").note(error.to_string()),
    }
}

/// What is known where a goal was not proved, and values for which it is false: those given, or small ones.
pub fn unproved_notes(unproved: &Unproved, point: Option<&Valuation>) -> Vec<String> {
    let mut notes = show::reasons(&unproved.ctx, &unproved.goal, point);
    if let Some(why) = &unproved.refused {
        notes.push(format!(
            "a certificate was found and is wrong: {}; this is a bug of the prover",
            certificate(why)
        ));
    }
    notes
}

/// What is wrong with a certificate.
pub fn certificate(why: &CertError) -> String {
    match why {
        CertError::NoSuchFact(k) => format!("it cites a fact {k}, which is not there"),
        CertError::NotAbsurd(k) => format!("the fact {k} is no contradiction"),
        CertError::NotPositive => "it combines facts with negative factors".to_owned(),
        CertError::NotMultiple => "it divides what is no multiple".to_owned(),
        CertError::DivisorNotPositive => "it divides by what it does not show to be positive".to_owned(),
        CertError::Overflow => "its numbers are too large".to_owned(),
        CertError::TooDeep => "it nests too deeply".to_owned(),
    }
}

/// What a read does at these values: `for N = 3, y = 0: reads img[-1]`.
pub fn read_at(ctx: &Ctx, array: &Expr, ixs: &[Ix], point: &Valuation) -> String {
    let array = match &**array {
        Node::Var(_) => {
            print::print(ctx, array, None, print::Options { style: Style::LINE, ..Default::default() })
        }
        _ => "the tensor".to_owned(),
    };
    let at = |ix: &Ix| value_of(ix, point).map_or_else(|| show::ix(ctx, ix), |v| v.to_string());
    let at: Vec<String> = ixs.iter().map(at).collect();
    format!("for {}: reads {array}[{}]", show::values(ctx, point), at.join(", "))
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
        TypeError::Bundle => "several results stand where a tensor must".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Elem, Label, Laws, Pred, Scalar, Type, Var};
    use std::sync::Arc;

    fn check(goal: fn(Ix, Ix) -> Pred, notes: &[&str]) {
        let mut ctx = Ctx::new();
        let n = ctx.push_size(Label::new("N"));
        let y = ctx.push_loop(Label::new("y"), &Ix::free(n));
        let goal = goal(Ix::free(n), Ix::free(y));
        let error = Error::Unproved(Box::new(Unproved { ctx: ctx.clone(), goal, refused: None }));
        assert_eq!(kernel_error(&error, &ctx, None).notes, notes);
    }

    #[test]
    fn goals_are_shown_in_surface_names() {
        let known = "known here: `0 <= N`, `0 <= y`, `y < N`";
        check(
            |n, y| Pred::in_range(&(y + Ix::ONE), &n),
            &[known, "`0 <= y + 1 < N` is false for N = 1, y = 0"],
        );
        check(|_, y| Pred::le(Ix::ZERO, y), &["known here: `0 <= y`, `y < N`"]);
    }

    #[test]
    fn every_refusal_has_its_code() {
        let elem = Elem { scalar: Scalar::F32, algebra: &atl_semirings::instances::TIMES };
        let e: Expr = Arc::new(Node::Var(Var::Free(0)));
        let unproved = Unproved { ctx: Ctx::new(), goal: Pred::False, refused: None };
        let errors = [
            (Error::Unproved(Box::new(unproved)), "E0290"),
            (Error::IllTyped(TypeError::NotATensor, e.clone()), "E0291"),
            (Error::NoMatch { rule: "sum_one", wants: "a sum", found: e }, "E0292"),
            (Error::MissingLaws { rule: "mul_sum_l", laws: Laws::DISTR_L, elem }, "E0293"),
            (Error::Mismatch("they do not meet"), "E0294"),
        ];
        for (error, code) in errors {
            assert_eq!(kernel_error(&error, &Ctx::new(), None).code.as_str(), code);
        }
    }

    #[test]
    fn a_read_at_a_point() {
        let mut ctx = Ctx::new();
        let (n, y) = (ctx.push_size(Label::new("N")), ctx.push_index(Label::new("y")));
        let elem = Elem { scalar: Scalar::F32, algebra: &atl_semirings::instances::PLUS_TIMES };
        let img = ctx.push_tensor(Label::new("img"), Type { elem, shape: vec![Ix::free(n)] });
        let read = read_at(
            &ctx,
            &Arc::new(Node::Var(Var::Free(img))),
            &[Ix::free(y) - Ix::ONE],
            &vec![(n, 3), (y, 0)],
        );
        assert_eq!(read, "for N = 3, y = 0: reads img[-1]");
    }
}
