//! Iterations by pairs of rounds: `crates/recheck/src/program/pairs.rs` says what is shown of them.

use super::place::Place;
use super::rounds::{Home, is_named};
use super::states::stored_to;
use super::step::{Arg, Evidence, Step};
use super::words::{ix, list, mismatch};
use super::{Kind, Lowering, Target};
use crate::error::{Refusal, Result};
use crate::raw;
use crate::scope::Scope;
use atl_kernel::{Cmp, Iterate, Ix, IxOp, Label, Pred};
use atl_loops::{Bool, Int, LoopKind, Name, Stmt};
use std::sync::Arc;

/// The statements of an iteration by pairs of rounds.
pub(super) struct Pairs<'a> {
    cond: &'a Bool,
    /// The starts for an odd number of rounds, and for an even one.
    starts: [&'a [Stmt]; 2],
    pairs: Loop<'a>,
    /// The first rounds of pairs, and the others.
    rounds: [Loop<'a>; 2],
    /// What the rounds are: the loop over pairs.
    whole: &'a Stmt,
    left: &'a [Stmt],
}

/// A loop in order.
struct Loop<'a> {
    var: &'a Name,
    lo: &'a Int,
    hi: &'a Int,
    body: &'a [Stmt],
}

fn in_order(stmt: &Stmt) -> Option<Loop<'_>> {
    match stmt {
        Stmt::For { var, lo, hi, kind: LoopKind::Serial, body } => {
            Some(Loop { var, lo, hi, body: list(body) })
        }
        _ => None,
    }
}

/// Are they the statements of these rounds, by pairs?
pub(super) fn by_pairs<'a>(stmts: &'a [Stmt], it: &Iterate) -> Option<Pairs<'a>> {
    let [Stmt::If { cond, then, otherwise: Some(otherwise) }, whole, left @ ..] = stmts else { return None };
    let pairs = in_order(whole)?;
    let [away, back] = pairs.body else { return None };
    let rounds = [in_order(away)?, in_order(back)?];
    let are_named = rounds.iter().all(|round| is_named(round.var, &it.label.name));
    are_named.then_some(Pairs { cond, starts: [list(then), list(otherwise)], pairs, rounds, whole, left })
}

fn eq(a: &Ix, b: &Ix) -> Pred {
    Pred::Cmp(Cmp::Eq, a.clone(), b.clone())
}

fn or(p: Pred, q: Pred) -> Pred {
    Pred::Or(Arc::new((p, q)))
}

fn after(ix: &Ix) -> Ix {
    raw::bin(IxOp::Add, ix.clone(), Ix::ONE)
}

impl Lowering<'_, '_> {
    pub(super) fn paired(
        &mut self,
        scope: &mut Scope,
        of: &Pairs<'_>,
        it: &Iterate,
        (shape, to): (&[Ix], &Target),
    ) -> Result<super::fill::Filled> {
        if to.update.is_some() {
            return mismatch("pairs of rounds of a state around");
        }
        let (homes, evidence) = self.two_homes(scope, of, it, (shape, to))?;
        let mut args = vec![Arg::from(evidence)];
        let last = raw::bin(IxOp::Max, it.extent.clone(), Ix::ZERO);
        let is_odd = eq(&raw::bin(IxOp::Mod, last.clone(), Ix::Lit(2)), &Ix::ONE);
        let (_, reads, alike) = self.decided_by(scope, of.cond, &is_odd)?;
        args.extend([reads.into(), alike.into()]);
        let mut begun = Vec::new();
        for ((given, stmts), homes) in
            [is_odd.clone(), raw::not(&is_odd)].iter().zip(of.starts).zip([&homes[1], &homes[0]])
        {
            begun.push(self.assuming(scope, given, |this, scope| this.starts(scope, stmts, it, homes))?);
        }
        args.push(it.states.len().into());
        for ((odd, even), [first, second]) in begun
            .remove(0)
            .into_iter()
            .zip(begun.remove(0))
            .zip(homes[0].iter().zip(&homes[1]).map(|(first, second)| [first, second]))
        {
            args.extend(self.begun(first, even)?);
            let [fills, buffer, _, _, count, how] = self.begun(second, odd)?;
            args.extend([fills, buffer, count, how]);
        }
        args.push(self.are_rounds(scope, of, (&last, &is_odd))?);
        args.push(2usize.into());
        args.extend(self.two_rounds(scope, of, it, &homes)?);
        args.push(self.after_rounds(scope, of.left, (it, &homes[0]), (shape, to))?.1.into());
        Ok((Vec::new(), Step { name: "Paired", args }))
    }

