//! Simpler equal terms and predicates.
//!
//! A proposal: callers have equality proved by the kernel's arithmetic. Divisions and remainders go where
//! the context says what they are (`(io*64 + ii) / 64` is `io`), minima and maxima where it says which side
//! is smaller, conjuncts where the context implies them; sums are rewritten only where that is cheaper, so
//! that a shape somebody chose stays. What is returned never costs more than what was given.

use crate::counterexample;
use crate::memo::Question;
use crate::near::{Near, near, says_of_all};
use crate::pretty::{cheaper, cost, pretty};
use crate::quotients::{has_quotients, with_fewer_quotients};
use crate::readback::divide;
use crate::search::{Outcome, Search};
use atl_kernel::poly::Poly;
use atl_kernel::{Cmp, Ctx, Ix, IxOp, Pred};

/// The work spent on a side condition.
const WORK: u64 = 3_000;

/// The same for what all of a context says, where the part that has to do with the condition does not show it.
const WORK_ELSEWHERE: u64 = 500;

/// After this much a condition that is not proved is tried at small values: most that are proved are by then.
const FIRST: u64 = 600;

/// A sum of quotients is reduced again at most so often.
const ROUNDS: usize = 3;

/// A term equal to `ix` under the hypotheses of `ctx`, and simpler if one was found.
pub fn simplify(ctx: &Ctx, ix: &Ix) -> Ix {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => ix.clone(),
        // Sums and products are the same everywhere.
        _ if !decides(ix) => seen::TERMS
            .with(|seen| seen::once(seen, Question::of_term(&Ctx::new(), ix), || in_rounds(ctx, ix))),
        Ix::Bin(..) | Ix::Read(..) => {
            seen::TERMS.with(|seen| seen::once(seen, Question::of_term(ctx, ix), || in_rounds(ctx, ix)))
        }
    }
}

/// Is there an operation in it whose value a context may say?
fn decides(ix: &Ix) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(IxOp::Add | IxOp::Sub | IxOp::Mul, ab) => decides(&ab.0) || decides(&ab.1),
        Ix::Bin(..) => true,
        Ix::Read(_, at) => at.iter().any(decides),
    }
}

fn in_rounds(ctx: &Ctx, ix: &Ix) -> Ix {
    let mut best = ix.clone();
    for _ in 0..ROUNDS {
        let reduced = reduce(ctx, &best);
        let (before, after) = (cost(&best), cost(&reduced));
        if after <= before {
            best = reduced;
        }
        // Parts whose quotients were shortened one after the other may meet only now.
        if after >= before || !Poly::of(&best).is_ok_and(|sum| has_quotients(&sum)) {
            break;
        }
    }
    best
}

/// A predicate equivalent to `p` under the hypotheses of `ctx`: without what they decide.
pub fn simplify_pred(ctx: &Ctx, p: &Pred) -> Pred {
    seen::PREDICATES.with(|seen| seen::once(seen, Question::of(ctx, p), || decided(ctx, p)))
}

fn decided(ctx: &Ctx, p: &Pred) -> Pred {
    match p {
        Pred::True | Pred::False => p.clone(),
        Pred::Cmp(cmp, a, b) => comparison(ctx, *cmp, a, b),
        Pred::Not(q) => Pred::not(simplify_pred(ctx, q)),
        Pred::And(ab) => {
            let a = simplify_pred(ctx, &ab.0);
            let b = simplify_pred(&assuming(ctx, &a), &ab.1);
            if !matches!(a, Pred::True | Pred::False) && holds(&assuming(ctx, &b), &a) {
                return b;
            }
            Pred::and(a, b)
        }
        Pred::Or(ab) => {
            let a = simplify_pred(ctx, &ab.0);
            let b = simplify_pred(&assuming(ctx, &Pred::not(a.clone())), &ab.1);
            if !matches!(a, Pred::True | Pred::False)
                && holds(&assuming(ctx, &Pred::not(b.clone())), &Pred::not(a.clone()))
            {
                return b;
            }
            Pred::or(a, b)
        }
    }
}

fn comparison(ctx: &Ctx, cmp: Cmp, a: &Ix, b: &Ix) -> Pred {
    let p = Pred::Cmp(cmp, simplify(ctx, a), simplify(ctx, b));
    if holds(ctx, &p) {
        Pred::True
    } else if holds(ctx, &Pred::not(p.clone())) {
        Pred::False
    } else {
        p
    }
}

fn assuming(ctx: &Ctx, p: &Pred) -> Ctx {
    let mut ctx = ctx.clone();
    ctx.push_hyp(p.clone());
    ctx
}

fn holds(ctx: &Ctx, goal: &Pred) -> bool {
    if let (Pred::And(ab), true) = (goal, says_of_all(ctx)) {
        return holds(ctx, &ab.0) && holds(ctx, &ab.1);
    }
    match near(ctx, goal, WORK) {
        Near::Proved(_) => true,
        Near::OutOfReach => false,
        Near::Unknown => is_found(ctx, goal),
    }
}

