//! Rough trip counts of loops, a cost estimate that compares the orders of sparse operands.
//!
//! Sizes are unknown when a schedule is derived, and the comparison does not need them: it distinguishes a
//! search for each row of an operand from one for each entry and each row. So every extent counts as large, a
//! segment of positions as short, and a search as a few steps.

use super::coordinates::{level, reads};
use crate::conjuncts::conjuncts;
use atl_kernel::{Child, Cmp, Expr, Ix, IxOp, LoopKind, Node, Pred, subst};

/// How often a loop over everything is run.
const EXTENT: f64 = 10_000.0;

/// How often a loop over the positions of one row is run.
const SEGMENT: f64 = 10.0;

/// What a search takes before it finds.
const SEARCH: f64 = 4.0;

/// How far a binder around a place goes; none of a `let`.
type Around = Option<Ix>;

/// How many elements an array of all elements has, by its number of dimensions.
pub fn elements(rank: usize) -> f64 {
    EXTENT.powi(i32::try_from(rank).unwrap_or(i32::MAX))
}

/// How often the term at hand is computed, with all that is below it, and the loops around it are run.
pub fn trip_count(e: &Expr) -> f64 {
    counted(e, &mut Vec::new())
}

fn counted(e: &Expr, around: &mut Vec<Around>) -> f64 {
    let below = |around: &mut Vec<Around>| parts(e, around).into_iter().sum::<f64>();
    match &**e {
        Node::Sum(label, ..) if label.kind == LoopKind::Search => SEARCH + below(around),
        Node::Gen(_, n, _) | Node::Sum(_, n, _) => times(n, around) * below(around),
        _ => 1.0 + below(around),
    }
}

/// The same of each part of a term.
fn parts(e: &Expr, around: &mut Vec<Around>) -> Vec<f64> {
    let mut found = Vec::new();
    visit(e, around, &mut |child, around| found.push(counted(child, around)));
    found
}

/// Visit the parts of a term, with their binders.
fn visit(e: &Expr, around: &mut Vec<Around>, see: &mut dyn FnMut(&Expr, &mut Vec<Around>)) {
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        let binders = e.binds(at);
        if binders == 0 {
            see(child, around);
            continue;
        }
        let extent = match &**e {
            Node::Gen(_, n, _) | Node::Sum(_, n, _) => Some(n.clone()),
            Node::Iterate(it) if at != Child::Body => Some(it.extent.clone()),
            _ => None,
        };
        let outside = around.len();
        let child = subst::open_all(child, level(outside), binders);
        around.extend((1..binders).map(|_| None));
        around.push(extent);
        see(&child, around);
        around.truncate(outside);
    }
}

fn times(n: &Ix, around: &[Around]) -> f64 {
    match n {
        Ix::Lit(n) => *n as f64,
        Ix::Bin(IxOp::Min, ab) => times(&ab.0, around).min(times(&ab.1, around)),
        n if reads(n) && (0..around.len()).any(|k| n.mentions(level(k))) => SEGMENT,
        _ => EXTENT,
    }
}

/// Is there a search that another order might spare, or spread over fewer loops? It is for the index of a
/// loop over everything, and not for what another array says; or a loop around it says nothing of what is
/// looked for, nor of where.
pub fn may_be_fewer(e: &Expr) -> bool {
    is_wasteful(e, &mut Vec::new())
}

fn is_wasteful(e: &Expr, around: &mut Vec<Around>) -> bool {
    let here = match &**e {
        Node::Sum(label, n, body) if label.kind == LoopKind::Search => {
            let position = level(around.len());
            match &*subst::open(body, position) {
                Node::Guard(p, _) => seeks(p, position) || idles(p, n, around),
                _ => false,
            }
        }
        _ => false,
    };
    let mut below = false;
    visit(e, around, &mut |child, around| below = below || is_wasteful(child, around));
    here || below
}

/// Is something looked for that no array says?
fn seeks(p: &Pred, position: u32) -> bool {
    conjuncts(p).iter().any(|part| match part {
        Pred::Cmp(Cmp::Eq, a, b) => a.mentions(position) != b.mentions(position) && !(reads(a) && reads(b)),
        _ => false,
    })
}

/// Does a loop around a search of this condition and extent say nothing of it, though it is run often?
fn idles(p: &Pred, n: &Ix, around: &[Around]) -> bool {
    let mut needed: Vec<bool> =
        (0..around.len()).map(|k| p.mentions(level(k)) || n.mentions(level(k))).collect();
    // What says how far a loop goes that is needed is needed itself.
    for inner in (0..around.len()).rev() {
        if let (true, Some(extent)) = (needed[inner], &around[inner]) {
            needed.iter_mut().enumerate().for_each(|(k, needed)| *needed |= extent.mentions(level(k)));
        }
    }
    let often = |k: usize| matches!(&around[k], Some(n) if !matches!(n, Ix::Lit(_)));
    (0..around.len()).any(|k| !needed[k] && often(k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Label, Var};
    use std::sync::Arc;

    fn sum(kind: LoopKind, n: Ix, body: Expr) -> Expr {
        Arc::new(Node::Sum(Label { kind, ..Label::new("p") }, n, body))
    }

    /// `crd[p]`, of the binder this number of binders out.
    fn read(array: u32, out: u32) -> Ix {
        Ix::Read(Var::Free(array), Arc::from([Ix::Var(Var::Bound(out))]))
    }

    fn element() -> Expr {
        Arc::new(Node::Var(Var::Free(9)))
    }

    /// A search for the index of the loop this number of binders out.
    fn search(out: u32, body: Expr) -> Expr {
        let found = Arc::new(Node::Guard(Pred::eq(read(1, 0), read(2, out)), body));
        sum(LoopKind::Search, Ix::free(5), found)
    }

    #[test]
    fn rows_are_long_and_what_is_in_them_short() {
        let rows = |body| sum(LoopKind::Serial, Ix::free(5), body);
        let entries = |body| sum(LoopKind::Serial, read(3, 0), body);
        assert!(trip_count(&rows(entries(element()))) < trip_count(&rows(rows(element()))));
        assert!(trip_count(&rows(search(1, element()))) < trip_count(&rows(rows(element()))));
        assert_eq!(trip_count(&sum(LoopKind::Serial, Ix::Lit(4), element())), 4.0);
    }

    #[test]
    fn a_loop_that_says_nothing_of_a_search_is_one_too_many() {
        let rows = |body| sum(LoopKind::Serial, Ix::free(5), body);
        assert!(!may_be_fewer(&rows(search(1, element()))));
        assert!(may_be_fewer(&rows(rows(search(1, element())))));
        // How far a loop goes that is needed is needed; four iterations are few.
        let entries = |body| sum(LoopKind::Serial, read(3, 0), body);
        assert!(!may_be_fewer(&rows(entries(search(1, element())))));
        assert!(!may_be_fewer(&sum(LoopKind::Serial, Ix::Lit(4), rows(search(1, element())))));
        // No array has the sought coordinate.
        let index = Pred::eq(read(1, 0), Ix::Var(Var::Bound(1)));
        let found = sum(LoopKind::Search, Ix::free(5), Arc::new(Node::Guard(index, element())));
        assert!(may_be_fewer(&rows(found)));
    }
}
