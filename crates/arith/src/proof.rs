//! Refutations as the search builds them, and the certificates they become.
//!
//! The search derives much that turns out not to be needed. Facts, disjunctions and the steps that yield
//! them have numbers here that never change; a certificate is written at the end from what the closing
//! combinations cite, and only then are facts numbered as the kernel will number them.

use atl_kernel::cert::{Cert, Derive};
use atl_kernel::{Ix, Pred};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The number of a fact.
pub(crate) type FactId = usize;
/// The number of a disjunction.
pub(crate) type PendingId = usize;
/// The number of a step.
pub(crate) type StepId = usize;

/// Where facts come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The hypotheses and the denied goal, or one side of a split.
    Assumed,
    /// `Derive::Combine`.
    Combine(Vec<(i128, Vec<FactId>)>),
    /// `Derive::Cut`.
    Cut(FactId, i128),
    /// `Derive::Euclid`.
    Euclid(Ix, Ix, FactId),
    /// `Derive::Min`.
    Min(Ix, Ix),
    /// `Derive::Max`.
    Max(Ix, Ix),
    /// `Derive::Instance`.
    Instance(usize, Vec<Ix>),
    /// `Derive::Type`.
    Type(u32, Vec<Ix>),
}

/// One step: a source, and what it yields, in the kernel's order.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) source: Source,
    pub(crate) facts: Vec<FactId>,
    pub(crate) pending: Vec<PendingId>,
}

/// Every step of a query, and which step each fact and disjunction comes from.
#[derive(Default)]
pub(crate) struct Steps {
    steps: Vec<Step>,
    fact_step: Vec<StepId>,
    pending_step: Vec<StepId>,
}

/// What a branch of a refutation splits on.
#[derive(Clone, Debug)]
pub(crate) enum On {
    /// A disjunction.
    Pending(PendingId),
    /// A predicate and its negation.
    Case(Pred),
}

/// A refutation.
#[derive(Clone, Debug)]
pub(crate) enum Proof {
    /// This combination of products of facts is a negative constant.
    Close(Vec<(i128, Vec<FactId>)>),
    /// Both sides are refuted; each begins with the step that assumes it. The steps that this needs from outside it.
    Split(On, Box<[(StepId, Proof); 2]>, Arc<BTreeSet<StepId>>),
}

impl Steps {
    /// Record a step.
    pub(crate) fn push(&mut self, source: Source, facts: usize, pending: usize) -> &Step {
        let id = self.steps.len();
        let (f, p) = (self.fact_step.len(), self.pending_step.len());
        self.fact_step.resize(f + facts, id);
        self.pending_step.resize(p + pending, id);
        self.steps.push(Step {
            source,
            facts: (f..f + facts).collect(),
            pending: (p..p + pending).collect(),
        });
        &self.steps[id]
    }

    /// How many steps there are; the next gets this number.
    pub(crate) fn len(&self) -> StepId {
        self.steps.len()
    }

    /// The steps that a refutation needs from outside it.
    pub(crate) fn needs(&self, proof: &Proof) -> Arc<BTreeSet<StepId>> {
        match proof {
            Proof::Close(parts) => {
                let mut needed = BTreeSet::new();
                for f in parts.iter().flat_map(|p| &p.1) {
                    self.require(self.fact_step[*f], &mut needed);
                }
                Arc::new(needed)
            }
            Proof::Split(_, _, needed) => needed.clone(),
        }
    }

    /// The refutation of both sides.
    pub(crate) fn split(&self, on: On, sides: [(StepId, Proof); 2]) -> Proof {
        let mut needed = BTreeSet::new();
        for (assumed, side) in &sides {
            needed.extend(self.needs(side).iter().filter(|step| *step != assumed && **step < sides[0].0));
        }
        if let On::Pending(p) = on {
            self.require(self.pending_step[p], &mut needed);
        }
        Proof::Split(on, Box::new(sides), Arc::new(needed))
    }

    fn require(&self, step: StepId, needed: &mut BTreeSet<StepId>) {
        if !needed.insert(step) {
            return;
        }
        match &self.steps[step].source {
            Source::Assumed | Source::Min(..) | Source::Max(..) | Source::Instance(..) | Source::Type(..) => {
            }
            Source::Cut(f, _) | Source::Euclid(_, _, f) => self.require(self.fact_step[*f], needed),
            Source::Combine(parts) => {
                for f in parts.iter().flat_map(|p| &p.1) {
                    self.require(self.fact_step[*f], needed);
                }
            }
        }
    }

