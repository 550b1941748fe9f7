//! `locate`: a product with a function of the index.
//!
//! **Definition.** `value = value s * g(index s)`; otherwise like `s`. `g` is read by index and not iterated
//! over.
//! **Laws.** Those of `s`. `eval(locate s g)(i) = eval(s)(i) * g(i)`.
//! **Loop.** That of `s`, whose body reads `g(i)`. No search.

use crate::{Position, Stream};

/// See the module.
#[derive(Clone, Debug)]
pub struct Locate<S, G, F> {
    stream: S,
    function: G,
    value: F,
}

impl<S, B, V, G, F> Locate<S, G, F>
where
    S: Stream,
    G: Fn(S::Index) -> B + Clone,
    F: Fn(S::Value, B) -> V + Clone,
{
    /// The product by this operation on values.
    pub fn new(stream: S, function: G, value: F) -> Locate<S, G, F> {
        Locate { stream, function, value }
    }
}

impl<S, B, V, G, F> Stream for Locate<S, G, F>
where
    S: Stream,
    G: Fn(S::Index) -> B + Clone,
    F: Fn(S::Value, B) -> V + Clone,
{
    type Index = S::Index;
    type Value = V;

    fn position(&self) -> Option<Position<S::Index>> {
        self.stream.position()
    }

    fn value(&self) -> V {
        let index = self.stream.position().map(|here| here.index);
        let index = index.expect("only a state that is ready has a value");
        (self.value)(self.stream.value(), (self.function)(index))
    }

    fn skip(&mut self, to: Position<S::Index>) {
        self.stream.skip(to);
    }
}
