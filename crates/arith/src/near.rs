//! Answers from the part of a context that has to do with a goal.
//!
//! First a certificate is looked for in what is stated of arrays, and where loops stand, without the conditions on elements that
//! link one operand with another; then in all that has to do with the goal. It is one in the whole context, once its facts have
//! their numbers there. Where none is found, the whole context is searched; but not for whether an index equals an element of an
//! array. Every guard of a sparse program asks that, and it hardly ever holds; hypotheses that contradict each other elsewhere, by
//! which alone it could, do not make it worth asking.

use crate::DEFAULT_WORK;
use crate::general::{Worth, by_generalising, is_deep, reads, reads_by_reads, speaks_elsewhere};
use crate::memo::Question;
use crate::relevant::Part;
use crate::renumber::{Count, Renumber};
use crate::search::{Outcome, Search};
use crate::stones::by_way_of_reads;
use crate::transfer::transferred;
use crate::value::Shift;
use atl_kernel::{Cert, Cmp, Ctx, Entry, Ix, IxOp, Pred, Var, cert};
use std::cell::RefCell;
use std::collections::HashMap;

/// How many answers are kept; beyond that all are forgotten.
const CAPACITY: usize = 1 << 14;

/// What follows from what is stated of arrays alone does so within so much work, unless there are products.
const STATED: u64 = 8_000;

/// The work for a proof that a loop has one iteration at most.
const ONE_ITERATION: u64 = 2_000;

/// The divisor of a goal's budget for the way by what is read.
const PART_BY_READS: u64 = 4;

/// The way by what is read, beside the amounts of work of a search.
const BY_READS: u64 = u64::MAX;
/// The way by something more general, within so much work.
const GENERAL: u64 = 1 << 62;

thread_local! {
    /// What was found in this way, within so much work. What is remembered changes no result.
    static FOUND: RefCell<HashMap<(Question, u64), Option<Cert>>> = RefCell::default();
}

/// What the part of a context says.
pub(crate) enum Near {
    /// The goal follows.
    Proved(Cert),
    /// It does not, and the rest of the context is not worth asking.
    OutOfReach,
    /// It is not known.
    Unknown,
}

/// Does a goal follow from what has to do with it? Only where hypotheses hold for all integers is there so much else that this is asked.
pub(crate) fn near(ctx: &Ctx, goal: &Pred, limit: u64) -> Near {
    if !says_of_all(ctx) {
        return Near::Unknown;
    }
    if let Pred::And(ab) = goal {
        return match near(ctx, &ab.0, limit) {
            Near::OutOfReach => Near::OutOfReach,
            Near::Proved(one) => match near(ctx, &ab.1, limit) {
                Near::Proved(two) => Near::Proved(both(ctx, &one, &two)),
                other => other,
            },
            Near::Unknown => match near(ctx, &ab.1, limit) {
                Near::OutOfReach => Near::OutOfReach,
                Near::Proved(_) | Near::Unknown => Near::Unknown,
            },
        };
    }
    let there = |part: &Part<'_>, cert: &Cert| transferred(cert, &part.places, ctx);
    // What is stated of arrays is enough for most goals, and the same question wherever operands meet.
    let mut whole = None;
    if !is_equation_of_elements(goal) || has_quotients(goal) {
        let stated = Part::stated(ctx, goal);
        if !stated.leaves_out {
            whole = Some(stated);
        } else {
            let limit = if multiplies(goal) && !is_element(goal) { limit } else { limit.min(STATED) };
            if let Some(cert) = shown(&stated, limit).and_then(|cert| there(&stated, &cert)) {
                return Near::Proved(cert);
            }
        }
    }
    let part = whole.unwrap_or_else(|| Part::about(ctx, goal));
    if is_denied(&part, limit) {
        return Near::OutOfReach;
    }
    match shown(&part, limit) {
        Some(cert) => there(&part, &cert).map_or(Near::Unknown, Near::Proved),
        None if is_equation_of_elements(goal) => Near::OutOfReach,
        None if limit < DEFAULT_WORK => Near::Unknown,
        None => {
            let limit = if is_choice(goal) { limit.min(STATED) } else { limit / PART_BY_READS };
            match remembered(&part, BY_READS, |there, goal| by_way_of_reads(there, goal, limit)) {
                Some(cert) => there(&part, &cert).map_or(Near::Unknown, Near::Proved),
                None => Near::Unknown,
            }
        }
    }
}

/// Do hypotheses of a context hold for all integers?
pub(crate) fn says_of_all(ctx: &Ctx) -> bool {
    ctx.entries().any(|entry| matches!(entry, Entry::All(..)))
}

/// A certificate of a part: that of a more general goal, or else of a search, if the goal itself says more.
fn shown(part: &Part<'_>, limit: u64) -> Option<Cert> {
    if !is_deep(part.goal) {
        return found(part, limit);
    }
    general(part, limit).or_else(|| {
        let is_more =
            speaks_elsewhere(part.goal) && !(is_equation_of_elements(part.goal) && reads_by_reads(part.goal));
        let limit = if is_choice(part.goal) || is_element(part.goal) { limit.min(STATED) } else { limit };
        if is_more { found(part, limit) } else { None }
    })
}

/// A certificate of a conjunction, from those of its sides: its denial is a disjunction of theirs.
fn both(ctx: &Ctx, one: &Cert, two: &Cert) -> Cert {
    let Count { facts, pending } = Count::of_hypotheses(ctx);
    let beside = Shift { facts: (facts, 0), pending: (pending, 1) };
    Cert::Split(pending, Box::new(beside.cert(one)), Box::new(beside.cert(two)))
}

