//! `inline X`: replace the name of a `let` by its term.
//!
//! **Statement.** `let X = e; f(X) = f(e)`.
//! **Requires.** Nothing. Several `let`s called `X` are all inlined; with `at P` only those in terms
//! that match, with `first` only the first one. Reads of `X` become reads of its term; `rw access_gen
//! everywhere` or `simplify` evaluates them. Before, a loop in the term is none that a later step
//! means: `compute`, `stage` and `peel` evaluate such reads themselves, where that makes a window
//! smaller or decides a test.
//! **Fails when.** There is no `let X`, a condition or an index reads it, where a term cannot replace it, or
//! the result would be too large.
//! **Example.** `let t = gen i < n { a[i] + 1 }; gen i < n { t[i] }` becomes
//! `gen i < n { (gen i < n { a[i] + 1 })[i] }`.
//! **See also.** `compute`, which keeps a window of the producer.

use super::sparsify::read_by_name;
use crate::args::Args;
use crate::command::Command;
use crate::nest::subterm;
use crate::refusal::BEFORE;
use crate::script::small_enough;
use crate::session::About;
use crate::sites::Sites;
use crate::size::inlined;
use atl_diag::err;
use atl_kernel::{Node, Rule};
use atl_rules::lets::is_read_by_name;

/// See the module.
pub static COMMAND: Command = Command {
    name: "inline",
    usage: "inline X [at PATTERN | around PATTERN | everywhere | first]",
    equation: "let X = e; f(X)  =  f(e)",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at", "around", "everywhere", "first"])?;
        let (name, span) = args.one_name()?;
        let sites = Sites::of(session, step, COMMAND.usage, Sites::Everywhere)?;
        let mut places = session.lets(&name, span)?;
        let parts = sites.parts();
        places.retain(|place| parts.iter().any(|part| place.path.starts_with(part)));
        if places.is_empty() {
            return Err(Box::new(
                err!(E0305, span, "there is no `let {name}` in the part of the program that is named")
                    .label("not there")
                    .help(BEFORE),
            ));
        }
        if matches!(sites, Sites::First) {
            places.truncate(1);
        }
        for place in &places {
            if let Some(Node::Let(_, bound, body)) = subterm(&session.body, &place.path).map(|e| &**e) {
                if is_read_by_name(body) {
                    return Err(read_by_name(&name, span));
                }
                small_enough(step.span, inlined(bound, body))?;
            }
        }
        // From the innermost outward, so that the places stay valid.
        places.reverse();
        session.convert_about(About::Part, step.span, &places, &mut |cx, e| cx.rule(Rule::LetInline, e))
    },
};
