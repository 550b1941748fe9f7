//! `guard`: all or nothing.
//!
//! **Definition.** If the condition holds, `s`; else the stream has ended. The condition does not depend on
//! the index.
//! **Laws.** Those of `s`. `eval(guard c s) = [c] * eval s`.
//! **Loop.** `if c { the loop of s }`.

use crate::{Position, Stream};

/// See the module.
#[derive(Clone, Debug)]
pub struct Guard<S>(Option<S>);

impl<S: Stream> Guard<S> {
    /// The stream, if the condition holds.
    pub fn new(condition: impl FnOnce() -> bool, stream: S) -> Guard<S> {
        Guard(condition().then_some(stream))
    }
}

impl<S: Stream> Stream for Guard<S> {
    type Index = S::Index;
    type Value = S::Value;

    fn position(&self) -> Option<Position<S::Index>> {
        self.0.as_ref().and_then(S::position)
    }

    fn value(&self) -> S::Value {
        match &self.0 {
            Some(stream) => stream.value(),
            None => panic!("a stream that has ended has no value"),
        }
    }

    fn skip(&mut self, to: Position<S::Index>) {
        if let Some(stream) = &mut self.0 {
            stream.skip(to);
        }
    }
}
