//! `factor L, .. as X`: moves the factors that do not depend on the named sums out of them, and computes the
//! sums once.
//!
//! **Statement.** `sum .. { sum L { c * e } } = let X = gen .. { sum L { e } }; sum .. { c * X[..] }`, where
//! `e` are the factors that depend on `L`, and `X` has a dimension for each other loop that `e` depends on.
//! If no factor depends on `L`, `e` is 1 and `X` the number of terms. `X` is placed in the outer `gen`s that
//! it depends on, so that nothing is computed twice, or with `at M` in loop `M`. `as X[i, j]` states the
//! order of its dimensions.
//! **Requires.** Multiplication distributes over addition; if `L` is not innermost, the sums are
//! interchanged, and addition must commute. Both reassociate: `rounding real`. Multiplication need not
//! commute if the remaining factors are neighbours.
//! **Fails when.** `L` is not a sum, or not in one nest with the others; all factors of the term below depend
//! on `L`.
//! **Example.** `sum j < M, k < K { a[i, j] * b[j, k] * x[k] }`, `factor k as t`:
//! `let t = gen j < M { sum k < K { b[j, k] * x[k] } }`, and `sum j < M { a[i, j] * t[j] }` for each `i`.
//! **See also.** `contract`, which finds the cheapest order; `hoist`, `compute` and `store` for the place of
//! `X`; `rw sum_of_mul`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::hoist::{body_around, lift_in_order};
use crate::dimensions::Dimensions;
use crate::lift::Lift;
use crate::names::fresh_name;
use crate::nest::{Place, Sort, directly, subterm};
use crate::refusal::{Refusal, RefusedAt, list, refused};
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Error, Expr, Node, Result as Kernel, Thm};
use atl_rules::Cx;
use atl_rules::rules::guard_inward::guards_inward;
use atl_rules::rules::{interchange::interchange, let_bind::let_bind, sum_of_mul::sum_of_mul};
use atl_syntax::ast::{Argument, LoopRef, Name};
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "factor",
    usage: "factor L, .. [at M] as X[i, ..]",
    equation: "sum ... sum L. c * e  =  let X = gen ... sum L. e; sum ... c * X[..]",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at", "as"])?;
        let loops = args.loops()?;
        let (tensor, order) = Dimensions::of(args.clause_arg("as")?, COMMAND.usage)?;
        let name = fresh_name(session, &tensor, COMMAND.usage)?;
        let at = step.clause("at").map(|_| args.clause_arg("at")).transpose()?;
        factor(session, step.span, &loops, &Into { name, order, at })
    },
};

/// Where a factored sum goes.
pub(crate) struct Into<'s> {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// The order of its dimensions, if it is stated.
    pub(crate) order: Option<Dimensions>,
    /// The loop in which it is computed, if it is stated.
    pub(crate) at: Option<&'s Argument>,
}

/// The theorem for sums of one nest.
pub(crate) fn factor(
    session: &mut Session<'_>,
    span: Span,
    loops: &[LoopRef],
    into: &Into<'_>,
) -> Result<Thm, Refusal> {
    let top = nest_of(session, loops)?;
    let names: Vec<Arc<str>> = loops.iter().map(|l| Arc::from(l.name.text.as_str())).collect();
    let (mut stuck, mut path) = (false, top.path.clone());
    let taken = session.cx.at(&session.body.clone(), &top.path, &mut |cx, e| {
        let first = innermost(cx, e, &names)?;
        let mut below: Vec<Child> = Vec::new();
        let mut sums = first.rhs();
        while let Node::Sum(label, _, body) = &**sums
            && !names.contains(&label.name)
        {
            (sums, below) = (body, [below.as_slice(), &[Child::Body]].concat());
        }
        let named = cx.then(first.clone(), |cx, e| {
            cx.at(e, &below.clone(), &mut |cx, e| {
                let taken = sum_of_mul(cx, e, names.len()).inspect_err(|why| {
                    stuck = matches!(why, Error::NoMatch { .. });
                })?;
                path.extend(below.iter().chain(&taken.path));
                cx.then(taken.thm, |cx, e| {
                    cx.at(e, &taken.path, &mut |cx, e| Ok(Some(named(let_bind(cx, e)?, &into.name, cx)?)))
                })
                .map(Some)
            })
        })?;
        Ok(Some(named))
    });
    let taken = match taken {
        Err(_) if stuck => return Err(nothing_leaves(loops)),
        taken => taken.map_err(|why| apart(loops, span, &why))?,
    };
    let body = session.body.clone();
    let taken = session.cx.total(&body, taken).refused_at(span)?;
    session.body = taken.rhs().clone();
    let moved = place(session, span, &path, into)?;
    taken.trans(moved).refused_at(span)
}

/// A refusal, where one loop is asked for and several have its name.
pub(crate) fn several(name: &Name, found: &[Place]) -> Refusal {
    let name = (&name.text, name.span);
    let inside = |a: &Place, b: &Place| a.path.len() > b.path.len() && a.path.starts_with(&b.path);
    Box::new(if found.iter().any(|a| found.iter().any(|b| inside(a, b))) {
        err!(E0365, name.1, "two loops are called `{}`, and one stands in the other", name.0)
            .label("which of them?")
            .help(format!(
                "give one another name before they meet: `rename X/{} to M`, then `inline X`",
                name.0
            ))
    } else {
        err!(E0365, name.1, "loop `{}` has copies", name.0)
            .label("which of them?")
            .help("factor before `peel` or `unroll` makes copies")
    })
}

