//! The gather form: what each element of a tensor is, as a scalar expression over variables.
//!
//! `gen i1<n1 .. gen ir<nr. s` with `s` a scalar whose accesses are to variables only. Operators are
//! unfolded, `let`s inlined, accesses pushed inward, guards decided where they can be. Two terms with gather
//! forms that agree up to arithmetic are equal, which proves any restructuring of loops and layouts: a
//! directive may build its result freely, and prove it here.

use crate::conjuncts::{conjuncts, guard};
use crate::cx::{Chain, Cx, Step, join};
use crate::rules::guard_false::{guard_false, zeros};
use crate::rules::select_same::select_same;
use crate::shorten::long_accesses;
use atl_kernel::{Child, Error, Expr, Label, Node, Pred, Result, Rule, Thm};

/// Prove `lhs = rhs` by comparing gather forms.
pub fn by_gather(cx: &mut Cx<'_>, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    let left = cx.converted(lhs, gather)?;
    let right = cx.converted(rhs, gather)?;
    let same = cx.rule(Rule::ArithEq(right.rhs().clone()), &left.rhs().clone())?;
    left.trans(same)?.trans(right.sym())
}

/// Bring a term to gather form.
pub fn gather(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let rank = cx.type_of(e)?.shape.len();
    nest(cx, e, rank)
}

fn nest(cx: &mut Cx<'_>, e: &Expr, rank: usize) -> Step {
    if rank == 0 {
        return scalar(cx, e);
    }
    if matches!(**e, Node::Gen(..)) {
        return cx.child(e, Child::Body, |cx, body| nest(cx, body, rank - 1));
    }
    let eta = cx.rule(Rule::GenEta(Label::new("i")), e)?;
    let body = cx.child(&eta.rhs().clone(), Child::Body, |cx, body| nest(cx, body, rank - 1))?;
    join(Some(eta), body)
}

/// Gather form of a scalar.
fn scalar(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let mut chain = Chain::of(e);
    loop {
        let now = chain.now().clone();
        let step = match &*now {
            Node::Get(..) => access(cx, &now)?,
            Node::Let(..) => Some(cx.rule(Rule::LetInline, &now)?),
            Node::Op(..) => Some(cx.rule(Rule::Unfold, &now)?),
            Node::Guard(Pred::False, _) => {
                let zero = never(cx, &now)?;
                Some(cx.then(zero, |cx, e| cx.rule(Rule::GuardZero, e))?)
            }
            Node::Guard(..) | Node::Select(..) => decide(cx, &now)?,
            _ => None,
        };
        match step {
            Some(_) => chain.push(step)?,
            None => break,
        }
        chain.apply(cx, long_accesses)?;
    }
    let now = chain.now().clone();
    // No rule moves an access through rounds; a term in them stays as it is.
    if matches!(*now, Node::Get(..) | Node::Iterate(_)) {
        return Ok(chain.done());
    }
    let below = cx.children(&now, &mut scalar)?;
    chain.push(below)?;
    let now = chain.now().clone();
    let same = matches!(*now, Node::Select(..)).then(|| select_same(cx, &now).ok()).flatten();
    join(chain.done(), same)
}

/// One step at the head of a chain of accesses; none when the head is a variable.
pub fn access(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Get(array, index) = &**e else { return Ok(None) };
    let rule = match &**array {
        Node::Var(_) | Node::Lit(..) | Node::Index(..) | Node::Bundle(..) | Node::Iterate(_) => {
            return Ok(None);
        }
        Node::Get(..) => return cx.child(e, Child::Body, access),
        Node::Let(..) => return cx.child(e, Child::Body, |cx, a| cx.rule(Rule::LetInline, a)),
        Node::Op(..) => return cx.child(e, Child::Body, |cx, a| cx.rule(Rule::Unfold, a)),
        Node::Guard(..) => Rule::GetGuard,
        Node::Select(..) => Rule::GetSelect,
        Node::Sum(..) => Rule::GetSum,
        Node::Gen(..) => Rule::AccessGen,
        Node::Prim(..) => Rule::GetPrim,
        Node::View(..) => Rule::GetView,
    };
    if matches!(rule, Rule::AccessGen | Rule::GetPrim | Rule::GetView) {
        let extent = cx.type_of(array)?.shape.swap_remove(0);
        if !cx.proves(&Pred::in_range(index, &extent)) {
            // Out of range it is zero: guard the access, and go on where the guard holds.
            let guarded = cx.rule(Rule::AccessGuard, e)?;
            let inside = cx.child(&guarded.rhs().clone(), Child::Body, |cx, e| cx.rule(rule, e))?;
            return join(Some(guarded), inside);
        }
    }
    cx.rule(rule, e).map(Some)
}

