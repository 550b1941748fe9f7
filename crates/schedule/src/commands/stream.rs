//! `stream`: store the result past the caches.
//!
//! An ordinary store first loads the cache line that it writes; a non-temporal one does not. So a result that
//! is too large for the caches is written with half the traffic. In C, vector stores are non-temporal if the
//! processor supports it and the address is a multiple of the vector's size; all other stores are ordinary.
//! **Statement.** The same term: annotation only, the value is unchanged.
//! **Requires.** To be lowered: each cell of the result is stored once and not read, and none is zeroed
//! first.
//! **Fails when.** Lowering accumulates sums in the result, or cannot prove that every cell is stored.
//! **Example.** `split i by 16; peel; vectorize i.i by 16; stream`.
//! **See also.** `vectorize`, without which there are no vector stores; `store`, which keeps sums in
//! registers.

use crate::annotate::ask;
use crate::args::Args;
use crate::command::Command;
use atl_annotations::Annotation;

/// See the module.
pub static COMMAND: Command = Command {
    name: "stream",
    usage: "stream",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        Args::new(step, COMMAND.usage, &[])?.none()?;
        ask(session, step, Annotation::Stream)
    },
};
