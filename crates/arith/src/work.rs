//! The work budget: what makes every query end, and end alike on every machine.

use crate::size::Sizes;
use atl_interrupt::checkpoint;
use atl_kernel::Ix;

/// To go over terms of so many nodes costs nothing beside the rest.
const LONG: u64 = 64;

/// How much work there is between two looks at whether anybody waits for it.
const BETWEEN: u64 = 1 << 12;

/// The budget is spent, or a number did not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GiveUp;

/// A count of elementary operations, on coefficients mostly.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    limit: u64,
    spent: u64,
}

impl Work {
    pub(crate) fn new(limit: u64) -> Work {
        checkpoint();
        Work { limit, spent: 0 }
    }

    /// Account for `n` operations.
    pub(crate) fn spend(&mut self, n: usize) -> Result<(), GiveUp> {
        let before = self.spent;
        self.spent = before.saturating_add(n as u64);
        if before / BETWEEN != self.spent / BETWEEN {
            checkpoint();
        }
        if self.spent > self.limit { Err(GiveUp) } else { Ok(()) }
    }

    /// Account for going over these terms, as far as they are long.
    pub(crate) fn spend_on(&mut self, terms: &[&Ix]) -> Result<(), GiveUp> {
        let mut sizes = Sizes::default();
        let nodes = terms.iter().fold(0, |sum: u64, ix| sum.saturating_add(sizes.ix(ix)));
        self.spend(usize::try_from(nodes.saturating_sub(LONG)).unwrap_or(usize::MAX))
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }
}
