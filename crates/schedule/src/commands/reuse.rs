//! `reuse X`: let the result be stored over the parameter `X`.
//!
//! The kernel then also works if the caller passes one array for both, and updates it in place: the result
//! needs no memory, and each cache line is loaded once. With two arrays the kernel computes what it did
//! before.
//! **Statement.** The same term: annotation only, the value is unchanged.
//! **Requires.** `X` is a parameter of the result's type and extents. To be lowered: no element of `X` is
//! read after the result's element at that index may have been stored. So an iteration may read the element
//! of `X` that it stores, code before all stores may read any, each element of the result is stored once, and
//! none is zeroed first.
//! **Fails when.** An iteration reads another element of `X` than it stores, as stencils do; or the result
//! has a format.
//! **Example.** `vectorize i by 16; reuse a` for `gen i < N { a[i] + b[i] }`.
//! **See also.** `stream`, for a result in memory of its own.

use crate::annotate::ask;
use crate::args::Args;
use crate::command::Command;
use crate::commands::stage::resolve;
use atl_annotations::Annotation;
use atl_diag::err;

/// See the module.
pub static COMMAND: Command = Command {
    name: "reuse",
    usage: "reuse X",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let (name, span) = Args::new(step, COMMAND.usage, &[])?.one_name()?;
        let input = resolve(session, &name, span)?;
        if input.home.is_some() {
            return Err(Box::new(
                err!(E0414, span, "the result cannot be stored over `{name}`, which is computed here")
                    .label("not a parameter")
                    .help("name a parameter"),
            ));
        }
        ask(session, step, Annotation::Reuse { input: input.level })
    },
};
