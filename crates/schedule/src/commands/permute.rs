//! `permute L by LAYOUT`: carry the iterations of a loop out in the order of a layout.
//!
//! **Statement.** `gen i < n { e(i) }` computes `e(P(0)), e(P(1)), ..`, and `sum i < n { e(i) } = sum j < n { e(P(j)) }`, by loops
//! over the modes of the layout `P`, the first one innermost: `(2, 2):(2, 1)` takes four iterations as 0, 2, 1, 3.
//! **Requires.** `P` does each iteration once: every `P(j)` is in `0 .. n` (range), no two are equal (injectivity), and every `i` is one
//! (surjectivity). Of a `sum`, that addition is commutative and associative; the theorem lists what it used.
//! **Fails when.** One of the three conditions fails, which the refusal names; or sizes are symbols, and it could not be proved.
//! **Example.** `permute i by (N / 4, 4):(4, 1)` goes through a vector in four strides: 0, 4, 8, .., then 1, 5, 9, ...
//! **See also.** `split` and `reorder`, which it is made of; `relayout`, for the order in memory; `atl layout "permutes(P, 0, n)"`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::reorder::reorder;
use crate::commands::split::split;
use crate::nest::{outermost, subterm};
use crate::session::{Refusal, Session, refused, wrong_arguments};
use atl_diag::{Span, err};
use atl_kernel::{Ix, Node, Pred, Thm};
use atl_layout::functions::permutes::failed_condition;
use atl_layout::{Layout, Tree};
use atl_ops::relayout::Mode;
use atl_rules::Cx;
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
    let extent = extent(session, &target)?;
    let inside_out = by_stride(&mut session.cx, layout.span, &modes, &extent)?;
    // The loop is split by its strides from the inside; a mode's loop is what its split leaves inside.
    let mut thm: Option<Thm> = None;
    let mut rest = target;
    let mut loops: Vec<(usize, LoopRef)> = Vec::new();
    for (left, mode) in inside_out.iter().enumerate().map(|(k, m)| (inside_out.len() - 1 - k, *m)) {
        if left == 0 {
            loops.push((mode, rest.clone()));
            break;
        }
        let cut = split(session, step.span, &rest, &modes[mode].extent)?;
        session.body = cut.rhs().clone();
        thm = atl_rules::join(thm, Some(cut)).map_err(|e| refused(step.span, &e))?;
        let mut inner = rest.clone();
        inner.name.text.push_str(".i");
        rest.name.text.push_str(".o");
        loops.push((mode, inner));
    }
    if loops.len() < 2 {
        return session.cx.refl(&session.body.clone()).map_err(|e| refused(step.span, &e));
    }
    loops.sort_by_key(|(mode, _)| std::cmp::Reverse(*mode));
    let names: Vec<Arc<str>> = loops.iter().map(|(_, l)| Arc::from(l.name.text.as_str())).collect();
    let mut places = Vec::new();
    for (_, l) in &loops {
        places.extend(session.loops(l)?);
    }
    let reordered = reorder(session, step.span, &outermost(places), &names)?;
    let joined = atl_rules::join(thm, Some(reordered.clone())).map_err(|e| refused(step.span, &e))?;
    Ok(joined.unwrap_or(reordered))
}

/// The extent of the loop, of which all copies must be alike.
fn extent(session: &mut Session<'_>, target: &LoopRef) -> Result<Ix, Refusal> {
    let places = session.loops(target)?;
    let of = |path| match subterm(&session.body, path).map(|e| &**e) {
        Some(Node::Gen(_, n, _) | Node::Sum(_, n, _)) => Some(n.clone()),
        _ => None,
    };
    let extents: Vec<Option<Ix>> = places.iter().map(|place| of(&place.path)).collect();
    match extents.split_first() {
        Some((Some(first), rest)) if rest.iter().all(|n| n.as_ref() == Some(first)) => Ok(first.clone()),
        _ => Err(Box::new(
            err!(E0316, target.name.span, "loops of different extents are called `{}`", target.name.text)
                .label("which of them?")
                .help("`rename` one of them first"),
        )),
    }
}

