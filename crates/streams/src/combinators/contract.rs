//! `contract`: the sum over an index.
//!
//! **Definition.** Replaces every index by the same one; otherwise like `s`. A skip to that index becomes a
//! skip to the current index of `s`. `eval(contract s)` is the sum of all values of `s`; the addition happens
//! where the result is stored, not here.
//! **Laws.** Progress, monotonicity, preservation. By purpose it emits many values at one index, so it cannot
//! be a factor of a product at this level: write `a * contract b` as `contract (replicate a * b)`, or store
//! the sum first.
//! **Loop.** That of `s`, without an index in the result. The code that stores the result adds.

use crate::{Position, Stream};
use std::fmt::Debug;

/// See the module.
#[derive(Clone, Debug)]
pub struct Contract<S, I> {
    stream: S,
    index: I,
}

impl<S: Stream, I: Copy + Ord + Debug> Contract<S, I> {
    /// All that the stream emits, at this index.
    pub fn new(stream: S, index: I) -> Contract<S, I> {
        Contract { stream, index }
    }
}

impl<S: Stream, I: Copy + Ord + Debug> Stream for Contract<S, I> {
    type Index = I;
    type Value = S::Value;

    fn position(&self) -> Option<Position<I>> {
        let here = self.stream.position()?;
        Some(Position { index: self.index, ready: here.ready })
    }

    fn value(&self) -> S::Value {
        self.stream.value()
    }

    fn skip(&mut self, to: Position<I>) {
        let Some(here) = self.stream.position() else { return };
        if to >= Position::at(self.index) {
            self.stream.skip(Position { index: here.index, ready: to > Position::at(self.index) });
        }
    }
}
