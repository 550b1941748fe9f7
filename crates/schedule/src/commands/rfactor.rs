//! `rfactor L`, `rfactor L as X`: partial sums of a reduction in a temporary, one for each iteration of `L`.
//!
//! **Statement.** `sum L < n { sum M { e } } = let X = gen L < n { sum M { e } }; sum L < n { X[L] }`. If `L`
//! is the inner sum, the two are interchanged first, so that the terms of each partial sum are strided. So it is
//! with sums in a monoid that claims its laws: `X` is then a tensor for each field, `X_v`, `X_i`.
//! Of the rounds of a scan, `scan_from_starts`: `X` has what their steps add up or iterate without reading
//! a state; the states before each round are a scan over `L.carry`; and what the rounds store is a loop `L`,
//! which can be `parallel`.
//! **Requires.** Nothing further: splitting the sum has already reassociated it. Strided partial sums need an
//! addition that commutes.
//! **Fails when.** `L` is not one of two directly nested sums, and no scan: `split` it first.
//! **Example.** `split k by 4; rfactor k.o as part` sums blocks of four, and then the blocks' sums.
//! In a scan, `split t by 4096; rfactor t.o; parallel t.o` computes blocks in threads.
//! **See also.** `split`, `reorder`, `parallel` for the partial sums; `stage`.

use crate::args::Args;
use crate::command::Command;
use crate::names::{fresh_name, unused_name};
use crate::nest::{Sort, subterm};
use crate::refusal::Refusal;
use crate::rounds::rounds_named;
use crate::scans;
use crate::session::Session;
use crate::sums_in_monoids::{nested_at, partial_sums};
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr, Ix, Label, LoopKind, Node, Result as Kernel, Rule, Thm, Var};
use atl_rules::{Cx, rules::interchange::interchange};
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "rfactor",
    usage: "rfactor L [as X]",
    equation: "sum L. sum M. e  =  let X = gen L. sum M. e; sum L. X[L]",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["as"])?;
        let target = args.one_loop()?;
        let name = match step.clause("as") {
            Some(_) => fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?,
            None => unused_name(session, "part"),
        };
        if let Some(sums) = nested_at(session, &target.name.text) {
            return partial_sums(session, step.span, &sums, &name);
        }
        let rounds = rounds_named(session, &target);
        if let Some(done) = scans::side_by_side(session, step.span, &rounds, &name) {
            return done;
        }
        let mut paths = Vec::new();
        for place in session.loops(&target)? {
            paths.push(two_sums(session, &place.path, place.sort, target.name.span)?);
        }
        paths.reverse();
        let paths: Vec<(&[Child], bool)> =
            paths.iter().map(|(path, inner)| (path.as_slice(), *inner)).collect();
        let sites: Vec<&[Child]> = paths.iter().map(|(path, _)| *path).collect();
        let mut strided = paths.iter().map(|(_, inner)| *inner);
        session.convert_at(step.span, &sites, &mut |cx, e| {
            let first = match strided.next() {
                Some(true) => interchange(cx, e)?,
                _ => cx.refl(e)?,
            };
            cx.then(first, |cx, e| partial(cx, e, &name))
        })
    },
};

/// The path to the outer one of the two sums that the one at this path belongs to, and whether it is the inner.
fn two_sums(
    session: &Session<'_>,
    path: &[Child],
    sort: Sort,
    span: Span,
) -> Result<(Vec<Child>, bool), Refusal> {
    let is_sum = |path: &[Child]| matches!(subterm(&session.body, path).map(|e| &**e), Some(Node::Sum(..)));
    let below = [path, &[Child::Body]].concat();
    if sort == Sort::Sum && is_sum(&below) {
        return Ok((path.to_vec(), false));
    }
    match path.split_last() {
        Some((_, above)) if sort == Sort::Sum && is_sum(above) => Ok((above.to_vec(), true)),
        _ => Err(Box::new(
            err!(E0352, span, "this loop is not one of two sums, one directly inside the other")
                .label("it has no partial sums")
                .help("`split` a sum first; `reorder` brings two sums together"),
        )),
    }
}

/// `sum i < n { e } = let X = gen i < n { e }; sum i < n { X[i] }`.
fn partial(cx: &mut Cx<'_>, e: &Expr, name: &str) -> Kernel<Thm> {
    let Node::Sum(label, n, body) = &**e else {
        return Err(atl_kernel::Error::Mismatch("there is no sum to take apart"));
    };
    let parts: Expr =
        Arc::new(Node::Gen(Label { kind: LoopKind::Serial, ..label.clone() }, n.clone(), body.clone()));
    let read: Expr = Arc::new(Node::Get(Arc::new(Node::Var(Var::Bound(1))), Ix::Var(Var::Bound(0))));
    let total: Expr = Arc::new(Node::Sum(label.clone(), n.clone(), read));
    let named: Expr = Arc::new(Node::Let(Label::new(name), parts, total));
    let inlined = cx.rule(Rule::LetInline, &named)?;
    let read_back =
        cx.then(inlined, |cx, e| cx.child(e, Child::Body, |cx, e| cx.rule(Rule::AccessGen, e)))?;
    Ok(read_back.sym())
}
