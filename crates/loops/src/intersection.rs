//! Intersections: two strictly increasing sequences that are traversed together.
//!
//! ```text
//! intersect p in a..b at k(p), q in c..d at l(q) if rest { body }
//!   =  for p in a..b { for q in c..d { if l(q) == k(p) && rest { body } } }
//! ```
//!
//! The keys strictly increase along their own variable, so each place of one sequence matches at most one
//! place of the other, in the same order whichever is traversed. The lengths `n` and `m` select the
//! algorithm at run time:
//!
//! ```text
//! n <= 2m and m <= 2n      branchless merge: no branch depends on which key is less
//! ratio of at most 32      two-pointer merge with that branch, which is predictable here
//! more                     galloping: iterate over the shorter one, search each key in the other in steps that double
//! ```
//!
//! `intersect(merge)` never gallops. The pass [`intersections`](crate::passes::intersections) makes the
//! statement of a loop that does nothing but a search with a [strategy](crate::search::How::strategy);
//! beside other statements such a search stays one. The interpreter runs every pair of places, and traps
//! where keys do not increase.

use crate::search::{How, Search};
use crate::{Bool, Int, LoopKind, Name, Stmt, Storage};

/// Which algorithms may traverse two sequences together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntersectionStrategy {
    /// The lengths decide at run time.
    BySizes,
    /// Merge, never gallop.
    Merge,
}

/// One of the two sequences of an intersection: the places `lo <= var < hi`, each with its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// The variable of its places.
    pub var: Name,
    /// The first place.
    pub lo: Int,
    /// One past the last place.
    pub hi: Int,
    /// The key of a place, which strictly increases with it.
    pub key: Int,
}

/// The head of an intersection: what is traversed, and what must hold at a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intersection {
    /// The outer loop of what it means.
    pub first: Sequence,
    /// The inner loop, of which nothing depends on the outer one's variable.
    pub second: Sequence,
    /// What else must hold where the keys are equal.
    pub rest: Option<Bool>,
    /// Which algorithms may do it.
    pub strategy: IntersectionStrategy,
}

impl Intersection {
    /// The search in the second sequence, along the first, that finds a match.
    pub fn search(&self) -> Search {
        let Sequence { var, lo, hi, key } = self.second.clone();
        let how = How { all: false, along: Some(self.first.var.clone()), strategy: Some(self.strategy) };
        Search { var, lo, hi, key, sought: self.first.key.clone(), rest: self.rest.clone(), how }
    }

    /// What it means: the loop over the first sequence, around the search in the second.
    pub fn loops(&self, body: Stmt) -> Stmt {
        let Sequence { var, lo, hi, .. } = self.first.clone();
        let search = Stmt::Search { search: self.search(), body: Box::new(body) };
        Stmt::for_loop(var, lo, hi, LoopKind::Serial, search)
    }

    /// Both sequences.
    pub fn sequences(&self) -> [&Sequence; 2] {
        [&self.first, &self.second]
    }

    /// Calls `f` on each buffer that its terms read, with the cell.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        for Sequence { lo, hi, key, .. } in self.sequences() {
            [lo, hi, key].into_iter().for_each(|term| term.for_each_read(f));
        }
        self.rest.iter().for_each(|rest| rest.for_each_read(f));
    }
}

/// May a back end copy the body of an intersection, which has neither loops nor memory of its own? If not,
/// it collects up to [`MATCH_BUFFER`] matches, and then runs the body for these.
pub fn is_short(body: &Stmt) -> bool {
    !body.any(|stmt| match stmt {
        Stmt::Alloc { storage, .. } => *storage != Storage::Register,
        stmt => stmt.is_loop(),
    })
}

/// The algorithm that the lengths of two sequences select.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// A merge without unpredictable branches: the lengths are similar.
    Branchless,
    /// A merge with a branch on the smaller key: one is longer.
    TwoPointer,
    /// Iterate over the first; search its keys in the second.
    GallopRight,
    /// Iterate over the second; search its keys in the first.
    GallopLeft,
}

/// Up to this ratio of lengths the comparison is unpredictable, so the merge is branchless.
pub const BRANCHLESS_RATIO: u64 = 2;

/// The number of matches that are collected before a long body runs: few enough to stay in the cache, and
/// enough to predict the loop over them.
pub const MATCH_BUFFER: usize = 64;

/// Above this ratio of lengths, searching each key of the shorter one is faster than a merge.
pub const GALLOP_RATIO: u64 = 32;

impl Algorithm {
    /// The algorithm for two sequences of these lengths.
    pub fn of(strategy: IntersectionStrategy, n: u64, m: u64) -> Algorithm {
        match strategy {
            IntersectionStrategy::BySizes if n / GALLOP_RATIO > m => Algorithm::GallopLeft,
            IntersectionStrategy::BySizes if m / GALLOP_RATIO > n => Algorithm::GallopRight,
            _ if n / BRANCHLESS_RATIO <= m && m / BRANCHLESS_RATIO <= n => Algorithm::Branchless,
            _ => Algorithm::TwoPointer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_one_is_looked_into_where_it_is_much_longer() {
        let algorithm = |n, m| Algorithm::of(IntersectionStrategy::BySizes, n, m);
        assert_eq!(
            (algorithm(1, 1), algorithm(2, 1), algorithm(1, 2)),
            (Algorithm::Branchless, Algorithm::Branchless, Algorithm::Branchless)
        );
        assert_eq!(
            (algorithm(4, 1), algorithm(1, 4), algorithm(63, 2)),
            (Algorithm::TwoPointer, Algorithm::TwoPointer, Algorithm::TwoPointer)
        );
        assert_eq!((algorithm(200, 3), algorithm(3, 200)), (Algorithm::GallopLeft, Algorithm::GallopRight));
        assert_eq!(
            (algorithm(u64::MAX, 1), algorithm(1, u64::MAX)),
            (Algorithm::GallopLeft, Algorithm::GallopRight)
        );
        assert_eq!(Algorithm::of(IntersectionStrategy::Merge, u64::MAX, 1), Algorithm::TwoPointer);
    }
}
