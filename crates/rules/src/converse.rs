//! Primitive rules from right to left: the left side that a right side comes from.
//!
//! The one idea: a left side is only proposed here; the rule itself is then used on it, and must give the right side.
//! Where a right side does not determine a left one (what a guard that holds said, what a variable was bound to), the
//! parts of the term are tried as left sides, which finds the rules that wrap something around a term.

use crate::cx::Cx;
use crate::occurrences::mentions;
use atl_kernel::{Error, Expr, Ix, Label, Node, Number, Pred, Prim, Result, Rule, Thm, subst};
use std::sync::Arc;

/// From `e`, a right side of this rule, the theorem that it equals the left side.
pub(crate) fn converse(cx: &mut Cx<'_>, rule: &Rule, e: &Expr) -> Result<Thm> {
    match left_side(cx, rule, e) {
        Some(left) => {
            let forwards = cx.rule(rule.clone(), &left)?;
            if forwards.rhs() == e {
                return Ok(forwards.sym());
            }
            let same = cx.rule(Rule::ArithEq(e.clone()), &forwards.rhs().clone())?;
            Ok(forwards.trans(same)?.sym())
        }
        None => from_part(e, &mut |part| cx.rule(rule.clone(), part)),
    }
}

/// From right to left where some part of `e`, in its own context, is a left side whose right side `e` is.
pub(crate) fn from_part(e: &Expr, forwards: &mut dyn FnMut(&Expr) -> Result<Thm>) -> Result<Thm> {
    let mut parts = vec![e.clone()];
    while let Some(part) = parts.pop() {
        if let Ok(thm) = forwards(&part)
            && thm.rhs() == e
            && thm.lhs() != e
        {
            return Ok(thm.sym());
        }
        let outside = part.children().filter(|at| part.binds(*at) == 0);
        parts.extend(outside.filter_map(|at| part.child(at).cloned()));
    }
    Err(Error::Mismatch("no part of the term is the rule's left side"))
}

/// The left side that a right side determines.
fn left_side(cx: &mut Cx<'_>, rule: &Rule, e: &Expr) -> Option<Expr> {
    let node = match rule {
        // Their own converses.
        Rule::SumSwap | Rule::AddComm | Rule::MulComm => {
            return Some(cx.rule(rule.clone(), e).ok()?.rhs().clone());
        }
        Rule::SumOne => Node::Sum(Label::new("i"), Ix::ONE, e.clone()),
        Rule::AddZeroL | Rule::AddZeroR | Rule::MulOneL | Rule::MulOneR => return neutral(cx, rule, e),
        _ => match &**e {
            Node::Guard(p, body) => at_guard(rule, p, body)?,
            Node::Select(p, a, b) => match (rule, &**a, &**b) {
                (Rule::GetSelect, Node::Get(a, i), Node::Get(b, j)) if i == j => {
                    Node::Get(Arc::new(Node::Select(p.clone(), a.clone(), b.clone())), i.clone())
                }
                _ => return None,
            },
            Node::Gen(l, n, body) | Node::Sum(l, n, body) => return at_loop(cx, rule, e, l, n, body),
            Node::Prim(f, args) => return at_operation(rule, *f, args),
            Node::View(alg, body) => match (rule, &**body) {
                (Rule::GetView, Node::Get(a, k)) => {
                    Node::Get(Arc::new(Node::View(*alg, a.clone())), k.clone())
                }
                _ => return None,
            },
            _ => return None,
        },
    };
    Some(Arc::new(node))
}

/// `0 + e` and its kin.
fn neutral(cx: &mut Cx<'_>, rule: &Rule, e: &Expr) -> Option<Expr> {
    let ty = cx.type_of(e).ok()?;
    if !ty.shape.is_empty() {
        return None;
    }
    let unit = |n: Number| Arc::new(Node::Lit(ty.elem, n));
    let (op, args) = match rule {
        Rule::AddZeroL => (Prim::Add, vec![unit(Number::Zero), e.clone()]),
        Rule::AddZeroR => (Prim::Add, vec![e.clone(), unit(Number::Zero)]),
        Rule::MulOneL => (Prim::Mul, vec![unit(Number::One), e.clone()]),
        _ => (Prim::Mul, vec![e.clone(), unit(Number::One)]),
    };
    Some(Arc::new(Node::Prim(op, args)))
}

/// The left sides whose right sides are guards.
fn at_guard(rule: &Rule, p: &Pred, body: &Expr) -> Option<Node> {
    let guard = |p: &Pred, e: &Expr| Arc::new(Node::Guard(p.clone(), e.clone()));
    Some(match (rule, p, &**body) {
        (Rule::GuardAnd, Pred::And(pq), _) => Node::Guard(pq.0.clone(), guard(&pq.1, body)),
        (Rule::GuardMulL, _, Node::Prim(Prim::Mul, ab)) => {
            Node::Prim(Prim::Mul, vec![guard(p, &ab[0]), ab[1].clone()])
        }
        (Rule::GuardMulR, _, Node::Prim(Prim::Mul, ab)) => {
            Node::Prim(Prim::Mul, vec![ab[0].clone(), guard(p, &ab[1])])
        }
        (Rule::GetGuard, _, Node::Get(a, k)) => Node::Get(guard(p, a), k.clone()),
        _ => return None,
    })
}

