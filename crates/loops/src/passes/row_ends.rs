//! The ends of a row of vectors: the first one and the last one, where only there conditions ask for lanes.
//!
//! ```text
//! vector(8) for j in 0..M { y[j] = (j + 1 < M ? x[j + 1] : 0) }
//!   =  for j_end in 0..2 { f64x8 for j in j_end * m..j_end * m + 8 { if j < M { y[j] = (j + 1 < M ? x[j + 1] : 0) } } }
//!      f64x8 for j in 8..m { y[j] = x[j + 1] }          m = 8 + max(M - 9, 0) / 8 * 8
//! ```
//! A mask for a read costs as much as the read. Both ends are one loop, so that the text is as long as that of whole vectors
//! and a rest; where conditions ask for more than one of the last iterations, these may be in two vectors. Vectors are
//! concurrent, so both ends may come first.

use super::first_rounds::{Decided, Sum, each_condition, start};
use super::rewrite::rewrite_stmt;
use crate::lanes::Vectors;
use crate::{Bool, CmpOp, Int, Stmt};

/// The ends of a row.
pub(super) struct Ends<'v> {
    vectors: &'v Vectors,
    /// How many of the last iterations are at an end.
    last: i64,
}

impl Ends<'_> {
    /// The ends of these vectors, if conditions are decided between them.
    pub(super) fn of<'v>(vectors: &'v Vectors, body: &Stmt) -> Option<Ends<'v>> {
        let mut ends = Ends { vectors, last: i64::from(vectors.lanes) };
        let (mut found, mut last) = (false, 0);
        each_condition(body, &mut |cond| {
            ends.each(cond, &mut |after| {
                found = true;
                last = last.max(after);
            });
        });
        ends.last = last;
        found.then_some(ends)
    }

    /// How many vectors have them: the first one, and those that hold the last iterations and what is left of a vector.
    pub(super) fn count(&self) -> i64 {
        let lanes = i64::from(self.vectors.lanes);
        1 + (self.last + lanes - 1 + lanes - 1) / lanes
    }

    /// How many iterations there are between them, in whole vectors.
    pub(super) fn between(&self) -> Int {
        let Vectors { lo, hi, lanes, .. } = self.vectors;
        let lanes = Int::Lit(i64::from(*lanes));
        let rest = hi.clone() - lo.clone() - lanes.clone() - Int::Lit(self.last);
        rest.max(Int::Lit(0)).floor_div(lanes.clone()) * lanes
    }

    /// The body between them.
    pub(super) fn body_between(&self, body: &Stmt) -> Stmt {
        rewrite_stmt(&Decided(|cond: &Bool| self.decided(cond).map(|(_, holds)| holds)), body)
    }

    /// Calls `f` for the comparisons of a condition that are decided, with how many of the last iterations do not.
    fn each(&self, cond: &Bool, f: &mut impl FnMut(i64)) {
        match cond {
            Bool::And(a, b) | Bool::Or(a, b) => {
                self.each(a, f);
                self.each(b, f);
            }
            Bool::Not(a) => self.each(a, f),
            cond => {
                if let Some((last, _)) = self.decided(cond) {
                    f(last);
                }
            }
        }
    }

    /// Is a comparison decided between the ends: for how many of the last iterations it is not, and whether it holds.
    fn decided(&self, cond: &Bool) -> Option<(i64, bool)> {
        let Vectors { var, lo, lanes, .. } = self.vectors;
        if let (Some((from, holds)), Some(first)) = (start(cond, var), lo.constant())
            && first < from
            && from <= first.checked_add(i64::from(*lanes))?
        {
            return Some((0, holds));
        }
        let (last, holds) = self.until(cond)?;
        (0 < last && last <= self.last).then_some((last, holds))
    }

    /// The number of last iterations before which a comparison with the end is decided, and whether it holds there.
    fn until(&self, cond: &Bool) -> Option<(i64, bool)> {
        let Bool::Cmp(op, a, b) = cond else { return None };
        for factor in [1, -1] {
            // What is compared is `factor * (hi - j) + constant` with zero.
            let mut sum = Sum::default();
            sum.add(b, 1)?;
            sum.add(a, -1)?;
            sum.add(&Int::Var(self.vectors.var.clone()), factor)?;
            sum.add(&self.vectors.hi, -factor)?;
            if sum.factors.values().any(|factor| *factor != 0) {
                continue;
            }
            return match (op, factor) {
                (CmpOp::Lt, 1) => Some((0_i64.checked_sub(sum.constant)?, true)),
                (CmpOp::Le, 1) => Some(((-1_i64).checked_sub(sum.constant)?, true)),
                (CmpOp::Lt, _) => Some((sum.constant.checked_sub(1)?, false)),
                (CmpOp::Le, _) => Some((sum.constant, false)),
                (CmpOp::Eq | CmpOp::Ne, 1) => Some((0_i64.checked_sub(sum.constant)?, *op == CmpOp::Ne)),
                (CmpOp::Eq | CmpOp::Ne, _) => Some((sum.constant, *op == CmpOp::Ne)),
            };
        }
        None
    }
}
