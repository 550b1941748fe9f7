//! Rounds: what `iterate` and `scan` have in common.
//!
//! The one idea: the parts of a round are elaborated where they are written: below the old states, the
//! index, the `let`s that steps share, and the new states so far. The kernel has one vector of states,
//! each with its old and its new variable; a shared `let` is a state too, whose old value nobody reads.
//! So terms are made with the levels of the text, and get those of the kernel at the end.

use super::index::Sort;
use super::{Bound, Elab, Meaning, Val, label};
use crate::show;
use atl_diag::err;
use atl_kernel::subst::{Subst, close_all};
use atl_kernel::{Child, Elem, Expr as Term, Iterate, Ix, Label, Node, Number, State, Type, Var};
use atl_syntax::ast::{Binder, Expr, Name, Rounds, Shared};
use std::sync::Arc;

/// Rounds whose states have begun.
pub(super) struct Begun {
    extent: Ix,
    /// What each state begins as, and its level.
    starts: Vec<(Val, u32)>,
}

impl Begun {
    /// The level of the first state.
    pub(super) fn level(&self) -> u32 {
        self.starts.iter().map(|(_, level)| *level).min().unwrap_or(u32::MAX)
    }
}

/// A round, as far as it is not the states'.
pub(super) struct Rounding {
    pub(super) extent: Ix,
    /// The level of the index.
    pub(super) index: u32,
    /// The level of the new `stop`, where there is an `until`.
    pub(super) stop: Option<u32>,
}

/// A state of the kernel's, with the levels that mean it in terms.
pub(super) struct Made {
    pub(super) label: Label,
    pub(super) init: Val,
    pub(super) step: Val,
    /// Its value before a round.
    pub(super) old: Option<u32>,
    /// Its value after it.
    pub(super) new: Option<u32>,
}

impl Made {
    /// Does the index term speak of the state?
    pub(super) fn is_in(&self, ix: &Ix) -> bool {
        self.old.into_iter().chain(self.new).any(|level| ix.mentions(level))
    }
}

