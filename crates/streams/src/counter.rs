//! A number that clones share.
//!
//! Streams are cloned freely, and what they cost is counted in one place: so complexity can be a test.

use std::cell::Cell;
use std::rc::Rc;

/// A shared number.
#[derive(Clone, Debug, Default)]
pub struct Counter(Rc<Cell<u64>>);

impl Counter {
    /// Zero.
    pub fn new() -> Counter {
        Counter::default()
    }

    /// One more.
    pub fn count(&self) {
        self.add(1);
    }

    /// So many more.
    pub fn add(&self, more: u64) {
        self.0.set(self.0.get() + more);
    }

    /// How many there were.
    pub fn total(&self) -> u64 {
        self.0.get()
    }
}
