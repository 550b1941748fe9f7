//! The form of point updates: what leaves a cell as it is, and which equations say what the index of a
//! loop is.

use crate::cx::LowerCx;
use crate::error::LowerError;
use atl_arith::keys::equations;
use atl_kernel::subst::Subst;
use atl_kernel::{Cmp, Ctx, Expr, Iterate, Ix, IxOp, Node, Number, Pred, Prim, Var, subst};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Variables of no context, for what is only compared.
pub(crate) const APART: u32 = u32::MAX - (1 << 16);

/// That the truth value at a level holds.
pub(crate) fn holds(level: u32) -> Pred {
    Pred::eq(Ix::Read(Var::Free(level), [].into()), Ix::ONE)
}

/// Where the cells of a term are in the state.
#[derive(Clone, Default)]
pub struct Cells {
    /// Their first indices.
    pub index: Vec<Ix>,
    /// Of a part along the next dimension, `a` or `b` of `a ++ b`, where it begins.
    pub from: Option<Ix>,
}

impl Cells {
    /// Those with one more index, which is this one in the term.
    pub fn below(&self, at: Ix) -> Cells {
        Cells { index: [&self.index[..], &[self.shifted(at)]].concat(), from: None }
    }

    /// The next index in the state, of one in the term.
    pub(super) fn shifted(&self, at: Ix) -> Ix {
        match &self.from {
            None | Some(Ix::ZERO) => at,
            Some(from) => from.clone() + at,
        }
    }
}

