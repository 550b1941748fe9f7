//! Index arithmetic: certificates and counterexamples.
mod distinction;
mod eval;
mod intern;
mod lemma;
mod product;
mod proof;
mod rational;
mod readback;
mod search;
mod simplex;
mod work;
pub use eval::{eval_ix, eval_pred};

use atl_kernel::{Cert, Ctx, Pred, Prover};

/// Values for the index variables of a context, by level.
pub type Valuation = Vec<(u32, i64)>;

/// The most elementary operations spent on one goal.
pub const DEFAULT_WORK: u64 = 400_000;

/// The prover.
#[derive(Clone, Debug)]
pub struct Arith {
    limit: u64,
    spent: u64,
}

impl Default for Arith {
    fn default() -> Arith {
        Arith::new()
    }
}

impl Arith {
    /// A prover with the usual budget.
    pub fn new() -> Arith {
        Arith::with_work(DEFAULT_WORK)
    }

    /// A prover that spends at most this much work on a goal.
    pub fn with_work(limit: u64) -> Arith {
        Arith { limit, spent: 0 }
    }

    /// The work spent on the last goal.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

impl Prover for Arith {
    fn prove(&mut self, ctx: &Ctx, goal: &Pred) -> Option<Cert> {
        let (outcome, spent) = search::Search::run(ctx, goal, self.limit);
        self.spent = spent;
        match outcome {
            search::Outcome::Proved(cert) => {
                debug_assert_eq!(atl_kernel::cert::check(ctx, goal, &cert), Ok(()), "{goal:?} by {cert:?}");
                Some(cert)
            }
            search::Outcome::Refuted(_) | search::Outcome::Unknown => None,
        }
    }
}
