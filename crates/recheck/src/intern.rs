//! Hash-consing: equal values have one number.
//!
//! Everything the checker computes with is kept once and named by its number, so "the same term" is equality of two
//! integers and a shared part costs nothing. Numbers are never taken back; an arena that would grow past its bound
//! refuses the file.

use crate::refusal::{Checked, refuse};
use std::collections::HashMap;
use std::hash::Hash;

/// Values of one kind, each kept once.
pub(crate) struct Interner<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32>,
}

/// The most values of a kind: what keeps memory bounded, whatever the file.
const MOST: usize = 1 << 23;

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        Interner { items: Vec::new(), numbers: HashMap::new() }
    }

    /// The number of a value that is known already.
    pub(crate) fn find(&self, item: &T) -> Option<u32> {
        self.numbers.get(item).copied()
    }

    /// The number of a value.
    pub(crate) fn add(&mut self, item: T) -> Checked<u32> {
        if let Some(number) = self.find(&item) {
            return Ok(number);
        }
        if self.items.len() >= MOST {
            return refuse("the proof makes more terms than this checker keeps");
        }
        let number = u32::try_from(self.items.len()).map_err(|_| "an arena is full")?;
        self.items.push(item.clone());
        self.numbers.insert(item, number);
        Ok(number)
    }

    /// The value with a number that [`Interner::add`] gave.
    pub(crate) fn at(&self, number: u32) -> &T {
        &self.items[number as usize]
    }
}
