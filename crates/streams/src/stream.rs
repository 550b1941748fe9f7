//! What a stream is.
//!
//! A state machine that visits indices in order and emits values at some of them. It means the function that
//! maps an index to the sum of what is emitted there. Not every state emits: a product stands where its
//! operands have not met yet.

use crate::Position;
use std::fmt::Debug;

/// A stream in one of its states; a clone is another one in the same state. The laws it obeys are in
/// [`laws`](crate::laws).
pub trait Stream: Clone {
    /// What it is indexed by.
    type Index: Copy + Ord + Debug;

    /// What it emits: an element, or a stream that begins.
    type Value;

    /// Where it stands; `None` if it has ended.
    fn position(&self) -> Option<Position<Self::Index>>;

    /// The value of a ready state.
    ///
    /// # Panics
    /// It may, in any other state.
    fn value(&self) -> Self::Value;

    /// Goes on, not beyond what the request needs. It may do nothing, unless the request is for where it
    /// stands or later. A stream that has ended stays so.
    fn skip(&mut self, to: Position<Self::Index>);

    /// Is done with the state it is in.
    fn advance(&mut self) {
        if let Some(here) = self.position() {
            self.skip(here);
        }
    }
}

/// Visits every state, and has what is emitted given to `emit`, by index. Returns how many states there were.
///
/// ```text
/// while valid { i = index; if ready { emit(i, value) }; skip(i, ready) }
/// ```
///
/// The index is kept before the stream moves.
pub fn for_each<S: Stream>(mut stream: S, mut emit: impl FnMut(S::Index, S::Value)) -> u64 {
    let mut states = 0;
    while let Some(here) = stream.position() {
        states += 1;
        if here.ready {
            emit(here.index, stream.value());
        }
        stream.skip(here);
    }
    states
}
