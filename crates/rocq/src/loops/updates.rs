//! What a round makes of a state where it is: the steps for stores to some cells, and to no others.
//!
//! It goes as lowering does (`atl_lower`, `in_place/update.rs`), whose view of such terms it shares.

use super::fill::{Filled, branch};
use super::place::Layer;
use super::round_loops::{half, loops_over};
use super::states::element;
use super::step::{Arg, Step, step};
use super::words::{ix, list, mismatch, pred};
use super::{Lowering, Target};
use crate::error::Result;
use crate::raw;
use crate::scope::Scope;
use atl_kernel::{Cmp, Expr, Ix, IxOp, Label, Node, Pred, subst};
use atl_loops::{Bool, Int, LoopKind, Stmt, StoreMode};
use atl_lower::updates::{Bound, Cells, bound, choice, only_where, solved};
use std::collections::BTreeMap;

/// A loop of the term: its label, how many iterations it has, and its body.
type Over<'a> = (&'a Label, &'a Ix, &'a Expr);

impl Lowering<'_, '_> {
    /// The statements' texts, and how they make `e` of cells that are updated.
    pub(super) fn updated(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        match (&**e, stmts) {
            (Node::Let(label, value, body), _) => {
                self.uncovered("a temporary of a round's update")?;
                self.bound(scope, stmts, (label, value, body), shape, to)
            }
            (Node::Iterate(it), _) => {
                self.uncovered("rounds within a round's update")?;
                self.iterated(scope, stmts, it, shape, to)
            }
            (_, []) => Ok((Vec::new(), self.stays(scope, e, shape, to)?)),
            (_, [Stmt::Store { .. }]) if shape.is_empty() => {
                if let Ok((text, how)) = self.attempt(scope, |this, scope| this.store(scope, stmts, e, to)) {
                    return Ok((vec![text], how));
                }
                self.chosen(scope, stmts, e, shape, to)
            }
            (Node::Gen(label, n, body), _) => self.over(scope, stmts, (label, n, body), shape, to),
            (Node::Select(..), _) => self.chosen(scope, stmts, e, shape, to),
            (Node::Op(definition, ..), _) if definition.name == "concat" => {
                self.uncovered("two operands of which a state is made")?;
                Ok((Vec::new(), self.parts_of(scope, stmts, e, shape, to)?))
            }
            _ => mismatch("a state that is updated"),
        }
    }

    /// What Rocq's library has no step for is refused in an export to it.
    pub(super) fn uncovered(&self, what: &str) -> Result<()> {
        if self.has_one_type { mismatch(what) } else { Ok(()) }
    }

    /// Nothing is stored.
    fn stays(&mut self, scope: &mut Scope, e: &Expr, shape: &[Ix], to: &Target) -> Result<Step> {
        let index: Vec<Ix> = (0..shape.len() as u32).map(|k| Ix::free(super::states::ELEMENT + k)).collect();
        if element(e, &index).is_some_and(|(level, _)| self.is_in_buffer(level, to)) {
            return self.unchanged(scope, (e, true), shape, to);
        }
        if let Node::Select(..) = &**e
            && let Ok(how) = self.attempt(scope, |this, scope| this.chosen(scope, &[], e, shape, to))
        {
            return Ok(how.1);
        }
        if let Ok(how) = self.attempt(scope, |this, scope| this.unchanged(scope, (e, false), shape, to)) {
            return Ok(how);
        }
        match &**e {
            Node::Gen(label, n, body) => {
                let none = (&Ix::ZERO, &Ix::ZERO, "up");
                Ok(self.swept(scope, &[], (label, n, body), none, shape, to)?.1)
            }
            _ => mismatch("a cell that stays as it is"),
        }
    }

    /// A choice: by a condition, or by what is known.
    fn chosen(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        let Node::Select(p, a, b) = &**e else { return mismatch("a choice") };
        let not = raw::not(p);
        if let [Stmt::If { cond, then, otherwise }] = stmts {
            let otherwise = otherwise.as_deref().map_or(&[][..], list);
            for (name, first, second, a, b) in
                [("Selected", p, &not, a, b), ("Selected_other", &not, p, b, a)]
            {
                let asked = self.attempt(scope, |this, scope| this.decided_by(scope, cond, first));
                let Ok((text, reads, alike)) = asked else { continue };
                // The other branch has the contrary of what the first one has.
                let second = if name == "Selected" { second.clone() } else { raw::not(first) };
                let then =
                    self.assuming(scope, first, |this, scope| this.updated(scope, list(then), a, shape, to))?;
                let otherwise = self
                    .assuming(scope, &second, |this, scope| this.updated(scope, otherwise, b, shape, to))?;
                let how = step!(name, reads, alike, then.1, otherwise.1);
                return Ok((vec![branch(&text, &then.0, &otherwise.0)], how));
            }
        }
        if let Ok(shown) = self.attempt(scope, |this, scope| this.shown(scope, p)) {
            let (texts, how) = self.updated(scope, stmts, a, shape, to)?;
            return Ok((texts, step!("Selected_true", shown, how)));
        }
        let denied = self.attempt(scope, |this, scope| this.denied(scope, p))?;
        let (texts, how) = self.updated(scope, stmts, b, shape, to)?;
        Ok((texts, step!("Selected_false", denied, how)))
    }