/// The outermost of the sums, which must be one nest with only guards between.
fn nest_of(session: &Session<'_>, loops: &[LoopRef]) -> Result<Place, Refusal> {
    let mut places: Vec<Place> = Vec::new();
    for l in loops {
        let found = directly(session.loops(l)?, l.within.as_ref().map(|x| x.text.as_str()));
        let [place] = found.as_slice() else { return Err(several(&l.name, &found)) };
        if place.sort != Sort::Sum {
            return Err(Box::new(
                err!(E0365, l.name.span, "loop `{}` is no sum", l.name.text)
                    .label("nothing is added up here")
                    .help(
                        "factors leave a `sum`; a term that a `gen` repeats leaves with `stage` and `hoist`",
                    ),
            ));
        }
        places.push(place.clone());
    }
    places.sort_by_key(|place| place.path.len());
    let (top, deepest) = (places[0].clone(), &places[places.len() - 1].path);
    let between = (top.path.len()..deepest.len()).map(|depth| subterm(&session.body, &deepest[..depth]));
    let nest = |node: Option<&Expr>| matches!(node.map(|e| &**e), Some(Node::Sum(..) | Node::Guard(..)));
    if !deepest.starts_with(&top.path) || !between.into_iter().all(nest) {
        return Err(Box::new(
            err!(E0365, loops[0].name.span, "these sums are not one nest")
                .label("something stands between them")
                .help("factor each for itself, the innermost first"),
        ));
    }
    Ok(top)
}

/// The sums of a nest in the same order, but those with these names last.
fn innermost(cx: &mut Cx<'_>, e: &Expr, names: &[Arc<str>]) -> Kernel<Thm> {
    let Node::Sum(label, ..) = &**e else { return cx.refl(e) };
    let thm = cx.inside(e, Child::Body, |cx, body| {
        if !leads_to_sum(body) {
            return Ok(None);
        }
        cx.sequence(body, guards_inward, |cx, body| innermost(cx, body, names))
    })?;
    let unnamed = |e: &Expr| matches!(&**e, Node::Sum(l, ..) if !names.contains(&l.name));
    if !names.contains(&label.name) || !matches!(&**thm.rhs(), Node::Sum(_, _, body) if unnamed(body)) {
        return Ok(thm);
    }
    let thm = cx.then(thm, interchange)?;
    cx.then(thm, |cx, e| cx.child(e, Child::Body, |cx, e| innermost(cx, e, names)))
}

/// Is it a sum, with guards around it at most?
fn leads_to_sum(e: &Expr) -> bool {
    match &**e {
        Node::Guard(_, body) => leads_to_sum(body),
        e => matches!(e, Node::Sum(..)),
    }
}

/// `e = let X = e; X` with this name.
fn named(bound: Thm, name: &Arc<str>, cx: &mut Cx<'_>) -> Kernel<Thm> {
    let Node::Let(label, e, body) = &**bound.rhs() else { return Ok(bound) };
    let label = atl_kernel::Label { name: name.clone(), ..label.clone() };
    let renamed = Arc::new(Node::Let(label, e.clone(), body.clone()));
    cx.then(bound.clone(), |cx, e| cx.relabel(e, &renamed))
}

/// Move the `let` at the end of this path to where it belongs.
fn place(session: &mut Session<'_>, span: Span, path: &[Child], into: &Into<'_>) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let label = atl_kernel::Label { name: into.name.clone(), ..atl_kernel::Label::default() };
    let home = Place { path: path.to_vec(), label, sort: Sort::Let, within: Vec::new(), part: None };
    let lift = Lift::new(&mut session.cx, &body, path).refused_at(span)?;
    let top = match into.at {
        Some(at) => body_around(session, &home, at, COMMAND.usage)?.len(),
        None => lift.without_repetition(),
    };
    let top = &path[..top];
    lift_in_order(session, span, &home, top, into.order.as_ref())
}

/// The refusal where no factor leaves the sums.
fn nothing_leaves(loops: &[LoopRef]) -> Refusal {
    let names: Vec<String> = loops.iter().map(|l| l.name.text.clone()).collect();
    Box::new(
        err!(E0366, loops[0].name.span, "no factor leaves the sum over {}", list(&names))
            .label("nothing to take out of it")
            .note("every factor of what stands in the sum depends on the index, or it is 1")
            .help("`stage L as X` names a sum as it is; `rw distr_l` and `rw sum_add` take sums of products apart"),
    )
}

/// The refusal of a law, or of sums that do not change places.
fn apart(loops: &[LoopRef], span: Span, why: &Error) -> Refusal {
    match why {
        Error::NoMatch { .. } => Box::new(
            err!(
                E0365,
                loops[0].name.span,
                "the sum over `{}` cannot become the innermost",
                loops[0].name.text
            )
            .label("it keeps its place")
            .note("two sums change places where the range of neither depends on the index of the other")
            .help("factor the sums inside it first"),
        ),
        why => refused(span, why),
    }
}
