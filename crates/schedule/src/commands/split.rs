//! `split L by k`: one loop into two, `L.o` over tiles and `L.i` within a tile; `split L at t as S`: a sum at
//! rounds around.
//!
//! **Statement.** `split_gen` for a `gen`, `split_sum` for a `sum`. The annotation `parallel` stays on `L.o`,
//! `vectorize` on `L.i`, and `unroll` on both.
//! Of an iteration, `iterate_tile`: `L.o` over blocks of `k` rounds, and then the rounds that are left. Of a sum
//! in a monoid that claims to be associative: `L.o` over the sums of blocks, `L.i` over the terms of a block.
//! Of a scan whose steps are sums of multiples of states and of terms, or of which each step joins a term to
//! its state, `max(s, x[t])`, or whose states are a sum in a monoid, `scan_in_blocks`: `L.o` over blocks,
//! of which only the states follow one another; `L.i` over the rounds of a block from zero, `L.all` over its
//! terms, and `L.each` over what it stores. Where states have factors, `L.unit` is over what becomes of a
//! state that is one. Rounds that no block has come first, `L.first`.
//! `split L at t as S`, of a sum below the rounds `t`: `earlier_terms`. The terms that read what was there
//! before these rounds become a sum of their own, `S`; the others follow.
//! **Requires.** `0 < k`. A `sum` or a scan of floats is reassociated: `rounding real`; of operations that
//! only choose, `rounding finite`.
//! **Fails when.** `k` is not provably positive, or an iteration has several states and is no such sum or
//! scan. At rounds: it is not known from which cell on they store, or the sum reads cells in another order.
//! **Example.** `split i by 8`: a tail that does not fill its tile is guarded; `peel` splits it off. In a
//! triangular solve, `split t by 40; split j at t.i as S; hoist S` makes a product of matrices of what the
//! rows of a block need of those before.
//! **See also.** `tile`, `peel`, `hoist`.

use crate::args::Args;
use crate::command::Command;
use crate::names::{fresh_name, unused_name};
use crate::refusal::{Refusal, wrong_arguments};
use crate::rounds::{Apart, all_rounds_named, rounds_named};
use crate::scans;
use crate::session::{About, Session};
use crate::sums_in_monoids::{in_blocks, monoids_of};
use atl_diag::{Span, err};
use atl_kernel::{Child, Ix, Node, Thm};
use atl_rules::rules::{earlier_terms::earlier_terms, split_gen::split_gen, split_sum::split_sum};
use atl_syntax::ast::{LoopRef, Step};

/// See the module.
pub static COMMAND: Command = Command {
    name: "split",
    usage: "split L by k | split L at t [as S]",
    equation: "gen i<n. e(i)  =  trunc_r(.., flatten(gen i.o<ceil_div(n, k). gen i.i<k. [i.o*k+i.i < n] * e(i.o*k+i.i)))",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["by", "at", "as"])?;
        let target = args.one_loop()?;
        if step.clause("at").is_some() {
            return at_rounds(session, step, &args, &target);
        }
        if let Some(clause) = step.clause("as") {
            return Err(wrong_arguments(clause.span, COMMAND.usage));
        }
        let factor = args.factors(session, 1)?.remove(0);
        let rounds = rounds_named(session, &target);
        if let Some(monoids) = monoids_of(session, &rounds) {
            return in_blocks(session, step.span, &rounds, &monoids, &factor);
        }
        if let Some(done) = scans::in_blocks(session, step.span, &rounds, &factor) {
            return done;
        }
        if !rounds.is_empty() {
            return Apart::Blocks(factor).convert(session, step.span, &rounds);
        }
        split(session, About::Part, step.span, &target, &factor)
    },
};

/// Split a sum at the rounds of a name around it.
fn at_rounds(
    session: &mut Session<'_>,
    step: &Step,
    args: &Args<'_>,
    target: &LoopRef,
) -> Result<Thm, Refusal> {
    if let Some(clause) = step.clause("by") {
        return Err(wrong_arguments(clause.span, COMMAND.usage));
    }
    let around = args.clause_arg("at")?;
    let Some(rounds) = around.as_loop() else { return Err(wrong_arguments(around.span, COMMAND.usage)) };
    let name = match step.clause("as") {
        Some(_) => fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?,
        None => unused_name(session, "before"),
    };
    let places = all_rounds_named(session, &rounds.name.text);
    if places.is_empty() {
        return Err(Box::new(
            err!(E0303, around.span, "there are no rounds `{}` here", rounds.name.text)
                .label("no iteration has this index")
                .help("`split L by k` splits a loop into tiles"),
        ));
    }
    let paths: Vec<&[Child]> = places.iter().map(Vec::as_slice).collect();
    let before = session.body.clone();
    let sum = target.name.text.as_str();
    let thm = session.convert_at(step.span, &paths, &mut |cx, e| {
        let cut = earlier_terms(cx, e, Some(sum), &name)?;
        cx.total(e, cut)
    })?;
    if *thm.rhs() == before {
        return Err(Box::new(
            err!(E0354, target.name.span, "no terms of `{sum}` are known to be earlier than the rounds `{}`", rounds.name.text)
                .label("it is not cut here")
                .note("rounds of one state, which begins as a tensor that has a name, must say which cells they set: `select(i == a + t, .., y[i])`; and the sum must read these cells in order, `y[j]`")
                .help(format!("`split {} by 32` makes blocks of rounds: name those in a block, `{}.i`", rounds.name.text, rounds.name.text)),
        ));
    }
    Ok(thm)
}

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
