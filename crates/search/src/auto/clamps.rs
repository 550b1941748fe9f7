//! Indices that are kept inside an array, as `x[min(max(j - 1, 0), M - 1)]`, split off along memory.
//!
//! **The one idea.** `peel` takes one of two nested bounds apart, and leaves the rows at the borders without
//! vectors. Where the loop along memory has a bound in an index, it alone is cut, by name, until both bounds
//! are known in its middle: three copies of what it does, however many loops stand around it. A bound on the
//! index of a loop outside is the same in the whole row, and costs one choice a row. Guards outside are split
//! off first, as elsewhere.

use super::steps::last_loops;
use super::{NOTHING_TO_PEEL, PEEL};
use crate::Judge;
use atl_kernel::{Expr, Ix, IxOp, Node, Var};
use atl_schedule::nest::{qualified, subterm};

/// How often a loop is cut: a bound may stand in another one.
const CUTS: usize = 2;

/// Are there bounds in the indices of a program?
pub(super) fn are_in(e: &Expr) -> bool {
    let is_bounded = |ix: &Ix| matches!(ix, Ix::Bin(IxOp::Min | IxOp::Max, _));
    let here = matches!(&**e, Node::Get(_, ix) if any(ix, &is_bounded));
    here || e.children().any(|at| e.child(at).is_some_and(are_in))
}

/// The steps with loops along memory cut at their bounds, where the step stands that splits guards off; none
/// where there is no such step, or no such bound.
pub(super) fn split_off(steps: &[String], judge: &mut dyn Judge) -> Option<Vec<String>> {
    let at = steps.iter().position(|step| step == PEEL)?;
    let (before, after) = (&steps[..at], &steps[at + 1..]);
    let body = judge.derive(before).ok()?;
    let mut names: Vec<String> = Vec::new();
    for (name, bounded) in last(&body) {
        if bounded == Bounded::Yes && !names.contains(&name) {
            names.push(name);
        }
    }
    let mut begun = before.to_vec();
    if names.is_empty() {
        return None;
    }
    if has_guards(&body) {
        begun.push(PEEL.to_owned());
    }
    for name in names {
        for _ in 0..CUTS {
            begun.push(format!("peel {name}"));
            match judge.derive(&begun) {
                Ok(body) if last(&body).contains(&(name.clone(), Bounded::No)) => break,
                Ok(_) => {}
                Err(refused) if refused.code == NOTHING_TO_PEEL => {
                    begun.pop();
                    break;
                }
                Err(_) => return None,
            }
        }
    }
    Some([&begun, after].concat())
}

/// Has a loop bounds on its own variable?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bounded {
    Yes,
    No,
}

/// The names of the last loops over cells.
fn last(body: &Expr) -> Vec<(String, Bounded)> {
    let mut found = Vec::new();
    for place in last_loops(body) {
        let Some(Node::Gen(_, _, inner)) = subterm(body, &place.path).map(|e| &**e) else { continue };
        let bounded = if is_clamped(inner, 0) { Bounded::Yes } else { Bounded::No };
        found.push((qualified(body, &place), bounded));
    }
    found
}

/// Has a read in the term a minimum or a maximum with the loop's variable in its index?
fn is_clamped(e: &Expr, depth: u32) -> bool {
    let is_own = |ix: &Ix| *ix == Ix::Var(Var::Bound(depth));
    let is_bounded = |ix: &Ix| matches!(ix, Ix::Bin(IxOp::Min | IxOp::Max, _)) && any(ix, &is_own);
    let here = matches!(&**e, Node::Get(_, ix) if any(ix, &is_bounded));
    here || e.children().any(|at| e.child(at).is_some_and(|child| is_clamped(child, depth + e.binds(at))))
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
