//! Certificates whose facts have other numbers elsewhere.

use atl_kernel::cert::Derive;
use atl_kernel::{Cert, Ix, Pred, Var};

/// Where facts, disjunctions and hypotheses are, and what terms are called there.
pub(crate) trait Renumber {
    /// The number of a fact there.
    fn fact(&self, k: usize) -> usize;

    /// The number of a disjunction there.
    fn pending(&self, k: usize) -> usize;

    /// The number of a hypothesis for all integers there.
    fn general(&self, k: usize) -> usize {
        k
    }

    /// A term there.
    fn ix(&self, ix: &Ix) -> Ix {
        ix.clone()
    }

    /// A predicate there.
    fn pred(&self, p: &Pred) -> Pred {
        p.clone()
    }

    /// A certificate there.
    fn cert(&self, cert: &Cert) -> Cert {
        let below = |c: &Cert| Box::new(self.cert(c));
        match cert {
            Cert::Absurd(k) => Cert::Absurd(self.fact(*k)),
            Cert::Step(step, rest) => Cert::Step(self.step(step), below(rest)),
            Cert::Split(k, left, right) => Cert::Split(self.pending(*k), below(left), below(right)),
            Cert::Case(p, yes, no) => Cert::Case(self.pred(p), below(yes), below(no)),
        }
    }

    /// A step there.
    fn step(&self, step: &Derive) -> Derive {
        match step {
            Derive::Combine(parts) => {
                let part =
                    |(c, factors): &(i128, Vec<usize>)| (*c, factors.iter().map(|k| self.fact(*k)).collect());
                Derive::Combine(parts.iter().map(part).collect())
            }
            Derive::Cut(k, d) => Derive::Cut(self.fact(*k), *d),
            Derive::Euclid(a, d, k) => Derive::Euclid(self.ix(a), self.ix(d), self.fact(*k)),
            Derive::Min(a, b) => Derive::Min(self.ix(a), self.ix(b)),
            Derive::Max(a, b) => Derive::Max(self.ix(a), self.ix(b)),
            Derive::Instance(k, at) => {
                Derive::Instance(self.general(*k), at.iter().map(|ix| self.ix(ix)).collect())
            }
            Derive::Type(level, at) => match self.ix(&Ix::Read(Var::Free(*level), at.as_slice().into())) {
                Ix::Read(Var::Free(level), at) => Derive::Type(level, at.to_vec()),
                _ => step.clone(),
            },
        }
    }
}

/// How many facts and disjunctions there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Count {
    pub(crate) facts: usize,
    pub(crate) pending: usize,
}

impl Count {
    /// Those that a formula comes apart into where it holds, or where it does not; none where a number does not fit.
    pub(crate) fn of(p: &Pred, holds: bool) -> Option<Count> {
        let mut facts = atl_kernel::cert::Facts::default();
        facts.assume(p, holds).ok()?;
        Some(Count { facts: facts.polys.len(), pending: facts.pending.len() })
    }

    /// Those of the hypotheses of a context.
    pub(crate) fn of_hypotheses(ctx: &atl_kernel::Ctx) -> Count {
        let known = ctx.entries().filter_map(atl_kernel::Entry::facts);
        known.fold(Count::default(), |sum, known| {
            sum.and(Count { facts: known.polys.len(), pending: known.pending.len() })
        })
    }

    /// Both.
    pub(crate) fn and(self, other: Count) -> Count {
        Count { facts: self.facts + other.facts, pending: self.pending + other.pending }
    }
}
