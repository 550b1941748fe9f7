//! `contract`: the sum over an index.
//!
//! **Definition.** Every index becomes one and the same; all else is that of `s`. A request for that index is passed on for
//! the index where `s` stands. `eval(contract s)` is the sum of all that `s` emits: nothing is added here, but where the result is
//! written.
//! **Laws.** Progress, monotonicity, preservation. It emits many times at its one index: that is what it is for. So it must not be
//! a factor of a product at this level: `a * contract b` is `contract (replicate a * b)`, or the sum is written down first.
//! **Loop.** That of `s`, without a place in the result. Whoever writes the result adds.

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