/// Is it an equation of a variable, or an element at it, with something that does not depend on it? It holds in all of a loop only where
/// the loop has one iteration at most.
fn is_denied(part: &Part<'_>, limit: u64) -> bool {
    let Pred::Cmp(Cmp::Eq, a, b) = part.goal else { return false };
    if !reads(a) && !reads(b) {
        return false;
    }
    let mut sides = [(a, b), (b, a)].into_iter();
    sides.any(|(side, other)| {
        let Some(level) = depends(side).filter(|level| !other.mentions(*level)) else { return false };
        let Some(extent) = part.extent(level) else { return false };
        let one = Pred::le(extent.clone(), Ix::ONE);
        let one = Part::about(part.whole, &one);
        let find = if is_deep(one.goal) { general } else { found };
        !part.has_equations() && find(&one, limit.min(ONE_ITERATION)).is_none()
    })
}

/// The variable that a term is, or that stands in a sum that is the index of the element that it is: it has another value for each.
fn depends(side: &Ix) -> Option<u32> {
    match side {
        Ix::Var(Var::Free(level)) => Some(*level),
        Ix::Read(_, at) => match &at[..] {
            [Ix::Bin(IxOp::Add, ab)] => match (&ab.0, &ab.1) {
                (Ix::Var(Var::Free(level)), other) | (other, Ix::Var(Var::Free(level)))
                    if !other.mentions(*level) =>
                {
                    Some(*level)
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// What something more general says of a part.
fn general(part: &Part<'_>, limit: u64) -> Option<Cert> {
    let prove = |ctx: &Ctx, goal: &Pred, worth: Worth| {
        // The same ranges hold in questions of every sort, and are shown once.
        let limit = if worth == Worth::Range { limit.max(DEFAULT_WORK) } else { limit };
        match near(ctx, goal, limit) {
            Near::Proved(cert) => Some(cert),
            Near::OutOfReach | Near::Unknown => None,
        }
    };
    remembered(part, limit | GENERAL, |there, goal| by_generalising(there, goal, prove))
}

/// What a search of a part finds.
fn found(part: &Part<'_>, limit: u64) -> Option<Cert> {
    // What more work did not find less does not.
    if limit < DEFAULT_WORK && recalled(part.question(), DEFAULT_WORK) == Some(None) {
        return None;
    }
    remembered(part, limit, |there, goal| match Search::run(there, goal, limit).0 {
        Outcome::Proved(cert) => Some(cert),
        Outcome::Refuted(_) | Outcome::Unknown => None,
    })
}

fn recalled(question: Question, way: u64) -> Option<Option<Cert>> {
    FOUND.with_borrow(|found| found.get(&(question, way)).cloned())
}

/// What is found for a part in one way, once for each.
fn remembered(part: &Part<'_>, way: u64, find: impl FnOnce(&Ctx, &Pred) -> Option<Cert>) -> Option<Cert> {
    let question = part.question();
    if let Some(known) = recalled(question, way) {
        return known;
    }
    let (there, goal) = part.apart();
    let answer = find(&there, &goal);
    debug_assert!(
        answer.iter().all(|cert| cert::check(&there, &goal, cert).is_ok()),
        "{goal:?} by {answer:?}"
    );
    FOUND.with_borrow_mut(|found| {
        if found.len() >= CAPACITY {
            found.clear();
        }
        found.insert((question, way), answer.clone());
    });
    answer
}

/// Does a predicate compare quotients or remainders?
fn has_quotients(p: &Pred) -> bool {
    fn of(ix: &Ix) -> bool {
        match ix {
            Ix::Lit(_) | Ix::Var(_) | Ix::Read(..) => false,
            Ix::Bin(IxOp::Div | IxOp::Mod, _) => true,
            Ix::Bin(_, ab) => of(&ab.0) || of(&ab.1),
        }
    }
    any(p, of)
}

/// Are there products or quotients, also inside of reads?
fn multiplies(p: &Pred) -> bool {
    fn of(ix: &Ix) -> bool {
        match ix {
            Ix::Lit(_) | Ix::Var(_) => false,
            Ix::Read(_, at) => at.iter().any(of),
            Ix::Bin(IxOp::Add | IxOp::Sub, ab) => of(&ab.0) || of(&ab.1),
            Ix::Bin(..) => true,
        }
    }
    any(p, of)
}

/// Has a side of a comparison in a predicate this?
fn any(p: &Pred, has: fn(&Ix) -> bool) -> bool {
    match p {
        Pred::True | Pred::False => false,
        Pred::Cmp(_, a, b) => has(a) || has(b),
        Pred::Not(q) => any(q, has),
        Pred::And(ab) | Pred::Or(ab) => any(&ab.0, has) || any(&ab.1, has),
    }
}

/// Does it equate a term with an element of an array, or deny that? Such a goal hardly ever follows.
fn is_element(p: &Pred) -> bool {
    match p {
        Pred::Cmp(Cmp::Eq, a, b) => matches!(a, Ix::Read(..)) || matches!(b, Ix::Read(..)),
        Pred::Not(q) => is_element(q),
        _ => false,
    }
}

/// Is it a disjunction, as the equivalence of two conditions is? Its proof is short, or has too many cases.
fn is_choice(p: &Pred) -> bool {
    matches!(p, Pred::Or(_))
}

/// Is it an equation with an element of an array, or the negation of one?
fn is_equation_of_elements(p: &Pred) -> bool {
    match p {
        Pred::Cmp(Cmp::Eq, a, b) => reads(a) || reads(b),
        Pred::Not(q) => matches!(&**q, Pred::Cmp(Cmp::Eq, a, b) if reads(a) || reads(b)),
        _ => false,
    }
}
