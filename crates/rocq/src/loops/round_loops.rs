//! The loops over rounds: one, or two of which the second goes on where the first ends, and where they stand
//! among statements.

use super::Lowering;
use super::pairs::by_pairs;
use super::rounds::{is_named, value_of};
use super::states::stored_to;
use super::step::Arg;
use super::words::{ix, mismatch};
use crate::error::Result;
use crate::raw;
use crate::scope::{Scope, Side};
use atl_kernel::{Cmp, Iterate, Ix, Pred, subst};
use atl_loops::Stmt;

/// Of two loops, one after the other: the end of the first, and where the second begins.
pub(super) type Halves = Option<(Ix, Ix)>;

/// How a loop's bounds are those of rounds: alone, or with the next one.
pub(super) fn loops_over(stmts: &[Stmt]) -> usize {
    match stmts {
        [Stmt::For { var: a, .. }, Stmt::For { var: b, .. }, ..] if a == b => 2,
        [Stmt::For { .. }, ..] => 1,
        _ => 0,
    }
}

/// What is known of the variable of one of two loops.
pub(super) fn half((k, level): (usize, u32), halves: Option<&(Ix, Ix)>) -> Pred {
    match (halves, k) {
        (None, _) => Pred::True,
        (Some((end, _)), 0) => Pred::Cmp(Cmp::Lt, Ix::free(level), end.clone()),
        (Some((_, again)), _) => Pred::Cmp(Cmp::Le, again.clone(), Ix::free(level)),
    }
}

impl Lowering<'_, '_> {
    /// Evidence that loops run from 0 to a number: one, or two of which the second goes on where the first
    /// ends; and these numbers.
    pub(super) fn halves(
        &mut self,
        scope: &mut Scope,
        loops: &[Stmt],
        count: &Ix,
    ) -> Result<(Vec<Arg>, Halves)> {
        match loops {
            [] => Ok((vec![self.equal(scope, count, &Ix::ZERO)?.into()], None)),
            [Stmt::For { lo, hi, .. }] => {
                let (_, reads, from) = self.given(scope, lo, &Ix::ZERO)?;
                let (_, more, end) = self.given(scope, hi, count)?;
                Ok((vec![reads.into(), from.into(), more.into(), end.into()], None))
            }
            [Stmt::For { lo, hi: end, .. }, Stmt::For { lo: again, hi, .. }] => {
                let mut args = Vec::new();
                for bound in [lo, end, again, hi] {
                    args.push(Arg::from(self.index(scope, bound)?.1));
                }
                let [lo, end, again, hi] = [lo, end, again, hi].map(|bound| ix(&self.names, bound));
                let (lo, end, again, hi) = (lo?, end?, again?, hi?);
                args.push(self.equal(scope, &lo, &Ix::ZERO)?.into());
                args.push(self.equal(scope, &hi, count)?.into());
                let le = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Le, a.clone(), b.clone());
                let eq = |a: &Ix, b: &Ix| Pred::Cmp(Cmp::Eq, a.clone(), b.clone());
                let on = raw::and(eq(&again, &end), raw::and(le(&Ix::ZERO, &end), le(&end, count)));
                let all = raw::and(eq(&end, count), le(count, &again));
                args.push(self.shown(scope, &Pred::Or(std::sync::Arc::new((on, all))))?.into());
                Ok((args, Some((end, again))))
            }
            _ => mismatch("loops over rounds"),
        }
    }

    /// How many statements an iteration has, where its states have buffers already.
    pub(super) fn count_rounds(&mut self, scope: &mut Scope, it: &Iterate, stmts: &[Stmt]) -> Result<usize> {
        let end = Pred::eq(it.extent.clone(), Ix::ZERO);
        let is_end = |this: &Self, hi: &atl_loops::Int| {
            ix(&this.names, hi).is_ok_and(|hi| super::evidence::same(&Pred::eq(hi, Ix::ZERO), &end))
        };
        let mut at = 0;
        let loops = loop {
            let Some(rest) = stmts.get(at..).filter(|rest| !rest.is_empty()) else {
                return mismatch("an iteration without rounds");
            };
            if by_pairs(rest, it).is_some() {
                break 2;
            }
            let count = loops_over(rest);
            if let Some(Stmt::For { var, hi, .. }) = count.checked_sub(1).map(|last| &rest[last])
                && is_named(var, &it.label.name)
                && is_end(self, hi)
                && !stored_to(&rest[..count]).is_empty()
            {
                break count;
            }
            at += 1;
        };
        let (level, mut types) = (scope.level(), Vec::new());
        for state in &it.states {
            types.push(scope.ty(&state.init, Side::Left)?);
        }
        for (state, ty) in it.states.iter().zip(types) {
            scope.push_tensor(&state.label, ty);
        }
        let body = subst::open_all(&it.body, level, it.states.len() as u32);
        let rank = scope.ty(&body, Side::Left).map(|ty| ty.shape.len());
        let rest = stmts.get(at + loops..).unwrap_or_default();
        let count = match rank.map(|rank| value_of(it, rank).is_some()) {
            Ok(true) => Ok(0),
            _ => self.count(scope, &body, rest),
        };
        scope.truncate(level);
        Ok(at + loops + count?)
    }
}
