//! The normal form of terms with sums, and equations proved by it.
//!
//! **The one idea.** In gather form an element is a scalar; there, as far as the algebra's laws allow, sums
//! go outermost, products are distributed over them and over `+`, guards go inwards past sums and outwards
//! past products, one-hot sums collapse, and what commutes stands in the order of [`order`](crate::order).
//! Each step is a primitive rule; where the algebra lacks a law the step is not made, so that the theorem
//! never claims what does not hold.
//!
//! It decides no more than that: sums of equal extents that need relabelling in several steps may stay apart.

use crate::cases::{CASES, agree};
use crate::cx::{Cx, Step};
use crate::gather::{decide, gather};
use crate::order::compare;
use atl_kernel::{Child, Error, Expr, Node, Prim, Result, Rule, Thm};
use std::cmp::Ordering;
use std::sync::Arc;

/// The most steps in one term.
const STEPS: usize = 2_000;

/// What becomes of the factors of a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Products {
    /// They stay in their order, so that multiplication need not commute.
    InOrder,
    /// They are sorted.
    Sorted,
}

/// Prove `lhs = rhs` by comparing normal forms, by cases of what is left of guards and selects.
///
/// # Errors
/// They differ, or the terms have no type.
pub fn by_normal(cx: &mut Cx<'_>, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    by_normal_within(cx, lhs, rhs, STEPS)
}

/// The same with a limit of steps.
pub(crate) fn by_normal_within(cx: &mut Cx<'_>, lhs: &Expr, rhs: &Expr, steps: usize) -> Result<Thm> {
    let mut compared = |products| compare_normal(cx, lhs, rhs, products, steps);
    compared(Products::InOrder).or_else(|_| compared(Products::Sorted))
}

fn compare_normal(cx: &mut Cx<'_>, lhs: &Expr, rhs: &Expr, products: Products, steps: usize) -> Result<Thm> {
    let left = cx.converted(lhs, |cx, e| normal_within(cx, e, products, steps))?;
    let right = cx.converted(rhs, |cx, e| normal_within(cx, e, products, steps))?;
    let same = agree(cx, &left.rhs().clone(), right.rhs(), CASES)?;
    left.trans(same)?.trans(right.sym())
}

/// Bring a term to normal form.
///
/// # Errors
/// The term has no type.
pub fn normal(cx: &mut Cx<'_>, e: &Expr, products: Products) -> Step {
    normal_within(cx, e, products, STEPS)
}

fn normal_within(cx: &mut Cx<'_>, e: &Expr, products: Products, steps: usize) -> Step {
    let mut left = steps;
    cx.sequence(e, gather, |cx, e| {
        cx.bottom_up(e, &mut |cx, e| {
            if left == 0 {
                return Err(Error::Mismatch("the normal form is too far away"));
            }
            left -= 1;
            step(cx, e, products)
        })
    })
}

/// The first of these rules that applies.
fn first(cx: &mut Cx<'_>, e: &Expr, rules: &[Rule]) -> Option<Thm> {
    rules.iter().find_map(|rule| cx.try_rule(rule.clone(), e))
}

/// One step at the root of a term.
fn step(cx: &mut Cx<'_>, e: &Expr, products: Products) -> Step {
    let moved = match &**e {
        Node::Guard(..) => first(cx, e, &[Rule::GuardZero, Rule::GuardAdd, Rule::GuardSum]),
        Node::Sum(..) => first(cx, e, &[Rule::OneHot, Rule::SumAdd]),
        Node::Prim(Prim::Mul, _) => first(
            cx,
            e,
            &[
                Rule::MulOneL,
                Rule::MulOneR,
                Rule::GuardMulL,
                Rule::GuardMulR,
                Rule::DistrR,
                Rule::DistrL,
                Rule::MulSumR,
                Rule::MulSumL,
                Rule::MulAssoc,
            ],
        ),
        Node::Prim(Prim::Add, _) => first(cx, e, &[Rule::AddZeroL, Rule::AddZeroR, Rule::AddAssoc]),
        _ => return Ok(None),
    };
    if moved.is_some() {
        return Ok(moved);
    }
    match &**e {
        Node::Guard(..) => decide(cx, e),
        Node::Sum(..) => smaller(cx, e, Rule::SumSwap),
        Node::Prim(Prim::Add, _) => ordered(cx, e, Prim::Add, Rule::AddComm, Rule::AddAssoc),
        Node::Prim(Prim::Mul, _) if products == Products::Sorted => {
            ordered(cx, e, Prim::Mul, Rule::MulComm, Rule::MulAssoc)
        }
        _ => Ok(None),
    }
}

/// A rule where its result comes first in the order of terms.
fn smaller(cx: &mut Cx<'_>, e: &Expr, rule: Rule) -> Step {
    Ok(cx.try_rule(rule, e).filter(|thm| compare(thm.rhs(), e) == Ordering::Less))
}

/// `a + b` with the smaller operand first; `a + (b + c)` as `b + (a + c)` where `b` is the smaller.
fn ordered(cx: &mut Cx<'_>, e: &Expr, f: Prim, comm: Rule, assoc: Rule) -> Step {
    let Node::Prim(_, ab) = &**e else { return Ok(None) };
    match &*ab[1] {
        Node::Prim(g, bc) if *g == f => {
            if compare(&bc[0], &ab[0]) != Ordering::Less {
                return Ok(None);
            }
            // As `(a + b) + c`, then `(b + a) + c`.
            let pair: Expr = Arc::new(Node::Prim(f, vec![ab[0].clone(), bc[0].clone()]));
            let together: Expr = Arc::new(Node::Prim(f, vec![pair, bc[1].clone()]));
            let Some(apart) = cx.try_rule(assoc.clone(), &together) else { return Ok(None) };
            let turned = cx.at(&together, &[Child::Arg(0)], &mut |cx, e| Ok(cx.try_rule(comm.clone(), e)))?;
            let Some(turned) = turned else { return Ok(None) };
            let back = cx.try_rule(assoc, &turned.rhs().clone());
            back.map(|back| apart.sym().trans(turned)?.trans(back)).transpose()
        }
        _ => smaller(cx, e, comm),
    }
}
