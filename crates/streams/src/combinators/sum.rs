//! `sum`: the union of two streams.
//!
//! **Definition.** It has ended if both operands have. Its position is the lesser of both; the end is after
//! every position. An operand takes part if it is ready at this position. The value is the sum of both, in
//! order, or that of the one that takes part. A skip skips both.
//! **Laws.** Those that both operands have. `eval(a + b) = eval a + eval b`.
//! **Loop.**
//!
//! ```text
//! while valid a || valid b {
//!     p = min(position a, position b); l = position a <= p && ready a; r = position b <= p && ready b
//!     if l && r { emit(i, value a + value b) } else if l { emit(i, value a) } else if r { emit(i, value b) }
//!     if valid a { skip a p }; if valid b { skip b p }
//! }
//! ```
//!
//! Positions are compared, not indices: at one index, an operand that is not ready is first, and a ready one
//! waits for it. Otherwise the index is emitted twice. The index of an operand that has ended is not read.

use crate::position::no_later;
use crate::{Position, Stream};

/// See the module.
#[derive(Clone, Debug)]
pub struct Sum<A, B, F> {
    first: A,
    second: B,
    value: F,
}

impl<A, B, F> Sum<A, B, F>
where
    A: Stream,
    B: Stream<Index = A::Index, Value = A::Value>,
    F: Fn(A::Value, A::Value) -> A::Value + Clone,
{
    /// The sum by this operation on values.
    pub fn new(first: A, second: B, value: F) -> Sum<A, B, F> {
        Sum { first, second, value }
    }
}

impl<A, B, F> Stream for Sum<A, B, F>
where
    A: Stream,
    B: Stream<Index = A::Index, Value = A::Value>,
    F: Fn(A::Value, A::Value) -> A::Value + Clone,
{
    type Index = A::Index;
    type Value = A::Value;

    fn position(&self) -> Option<Position<A::Index>> {
        let (a, b) = (self.first.position(), self.second.position());
        if no_later(&a, &b) { a } else { b }
    }

    fn value(&self) -> A::Value {
        let (a, b) = (self.first.position(), self.second.position());
        match (no_later(&a, &b), no_later(&b, &a)) {
            (true, true) => (self.value)(self.first.value(), self.second.value()),
            (true, false) => self.first.value(),
            _ => self.second.value(),
        }
    }

    fn skip(&mut self, to: Position<A::Index>) {
        self.first.skip(to);
        self.second.skip(to);
    }
}
