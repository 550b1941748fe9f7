//! `store X in heap`, `store X in stack`, `store X in register`: where a `let`'s tensor is kept; `store X at L`: for how long.
//!
//! **Statement.** The same term; the `let` is marked. `store X at L` is the equation of `hoist X at L`: the tensor lives during
//! one iteration of `L`, and has an entry for each iteration of the loops between; `store X[j, i] at L` states in which order
//! these are its dimensions. A `let` is allocated where it is computed, so it is also computed for those iterations before
//! it is read.
//! **Requires.** To be lowered: for `stack` and `register`, constant extents.
//! A tile in `register` is one variable for each vector in C where all loops over its cells, those that read it too, are
//! marked: `unroll`, and the innermost `vectorize .. by` a divisor of its extent.
//! **Fails when.** There is no `let X`, or the place is unknown; for `at L`, where `hoist` fails.
//! **Example.** `store acc in register`; `compute bx at y; store bx at y.o` allocates the windows of a tile's rows at once.
//! **See also.** `compute`, which says where it is produced; `hoist`.

use crate::annotate::relabel;
use crate::args::Args;
use crate::command::Command;
use crate::commands::compute::one_home;
use crate::commands::hoist::{body_around, lift_in_order};
use crate::dimensions::Dimensions;
use crate::session::wrong_arguments;
use atl_diag::err;
use atl_kernel::Storage;

/// See the module.
pub static COMMAND: Command = Command {
    name: "store",
    usage: "store X in heap|stack|register | store X[i, ..] at L",
    equation: "the same term: storage means nothing to it",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["in", "at"])?;
        if step.clause("at").is_some() {
            if let Some(both) = step.clause("in") {
                return Err(wrong_arguments(both.span, COMMAND.usage));
            }
            let [arg] = step.args.as_slice() else { return Err(wrong_arguments(step.span, COMMAND.usage)) };
            let (tensor, order) = Dimensions::of(arg, COMMAND.usage)?;
            let Some(name) = tensor.as_name() else { return Err(wrong_arguments(arg.span, COMMAND.usage)) };
            let home = one_home(session, &name.text, tensor.span)?;
            let inside = body_around(session, &home, args.clause_arg("at")?, COMMAND.usage)?;
            return lift_in_order(session, step.span, &home, &inside, order.as_ref());
        }
        let (name, span) = args.one_name()?;
        let places = session.lets(&name, span)?;
        let arg = args.clause_arg("in")?;
        let storage = match arg.as_name().map(|n| n.text).as_deref() {
            Some("heap") => Storage::Heap,
            Some("stack") => Storage::Stack,
            Some("register") => Storage::Register,
            _ => {
                return Err(Box::new(
                    err!(E0320, arg.span, "unknown place to store `{name}`")
                        .label("not a place")
                        .help("write `heap`, `stack` or `register`"),
                ));
            }
        };
        relabel(session, step.span, &places, &|l| l.storage = storage)
    },
};
