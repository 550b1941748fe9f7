//! `simplify`, `simplify guards`: simplify the program.
//!
//! **Statement.** Reads of `gen`s and guards are evaluated, guards decided, and index terms reduced to few
//! operations; with `guards`, guards only.
//! **Requires.** Nothing. `at P` restricts it to the terms that match.
//! **Fails when.** `P` matches nothing. It may change nothing.
//! **Example.** `(gen i < n { a[i] + 1 })[j]` becomes `a[j] + 1` where `0 <= j < n` is known.
//! **See also.** `inline`, `peel`, `rw access_gen everywhere`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::peel::guard;
use crate::refusal::{RefusedAt, wrong_arguments};
use crate::sites::Sites;
use atl_kernel::{Expr, Node, Rule};
use atl_rules::gather::decide;
use atl_rules::{Cx, Step as Conversion, shorten};

/// See the module.
pub static COMMAND: Command = Command {
    name: "simplify",
    usage: "simplify [guards] [at PATTERN | around PATTERN | everywhere]",
    equation: "e  =  e with accesses carried out, guards decided, indices in short form",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at", "around", "everywhere"])?;
        let only_guards = match step.args.as_slice() {
            [] => false,
            [arg] if arg.as_name().is_some_and(|n| n.text == "guards") => true,
            _ => return Err(wrong_arguments(args.step.span, COMMAND.usage)),
        };
        let parts = Sites::of(session, step, COMMAND.usage, Sites::Everywhere)?.parts();
        let done = match only_guards {
            true => session.each(&parts, &mut guard, |cx, e, guard| cx.top_down(e, guard)),
            false => session.each(&parts, &mut tidy, |cx, e, tidy| cx.bottom_up(e, tidy)),
        };
        let body = session.body.clone();
        let done = done.refused_at(step.span)?;
        session.cx.total(&body, done).refused_at(step.span)
    },
};

/// One step of tidying at a place.
fn tidy(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    match &**e {
        Node::Guard(..) | Node::Select(..) => match decide(cx, e)? {
            Some(thm) => Ok(Some(thm)),
            None => shorten::node(cx, e),
        },
        Node::Get(array, _) => match &**array {
            Node::Gen(..) => cx.rule(Rule::AccessGen, e).map(Some),
            Node::Guard(..) => cx.rule(Rule::GetGuard, e).map(Some),
            Node::Select(..) => cx.rule(Rule::GetSelect, e).map(Some),
            _ => shorten::node(cx, e),
        },
        _ => shorten::node(cx, e),
    }
}
