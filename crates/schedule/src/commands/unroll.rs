//! `unroll L`, `unroll L by k`: write the body of a loop out for each iteration, or for `k` at a time.
//!
//! **Statement.** The same term, the loop marked; with `by k`, first the equation of `split L by k`.
//! **Requires.** For `by k`, what `split` requires.
//! **Fails when.** There is no loop `L`.
//! **Example.** `unroll k.i`.
//! **See also.** `split`, `vectorize`.

use crate::annotate::run_as;
use crate::args::Args;
use crate::command::Command;
use crate::commands::prefetch::meant;
use crate::commands::split::split;
use crate::nest::resolve_loop;
use crate::script::Applied;
use crate::session::refused;
use atl_kernel::LoopKind;

/// See the module.
pub static COMMAND: Command = Command {
    name: "unroll",
    usage: "unroll L by k",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by"])?;
        if step.clause("by").is_none() {
            let mut places = Vec::new();
            for l in &args.loops()? {
                places.extend(session.loops(l)?);
            }
            return run_as(session, step.span, places, &mut |l, _| l.kind = LoopKind::Unroll);
        }
        let target = args.one_loop()?;
        let factor = args.factors(session, 1)?.remove(0);
        let thm = split(session, step.span, &target, &factor)?;
        session.body = thm.rhs().clone();
        let inner = format!("{}.i", target.name.text);
        let within = target.within.as_ref().map(|n| n.text.as_str());
        let places = resolve_loop(&session.body, within, &inner).unwrap_or_default();
        let marked = run_as(session, step.span, places, &mut |l, _| l.kind = LoopKind::Unroll)?;
        thm.trans(marked).map_err(|e| refused(step.span, &e))
    },
};

/// The names of the loops that this step marks, if it does.
pub(crate) fn asked(Applied { step, thm, command, .. }: &Applied) -> Vec<String> {
    let part = if step.clause("by").is_some() { ".i" } else { "" };
    let args = step.args.iter().filter(|_| *command == COMMAND.name);
    let names = args.filter_map(|arg| meant(thm.lhs(), arg)).flatten();
    names.map(|(_, name)| format!("{name}{part}")).collect()
}
