//! `split_gen`: one `gen` into two, over tiles and within a tile.
//!
//! **Statement.** `gen i < n { e(i) } = trunc_r(ceil_div(n, k)*k - n, flatten(gen o < ceil_div(n, k), j < k {
//! [o*k + j < n] * e(o*k + j) }))`; without guard and truncation where `k` provably divides `n`.
//! **Requires.** `0 < k`, `0 <= n`.
//! **Fails when.** `k` is not provably positive.
//! **Example.** With `n = 10`, `k = 4`: three tiles of four, the last guarded.
//! **See also.** `split_sum`, `flatten_split_id`, and the directives `split` and `tile`.

use crate::catalogue;
use crate::cx::{Cx, Step};
use crate::derived::{Derived, Example, Inverse, gen_extent};
use crate::gather::decide;
use crate::rules::flatten_split::{divides, flatten_split};
use atl_kernel::{Child, Expr, Ix, Label, LoopKind, Node, Result, Rule, Thm};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "split_gen",
    statement: "gen i<n. e(i)  =  trunc_r(ceil_div(n, k)*k - n, flatten(gen o<ceil_div(n, k). gen j<k. [o*k+j < n] * e(o*k+j)))",
    requires: "0 < k",
    args: &["k"],
    example: Example { program: "fn f(a: f32[N]) -> f32[N] { gen i < N { a[i] } }", args: &[4] },
    rewrite: |cx, e, args| split_gen(cx, e, &args[0]),
    inverse: Some(Inverse::plain(|cx, e, _| {
        catalogue::backwards(cx, "gen_tile_tail", e).or_else(|_| catalogue::backwards(cx, "gen_tile", e))
    })),
};

/// The theorem for the `gen` at hand. The loops are called `i.o` and `i.i`.
pub fn split_gen(cx: &mut Cx<'_>, e: &Expr, k: &Ix) -> Result<Thm> {
    let n = gen_extent(RULE.name, e)?;
    let label = match &**e {
        Node::Gen(label, ..) => label.clone(),
        _ => Label::default(),
    };
    let exact = divides(cx, k, &n);
    let thm = flatten_split(cx, e, k)?;
    let split: &[Child] = if exact { &[Child::Arg(0)] } else { &[Child::Arg(0), Child::Arg(0)] };
    let thm = cx.then(thm, |cx, e| {
        cx.at(e, split, &mut |cx, e| {
            let unfolded = cx.rule(Rule::Unfold, e)?;
            let named = rename_two(unfolded.rhs(), &label);
            unfolded.trans(cx.refl(&named)?).map(Some)
        })
    })?;
    cx.then(thm, |cx, e| cx.at(e, split, &mut |cx, e| cx.at(e, &[Child::Body, Child::Body], &mut element)))
}

/// `[o*k + j < n] * (gen i < n { e(i) })[o*k + j]`, with the access carried out and the guard decided.
fn element(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.sequence(
        e,
        |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::AccessGen, e)),
        |cx, e| match &**e {
            Node::Guard(p, _) if cx.proves(p) => decide(cx, e),
            _ => Ok(None),
        },
    )
}

/// The labels of a split loop, on the two outer `gen`s.
fn rename_two(e: &Expr, label: &Label) -> Expr {
    let Node::Gen(_, tiles, inner) = &**e else { return e.clone() };
    let Node::Gen(_, k, body) = &**inner else { return e.clone() };
    let (outer, inner) = halves(label);
    Arc::new(Node::Gen(outer, tiles.clone(), Arc::new(Node::Gen(inner, k.clone(), body.clone()))))
}

/// The labels of the loops over tiles and within a tile. Threads share out tiles, lanes stand within one, and what is written
/// out is so in both; so are annotations, each of which says what that asks for.
pub(crate) fn halves(label: &Label) -> (Label, Label) {
    let part = |suffix: &str, kept: &[LoopKind]| {
        let kind = if kept.contains(&label.kind) { label.kind } else { LoopKind::Serial };
        Label { name: format!("{}.{suffix}", label.name).into(), kind, tag: label.tag, ..Label::default() }
    };
    let lanes = match label.kind {
        LoopKind::Vector(_) => label.kind,
        _ => LoopKind::Serial,
    };
    (part("o", &[LoopKind::Parallel, LoopKind::Unroll]), part("i", &[lanes, LoopKind::Unroll]))
}