/// The numbers of the modes, smallest stride first, if the layout does each iteration of a loop of this extent once.
fn by_stride(cx: &mut Cx<'_>, span: Span, modes: &[Mode], extent: &Ix) -> Result<Vec<usize>, Refusal> {
    if let Some(why) = counted(modes, extent) {
        return Err(Box::new(
            err!(E0379, span, "this layout does not do each iteration once; it fails by {why}")
                .label("this order")
                .help(
                    "its strides have to be the products of the extents below, and its size that of the loop",
                ),
        ));
    }
    let mut same = |a: &Ix, b: &Ix| a == b || cx.proves(&Pred::eq(a.clone(), b.clone()));
    let (mut order, mut reach) = (Vec::new(), Ix::ONE);
    while order.len() < modes.len() {
        let next = (0..modes.len()).find(|k| !order.contains(k) && same(&modes[*k].stride, &reach));
        let Some(next) = next else {
            return Err(unproved(span, "no mode has the stride that the modes below reach"));
        };
        reach = modes[next].extent.clone() * reach;
        order.push(next);
    }
    if !same(&reach, extent) {
        return Err(unproved(span, "its size is not known to be the extent of the loop"));
    }
    Ok(order)
}

fn unproved(span: Span, why: &str) -> Refusal {
    Box::new(
        err!(E0379, span, "this layout is not known to do each iteration once")
            .label(why)
            .help("state what the sizes are after `where`, or use numbers"),
    )
}

/// The condition that fails, by counting, where all sizes are numbers.
fn counted(modes: &[Mode], extent: &Ix) -> Option<String> {
    let number = |ix: &Ix| match ix {
        Ix::Lit(n) => Some(*n),
        _ => None,
    };
    let numbers = |of: fn(&Mode) -> &Ix| -> Option<Tree<i64>> {
        let leaves: Option<Vec<_>> = modes.iter().map(|m| number(of(m)).map(Tree::Leaf)).collect();
        leaves.map(Tree::Node)
    };
    let layout = Layout::try_new(numbers(|m| &m.extent)?, numbers(|m| &m.stride)?).ok()?;
    let size = layout.size();
    failed_condition(&layout, 0..number(extent)?, 0..size).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::{by_stride, counted};
    use atl_arith::Arith;
    use atl_diag::{FileId, Span};
    use atl_kernel::{Ctx, Ix};
    use atl_ops::relayout::Mode;
    use atl_rules::Cx;
    use std::sync::Arc;

    /// All layouts of two modes with small extents and strides: what does each iteration once is taken apart, and
    /// everything else is refused.
    #[test]
    fn what_does_each_iteration_once_is_taken_apart() {
        let mut prover = Arith::new();
        let mut cx = Cx::new(Arc::new(Ctx::default()), &mut prover);
        let span = Span::new(FileId(0), 0, 0);
        let (mut orders, mut others) = (0, 0);
        let sizes = (2..5).flat_map(|m| (2..5).map(move |n| (m, n)));
        let cases = sizes.flat_map(|(m, n)| (0..81).map(move |d| (m, n, d / 9, d % 9)));
        for (m, n, d, e) in cases {
            let mode = |extent, stride| Mode { extent: Ix::Lit(extent), stride: Ix::Lit(stride) };
            let (modes, extent) = ([mode(m, d), mode(n, e)], Ix::Lit(m * n));
            let order = by_stride(&mut cx, span, &modes, &extent).ok();
            assert_eq!(order.is_some(), counted(&modes, &extent).is_none(), "{modes:?}");
            match order {
                Some(order) => {
                    assert_eq!(modes[order[0]].stride, Ix::ONE, "{modes:?}");
                    orders += 1;
                }
                None => others += 1,
            }
        }
        assert_eq!((orders, others), (18, 9 * 81 - 18));
    }
}