/// Does a search find a proof? It is spared where values deny the goal: then it would find none.
fn is_found(ctx: &Ctx, goal: &Pred) -> bool {
    if seen::POINTS.with_borrow_mut(|points| points.deny(ctx, goal)) {
        return false;
    }
    let limit = if says_of_all(ctx) && !is_sign(goal) { WORK_ELSEWHERE } else { WORK };
    let (mut outcome, spent) = Search::run(ctx, goal, FIRST.min(limit));
    if matches!(outcome, Outcome::Unknown) {
        outcome = match counterexample::at_once(ctx, goal) {
            Some(values) => Outcome::Refuted(values),
            None if FIRST < spent.min(limit) => Search::run(ctx, goal, limit).0,
            None => outcome,
        };
    }
    if let Outcome::Refuted(values) = &outcome {
        seen::POINTS.with_borrow_mut(|points| points.keep(values));
    }
    matches!(outcome, Outcome::Proved(_))
}

/// Does the condition state that a number is positive? An extent is, wherever its loop stands.
fn is_sign(goal: &Pred) -> bool {
    matches!(goal, Pred::Cmp(Cmp::Lt, Ix::Lit(0), _) | Pred::Cmp(Cmp::Le, Ix::Lit(1), _))
}

fn reduce(ctx: &Ctx, ix: &Ix) -> Ix {
    let (op, ab) = match ix {
        Ix::Lit(_) | Ix::Var(_) => return ix.clone(),
        Ix::Bin(op, ab) => (op, ab),
        Ix::Read(array, at) => return Ix::Read(*array, at.iter().map(|i| reduce(ctx, i)).collect()),
    };
    let (a, b) = (reduce(ctx, &ab.0), reduce(ctx, &ab.1));
    match op {
        IxOp::Add | IxOp::Sub | IxOp::Mul => shortest(ctx, *op, &a, &b),
        _ => {
            let term = Ix::Bin(*op, std::sync::Arc::new((a.clone(), b.clone())));
            let question = Question::of_term(ctx, &term);
            seen::OPERATIONS.with(|seen| seen::once(seen, question, || shortest(ctx, *op, &a, &b)))
        }
    }
}

/// The shortest form of an operation on reduced operands.
fn shortest(ctx: &Ctx, op: IxOp, a: &Ix, b: &Ix) -> Ix {
    let le = |x: &Ix, y: &Ix| holds(ctx, &Pred::le(x.clone(), y.clone()));
    let plain = Ix::bin(op, a.clone(), b.clone());
    let found = match op {
        IxOp::Add | IxOp::Sub | IxOp::Mul => None,
        IxOp::Div => quotient(ctx, a, b),
        IxOp::Mod => remainder(ctx, a, b),
        IxOp::Min if le(a, b) => return a.clone(),
        IxOp::Min if le(b, a) => return b.clone(),
        IxOp::Max if le(a, b) => return b.clone(),
        IxOp::Max if le(b, a) => return a.clone(),
        IxOp::Min | IxOp::Max => return beside(op, a, b).unwrap_or(plain),
    };
    let best = cheaper(plain, found);
    let Ok(sum) = Poly::of(&best) else { return best };
    let best = cheaper(best, pretty(&sum));
    cheaper(best, with_fewer_quotients(&sum).and_then(|sum| pretty(&sum)))
}

/// `min(c + a, c + b)` as `c + min(a, b)`, where that costs no more: of the two, one is the next cell in the next iteration.
fn beside(op: IxOp, a: &Ix, b: &Ix) -> Option<Ix> {
    let (p, q) = (Poly::of(a).ok()?, Poly::of(b).ok()?);
    let mut shared = Poly::default();
    for (m, c) in p.terms().filter(|(m, c)| !m.is_empty() && q.terms().any(|(n, d)| (n, d) == (*m, *c))) {
        let mut term = Poly::constant(c);
        for atom in m {
            term = term.times(&Poly::atom((**atom).clone())).ok()?;
        }
        shared = shared.plus(&term).ok()?;
    }
    if shared == Poly::default() {
        return None;
    }
    let rest = |p: &Poly| pretty(&p.minus(&shared).ok()?);
    let found = pretty(&shared)? + Ix::bin(op, rest(&p)?, rest(&q)?);
    (cost(&found) <= cost(&Ix::bin(op, a.clone(), b.clone()))).then_some(found)
}

/// What was met before: the accesses of a loop body have most of their index terms in common.
mod seen {
    use crate::memo::Question;
    use crate::points::Points;
    use atl_kernel::{Ix, Pred};
    use std::cell::RefCell;
    use std::collections::HashMap;

    const CAPACITY: usize = 1 << 12;

    /// Answers by question.
    pub(super) type Seen<T> = RefCell<HashMap<Question, T>>;

