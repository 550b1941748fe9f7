//! `unfold OP`: replace a defined operator by its definition, everywhere or in a part of the program.
//!
//! **Statement.** `op(e)` = the definition of `op` at `e`; the book lists the operators' definitions.
//! **Requires.** Nothing. `at P` restricts it to the terms that match; `first` takes the first one in reading order.
//! **Fails when.** There is no such operator, or it does not occur there.
//! **Example.** `unfold transpose`: `transpose(a)` becomes `gen i < m, j < n { a[j, i] }`.
//! **See also.** `simplify`, which carries out the accesses that this leaves.

use crate::args::Args;
use crate::command::Command;
use crate::refusal::{BEFORE, RefusedAt, closest};
use crate::sites::{Sites, first};
use atl_diag::err;
use atl_kernel::{Expr, Node, Rule};
use atl_rules::Cx;

/// See the module.
pub static COMMAND: Command = Command {
    name: "unfold",
    usage: "unfold OP [at PATTERN | around PATTERN | everywhere | first]",
    equation: "op(e)  =  its definition at e",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at", "around", "everywhere", "first"])?;
        let (name, span) = args.one_name()?;
        if atl_ops::by_name(&name).is_none() {
            let known: Vec<String> = atl_ops::TABLE.iter().map(|op| op.name.to_string()).collect();
            return Err(Box::new(err!(E0321, span, "there is no operator `{name}`").label("unknown").help(
                match closest(&name, &known) {
                    far if far == BEFORE => "`atl explain operators` lists the operators".to_owned(),
                    near => near,
                },
            )));
        }
        let sites = Sites::of(session, step, COMMAND.usage, Sites::Everywhere)?;
        let mut once = |cx: &mut Cx<'_>, e: &Expr| match &**e {
            Node::Op(def, ..) if def.name == name => cx.rule(Rule::Unfold, e).map(Some),
            _ => Ok(None),
        };
        let body = session.body.clone();
        let done = match sites {
            Sites::First => first(&mut session.cx, &body, &mut once),
            sites => session.each(&sites.parts(), &mut once, |cx, e, once| cx.bottom_up(e, once)),
        };
        match done.refused_at(step.span)? {
            Some(thm) => Ok(thm),
            None => Err(Box::new(
                err!(E0310, span, "`{name}` does not occur in the program at this point")
                    .label("nothing to unfold")
                    .help(BEFORE),
            )),
        }
    },
};
