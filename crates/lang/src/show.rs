//! Terms in messages: on one line, in the names of a context; and why a goal is not proved there.

use crate::algebra;
use crate::counterexample::{self, Valuation};
use crate::print::{self, Names};
use atl_kernel::{Ctx, Entry, Ix, Pred, Type};
use atl_syntax::{Style, print_expr};

/// At most so many hypotheses are worth reading.
const MAX_HYPOTHESES: usize = 8;

/// An index term.
pub(crate) fn ix(ctx: &Ctx, ix: &Ix) -> String {
    print_expr(&print::index(&Names::of(ctx), ix), Style::LINE)
}

/// A predicate.
pub(crate) fn pred(ctx: &Ctx, p: &Pred) -> String {
    print_expr(&print::predicate(&Names::of(ctx), p), Style::LINE)
}

/// A type, `f32[N, M]`.
pub(crate) fn ty(ctx: &Ctx, ty: &Type) -> String {
    let elem = match algebra::is_variable(ty.elem) {
        true => ty.elem.algebra.name.to_owned(),
        false => ty.elem.to_string(),
    };
    if ty.shape.is_empty() {
        return elem;
    }
    let extents: Vec<String> = ty.shape.iter().map(|n| ix(ctx, n)).collect();
    format!("{elem}[{}]", extents.join(", "))
}

/// The type of the tensor at this level.
pub(crate) fn entry_type(ctx: &Ctx, level: u32) -> String {
    match ctx.entry(level) {
        Some(Entry::Tensor(_, t)) => ty(ctx, t),
        _ => "size".to_owned(),
    }
}

/// What is known of the variables of a goal that was not proved, and values for which it is false: those
/// given, or small ones that are found.
pub(crate) fn reasons(ctx: &Ctx, goal: &Pred, point: Option<&Valuation>) -> Vec<String> {
    let relevant = |p: &Pred| (0..ctx.level()).any(|level| goal.mentions(level) && p.mentions(level));
    let known: Vec<String> = ctx
        .hypotheses()
        .map(|(_, p)| p)
        .filter(|p| relevant(p))
        .take(MAX_HYPOTHESES)
        .map(|p| format!("`{}`", pred(ctx, p)))
        .collect();
    let mut notes = Vec::new();
    if !known.is_empty() {
        notes.push(format!("known here: {}", known.join(", ")));
    }
    if let Some(point) = point.cloned().or_else(|| counterexample::find(ctx, goal)) {
        let (goal, values) = (pred(ctx, goal), values(ctx, &point));
        let at = if values.is_empty() { String::new() } else { format!(" for {values}") };
        notes.push(format!("`{goal}` is false{at}"));
    }
    notes
}

/// The values of variables, `N = 3, y = 0`.
pub(crate) fn values(ctx: &Ctx, point: &Valuation) -> String {
    let names = Names::of(ctx);
    let values: Vec<String> = point.iter().map(|(level, v)| format!("{} = {v}", names.at(*level))).collect();
    values.join(", ")
}
