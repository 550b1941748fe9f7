//! The work budget: what makes every query end, and end alike on every machine.

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
        Work { limit, spent: 0 }
    }

    /// Account for `n` operations.
    pub(crate) fn spend(&mut self, n: usize) -> Result<(), GiveUp> {
        self.spent = self.spent.saturating_add(n as u64);
        if self.spent > self.limit { Err(GiveUp) } else { Ok(()) }
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }
}
