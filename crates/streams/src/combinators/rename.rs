//! `rename`: other indices, in the same order.
//!
//! **Definition.** `index = f(index s)` for a strictly increasing `f`. A skip to `j` becomes a skip to the
//! `i` with `f(i) = j`. If there is none, it becomes a skip to the least `i` with `f(i) > j`, which does not
//! pass `i`; if there is none either, the stream ends.
//! **Laws.** Those of `s`. `eval(rename f s)(f(i)) = eval(s)(i)`, and zero elsewhere. A function that
//! decreases breaks the order, and one that maps two indices to one breaks strictness.
//! **Loop.** That of `s`, with `f(i)` for `i` in its body; a search for `j` becomes one for the least `i`
//! with `f(i) >= j`.

use crate::{Position, Stream};
use std::fmt::Debug;

/// See the module.
#[derive(Clone, Debug)]
pub struct Rename<S, F, G> {
    /// `None` once it has ended.
    stream: Option<S>,
    forth: F,
    back: G,
}

impl<S, J, F, G> Rename<S, F, G>
where
    S: Stream,
    J: Copy + Ord + Debug,
    F: Fn(S::Index) -> J + Clone,
    G: Fn(J) -> Option<S::Index> + Clone,
{
    /// The stream by new indices: `back(j)` is the least `i` with `forth(i) >= j`.
    pub fn new(stream: S, forth: F, back: G) -> Rename<S, F, G> {
        Rename { stream: Some(stream), forth, back }
    }
}

impl<S, J, F, G> Stream for Rename<S, F, G>
where
    S: Stream,
    J: Copy + Ord + Debug,
    F: Fn(S::Index) -> J + Clone,
    G: Fn(J) -> Option<S::Index> + Clone,
{
    type Index = J;
    type Value = S::Value;

    fn position(&self) -> Option<Position<J>> {
        let here = self.stream.as_ref()?.position()?;
        Some(Position { index: (self.forth)(here.index), ready: here.ready })
    }

    fn value(&self) -> S::Value {
        self.stream.as_ref().expect("only a state that is ready has a value").value()
    }

    fn skip(&mut self, to: Position<J>) {
        match ((self.back)(to.index), &mut self.stream) {
            (Some(index), Some(stream)) => {
                let ready = to.ready && (self.forth)(index) == to.index;
                stream.skip(Position { index, ready });
            }
            (None, stream) => *stream = None,
            (Some(_), None) => {}
        }
    }
}
