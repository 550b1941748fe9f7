//! The refusals of steps, and the words that they share.

use atl_diag::spelling::distance;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Ctx, Entry, Error, Pred, Result as Kernel, Unproved};
use atl_lang::print::print_pred;
use atl_syntax::Style;

/// A refusal of a step.
pub type Refusal = Box<Diagnostic>;

/// "`a`, `b` and `c`".
pub(crate) fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_string(),
        [one] => format!("`{one}`"),
        [most @ .., last] => {
            let most: Vec<_> = most.iter().map(|n| format!("`{n}`")).collect();
            format!("{} and `{last}`", most.join(", "))
        }
    }
}

/// How to see the program that a refused step was given.
pub(crate) const BEFORE: &str =
    "`atl explain FILE --schedule NAME` prints the program that this step was given";

/// Advice for a misspelt name.
pub(crate) fn closest(name: &str, known: &[String]) -> String {
    let parts: Vec<String> = known.iter().filter(|k| k.starts_with(&format!("{name}."))).cloned().collect();
    if !parts.is_empty() {
        return format!("`{name}` was split: there are {}", list(&parts));
    }
    match known.iter().map(|k| (distance(name, k), k)).min() {
        Some((d, k)) if d <= 2 && d < name.len() => format!("did you mean `{k}`?"),
        _ => BEFORE.to_owned(),
    }
}

/// What the kernel yields, in a step: its refusals get the place of the step.
pub(crate) trait RefusedAt<T> {
    /// The value, or the refusal of the step at this place.
    fn refused_at(self, span: Span) -> Result<T, Refusal>;
}

impl<T> RefusedAt<T> for Kernel<T> {
    fn refused_at(self, span: Span) -> Result<T, Refusal> {
        self.map_err(|error| refused(span, &error))
    }
}

/// A kernel's refusal, at the step that asked.
pub(crate) fn refused(span: Span, error: &Error) -> Refusal {
    let refusal = atl_lang::kernel_error(error, &Ctx::new(), Some(span));
    Box::new(match error {
        Error::Unproved(unproved) => refusal.label("this step needs it").help(match missing(unproved) {
            Some(goal) => format!(
                "if it is meant to hold, state it after the function's result type: `where {goal}`; each call is then checked"
            ),
            None => "the guards and loops around this place do not imply it: choose other factors, or guard it".to_owned(),
        }),
        Error::MissingLaws { .. } => refusal
            .label("this step uses it")
            .help("only steps whose laws hold in the program's algebra may be used on it"),
        Error::NoMatch { .. } => refusal.label("there is nothing of this form here"),
        _ => refusal.label("the step does not apply here"),
    })
}

/// The goal, if it could be a precondition: it speaks of the function's sizes alone, and can hold.
fn missing(unproved: &Unproved) -> Option<String> {
    let Unproved { ctx, goal, .. } = unproved;
    let head = ctx.entries().position(|entry| matches!(entry, Entry::Tensor(..)))?;
    let later = (0..ctx.level()).skip(head).any(|level| goal.mentions(level));
    let earlier = (0..ctx.level()).take(head).any(|level| goal.mentions(level));
    let possible = atl_lang::counterexample::find(ctx, &Pred::not(goal.clone())).is_some();
    (earlier && !later && possible).then(|| print_pred(ctx, goal, Style::LINE))
}

/// A step whose arguments do not have the form of its command.
pub(crate) fn wrong_arguments(span: Span, usage: &str) -> Refusal {
    Box::new(
        err!(E0306, span, "wrong arguments for this directive")
            .label("these arguments")
            .help(format!("the form is `{usage}`")),
    )
}
