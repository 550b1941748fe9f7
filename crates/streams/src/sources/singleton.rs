//! `singleton`: one index with a value, or none.
//!
//! **Definition.** One state, ready at its index; it ends at the first skip that does not need that index.
//! **Laws.** All four.
//! **Loop.** No loop: `if lo <= i && i < hi { .. }`.

use crate::{Position, Stream};
use std::fmt::Debug;

/// See the module.
#[derive(Clone, Debug)]
pub struct Singleton<I, V> {
    index: Option<I>,
    value: V,
}

impl<I, V> Singleton<I, V> {
    /// This value at this index.
    pub fn new(index: I, value: V) -> Singleton<I, V> {
        Singleton { index: Some(index), value }
    }
}

impl<I: Copy + Ord + Debug, V: Clone> Stream for Singleton<I, V> {
    type Index = I;
    type Value = V;

    fn position(&self) -> Option<Position<I>> {
        self.index.map(Position::past)
    }

    fn value(&self) -> V {
        self.value.clone()
    }

    fn skip(&mut self, to: Position<I>) {
        self.index = self.index.filter(|index| to.needs(index));
    }
}
