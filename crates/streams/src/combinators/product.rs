//! `product`: the intersection of two streams.
//!
//! **Definition.** It has ended if either operand has, since zero annihilates. Its index is the greater of
//! both; it is ready if both are, at one index. An operation combines both values, in order: the semiring's
//! product, or a product of streams. A skip skips the first operand and then the second. If the first one
//! leads, the second skips at least to the new index of the first. Both advance, so the lagging operand
//! always catches up.
//! **Laws.** All four, if both operands satisfy all four. `eval(a * b) = eval a * eval b`, also if products
//! do not commute. If an operand emits an index twice, the equation fails.
//! **Loop.**
//!
//! ```text
//! while valid a && valid b {
//!     i = max(index a, index b); r = ready a && ready b && index a == index b
//!     if r { emit(i, value a * value b) }
//!     skip a (i, r); if valid a { skip b max((i, r), (index a, false)) }
//! }
//! ```
//!
//! The index is saved before an operand advances. If both gallop, there are at most about twice as many
//! states as the smaller operand has; fewer if the first leads.

use crate::{Position, Stream};

/// The position that the product requests of its second operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lead {
    /// The same as the first.
    None,
    /// To come to where the first stands now.
    First,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Product<A, B, F> {
    first: A,
    second: B,
    value: F,
    lead: Lead,
}

impl<A, B, V, F> Product<A, B, F>
where
    A: Stream,
    B: Stream<Index = A::Index>,
    F: Fn(A::Value, B::Value) -> V + Clone,
{
    /// The product by this operation on values.
    pub fn new(first: A, second: B, lead: Lead, value: F) -> Product<A, B, F> {
        Product { first, second, value, lead }
    }
}

impl<A, B, V, F> Stream for Product<A, B, F>
where
    A: Stream,
    B: Stream<Index = A::Index>,
    F: Fn(A::Value, B::Value) -> V + Clone,
{
    type Index = A::Index;
    type Value = V;

    fn position(&self) -> Option<Position<A::Index>> {
        let (a, b) = (self.first.position()?, self.second.position()?);
        Some(Position { index: a.index.max(b.index), ready: a.ready && b.ready && a.index == b.index })
    }

    fn value(&self) -> V {
        (self.value)(self.first.value(), self.second.value())
    }

    fn skip(&mut self, to: Position<A::Index>) {
        self.first.skip(to);
        let Some(reached) = self.first.position() else { return };
        self.second.skip(match self.lead {
            Lead::None => to,
            Lead::First => to.max(Position::at(reached.index)),
        });
    }
}
