//! `stream`: store the result past the caches.
//!
//! An ordinary store first reads the line of memory that it writes to; a non-temporal one does not, so a result that is too
//! large for the caches is written with half the traffic. In C the stores of vectors are such, where the
//! processor has them and the address is a multiple of the vector's size; all other stores stay ordinary.
//!
//! **Statement.** The same term; how its result is stored means nothing to it.
//! **Requires.** To be lowered: that each cell of the result is stored once and not read, and that none is zeroed first.
//! **Fails when.** Lowering adds sums up in the result, or cannot show that every cell is stored.
//! **Example.** `split i by 16; peel; vectorize i.i by 16; stream`.
//! **See also.** `vectorize`, without which no store is of a vector; `store`, which keeps sums in registers.

use crate::args::Args;
use crate::command::Command;
use crate::session::refused;

/// See the module.
pub static COMMAND: Command = Command {
    name: "stream",
    usage: "stream",
    equation: "the same term: how its result is stored means nothing to it",
    run: |session, step| {
        Args::new(step, COMMAND.usage, &[])?.none()?;
        let body = session.body.clone();
        session.cx.refl(&body).map_err(|e| refused(step.span, &e))
    },
};
