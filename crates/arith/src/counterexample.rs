//! Counterexamples: small values that satisfy the hypotheses and falsify the goal.
//!
//! A backtracking search over the variables in the order of the context, sizes before the indices they
//! bound. A constraint whose other variables have values bounds a variable it has linearly; one that is
//! complete is evaluated. Variables that share no constraint are searched separately. The domains widen in
//! passes, so that what is found is small: a few small numbers first, then more, and last the neighbours of
//! the constants in the problem, such as a tile's size.

use crate::eval::{eval_poly, eval_pred};
use crate::search::{Outcome, Search};
use crate::{DEFAULT_WORK, Valuation};
use atl_kernel::cert::Facts;
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Ctx, Entry, Ix, Pred, Var};
use std::collections::BTreeSet;
use std::sync::Arc;

/// So many values are tried in all, in each pass.
const TRIALS: u32 = 12_000;
/// So many where a search is what else would be done.
const FEW_TRIALS: u32 = 600;
/// The trials where a short search is what else would be done.
const FIRST_TRIALS: u32 = 150;
/// A bounded variable's values are all tried if there are no more than these.
const WHOLE_RANGE: i128 = 12;

/// Values for every index variable of `ctx` at which its hypotheses hold and `goal` does not.
pub fn counterexample(ctx: &Ctx, goal: &Pred) -> Option<Valuation> {
    small(ctx, goal).or_else(|| match Search::run(ctx, goal, DEFAULT_WORK).0 {
        Outcome::Refuted(values) => confirmed(ctx, goal, &values),
        Outcome::Proved(_) | Outcome::Unknown => None,
    })
}

/// These values, zero for the rest, if they are a counterexample.
pub(crate) fn confirmed(ctx: &Ctx, goal: &Pred, values: &[(u32, i64)]) -> Option<Valuation> {
    let all: Valuation = (0..ctx.level())
        .filter(|l| matches!(ctx.entry(*l), Some(Entry::Index(_))))
        .map(|l| (l, values.iter().find(|v| v.0 == l).map_or(0, |v| v.1)))
        .collect();
    let value = |l: u32| all.binary_search_by_key(&l, |v| v.0).ok().map(|k| all[k].1);
    let holds = ctx.hypotheses().all(|(_, p)| eval_pred(p, &value) == Some(true));
    (holds && eval_pred(goal, &value) == Some(false)).then_some(all)
}

/// What must hold.
enum Demand {
    NonNegative(Arc<Poly>),
    Truth(Pred, bool),
}

struct Constraint {
    demand: Demand,
    /// The variables, ascending.
    levels: Vec<u32>,
}

/// The counterexample that the enumeration finds, if any.
pub(crate) fn small(ctx: &Ctx, goal: &Pred) -> Option<Valuation> {
    within(ctx, goal, TRIALS)
}

/// The same, of few trials; none where hypotheses hold for all integers, of whose arrays no values are known.
pub(crate) fn soon(ctx: &Ctx, goal: &Pred) -> Option<Valuation> {
    of_known(ctx, goal, FEW_TRIALS)
}

/// The same, of fewer trials still.
pub(crate) fn at_once(ctx: &Ctx, goal: &Pred) -> Option<Valuation> {
    of_known(ctx, goal, FIRST_TRIALS)
}

fn of_known(ctx: &Ctx, goal: &Pred, trials: u32) -> Option<Valuation> {
    let says_of_all = ctx.entries().any(|entry| matches!(entry, Entry::All(..)));
    if says_of_all { None } else { within(ctx, goal, trials) }
}

fn within(ctx: &Ctx, goal: &Pred, trials: u32) -> Option<Valuation> {
    let facts = Facts::refuting(ctx, goal).ok()?;
    let mut constants = BTreeSet::new();
    let mut constraints = Vec::new();
    for p in facts.polys {
        let mut levels = BTreeSet::new();
        scan_poly(&p, &mut levels, &mut constants);
        constraints.push(Constraint { demand: Demand::NonNegative(p), levels: levels.into_iter().collect() });
    }
    for (p, truth) in facts.pending {
        let mut levels = BTreeSet::new();
        scan_pred(&p, &mut levels, &mut constants);
        let levels = levels.into_iter().collect();
        constraints.push(Constraint { demand: Demand::Truth(p, truth), levels });
    }
    let mut values = Vec::new();
    for component in components(constraints) {
        values.extend(solve(&component, &constants, trials)?);
    }
    confirmed(ctx, goal, &values)
}

