//! Intersections: strictly increasing sequences that are traversed together, two or more.
//!
//! ```text
//! intersect p in a..b at k(p), q in c..d at l(q) if met, r in e..f at m(r) if rest { body }
//!   =  for p in a..b { for q in c..d { if l(q) == k(p) && met {
//!          for r in e..f { if m(r) == k(p) && rest { body } } } } }
//! ```
//!
//! The keys strictly increase along their own variable, so each place of one sequence matches at most one
//! place of each other one, in the same order whichever is traversed. The lengths select the algorithm at
//! run time. Of two, `n` and `m`:
//!
//! ```text
//! n <= 2m and m <= 2n      branchless merge: no branch depends on which key is less
//! ratio of at most 32      two-pointer merge with that branch, which is predictable here
//! more                     galloping: iterate over the shorter one, search each key in the other in steps that double
//! ```
//!
//! Of more than two, the two shortest are traversed as two are, and each key that both have is searched in
//! the others. So a round waits for two keys, and a long sequence costs only what its searches look at: with
//! 300, 300 and 900 keys, which every round of a merge of all would compare, there are 600 rounds and a
//! search for each match.
//!
//! `intersect(merge)` never gallops: of more than two, each round the sequences behind the greatest key
//! advance by one place. The pass [`intersections`](crate::passes::intersections) makes the statement of a
//! loop that does nothing but searches with a [strategy](crate::search::How::strategy), one inside another;
//! beside other statements such a search stays one. Bounds and keys of a partner can be read wherever the
//! sequences before it have a place, also where these do not match. The interpreter runs every combination
//! of places, and traps where keys do not increase.

use crate::search::{How, Search};
use crate::{Bool, Int, LoopKind, Name, Stmt, Storage};

/// Which algorithms may traverse sequences together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntersectionStrategy {
    /// The lengths decide at run time.
    BySizes,
    /// Merge, never gallop.
    Merge,
}

/// One of the sequences of an intersection: the places `lo <= var < hi`, each with its key.
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

/// A sequence that is traversed together with the first one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partner {
    /// An inner loop, of which nothing depends on the variables of the sequences before it.
    pub sequence: Sequence,
    /// What else must hold where its key equals that of the first sequence.
    pub rest: Option<Bool>,
}

/// The head of an intersection: what is traversed, and what must hold at a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intersection {
    /// The outer loop of what it means.
    pub first: Sequence,
    /// The loops inside, outermost first; at least one.
    pub partners: Vec<Partner>,
    /// Which algorithms may do it.
    pub strategy: IntersectionStrategy,
}

impl Intersection {
    /// The searches that find a match, along the first sequence, one for each partner.
    pub fn searches(&self) -> Vec<Search> {
        let search = |Partner { sequence, rest }: &Partner| {
            let Sequence { var, lo, hi, key } = sequence.clone();
            let how = How { all: false, along: Some(self.first.var.clone()), strategy: Some(self.strategy) };
            Search { var, lo, hi, key, sought: self.first.key.clone(), rest: rest.clone(), how }
        };
        self.partners.iter().map(search).collect()
    }

    /// The body, inside the searches.
    pub fn searched(&self, body: Stmt) -> Stmt {
        let within = |body, search| Stmt::Search { search, body: Box::new(body) };
        self.searches().into_iter().rev().fold(body, within)
    }

    /// What it means: the loop over the first sequence, around the searches in the others.
    pub fn loops(&self, body: Stmt) -> Stmt {
        let Sequence { var, lo, hi, .. } = self.first.clone();
        Stmt::for_loop(var, lo, hi, LoopKind::Serial, self.searched(body))
    }

    /// All sequences, the first one first.
    pub fn sequences(&self) -> impl Iterator<Item = &Sequence> {
        std::iter::once(&self.first).chain(self.partners.iter().map(|partner| &partner.sequence))
    }

    /// All that must hold where all keys are equal.
    pub fn rest(&self) -> Option<Bool> {
        self.partners.iter().filter_map(|partner| partner.rest.clone()).reduce(Bool::and)
    }

    /// Calls `f` on each buffer that its terms read, with the cell.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        for Sequence { lo, hi, key, .. } in self.sequences() {
            [lo, hi, key].into_iter().for_each(|term| term.for_each_read(f));
        }
        self.partners.iter().filter_map(|one| one.rest.as_ref()).for_each(|rest| rest.for_each_read(f));
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

