//! Meetings: a loop that does nothing but search along itself, so that two increasing sequences are walked together.
//!
//! ```text
//! for p in a..b { meet(p) for q in c..d { if key(q) == sought(p) && rest { body } } }
//! ```
//!
//! means the plain loops. `meet` promises more than `search`: what is sought strictly increases along `p`. So each place of the one meets
//! one of the other at most, in the same order whichever is gone over, and how they are walked is left to the sizes when it
//! runs, `n` places and `m`:
//!
//! ```text
//! n <= 2m and m <= 2n      both, step by step, without a branch that depends on whose key is less
//! at most 32 times         both, step by step, with it: there it is foreseen
//! more                     the shorter one; each of its keys is looked for in the other, in steps that grow from one on
//! ```
//!
//! `meet merge` never takes the last. Where something else stands in the loop over `p`, either is a search.

use crate::search::{How, Search};
use crate::{LoopKind, Name, Stmt, Storage};

/// How a search and the loop that it goes on along are walked together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Walk {
    /// What is sought is looked for, from where the last search stood.
    #[default]
    Search,
    /// As sizes decide when it runs.
    BySizes,
    /// Step by step.
    Merge,
}

/// What the sizes of two sequences decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Course {
    /// Both step by step: neither is much longer.
    Even,
    /// Both step by step: one is longer.
    Steps,
    /// Over the first; its keys are looked for in the other.
    Leaps,
    /// Over the second; its keys are looked for in the first.
    Back,
}

/// Up to this ratio of lengths nobody foresees whose key is less.
pub const EVEN: u64 = 2;

/// So many places that meet are kept, where the body is long: few enough to stay near, and enough that going over them is foreseen.
pub const KEPT: usize = 64;

/// From this ratio of lengths on, looking for each key of the shorter one takes less time than going over both.
pub const FAR: u64 = 32;

impl Course {
    /// The course for two sequences of these lengths.
    pub fn of(walk: Walk, n: u64, m: u64) -> Course {
        match walk {
            Walk::BySizes if n / FAR > m => Course::Back,
            Walk::BySizes if m / FAR > n => Course::Leaps,
            _ if n / EVEN <= m && m / EVEN <= n => Course::Even,
            _ => Course::Steps,
        }
    }
}

/// The parts of a meeting.
#[derive(Clone, Copy, Debug)]
pub struct Meeting<'a> {
    /// The search, with its keys and what is sought.
    pub search: &'a Search,
    /// What is done where two keys are equal.
    pub body: &'a Stmt,
    /// May a back end repeat the body, which has neither loops nor memory of its own? If not, it keeps the places that meet, [`KEPT`] of
    /// them at most, and then goes over these: no run of the body comes between two steps.
    pub is_short: bool,
}

impl<'a> Meeting<'a> {
    /// The parts, if a loop over `var` with this body is one.
    pub fn of(kind: &LoopKind, var: &Name, body: &'a Stmt) -> Option<Meeting<'a>> {
        let (LoopKind::Serial, Stmt::Search { search, body }) = (kind, body) else { return None };
        let How { all: false, along: Some(along), walk } = &search.how else { return None };
        (along == var && *walk != Walk::Search).then(|| Meeting { search, body, is_short: is_short(body) })
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
        let course = |n, m| Course::of(Walk::BySizes, n, m);
        assert_eq!((course(1, 1), course(2, 1), course(1, 2)), (Course::Even, Course::Even, Course::Even));
        assert_eq!(
            (course(4, 1), course(1, 4), course(63, 2)),
            (Course::Steps, Course::Steps, Course::Steps)
        );
        assert_eq!((course(200, 3), course(3, 200)), (Course::Back, Course::Leaps));
        assert_eq!((course(u64::MAX, 1), course(1, u64::MAX)), (Course::Back, Course::Leaps));
        assert_eq!(Course::of(Walk::Merge, u64::MAX, 1), Course::Steps);
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
                        Meeting::of(kind, var, body)
                            .map(|meeting| (meeting.search.how.walk, meeting.is_short)),
                    );
                }
            });
            found
        };
        let (one, more) = ("y += int(1)", "for r in 0..p { y += int(1) }");
        assert_eq!(walks(one, "meet(p)"), [(Walk::BySizes, true)]);
        assert_eq!(walks(one, "meet merge(p)"), [(Walk::Merge, true)]);
        assert_eq!(walks(more, "meet merge(p)"), [(Walk::Merge, false)]);
        assert_eq!(walks(more, "meet(p)"), [(Walk::BySizes, false)]);
        assert_eq!(walks(one, "search(p)"), []);
    }
}