/// Constraints by the variables that they share, directly or through others.
fn components(constraints: Vec<Constraint>) -> Vec<Vec<Constraint>> {
    let mut groups: Vec<(BTreeSet<u32>, Vec<Constraint>)> = Vec::new();
    for constraint in constraints {
        let mut levels: BTreeSet<u32> = constraint.levels.iter().copied().collect();
        let mut members = vec![constraint];
        let mut apart = Vec::new();
        for (other, theirs) in groups {
            if other.is_disjoint(&levels) {
                apart.push((other, theirs));
            } else {
                levels.extend(other);
                members.extend(theirs);
            }
        }
        apart.push((levels, members));
        groups = apart;
    }
    groups.into_iter().map(|g| g.1).collect()
}

/// Values for the variables of a component.
fn solve(constraints: &[Constraint], constants: &BTreeSet<i64>, trials: u32) -> Option<Valuation> {
    let levels: BTreeSet<u32> = constraints.iter().flat_map(|c| c.levels.iter().copied()).collect();
    let levels: Vec<u32> = levels.into_iter().collect();
    let near = constants.iter().flat_map(|c| [*c, c.saturating_add(1), c.saturating_sub(1)]);
    let wide: Vec<i64> = (-2..=9).chain(near).chain(constants.iter().map(|c| c.saturating_mul(2))).collect();
    for domain in [vec![0, 1, 2, 3], vec![0, 1, 2, 3, 4, 5, 6, 7, 8, -1], wide] {
        let mut domain = domain;
        domain.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
        domain.dedup();
        let mut walk = Walk { constraints, levels: &levels, domain: &domain, values: Vec::new(), trials };
        if walk.extend().is_ok() {
            return Some(walk.values);
        }
    }
    None
}

/// A set of variables by their place in the order; those from the last bit on are one.
#[derive(Clone, Copy)]
struct Blame(u64);

impl Blame {
    const LAST: usize = 63;

    fn add(&mut self, place: usize) {
        self.0 |= 1 << place.min(Blame::LAST);
    }

    fn has(self, place: usize) -> bool {
        self.0 & (1 << place.min(Blame::LAST)) != 0
    }

    fn remove(&mut self, place: usize) {
        if place < Blame::LAST {
            self.0 &= !(1 << place);
        }
    }
}

struct Walk<'a> {
    constraints: &'a [Constraint],
    levels: &'a [u32],
    domain: &'a [i64],
    values: Valuation,
    trials: u32,
}