    thread_local! {
        pub(super) static TERMS: Seen<Ix> = RefCell::default();
        pub(super) static OPERATIONS: Seen<Ix> = RefCell::default();
        pub(super) static PREDICATES: Seen<Pred> = RefCell::default();
        /// What denied side conditions often denies the next.
        pub(super) static POINTS: RefCell<Points> = RefCell::default();
    }

    /// An answer, found once for each question. What is remembered changes no result.
    pub(super) fn once<T: Clone>(seen: &Seen<T>, question: Question, find: impl FnOnce() -> T) -> T {
        if let Some(known) = seen.borrow().get(&question) {
            return known.clone();
        }
        let found = find();
        let mut seen = seen.borrow_mut();
        if seen.len() >= CAPACITY {
            seen.clear();
        }
        seen.insert(question, found.clone());
        found
    }
}

/// A dividend as `d*t + r`, for a divisor that is positive.
struct Divided {
    t: Poly,
    r: Poly,
    /// Is `0 <= r < d`?
    exact: bool,
}

fn divided(ctx: &Ctx, a: &Ix, d: &Ix) -> Option<Divided> {
    let (p, by) = (Poly::of(a).ok()?, Poly::of(d).ok()?);
    if !holds(ctx, &Pred::lt(Ix::ZERO, d.clone())) {
        return None;
    }
    let (t, r) = divide(&p, &by)?;
    let within = |r: &Poly| Some(holds(ctx, &Pred::in_range(&pretty(r)?, d)));
    if within(&r)? {
        return Some(Divided { t, r, exact: true });
    }
    // Where the rest is not negative, no smaller quotient fits.
    if holds(ctx, &Pred::le(Ix::ZERO, pretty(&r)?)) {
        return Some(Divided { t, r, exact: false });
    }
    let (lower, over) = (t.minus(&Poly::constant(1)).ok()?, r.plus(&by).ok()?);
    if within(&over)? {
        return Some(Divided { t: lower, r: over, exact: true });
    }
    Some(Divided { t, r, exact: false })
}

fn quotient(ctx: &Ctx, a: &Ix, d: &Ix) -> Option<Ix> {
    let Divided { t, r, exact } = divided(ctx, a, d)?;
    if exact {
        return pretty(&t);
    }
    let rest = pretty(&r)?;
    let mut best = cheaper(a.clone() / d.clone(), Some(pretty(&t)? + rest.clone() / d.clone()));
    // Rounding up, where there is nothing to round.
    let whole = r.minus(&Poly::of(&(d.clone() - Ix::ONE)).ok()?).ok().and_then(|x| pretty(&x))?;
    let down = pretty(&t)? + whole.clone() / d.clone();
    if cost(&down) < cost(&best) && holds(ctx, &Pred::eq(whole % d.clone(), Ix::ZERO)) {
        best = down;
    }
    if let Ix::Bin(IxOp::Div, xc) = &rest
        && t == Poly::default()
        && holds(ctx, &Pred::lt(Ix::ZERO, xc.1.clone()))
    {
        best = cheaper(best, Some(xc.0.clone() / (xc.1.clone() * d.clone())));
    }
    Some(best)
}

fn remainder(ctx: &Ctx, a: &Ix, d: &Ix) -> Option<Ix> {
    let Divided { r, exact, .. } = divided(ctx, a, d)?;
    let rest = pretty(&r)?;
    Some(if exact { rest } else { rest % d.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::Label;

    /// Values spare a search that would find no proof, and no other; and those of one goal deny others.
    #[test]
    fn what_values_deny_a_search_does_not_prove() {
        let mut ctx = Ctx::new();
        let n = Ix::free(ctx.push_size(Label::new("n")));
        let sweeps = Ix::free(ctx.push_size(Label::new("sweeps")));
        let t = Ix::free(ctx.push_loop(Label::new("t"), &(sweeps * n.clone() * n.clone())));
        let i = Ix::free(ctx.push_loop(Label::new("i"), &n));
        let terms = [
            t.clone(),
            i.clone(),
            n.clone(),
            t.clone() / n.clone(),
            t.clone() % n.clone(),
            t.clone() / n.clone() % n.clone(),
            i.clone() + Ix::ONE,
        ];
        let (mut proved, mut spared) = (0, 0);
        for (a, b) in terms.iter().flat_map(|a| terms.iter().map(move |b| (a, b))) {
            for goal in [Pred::lt(a.clone(), b.clone()), Pred::in_range(a, b)] {
                let expected = matches!(Search::run(&ctx, &goal, WORK).0, Outcome::Proved(_));
                spared += usize::from(seen::POINTS.with_borrow_mut(|points| points.deny(&ctx, &goal)));
                assert_eq!(is_found(&ctx, &goal), expected, "{goal:?}");
                proved += usize::from(expected);
            }
        }
        assert!(proved >= 8 && spared >= 40, "{proved} proved, {spared} spared");
    }
}
