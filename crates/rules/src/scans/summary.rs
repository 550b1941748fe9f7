//! What rounds do to the states that they begin with.
//!
//! The one idea: where each round adds a term to a state, or makes a sum of multiples of the states and a
//! term of them, rounds from any states are rounds from zero, *responses*, and what the states add to
//! these. So the rounds of a block are run before it is known what it begins with.

use super::form::{NEW, OLD, Scan};
use super::{added, linear};
use crate::cx::Cx;
use crate::occurrences::mentions;
use crate::rules::guard_false::zeros;
use atl_kernel::{Expr, Ix, Label, Node, Prim, Result, Thm, Type};

/// What the rounds of a scan do, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Summary {
    /// Each state adds up terms.
    Added,
    /// The new states are sums of multiples of the old ones, and of a term.
    Linear,
}

impl Summary {
    /// What the rounds of a scan do.
    pub fn of(scan: &Scan) -> Option<Summary> {
        if let Some(other) = scan.carried_out() {
            return Summary::of(&other);
        }
        let gone = scan.unread();
        if gone.is_empty() { Summary::of_states(scan) } else { Summary::of(&scan.without(&gone)) }
    }

    /// What rounds do to all of their states.
    pub fn of_states(scan: &Scan) -> Option<Summary> {
        let all = |holds: &dyn Fn(&Scan, usize) -> bool| (0..scan.states.len()).all(|k| holds(scan, k));
        if scan.states.is_empty() {
            None
        } else if all(&|scan, k| added::term(scan, k).is_some()) {
            Some(Summary::Added)
        } else if all(&|scan, k| linear::is_linear(&scan.states[k].step, scan.states.len())) {
            Some(Summary::Linear)
        } else {
            None
        }
    }

    /// The first state of which it is not known what rounds do to it, and what its step has that is no sum
    /// and no multiple of states.
    pub fn unknown(scan: &Scan) -> Option<(Label, Unknown)> {
        let other = scan.carried_out().unwrap_or_else(|| scan.clone());
        let scan = other.without(&other.unread());
        let count = scan.states.len();
        let state = scan.states.iter().find(|state| !linear::is_linear(&state.step, count))?;
        Some((state.label.clone(), unknown(&state.step, count)))
    }

    /// The scans whose states a state depends on, and which of their states: from zero; of a linear one
    /// moreover those without the terms, from each unit.
    pub(super) fn responses(self, block: &Scan, types: &[Type], k: usize) -> Vec<(Scan, usize)> {
        let from_zero = block.from(&types.iter().map(zeros).collect::<Vec<_>>());
        match self {
            Summary::Added => vec![(from_zero, k)],
            Summary::Linear => {
                let units = (0..block.states.len()).map(|from| (linear::from_unit(block, types, from), k));
                std::iter::once((from_zero, k)).chain(units).collect()
            }
        }
    }

    /// A state after rounds that begin with these states, of its responses.
    pub(super) fn together(self, states: &[Expr], k: usize, responses: &[Expr]) -> Expr {
        match self {
            Summary::Added => added::together(&states[k], &responses[0]),
            Summary::Linear => linear::together(states, responses),
        }
    }

    /// A state after a number of rounds of a block is that.
    pub(super) fn prove(
        self,
        cx: &mut Cx<'_>,
        block: &Scan,
        types: &[Type],
        rounds: &Ix,
        k: usize,
    ) -> Result<Thm> {
        match self {
            Summary::Added => added::prove(cx, block, types, rounds, k),
            Summary::Linear => linear::prove(cx, block, types, rounds, k),
        }
    }
}

/// Why it is not known what rounds do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The other sign of a state.
    Negation,
    /// A quotient of a state.
    Quotient,
    /// The lesser or the greater of states and other numbers.
    Extremum,
    /// Anything else.
    Other,
}

/// The first operation on states in a step that is no sum and no multiple.
fn unknown(step: &Expr, count: usize) -> Unknown {
    let below = |args: &[Expr]| {
        let unknown = args.iter().filter(|e| reads_states(e, count)).map(|e| unknown(e, count));
        unknown.into_iter().find(|why| *why != Unknown::Other).unwrap_or(Unknown::Other)
    };
    match &**step {
        Node::Prim(Prim::Neg, _) => Unknown::Negation,
        Node::Prim(Prim::Div, ab) if !reads_states(&ab[1], count) => Unknown::Quotient,
        Node::Prim(Prim::Max | Prim::Min, _) => Unknown::Extremum,
        Node::Prim(Prim::Add | Prim::Sub | Prim::Mul, args) => below(args),
        _ => Unknown::Other,
    }
}

/// Does a term read one of these states, before or after the round?
pub(super) fn reads_states(e: &Expr, count: usize) -> bool {
    (0..count as u32).any(|k| mentions(e, OLD + k) || mentions(e, NEW + k))
}