impl Walk<'_> {
    fn value(&self, level: u32) -> Option<i64> {
        self.values.binary_search_by_key(&level, |v| v.0).ok().map(|k| self.values[k].1)
    }

    /// Give the variables that have no value one each. If that fails, which of the others it is due to: a
    /// variable that has nothing to do with it keeps its value when the search goes back.
    fn extend(&mut self) -> Result<(), Blame> {
        let depth = self.values.len();
        let Some(&level) = self.levels.get(depth) else {
            let closed = self.constraints.iter().filter(|c| c.levels.is_empty());
            return if closed.into_iter().all(|c| self.holds(c)) { Ok(()) } else { Err(Blame(0)) };
        };
        let complete = |c: &&Constraint| c.levels.last() == Some(&level);
        let mut blame = Blame(0);
        for c in self.constraints.iter().filter(complete) {
            for l in &c.levels {
                blame.add(self.levels.partition_point(|m| m < l));
            }
        }
        for v in self.candidates(level) {
            if self.trials == 0 {
                return Err(Blame(0));
            }
            self.trials -= 1;
            self.values.push((level, v));
            if self.constraints.iter().filter(complete).all(|c| self.holds(c)) {
                match self.extend() {
                    Ok(()) => return Ok(()),
                    Err(other) if !other.has(depth) => {
                        self.values.pop();
                        return Err(other);
                    }
                    Err(other) => blame.0 |= other.0,
                }
            }
            self.values.pop();
        }
        blame.remove(depth);
        Err(blame)
    }

    fn holds(&self, constraint: &Constraint) -> bool {
        let value = |l: u32| self.value(l);
        match &constraint.demand {
            Demand::NonNegative(p) => eval_poly(p, &value).is_some_and(|v| v >= 0),
            Demand::Truth(p, truth) => eval_pred(p, &value) == Some(*truth),
        }
    }

    /// The values to try for the next variable: small and interesting ones, within its bounds and at them.
    fn candidates(&self, level: u32) -> Vec<i64> {
        let (mut low, mut high): (Option<i128>, Option<i128>) = (None, None);
        for c in self.constraints.iter().filter(|c| c.levels.last() == Some(&level)) {
            let Demand::NonNegative(p) = &c.demand else { continue };
            match self.linear(p, level) {
                Some((rest, a)) if a > 0 => {
                    let bound = (-rest).div_euclid(a) + i128::from((-rest).rem_euclid(a) != 0);
                    low = Some(low.map_or(bound, |l| l.max(bound)));
                }
                Some((rest, a)) => {
                    let bound = rest.div_euclid(-a);
                    high = Some(high.map_or(bound, |h| h.min(bound)));
                }
                None => {}
            }
        }
        let within = |v: i128| low.is_none_or(|l| l <= v) && high.is_none_or(|h| v <= h);
        let mut all: Vec<i128> = Vec::new();
        match (low, high) {
            (Some(l), Some(h)) if h - l < WHOLE_RANGE => all.extend(l..=h),
            _ => {
                all.extend(low.iter().flat_map(|l| *l..*l + 4));
                all.extend(self.domain.iter().map(|v| i128::from(*v)));
                all.extend(high.iter().flat_map(|h| *h - 1..=*h));
            }
        }
        let mut candidates: Vec<i64> =
            all.into_iter().filter(|v| within(*v)).filter_map(|v| i64::try_from(v).ok()).collect();
        candidates.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
        candidates.dedup();
        candidates
    }

    /// `p` as `rest + a * level` with `a` nonzero, where it is that; everything else in it has a value.
    fn linear(&self, p: &Poly, level: u32) -> Option<(i128, i128)> {
        let value = |l: u32| self.value(l);
        let (mut rest, mut a): (i128, i128) = (0, 0);
        for (m, c) in p.terms() {
            let mut product = c;
            let mut found = false;
            for atom in m {
                if **atom == Atom::Var(level) {
                    if found {
                        return None;
                    }
                    found = true;
                } else {
                    let v = eval_poly(&Poly::atom((**atom).clone()), &value)?;
                    product = product.checked_mul(v)?;
                }
            }
            let sum = if found { &mut a } else { &mut rest };
            *sum = sum.checked_add(product)?;
        }
        let fits = |v: i128| v.unsigned_abs() < 1 << 62;
        (a != 0 && fits(a) && fits(rest)).then_some((rest, a))
    }
}

fn scan_poly(p: &Poly, levels: &mut BTreeSet<u32>, constants: &mut BTreeSet<i64>) {
    for (m, c) in p.terms() {
        constants.extend(i64::try_from(c.abs()).ok().filter(|c| *c > 3));
        for a in m {
            match &**a {
                Atom::Var(l) => {
                    levels.insert(*l);
                }
                Atom::Div(p, q) | Atom::Min(p, q) | Atom::Max(p, q) => {
                    scan_poly(p, levels, constants);
                    scan_poly(q, levels, constants);
                }
                Atom::Read(_, at) => at.iter().for_each(|p| scan_poly(p, levels, constants)),
            }
        }
    }
}

fn scan_ix(ix: &Ix, levels: &mut BTreeSet<u32>, constants: &mut BTreeSet<i64>) {
    match ix {
        Ix::Lit(n) => constants.extend(n.checked_abs().filter(|n| *n > 3)),
        Ix::Var(Var::Free(l)) => {
            levels.insert(*l);
        }
        Ix::Var(Var::Bound(_)) => {}
        Ix::Bin(_, ab) => {
            scan_ix(&ab.0, levels, constants);
            scan_ix(&ab.1, levels, constants);
        }
        Ix::Read(_, at) => at.iter().for_each(|i| scan_ix(i, levels, constants)),
    }
}

fn scan_pred(p: &Pred, levels: &mut BTreeSet<u32>, constants: &mut BTreeSet<i64>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => {
            scan_ix(a, levels, constants);
            scan_ix(b, levels, constants);
        }
        Pred::Not(q) => scan_pred(q, levels, constants),
        Pred::And(ab) | Pred::Or(ab) => {
            scan_pred(&ab.0, levels, constants);
            scan_pred(&ab.1, levels, constants);
        }
    }
}
