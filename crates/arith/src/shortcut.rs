//! Goals that are hypotheses, or a hypothesis away.
//!
//! Most goals of a schedule are: an index within the extent of its own loop. What the goal's denial says is
//! compared with each hypothesis; where the two add up to a negative constant, that is the certificate, and
//! nothing of the search's machinery is set up.

use atl_kernel::Cert;
use atl_kernel::cert::{Derive, Facts};
use atl_kernel::poly::Poly;

/// A refutation of facts that does no more than add one of those from `fresh` on to another.
pub(crate) fn refute(facts: &mut Facts, fresh: usize, goal_pending: usize) -> Option<Cert> {
    for k in fresh..facts.polys.len() {
        if facts.polys[k].as_constant().is_some_and(|c| c < 0) {
            return Some(Cert::Absurd(k));
        }
        if let Some(j) = (0..k).find(|j| contradict(&facts.polys[*j], &facts.polys[k])) {
            let sum = Derive::Combine(vec![(1, vec![j]), (1, vec![k])]);
            return Some(Cert::Step(sum, Box::new(Cert::Absurd(facts.polys.len()))));
        }
    }
    // The goal denied is at most one disjunction here; sides that are disjunctions again come after it.
    let pending = facts.pending.len();
    let k = (goal_pending..pending).next()?;
    let polys = facts.polys.len();
    let mut sides = [true, false].map(|left| {
        let assumed = facts.assume_side(k, left);
        let side = assumed.ok().and_then(|()| refute(facts, polys, pending));
        facts.polys.truncate(polys);
        facts.pending.truncate(pending);
        side.map(Box::new)
    });
    Some(Cert::Split(k, sides[0].take()?, sides[1].take()?))
}

/// Is the sum a negative constant?
fn contradict(p: &Poly, q: &Poly) -> bool {
    let mut proper = p.terms().filter(|t| !t.0.is_empty());
    let mut others = q.terms().filter(|t| !t.0.is_empty());
    loop {
        match (proper.next(), others.next()) {
            (None, None) => {
                return crate::readback::constant_term(p)
                    .checked_add(crate::readback::constant_term(q))
                    .is_some_and(|c| c < 0);
            }
            (Some((m, c)), Some((n, d))) if c.checked_neg() == Some(d) && m == n => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Ctx, Ix, Label, Pred, cert};

    /// In a loop over `n`, is the goal a hypothesis away? If so, by a certificate that the kernel accepts.
    fn check(goal: impl Fn(Ix, Ix) -> Pred, expected: bool) {
        let mut ctx = Ctx::new();
        let n = Ix::free(ctx.push_size(Label::new("n")));
        let i = Ix::free(ctx.push_loop(Label::new("i"), &n));
        let goal = goal(i, n);
        let mut facts = Facts::refuting(&ctx, &goal).unwrap();
        let (polys, pending) = (facts.polys.len(), facts.pending.len());
        let found = refute(&mut facts, 3, 0);
        assert_eq!(found.is_some(), expected, "{goal:?}");
        assert_eq!((facts.polys.len(), facts.pending.len()), (polys, pending));
        if let Some(found) = found {
            assert_eq!(cert::check(&ctx, &goal, &found), Ok(()));
        }
    }

    #[test]
    fn bounds_of_a_loop() {
        check(|i, n| Pred::in_range(&i, &n), true);
        check(|i, n| Pred::lt(i, n + Ix::Lit(1)), true);
        check(|i, n| Pred::and(Pred::le(Ix::Lit(0), n.clone()), Pred::in_range(&i, &n)), true);
        check(|i, n| Pred::lt(i + Ix::Lit(1), n), false);
        check(|_, n| Pred::lt(Ix::Lit(0), n), false);
    }
}
