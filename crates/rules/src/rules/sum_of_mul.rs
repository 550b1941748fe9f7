//! `sum_of_mul`: the factors of a product that do not depend on a sum's index leave the sum.
//!
//! **Statement.** `sum i < n { a * e(i) * b } = a * (sum i < n { e(i) }) * b`, however the product is grouped; `a` and `b` are
//! the factors without `i`. Where they stand among those with `i`, all of them go to the left. Where no factor depends on `i`, what is
//! left in the sum is 1, and counts its terms.
//! **Requires.** Multiplication distributes over addition on the side where factors leave, zero annihilates there, and
//! regrouping needs associativity; only factors that stand among those with `i` need a commutative multiplication, and only
//! equal terms a neutral 1.
//! **Fails when.** Every factor depends on the index, or the body is 1.
//! **Example.** `sum k < K { x[i] * a[i, k] * y[k] }` becomes `x[i] * (sum k < K { a[i, k] * y[k] })`.
//! **See also.** `mul_sum_l` and `mul_sum_r`, of two factors; the directives `factor` and `contract`, which also name the sum.

use crate::conjuncts::{conjunction, conjuncts, guard};
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::occurrences::mentions;
use atl_kernel::{Child, Expr, Node, Number, Pred, Prim, Result, Rule, Thm};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "sum_of_mul",
    statement: "sum i<n. a * e(i) * b  =  a * (sum i<n. e(i)) * b",
    requires: "a and b do not depend on i; left and right distributivity where they are there",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N], s: f32, t: f32) -> f32 { sum i < N { s * a[i] * t } }",
        args: &[],
    },
    rewrite: |cx, e, _| sum_of_mul(cx, e, 1).map(|taken| taken.thm),
    inverse: Some(Inverse::plain(|cx, e, _| match &**e {
        Node::Prim(Prim::Mul, ab) if matches!(&*ab[0], Node::Prim(Prim::Mul, cd) if is_sum(&cd[1])) => {
            let left = cx.inside(e, Child::Arg(0), |cx, e| cx.rule(Rule::MulSumL, e))?;
            cx.then(left, |cx, e| cx.rule(Rule::MulSumR, e))
        }
        Node::Prim(Prim::Mul, ab) if is_sum(&ab[0]) => cx.rule(Rule::MulSumR, e),
        Node::Prim(Prim::Mul, ab) if is_sum(&ab[1]) => cx.rule(Rule::MulSumL, e),
        _ => no_match(RULE.name, "a product with a sum", e),
    })),
};

fn is_sum(e: &Expr) -> bool {
    matches!(**e, Node::Sum(..))
}

/// A product of which factors have been taken out of sums.
pub struct Factored {
    /// The equation: `sums { a * e * b } = [p] * (a * sums { e } * b)`.
    pub thm: Thm,
    /// The way to the sums in its right side.
    pub path: Vec<Child>,
}

/// The theorem for so many sums, one directly in the other, over one product: factors without any of their indices leave
/// all of them, and with the factors what a guard around the product says of none of the indices.
///
/// # Errors
/// No factor leaves, or all do; a law is missing.
pub fn sum_of_mul(cx: &mut Cx<'_>, e: &Expr, sums: usize) -> Result<Factored> {
    let out = take_out(cx, e, sums, &mut Vec::new())?;
    match out.left || out.right {
        true => Ok(Factored { path: out.path(), thm: out.thm }),
        false => {
            no_match(RULE.name, "sums over a product with factors that do not depend on their indices", e)
        }
    }
}

/// `e = [p] * ((a * f) * b)` with what is there of `p`, `a` and `b`.
struct Out {
    thm: Thm,
    guarded: bool,
    left: bool,
    right: bool,
}

impl Out {
    /// The way to `f`.
    fn path(&self) -> Vec<Child> {
        let guard = self.guarded.then_some(Child::Body);
        let parts = [self.right.then_some(Child::Arg(0)), self.left.then_some(Child::Arg(1))];
        guard.into_iter().chain(parts.into_iter().flatten()).collect()
    }
}

/// Take factors and guards out of this many sums; the levels are those of the sums' indices outside of them.
fn take_out(cx: &mut Cx<'_>, e: &Expr, sums: usize, levels: &mut Vec<u32>) -> Result<Out> {
    if sums == 0 {
        return arranged(cx, e, levels);
    }
    if !is_sum(e) {
        return no_match(RULE.name, "a sum directly in the other", e);
    }
    levels.push(cx.ctx.level());
    let mut below = None;
    let inside = cx.child(e, Child::Body, |cx, body| {
        let out = take_out(cx, body, sums - 1, levels)?;
        let thm = out.thm.clone();
        below = Some(out);
        Ok((thm.lhs() != thm.rhs()).then_some(thm))
    })?;
    levels.pop();
    let Some(out) = below else { return no_match(RULE.name, "a sum with a body", e) };
    let mut thm = cx.total(e, inside)?;
    let mut path: Vec<Child> = Vec::new();
    let steps = [
        (out.guarded, Rule::GuardSum, Child::Body),
        (out.right, Rule::MulSumR, Child::Arg(0)),
        (out.left, Rule::MulSumL, Child::Arg(1)),
    ];
    for (there, rule, inward) in steps {
        if there {
            thm =
                cx.then(thm, |cx, e| cx.at(e, &path, &mut |cx, e| outside(cx, &rule, e, inward).map(Some)))?;
            path.push(inward);
        }
    }
    Ok(Out { thm, ..out })
}

