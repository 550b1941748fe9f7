//! Pad types: for each subterm, the indices that are certainly padding.
//!
//! Padding is what no code writes: the zeros that false guards, empty sums and reshape operators leave, and
//! the algebra's zero itself. A zero that is computed is none. [`pads`] gives every subterm its [`PadSet`],
//! bottom-up:
//!
//! | term | an index is padding if |
//! |---|---|
//! | `gen i<n. e` | the rest of it is padding of `e` at its first |
//! | `sum k<n. e` | it is padding of every iteration's `e`, or there is none |
//! | `[p] * e` | `p` is false, or it is padding of `e` |
//! | `select(p, a, b)` | it is padding of the side that `p` chooses |
//! | `let x = a; e` | it is padding of `e` |
//! | a reshape operator | the operator gathers it from no operand, or from padding |
//! | zero | always |
//! | anything else | never |
//!
//! **The one idea.** An operator's gather view is its pad type; no operator has a rule of its own here.
//!
//! Sets are under-approximations, and inside the box. They presuppose what [`check_term`](crate::check_term)
//! shows, that operators are applied as they require; and they decide nothing: whether a truncation drops
//! only padding is shown there, one stored element at a time, which needs no quantifier.

mod forall;
mod set;

use set::Axes;
pub use set::PadSet;

use atl_kernel::{Ctx, Entry, Expr, Ix, Label, Node, Number, Pred, Prover, Result, Rule, Thm, Var, enter};
use atl_ops::Operator;
use std::sync::Arc;

/// A term with its pad type, and those of its parts.
#[derive(Clone, Debug)]
pub struct Typed {
    /// Where it stands.
    pub ctx: Ctx,
    /// The term, its context's variables for bound ones.
    pub expr: Expr,
    /// Its padding.
    pub pads: PadSet,
    /// What is directly below it, in order.
    pub parts: Vec<Typed>,
}

/// The pad type of a term and of everything in it.
///
/// # Errors
/// The term has no type.
pub fn pads(ctx: &Ctx, e: &Expr, prover: &mut dyn Prover) -> Result<Typed> {
    typed(ctx, e, &Axes::of(ctx, e), prover)
}

fn typed(ctx: &Ctx, e: &Expr, axes: &Axes, prover: &mut dyn Prover) -> Result<Typed> {
    if let Node::Op(definition, ..) = &**e
        && atl_ops::of(definition).is_none()
    {
        // An operator that is not registered is lowered by its definition.
        let thm = Thm::rule(&Arc::new(ctx.clone()), Rule::Unfold, e, prover)?;
        return typed(ctx, thm.rhs(), axes, prover);
    }
    let mut parts = Vec::new();
    for at in e.children() {
        let (inner, child) = enter(ctx, e, at, prover)?;
        parts.push(typed(&inner, &child, axes, prover)?);
    }
    let pads = match (&**e, parts.as_slice()) {
        (Node::Gen(_, n, _), [body]) => body.pads.under_loop(ctx.level(), n),
        (Node::Let(..), [_, body]) => body.pads.clone(),
        _ => {
            let labels = names(e, &parts);
            PadSet::new(ctx, &shape(ctx, e, &parts), &labels, axes, |index| padded(ctx, e, &parts, index))
        }
    };
    Ok(Typed { ctx: ctx.clone(), expr: e.clone(), pads, parts })
}

/// Names for the leading dimensions: those of the loops that make them.
fn names(e: &Expr, parts: &[Typed]) -> Vec<Label> {
    match &**e {
        Node::Sum(..) | Node::Guard(..) | Node::Select(..) => {
            parts.first().map_or_else(Vec::new, |part| part.pads.labels())
        }
        _ => vec![],
    }
}

fn shape(ctx: &Ctx, e: &Expr, parts: &[Typed]) -> Vec<Ix> {
    let of = |k: usize| parts.get(k).map_or(&[][..], |part| &part.pads.shape);
    match &**e {
        Node::Var(Var::Free(level)) => match ctx.entry(*level) {
            Some(Entry::Tensor(_, ty)) => ty.shape.clone(),
            _ => vec![],
        },
        Node::Get(..) => of(0).iter().skip(1).cloned().collect(),
        Node::Iterate(_) => of(parts.len().saturating_sub(1)).to_vec(),
        Node::Op(definition, ixs, _) => match atl_ops::of(definition) {
            Some(op) => {
                let rest = of(0).iter().skip(op.tensor_params.first().map_or(0, |named| named.len()));
                (op.extents)(ixs, &extents(op, parts)).into_iter().chain(rest.cloned()).collect()
            }
            None => vec![],
        },
        _ => of(0).to_vec(),
    }
}

/// The leading extents of all operands, as [`Operator`] wants them.
fn extents(op: &Operator, parts: &[Typed]) -> Vec<Ix> {
    let named = parts.iter().zip(op.tensor_params);
    named.flat_map(|(part, names)| part.pads.shape.iter().take(names.len()).cloned()).collect()
}

/// Is the element of `e` at this index padding?
fn padded(ctx: &Ctx, e: &Expr, parts: &[Typed], index: &[Ix]) -> Pred {
    let of = |k: usize, index: &[Ix]| parts.get(k).map_or(Pred::False, |part| part.pads.at(index));
    match &**e {
        Node::Lit(_, Number::Zero) => Pred::True,
        Node::Sum(_, n, _) => {
            let every = parts.first().map(|body| body.pads.at_for_all(ctx.level(), n, index));
            Pred::or(Pred::le(n.clone(), Ix::ZERO), every.unwrap_or(Pred::False))
        }
        Node::Guard(p, _) => Pred::or(Pred::not(p.clone()), of(0, index)),
        Node::Select(p, ..) => {
            Pred::or(Pred::and(p.clone(), of(0, index)), Pred::and(Pred::not(p.clone()), of(1, index)))
        }
        Node::Op(definition, ixs, _) => {
            let Some(op) = atl_ops::of(definition) else { return Pred::False };
            let extents = extents(op, parts);
            let (leading, rest) = index.split_at(op.result_rank().min(index.len()));
            let (mut nowhere, mut padding) = (Pred::True, Pred::False);
            for k in 0..parts.len() {
                let gather = (op.gather)(ixs, &extents, leading, k);
                let from = of(k, &[&gather.rho, rest].concat());
                nowhere = Pred::and(nowhere, Pred::not(gather.cond.clone()));
                padding = Pred::or(padding, Pred::and(gather.cond, from));
            }
            Pred::or(nowhere, padding)
        }
        _ => Pred::False,
    }
}
