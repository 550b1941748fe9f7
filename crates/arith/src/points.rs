//! Points met so far: values that satisfied a query's hypotheses and denied its goal.
//!
//! Queries come in families, asked on one side of a distinction and on the other, one loop further in, of one index and
//! of the next. What denied one goal often denies the next, and to evaluate a goal is a thousand times cheaper than to
//! search. An answer still does not depend on earlier queries: where a point denies the goal there is no certificate, so
//! that the search would have ended without one too.

use crate::eval::eval_pred;
use atl_kernel::{Ctx, Entry, Pred};

/// So many points are kept, the latest that served first.
const CAPACITY: usize = 16;

/// Points by level; variables beyond a point's end are zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    recent: Vec<Vec<i64>>,
}

impl Points {
    /// Does a point satisfy the hypotheses and deny the goal? Not known where some hold for all integers.
    pub(crate) fn deny(&mut self, ctx: &Ctx, goal: &Pred) -> bool {
        let denies = |point: &Vec<i64>| {
            let value = |l: u32| Some(point.get(l as usize).copied().unwrap_or(0));
            eval_pred(goal, &value) == Some(false)
                && ctx.hypotheses().all(|(_, p)| eval_pred(p, &value) == Some(true))
        };
        if ctx.entries().any(|entry| matches!(entry, Entry::All(..))) {
            return false;
        }
        let found = self.recent.iter().position(denies);
        if let Some(k) = found {
            self.recent[..=k].rotate_right(1);
        }
        found.is_some()
    }

    /// Keep a point, given by level.
    pub(crate) fn keep(&mut self, values: &[(u32, i64)]) {
        let end = values.iter().map(|(l, _)| *l as usize + 1).max().unwrap_or(0);
        let mut point = vec![0; end];
        for (l, v) in values {
            point[*l as usize] = *v;
        }
        self.recent.truncate(CAPACITY - 1);
        self.recent.insert(0, point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Ix, Label};

    /// Below `n` and where `i < bound`, does the point `n = 3`, `i = 2` deny that `i < limit`?
    fn check(bound: i64, limit: i64, expected: bool) {
        let mut ctx = Ctx::new();
        let n = ctx.push_size(Label::new("n"));
        let i = ctx.push_loop(Label::new("i"), &Ix::free(n));
        ctx.push_hyp(Pred::lt(Ix::free(i), Ix::Lit(bound)));
        let mut points = Points::default();
        points.keep(&[(n, 0)]);
        points.keep(&[(n, 3), (i, 2)]);
        points.keep(&[(n, 1), (i, 7)]);
        assert_eq!(points.deny(&ctx, &Pred::lt(Ix::free(i), Ix::Lit(limit))), expected);
    }

    #[test]
    fn a_point_of_the_context_denies_what_is_false_there() {
        check(5, 2, true);
        check(5, 3, false);
        check(1, 2, false);
    }
}