    /// `a ++ b`, each by its own statements.
    fn parts_of(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        e: &Expr,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Step> {
        let Node::Op(_, _, operands) = &**e else { return mismatch("an operator") };
        let ([a, b], Some((r, rest))) = (&operands[..], shape.split_first()) else {
            return mismatch("an operator");
        };
        let extents = [a, b].map(|e| Ok(scope.ty(e, crate::scope::Side::Left)?.shape.first().cloned()));
        let [Some(n), Some(m)] = extents.map(|n: Result<_>| n.ok().flatten()) else {
            return mismatch("an operator");
        };
        let le = |n: &Ix| Pred::Cmp(Cmp::Le, Ix::ZERO, n.clone());
        let all = Pred::Cmp(Cmp::Eq, r.clone(), raw::bin(IxOp::Add, n.clone(), m.clone()));
        let asked = self.shown(scope, &raw::and(all, raw::and(le(&n), le(&m))))?;
        let with = |n: &Ix| -> Vec<Ix> { [n.clone()].into_iter().chain(rest.iter().cloned()).collect() };
        for count in (0..=stmts.len()).rev() {
            let found = self.attempt(scope, |this, scope| {
                let first = this.updated(scope, &stmts[..count], a, &with(&n), to)?.1;
                let second = this.after(to, &[(Ix::ZERO, n.clone())], |this| {
                    let to = Target { place: to.place.with(Layer::Up(n.clone())), ..to.clone() };
                    this.updated(scope, &stmts[count..], b, &with(&m), &to)
                })?;
                Ok((first, second.1))
            });
            if let Ok((first, second)) = found {
                return Ok(step!("Joined", asked, count, first, second));
            }
        }
        mismatch("two operands of which a state is made")
    }

    /// A loop of the term: one iteration, a range of them, or all.
    fn over(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): Over<'_>,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        let level = scope.level();
        let conds = self.conditions(scope, body, to);
        let points: Vec<Ix> =
            conds.iter().filter_map(|p| solved(p, level)).filter(|at| self.said(&[], at).is_ok()).collect();
        for at in points {
            let at = raw::simplified(&at);
            let found = self
                .attempt(scope, |this, scope| this.pointed(scope, stmts, (label, n, body), &at, shape, to));
            if found.is_ok() {
                return found;
            }
        }
        if loops_over(stmts) != stmts.len() {
            return mismatch("loops over cells that are updated");
        }
        let Some(Stmt::For { hi, .. }) = stmts.last() else { return mismatch("a loop") };
        let count = ix(&self.names, hi)?;
        let is_down = descends(stmts, to);
        let is_all =
            super::evidence::same(&Pred::eq(count.clone(), Ix::ZERO), &Pred::eq(n.clone(), Ix::ZERO));
        if let ([Stmt::For { var, lo, hi, kind, body: inside }], true, false) = (stmts, is_all, is_down) {
            let Some((extent, rest)) = shape.split_first() else { return mismatch("a loop") };
            let equal = self.equal(scope, extent, n)?;
            let (lo, reads, from) = self.given(scope, lo, &Ix::ZERO)?;
            let (hi, more, end) = self.given(scope, hi, n)?;
            let (text, how) = self.looped(scope, (label, n, var), (&lo, &hi), |this, scope, level| {
                let index = Ix::free(level);
                let mut before = vec![(Ix::ZERO, index.clone())];
                if is_concurrent(kind) {
                    before.push((raw::bin(IxOp::Add, index.clone(), Ix::ONE), n.clone()));
                }
                this.after(to, &before, |this| {
                    let to = Target { place: to.place.with(Layer::Index(index)), ..to.clone() };
                    this.updated(scope, list(inside), &subst::open(body, level), rest, &to)
                })
            })?;
            return Ok((vec![text], step!("Loop", equal, reads, from, more, end, how)));
        }
        let from = self.first(scope, &conds, level);
        let direction = if is_down { "down" } else { "up" };
        self.swept(scope, stmts, (label, n, body), (&from, &count, direction), shape, to)
    }

