//! `permute L by LAYOUT`: run the iterations of a loop in the order of a layout.
//!
//! **Statement.** `gen i < n { e(i) }` computes `e(P(0)), e(P(1)), ..`, and
//! `sum i < n { e(i) } = sum j < n { e(P(j)) }`, by loops over the modes of the layout `P`, the first one
//! innermost: `(2, 2):(2, 1)` runs four iterations as 0, 2, 1, 3. So `P` is composed with everything indexed
//! by `i`: reads at `G(i)`, a guard at `H(i)`, a result stored at `F(i)`.
//! **Requires.** `P` reaches each iteration once for which the guard `p` of the loop's body holds, if there
//! is one: every `P(j)` with `p(P(j))` is in `0 .. n` (range), no two are equal (injectivity), and every `i`
//! with `p(i)` is one (surjectivity). So where `p` is false, `P` may exceed the loop, or miss iterations. For
//! a `sum`, addition is commutative and associative; the theorem lists the laws used.
//! **Fails when.** One of the three conditions fails, which the refusal names; or it could not be proved for
//! symbolic sizes. Strides must be products of extents: other layouts that reach each iteration once, because
//! of the guard, are refused.
//! **Example.** `permute i by (N / 4, 4):(4, 1)` visits a vector in four strides: 0, 4, 8, .., then 1, 5, 9,
//! ...
//! **See also.** `split` and `reorder`, of which it consists; `relayout`, for the order in memory;
//! `atl layout "permutes(P, 0, n)"`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::peel::guard;
use crate::commands::reorder::reorder;
use crate::commands::split::split;
use crate::each_once::{Iterations, Order};
use crate::nest::outermost;
use crate::refusal::{Refusal, RefusedAt, wrong_arguments};
use crate::session::{About, Session};
use atl_diag::{Span, err};
use atl_kernel::{Child, Ix, Label, Node, Thm};
use atl_ops::relayout::Mode;
use atl_rules::rules::gen_split_at::gen_split_at;
use atl_rules::rules::split_sum::shorten_sum;
use atl_syntax::ast::{LoopRef, Step};
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "permute",
    usage: "permute L by LAYOUT",
    equation: "sum i<n. e(i)  =  sum j<n. e(P(j))",
    run: permute,
};

fn permute(session: &mut Session<'_>, step: &Step) -> Result<Thm, Refusal> {
    let args = Args::new(step, COMMAND.usage, &["by"])?;
    let target = args.one_loop()?;
    let layout = args.clause_arg("by")?;
    if layout.name.is_some() {
        return Err(wrong_arguments(layout.span, COMMAND.usage));
    }
    let cx = &mut session.cx;
    let modes = atl_lang::modes_in(&cx.ctx, &layout.value, cx.prover).map_err(|mut found| {
        Box::new(match found.is_empty() {
            true => err!(E0379, layout.span, "this is no layout"),
            false => found.remove(0),
        })
    })?;
    let modes: Vec<Mode> = modes.into_iter().filter(|m| m.extent != Ix::ONE).collect();
    let order = order(session, layout.span, &target, &modes)?;
    let mut thm: Option<Thm> = None;
    if let Some(end) = &order.shortened {
        let ended = shortened(session, step.span, &target, end)?;
        session.body = ended.rhs().clone();
        thm = Some(ended);
    }
    let inside_out = order.inside_out;
    // The loop is split by its strides from the inside; a mode's loop is what its split leaves inside.
    let mut rest = target;
    let mut loops: Vec<(usize, LoopRef)> = Vec::new();
    for (left, mode) in inside_out.iter().enumerate().map(|(k, m)| (inside_out.len() - 1 - k, *m)) {
        if left == 0 {
            loops.push((mode, rest.clone()));
            break;
        }
        let cut = split(session, About::Body, step.span, &rest, &modes[mode].extent)?;
        session.body = cut.rhs().clone();
        thm = atl_rules::join(thm, Some(cut)).refused_at(step.span)?;
        let mut inner = rest.clone();
        inner.name.text.push_str(".i");
        rest.name.text.push_str(".o");
        loops.push((mode, inner));
    }
    if loops.len() < 2 {
        return session.cx.refl(&session.body.clone()).refused_at(step.span);
    }
    loops.sort_by_key(|(mode, _)| std::cmp::Reverse(*mode));
    let names: Vec<Arc<str>> = loops.iter().map(|(_, l)| Arc::from(l.name.text.as_str())).collect();
    let mut places = Vec::new();
    for (_, l) in &loops {
        places.extend(session.loops(l)?);
    }
    let reordered = reorder(session, step.span, &outermost(places), &names)?;
    let joined = atl_rules::join(thm, Some(reordered.clone())).refused_at(step.span)?;
    Ok(joined.unwrap_or(reordered))
}

/// How the layout goes through the loop, of which all copies must be alike.
fn order(session: &mut Session<'_>, span: Span, target: &LoopRef, modes: &[Mode]) -> Result<Order, Refusal> {
    let places = session.loops(target)?;
    let copies = Iterations::at(session, span, &places)?;
    let mut found: Option<Order> = None;
    for copy in &copies {
        let order = copy.order(&mut session.cx, span, modes)?;
        if found.as_ref().is_some_and(|known| *known != order) {
            return Err(Box::new(
                err!(E0316, target.name.span, "loops of different extents are called `{}`", target.name.text)
                    .label("which of them?")
                    .help("`rename` one of them first"),
            ));
        }
        found = Some(order);
    }
    found.ok_or_else(|| wrong_arguments(span, COMMAND.usage))
}

/// Every copy of a loop ended where its guard is false from there on. The rest of a `gen`, which is zero, is a loop `L.rest`.
fn shortened(session: &mut Session<'_>, span: Span, target: &LoopRef, end: &Ix) -> Result<Thm, Refusal> {
    let mut places = session.loops(target)?;
    places.reverse();
    session.convert(span, &places, &mut |cx, e| {
        if let Node::Sum(..) = &**e {
            return shorten_sum(cx, e, end);
        }
        let thm = gen_split_at(cx, e, end)?;
        let thm = cx.then(thm, |cx, e| {
            cx.at(e, &[Child::Arg(1)], &mut |cx, e| {
                let Node::Gen(label, n, body) = &**e else { return Ok(None) };
                let rest = Label::new(&format!("{}.rest", label.name));
                let renamed = cx.relabel(e, &Arc::new(Node::Gen(rest, n.clone(), body.clone())))?;
                cx.then(renamed, |cx, e| cx.at(e, &[Child::Body], &mut guard)).map(Some)
            })
        })?;
        Ok(thm)
    })
}
