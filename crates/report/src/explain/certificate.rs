//! A certificate in words: which hypotheses it uses, and how it combines them.
//!
//! A certificate refutes the hypotheses together with the denied goal, and cites facts by their number. Here
//! it is followed as the kernel follows it, and each fact remembers the hypotheses that it comes from.

use atl_kernel::cert::{Cert, Derive, Facts};
use atl_kernel::{Ctx, Entry, Pred};
use std::collections::BTreeSet;

/// Why a goal holds.
pub(super) struct Reasons {
    /// The levels of the hypotheses that are used.
    pub(super) hypotheses: BTreeSet<u32>,
    /// How they are combined.
    pub(super) by: String,
}

/// The hypotheses that a fact comes from.
type Sources = BTreeSet<u32>;

/// The reasons that a certificate of a goal gives.
pub(super) fn reasons(ctx: &Ctx, goal: &Pred, cert: &Cert) -> Reasons {
    let mut follower = Follower::default();
    let mut facts = Facts::default();
    for (level, entry) in (0..).zip(ctx.entries()) {
        if let Entry::All(variables, p) = entry {
            facts.general.push((variables.len(), p.clone()));
            follower.general.push(level);
        }
        let Some(known) = entry.facts() else { continue };
        facts.polys.extend(known.polys.iter().cloned());
        facts.pending.extend(known.pending.iter().cloned());
        follower.extend(&facts, &Sources::from([level]));
    }
    // What overflows has no certificate.
    let _ = facts.assume(goal, false);
    follower.extend(&facts, &Sources::new());
    follower.follow(&mut facts, cert);
    let Follower { used, counts: Counts { combined, divisions, extrema, instances, types, cases }, .. } =
        follower;
    let counted = [
        (combined, "fact combined", "facts combined"),
        (divisions, "division", "divisions"),
        (extrema, "minimum or maximum", "minima or maxima"),
        (instances, "instance", "instances"),
        (types, "range of a type", "ranges of types"),
        (cases, "case distinction", "case distinctions"),
    ];
    let parts = counted.iter().filter(|(n, ..)| *n > 0);
    let parts: Vec<String> =
        parts.map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many })).collect();
    let by = match (parts.is_empty(), used.is_empty()) {
        (false, _) => parts.join(", "),
        (true, true) => "by arithmetic".to_owned(),
        (true, false) => "at once".to_owned(),
    };
    Reasons { hypotheses: used, by }
}

/// What a certificate does.
#[derive(Default)]
struct Counts {
    combined: usize,
    divisions: usize,
    extrema: usize,
    instances: usize,
    types: usize,
    cases: usize,
}

/// Follows a certificate.
#[derive(Default)]
struct Follower {
    /// Where each fact comes from,
    polys: Vec<Sources>,
    /// and each disjunction.
    pending: Vec<Sources>,
    /// The levels of the hypotheses for all integers.
    general: Vec<u32>,
    /// The hypotheses that a contradiction was reached with.
    used: Sources,
    counts: Counts,
}

impl Follower {
    /// The facts that are new come from here.
    fn extend(&mut self, facts: &Facts, sources: &Sources) {
        self.polys.resize(facts.polys.len(), sources.clone());
        self.pending.resize(facts.pending.len(), sources.clone());
    }

    fn of(&self, fact: usize) -> Sources {
        self.polys.get(fact).cloned().unwrap_or_default()
    }

    fn follow(&mut self, facts: &mut Facts, mut cert: &Cert) {
        loop {
            match cert {
                Cert::Absurd(k) => {
                    self.used.extend(self.of(*k));
                    return;
                }
                Cert::Step(step, rest) => {
                    let sources = match step {
                        Derive::Combine(parts) => {
                            let cited = parts.iter().flat_map(|(_, factors)| factors);
                            self.counts.combined += parts.len();
                            cited.flat_map(|k| self.of(*k)).collect()
                        }
                        Derive::Cut(k, _) => self.of(*k),
                        Derive::Euclid(_, _, positive) => {
                            self.counts.divisions += 1;
                            self.of(*positive)
                        }
                        Derive::Min(..) | Derive::Max(..) => {
                            self.counts.extrema += 1;
                            Sources::new()
                        }
                        Derive::Instance(k, _) => {
                            self.counts.instances += 1;
                            self.general.get(*k).copied().into_iter().collect()
                        }
                        Derive::Type(..) => {
                            self.counts.types += 1;
                            Sources::new()
                        }
                    };
                    // A certificate that was checked derives what it says.
                    let _ = facts.derive(step);
                    self.extend(facts, &sources);
                    cert = rest;
                }
                Cert::Split(_, left, right) | Cert::Case(_, left, right) => {
                    self.counts.cases += 1;
                    let known = (facts.polys.len(), facts.pending.len());
                    for (side, rest) in [(true, left), (false, right)] {
                        let sources = match cert {
                            Cert::Split(k, ..) => {
                                let _ = facts.assume_side(*k, side);
                                self.pending.get(*k).cloned().unwrap_or_default()
                            }
                            Cert::Case(p, ..) => {
                                let _ = facts.assume(p, side);
                                Sources::new()
                            }
                            _ => Sources::new(),
                        };
                        self.extend(facts, &sources);
                        self.follow(facts, rest);
                        facts.polys.truncate(known.0);
                        facts.pending.truncate(known.1);
                        self.extend(facts, &Sources::new());
                    }
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_arith::Arith;
    use atl_kernel::{Ix, Label, Prover};
    use atl_session::display;

    /// The hypotheses by which a goal holds in a context of `N`, `i < N` and `j < 8`.
    fn check(goal: impl FnOnce(&Ix, &Ix, &Ix) -> Pred, expected: &[&str]) {
        let mut ctx = Ctx::new();
        let n = Ix::free(ctx.push_size(Label::new("N")));
        let i = Ix::free(ctx.push_loop(Label::new("i"), &n));
        let j = Ix::free(ctx.push_loop(Label::new("j"), &Ix::Lit(8)));
        let goal = goal(&n, &i, &j);
        let cert = Arith::default().prove(&ctx, &goal).expect("it is proved");
        let Reasons { hypotheses, by } = reasons(&ctx, &goal, &cert);
        let used = ctx.hypotheses().filter(|(level, _)| hypotheses.contains(level));
        let used: Vec<String> = used.map(|(_, p)| display::pred(&ctx, p)).collect();
        assert_eq!(used, expected, "{by}");
        assert!(!by.is_empty());
    }

    #[test]
    fn only_what_is_used_is_named() {
        check(|n, i, _| Pred::lt(i.clone(), n.clone() + Ix::Lit(1)), &["i < N"]);
        check(|_, i, j| Pred::le(Ix::ZERO, i.clone() + j.clone()), &["0 <= i", "0 <= j"]);
        check(|_, _, _| Pred::le(Ix::ZERO, Ix::Lit(3)), &[]);
        check(|_, _, j| Pred::lt(j.clone() / Ix::Lit(2), Ix::Lit(4)), &["j < 8"]);
    }
}
