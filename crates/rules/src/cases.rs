//! Equality by cases: terms that select and guard differently are compared where each condition holds and where it fails.
//!
//! The one idea: two terms in gather form are walked together; where one has a guard or a select that the other has not,
//! its condition divides the proof in two, and in each part the condition is decided on both sides.

use crate::cx::{Chain, Cx, Step};
use crate::gather::{decide, gather};
use crate::rules::guard_false::zeros;
use atl_kernel::{Error, Expr, Node, Pred, Result, Rule, Thm, subst};

/// At most so many distinctions, one inside the other.
pub(crate) const CASES: u32 = 8;

/// Prove `lhs = rhs` by comparing gather forms, by cases of their conditions.
///
/// # Errors
/// They differ, or the terms have no type.
pub fn by_cases(cx: &mut Cx<'_>, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let left = cx.converted(lhs, gather)?;
    let right = cx.converted(rhs, gather)?;
    let same = agree(cx, &left.rhs().clone(), right.rhs(), CASES)?;
    left.trans(same)?.trans(right.sym())
}

/// Prove the equality of two terms of one structure, up to arithmetic and to so many distinctions of cases.
///
/// # Errors
/// They differ.
pub(crate) fn agree(cx: &mut Cx<'_>, a: &Expr, b: &Expr, cases: u32) -> Result<Thm> {
    if let Some(thm) = cx.try_rule(Rule::ArithEq(b.clone()), a) {
        return Ok(thm);
    }
    let (left, right) = (decided(cx, a)?, decided(cx, b)?);
    if left.is_some() || right.is_some() {
        let (left, right) = (cx.total(a, left)?, cx.total(b, right)?);
        let same = agree(cx, &left.rhs().clone(), right.rhs(), cases)?;
        return left.trans(same)?.trans(right.sym());
    }
    match (&**a, &**b) {
        (Node::Select(p, ..) | Node::Guard(p, _), _) | (_, Node::Select(p, ..) | Node::Guard(p, _)) => {
            let Some(cases) = cases.checked_sub(1) else {
                return Err(Error::Mismatch("more cases than are distinguished"));
            };
            let holds = assuming(cx, p.clone(), |cx| agree(cx, a, b, cases))?;
            let fails = assuming(cx, Pred::not(p.clone()), |cx| agree(cx, a, b, cases))?;
            Thm::cases(&cx.ctx, p.clone(), holds, fails)
        }
        _ => part_by_part(cx, a, b, cases),
    }
}

/// What is proved where a condition holds.
fn assuming(cx: &mut Cx<'_>, condition: Pred, prove: impl FnOnce(&mut Cx<'_>) -> Result<Thm>) -> Result<Thm> {
    prove(&mut cx.assuming(condition))
}

/// Decide the guards and selects at the root; a guard that fails leaves the literal zero.
fn decided(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let mut chain = Chain::of(e);
    loop {
        let now = chain.now().clone();
        let step = match &*now {
            Node::Guard(Pred::False, body) if *body == zeros(&cx.type_of(&now)?) => {
                cx.try_rule(Rule::GuardZero, &now)
            }
            Node::Guard(..) | Node::Select(..) => decide(cx, &now)?,
            _ => None,
        };
        if step.is_none() {
            return Ok(chain.done());
        }
        chain.push(step)?;
    }
}

/// The equality of terms with one head, child by child.
fn part_by_part(cx: &mut Cx<'_>, a: &Expr, b: &Expr, cases: u32) -> Result<Thm> {
    let differ = Error::Mismatch("the terms differ in more than arithmetic and cases");
    if std::mem::discriminant(&**a) != std::mem::discriminant(&**b) || !a.children().eq(b.children()) {
        return Err(differ);
    }
    if a.children().next().is_none() {
        return Err(differ);
    }
    let mut chain = Chain::of(a);
    for at in a.children() {
        let now = chain.now().clone();
        let Some(theirs) = b.child(at) else { return Err(differ) };
        let level = cx.ctx.level();
        let theirs = subst::open_all(theirs, level, a.binds(at));
        let step = cx.child(&now, at, |cx, ours| match *ours == theirs {
            true => Ok(None),
            false => agree(cx, ours, &theirs, cases).map(Some),
        })?;
        chain.push(step)?;
    }
    let done = chain.total(cx)?;
    cx.then(done, |cx, e| if e == b { Ok(None) } else { cx.rule(Rule::ArithEq(b.clone()), e).map(Some) })
}
