//! `prefetch_result L, ..`: load into the cache what an iteration stores.
//!
//! A store to a cache line that no cache holds waits for the line, and stores behind it wait, too.
//! At the start of each iteration of `L`, the kernel prefetches the elements of the result that the
//! iteration stores: one address for each cache line, where elements are contiguous. So the lines arrive
//! while the iteration computes what it stores, such as the producers that `compute` has put there.
//! **Statement.** The same term: annotation only, the value is unchanged.
//! **Requires.** The annotation follows loops that later steps rename or split: of a split loop it is the
//! inner part. Which elements the iteration stores does not depend on what it computes.
//! **Fails when.** There is no loop `L`.
//! **Example.** `compute rows at y; prefetch_result y` brings a row of the result near while `rows` is
//! computed.
//! **See also.** `prefetch`, which is for inputs; `stream`, which stores past the caches.

use crate::annotate::annotate;
use crate::args::Args;
use crate::command::Command;
use atl_annotations::{Annotation, Role};

/// See the module.
pub static COMMAND: Command = Command {
    name: "prefetch_result",
    usage: "prefetch_result L, ..",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let mut places = Vec::new();
        for l in Args::new(step, COMMAND.usage, &[])?.loops()? {
            places.extend(session.loops(&l)?);
        }
        annotate(session, step, &[(Role::Each, places)], Annotation::PrefetchResult)
    },
};
