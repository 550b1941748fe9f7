//! `map`: a function of each value.
//!
//! **Definition.** `value = f(value s)`; all else is that of `s`. If `f` commutes with sums, then `eval(map f s) = f . eval s`. If it
//! does not, that still holds where each index is emitted once, at the indices that are: zero must go to zero for the others.
//! **Laws.** Those of `s`.
//! **Loop.** That of `s`, where `f(v)` stands for the value `v`. `f` may itself be an operation on streams: so operations reach
//! the inner levels.

use crate::{Position, Stream};

/// See the module.
#[derive(Clone, Debug)]
pub struct Map<S, F> {
    stream: S,
    function: F,
}

impl<S: Stream, W, F: Fn(S::Value) -> W + Clone> Map<S, F> {
    /// The function of each value of the stream.
    pub fn new(stream: S, function: F) -> Map<S, F> {
        Map { stream, function }
    }
}

impl<S: Stream, W, F: Fn(S::Value) -> W + Clone> Stream for Map<S, F> {
    type Index = S::Index;
    type Value = W;

    fn position(&self) -> Option<Position<S::Index>> {
        self.stream.position()
    }

    fn value(&self) -> W {
        (self.function)(self.stream.value())
    }

    fn skip(&mut self, to: Position<S::Index>) {
        self.stream.skip(to);
    }
}