/// The left sides whose right sides are loops.
fn at_loop(cx: &Cx<'_>, rule: &Rule, e: &Expr, l: &Label, n: &Ix, body: &Expr) -> Option<Expr> {
    let level = cx.ctx.level();
    let (is_gen, opened) = (matches!(**e, Node::Gen(..)), subst::open(body, level));
    // The loop around another body, and what is free of its index.
    let around = |e: &Expr| {
        let body = subst::close(e, level);
        Arc::new(match is_gen {
            true => Node::Gen(l.clone(), n.clone(), body),
            false => Node::Sum(l.clone(), n.clone(), body),
        })
    };
    let free = |e: &Expr| !mentions(e, level);
    let node = match (rule, &*opened) {
        (Rule::GuardGen, Node::Guard(p, e)) if is_gen && !p.mentions(level) => {
            Node::Guard(p.clone(), around(e))
        }
        (Rule::GuardSum, Node::Guard(p, e)) if !is_gen && !p.mentions(level) => {
            Node::Guard(p.clone(), around(e))
        }
        (Rule::GetSum, Node::Get(e, k)) if !is_gen && !k.mentions(level) => Node::Get(around(e), k.clone()),
        (Rule::GenEta(_), Node::Get(e, k)) if is_gen && *k == Ix::free(level) && free(e) => {
            return Some(e.clone());
        }
        (Rule::MulSumL, Node::Prim(Prim::Mul, ab)) if !is_gen && free(&ab[0]) => {
            Node::Prim(Prim::Mul, vec![ab[0].clone(), around(&ab[1])])
        }
        (Rule::MulSumR, Node::Prim(Prim::Mul, ab)) if !is_gen && free(&ab[1]) => {
            Node::Prim(Prim::Mul, vec![around(&ab[0]), ab[1].clone()])
        }
        (Rule::ViewGen, Node::View(alg, e)) if is_gen => Node::View(*alg, around(e)),
        (Rule::GenSumSwap, Node::Gen(k, m, e)) if !is_gen && !m.mentions(level) => {
            let inner = around(&subst::open(e, level + 1));
            Node::Gen(k.clone(), m.clone(), subst::close(&inner, level + 1))
        }
        _ => return None,
    };
    Some(Arc::new(node))
}

/// The left sides whose right sides are pointwise operations.
fn at_operation(rule: &Rule, f: Prim, args: &[Expr]) -> Option<Expr> {
    let op = |f: Prim, a: &Expr, b: &Expr| Arc::new(Node::Prim(f, vec![a.clone(), b.clone()]));
    if *rule == Rule::GetPrim {
        let parts: Vec<(&Expr, &Ix)> = args
            .iter()
            .map(|arg| match &**arg {
                Node::Get(a, k) => Some((a, k)),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let index = parts.first()?.1;
        let arrays = parts.iter().map(|(a, _)| (*a).clone()).collect();
        let same = parts.iter().all(|(_, k)| *k == index);
        return same.then(|| Arc::new(Node::Get(Arc::new(Node::Prim(f, arrays)), index.clone())));
    }
    let [a, b] = args else { return None };
    let node = match (rule, f, &**a, &**b) {
        (Rule::AddAssoc, Prim::Add, _, Node::Prim(Prim::Add, bc))
        | (Rule::MulAssoc, Prim::Mul, _, Node::Prim(Prim::Mul, bc)) => {
            return Some(op(f, &op(f, a, &bc[0]), &bc[1]));
        }
        (Rule::GuardAdd, Prim::Add, Node::Guard(p, a), Node::Guard(_, b)) => {
            Node::Guard(p.clone(), op(f, a, b))
        }
        (Rule::SumAdd, Prim::Add, Node::Sum(l, n, a), Node::Sum(_, _, b)) => {
            Node::Sum(l.clone(), n.clone(), op(f, a, b))
        }
        (Rule::DistrL, Prim::Add, Node::Prim(Prim::Mul, ab), Node::Prim(Prim::Mul, ac)) if ab[0] == ac[0] => {
            return Some(op(Prim::Mul, &ab[0], &op(f, &ab[1], &ac[1])));
        }
        (Rule::DistrR, Prim::Add, Node::Prim(Prim::Mul, ac), Node::Prim(Prim::Mul, bc)) if ac[1] == bc[1] => {
            return Some(op(Prim::Mul, &op(f, &ac[0], &bc[0]), &ac[1]));
        }
        _ => return None,
    };
    Some(Arc::new(node))
}
