//! `unfold OP`: replace a defined operator by its definition, everywhere.
//!
//! **Statement.** `op(e)` = the definition of `op` at `e`; the book lists the operators' definitions.
//! **Requires.** Nothing.
//! **Fails when.** There is no such operator, or it does not occur.
//! **Example.** `unfold transpose`: `transpose(a)` becomes `gen i < m, j < n { a[j, i] }`.
//! **See also.** `simplify`, which carries out the accesses that this leaves.

use crate::args::Args;
use crate::command::Command;
use crate::session::{BEFORE, closest, refused};
use atl_diag::err;
use atl_kernel::{Node, Rule};

/// See the module.
pub static COMMAND: Command = Command {
    name: "unfold",
    usage: "unfold OP",
    equation: "op(e)  =  its definition at e",
    run: |session, step| {
        let (name, span) = Args::new(step, COMMAND.usage, &[])?.one_name()?;
        if atl_ops::by_name(&name).is_none() {
            let known: Vec<String> = atl_ops::TABLE.iter().map(|op| op.name.to_string()).collect();
            return Err(Box::new(
                err!(E0321, span, "there is no operator `{name}`")
                    .label("unknown")
                    .help(closest(&name, &known)),
            ));
        }
        let body = session.body.clone();
        let done = session.cx.bottom_up(&body, &mut |cx, e| match &**e {
            Node::Op(def, ..) if def.name == name => cx.rule(Rule::Unfold, e).map(Some),
            _ => Ok(None),
        });
        match done.map_err(|e| refused(step.span, &e))? {
            Some(thm) => Ok(thm),
            None => Err(Box::new(
                err!(E0310, span, "`{name}` does not occur in the program at this point")
                    .label("nothing to unfold")
                    .help(BEFORE),
            )),
        }
    },
};
