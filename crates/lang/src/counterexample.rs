//! Values of sizes and indices for which a goal is false though everything assumed holds.
//!
//! A goal that is not proved may still hold; a counterexample settles it, and is what a person understands
//! first. The search is over small values, and over those near the constants of the goal and the hypotheses;
//! it is bounded, so it may find nothing.

use atl_kernel::{Ctx, Entry, Ix, IxOp, Pred, Var, eval_op};
use std::collections::BTreeSet;

/// Values for index variables, by level.
pub type Valuation = Vec<(u32, i64)>;

/// The value of an index term; `None` where a variable has none, or it leaves 128 bits.
pub fn value_of(ix: &Ix, at: &Valuation) -> Option<i128> {
    match ix {
        Ix::Lit(n) => Some(i128::from(*n)),
        Ix::Var(Var::Free(level)) => at.iter().find(|(l, _)| l == level).map(|(_, v)| i128::from(*v)),
        Ix::Var(Var::Bound(_)) | Ix::Read(..) => None,
        Ix::Bin(op, ab) => eval_op(*op, value_of(&ab.0, at)?, value_of(&ab.1, at)?),
    }
}

/// Does the predicate hold? `None` where [`value_of`] has no value.
pub fn holds(p: &Pred, at: &Valuation) -> Option<bool> {
    use atl_kernel::Cmp;
    Some(match p {
        Pred::True => true,
        Pred::False => false,
        Pred::Cmp(cmp, a, b) => {
            let (a, b) = (value_of(a, at)?, value_of(b, at)?);
            match cmp {
                Cmp::Eq => a == b,
                Cmp::Lt => a < b,
                Cmp::Le => a <= b,
            }
        }
        Pred::Not(q) => !holds(q, at)?,
        Pred::And(pq) => holds(&pq.0, at)? && holds(&pq.1, at)?,
        Pred::Or(pq) => holds(&pq.0, at)? || holds(&pq.1, at)?,
    })
}

/// Values of the variables that matter for which every hypothesis about them holds and the goal does not.
pub fn find(ctx: &Ctx, goal: &Pred) -> Option<Valuation> {
    let hyps: Vec<&Pred> = ctx.hypotheses().map(|(_, p)| p).collect();
    // The variables of the goal, and those that hypotheses tie to them.
    let mut levels: BTreeSet<u32> = variables(ctx).filter(|l| goal.mentions(*l)).collect();
    loop {
        let tied: BTreeSet<u32> = variables(ctx)
            .filter(|l| hyps.iter().any(|p| p.mentions(*l) && levels.iter().any(|k| p.mentions(*k))))
            .collect();
        if tied.is_subset(&levels) {
            break;
        }
        levels.extend(tied);
    }
    let hyps = hyps.into_iter().filter(|p| levels.iter().any(|l| p.mentions(*l))).collect();
    let mut constants = BTreeSet::from([0, 1, 2, 3, 4, 5]);
    let mut near = |n: i64| constants.extend([n.saturating_sub(1), n, n.saturating_add(1)]);
    for p in ctx.hypotheses().map(|(_, p)| p).chain([goal]) {
        literals(p, &mut near);
    }
    let search = Search { goal, hyps, levels: levels.into_iter().collect(), constants };
    search.extend(&mut Vec::new(), &mut 50_000)
}

fn variables(ctx: &Ctx) -> impl Iterator<Item = u32> {
    let index = |(level, entry): (u32, &Entry)| matches!(entry, Entry::Index(_)).then_some(level);
    (0..).zip(ctx.entries()).filter_map(index)
}

struct Search<'a> {
    goal: &'a Pred,
    hyps: Vec<&'a Pred>,
    levels: Vec<u32>,
    constants: BTreeSet<i64>,
}

impl Search<'_> {
    fn extend(&self, at: &mut Valuation, budget: &mut u32) -> Option<Valuation> {
        *budget = budget.checked_sub(1)?;
        if self.hyps.iter().any(|p| holds(p, at) == Some(false)) {
            return None;
        }
        let Some(level) = self.levels.get(at.len()) else {
            return (holds(self.goal, at) == Some(false)).then(|| at.clone());
        };
        for value in &self.constants {
            at.push((*level, *value));
            let found = self.extend(at, budget);
            at.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Every integer in the predicate, and the products of divisors.
fn literals(p: &Pred, near: &mut impl FnMut(i64)) {
    fn of(ix: &Ix, near: &mut impl FnMut(i64)) {
        match ix {
            Ix::Lit(n) => near(*n),
            Ix::Var(_) => {}
            Ix::Bin(op, ab) => {
                if let (IxOp::Div | IxOp::Mod, Ix::Lit(d)) = (op, &ab.1) {
                    near(d.saturating_mul(2));
                }
                of(&ab.0, near);
                of(&ab.1, near);
            }
            Ix::Read(_, at) => at.iter().for_each(|i| of(i, near)),
        }
    }
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => {
            of(a, near);
            of(b, near);
        }
        Pred::Not(q) => literals(q, near),
        Pred::And(pq) | Pred::Or(pq) => {
            literals(&pq.0, near);
            literals(&pq.1, near);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::Label;

    fn check(hyp: impl Fn(Ix, Ix) -> Pred, goal: impl Fn(Ix, Ix) -> Pred, expected: Option<&[i64]>) {
        let mut ctx = Ctx::new();
        let (n, i) = (ctx.push_size(Label::new("n")), ctx.push_index(Label::new("i")));
        ctx.push_hyp(hyp(Ix::free(n), Ix::free(i)));
        let found = find(&ctx, &goal(Ix::free(n), Ix::free(i)));
        assert_eq!(found.map(|v| v.into_iter().map(|(_, x)| x).collect::<Vec<_>>()).as_deref(), expected);
    }

    #[test]
    fn the_smallest_counterexample_is_found() {
        check(|n, i| Pred::in_range(&i, &n), |n, i| Pred::lt(i + Ix::ONE, n), Some(&[1, 0]));
        check(|n, i| Pred::in_range(&i, &n), |n, i| Pred::lt(i, n), None);
        check(
            |n, _| Pred::eq(n % Ix::Lit(32), Ix::ZERO),
            |n, _| Pred::eq(n % Ix::Lit(64), Ix::ZERO),
            Some(&[32]),
        );
    }
}
