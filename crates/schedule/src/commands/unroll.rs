//! `unroll L`, `unroll L by k`: write the body of a loop out for each iteration, or for `k` at a time.
//!
//! **Statement.** The same term, the loop marked; with `by k`, first the equation of `split L by k`.
//! Of an iteration, `iterate_unroll`: each round a `let`, of all rounds or of blocks of `k`, a literal. Of a
//! state `x` they are `x1`, what a block begins with, `x2`, and so on.
//! **Requires.** For `by k`, what `split` requires.
//! **Fails when.** There is no loop `L`, or an earlier step runs it on threads (E0385).
//! **Example.** `unroll k.i`.
//! **See also.** `split`, `vectorize`.

use crate::annotate::{request, run_as, run_no_other_way};
use crate::args::Args;
use crate::command::Command;
use crate::commands::split::split;
use crate::nest::{Place, resolve_loop};
use crate::refusal::{Refusal, RefusedAt};
use crate::rounds::{Apart, rounds_named};
use crate::session::{About, Session};
use atl_annotations::{Annotation, Mark, Role};
use atl_kernel::{LoopKind, Thm};
use atl_syntax::ast::Step;

/// See the module.
pub static COMMAND: Command = Command {
    name: "unroll",
    usage: "unroll L by k",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by"])?;
        let rounds = args.one_loop().map(|l| rounds_named(session, &l)).unwrap_or_default();
        if !rounds.is_empty() {
            let apart = match step.clause("by") {
                None => Apart::All,
                Some(_) => Apart::WrittenBlocks(args.factors(session, 1)?.remove(0)),
            };
            return apart.convert(session, step.span, &rounds);
        }
        if step.clause("by").is_none() {
            let mut places = Vec::new();
            for l in &args.loops()? {
                places.extend(session.loops(l)?);
            }
            return unrolled(session, step, places);
        }
        let target = args.one_loop()?;
        let factor = args.factors(session, 1)?.remove(0);
        let thm = split(session, About::Body, step.span, &target, &factor)?;
        session.body = thm.rhs().clone();
        let inner = format!("{}.i", target.name.text);
        let within = target.within.as_ref().map(|n| n.text.as_str());
        let places = resolve_loop(&session.body, within, &inner).unwrap_or_default();
        let marked = unrolled(session, step, places)?;
        thm.trans(marked).refused_at(step.span)
    },
};

/// Mark the loops at these places.
fn unrolled(session: &mut Session<'_>, step: &Step, places: Vec<Place>) -> Result<Thm, Refusal> {
    run_no_other_way(step.span, &places, LoopKind::Unroll)?;
    let mark = Mark { request: request(session, step, Annotation::Unroll), role: Role::Itself };
    run_as(session, step.span, places, &mut |l, table| {
        l.kind = LoopKind::Unroll;
        l.tag = table.with(l.tag, mark);
    })
}
