//! Indices that are kept inside an array, as `x[min(max(j - 1, 0), M - 1)]`, split off along memory.
//!
//! **The one idea.** `peel` takes one of two nested bounds apart, and leaves the rows at the borders without
//! vectors. Where the loop along memory has a bound in an index, it alone is cut, by name, until both bounds
//! are known in its middle: three copies of what it does, however many loops stand around it. A bound on the
//! index of a loop outside is the same in the whole row, and costs one choice a row. Guards outside are split
//! off first, as elsewhere.

use super::PEEL;
use super::steps::last_loops;
use crate::Judge;
use atl_kernel::{Expr, Ix, IxOp, Node, Var};
use atl_schedule::nest::{qualified, subterm};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

/// How often a loop is cut at most: one bound may stand in another one.
const CUTS: usize = 2;

/// Are there bounds in the indices of a program?
pub(super) fn are_in(e: &Expr) -> bool {
    let is_bounded = |ix: &Ix| matches!(ix, Ix::Bin(IxOp::Min | IxOp::Max, _));
    let here = matches!(&**e, Node::Get(_, ix) if any(ix, &is_bounded));
    here || e.children().any(|at| e.child(at).is_some_and(are_in))
}

/// The steps with loops along memory cut at their bounds, where the step stands that splits guards off; none
/// where there is no such step, or no such bound that can be known.
pub(super) fn split_off(steps: &[String], judge: &mut dyn Judge) -> Option<Vec<String>> {
    let at = steps.iter().position(|step| step == PEEL)?;
    let (before, after) = (&steps[..at], &steps[at + 1..]);
    let body = judge.derive(before).ok()?;
    let mut cuts: BTreeMap<String, usize> = BTreeMap::new();
    for (name, count) in last(&body) {
        let most = cuts.entry(name).or_default();
        *most = count.min(CUTS).max(*most);
    }
    if cuts.values().all(|count| *count == 0) {
        return None;
    }
    // What splits guards off may have cut each loop once.
    let (peel, fewer): (&[String], &[usize]) =
        if has_guards(&body) { (&steps[at..=at], &[1, 0]) } else { (&[], &[0]) };
    for fewer in fewer {
        let each = cuts
            .iter()
            .flat_map(|(name, count)| iter::repeat_n(format!("peel {name}"), count.saturating_sub(*fewer)));
        let begun: Vec<String> = before.iter().chain(peel).cloned().chain(each).collect();
        let Ok(body) = judge.derive(&begun) else { continue };
        let free: BTreeSet<String> =
            last(&body).into_iter().filter(|(_, count)| *count == 0).map(|(name, _)| name).collect();
        if cuts.keys().all(|name| free.contains(name)) {
            return Some([&begun, after].concat());
        }
    }
    None
}

/// The names of the last loops over cells, and how many bounds on their variables stand in one another.
fn last(body: &Expr) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for place in last_loops(body) {
        let Some(Node::Gen(_, _, inner)) = subterm(body, &place.path).map(|e| &**e) else { continue };
        found.push((qualified(body, &place), bounds(inner, 0)));
    }
    found
}

/// How many bounds on the loop's variable stand in one another, in the index of a read in the term.
fn bounds(e: &Expr, depth: u32) -> usize {
    let here = match &**e {
        Node::Get(_, ix) => nested(ix, &Ix::Var(Var::Bound(depth))),
        _ => 0,
    };
    let inside = e.children().filter_map(|at| Some(bounds(e.child(at)?, depth + e.binds(at))));
    inside.fold(here, usize::max)
}

/// How many minima and maxima of terms with the variable stand in one another.
fn nested(ix: &Ix, of: &Ix) -> usize {
    let Ix::Bin(op, ab) = ix else { return 0 };
    let is_bound = matches!(op, IxOp::Min | IxOp::Max) && any(ix, &|part| part == of);
    usize::from(is_bound) + nested(&ab.0, of).max(nested(&ab.1, of))
}

/// Does it hold of some part of the index, but for what arrays say?
fn any(ix: &Ix, holds: &dyn Fn(&Ix) -> bool) -> bool {
    let is_in_parts = || match ix {
        Ix::Bin(_, ab) => any(&ab.0, holds) || any(&ab.1, holds),
        Ix::Lit(_) | Ix::Var(_) | Ix::Read(..) => false,
    };
    holds(ix) || is_in_parts()
}

/// Is there a condition on an index in the term?
fn has_guards(e: &Expr) -> bool {
    let is_guard = matches!(**e, Node::Guard(..) | Node::Select(..));
    is_guard || e.children().any(|at| e.child(at).is_some_and(has_guards))
}