/// `sum i { C(f) } = C(sum i { f })` for a guard or a factor `C` without `i`, where `f` stands at this child of `C`.
fn outside(cx: &mut Cx<'_>, rule: &Rule, e: &Expr, inward: Child) -> Result<Thm> {
    let Node::Sum(label, n, body) = &**e else { return no_match(RULE.name, "a sum", e) };
    let Some(f) = body.child(inward) else { return no_match(RULE.name, "a product or a guard in a sum", e) };
    let sum = Arc::new(Node::Sum(label.clone(), n.clone(), f.clone()));
    Ok(cx.rule(rule.clone(), &Arc::new(body.with_child(inward, sum)))?.sym())
}

/// `e = [p] * ((a * f) * b)` where `f` is what depends on one of these indices, and `p`, `a` and `b` do not.
fn arranged(cx: &mut Cx<'_>, e: &Expr, levels: &[u32]) -> Result<Out> {
    let Node::Guard(p, _) = &**e else { return grouped(cx, e, levels) };
    let about = |p: &Pred| levels.iter().any(|level| p.mentions(*level));
    let (own, outer): (Vec<Pred>, Vec<Pred>) = conjuncts(p).into_iter().partition(about);
    let mut out = None;
    let inside = cx.child(e, Child::Body, |cx, body| {
        let found = arranged(cx, body, levels)?;
        let thm = found.thm.clone();
        out = Some(found);
        Ok((thm.lhs() != thm.rhs()).then_some(thm))
    })?;
    let mut thm = cx.total(e, inside)?;
    let Some(out) = out else { return no_match(RULE.name, "a guard with a body", e) };
    let (outer, own) = (conjunction(outer), conjunction(own));
    let whole = thm.rhs().clone();
    let Node::Guard(_, body) = &*whole else { return no_match(RULE.name, "a guard", e) };
    // `[p] * [q] * x` is `[outer] * [own] * x`, where `q` comes from guards below and is about none of the indices.
    let (inner, q) = match &**body {
        Node::Guard(q, inner) if out.guarded => (inner, q.clone()),
        _ => (body, Pred::True),
    };
    let outer = Pred::and(outer, q);
    let around = |p: &Pred, e: &Expr| if *p == Pred::True { e.clone() } else { guard(p.clone(), e) };
    let path = Out { thm: thm.clone(), guarded: false, ..out }.path();
    let to = around(&outer, &onto(inner, &path, &|f| around(&own, f)));
    let merged = |cx: &mut Cx<'_>, e: &Expr| merge(cx, e, &path);
    let back = merged(cx, &to)?;
    let there = merged(cx, &whole)?;
    thm = thm.trans(crate::lets::meet(cx, there, back)?)?;
    Ok(Out { thm, guarded: outer != Pred::True, left: out.left, right: out.right })
}

/// The term with another part at the end of a path.
fn onto(e: &Expr, path: &[Child], with: &dyn Fn(&Expr) -> Expr) -> Expr {
    match crate::occurrences::part(e, path) {
        Some(part) => crate::occurrences::with_part(e, path, &with(part)),
        None => e.clone(),
    }
}

/// A product with a guard around the part at the end of this path, and guards around it, as one guard of the product.
fn merge(cx: &mut Cx<'_>, e: &Expr, path: &[Child]) -> Result<Thm> {
    if let Node::Guard(..) = &**e {
        let below = cx.inside(e, Child::Body, |cx, e| merge(cx, e, path))?;
        return cx.then(below, |cx, e| match &**e {
            Node::Guard(_, body) if matches!(**body, Node::Guard(..)) => cx.rule(Rule::GuardAnd, e).map(Some),
            _ => Ok(None),
        });
    }
    let Some((first, rest)) = path.split_first() else { return cx.refl(e) };
    let below = cx.inside(e, *first, |cx, e| merge(cx, e, rest))?;
    cx.then(below, |cx, e| match e.child(*first).map(|part| &**part) {
        Some(Node::Guard(..)) if *first == Child::Arg(0) => cx.rule(Rule::GuardMulL, e).map(Some),
        Some(Node::Guard(..)) => cx.rule(Rule::GuardMulR, e).map(Some),
        _ => Ok(None),
    })
}

/// The factors of a product, left to right.
pub fn factors(e: &Expr) -> Vec<Expr> {
    match &**e {
        Node::Prim(Prim::Mul, ab) => [factors(&ab[0]), factors(&ab[1])].concat(),
        _ => vec![e.clone()],
    }
}

/// The product of factors, grouped to the left.
fn product(factors: &[Expr]) -> Option<Expr> {
    let times = |a: Expr, b: Expr| -> Expr { Arc::new(Node::Prim(Prim::Mul, vec![a, b])) };
    factors.iter().cloned().reduce(times)
}

