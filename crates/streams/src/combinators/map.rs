//! `map`: a function of each value.
//!
//! **Definition.** `value = f(value s)`; otherwise like `s`. If `f` commutes with sums, then
//! `eval(map f s) = f . eval s`. If not, this still holds at the emitted indices if each is emitted once; at
//! other indices it holds if `f` maps zero to zero.
//! **Laws.** Those of `s`.
//! **Loop.** That of `s`, with `f(v)` in place of the value `v`. `f` may be an operation on streams, which is
//! how operations reach the inner levels.

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
