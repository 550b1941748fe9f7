//! `store X in heap`, `store X in stack`, `store X in register`, `store X in shared`: where a `let`'s tensor is kept; `store X at L`: for how long.
//!
//! **Statement.** The same term; the `let` is marked. `store X at L` is the equation of `hoist X at L`: the tensor lives during
//! one iteration of `L`, and has an entry for each iteration of the loops between; `store X[j, i] at L` states in which order
//! these are its dimensions. A `let` is allocated where it is computed, so it is also computed for those iterations before
//! it is read.
//! **Requires.** To be lowered: for `stack`, `register` and `shared`, constant extents.
//! `shared` is the memory that the threads of a device's block have in common; on other back ends it is the stack. There, what is
//! stored in `register` or on the `stack` outside of all loops over threads is spread over the threads, if each touches cells of its own.
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
use crate::script::Applied;
use crate::session::wrong_arguments;
use atl_diag::err;
use atl_kernel::Storage;

/// See the module.
pub static COMMAND: Command = Command {
    name: "store",
    usage: "store X in heap|stack|register|shared | store X[i, ..] at L",
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
            // Whose stack it is, `shared` says beside the term.
            Some("stack" | SHARED) => Storage::Stack,
            Some("register") => Storage::Register,
            _ => {
                return Err(Box::new(
                    err!(E0320, arg.span, "unknown place to store `{name}`")
                        .label("not a place")
                        .help("write `heap`, `stack`, `register` or `shared`"),
                ));
            }
        };
        relabel(session, step.span, &places, &|l| l.storage = storage)
    },
};

/// The word for the memory that threads of a block share.
const SHARED: &str = "shared";

/// The `let` that a step places, and whether in memory that threads share.
pub(crate) fn shared(applied: &Applied) -> Option<(String, bool)> {
    let Applied { step, command, .. } = applied;
    if *command != COMMAND.name {
        return None;
    }
    let place = step.clause("in")?.args.first()?.as_name()?;
    Some((step.args.first()?.as_name()?.text, place.text == SHARED))
}
