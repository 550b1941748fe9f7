//! From a dense program over sparse operands to loops over their positions.
//!
//! A sparse operand is a sum over its stored positions, each at one coordinate:
//! `sum p { one_hot(M, crd[p], val[p]) }`. An element of it is `sum p { [j == crd[p]] * val[p] }`. What
//! follows are equations of the catalogue, applied from the inside out:
//!
//! * such a sum moves out of the product that it is a factor of, since zero annihilates;
//! * a loop over `j`, a `sum` or a `gen`, changes places with it, and the equation ends it: a `sum` is its one term, a `gen`
//!   is a `one_hot`, which is a scatter; so is a `gen` under an equation of indices, as that of a diagonal;
//! * a guard moves out of the loops that it does not depend on.
//!
//! What the loops leave is a loop over positions for each sparse level. Nothing here is tried that does not
//! end in such a loop; a term that reads several sparse operands at one index keeps an equation between their
//! coordinates, which the caller sees by [`meets`](super::meets).

use super::block_coordinates::{of_blocks, of_pairs};
use super::coordinates::{
    conditions_depend_on, determines, is_coordinate, is_determined_by, is_determined_by_equation, is_long,
    is_of_element, is_over_positions, is_placed, is_sparse, level, reads,
};
use super::discordant_order::{has_discordant_order, scatter_discordant};
use super::scatter::{merged, scattered};
use crate::conjuncts::{conjunction, conjuncts, guard};
use crate::cx::{Cx, Step};
use crate::derived::by_name;
use crate::gather::unimplied;
use crate::inside_reads;
use crate::lets::from_left;
use crate::rules::gen_one_hot::gen_one_hot;
use crate::rules::guard_inward::guard_outward;
use crate::rules::onehot_sum_and::onehot_sum_and;
use crate::settle::{Again, Moved, settle};
use atl_kernel::{Child, Expr, Ix, Node, Pred, Prim, Result, Rule, Thm, subst};
use std::sync::Arc;

/// Carry out the reads of sparse operands everywhere in a term.
///
/// A loop over positions says what a loop over coordinates is; where it is left over, and its equation says
/// which position a coordinate has, as in a run of coordinates that follow each other, it ends itself.
pub fn sparsify(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let located =
        |positions| move |cx: &mut Cx<'_>, e: &Expr| settle(cx, e, &mut |cx, e| step(cx, e, positions));
    cx.sequence(e, located(Positions::Loop), located(Positions::Located))
}

/// Scatters loops over coordinates whose order differs from an operand's levels, after all reads are carried
/// out.
pub fn scatter_discordant_loops(cx: &mut Cx<'_>, e: &Expr) -> Step {
    settle(cx, e, &mut |cx, e| step(cx, e, Positions::Scattered))
}

/// What becomes of a loop over positions whose equation says which position it is.
#[derive(Clone, Copy, PartialEq)]
enum Positions {
    /// It stays, for the loops over coordinates around it.
    Loop,
    /// It is that one position.
    Located,
    /// It stays, and moves out of the loops on which it depends, which become scatters.
    Scattered,
}

/// One step at a node whose children are done.
fn step(cx: &mut Cx<'_>, e: &Expr, positions: Positions) -> Moved {
    let simplified = inside_reads::simplify_read_indices(cx, e)?;
    if simplified.is_some() {
        return Ok(all(simplified));
    }
    match &**e {
        Node::Get(array, _) => access(cx, e, array),
        Node::Prim(Prim::Mul, ab) => product(cx, e, &ab[0], &ab[1]),
        Node::Guard(p, body) => guarded(cx, e, p, body),
        Node::Sum(_, _, body) | Node::Gen(_, _, body) => looped(cx, e, body, positions),
        Node::Op(def, ixs, args) if def.name == "one_hot" => {
            Ok(scattered(cx, e, ixs, &args[0])?.map(|thm| (thm, Again::BODY)))
        }
        _ => Ok(None),
    }
}

