//! `assume p`: a precondition of the schedule, checked at every call.
//!
//! **Statement.** The same term; `p` becomes a hypothesis of the schedule's theorem, as in the function's
//! `where` clause. If `p` fixes a size, as `P == 8` does, the number replaces the size from then on, unless a
//! division by zero would result.
//! **Requires.** `p` is about sizes. It holds for the whole schedule, wherever the step is written.
//! **Fails when.** `p` mentions anything but sizes, or the step is inside another. A call with sizes for
//! which `p` is false is refused, and the message points at the step.
//! **Example.** `assume N % 8 == 0; split i by 8` leaves no tail.
//! **See also.** `where` on functions, which holds for every schedule.

use crate::args::Args;
use crate::command::Command;
use crate::refusal::{Refusal, RefusedAt, wrong_arguments};
use atl_diag::{Span, err};
use atl_kernel::{Cmp, Ctx, Error, Expr, Ix, Pred, Prover, Rule, Var, subst};
use atl_rules::conjuncts::conjuncts;
use atl_rules::{Cx, Step as Conversion};
use atl_syntax::ast::Step;

/// See the module.
pub static COMMAND: Command = Command {
    name: "assume",
    usage: "assume p",
    equation: "the same term, with `p` among the theorem's hypotheses",
    run: |session, step| {
        let p = predicate(&session.cx.ctx.clone(), step, session.cx.prover)?;
        if !session.cx.ctx.hypotheses().any(|(_, q)| *q == p) {
            return Err(Box::new(
                err!(E0355, step.span, "`assume` stands among a schedule's own steps")
                    .label("inside another step it assumes nothing")
                    .help("move it to the beginning of the schedule"),
            ));
        }
        let mut thm = session.cx.refl(&session.body.clone());
        for (level, n) in conjuncts(&p).iter().filter_map(number) {
            thm = thm.and_then(|thm| session.cx.then(thm, |cx, e| told(cx, e, level, &n)));
        }
        thm.refused_at(step.span)
    },
};

/// The term with the number in the place of the size.
fn told(cx: &mut Cx<'_>, e: &Expr, level: u32, n: &Ix) -> Conversion {
    let told = subst::instantiate(&subst::close(e, level), n);
    if told == *e {
        return Ok(None);
    }
    match cx.rule(Rule::ArithEq(told), e) {
        // Where something would be divided by zero, the size keeps its name.
        Err(Error::Unproved(_)) => Ok(None),
        thm => thm.map(Some),
    }
}

/// The size that an equation says, and its number.
fn number(p: &Pred) -> Option<(u32, Ix)> {
    match p {
        Pred::Cmp(Cmp::Eq, Ix::Var(Var::Free(level)), n @ Ix::Lit(_))
        | Pred::Cmp(Cmp::Eq, n @ Ix::Lit(_), Ix::Var(Var::Free(level))) => Some((*level, n.clone())),
        _ => None,
    }
}

/// What the steps of a schedule assume, with where they say so.
///
/// # Errors
/// An assumption that is no predicate over sizes.
pub fn assumptions(ctx: &Ctx, steps: &[Step], prover: &mut dyn Prover) -> Result<Vec<(Pred, Span)>, Refusal> {
    let stated = steps.iter().filter(|step| step.name.text == COMMAND.name);
    stated.map(|step| Ok((predicate(ctx, step, prover)?, step.span))).collect()
}

/// The predicate of a step.
fn predicate(ctx: &Ctx, step: &Step, prover: &mut dyn Prover) -> Result<Pred, Refusal> {
    Args::new(step, COMMAND.usage, &[])?;
    let [arg] = step.args.as_slice() else { return Err(wrong_arguments(step.span, COMMAND.usage)) };
    if arg.name.is_some() {
        return Err(wrong_arguments(arg.span, COMMAND.usage));
    }
    atl_lang::predicate_in(ctx, &arg.value, prover).map_err(|mut found| match found.is_empty() {
        true => wrong_arguments(arg.span, COMMAND.usage),
        false => Box::new(found.remove(0)),
    })
}
