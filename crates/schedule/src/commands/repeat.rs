//! `repeat { steps }`: the steps again and again, until one of them is refused or a round changes nothing.
//!
//! **Statement.** The chain of the rounds' equations; after no round, `e = e`. A round also counts as a
//! change if it gives a loop or a `let` another name or annotation, or is the first to annotate how a loop is
//! scheduled on threads, the result stored or an input prefetched.
//! **Requires.** What the steps require. A round that is refused half-way is undone as a whole.
//! **Fails when.** The program still changes after 256 rounds; or a step is unknown, such as an unknown rule.
//! **Example.** `repeat { rw guard_and; }` merges all directly nested guards.
//! **See also.** `try`, `first_of`.

use crate::command::Command;
use crate::nest::binders;
use crate::refusal::{Refusal, RefusedAt, wrong_arguments};
use crate::session::Session;
use atl_diag::{codes, err};
use atl_kernel::{Label, Thm};
use atl_rules::join;
use atl_syntax::ast::{Block, Step};

/// A `repeat` goes round at most so many times.
pub const MAX_ROUNDS: usize = 256;

/// See the module.
pub static COMMAND: Command = Command {
    name: "repeat",
    usage: "repeat { steps }",
    equation: "e  =  e after as many rounds as change it",
    run: |session, step| {
        let [block] = blocks(step, COMMAND.usage)? else {
            return Err(wrong_arguments(step.span, COMMAND.usage));
        };
        let start = session.body.clone();
        let mut done: Option<Thm> = None;
        for round in 1..=MAX_ROUNDS {
            let (carried_out, annotations) = (session.trace.len(), session.annotations.clone());
            let outgrown = |why: Refusal| match why.code {
                codes::E0338 | codes::E0341 => {
                    Box::new(why.also(step.span, format!("in round {round} of this `repeat`")))
                }
                _ => why,
            };
            let round = attempt(session, block).map_err(outgrown)?;
            let round = round.filter(|round| changes(round) || session.annotations != annotations);
            if round.is_none() {
                session.trace.truncate(carried_out);
                return session.cx.total(&start, done).refused_at(step.span);
            }
            done = join(done, round).refused_at(step.span)?;
        }
        Err(Box::new(
            err!(E0330, step.span, "`repeat` does not come to an end")
                .label(format!("the program still changes after {MAX_ROUNDS} rounds"))
                .help("a rule that applies to its own result, such as `add_comm`, never stops applying"),
        ))
    },
};

/// Is the result another term, or one with other names or marks? Those mean nothing to the kernel, where all labels are equal.
fn changes(round: &Thm) -> bool {
    let labels = |e| binders(e).into_iter().map(|place| place.label);
    let is_same =
        |(a, b): (Label, Label)| (a.name, a.kind, a.storage, a.tag) == (b.name, b.kind, b.storage, b.tag);
    round.lhs() != round.rhs() || !labels(round.lhs()).zip(labels(round.rhs())).all(is_same)
}

/// The blocks of a step that has nothing else.
pub(crate) fn blocks<'s>(step: &'s Step, usage: &str) -> Result<&'s [Block], Refusal> {
    if step.args.is_empty() && step.clauses.is_empty() {
        Ok(&step.blocks)
    } else {
        Err(wrong_arguments(step.span, usage))
    }
}

/// Run a block as a whole, or not at all: nothing when a step does not apply. What is wrong with the script itself,
/// whatever the program, is reported all the same.
pub(crate) fn attempt(session: &mut Session<'_>, block: &Block) -> Result<Option<Thm>, Refusal> {
    let before = (session.body.clone(), session.trace.len(), session.annotations.clone());
    match crate::script::run_all(session, &block.steps, block.span) {
        Ok(thm) => Ok(Some(thm)),
        Err(why) => {
            session.body = before.0;
            session.trace.truncate(before.1);
            session.annotations = before.2;
            if mistaken(&why) { Err(why) } else { Ok(None) }
        }
    }
}

/// Refusals that no other program would change, or that must not be taken for a step's not applying.
const MISTAKES: &[&str] = &[
    "E0301", "E0306", "E0307", "E0308", "E0309", "E0319", "E0320", "E0321", "E0324", "E0330", "E0331",
    "E0332", "E0333", "E0338", "E0341", "E0355",
];

/// Whether the script is wrong, rather than the step inapplicable here. The pages before `E0290` are about text.
pub(crate) fn mistaken(refusal: &Refusal) -> bool {
    let code = refusal.code.as_str();
    code < "E0290" || MISTAKES.contains(&code)
}
