//! `ring Y by W`: of a tensor to which each round adds a slice, keep the last W slices.
//!
//! **Statement.** `let Y = iterate t < n from Y = zeros { Y with e(t, Y[u]) at t }; f(Y[u])` = `let Y =
//! iterate t < n from Y = zeros { Y with e(t, Y[u % W]) at t % W }; f(Y[u % W])`. So are a `rec` of one
//! index, and what `wavefront x by .. as Y` keeps by fronts.
//! **Requires.** Round `t` reads slices `u` with `t - W <= u < t`, and what is left reads the last W, `n - W
//! <= u < n`. No law: every bit is kept.
//! **Fails when.** A slice is read after its place has another one: W must be the distance at least. Or all
//! of `Y` is the result.
//! **Example.** `wavefront d by 1, 1 as y; ring y by 3`: an edit distance keeps three fronts and no table.
//! **See also.** `wavefront`; `unroll`; the rule `iterate_ring`.

use crate::args::Args;
use crate::command::Command;
use crate::refusal::{Refusal, refused};
use atl_diag::err;
use atl_kernel::Error;
use atl_lang::counterexample;
use atl_rules::rules::iterate_ring::ring;

/// See the module.
pub static COMMAND: Command = Command {
    name: "ring",
    usage: "ring Y by W",
    equation: "let y = iterate t<n from y { y with e(t, y[u]) at t }; f(y[u])  =  let y = iterate t<n from y { y with e(t, y[u % w]) at t % w }; f(y[u % w])",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by"])?;
        let (name, span) = args.one_name()?;
        let length = args.factors(session, 1)?.remove(0);
        let places = session.lets(&name, span)?;
        let mut why = None;
        let thm = session.convert(step.span, &places, &mut |cx, e| {
            ring(cx, e, &length).or_else(|error| {
                why = Some(error);
                cx.refl(e)
            })
        })?;
        match why {
            None => Ok(thm),
            Some(Error::Unproved(unproved)) => Err(too_short(span, &name, Error::Unproved(unproved))),
            Some(Error::NoMatch { .. }) => Err(Box::new(
                err!(E0384, span, "no slices of `{name}` can be left out")
                    .label("its rounds set no slice each, or it is not read by single elements")
                    .note("each round must set the slice of its own number, in a tensor that begins with one number everywhere; and all reads have all indices")
                    .help("`wavefront x by .. as Y` keeps fronts as slices; `inline` what reads a table from them"),
            )),
            Some(error) => Err(refused(step.span, &error)),
        }
    },
};

/// Slices that are read must be there still, and it is not known that they are.
fn too_short(span: atl_diag::Span, name: &str, error: Error) -> Refusal {
    let because = refused(span, &error);
    let Error::Unproved(unproved) = error else { return because };
    let goal = atl_lang::print::print_pred(&unproved.ctx, &unproved.goal, atl_syntax::Style::LINE);
    let label = match counterexample::find(&unproved.ctx, &unproved.goal) {
        Some(_) => "too few slices for this",
        None => "it is not known that these slices are enough",
    };
    Box::new(
        err!(E0384, span, "a slice of `{name}` may be read that the ring does not have")
            .label(label)
            .note(format!("this is needed, and not known: `{goal}`"))
            .help("the ring must have as many slices as there are rounds from one that is set to the last that reads it; what is left may read only the last ones"),
    )
}