    /// The conditions on the index of a loop, which is not there yet, for its iteration to store anything.
    fn conditions(&self, scope: &Scope, body: &Expr, to: &Target) -> Vec<Pred> {
        let Some(update) = &to.update else { return Vec::new() };
        let Some((index, from)) = to.place.first(update.around) else { return Vec::new() };
        let level = scope.level();
        let body = subst::open(body, level);
        let from = if from == Ix::ZERO { None } else { Some(from) };
        match update.old {
            Some(old) => only_where(&body, old, &Cells { index, from }.below(Ix::free(level))),
            // The start of a state: the cells that are stored are those of the first side.
            None => match &*body {
                Node::Select(p, ..) => vec![p.clone()],
                _ => match choice(&body, u32::MAX, &Cells::default()) {
                    Some((p, ..)) => vec![p],
                    None => Vec::new(),
                },
            },
        }
    }

    /// Where the range begins that these conditions leave of a loop.
    fn first(&mut self, scope: &mut Scope, conds: &[Pred], level: u32) -> Ix {
        let mut lo = Ix::ZERO;
        for cond in conds {
            let Some(Bound::From(from)) = bound(cond, level) else { continue };
            if self.said(&[], &from).is_err() {
                continue;
            }
            let is_known = |this: &mut Self, scope: &mut Scope, p: Pred| {
                this.attempt(scope, |this, scope| this.shown(scope, &p)).is_ok()
            };
            let le = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Le, a.clone(), b.clone());
            if is_known(self, scope, le(&lo, &from)) {
                lo = from;
            } else if !is_known(self, scope, le(&from, &lo)) {
                lo = Ix::max(lo, from);
            }
        }
        lo
    }

    fn pointed(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): Over<'_>,
        at: &Ix,
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        let Some((extent, rest)) = shape.split_first() else { return mismatch("a loop") };
        let (said, equal) = (Arg::Ix(self.said(&[], at)?), self.equal(scope, extent, n)?);
        let inside = raw::in_range(at, n);
        let (e, under) = (
            subst::instantiate(body, at),
            Target { place: to.place.with(Layer::Index(at.clone())), ..to.clone() },
        );
        let asked = match stmts {
            [Stmt::If { cond, then, otherwise: None }] => {
                let is_this = |this: &mut Self, scope: &mut Scope| {
                    let cond: &Bool = cond;
                    let known = pred(&this.names, cond)?;
                    match super::evidence::same(&known, &inside) {
                        true => this.decided_by(scope, cond, &inside),
                        false => mismatch("a condition"),
                    }
                };
                self.attempt(scope, is_this).ok().map(|asked| (asked, then))
            }
            _ => None,
        };
        let other = |i: &Ix| raw::not(&Pred::Cmp(Cmp::Eq, i.clone(), at.clone()));
        match asked {
            Some(((text, reads, alike), then)) => {
                let how = self.assuming(scope, &inside, |this, scope| {
                    this.updated(scope, list(then), &e, rest, &under)
                })?;
                let others = self.others(scope, (label, n, body), &other, rest, to)?;
                let step = step!("Pointed_if", said, equal, reads, alike, how.1, others);
                Ok((vec![branch(&text, &how.0, &[])], step))
            }
            None => {
                let shown = self.shown(scope, &inside)?;
                let how = self.updated(scope, stmts, &e, rest, &under)?;
                let others = self.others(scope, (label, n, body), &other, rest, to)?;
                Ok((how.0, step!("Pointed", said, equal, shown, how.1, others)))
            }
        }
    }

    /// The other indices of a loop, for which this holds.
    fn others(
        &mut self,
        scope: &mut Scope,
        (label, n, body): Over<'_>,
        other: &dyn Fn(&Ix) -> Pred,
        rest: &[Ix],
        to: &Target,
    ) -> Result<Step> {
        let (_, how) = self.entering(scope, label, n, None, |this, scope, level| {
            let index = Ix::free(level);
            let to = Target { place: to.place.with(Layer::Index(index.clone())), ..to.clone() };
            this.assuming(scope, &other(&index), |this, scope| {
                this.updated(scope, &[], &subst::open(body, level), rest, &to)
            })
        })?;
        Ok(how.1)
    }

    fn swept(
        &mut self,
        scope: &mut Scope,
        stmts: &[Stmt],
        (label, n, body): Over<'_>,
        (from, count, direction): (&Ix, &Ix, &'static str),
        shape: &[Ix],
        to: &Target,
    ) -> Result<Filled> {
        self.uncovered("a range of a state's elements that a round changes")?;
        let Some((extent, rest)) = shape.split_first() else { return mismatch("a loop") };
        let mut args = vec![Arg::Word(direction), stmts.len().into()];
        args.extend([Arg::Ix(self.said(&[], from)?), Arg::Ix(self.said(&[], count)?)]);
        args.push(self.equal(scope, extent, n)?.into());
        let (bounds, halves) = self.halves(scope, stmts, count)?;
        args.extend(bounds);
        let plus = |a: &Ix, b: &Ix| raw::bin(IxOp::Add, a.clone(), b.clone());
        let (end, last) = (plus(from, count), raw::bin(IxOp::Sub, count.clone(), Ix::ONE));
        let concurrent =
            stmts.iter().any(|stmt| matches!(stmt, Stmt::For { kind, .. } if is_concurrent(kind)));
        for (k, stmt) in stmts.iter().enumerate() {
            let Stmt::For { var, body: inside, .. } = stmt else { return mismatch("a loop") };
            let (_, (shown, how)) = self.entering(scope, label, count, Some(var), |this, scope, level| {
                this.assuming(scope, &half((k, level), halves.as_ref()), |this, scope| {
                    let i = Ix::free(level);
                    let i = if direction == "up" { i } else { raw::bin(IxOp::Sub, last.clone(), i) };
                    let at = plus(from, &i);
                    let next = plus(&at, &Ix::ONE);
                    let (below, above) = ((from.clone(), at.clone()), (next, end.clone()));
                    let before = match (concurrent, direction) {
                        (true, _) => vec![below, above],
                        (false, "up") => vec![below],
                        (false, _) => vec![above],
                    };
                    let shown = this.shown(scope, &raw::in_range(&at, n))?;
                    let how = this.after(to, &before, |this| {
                        let to = Target { place: to.place.with(Layer::Index(at.clone())), ..to.clone() };
                        this.updated(scope, list(inside), &subst::instantiate(body, &at), rest, &to)
                    })?;
                    Ok((shown, how.1))
                })
            })?;
            args.extend([shown.into(), how.into()]);
        }
        let outside = |i: &Ix| {
            let low = Pred::Cmp(Cmp::Lt, i.clone(), from.clone());
            Pred::Or(std::sync::Arc::new((low, Pred::Cmp(Cmp::Le, end.clone(), i.clone()))))
        };
        args.push(self.others(scope, (label, n, body), &outside, rest, to)?.into());
        Ok((Vec::new(), Step { name: "Swept", args }))
    }
}