impl Elab<'_> {
    /// Elaborates the starts, and binds the states. The caller leaves.
    pub(super) fn begin(&mut self, rounds: &Rounds, want: Option<Elem>) -> Option<Begun> {
        let extent = self.count(&rounds.index);
        let starts: Vec<Option<Val>> = rounds
            .states
            .iter()
            .map(|(name, start)| {
                self.defining.push(name.text.clone());
                let start = self.whole(start, want);
                self.defining.pop();
                start
            })
            .collect();
        let mut begun = Vec::new();
        for ((name, _), start) in rounds.states.iter().zip(starts) {
            match start {
                Some(start) => {
                    let level = self.ctx.push_tensor(label(name), start.ty.clone());
                    self.bind(name, Meaning::Tensor(level));
                    begun.push(Some((start, level)));
                }
                None => {
                    self.bind(name, Meaning::Refused(Sort::Value));
                    begun.push(None);
                }
            }
        }
        Some(Begun { extent: extent?, starts: begun.into_iter().collect::<Option<_>>()? })
    }

    /// How many rounds there are.
    fn count(&mut self, index: &Binder) -> Option<Ix> {
        let name = &index.name.text;
        if let Some(other) = &index.lo {
            return self.report(
                err!(E0116, other.span, "the rounds of an iteration are counted from 0")
                    .help(format!("`{name} < n`, and `{name} + a` for what counts from `a`")),
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
                    .help(format!("`{name} < n`")),
            ),
        }
    }

    /// What a round makes of the `let`s and the states; `stop` is the type of the state that ends the
    /// rounds. The caller leaves.
    pub(super) fn round(
        &mut self,
        rounds: &Rounds,
        begun: Begun,
        stop: Option<Type>,
    ) -> Option<(Rounding, Vec<Made>)> {
        let outside = begun.level();
        let Begun { extent, starts } = begun;
        let index = self.ctx.push_loop(label(&rounds.index.name), &extent);
        self.bind(&rounds.index.name, Meaning::Index(Ix::free(index)));
        let stop = stop.map(|ty| self.ctx.push_tensor(Label::new("stop"), ty));
        let mut made = Vec::new();
        let mut fine = Some(());
        for shared in &rounds.lets {
            fine = self.shared(outside, shared, &mut made).and(fine);
        }
        for (((name, _), (start, old)), step) in rounds.states.iter().zip(starts).zip(&rounds.steps) {
            let ty = start.ty.clone();
            let next = self.whole(step, Some(ty.elem));
            let next = next.filter(|next| self.keeps_type(name, &ty, &start, next).is_some());
            let next = next.and_then(|next| match stop {
                Some(stop) => self.unless_stopped(stop, old, &next),
                None => Some(next),
            });
            let next = next.and_then(|next| self.named_below(outside, next));
            let new = self.ctx.push_tensor(label(name), ty);
            self.means(&format!("{}.new", name.text), new);
            match next {
                Some(step) => {
                    made.push(Made { label: label(name), init: start, step, old: Some(old), new: Some(new) });
                }
                None => fine = None,
            }
        }
        fine?;
        Some((Rounding { extent, index, stop }, made))
    }

    /// A name that no text gives, and that hides nothing.
    pub(super) fn means(&mut self, name: &str, level: u32) {
        self.scope.push(Bound { name: name.to_owned(), span: None, meaning: Meaning::Tensor(level) });
    }

    /// A `let` that all steps read.
    fn shared(&mut self, outside: u32, shared: &Shared, made: &mut Vec<Made>) -> Option<()> {
        let storage = self.storage(&shared.attributes);
        let [name] = &shared.names[..] else { return self.shared_parts(outside, shared, made) };
        if self.sort(&shared.value) == Sort::Index {
            let meaning = self.index(&shared.value).map_or(Meaning::Refused(Sort::Index), Meaning::Index);
            self.bind(name, meaning);
            return Some(());
        }
        let value = self.bound_value(name, &shared.value);
        let Some(value) = value.and_then(|value| self.named_below(outside, value)) else {
            self.bind(name, Meaning::Refused(Sort::Value));
            return None;
        };
        let label = Label { storage: storage.unwrap_or_default(), ..label(name) };
        let level = self.share(outside, label, value, made);
        self.bind(name, level.map_or(Meaning::Refused(Sort::Value), Meaning::Tensor));
        level.and(storage).map(|_| ())
    }

    /// Names for several results that all steps read.
    fn shared_parts(&mut self, outside: u32, shared: &Shared, made: &mut Vec<Made>) -> Option<()> {
        let Some((chain, parts)) = self.named_results(&shared.names, &shared.value) else {
            for name in &shared.names {
                self.bind(name, Meaning::Refused(Sort::Value));
            }
            return None;
        };
        // What the function computes on the way has its levels already.
        for (label, level, value) in chain {
            let step = self.named_below(outside, value)?;
            let init = self.unshaped(outside, &step)?;
            made.push(Made { label, init, step, old: None, new: Some(level) });
        }
        for (name, part) in shared.names.iter().zip(parts) {
            let part = self.named_below(outside, part)?;
            let level = self.share(outside, label(name), part, made)?;
            self.bind(name, Meaning::Tensor(level));
        }
        Some(())
    }

    fn share(&mut self, outside: u32, label: Label, step: Val, made: &mut Vec<Made>) -> Option<u32> {
        let init = self.unshaped(outside, &step)?;
        let level = self.ctx.push_tensor(label.clone(), step.ty.clone());
        made.push(Made { label, init, step, old: None, new: Some(level) });
        Some(level)
    }

    /// What a `let` of the round begins as: nobody reads it. Its extents are those of all rounds.
    fn unshaped(&mut self, outside: u32, val: &Val) -> Option<Val> {
        let inside = |n: &&Ix| (outside..self.ctx.level()).any(|level| n.mentions(level));
        if let Some(jagged) = val.ty.shape.iter().find(inside) {
            return self.report(
                err!(E0231, val.spans.span(), "an extent of what the steps share depends on the round")
                    .label(format!("an extent is `{}`", show::ix(&self.ctx, jagged)))
                    .note("it is kept where every round stores it, and a tensor is a box")
                    .help("make it as large as the largest, and guard what is beyond"),
            );
        }
        self.zeros(&val.ty.clone(), val.spans.span())
    }

    /// A tensor of zeros.
    pub(super) fn zeros(&mut self, ty: &Type, span: atl_diag::Span) -> Option<Val> {
        let zero: Term = Arc::new(Node::Lit(ty.elem, Number::Zero));
        let mut val = self.build(Node::clone(&zero), Type { elem: ty.elem, shape: Vec::new() }, span, &[])?;
        for (axis, n) in ty.shape.iter().enumerate().rev() {
            let of = Type { elem: ty.elem, shape: ty.shape[axis..].to_vec() };
            let name = Label::new(["i", "j", "k", "l"][axis.min(3)]);
            val = self.build(
                Node::Gen(name, n.clone(), val.expr.clone()),
                of,
                span,
                &[(&[Child::Body], &val)],
            )?;
        }
        Some(val)
    }

    /// The value with names for the elements that it reads in its indices, whatever was bound from this
    /// level on.
    pub(super) fn named_below(&mut self, outside: u32, val: Val) -> Option<Val> {
        (outside..self.ctx.level()).rev().try_fold(val, |val, level| self.named_reads(level, val))
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

    /// The rounds, with each of the values that they end in; the steps are below the states, the new states
    /// before their own, and the index.
    pub(super) fn closed(
        &mut self,
        e: &Expr,
        index: &Binder,
        (round, made): (&Rounding, &[Made]),
        lasts: &[Val],
    ) -> Option<Vec<Val>> {
        let count = u32::try_from(made.len()).ok()?;
        let base = self.ctx.level();
        let var = |level: u32| -> Term { Arc::new(Node::Var(Var::Free(level))) };
        let olds: Vec<(u32, Term)> =
            (base..).zip(made).filter_map(|(level, state)| Some((state.old?, var(level)))).collect();
        let news: Vec<Option<(u32, Term)>> =
            (base + count..).zip(made).map(|(level, state)| Some((state.new?, var(level)))).collect();
        let mut states = Vec::new();
        for (k, state) in (0..count).zip(made) {
            let mut place = Subst::default();
            place.tensor.extend(olds.iter().cloned());
            place.tensor.extend(news[..k as usize].iter().flatten().cloned());
            place.index.push((round.index, Ix::free(base + count + k)));
            let step = close_all(&place.expr(&state.step.expr), base, count + k + 1);
            states.push(State { label: state.label.clone(), init: state.init.expr.clone(), step });
        }
        let mut place = Subst::default();
        place.tensor.extend(olds);
        let inits = (0..).zip(made).map(|(k, state)| ([Child::Init(k)], &state.init));
        let steps = (0..).zip(made).map(|(k, state)| ([Child::Step(k)], &state.step));
        let inside: Vec<([Child; 1], &Val)> = inits.chain(steps).collect();
        let mut ends = Vec::new();
        for last in lasts {
            let body = close_all(&place.expr(&last.expr), base, count);
            let (label, extent) = (label(&index.name), round.extent.clone());
            let node = Iterate { label, extent, states: states.clone(), body };
            let inside = inside.iter().map(|(at, val)| (&at[..], *val));
            let below: Vec<(&[Child], &Val)> = inside.chain([(&[Child::Body][..], last)]).collect();
            ends.push(self.build(Node::Iterate(Arc::new(node)), last.ty.clone(), e.span, &below)?);
        }
        Some(ends)
    }
}
