//! Evidence for conditions, as `Goals.v` takes it: plain ones, facts by number, equations where quotients are
//! merged, and certificates.

use super::Lowering;
use super::step::Evidence;
use crate::deep::{Deep, list};
use crate::error::Result;
use crate::prune::pruned;
use crate::ranges::as_instances;
use crate::raw;
use crate::scope::{Scope, Slot};
use atl_kernel::poly::Poly;
use atl_kernel::{Cmp, Ix, IxOp, Pred};

/// The difference of two index terms, if it is a number.
fn difference(a: &Ix, b: &Ix) -> Option<i128> {
    Poly::of(b).ok()?.minus(&Poly::of(a).ok()?).ok()?.as_constant()
}

/// `plain` of `Goals.v`: is it true whatever its variables are?
fn plain(p: &Pred) -> bool {
    match p {
        Pred::True => true,
        Pred::False | Pred::Not(_) => false,
        Pred::Cmp(Cmp::Eq, a, b) => difference(a, b) == Some(0),
        Pred::Cmp(Cmp::Le, a, b) => difference(a, b).is_some_and(|d| d >= 0),
        Pred::Cmp(Cmp::Lt, a, b) => difference(a, b).is_some_and(|d| d > 0),
        Pred::And(pq) => plain(&pq.0) && plain(&pq.1),
        Pred::Or(pq) => plain(&pq.0) || plain(&pq.1),
    }
}

/// `same_predicate` of `Goals.v`.
pub(super) fn same(p: &Pred, q: &Pred) -> bool {
    let equal = |a: &Ix, b: &Ix| difference(a, b) == Some(0);
    match (p, q) {
        (Pred::True, Pred::True) | (Pred::False, Pred::False) => true,
        (Pred::Cmp(c, a, b), Pred::Cmp(d, x, y)) => c == d && equal(a, x) && equal(b, y),
        (Pred::Not(p), Pred::Not(q)) => same(p, q),
        (Pred::And(pq), Pred::And(rs)) | (Pred::Or(pq), Pred::Or(rs)) => {
            same(&pq.0, &rs.0) && same(&pq.1, &rs.1)
        }
        _ => false,
    }
}

/// Evidence that is written once, and named where it is used: copies of what was written out ask the same.
#[derive(Default)]
pub(super) struct Shared(Vec<String>);

impl Shared {
    fn number(&mut self, by: String) -> usize {
        self.0.iter().position(|known| *known == by).unwrap_or_else(|| {
            self.0.push(by);
            self.0.len() - 1
        })
    }

    /// The definitions.
    pub(super) fn definitions(&self) -> String {
        let lines =
            self.0.iter().enumerate().map(|(k, by)| format!("Definition by'{k} : evidence := {by}.\n"));
        lines.collect()
    }
}

/// Does it say what facts say, part by part?
fn is_known(facts: &[&Pred], goal: &Pred) -> bool {
    let both = |pq: &(Pred, Pred)| is_known(facts, &pq.0) && is_known(facts, &pq.1);
    plain(goal) || facts.iter().any(|fact| same(fact, goal)) || matches!(goal, Pred::And(pq) if both(pq))
}

/// `positive` of `Goals.v`.
fn positive(facts: &[&Pred], t: &Ix) -> bool {
    let wanted = Pred::lt(Ix::ZERO, t.clone());
    facts.iter().any(|fact| same(fact, &wanted))
        || match t {
            Ix::Lit(n) => *n > 0,
            Ix::Bin(IxOp::Mul, ab) => positive(facts, &ab.0) && positive(facts, &ab.1),
            _ => false,
        }
}

/// `merged` of `Goals.v`: quotients of quotients as one, and remainders by quotients.
fn merged(facts: &[&Pred], t: &Ix) -> Ix {
    let Ix::Bin(op, ab) = t else { return t.clone() };
    let (a, d) = (merged(facts, &ab.0), merged(facts, &ab.1));
    let quotient = |a: Ix, d: Ix| match &a {
        Ix::Bin(IxOp::Div, xp) if positive(facts, &xp.1) && positive(facts, &d) => {
            raw::bin(IxOp::Div, xp.0.clone(), raw::bin(IxOp::Mul, xp.1.clone(), d))
        }
        _ => raw::bin(IxOp::Div, a, d),
    };
    match op {
        IxOp::Div => quotient(a, d),
        IxOp::Mod => raw::bin(IxOp::Sub, a.clone(), raw::bin(IxOp::Mul, d.clone(), quotient(a, d))),
        op => raw::bin(*op, a, d),
    }
}

