//! `replicate`: one value at every index of a range.
//!
//! **Definition.** `dense`, with a value that does not depend on the index. `eval(replicate v)(i) = v` for
//! each `i` of the range.
//! **Laws.** All four.
//! **Loop.** `for x in lo..hi`; as a factor of a product it needs no loop, because the other factor has one.
//! As a summand it is needed, since `x + v` has a value at every index.

use crate::sources::Dense;
use crate::{Position, Stream};
use std::ops::Range;

/// See the module.
#[derive(Clone, Debug)]
pub struct Replicate<V> {
    range: Dense<fn(usize)>,
    value: V,
}

impl<V: Clone> Replicate<V> {
    /// This value at each of these indices.
    pub fn new(range: Range<usize>, value: V) -> Replicate<V> {
        Replicate { range: Dense::new(range, |_| ()), value }
    }
}

impl<V: Clone> Stream for Replicate<V> {
    type Index = usize;
    type Value = V;

    fn position(&self) -> Option<Position<usize>> {
        self.range.position()
    }

    fn value(&self) -> V {
        self.value.clone()
    }

    fn skip(&mut self, to: Position<usize>) {
        self.range.skip(to);
    }
}