    /// The certificate of a refutation that starts from what these steps assume.
    pub(crate) fn certificate(&self, given: &[StepId], proof: &Proof) -> Cert {
        let mut numbering = Numbering {
            steps: self,
            facts: vec![None; self.fact_step.len()],
            pending: vec![None; self.pending_step.len()],
            placed: Vec::new(),
            next: (0, 0),
        };
        given.iter().for_each(|step| numbering.place(*step));
        numbering.write(proof)
    }
}

/// The kernel's numbers of the facts and disjunctions at hand.
struct Numbering<'a> {
    steps: &'a Steps,
    facts: Vec<Option<usize>>,
    pending: Vec<Option<usize>>,
    placed: Vec<StepId>,
    next: (usize, usize),
}

impl Numbering<'_> {
    fn place(&mut self, id: StepId) {
        let step = &self.steps.steps[id];
        for f in &step.facts {
            self.facts[*f] = Some(self.next.0);
            self.next.0 += 1;
        }
        for p in &step.pending {
            self.pending[*p] = Some(self.next.1);
            self.next.1 += 1;
        }
        self.placed.push(id);
    }

    fn fact(&self, f: FactId) -> usize {
        self.facts[f].unwrap_or(usize::MAX)
    }

    fn parts(&self, parts: &[(i128, Vec<FactId>)]) -> Vec<(i128, Vec<usize>)> {
        parts.iter().map(|(k, fs)| (*k, fs.iter().map(|f| self.fact(*f)).collect())).collect()
    }

    fn derive(&self, source: &Source) -> Option<Derive> {
        Some(match source {
            Source::Assumed => return None,
            Source::Combine(parts) => Derive::Combine(self.parts(parts)),
            Source::Cut(f, d) => Derive::Cut(self.fact(*f), *d),
            Source::Euclid(a, d, f) => Derive::Euclid(a.clone(), d.clone(), self.fact(*f)),
            Source::Min(a, b) => Derive::Min(a.clone(), b.clone()),
            Source::Max(a, b) => Derive::Max(a.clone(), b.clone()),
            Source::Instance(k, at) => Derive::Instance(*k, at.clone()),
            Source::Type(level, at) => Derive::Type(*level, at.clone()),
        })
    }

    /// Forget what was placed after the first `mark` steps.
    fn rewind(&mut self, mark: usize, next: (usize, usize)) {
        for id in self.placed.drain(mark..) {
            let step = &self.steps.steps[id];
            step.facts.iter().for_each(|f| self.facts[*f] = None);
            step.pending.iter().for_each(|p| self.pending[*p] = None);
        }
        self.next = next;
    }

    fn write(&mut self, proof: &Proof) -> Cert {
        let mut derived = Vec::new();
        for id in self.steps.needs(proof).iter().copied() {
            if !self.placed.contains(&id)
                && let Some(step) = self.derive(&self.steps.steps[id].source)
            {
                derived.push(step);
                self.place(id);
            }
        }
        let end = match proof {
            Proof::Close(parts) => match parts.as_slice() {
                [(_, one)] if one.len() == 1 => Cert::Absurd(self.fact(one[0])),
                _ => {
                    derived.push(Derive::Combine(self.parts(parts)));
                    Cert::Absurd(self.next.0)
                }
            },
            Proof::Split(on, sides, _) => {
                let (mark, next) = (self.placed.len(), self.next);
                let [left, right] = [0, 1].map(|k| {
                    let (assumed, side) = &sides[k];
                    self.place(*assumed);
                    let cert = self.write(side);
                    self.rewind(mark, next);
                    Box::new(cert)
                });
                match on {
                    On::Pending(p) => Cert::Split(self.pending[*p].unwrap_or(usize::MAX), left, right),
                    On::Case(p) => Cert::Case(p.clone(), left, right),
                }
            }
        };
        derived.into_iter().rev().fold(end, |cert, step| Cert::Step(step, Box::new(cert)))
    }
}