/// The algorithm that the lengths of the sequences select.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// A merge without unpredictable branches: the lengths are similar.
    Branchless,
    /// A merge with a branch on the smaller key: one is longer.
    TwoPointer,
    /// Iterate over the sequence of this number, the shorter; search its keys in the other.
    Gallop(usize),
}

/// The same of more than two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlgorithmOfSeveral {
    /// Those behind the greatest key advance by one place.
    Steps,
    /// The two of these numbers, the shortest, are traversed by this algorithm, and what both have is
    /// searched in the others.
    Pair([usize; 2], Algorithm),
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
    pub fn of(strategy: IntersectionStrategy, [n, m]: [u64; 2]) -> Algorithm {
        match strategy {
            IntersectionStrategy::BySizes if n / GALLOP_RATIO > m => Algorithm::Gallop(1),
            IntersectionStrategy::BySizes if m / GALLOP_RATIO > n => Algorithm::Gallop(0),
            _ if n / BRANCHLESS_RATIO <= m && m / BRANCHLESS_RATIO <= n => Algorithm::Branchless,
            _ => Algorithm::TwoPointer,
        }
    }
}

impl AlgorithmOfSeveral {
    /// The algorithm for sequences of these lengths, of which there are more than two.
    pub fn of(strategy: IntersectionStrategy, lengths: &[u64]) -> AlgorithmOfSeveral {
        let is_pair = |[i, j]: &[usize; 2]| {
            let others = (0..lengths.len()).filter(|k| k != i && k != j);
            others.into_iter().all(|k| lengths[*i] <= lengths[k] && lengths[*j] <= lengths[k])
        };
        match strategy {
            IntersectionStrategy::Merge => AlgorithmOfSeveral::Steps,
            IntersectionStrategy::BySizes => match pairs(lengths.len()).find(is_pair) {
                Some([i, j]) => {
                    let algorithm = Algorithm::of(strategy, [lengths[i], lengths[j]]);
                    AlgorithmOfSeveral::Pair([i, j], algorithm)
                }
                None => AlgorithmOfSeveral::Steps,
            },
        }
    }
}

/// The pairs of this many sequences, in the order in which they are compared with the others.
pub fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(move |i| (i + 1..count).map(move |j| [i, j]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_one_is_looked_into_where_it_is_much_longer() {
        let algorithm = |n, m| Algorithm::of(IntersectionStrategy::BySizes, [n, m]);
        assert_eq!(
            (algorithm(1, 1), algorithm(2, 1), algorithm(1, 2)),
            (Algorithm::Branchless, Algorithm::Branchless, Algorithm::Branchless)
        );
        assert_eq!(
            (algorithm(4, 1), algorithm(1, 4), algorithm(63, 2)),
            (Algorithm::TwoPointer, Algorithm::TwoPointer, Algorithm::TwoPointer)
        );
        assert_eq!((algorithm(200, 3), algorithm(3, 200)), (Algorithm::Gallop(1), Algorithm::Gallop(0)));
        assert_eq!(
            (algorithm(u64::MAX, 1), algorithm(1, u64::MAX)),
            (Algorithm::Gallop(1), Algorithm::Gallop(0))
        );
        assert_eq!(Algorithm::of(IntersectionStrategy::Merge, [u64::MAX, 1]), Algorithm::TwoPointer);
    }

    #[test]
    fn of_several_the_two_shortest_are_traversed() {
        use AlgorithmOfSeveral::{Pair, Steps};
        let algorithm = |lengths: &[u64]| AlgorithmOfSeveral::of(IntersectionStrategy::BySizes, lengths);
        for (lengths, pair, of) in [
            ([1, 1, 1], [0, 1], Algorithm::Branchless),
            ([9, 2, 3], [1, 2], Algorithm::Branchless),
            ([2, 9, 8], [0, 2], Algorithm::TwoPointer),
            ([u64::MAX, 1, 1], [1, 2], Algorithm::Branchless),
            ([128, 200, 3], [0, 2], Algorithm::Gallop(1)),
            ([1, u64::MAX, 64], [0, 2], Algorithm::Gallop(0)),
        ] {
            assert_eq!(algorithm(&lengths), Pair(pair, of), "{lengths:?}");
            assert_eq!(AlgorithmOfSeveral::of(IntersectionStrategy::Merge, &lengths), Steps);
        }
        assert_eq!(algorithm(&[64, 64, 64, 1]), Pair([0, 3], Algorithm::Gallop(1)));
    }
}
