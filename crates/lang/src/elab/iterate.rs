//! Iterations: `iterate t < n from x = e, y = f until p { s, r } in b`. Without `in`, the value is the
//! states.
//!
//! `until p` is a state in front, `stop`, which is whether `p` holds of the old states; a step keeps its
//! state where it does. So the rounds after the first stop change nothing, and lowering may leave the
//! loop there.

use super::rounds::{Begun, Made, Rounding};
use super::{Elab, Val};
use crate::algebra::ordinary;
use crate::show;
use atl_diag::err;
use atl_kernel::{Child, Elem, Entry, Expr as Term, Ix, Label, Node, Number, Pred, Scalar, Var};
use atl_syntax::ast::{Expr, ExprKind, Name, Rounds};
use std::sync::Arc;

impl Elab<'_> {
    /// An iteration, with the values that it ends in. Where it says none, these are its states.
    pub(super) fn iterate(
        &mut self,
        e: &Expr,
        rounds: &Rounds,
        body: Option<&Expr>,
        wants: &[Option<Elem>],
    ) -> Option<Vec<Val>> {
        let at = self.enter();
        let known = self.results_of.len();
        if let (Some(ExprKind::Name(state)), [Some(want)]) = (body.map(|body| &body.kind), wants) {
            self.results_of.push((state.clone(), want.scalar));
        }
        let begun = self.begin(rounds, of_the_only_state(rounds, wants));
        self.results_of.truncate(known);
        let outside = begun.as_ref().map_or(at.1, Begun::level);
        let stop = rounds.until.as_ref().map(|p| self.condition(outside, rounds, p));
        let inside = self.enter();
        let made = begun.and_then(|begun| match &stop {
            Some(stop) => self.round(rounds, begun, Some(stop.as_ref()?.ty.clone())),
            None => self.round(rounds, begun, None),
        });
        self.leave(inside);
        let lasts = match body {
            Some(body) => self.ends(body, wants),
            None if rounds.states.len() != wants.len() => self.states_where_one_is_needed(e, rounds),
            None => {
                let name = |name: &Name| Expr::new(ExprKind::Name(name.text.clone()), e.span);
                let states = rounds.states.iter().zip(wants);
                states.map(|((state, _), want)| self.value(&name(state), *want)).collect()
            }
        };
        let named = |last: Val| self.named_below(outside, last);
        let lasts = lasts.and_then(|lasts| lasts.into_iter().map(named).collect::<Option<Vec<Val>>>());
        self.leave(at);
        let ((round, mut made), lasts) = (made?, lasts?);
        if let Some(stop) = stop {
            made.insert(0, self.stop(&round, stop?)?);
        }
        let mut extents = lasts.iter().flat_map(|last| &last.ty.shape);
        if let Some(jagged) = extents.find(|n| made.iter().any(|state| state.is_in(n))) {
            return self.report(
                err!(E0231, e.span, "an extent of this iteration's value depends on a state")
                    .label(format!("an extent is `{}`", show::ix(&self.ctx, jagged)))
                    .note("a tensor is a box: its extents are known before it is computed"),
            );
        }
        self.closed(e, &rounds.index, (&round, &made), &lasts)
    }

    /// Reports an iteration of several states that says no value.
    fn states_where_one_is_needed<T>(&mut self, e: &Expr, rounds: &Rounds) -> Option<T> {
        let names: Vec<&str> = rounds.states.iter().map(|(name, _)| name.text.as_str()).collect();
        let (first, all) = (names[0], names.join(", "));
        self.report(
            err!(
                E0300,
                e.span,
                "this iteration ends in {} states, and one value is needed here",
                names.len()
            )
            .help(format!("say which value after the states' steps: `iterate .. {{ .. }} in {first}`"))
            .help(format!("or give each state a name: `let ({all}) = iterate .. {{ .. }};`")),
        )
    }

    /// The condition that ends the rounds, of the old states.
    fn condition(&mut self, outside: u32, rounds: &Rounds, p: &Expr) -> Option<Val> {
        let at = self.enter();
        // The round's index is in scope here so that speaking of it is refused, and not taken for
        // something outside.
        let level = self.ctx.push_index(super::label(&rounds.index.name));
        self.scope.push(super::Bound {
            name: rounds.index.name.text.clone(),
            span: Some(rounds.index.name.span),
            meaning: super::Meaning::Index(Ix::free(level)),
        });
        let truth = ordinary(Scalar::Bool);
        let holds = self.whole(p, Some(truth)).and_then(|holds| self.named_below(outside, holds));
        let speaks_of_round = holds.as_ref().is_some_and(|holds| mentions(&holds.expr, level));
        self.leave(at);
        let holds = holds?;
        if speaks_of_round {
            let name = &rounds.index.name;
            return self.report(
                err!(E0392, p.span, "the condition of `until` speaks of the round `{}`", name.text)
                    .also(name.span, "the round")
                    .note("it depends on the states alone: after the first stop, they stay as they are")
                    .help(format!(
                        "bound the rounds, `{} < min(n, m)`, or let a state count them: `from k = i64(0), .. {{ k + 1, .. }}`",
                        name.text
                    )),
            );
        }
        self.is_truth(&holds, "`until`")?;
        if !holds.ty.shape.is_empty() {
            let ty = show::ty(&self.ctx, &holds.ty);
            return self.report(
                err!(E0243, p.span, "`until` takes one truth value, and this is of type `{ty}`").help(
                    "say whether it holds everywhere, `all i < n { .. }`, or somewhere, `any i < n { .. }`",
                ),
            );
        }
        Some(holds)
    }

    /// The state that says whether the rounds have ended.
    fn stop(&mut self, round: &Rounding, holds: Val) -> Option<Made> {
        let (span, ty) = (holds.spans.span(), holds.ty.clone());
        let init = self.build(Node::Lit(ty.elem, Number::Zero), ty, span, &[])?;
        Some(Made { label: Label::new("stop"), init, step: holds, old: None, new: round.stop })
    }

    /// The state where the rounds have ended, else what the step makes of it.
    pub(super) fn unless_stopped(&mut self, stop: u32, old: u32, next: &Val) -> Option<Val> {
        let Some(Entry::Tensor(_, ty)) = self.ctx.entry(old).cloned() else { return None };
        let p = Pred::eq(Ix::Read(Var::Free(stop), Arc::new([])), Ix::ONE);
        let span = next.spans.span();
        let kept = self.var(old, ty.clone(), span)?;
        let node = Node::Select(p, kept.expr.clone(), next.expr.clone());
        self.build(node, ty, span, &[(&[Child::Then], &kept), (&[Child::Else], next)])
    }
}

/// The type that is wanted of the only state, which is what the rounds end in, or what that is made of.
pub(super) fn of_the_only_state(rounds: &Rounds, wants: &[Option<Elem>]) -> Option<Elem> {
    let one = wants.first().copied().flatten();
    one.filter(|_| rounds.states.len() == 1 && wants.iter().all(|want| *want == one))
}

/// Does the term mention the index at this level?
fn mentions(e: &Term, level: u32) -> bool {
    super::lookup::first_in(e, &|ix| matches!(ix, Ix::Var(Var::Free(l)) if *l == level)).is_some()
}