/// `e = (a * f) * b` where `f` is the product of the factors that depend on one of these indices.
fn grouped(cx: &mut Cx<'_>, e: &Expr, levels: &[u32]) -> Result<Out> {
    let depends = |f: &Expr| levels.iter().any(|level| mentions(f, *level));
    let found = factors(e);
    let places: Vec<usize> = (0..found.len()).filter(|k| depends(&found[*k])).collect();
    let (Some(first), Some(last)) = (places.first(), places.last()) else {
        return equal_terms(cx, e);
    };
    let together = last - first + 1 == places.len();
    let (left, own, right) = match together {
        true => (found[..*first].to_vec(), found[*first..=*last].to_vec(), found[*last + 1..].to_vec()),
        false => {
            let (own, others): (Vec<Expr>, Vec<Expr>) = found.into_iter().partition(depends);
            (others, own, Vec::new())
        }
    };
    let parts: Vec<Expr> = [product(&left), product(&own)].into_iter().flatten().collect();
    let to = product(&parts).into_iter().chain(product(&right)).collect::<Vec<_>>();
    let Some(to) = product(&to) else { return no_match(RULE.name, "a product", e) };
    let thm = if to == *e {
        cx.refl(e)?
    } else {
        rearranged(cx, e, &to, &[left.clone(), own, right.clone()].concat())?
    };
    Ok(Out { thm, guarded: false, left: !left.is_empty(), right: !right.is_empty() })
}

/// `e = e * 1` where `e` depends on none of the indices: what is left in the sums counts the terms.
fn equal_terms(cx: &mut Cx<'_>, e: &Expr) -> Result<Out> {
    let ty = cx.type_of(e)?;
    let is_one = matches!(**e, Node::Lit(_, Number::One));
    if is_one || !ty.shape.is_empty() {
        return no_match(RULE.name, "a scalar other than 1", e);
    }
    let one: Expr = Arc::new(Node::Lit(ty.elem, Number::One));
    let times: Expr = Arc::new(Node::Prim(Prim::Mul, vec![e.clone(), one]));
    let thm = cx.rule(Rule::MulOneR, &times)?.sym();
    Ok(Out { thm, guarded: false, left: true, right: false })
}

/// `e = to` for products of the same factors, which in `to` have this order.
fn rearranged(cx: &mut Cx<'_>, e: &Expr, to: &Expr, order: &[Expr]) -> Result<Thm> {
    let there = to_the_right(cx, e)?;
    let there = cx.then(there, |cx, e| in_order(cx, e, order))?;
    let back = to_the_right(cx, to)?;
    there.trans(back.sym())
}

/// A product, grouped to the right.
fn to_the_right(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Prim(Prim::Mul, ab) = &**e else { return cx.refl(e) };
    if matches!(*ab[0], Node::Prim(Prim::Mul, _)) {
        let turned = cx.rule(Rule::MulAssoc, e)?;
        return cx.then(turned, to_the_right);
    }
    cx.inside(e, Child::Arg(1), to_the_right)
}

/// A product that is grouped to the right, with its factors in this order.
fn in_order(cx: &mut Cx<'_>, e: &Expr, order: &[Expr]) -> Result<Thm> {
    let Some((wanted, rest)) = order.split_first() else { return cx.refl(e) };
    let front = to_the_front(cx, e, wanted)?;
    if rest.is_empty() {
        return Ok(front);
    }
    cx.then(front, |cx, e| cx.child(e, Child::Arg(1), |cx, e| in_order(cx, e, rest)))
}

/// `x * (.. * (wanted * rest)) = wanted * (x * (.. * rest))`.
fn to_the_front(cx: &mut Cx<'_>, e: &Expr, wanted: &Expr) -> Result<Thm> {
    let Node::Prim(Prim::Mul, ab) = &**e else { return cx.refl(e) };
    if ab[0] == *wanted {
        return cx.refl(e);
    }
    let moved = cx.inside(e, Child::Arg(1), |cx, e| to_the_front(cx, e, wanted))?;
    cx.then(moved, swapped)
}

/// `x * (y * z) = y * (x * z)`; of two factors, `x * y = y * x`.
fn swapped(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Prim(Prim::Mul, ab) = &**e else { return cx.refl(e) };
    let Node::Prim(Prim::Mul, yz) = &*ab[1] else { return cx.rule(Rule::MulComm, e) };
    let times = |a: &Expr, b: &Expr| -> Expr { Arc::new(Node::Prim(Prim::Mul, vec![a.clone(), b.clone()])) };
    // `(x * y) * z` is regrouped to `e`, and, once turned, to what is wanted.
    let grouped = times(&times(&ab[0], &yz[0]), &yz[1]);
    let left = cx.rule(Rule::MulAssoc, &grouped)?.sym();
    let turned = cx.then(left, |cx, e| cx.child(e, Child::Arg(0), |cx, e| cx.rule(Rule::MulComm, e)))?;
    cx.then(turned, |cx, e| cx.rule(Rule::MulAssoc, e))
}