/// `a` and `b` of `a ++ b`, with the cells that each is, where the extent of `a` can be read off.
pub(crate) fn parts<'e>(e: &'e Expr, cells: &Cells) -> Option<[(&'e Expr, Cells); 2]> {
    let [a, b] = concatenated(e)?;
    let first = cells.from.clone().unwrap_or(Ix::ZERO);
    let second = atl_arith::simplify(&Ctx::new(), &(first.clone() + extent(a)?));
    let part = |from| Cells { from: Some(from), ..cells.clone() };
    Some([(a, part(first)), (b, part(second))])
}

fn concatenated(e: &Expr) -> Option<[&Expr; 2]> {
    let Node::Op(definition, _, operands) = &**e else { return None };
    let is_concat = atl_ops::of(definition).is_some_and(|op| op.name == atl_ops::ops::concat::OPERATOR.name);
    let [a, b] = &operands[..] else { return None };
    is_concat.then_some([a, b])
}

/// The outer extent of a tensor, where it can be read off.
fn extent(e: &Expr) -> Option<Ix> {
    match &**e {
        Node::Gen(_, n, _) => Some(n.clone()),
        Node::Select(_, a, _) => extent(a),
        _ => {
            let [a, b] = concatenated(e)?;
            Some(extent(a)? + extent(b)?)
        }
    }
}

/// Is it the element, or the row, of the tensor at a level that these cells are?
pub fn is_same(e: &Expr, own: u32, cells: &Cells) -> bool {
    match &**e {
        Node::Gen(_, _, body) => {
            let at = Ix::free(u32::MAX - cells.index.len() as u32);
            is_same(&subst::instantiate(body, &at), own, &cells.below(at))
        }
        _ => cells.from.is_none() && is_access(e, own, &cells.index),
    }
}

fn is_access(e: &Expr, own: u32, index: &[Ix]) -> bool {
    match (&**e, index.split_last()) {
        (Node::Get(array, last), Some((at, rest))) => last == at && is_access(array, own, rest),
        (Node::Var(v), None) => *v == Var::Free(own),
        _ => false,
    }
}

/// Does some side of the conditions leave the cell as it is?
pub(super) fn keeps(e: &Expr, own: u32, cells: &Cells) -> bool {
    choice(e, own, cells)
        .is_some_and(|(_, a, b)| [a, b].iter().any(|e| is_same(e, own, cells) || keeps(e, own, cells)))
}

/// The condition and both sides of `select(p, a, b)`, also of one by a conjunction of truth values, some of
/// them conditions: `select(p && c, a, x[i])  =  select(p, select(c, a, x[i]), x[i])`, where the cell else
/// stays as it is.
pub fn choice(e: &Expr, own: u32, cells: &Cells) -> Option<(Pred, Expr, Expr)> {
    match &**e {
        Node::Select(p, a, b) => Some((p.clone(), a.clone(), b.clone())),
        Node::Prim(Prim::Where, operands) => {
            let [truth, a, b] = operands.as_slice() else { return None };
            let is_conjunction = matches!(**truth, Node::Prim(Prim::And, _));
            if cells.index.is_empty() || !is_conjunction || !is_same(b, own, cells) {
                return None;
            }
            let (mut conds, mut others) = (Vec::new(), Vec::new());
            conditions(truth, &mut conds, &mut others);
            // What is read of other scalars decides nothing about the index by itself.
            if conds.is_empty() {
                return None;
            }
            others.retain(|other| match &**other {
                Node::Var(Var::Free(level)) if *level != own => {
                    conds.push(holds(*level));
                    false
                }
                _ => true,
            });
            let both = |p: Expr, q: Expr| -> Expr { Arc::new(Node::Prim(Prim::And, vec![p, q])) };
            let chosen = |truth: Expr| Arc::new(Node::Prim(Prim::Where, vec![truth, a.clone(), b.clone()]));
            let a = others.into_iter().reduce(both).map_or_else(|| a.clone(), chosen);
            Some((conds.into_iter().fold(Pred::True, Pred::and), a, b.clone()))
        }
        _ => None,
    }
}

/// The parts of a conjunction of truth values: those that say whether a condition holds, and the others.
fn conditions(truth: &Expr, conds: &mut Vec<Pred>, others: &mut Vec<Expr>) {
    match &**truth {
        Node::Prim(Prim::And, parts) => parts.iter().for_each(|part| conditions(part, conds, others)),
        Node::Select(p, a, b) => match (&**a, &**b) {
            (Node::Lit(_, Number::One), Node::Lit(_, Number::Zero)) => conds.push(p.clone()),
            (Node::Lit(_, Number::Zero), Node::Lit(_, Number::One)) => conds.push(Pred::not(p.clone())),
            _ => others.push(truth.clone()),
        },
        _ => others.push(truth.clone()),
    }
}

/// The state of an iteration that begins as the tensor at a level, which has these extents, and is its value:
/// all of it, both times.
pub(super) fn continues(it: &Iterate, own: u32, shape: &[Ix]) -> Option<usize> {
    let begins = |init: &Expr| is_same(init, own, &Cells::default()) && has_extents(init, shape);
    let is_value = |k: usize| ends_as(it, &it.body, k) && has_extents(&it.body, shape);
    (0..it.states.len()).find(|k| begins(&it.states[*k].init) && is_value(*k))
}

/// Is it the whole of a tensor with these extents, where [`is_same`] finds the tensor? `gen i < 2 { x[i] }`
/// may be a part of it.
pub(crate) fn has_extents(e: &Expr, shape: &[Ix]) -> bool {
    match (&**e, shape) {
        (Node::Gen(_, n, body), [extent, rest @ ..]) => n == extent && has_extents(body, rest),
        _ => true,
    }
}

/// The state of an iteration that stands below the states as `end`, all of it.
pub(crate) fn state_at(cx: &mut LowerCx<'_>, it: &Iterate, end: &Expr) -> Result<Option<usize>, LowerError> {
    let Some(k) = (0..it.states.len()).find(|k| ends_as(it, end, *k)) else { return Ok(None) };
    let shape = cx.type_of(&it.states[k].init)?.shape;
    Ok(has_extents(end, &shape).then_some(k))
}

/// Is what stands below the states of the iteration this state, or a part of it?
fn ends_as(it: &Iterate, end: &Expr, k: usize) -> bool {
    let end = subst::open_all(end, APART, it.states.len() as u32);
    is_same(&end, APART + k as u32, &Cells::default())
}

/// Is the body of a `let` what it binds, all of it? That has these extents.
pub(crate) fn is_bound(body: &Expr, shape: &[Ix]) -> bool {
    is_same(&subst::open(body, APART), APART, &Cells::default()) && has_extents(body, shape)
}

/// Conditions that hold wherever the update `e` stores one of these cells.
pub fn only_where(e: &Expr, own: u32, cells: &Cells) -> Vec<Pred> {
    let level = u32::MAX - cells.index.len() as u32;
    let at = Ix::free(level);
    match &**e {
        Node::Gen(_, n, body) => {
            let body = subst::instantiate(body, &at);
            let mut conds = only_where(&body, own, &cells.below(at));
            if let Some(solution) = conds.iter().find_map(|p| solved(p, level)) {
                let put = Subst { index: vec![(level, solution.clone())], ..Subst::default() };
                conds = conds.iter().map(|p| put.pred(p)).collect();
                conjuncts(&Pred::in_range(&solution, n), &mut conds);
            } else {
                // Some index is within the bounds.
                let some = |bound| match bound {
                    Bound::From(from) => Pred::lt(from, n.clone()),
                    Bound::Below(below) => Pred::lt(Ix::ZERO, below),
                };
                let some: Vec<Pred> = conds.iter().filter_map(|p| bound(p, level)).map(some).collect();
                conds.extend(some);
            }
            conds.retain(|p| !p.mentions(level));
            conds
        }
        Node::Let(_, _, body) => {
            let level = APART + cells.index.len() as u32;
            let mut conds = only_where(&subst::open(body, level), own, cells);
            conds.retain(|p| !p.mentions(level));
            conds
        }
        Node::Op(..) => parts(e, cells).map_or_else(Vec::new, |parts| {
            let [a, b] = parts.map(|(e, cells)| only_where(e, own, &cells));
            in_both(a, &b)
        }),
        _ => choice(e, own, cells).map_or_else(Vec::new, |(p, a, b)| {
            let side = |p: &Pred, e: &Expr| {
                let mut conds = Vec::new();
                conjuncts(p, &mut conds);
                conds.extend(only_where(e, own, cells));
                conds
            };
            match [&a, &b].map(|e| is_same(e, own, cells)) {
                [_, true] => side(&p, &a),
                [true, false] => side(&Pred::not(p), &b),
                [false, false] => in_both(side(&p, &a), &side(&Pred::not(p), &b)),
            }
        }),
    }
}

/// The conditions that both have.
fn in_both(one: Vec<Pred>, other: &[Pred]) -> Vec<Pred> {
    one.into_iter().filter(|p| other.contains(p)).collect()
}

/// The conditions of which a predicate is the conjunction.
pub fn conjuncts(p: &Pred, into: &mut Vec<Pred>) {
    match p {
        Pred::And(ab) => {
            conjuncts(&ab.0, into);
            conjuncts(&ab.1, into);
        }
        Pred::Not(q) => match &**q {
            Pred::Or(ab) => {
                conjuncts(&Pred::not(ab.0.clone()), into);
                conjuncts(&Pred::not(ab.1.clone()), into);
            }
            _ => into.push(p.clone()),
        },
        p => into.push(p.clone()),
    }
}

/// The value of the variable at a level for which an equation holds, and for no other; there may be none
/// where it counts several times.
pub fn solved(p: &Pred, level: u32) -> Option<Ix> {
    let equation = equations(p, level).into_iter().next()?;
    let rest = without(&equation.key, level);
    match coefficient(&equation.key, level)? {
        0 | i64::MIN => None,
        c if c > 0 => Some((equation.sought - rest) / Ix::Lit(c)),
        c => Some((rest - equation.sought) / Ix::Lit(-c)),
    }
}

/// A bound on the variable at a level that an inequality is.
pub enum Bound {
    /// At least this.
    From(Ix),
    /// Less than this.
    Below(Ix),
}

/// The bound that a condition is.
pub fn bound(p: &Pred, level: u32) -> Option<Bound> {
    // `a <= b + less - 1`, with 0 for `<`.
    let (a, b, strict) = match p {
        Pred::Cmp(Cmp::Lt, a, b) => (a, b, true),
        Pred::Cmp(Cmp::Le, a, b) => (a, b, false),
        Pred::Not(q) => match &**q {
            Pred::Cmp(Cmp::Lt, a, b) => (b, a, false),
            Pred::Cmp(Cmp::Le, a, b) => (b, a, true),
            _ => return None,
        },
        _ => return None,
    };
    // `c * i >= from`, or `c * i < below`.
    let rest = |x: &Ix, y: &Ix| without(x, level) - without(y, level);
    match coefficient(b, level)?.checked_sub(coefficient(a, level)?)? {
        0 | i64::MIN => None,
        c if c > 0 => {
            let from = if strict { rest(a, b) + Ix::ONE } else { rest(a, b) };
            Some(Bound::From(rounded_up(from, c)))
        }
        c => {
            let below = if strict { rest(b, a) } else { rest(b, a) + Ix::ONE };
            Some(Bound::Below(rounded_up(below, -c)))
        }
    }
}

/// The least integer that is the quotient at least.
fn rounded_up(ix: Ix, by: i64) -> Ix {
    if by == 1 { ix } else { Ix::ceil_div(ix, Ix::Lit(by)) }
}

/// By how much the term grows with the variable at a level, if that is always the same.
fn coefficient(ix: &Ix, level: u32) -> Option<i64> {
    match ix {
        Ix::Var(v) => Some(i64::from(*v == Var::Free(level))),
        Ix::Bin(IxOp::Add, ab) => coefficient(&ab.0, level)?.checked_add(coefficient(&ab.1, level)?),
        Ix::Bin(IxOp::Sub, ab) => coefficient(&ab.0, level)?.checked_sub(coefficient(&ab.1, level)?),
        Ix::Bin(IxOp::Mul, ab) => match &**ab {
            (Ix::Lit(n), ix) | (ix, Ix::Lit(n)) => coefficient(ix, level)?.checked_mul(*n),
            _ => (!ix.mentions(level)).then_some(0),
        },
        ix => (!ix.mentions(level)).then_some(0),
    }
}

/// The term where the variable is 0.
fn without(ix: &Ix, level: u32) -> Ix {
    Subst { index: vec![(level, Ix::ZERO)], ..Subst::default() }.ix(ix)
}

/// The context variables that a predicate mentions.
pub(super) fn levels(p: &Pred) -> BTreeSet<u32> {
    fn pred(p: &Pred, found: &mut BTreeSet<u32>) {
        match p {
            Pred::True | Pred::False => {}
            Pred::Cmp(_, a, b) => {
                ix(a, found);
                ix(b, found);
            }
            Pred::Not(q) => pred(q, found),
            Pred::And(ab) | Pred::Or(ab) => {
                pred(&ab.0, found);
                pred(&ab.1, found);
            }
        }
    }
    fn ix(i: &Ix, found: &mut BTreeSet<u32>) {
        let mut variable = |v: &Var| {
            if let Var::Free(level) = v {
                found.insert(*level);
            }
        };
        match i {
            Ix::Lit(_) => {}
            Ix::Var(v) => variable(v),
            Ix::Bin(_, ab) => {
                ix(&ab.0, found);
                ix(&ab.1, found);
            }
            Ix::Read(v, at) => {
                variable(v);
                at.iter().for_each(|i| ix(i, found));
            }
        }
    }
    let mut found = BTreeSet::new();
    pred(p, &mut found);
    found
}
