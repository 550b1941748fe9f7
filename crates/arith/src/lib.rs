//! Index arithmetic: certificates, counterexamples, simpler terms.
//!
//! [`Arith`] proves predicates on symbolic sizes and indices: sums, products, floor division and remainder
//! (by constants and by symbols), minima and maxima, under hypotheses of every propositional shape. What it
//! returns is a certificate that the kernel checks; nothing here is trusted. [`counterexample`] looks for
//! small values that show a goal wrong, [`decide`] does both, [`simplify`] proposes
//! a simpler equal term.
//!
//! The search is described in `search`; the arithmetic below it is exact (`rational`, `simplex`, `intern`),
//! and everything is bounded by a count of work rather than by time, so that an answer is the same on every
//! machine. No answer depends on an earlier query. It does not decide nonlinear arithmetic, which nothing
//! can; of tensors it knows only what hypotheses say of their elements.
#![forbid(unsafe_code)]

mod counterexample;
mod define;
mod distinction;
mod eval;
mod general;
mod instance;
mod intern;
pub mod keys;
mod lemma;
mod matching;
mod memo;
mod near;
mod node;
mod points;
mod pretty;
mod product;
mod proof;
mod quotients;
mod rational;
mod readback;
mod relevant;
mod rename;
mod renumber;
mod said;
mod search;
mod shortcut;
mod simplex;
mod simplify;
pub mod size;
mod split;
mod stones;
mod transfer;
mod value;
mod work;

pub use counterexample::counterexample;
pub use eval::{eval_ix, eval_pred};
pub use intern::Map;
pub use simplify::{simplify, simplify_pred};

use atl_kernel::{Cert, Ctx, Pred, Prover};
use memo::{Memo, Question};
use near::{Near, near, says_of_all};
use points::Points;
use search::{Outcome, Search};

/// Values for the index variables of a context, by level, ascending.
pub type Valuation = Vec<(u32, i64)>;

/// The most elementary operations that are spent on one goal, unless told otherwise.
pub const DEFAULT_WORK: u64 = 400_000;

/// The prover.
#[derive(Clone, Debug)]
pub struct Arith {
    limit: u64,
    spent: u64,
    memo: Memo,
    points: Points,
}

impl Default for Arith {
    fn default() -> Arith {
        Arith::new()
    }
}

/// After so much work a goal that is not proved is tried at small values: most goals that are proved are by then,
/// and one with a counterexample has no proof.
const FIRST: u64 = 8_000;

/// A search that has spent less than this part of its budget has ended early.
const EARLY: u64 = 4;

impl Arith {
    /// A prover with the usual budget.
    pub fn new() -> Arith {
        Arith::with_work(DEFAULT_WORK)
    }

    /// A prover that spends at most this much work on a goal.
    pub fn with_work(limit: u64) -> Arith {
        Arith { limit, spent: 0, memo: Memo::default(), points: Points::default() }
    }

    /// The work spent on the last goal.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    fn search(&mut self, ctx: &Ctx, goal: &Pred, limit: u64) -> Outcome {
        let first = limit.min(FIRST);
        let (mut outcome, mut spent) = Search::run(ctx, goal, first);
        if matches!(outcome, Outcome::Unknown) {
            if let Some(values) = counterexample::soon(ctx, goal) {
                self.spent = spent;
                return Outcome::Refuted(values);
            }
            if spent > first && first < limit {
                (outcome, spent) = Search::run(ctx, goal, limit);
            }
        }
        self.spent = spent;
        if matches!(outcome, Outcome::Unknown)
            && let Some(cert) =
                value::by_value(ctx, goal, limit).or_else(|| value::by_values(ctx, goal, limit))
        {
            outcome = Outcome::Proved(cert);
        }
        if matches!(outcome, Outcome::Unknown) && spent < limit / EARLY {
            let (longer, more) = Search::run_longer(ctx, goal, limit);
            (outcome, self.spent) = (longer, spent + more);
        }
        if let Outcome::Proved(cert) = &outcome {
            debug_assert_eq!(atl_kernel::cert::check(ctx, goal, cert), Ok(()), "{goal:?} by {cert:?}");
        }
        outcome
    }

    /// What a search finds; a point that it ends at is kept.
    fn certificate(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        match near(ctx, goal, self.limit) {
            Near::Proved(cert) => return Some(cert),
            Near::OutOfReach => return None,
            Near::Unknown => {}
        }
        // The part of the context that is linked to the goal was searched; what the rest adds is short.
        let limit = if says_of_all(ctx) { self.limit.min(FIRST) } else { self.limit };
        match self.search(ctx, goal, limit) {
            Outcome::Proved(cert) => Some(cert),
            Outcome::Refuted(values) => {
                self.points.keep(&values);
                None
            }
            Outcome::Unknown => None,
        }
    }
}

impl Prover for Arith {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        let question = Question::of(ctx, goal);
        if let Some(answer) = self.memo.get(question) {
            return answer;
        }
        let answer = if self.points.deny(ctx, goal) { None } else { self.certificate(ctx, goal) };
        self.memo.insert(question, answer.clone());
        answer
    }
}

/// What is known of a goal.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// It follows.
    Proved(Cert),
    /// It does not: the hypotheses hold here and it fails.
    Refuted(Valuation),
    /// Neither was found.
    Unknown,
}

/// Prove a goal, or show it wrong.
pub fn decide(ctx: &Ctx, goal: &Pred) -> Verdict {
    let found = Arith::new().search(ctx, goal, DEFAULT_WORK);
    if let Outcome::Proved(cert) = found {
        return Verdict::Proved(cert);
    }
    let values = counterexample::small(ctx, goal).or_else(|| match &found {
        Outcome::Refuted(values) => counterexample::confirmed(ctx, goal, values),
        Outcome::Proved(_) | Outcome::Unknown => None,
    });
    values.map_or(Verdict::Unknown, Verdict::Refuted)
}
