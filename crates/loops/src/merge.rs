//! Merges: one loop over all keys of several runs of places, each of them once and in order.
//!
//! ```text
//! merge j of p in a..b at (A[p]) as inA, q in c..d at (B[q]) as inB { body }
//! ```
//!
//! runs the body for each `j` that is the key `A[p]` of some `a <= p < b`, or `B[q]` of some `c <= q < d`, from the least to the
//! greatest. Meanwhile `p` is the first place of its run whose key is not below `j`, or the end; and `inA` is 1 where that key is
//! `j`, else 0. A key may have several parts, which are compared from the first one on: `merge (i, j) of p in a..b at (A[p], B[p])`.
//! A run with a condition has no places where that does not hold, `p in a..b at (A[p]) as inA if inX == 1`; its bounds are not
//! looked at then, and `p` is 0.
//!
//! The keys of a run must strictly increase. The interpreter traps where they do not; the back ends assume that they do, as
//! they do for searches. What bounds, conditions and keys are read from is not stored to meanwhile: it is
//! inputs, or scratch on the heap that the body leaves as it is.
//!
//! **Each place once.** The body is run once for each place of a run with its `in` being 1. So what the body reads in every iteration in
//! which that is 1, of inputs at cells that depend on that place and on nothing else of the merge, can be read for
//! every place of the run: a back end may read it before it knows whose key comes next.

use crate::{Bool, Int, Name};

/// Places one after the other that a merge goes through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The variable of the place.
    pub place: Name,
    /// The first place.
    pub lo: Int,
    /// One past the last place.
    pub hi: Int,
    /// The parts of a place's key.
    pub key: Vec<Int>,
    /// The variable that says whether the place has the key of the iteration.
    pub has: Name,
    /// Where there are places.
    pub cond: Bool,
}

impl Run {
    /// The predicate that the place has the key of the iteration.
    pub fn is_there(&self) -> Bool {
        Bool::eq(Int::Var(self.has.clone()), Int::Lit(1))
    }

    /// The same run with other terms.
    pub fn map(&self, mut int: impl FnMut(&Int) -> Int, mut bool: impl FnMut(&Bool) -> Bool) -> Run {
        Run {
            place: self.place.clone(),
            lo: int(&self.lo),
            hi: int(&self.hi),
            key: self.key.iter().map(int).collect(),
            has: self.has.clone(),
            cond: bool(&self.cond),
        }
    }

    /// Calls `f` on each buffer that the terms read, with the cell.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        self.cond.for_each_read(f);
        for term in [&self.lo, &self.hi].into_iter().chain(&self.key) {
            term.for_each_read(f);
        }
    }
}

/// The variables of a merge: of its keys, and of each run.
pub fn variables<'a>(keys: &'a [Name], runs: &'a [Run]) -> impl Iterator<Item = &'a Name> {
    keys.iter().chain(runs.iter().flat_map(|run| [&run.place, &run.has]))
}
