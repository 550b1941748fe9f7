//! `filter`: only what satisfies a predicate of index and value.
//!
//! **Definition.** `ready = ready s && P(index, value)`; otherwise like `s`, except that a skip from a
//! rejected state to its own index skips past it. A skip to another index is passed on unchanged: making it
//! strict would let a galloping stream pass needed entries.
//! **Laws.** Those of `s`. If `P` depends on the index alone, `eval(filter P s)(i) = [P(i)] * eval(s)(i)`.
//! **Loop.** That of `s`, with `if P(i, v)` around its body.

use crate::{Position, Stream};

/// See the module.
#[derive(Clone, Debug)]
pub struct Filter<S, P> {
    stream: S,
    predicate: P,
}

impl<S: Stream, P: Fn(S::Index, &S::Value) -> bool + Clone> Filter<S, P> {
    /// What of the stream satisfies the predicate.
    pub fn new(stream: S, predicate: P) -> Filter<S, P> {
        Filter { stream, predicate }
    }

    fn accepts(&self, here: Position<S::Index>) -> bool {
        here.ready && (self.predicate)(here.index, &self.stream.value())
    }
}

impl<S: Stream, P: Fn(S::Index, &S::Value) -> bool + Clone> Stream for Filter<S, P> {
    type Index = S::Index;
    type Value = S::Value;

    fn position(&self) -> Option<Position<S::Index>> {
        let here = self.stream.position()?;
        Some(Position { index: here.index, ready: self.accepts(here) })
    }

    fn value(&self) -> S::Value {
        self.stream.value()
    }

    fn skip(&mut self, to: Position<S::Index>) {
        let Some(here) = self.stream.position() else { return };
        let rejected = here.ready && !self.accepts(here);
        self.stream.skip(if rejected { to.max(here) } else { to });
    }
}