/// Drop a guard or select whose condition is decided here; merge nested guards; drop implied conjuncts. What
/// a guard that never holds leaves is still padding, `[false] * 0`, not a computed zero.
pub fn decide(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Guard(p, _) if cx.proves(p) => cx.rule(Rule::GuardTrue, e).map(Some),
        Node::Guard(p, body) => {
            if matches!(**body, Node::Guard(..)) {
                return cx.rule(Rule::GuardAnd, e).map(Some);
            }
            if cx.proves(&Pred::not(p.clone())) {
                let known = *p == Pred::False && *body == zeros(&cx.type_of(e)?);
                return if known { Ok(None) } else { never(cx, e).map(Some) };
            }
            drop_implied(cx, e)
        }
        Node::Select(p, ..) if cx.proves(p) => cx.rule(Rule::SelectTrue, e).map(Some),
        Node::Select(p, ..) if cx.proves(&Pred::not(p.clone())) => cx.rule(Rule::SelectFalse, e).map(Some),
        Node::Select(..) => Ok(None),
        _ => Err(Error::Mismatch("neither a guard nor a select")),
    }
}

/// What a guard that never holds is: padding, `[false] * 0`.
///
/// # Errors
/// Its condition may hold.
pub fn never(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let nothing = zeros(&cx.type_of(e)?);
    guard_false(cx, e, &nothing)
}

/// A guard without the conjuncts that hold anyway.
pub fn drop_implied(cx: &mut Cx<'_>, e: &Expr) -> Step {
    let Node::Guard(p, body) = &**e else { return Ok(None) };
    match unimplied(cx, p) {
        Pred::True => cx.rule(Rule::GuardTrue, e).map(Some),
        shorter if shorter == *p => Ok(None),
        shorter => match cx.try_rule(Rule::ArithEq(guard(shorter, body)), e) {
            Some(thm) => Ok(Some(thm)),
            // One proof of the equivalence is out of reach where many conjuncts have several cases each.
            None => {
                let implied: Vec<Pred> = conjuncts(p).into_iter().filter(|part| cx.proves(part)).collect();
                without(cx, e, &implied)
            }
        },
    }
}

/// A guard without these conjuncts, each of which holds: they come apart, `[p && q] * e = [p] * [q] * e`, and
/// the others are merged again.
fn without(cx: &mut Cx<'_>, e: &Expr, implied: &[Pred]) -> Step {
    let Node::Guard(p, body) = &**e else { return Ok(None) };
    let Pred::And(ab) = p else {
        return if implied.contains(p) { cx.rule(Rule::GuardTrue, e).map(Some) } else { Ok(None) };
    };
    let nested = guard(ab.0.clone(), &guard(ab.1.clone(), body));
    let apart = cx.rule(Rule::GuardAnd, &nested)?.sym();
    let stays = |p: &Pred| conjuncts(p).iter().any(|part| !implied.contains(part));
    let both_stay = stays(&ab.0) && stays(&ab.1);
    cx.then(apart, |cx, e| {
        let mut chain = Chain::of(e);
        chain.apply(cx, |cx, e| cx.child(e, Child::Body, |cx, e| without(cx, e, implied)))?;
        chain.apply(cx, |cx, e| without(cx, e, implied))?;
        if both_stay {
            chain.apply(cx, |cx, e| cx.rule(Rule::GuardAnd, e).map(Some))?;
        }
        Ok(chain.done())
    })
    .map(Some)
}

/// The conjuncts that the context does not imply; one that becomes decided disappears.
pub fn unimplied(cx: &mut Cx<'_>, p: &Pred) -> Pred {
    match p {
        Pred::And(ab) => Pred::and(unimplied(cx, &ab.0), unimplied(cx, &ab.1)),
        p if cx.proves(p) => Pred::True,
        p => p.clone(),
    }
}
