//! `split L by k`: one loop into two, `L.o` over tiles and `L.i` within a tile.
//!
//! **Statement.** `split_gen` for a `gen`, `split_sum` for a `sum`. The annotation `parallel` stays on `L.o`,
//! `vectorize` on `L.i`, and `unroll` on both.
//! Of an iteration, `iterate_tile`: `L.o` over blocks of `k` rounds, and then the rounds that are left.
//! **Requires.** `0 < k`. A `sum` of floats is reassociated: `rounding real`.
//! **Fails when.** `k` is not provably positive, or an iteration has several states.
//! **Example.** `split i by 8`: a tail that does not fill its tile is guarded; `peel` splits it off.
//! **See also.** `tile`, `peel`.

use crate::args::Args;
use crate::command::Command;
use crate::rounds::{Apart, rounds_named};
use crate::session::{About, Refusal, Session};
use atl_diag::Span;
use atl_kernel::{Ix, Node, Thm};
use atl_rules::rules::{split_gen::split_gen, split_sum::split_sum};
use atl_syntax::ast::LoopRef;

/// See the module.
pub static COMMAND: Command = Command {
    name: "split",
    usage: "split L by k",
    equation: "gen i<n. e(i)  =  trunc_r(.., flatten(gen i.o<ceil_div(n, k). gen i.i<k. [i.o*k+i.i < n] * e(i.o*k+i.i)))",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by"])?;
        let target = args.one_loop()?;
        let factor = args.factors(session, 1)?.remove(0);
        let rounds = rounds_named(session, &target);
        if !rounds.is_empty() {
            return Apart::Blocks(factor).convert(session, step.span, &rounds);
        }
        split(session, About::Part, step.span, &target, &factor)
    },
};

/// Split every copy of a loop; a theorem about this.
pub(crate) fn split(
    session: &mut Session<'_>,
    about: About,
    span: Span,
    target: &LoopRef,
    factor: &Ix,
) -> Result<Thm, Refusal> {
    let mut places = session.loops(target)?;
    places.reverse();
    session.convert_about(about, span, &places, &mut |cx, e| match &**e {
        Node::Sum(..) => split_sum(cx, e, factor),
        _ => split_gen(cx, e, factor),
    })
}