fn is_concurrent(kind: &LoopKind) -> bool {
    matches!(kind, LoopKind::Parallel(_) | LoopKind::Vector { .. })
}

/// Do the first loop's iterations replace cells downwards, as far as one pair of them says?
fn descends(stmts: &[Stmt], to: &Target) -> bool {
    let Some(Stmt::For { var, body, .. }) = stmts.last() else { return false };
    let mut cell = None;
    body.for_each(&mut |stmt| {
        if let Stmt::Store { buf, index, mode: StoreMode::Replace, .. } = stmt
            && *buf == to.buf
            && cell.is_none()
        {
            cell = Some(index);
        }
    });
    let at = |i: i64| {
        let known: BTreeMap<_, _> = [(var.clone(), i)].into_iter().collect();
        cell.and_then(|cell| number(cell, &known))
    };
    matches!((at(3), at(4)), (Some(a), Some(b)) if b < a)
}

/// The index term where other variables are some number, and reads another.
fn number(int: &Int, known: &BTreeMap<atl_loops::Name, i64>) -> Option<i64> {
    use atl_loops::IntOp;
    Some(match int {
        Int::Lit(n) => *n,
        Int::Var(name) => known.get(name).copied().unwrap_or(97),
        Int::Load(..) => 2,
        Int::Bin(op, a, b) => {
            let (a, b) = (number(a, known)?, number(b, known)?);
            match op {
                IntOp::Add => a.checked_add(b)?,
                IntOp::Sub => a.checked_sub(b)?,
                IntOp::Mul => a.checked_mul(b)?,
                IntOp::Div => a.checked_div_euclid(b)?,
                IntOp::Mod => a.checked_rem_euclid(b)?,
                IntOp::Min => a.min(b),
                IntOp::Max => a.max(b),
            }
        }
    })
}
