//! `dense`: a value for every index of a range; also the range itself, whose values are one.
//!
//! **Definition.** The states are the numbers `x` of `lo..hi`. The index is `x`, always ready; the value is a
//! function of `x`. `skip(i)` goes to `max(x, i)`; past `i`, to `max(x, i + 1)`. The maximum is needed
//! because a skip may name an earlier index.
//! **Laws.** All four.
//! **Loop.** `for x in lo..hi`. As a factor of a product it needs no state: the other factor's index locates
//! its value, after a test that it is within the range.

use crate::{Position, Stream};
use std::ops::Range;

/// See the module.
#[derive(Clone, Debug)]
pub struct Dense<F> {
    left: Range<usize>,
    value: F,
}

impl<V, F: Fn(usize) -> V + Clone> Dense<F> {
    /// The values of a function on a range.
    pub fn new(range: Range<usize>, value: F) -> Dense<F> {
        Dense { left: range, value }
    }
}

impl<V, F: Fn(usize) -> V + Clone> Stream for Dense<F> {
    type Index = usize;
    type Value = V;

    fn position(&self) -> Option<Position<usize>> {
        (self.left.start < self.left.end).then(|| Position::past(self.left.start))
    }

    fn value(&self) -> V {
        (self.value)(self.left.start)
    }

    fn skip(&mut self, to: Position<usize>) {
        let next = if to.ready { to.index.saturating_add(1) } else { to.index };
        self.left.start = self.left.start.max(next);
    }
}
