//! The side conditions of a theorem, and how each was proved.
//!
//! A record keeps certificates, in the order in which the kernel asked for them, and not what they prove. So
//! the record is inferred again, with a prover that answers from it and notes the questions.

use super::certificate::{self, Reasons};
use atl_kernel::{Cert, Ctx, Pred, Proof, Prover, Replay, Thm, enter, rounds};
use atl_session::display;
use std::collections::HashMap;
use std::sync::Arc;

/// A condition that was proved, and why it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// What was proved.
    pub goal: String,
    /// The hypotheses that the proof uses.
    pub from: Vec<String>,
    /// How they were combined: `3 facts combined, 1 division`.
    pub by: String,
    /// How often it was needed.
    pub times: usize,
}

impl Condition {
    /// A condition with its proof in words.
    pub fn of(ctx: &Ctx, goal: &Pred, cert: &Cert) -> Condition {
        let Reasons { hypotheses, by } = certificate::reasons(ctx, goal, cert);
        let known = (0..).zip(ctx.entries()).filter(|(level, _)| hypotheses.contains(level));
        Condition {
            goal: display::pred(ctx, goal),
            from: known.filter_map(|(_, entry)| display::hypothesis(ctx, entry)).collect(),
            by,
            times: 1,
        }
    }

    /// `0 <= i < N;  from 0 <= i, i < N: 2 facts combined`.
    pub fn in_words(&self) -> String {
        let from =
            if self.from.is_empty() { String::new() } else { format!("from {}: ", self.from.join(", ")) };
        let times = if self.times == 1 { String::new() } else { format!(" ({} times)", self.times) };
        format!("{};  {from}{}{times}", self.goal, self.by)
    }

    /// Puts a condition into a list, where it may stand already.
    pub fn join(self, list: &mut Vec<Condition>) {
        let same = |c: &&mut Condition| (&c.goal, &c.from, &c.by) == (&self.goal, &self.from, &self.by);
        match list.iter_mut().find(same) {
            Some(known) => known.times += self.times,
            None => list.push(self),
        }
    }
}

/// The conditions that a theorem's inferences needed, the different ones in the order of their first use.
pub(super) fn conditions(thm: &Thm) -> Vec<Condition> {
    let mut asked = Asked::default();
    // A record of the kernel's own making replays; otherwise nothing can be said.
    let _ = asked.replay(thm.ctx(), thm.proof());
    let mut list = Vec::new();
    for (ctx, goal, cert) in &asked.questions {
        Condition::of(ctx, goal, cert).join(&mut list);
    }
    list
}

/// What was asked while a record was inferred again.
#[derive(Default)]
struct Asked {
    questions: Vec<(Ctx, Pred, Cert)>,
    /// Parts of the record that occur again.
    known: HashMap<*const Proof, Thm>,
}

/// A prover that answers from a record.
struct Witness<'a> {
    certs: std::slice::Iter<'a, Cert>,
    questions: &'a mut Vec<(Ctx, Pred, Cert)>,
}

impl Prover for Witness<'_> {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        let cert = self.certs.next()?.clone();
        self.questions.push((ctx.clone(), goal.clone(), cert.clone()));
        Some(cert)
    }
}

impl Asked {
    fn replay(&mut self, ctx: &Arc<Ctx>, proof: &Arc<Proof>) -> atl_kernel::Result<Thm> {
        if let Some(thm) = self.known.get(&Arc::as_ptr(proof)) {
            return Ok(thm.clone());
        }
        let thm = match &**proof {
            Proof::Refl(l, r, certs) => Thm::relabel(ctx, l, r, &mut self.witness(certs))?,
            Proof::Sym(p) => self.replay(ctx, p)?.sym(),
            Proof::Trans(p, q) => self.replay(ctx, p)?.trans(self.replay(ctx, q)?)?,
            Proof::Rule(rule, lhs, certs) => Thm::rule(ctx, rule.clone(), lhs, &mut self.witness(certs))?,
            Proof::Congruence(parent, at, child, certs) => {
                let (inner, _) = enter(ctx, parent, *at, &mut Replay(certs.iter()))?;
                let child = self.replay(&Arc::new(inner), child)?;
                Thm::congruence(ctx, parent, *at, child, &mut self.witness(certs))?
            }
            Proof::Cases(p, holds, fails) => {
                let assuming = |p: Pred| {
                    let mut inner = (**ctx).clone();
                    inner.push_hyp(p);
                    Arc::new(inner)
                };
                let holds = self.replay(&assuming(p.clone()), holds)?;
                let fails = self.replay(&assuming(Pred::not(p.clone())), fails)?;
                Thm::cases(ctx, p.clone(), holds, fails)?
            }
            Proof::Induction(e, family, premises, certs) => {
                let inner = Arc::new(rounds(ctx, e)?);
                let premises =
                    premises.iter().map(|(p, q)| Ok((self.replay(ctx, p)?, self.replay(&inner, q)?)));
                let premises = premises.collect::<atl_kernel::Result<_>>()?;
                Thm::induction(ctx, e, family, premises, &mut self.witness(certs))?
            }
        };
        self.known.insert(Arc::as_ptr(proof), thm.clone());
        Ok(thm)
    }

    fn witness<'a>(&'a mut self, certs: &'a [Cert]) -> Witness<'a> {
        Witness { certs: certs.iter(), questions: &mut self.questions }
    }
}
