//! Iterations: `iterate t < n from x = e, y = f { s, r } in b`.
//!
//! All steps read the old states. In the kernel a step may read the new states before its own too, and stands
//! below their variables; no name means these here.

use super::index::Sort;
use super::{Elab, Meaning, Val, label};
use crate::show;
use atl_diag::err;
use atl_kernel::{Child, Elem, Iterate, Label, Node, State, Type, subst};
use atl_syntax::ast::{Binder, Expr, Name};
use std::sync::Arc;

impl Elab<'_> {
    /// An iteration. Where it has no value of its own, its only state is wanted.
    pub(super) fn iterate(
        &mut self,
        e: &Expr,
        index: &Binder,
        states: &[(Name, Expr)],
        steps: &[Expr],
        body: Option<&Expr>,
        want: Option<Elem>,
    ) -> Option<Val> {
        let extent = self.rounds(index);
        let starts: Vec<Option<Val>> = states
            .iter()
            .map(|(name, start)| {
                self.defining.push(name.text.clone());
                let start = self.whole(start, if body.is_none() { want } else { None });
                self.defining.pop();
                start
            })
            .collect();
        let at = self.enter();
        for ((name, _), start) in states.iter().zip(&starts) {
            match start {
                Some(start) => {
                    let level = self.ctx.push_tensor(label(name), start.ty.clone());
                    self.bind(name, Meaning::Tensor(level));
                }
                None => self.bind(name, Meaning::Refused(Sort::Value)),
            }
        }
        let (Some(extent), Some(starts)) = (extent, starts.into_iter().collect::<Option<Vec<Val>>>()) else {
            self.leave(at);
            return None;
        };
        let made: Vec<Option<Val>> =
            (0..steps.len()).map(|k| self.step((index, &extent), states, &starts, k, &steps[k])).collect();
        let last = match body {
            Some(body) => self.whole(body, want),
            None => self.value(&Expr { span: e.span, ..state(&states[0].0) }, want),
        };
        let last = last.and_then(|last| self.over_states(at.1, states.len(), last));
        self.leave(at);
        let (made, last) = (made.into_iter().collect::<Option<Vec<Val>>>()?, last?);
        if let Some(jagged) =
            last.ty.shape.iter().find(|n| (0..states.len()).any(|k| n.mentions(at.1 + k as u32)))
        {
            return self.report(
                err!(E0231, e.span, "an extent of this iteration's value depends on a state")
                    .label(format!("an extent is `{}`", show::ix(&self.ctx, jagged)))
                    .note("a tensor is a box: its extents are known before it is computed"),
            );
        }
        self.closed(e, (index, extent), states, (&starts, &made, &last), at.1)
    }

    /// How many rounds there are.
    fn rounds(&mut self, index: &Binder) -> Option<atl_kernel::Ix> {
        if let Some(other) = &index.lo {
            return self.report(
                err!(E0116, other.span, "the rounds of an iteration are counted from 0").help(format!(
                    "`iterate {} < n`, and `{} + a` for what counts from `a`",
                    index.name.text, index.name.text
                )),
            );
        }
        if let Some(a) = index.attributes.first() {
            return self.report(
                err!(E0244, a.span, "there is no attribute `@{}` of this form here", a.name.text)
                    .help("rounds follow one another; loops inside a step take attributes"),
            );
        }
        match &index.hi {
            Some(hi) => self.index(hi),
            None => self.report(
                err!(E0255, index.span, "nothing says how many rounds there are")
                    .help(format!("`iterate {} < n`", index.name.text)),
            ),
        }
    }

    /// What a round makes of a state, in the context that the kernel has there.
    fn step(
        &mut self,
        (index, extent): (&Binder, &atl_kernel::Ix),
        states: &[(Name, Expr)],
        starts: &[Val],
        k: usize,
        step: &Expr,
    ) -> Option<Val> {
        let at = self.enter();
        for start in &starts[..k] {
            self.ctx.push_tensor(Label::default(), start.ty.clone());
        }
        let level = self.ctx.push_loop(label(&index.name), extent);
        self.bind(&index.name, Meaning::Index(atl_kernel::Ix::free(level)));
        let (name, ty) = (&states[k].0, &starts[k].ty);
        let next = self.whole(step, Some(ty.elem)).and_then(|next| self.named_reads(level, next));
        let states_from = level - u32::try_from(states.len() + k).unwrap_or(u32::MAX);
        let next = next.and_then(|next| self.over_states(states_from, states.len(), next));
        let next = next.filter(|next| self.keeps_type(name, ty, &starts[k], next).is_some());
        self.leave(at);
        next
    }

    /// The value with names for the elements of states that it reads in its indices.
    fn over_states(&mut self, level: u32, states: usize, val: Val) -> Option<Val> {
        let levels = level..level + u32::try_from(states).unwrap_or(0);
        levels.rev().try_fold(val, |val, level| self.named_reads(level, val))
    }

    /// A step has the type of its state.
    fn keeps_type(&mut self, name: &Name, ty: &Type, start: &Val, next: &Val) -> Option<()> {
        self.expect_elem(next, ty.elem, &format!("the state `{}`", name.text))?;
        let same = ty.shape.len() == next.ty.shape.len()
            && ty.shape.iter().zip(&next.ty.shape).all(|(m, n)| self.same_ix(m, n));
        if same {
            return Some(());
        }
        let (was, is) = (show::ty(&self.ctx, ty), show::ty(&self.ctx, &next.ty));
        self.report(
            err!(E0232, next.spans.span(), "the state `{}` is `{was}`, and its step is `{is}`", name.text)
                .also(start.spans.span(), format!("it begins as `{was}`"))
                .note("a state has one shape for all rounds: what a round makes of it is as large as it was"),
        )
    }

    /// The term, with its steps below the states, the new states before their own, and the index.
    fn closed(
        &mut self,
        e: &Expr,
        (index, extent): (&Binder, atl_kernel::Ix),
        states: &[(Name, Expr)],
        (starts, steps, last): (&[Val], &[Val], &Val),
        level: u32,
    ) -> Option<Val> {
        let count = u32::try_from(states.len()).ok()?;
        let mut terms = Vec::new();
        for (k, (((name, _), start), step)) in (0..).zip(states.iter().zip(starts).zip(steps)) {
            let step = subst::close_all(&step.expr, level, count + k + 1);
            terms.push(State { label: label(name), init: start.expr.clone(), step });
        }
        let body = subst::close_all(&last.expr, level, count);
        let node = Iterate { label: label(&index.name), extent, states: terms, body };
        let inits = (0..).zip(starts).map(|(k, val)| ([Child::Init(k)], val));
        let rounds = (0..).zip(steps).map(|(k, val)| ([Child::Step(k)], val));
        let below: Vec<([Child; 1], &Val)> = inits.chain(rounds).chain([([Child::Body], last)]).collect();
        let below: Vec<(&[Child], &Val)> = below.iter().map(|(at, val)| (&at[..], *val)).collect();
        self.build(Node::Iterate(Arc::new(node)), last.ty.clone(), e.span, &below)
    }
}

/// A state as an expression.
fn state(name: &Name) -> Expr {
    Expr::new(atl_syntax::ast::ExprKind::Name(name.text.clone()), name.span)
}