impl Lowering<'_, '_> {
    /// Closed terms: an entry of the context is numbered from the newest one.
    fn closed_index(&self, level: u32) -> String {
        let free = match self.entered.iter().rev().position(|entered| *entered == level) {
            Some(k) => k,
            None => level as usize + self.entered.len(),
        };
        format!("Free {free}")
    }

    pub(super) fn closed<T>(&self, write: impl FnOnce(&Deep<'_>) -> T) -> T {
        let depth = u32::try_from(self.entered.len()).unwrap_or(u32::MAX);
        write(&Deep {
            index: &|level| self.closed_index(level),
            array: &|level| level + depth,
            leaf: &|text| self.leaves.name(&text),
        })
    }

    /// Extents, closed.
    pub(super) fn closed_shape(&self, shape: &[Ix]) -> String {
        self.closed(|deep| deep.list(shape))
    }

    /// Evidence without a certificate, if there is any.
    fn direct(&self, scope: &Scope, goal: &Pred) -> Option<Evidence> {
        if plain(goal) {
            return Some(Evidence::Plainly);
        }
        let facts = scope.slots.iter().rev().filter_map(|slot| match slot {
            Slot::Hyp(p, _) => Some(p),
            _ => None,
        });
        if let Some(k) = facts.into_iter().position(|p| p == goal) {
            return Some(Evidence::Given(k));
        }
        let Pred::And(pq) = goal else { return None };
        let (first, second) = (self.direct(scope, &pq.0)?, self.direct(scope, &pq.1)?);
        Some(Evidence::Twice(Box::new(first), Box::new(second)))
    }

    /// Evidence for a condition.
    pub(super) fn shown(&mut self, scope: &Scope, goal: &Pred) -> Result<Evidence> {
        if let Some(evidence) = self.direct(scope, goal) {
            return Ok(evidence);
        }
        let facts: Vec<&Pred> = scope
            .slots
            .iter()
            .filter_map(|slot| if let Slot::Hyp(p, _) = slot { Some(p) } else { None })
            .collect();
        if let Pred::Cmp(Cmp::Eq, a, b) = goal
            && difference(&merged(&facts, a), &merged(&facts, b)) == Some(0)
        {
            return Ok(Evidence::Merging);
        }
        let whole = self.export.certificate(scope, goal, &[])?;
        let certificate = (!is_known(&facts, goal)).then(|| whole.clone());
        let general = scope.slots.iter().filter(|slot| matches!(slot, Slot::All(..))).count();
        let cert = as_instances(&whole, general, &mut self.export.typed);
        let (cert, kept, kept_general) = pruned(&cert, &facts, general + self.export.typed.len());
        let cited = |kept: &[bool], number: &dyn Fn(usize) -> usize| {
            let cited: Vec<usize> = (0..kept.len()).filter(|k| kept[*k]).map(number).collect();
            list(cited, |k| format!("{k}%nat"))
        };
        self.export.certificates += 1;
        let by = format!(
            "By {} {} {}",
            cited(&kept, &|k| facts.len() - 1 - k),
            cited(&kept_general, &|k| k),
            self.closed(|deep| deep.cert(&cert))
        );
        Ok(Evidence::By { number: self.shared.number(by), certificate })
    }

    /// Evidence that a condition does not hold.
    pub(super) fn denied(&mut self, scope: &Scope, p: &Pred) -> Result<Evidence> {
        self.shown(scope, &raw::not(p))
    }

    /// Evidence that two index terms are equal.
    pub(super) fn equal(&mut self, scope: &Scope, a: &Ix, b: &Ix) -> Result<Evidence> {
        self.shown(scope, &Pred::Cmp(Cmp::Eq, a.clone(), b.clone()))
    }

    /// Evidence for each of two rows of extents, that they are equal.
    pub(super) fn equals(&mut self, scope: &Scope, a: &[Ix], b: &[Ix]) -> Result<Vec<Evidence>> {
        if a.len() != b.len() {
            return super::words::mismatch("extents of another rank");
        }
        a.iter().zip(b).map(|(a, b)| self.equal(scope, a, b)).collect()
    }

    /// Evidence that two conditions have one truth value.
    pub(super) fn alike(&mut self, scope: &Scope, p: &Pred, q: &Pred) -> Result<Evidence> {
        if same(p, q) {
            return Ok(Evidence::Plainly);
        }
        self.shown(scope, &raw::iff(p, q))
    }
}
