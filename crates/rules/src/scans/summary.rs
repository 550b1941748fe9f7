//! What rounds do to the states that they begin with.
//!
//! The one idea: where each round adds a term to a state, or joins one to the states in a monoid, or makes a
//! sum of multiples of the states and a term of them, rounds from any states are rounds from zero,
//! *responses*, and what the states add to these. So the rounds of a block are run before it is known what
//! it begins with.

use super::form::{NEW, OLD, Scan};
use super::{added, each, joined, linear};
use crate::cx::Cx;
use crate::occurrences::mentions;
use crate::rules::guard_false::zeros;
use atl_kernel::{Elem, Error, Expr, Ix, Label, Monoid, Node, Prim, Result, Thm, Type};
use std::sync::Arc;

/// What the rounds of a scan do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Summary {
    /// Each state adds up terms.
    Added,
    /// The new states are sums of multiples of the old ones, and of a term.
    Linear,
    /// A term is joined to the states in this monoid.
    Joined(Arc<Monoid>),
}

/// The form of steps: what rounds do, where the types of the states are left open.
enum Form<'m> {
    Added,
    Linear,
    Each,
    Sum(&'m Arc<Monoid>),
}

impl<'m> Form<'m> {
    /// The form of the steps of all states, which may be sums in one of these monoids.
    fn of(scan: &Scan, monoids: &'m [Arc<Monoid>]) -> Option<Form<'m>> {
        let all = |holds: &dyn Fn(&Scan, usize) -> bool| (0..scan.states.len()).all(|k| holds(scan, k));
        if scan.states.is_empty() {
            None
        } else if all(&|scan, k| added::term(scan, k).is_some()) {
            Some(Form::Added)
        } else if all(&|scan, k| linear::is_linear(&scan.states[k].step, scan.states.len())) {
            Some(Form::Linear)
        } else if each::is_each(scan) {
            Some(Form::Each)
        } else {
            monoids.iter().find(|monoid| joined::terms(monoid, scan, &Ix::ZERO).is_some()).map(Form::Sum)
        }
    }
}

/// Is it known what the rounds of a scan do, which may be sums in one of these monoids?
pub fn is_known(scan: &Scan, monoids: &[Arc<Monoid>]) -> bool {
    if let Some(other) = scan.carried_out() {
        return is_known(&other, monoids);
    }
    let gone = scan.unread();
    if gone.is_empty() { Form::of(scan, monoids).is_some() } else { is_known(&scan.without(&gone), monoids) }
}

/// Is it known what rounds do to all of their states?
pub fn is_known_of_states(scan: &Scan, monoids: &[Arc<Monoid>]) -> bool {
    Form::of(scan, monoids).is_some()
}

/// The first of these monoids in which the states of a scan are a sum, and no form needs less.
pub fn monoid_of<'m>(scan: &Scan, monoids: &'m [Arc<Monoid>]) -> Option<&'m Arc<Monoid>> {
    let other = scan.carried_out().unwrap_or_else(|| scan.clone());
    match Form::of(&other.without(&other.unread()), monoids)? {
        Form::Sum(monoid) => Some(monoid),
        _ => None,
    }
}

/// The first state of which it is not known what rounds do to it, and what its step has that is no sum
/// and no multiple of states; nothing where it is known of all.
pub fn unknown(scan: &Scan, monoids: &[Arc<Monoid>]) -> Option<(Label, Unknown)> {
    if is_known(scan, monoids) {
        return None;
    }
    let other = scan.carried_out().unwrap_or_else(|| scan.clone());
    let scan = other.without(&other.unread());
    let count = scan.states.len();
    let state = scan.states.iter().find(|state| !linear::is_linear(&state.step, count))?;
    Some((state.label.clone(), why_unknown(&state.step, count)))
}

impl Summary {
    /// What rounds do to all of their states, which are of these types.
    ///
    /// # Errors
    /// It is not known, or not of states of such types.
    pub(super) fn of(scan: &Scan, types: &[Type], monoids: &[Arc<Monoid>]) -> Result<Summary> {
        let scalars = |elems: &[Elem]| {
            let of = |(ty, elem): (&Type, &Elem)| ty.shape.is_empty() && ty.elem == *elem;
            types.len() == elems.len() && types.iter().zip(elems).all(of)
        };
        let joined = |monoid: Arc<Monoid>| match scalars(monoid.fields()) {
            true => Ok(Summary::Joined(monoid)),
            false => Err(Error::Mismatch("states that are not the fields of the monoid")),
        };
        match Form::of(scan, monoids) {
            Some(Form::Added) => Ok(Summary::Added),
            Some(Form::Linear) if scalars(&vec![types[0].elem; types.len()]) => Ok(Summary::Linear),
            Some(Form::Linear) => Err(Error::Mismatch("states that are no scalars of one type")),
            Some(Form::Each) => joined(each::monoid(scan, types)?),
            Some(Form::Sum(monoid)) => joined(monoid.clone()),
            None => Err(Error::Mismatch("it is not known what the rounds do to the states")),
        }
    }

    /// The scans whose states a state depends on, and which of their states: from zero, in a monoid all of
    /// them; of a linear one moreover those without the terms, from each unit.
    pub(super) fn responses(&self, block: &Scan, types: &[Type], k: usize) -> Vec<(Scan, usize)> {
        let from_zero = match self {
            Summary::Joined(monoid) => block.from(monoid.zero()),
            _ => block.from(&types.iter().map(zeros).collect::<Vec<_>>()),
        };
        match self {
            Summary::Added => vec![(from_zero, k)],
            Summary::Joined(_) => (0..block.states.len()).map(|k| (from_zero.clone(), k)).collect(),
            Summary::Linear => {
                let units = (0..block.states.len()).map(|from| (linear::from_unit(block, types, from), k));
                std::iter::once((from_zero, k)).chain(units).collect()
            }
        }
    }

    /// A state after rounds that begin with these states, of its responses.
    pub(super) fn together(&self, states: &[Expr], k: usize, responses: &[Expr]) -> Expr {
        match self {
            Summary::Added => added::together(&states[k], &responses[0]),
            Summary::Linear => linear::together(states, responses),
            Summary::Joined(monoid) => monoid.sum(states, responses).swap_remove(k),
        }
    }

    /// A state after a number of rounds of a block is that.
    pub(super) fn prove(
        &self,
        cx: &mut Cx<'_>,
        block: &Scan,
        types: &[Type],
        rounds: &Ix,
        k: usize,
    ) -> Result<Thm> {
        match self {
            Summary::Added => added::prove(cx, block, types, rounds, k),
            Summary::Linear => linear::prove(cx, block, types, rounds, k),
            Summary::Joined(monoid) => joined::prove(cx, monoid, block, rounds, k),
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
fn why_unknown(step: &Expr, count: usize) -> Unknown {
    let below = |args: &[Expr]| {
        let unknown = args.iter().filter(|e| reads_states(e, count)).map(|e| why_unknown(e, count));
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