/// The step, after which everything below may change again.
fn all(step: Option<Thm>) -> Option<(Thm, Again)> {
    step.map(|thm| (thm, Again::All))
}

/// `one_hot(n, c, sum p { e }) = sum p { one_hot(n, c, e) }`.
fn sum_around(cx: &mut Cx<'_>, e: &Expr, ixs: &[Ix], slice: &Expr) -> Result<Thm> {
    let (Node::Sum(label, m, body), [n, c]) = (&**slice, ixs) else { return cx.refl(e) };
    let position = cx.ctx.level();
    let term = atl_ops::one_hot(n.clone(), c.clone(), subst::open(body, position));
    let around = Arc::new(Node::Sum(label.clone(), m.clone(), subst::close(&term, position)));
    let unfolded = cx.rule(Rule::Unfold, e)?;
    let swapped = cx.then(unfolded, |cx, e| {
        let inside = cx.inside(e, Child::Body, |cx, e| cx.rule(Rule::GuardSum, e))?;
        cx.then(inside, |cx, e| cx.rule(Rule::GenSumSwap, e))
    })?;
    let folded = from_left(cx, swapped.rhs(), &around, |cx, around| {
        cx.inside(around, Child::Body, |cx, e| cx.rule(Rule::Unfold, e))
    })?;
    swapped.trans(folded)
}