    /// The first and the second buffers of the states, and evidence that there is room.
    fn two_homes(
        &mut self,
        scope: &mut Scope,
        of: &Pairs<'_>,
        it: &Iterate,
        (shape, to): (&[Ix], &Target),
    ) -> Result<([Vec<Home>; 2], Vec<Evidence>)> {
        let stmts: Vec<Stmt> = of.starts[1].iter().chain([of.whole]).cloned().collect();
        let [away, back] = of.rounds.each_ref().map(|round| stored_to(round.body));
        let (mut first, mut second, mut names, mut evidence) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for k in 0..it.states.len() {
            let (home, asked) = self.home(scope, (it, k), (&stmts, &names), (shape, to))?;
            names.push(home.to.buf.clone());
            evidence.extend(asked);
            let next = format!("{}_next", it.states[k].label.name);
            let other = self
                .scratch
                .iter()
                .position(|(name, _)| is_named(name, &next) && away.contains(name) && !back.contains(name));
            second.push(match other {
                Some(at) => {
                    let (buf, extents) = self.scratch.remove(at);
                    evidence.extend(self.same_room(scope, &extents, &home.ty.shape)?);
                    names.push(buf.clone());
                    let place = Place::whole(&home.ty.shape);
                    let to = Target { buf, elem: home.ty.elem, place, kind: Kind::Unset, update: None };
                    Home { to, ..home.clone() }
                }
                None => home.clone(),
            });
            first.push(home);
        }
        Ok(([first, second], evidence))
    }

    /// How the states begin: whether they are filled, of how many statements, and how.
    fn starts(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        it: &Iterate,
        homes: &[Home],
    ) -> Result<Vec<(bool, usize, Step)>> {
        let (mut left, mut begun) = (stmts, Vec::new());
        for (k, home) in homes.iter().enumerate() {
            let count = self.begins_with(scope, left, it, (k, home))?;
            let (own, rest) = left.split_at_checked(count).ok_or(Refusal::Loops("a state".to_owned()))?;
            left = rest;
            let (fills, (_, how)) = self.start(scope, own, &it.states[k].init, (home, None))?;
            begun.push((fills, count, how));
        }
        if left.is_empty() { Ok(begun) } else { mismatch("the starts of states") }
    }

    /// Evidence that the loops over pairs, and over the rounds of one, are over this many rounds.
    fn are_rounds(&mut self, scope: &mut Scope, of: &Pairs<'_>, (last, is_odd): (&Ix, &Pred)) -> Result<Arg> {
        let (_, mut row, from) = self.given(scope, of.pairs.lo, &Ix::ZERO)?;
        row.push(from);
        let count = ix(&self.names, of.pairs.hi)?;
        let none = raw::and(eq(last, &Ix::ZERO), raw::not(is_odd));
        row.push(self.shown(scope, &or(Pred::Cmp(Cmp::Lt, Ix::ZERO, count.clone()), none))?);
        let label = Label::new("pair");
        let [away, back] = &of.rounds;
        let (_, more) = self.entering(scope, &label, &count, Some(of.pairs.var), |this, scope, level| {
            let [a, b, again, c] = [away.lo, away.hi, back.lo, back.hi].map(|bound| ix(&this.names, bound));
            let (a, b, again, c, p) = (a?, b?, again?, c?, Ix::free(level));
            let is_first = eq(&p, &Ix::ZERO);
            let is_alone = raw::and(is_first.clone(), is_odd.clone());
            let mut row = vec![this.equal(scope, &again, &b)?, this.equal(scope, &c, &after(&b))?];
            for goal in [
                or(raw::not(&is_first), eq(&a, &Ix::ZERO)),
                or(raw::not(&is_alone), eq(&b, &a)),
                or(is_alone, eq(&b, &after(&a))),
                or(raw::not(&eq(&after(&p), &count)), eq(&c, last)),
            ] {
                row.push(this.shown(scope, &goal)?);
            }
            // The next pair.
            let other = scope.level();
            scope.push_loop(&label, &count);
            let own = this.names.vars.insert(of.pairs.var.clone(), other);
            let goes_on = ix(&this.names, away.lo);
            if let Some(own) = own {
                this.names.vars.insert(of.pairs.var.clone(), own);
            }
            let goes_on = goes_on?;
            row.push(this.assuming(scope, &eq(&Ix::free(other), &after(&p)), |this, scope| {
                this.equal(scope, &goes_on, &c)
            })?);
            scope.truncate(other);
            Ok(row)
        })?;
        row.extend(more);
        Ok(Arg::Row(row))
    }

    /// What the two rounds of a pair make.
    fn two_rounds(
        &mut self,
        scope: &mut Scope,
        of: &Pairs<'_>,
        it: &Iterate,
        [first, second]: &[Vec<Home>; 2],
    ) -> Result<Vec<Arg>> {
        let count = ix(&self.names, of.pairs.hi)?;
        let label = Label::new("pair");
        let (_, made) = self.entering(scope, &label, &count, Some(of.pairs.var), |this, scope, _| {
            let mut made = Vec::new();
            for (round, homes) in of.rounds.iter().zip([[first, second], [second, first]]) {
                let (lo, hi) = (ix(&this.names, round.lo)?, ix(&this.names, round.hi)?);
                let (_, (_, more)) =
                    this.entering(scope, &it.label, &it.extent, Some(round.var), |this, scope, level| {
                        let t = Ix::free(level);
                        let within = [(&lo, &t, Cmp::Le), (&t, &hi, Cmp::Lt)]
                            .map(|(a, b, cmp)| Pred::Cmp(cmp, a.clone(), b.clone()));
                        let [from, to] = within;
                        scope.push_hyp(&raw::and(from, to));
                        this.round(scope, round.body, (it, homes.map(|homes| &homes[..])), level)
                    })?;
                made.extend(more);
            }
            Ok(made)
        })?;
        Ok(made)
    }
}
