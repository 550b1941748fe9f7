//! Certificates without the hypotheses that they do not cite.
//!
//! A certificate numbers facts in order of appearance, those of all hypotheses of the context first. In deep
//! loops there are many, of which few are cited. The others are left out of what is printed, and facts are
//! numbered again. Rocq checks what comes out.

use atl_kernel::cert::Derive;
use atl_kernel::{Cert, Cmp, Pred};
use std::collections::BTreeSet;

/// How many facts and disjunctions a predicate adds that is assumed, or denied.
fn adds(p: &Pred, holds: bool) -> [usize; 2] {
    let both = |p: &Pred, q: &Pred| {
        let (a, b) = (adds(p, holds), adds(q, holds));
        [a[0] + b[0], a[1] + b[1]]
    };
    match (p, holds) {
        (Pred::True, true) | (Pred::False, false) => [0, 0],
        (Pred::True, false) | (Pred::False, true) => [1, 0],
        (Pred::Not(q), _) => adds(q, !holds),
        (Pred::And(pq), true) | (Pred::Or(pq), false) => both(&pq.0, &pq.1),
        (Pred::And(_), false) | (Pred::Or(_), true) | (Pred::Cmp(Cmp::Eq, ..), false) => [0, 1],
        (Pred::Cmp(Cmp::Eq, ..), true) => [2, 0],
        (Pred::Cmp(..), _) => [1, 0],
    }
}

/// What a certificate cites, by number.
#[derive(Default)]
struct Cited {
    facts: BTreeSet<usize>,
    disjunctions: BTreeSet<usize>,
    general: BTreeSet<usize>,
}

impl Cited {
    fn of(&mut self, cert: &Cert) {
        match cert {
            Cert::Absurd(fact) => drop(self.facts.insert(*fact)),
            Cert::Step(step, rest) => {
                match step {
                    Derive::Combine(parts) => {
                        self.facts.extend(parts.iter().flat_map(|(_, facts)| facts));
                    }
                    Derive::Cut(fact, _) | Derive::Euclid(_, _, fact) => drop(self.facts.insert(*fact)),
                    Derive::Min(..) | Derive::Max(..) | Derive::Type(..) => {}
                    Derive::Instance(k, _) => drop(self.general.insert(*k)),
                }
                self.of(rest);
            }
            Cert::Split(disjunction, a, b) => {
                self.disjunctions.insert(*disjunction);
                self.of(a);
                self.of(b);
            }
            Cert::Case(_, a, b) => {
                self.of(a);
                self.of(b);
            }
        }
    }
}

/// Ranges of numbers that are left out.
#[derive(Default)]
struct Gaps(Vec<std::ops::Range<usize>>);

impl Gaps {
    fn anew(&self, number: usize) -> usize {
        number - self.0.iter().filter(|gap| gap.start <= number).map(ExactSizeIterator::len).sum::<usize>()
    }
}

/// The certificate, numbered again.
fn renumbered(cert: &Cert, facts: &Gaps, disjunctions: &Gaps, general: &Gaps) -> Cert {
    let again = |cert: &Cert| Box::new(renumbered(cert, facts, disjunctions, general));
    match cert {
        Cert::Absurd(fact) => Cert::Absurd(facts.anew(*fact)),
        Cert::Step(step, rest) => {
            let step = match step {
                Derive::Combine(parts) => Derive::Combine(
                    parts
                        .iter()
                        .map(|(c, cited)| (*c, cited.iter().map(|fact| facts.anew(*fact)).collect()))
                        .collect(),
                ),
                Derive::Cut(fact, d) => Derive::Cut(facts.anew(*fact), *d),
                Derive::Euclid(a, d, fact) => Derive::Euclid(a.clone(), d.clone(), facts.anew(*fact)),
                Derive::Instance(k, at) => Derive::Instance(general.anew(*k), at.clone()),
                Derive::Min(..) | Derive::Max(..) | Derive::Type(..) => step.clone(),
            };
            Cert::Step(step, again(rest))
        }
        Cert::Split(disjunction, a, b) => Cert::Split(disjunctions.anew(*disjunction), again(a), again(b)),
        Cert::Case(p, a, b) => Cert::Case(p.clone(), again(a), again(b)),
    }
}

/// The certificate for the hypotheses that it cites; which these are, of the plain ones and of those for all
/// integers.
pub(crate) fn pruned(cert: &Cert, hyps: &[&Pred], general: usize) -> (Cert, Vec<bool>, Vec<bool>) {
    let mut cited = Cited::default();
    cited.of(cert);
    let (mut facts, mut disjunctions, mut at) = (Gaps::default(), Gaps::default(), [0, 0]);
    let mut kept = Vec::new();
    for p in hyps {
        let more = adds(p, true);
        let (new, waiting) = (at[0]..at[0] + more[0], at[1]..at[1] + more[1]);
        at = [new.end, waiting.end];
        let keep = cited.facts.range(new.clone()).next().is_some()
            || cited.disjunctions.range(waiting.clone()).next().is_some();
        if !keep {
            facts.0.push(new);
            disjunctions.0.push(waiting);
        }
        kept.push(keep);
    }
    let kept_general: Vec<bool> = (0..general).map(|k| cited.general.contains(&k)).collect();
    let unused = (0..general).filter(|k| !kept_general[*k]).map(|k| k..k + 1).collect();
    (renumbered(cert, &facts, &disjunctions, &Gaps(unused)), kept, kept_general)
}
