//! Intersections: a loop whose body is a search along it, so that two increasing sequences are traversed together.
//!
//! ```text
//! for p in a..b { meet(p) for q in c..d { if key(q) == sought(p) && rest { body } } }
//! ```
//!
//! means the plain loops. `meet` promises more than `search`: the sought key strictly increases along `p`. So each place of one sequence
//! matches at most one place of the other, in the same order whichever is traversed, and the lengths `n` and `m` select the algorithm
//! at run time:
//!
//! ```text
//! n <= 2m and m <= 2n      branchless merge: no branch depends on which key is less
//! ratio of at most 32      two-pointer merge with that branch, which is predictable here
//! more                     galloping: iterate over the shorter one, search each key in the other in steps that double
//! ```
//!
//! `meet merge` never gallops. If the loop over `p` contains other statements, `meet` is a plain search.

use crate::search::{How, Search};
use crate::{LoopKind, Name, Stmt, Storage};

/// How a search and the loop along which it continues are traversed together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum IntersectionStrategy {
    /// Iterate over one; search in the other, from the last search's place.
    #[default]
    Search,
    /// The lengths decide at run time.
    BySizes,
    /// Merge, never gallop.
    Merge,
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

/// The number of matches that are collected before a long body runs: few enough to stay in the cache, and enough to predict the loop over them.
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

/// The parts of an intersection.
#[derive(Clone, Copy, Debug)]
pub struct Intersection<'a> {
    /// The search, with its keys and what is sought.
    pub search: &'a Search,
    /// What runs for each match.
    pub body: &'a Stmt,
    /// May a back end copy the body, which has neither loops nor memory of its own? If not, it collects up to [`MATCH_BUFFER`] matches, and
    /// then runs the body for these.
    pub is_short: bool,
}

impl<'a> Intersection<'a> {
    /// The parts, if a loop over `var` with this body is one.
    pub fn of(kind: &LoopKind, var: &Name, body: &'a Stmt) -> Option<Intersection<'a>> {
        let (LoopKind::Serial, Stmt::Search { search, body }) = (kind, body) else { return None };
        let How { all: false, along: Some(along), strategy } = &search.how else { return None };
        (along == var && *strategy != IntersectionStrategy::Search).then(|| Intersection {
            search,
            body,
            is_short: is_short(body),
        })
    }
}

fn is_short(body: &Stmt) -> bool {
    let mut short = true;
    body.for_each(&mut |stmt| {
        short &= match stmt {
            Stmt::For { .. } | Stmt::Search { .. } | Stmt::Visit { .. } | Stmt::Merge { .. } => false,
            Stmt::Alloc { storage, .. } => *storage == Storage::Register,
            _ => true,
        }
    });
    short
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

    #[test]
    fn a_loop_that_does_more_is_none() {
        let walks = |inside: &str, kind: &str| {
            let text = format!(
                "kernel f(N, M) in i32 a[N] in i32 b[M] out i64 y[] {{ reset y = 0i64
                   for p in 0..N {{ {kind} for q in 0..M {{ if b[q] == a[p] {{ {inside} }} }} }} }}"
            );
            let kernel = crate::parse_kernel(&text).unwrap();
            let mut found = Vec::new();
            kernel.body.for_each(&mut |stmt| {
                if let Stmt::For { var, kind, body, .. } = stmt {
                    found.extend(
                        Intersection::of(kind, var, body)
                            .map(|intersection| (intersection.search.how.strategy, intersection.is_short)),
                    );
                }
            });
            found
        };
        let (one, more) = ("y += int(1)", "for r in 0..p { y += int(1) }");
        assert_eq!(walks(one, "meet(p)"), [(IntersectionStrategy::BySizes, true)]);
        assert_eq!(walks(one, "meet merge(p)"), [(IntersectionStrategy::Merge, true)]);
        assert_eq!(walks(more, "meet merge(p)"), [(IntersectionStrategy::Merge, false)]);
        assert_eq!(walks(more, "meet(p)"), [(IntersectionStrategy::BySizes, false)]);
        assert_eq!(walks(one, "search(p)"), []);
    }
}