/// A read moves to where the elements are.
fn access(cx: &mut Cx<'_>, e: &Expr, array: &Expr) -> Moved {
    match &**array {
        Node::Gen(..) => cx.rule(Rule::AccessGen, e).map(Some).map(all),
        Node::Sum(..) => Ok(Some((cx.rule(Rule::GetSum, e)?, Again::BODY))),
        Node::Guard(..) => Ok(Some((cx.rule(Rule::GetGuard, e)?, Again::BODY))),
        Node::Op(..) | Node::Get(..) => {
            match operator(array).and_then(|name| by_name(&format!("access_{name}"))) {
                Some(rule) => rule.rewrite(cx, e, &[]).map(Some).map(all),
                None => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

/// The name of the operator below accesses.
fn operator(e: &Expr) -> Option<&'static str> {
    match &**e {
        Node::Get(array, _) => operator(array),
        Node::Op(def, ..) => Some(def.name),
        _ => None,
    }
}

/// A sparse factor's sums and guards are those of the product, and the product of a sum with a sparse term is
/// a sum.
fn product(cx: &mut Cx<'_>, e: &Expr, a: &Expr, b: &Expr) -> Moved {
    // The other factor stands below more than it did.
    let (rule, again) = match (&**a, &**b) {
        (Node::Sum(..), _) if is_sparse(a) => (Rule::MulSumR, Again::RIGHT_OF_BODY),
        (Node::Guard(..), _) if is_sparse(a) => (Rule::GuardMulL, Again::RIGHT_OF_BODY),
        (_, Node::Sum(..)) if is_sparse(b) => (Rule::MulSumL, Again::LEFT_OF_BODY),
        (_, Node::Guard(..)) if is_sparse(b) => (Rule::GuardMulR, Again::LEFT_OF_BODY),
        (Node::Prim(Prim::Add, parts), _) if parts.iter().any(is_sparse) => (Rule::DistrR, Again::All),
        (_, Node::Prim(Prim::Add, parts)) if parts.iter().any(is_sparse) => (Rule::DistrL, Again::All),
        _ => return Ok(None),
    };
    Ok(Some((cx.rule(rule, e)?, again)))
}

/// Guards become one, are simplified, and lose what is known.
fn guarded(cx: &mut Cx<'_>, e: &Expr, p: &Pred, body: &Expr) -> Moved {
    if matches!(**body, Node::Guard(..)) {
        return Ok(Some((cx.rule(Rule::GuardAnd, e)?, Again::ROOT)));
    }
    if matches!(**body, Node::Sum(..)) && is_sparse(body) {
        return Ok(Some((cx.rule(Rule::GuardSum, e)?, Again::BODY)));
    }
    let rest = unimplied(cx, p);
    let done = match atl_arith::simplify_pred(&cx.ctx, &rest) {
        Pred::True => Some(cx.rule(Rule::GuardTrue, e)?),
        q if q != *p => Some(cx.rule(Rule::ArithEq(guard(q, body)), e)?),
        _ => match of_blocks(p).or_else(|| of_pairs(p, &|pair| reads(&pair.number))) {
            // Where it cannot be shown, the condition stays.
            Some(q) => cx.rule(Rule::ArithEq(guard(q, body)), e).ok(),
            None => None,
        },
    };
    Ok(done.map(|thm| (thm, Again::ROOT)))
}

/// A loop over a sparse term goes inward until an equation ends it.
fn looped(cx: &mut Cx<'_>, e: &Expr, body: &Expr, positions: Positions) -> Moved {
    let (index, is_gen) = (cx.ctx.level(), matches!(**e, Node::Gen(..)));
    let inside = subst::open(body, index);
    let turns =
        |e: &Expr| is_gen && positions == Positions::Scattered && has_discordant_order(e, index, index + 1);
    match &*inside {
        Node::Sum(_, m, _) if is_sparse(&inside) && !m.mentions(index) => {
            // The terms of a long sum that no place depends on are added up for one position at a time.
            let is_free = reads(m) && is_long(e) && !conditions_depend_on(&inside, index, |_| true);
            let stays = match is_gen {
                // Its index says where the terms stand: each element is searched for, or the loop is turned.
                true => {
                    conditions_depend_on(&inside, index, is_of_element)
                        && !is_determined_by(&inside, index, index + 1, |_| true)
                }
                false => {
                    is_over_positions(e) || !is_free && !is_determined_by_equation(&inside, index, index + 1)
                }
            };
            if stays {
                return Ok(None);
            }
            Ok(Some((cx.rule(if is_gen { Rule::GenSumSwap } else { Rule::SumSwap }, e)?, Again::BODY)))
        }
        // A dense dimension goes inside the loop over positions: its elements stand side by side in memory.
        Node::Sum(_, m, _) if is_gen && reads(m) && !m.mentions(index) => {
            Ok(Some((cx.rule(Rule::GenSumSwap, e)?, Again::BODY)))
        }
        Node::Gen(..) if turns(&inside) => cx.child(e, Child::Body, scatter_discordant).map(all),
        // How far the inner sum goes depends on the loop, whose equation must come out of it first.
        Node::Sum(_, _, inner) if is_sparse(&inside) && is_determined_outside(inner, index) => {
            let outside = cx.inside(e, Child::Body, |cx, sum| equation_out(cx, sum, index))?;
            cx.then(outside, |cx, e| eliminate_by_equation(cx, e, is_gen)).map(Some).map(all)
        }
        Node::Guard(p, rest) => {
            let (own, outer) = partition_conjuncts(p, index);
            if let (Node::Sum(_, n, _), Positions::Scattered) = (&**e, positions)
                && is_placed(rest)
                && let Some(q) = of_pairs(p, &|pair| pair.second == index && pair.n == *n)
            {
                return cx.child(e, Child::Body, |cx, e| cx.rule(Rule::ArithEq(guard(q, rest)), e)).map(all);
            }
            // Once no operand is left to say where it stands, any equation does.
            let is_said = |part: &Pred| {
                is_coordinate(part) || is_gen || positions == Positions::Scattered && is_placed(rest)
            };
            let ends = |part: &Pred| is_said(part) && determines(part, index);
            // A loop with a coordinate guard keeps its other guards, unless an equation eliminates the loop.
            let is_determined = !is_over_positions(e) && own.iter().any(ends);
            if !is_determined && own.iter().any(|part| is_coordinate(part) && !determines(part, index)) {
                return Ok(None);
            }
            if is_over_positions(e) && own.iter().any(ends) {
                return match positions {
                    Positions::Loop | Positions::Scattered => Ok(None),
                    Positions::Located => onehot_sum_and(cx, e).map(Some).map(all),
                };
            }
            if !outer.is_empty() {
                let moved = outward(cx, e, own, outer, rest)?;
                // Where the equation cannot end the loop, the sum takes the condition in again, and so it
                // stays there.
                return match is_determined {
                    true => cx
                        .then(moved, |cx, e| {
                            cx.child(e, Child::Body, |cx, e| eliminate_by_equation(cx, e, is_gen))
                        })
                        .map(Some)
                        .map(all),
                    false => Ok(Some((moved, Again::BODIES))),
                };
            }
            if !own.iter().any(ends) {
                return Ok(None);
            }
            eliminate_by_equation(cx, e, is_gen).map(Some).map(all)
        }
        // What is scattered is a sum that ends the loop: it stands around the place, and around the loop.
        Node::Op(def, ixs, args)
            if is_gen
                && def.name == "one_hot"
                && matches!(*args[0], Node::Sum(..))
                && !ixs.iter().any(|ix| ix.mentions(index))
                && is_determined_by_equation(&args[0], index, index + 1) =>
        {
            let around = cx.inside(e, Child::Body, |cx, e| sum_around(cx, e, ixs, &args[0]))?;
            Ok(Some((around, Again::BODIES)))
        }
        // Sums that end the loop come out of what arranges their terms.
        Node::Op(..) if is_gen && is_arranged(&inside, index) => cx
            .child(e, Child::Body, |cx, e| arrangement_inward(cx, e, index))
            .and_then(|thm| cx.total(e, thm))
            .map(Some)
            .map(all),
        Node::Prim(Prim::Add, ab)
            if ab.iter().any(|part| is_determined_by_equation(part, index, index + 1) || turns(part)) =>
        {
            if !is_gen {
                return cx.rule(Rule::SumAdd, e).map(Some).map(all);
            }
            by_name("gen_of_add").map(|rule| rule.rewrite(cx, e, &[])).transpose().map(all)
        }
        _ => Ok(None),
    }
}

/// Are there, below reshape operators that do not depend on the index, sums with an equation that ends its
/// loop?
fn is_arranged(e: &Expr, index: u32) -> bool {
    match &**e {
        Node::Op(def, ixs, args) if def.name != "one_hot" && args.len() == 1 => {
            !ixs.iter().any(|ix| ix.mentions(index))
                && (is_determined_by_equation(&args[0], index, index + 1) || is_arranged(&args[0], index))
        }
        _ => false,
    }
}

/// `op(sum p { [i == c(p)] * e }) = sum p { [i == c(p)] * op(e) }`, for a reshape operator, or several: down
/// to that equation.
fn arrangement_inward(cx: &mut Cx<'_>, e: &Expr, index: u32) -> Result<Thm> {
    let Node::Op(_, _, args) = &**e else { return cx.refl(e) };
    match &*args[0] {
        Node::Op(..) => {
            let first = cx.inside(e, Child::Arg(0), |cx, e| arrangement_inward(cx, e, index))?;
            match &**first.rhs() {
                Node::Op(_, _, args) if matches!(*args[0], Node::Sum(..) | Node::Guard(..)) => {
                    cx.then(first, |cx, e| arrangement_inward(cx, e, index))
                }
                _ => Ok(first),
            }
        }
        Node::Sum(..) => {
            let Some(rule) = by_name("reshape_of_sum") else { return cx.refl(e) };
            let moved = rule.rewrite(cx, e, &[])?;
            cx.then(moved, |cx, e| cx.child(e, Child::Body, |cx, e| arrangement_inward(cx, e, index)))
        }
        Node::Guard(p, _) => {
            let is_end = conjuncts(p).iter().any(|part| is_coordinate(part) && determines(part, index));
            let moved = guard_outward(cx, e)?;
            if is_end {
                return Ok(moved);
            }
            cx.then(moved, |cx, e| cx.child(e, Child::Body, |cx, e| arrangement_inward(cx, e, index)))
        }
        _ => cx.refl(e),
    }
}

/// Eliminates a loop whose index an equation determines.
fn eliminate_by_equation(cx: &mut Cx<'_>, e: &Expr, is_gen: bool) -> Result<Thm> {
    if !is_gen {
        return onehot_sum_and(cx, e);
    }
    let scattered = gen_one_hot(cx, e)?;
    cx.then(scattered, inside)
}

/// Scatters where the place is inside: `one_hot(n, c, e) = [0 <= c < n] * one_hot(n, c, e)`. Empty places of
/// a table have coordinates that are not, and a diagonal ends.
fn inside(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Op(_, ixs, _) = &**e else { return Ok(None) };
    let [n, c] = &ixs[..] else { return Ok(None) };
    let missing = unimplied(cx, &Pred::in_range(c, n));
    if missing == Pred::True {
        return Ok(None);
    }
    let around = guard(missing, e);
    let unfolded = cx.rule(Rule::Unfold, e)?;
    let thm = from_left(cx, unfolded.rhs(), &around, |cx, around| {
        let inside = cx.inside(around, Child::Body, |cx, e| cx.rule(Rule::Unfold, e))?;
        let inside = cx.then(inside, |cx, e| cx.rule(Rule::GuardGen, e))?;
        cx.then(inside, |cx, e| cx.child(e, Child::Body, merged))
    })?;
    unfolded.trans(thm).map(Some)
}

/// The conjuncts of a guard that depend on a variable, and the others.
fn partition_conjuncts(p: &Pred, level: u32) -> (Vec<Pred>, Vec<Pred>) {
    conjuncts(p).into_iter().partition(|part| part.mentions(level))
}

/// Does an equation in this body of a sum say what the index is, whatever the position?
fn is_determined_outside(body: &Expr, index: u32) -> bool {
    let position = level(0);
    match &*subst::open(body, position) {
        Node::Guard(p, _) => partition_conjuncts(p, position)
            .1
            .iter()
            .any(|part| is_coordinate(part) && determines(part, index)),
        _ => false,
    }
}

/// `sum p { [own(p) && x] * e } = [x] * sum p { [own(p)] * e }`, if `x` has an equation for the index at this
/// level.
fn equation_out(cx: &mut Cx<'_>, e: &Expr, index: u32) -> Step {
    let Node::Sum(_, _, body) = &**e else { return Ok(None) };
    let position = cx.ctx.level();
    match &*subst::open(body, position) {
        Node::Guard(p, rest) if is_determined_outside(body, index) => {
            let (own, outer) = partition_conjuncts(p, position);
            outward(cx, e, own, outer, rest).map(Some)
        }
        _ => Ok(None),
    }
}

/// `loop { [own && outer] * e } = [outer] * loop { [own] * e }`.
pub(crate) fn outward(
    cx: &mut Cx<'_>,
    e: &Expr,
    own: Vec<Pred>,
    outer: Vec<Pred>,
    rest: &Expr,
) -> Result<Thm> {
    let index = cx.ctx.level();
    let kept = if own.is_empty() { rest.clone() } else { guard(conjunction(own), rest) };
    let body = subst::close(&kept, index);
    let (inner, rule) = match &**e {
        Node::Gen(l, n, _) => (Arc::new(Node::Gen(l.clone(), n.clone(), body)), Rule::GuardGen),
        Node::Sum(l, n, _) => (Arc::new(Node::Sum(l.clone(), n.clone(), body)), Rule::GuardSum),
        _ => return cx.refl(e),
    };
    let left = guard(conjunction(outer), &inner);
    from_left(cx, e, &left, |cx, left| {
        let inward = cx.rule(rule, left)?;
        cx.then(inward, |cx, e| cx.child(e, Child::Body, merged))
    })
}
