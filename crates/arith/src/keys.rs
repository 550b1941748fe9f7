//! Equations that say where to look: `key(q) == sought`, among the conditions on `q`.
//!
//! Where the key strictly grows with `q`, the equation holds for one `q` at most; so a sum of what stands under it has one term
//! at most, and that can be searched for. This file says which equations there are and which question is to be answered; who asks
//! it needs a certificate.

use atl_kernel::subst::Subst;
use atl_kernel::{Cmp, Ctx, Ix, Label, Pred};

/// An equation, and what else is asked.
#[derive(Clone, PartialEq, Debug)]
pub struct Equation {
    /// The side that depends on the variable.
    pub key: Ix,
    /// The side that does not.
    pub sought: Ix,
    /// The other conditions, in order.
    pub rest: Vec<Pred>,
}

/// How a term is to grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// Each value is above the one before.
    Strict,
    /// None is below the one before.
    Weak,
}

/// The equations among the conjuncts of which one side alone depends on the variable at this level.
pub fn equations(p: &Pred, level: u32) -> Vec<Equation> {
    let mut parts = Vec::new();
    conjuncts(p, &mut parts);
    let sides = |part: &Pred| match part {
        Pred::Cmp(Cmp::Eq, a, b) if a.mentions(level) && !b.mentions(level) => Some((a.clone(), b.clone())),
        Pred::Cmp(Cmp::Eq, a, b) if b.mentions(level) && !a.mentions(level) => Some((b.clone(), a.clone())),
        _ => None,
    };
    let equation = |at: usize| {
        let (key, sought) = sides(parts[at])?;
        let rest = parts.iter().enumerate().filter(|(other, _)| *other != at);
        Some(Equation { key, sought, rest: rest.map(|(_, part)| (*part).clone()).collect() })
    };
    (0..parts.len()).filter_map(equation).collect()
}

/// That a term in the variable at a level grows from each of `0..n` to the next: what must hold, where. The context is that outside
/// of the range.
pub fn grows(ctx: &Ctx, (level, term): (u32, &Ix), n: &Ix, growth: Growth) -> (Ctx, Pred) {
    let mut there = ctx.clone();
    let place = Ix::free(there.push_index(Label::new("q")));
    let next = place.clone() + Ix::ONE;
    there.push_hyp(Pred::le(Ix::ZERO, place.clone()));
    there.push_hyp(Pred::lt(next.clone(), n.clone()));
    let at = |place: Ix| Subst { index: vec![(level, place)], ..Subst::default() }.ix(term);
    let (one, two) = (at(place), at(next));
    let goal = if growth == Growth::Strict { Pred::lt(one, two) } else { Pred::le(one, two) };
    (there, goal)
}

fn conjuncts<'p>(p: &'p Pred, found: &mut Vec<&'p Pred>) {
    match p {
        Pred::And(ab) => {
            conjuncts(&ab.0, found);
            conjuncts(&ab.1, found);
        }
        Pred::True => {}
        p => found.push(p),
    }
}

#[cfg(test)]
mod tests {
    use super::{Growth, equations, grows};
    use crate::Arith;
    use atl_kernel::{Ctx, Ix, Label, Pred, Prover};

    #[test]
    fn equations_have_the_variable_on_one_side() {
        let [q, i, j] = [0, 1, 2].map(Ix::free);
        let twice = q.clone() + q.clone();
        let parts = [
            Pred::lt(i.clone(), j.clone()),
            Pred::eq(j.clone(), twice.clone()),
            Pred::eq(q.clone(), q + i.clone()),
            Pred::eq(i.clone(), j.clone()),
        ];
        let found = equations(&parts.iter().cloned().reduce(Pred::and).unwrap(), 0);
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].key, &found[0].sought), (&twice, &j));
        assert_eq!(found[0].rest, [&parts[0], &parts[2], &parts[3]].map(Clone::clone));
    }

    #[test]
    fn growth_is_asked_of_neighbours_in_the_range() {
        let check = |term: fn(Ix) -> Ix, growth, expected| {
            let mut ctx = Ctx::new();
            let n = Ix::free(ctx.push_size(Label::new("n")));
            let level = 17;
            let (there, goal) = grows(&ctx, (level, &term(Ix::free(level))), &n, growth);
            assert_eq!(Arith::new().prove(&there, &goal).is_some(), expected, "{goal:?}");
        };
        check(|q| q * Ix::Lit(3) - Ix::Lit(7), Growth::Strict, true);
        check(|q| q / Ix::Lit(2), Growth::Strict, false);
        check(|q| q / Ix::Lit(2), Growth::Weak, true);
        check(|q| Ix::ZERO - q, Growth::Weak, false);
    }
}
