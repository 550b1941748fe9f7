//! `threshold L from n`: threads run the parallel loop `L` where it has `n` iterations or more.
//!
//! To start and join threads takes some microseconds, whatever they do. With fewer iterations the loop runs in order, on the thread
//! that calls the kernel; which it is, is decided when the loop begins.
//!
//! **Statement.** The same term; the loop is annotated.
//! **Requires.** `n` is a number of at least 2. `L` is parallel in the end; a later step that splits it leaves the annotation on its parts,
//! and the parallel one counts its own iterations.
//! **Fails when.** There is no loop `L`. A loop that no thread runs gets a warning.
//! **Example.** `parallel y; threshold y from 64` for an image of a few rows now and then.
//! **See also.** `parallel`.

use crate::annotate::annotate;
use crate::args::Args;
use crate::command::Command;
use crate::refusal::wrong_arguments;
use atl_annotations::{Annotation, Role};

/// See the module.
pub static COMMAND: Command = Command {
    name: "threshold",
    usage: "threshold L from n",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["from"])?;
        let from = args.clause_arg("from")?;
        let least = from.as_int().and_then(|n| u32::try_from(n).ok()).filter(|n| *n >= 2);
        let Some(least) = least else { return Err(wrong_arguments(from.span, COMMAND.usage)) };
        let mut places = Vec::new();
        for l in args.loops()? {
            places.extend(session.loops(&l)?);
        }
        annotate(session, step, &[(Role::Itself, places)], Annotation::Threshold(least))
    },
};
