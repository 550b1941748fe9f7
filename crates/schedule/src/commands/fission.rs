//! `fission L`, `fission L as X`: one loop over several results into several loops.
//!
//! **Statement.** Depending on the body of the loop: `sum L { a + b } = (sum L { a }) + (sum L { b })`;
//! `gen L { let X = e; f(X) } = let X = gen L { e }; gen L { f(X[L]) }`, likewise in a `sum`;
//! `gen L { a ++ b } = transpose(transpose(gen L { a }) ++ transpose(gen L { b }))`; and for an operation on
//! two or more operands, `gen L { op(a, b) } = let X = gen L { a }; gen L { op(X[L], b) }`, for the first
//! operand that computes something: not a number or a plain read. Rounds `L` of states that do not read each
//! other are as many iterations: `iterate L < n from x = e, y = d { s(x), r(y) } in b = iterate L < n from x = e
//! { s(x) } in (iterate L < n from y = d { r(y) } in b)`.
//! **Requires.** A sum of sums reorders additions, so they must commute: `rounding real`. The others are
//! exact.
//! **Fails when.** The body of the loop has none of these forms, or all states of rounds depend on each other.
//! **Example.** `fission i` of `gen i < N { sqrt(a[i]) + b[i] }` computes the roots in a loop of their own.
//! **See also.** `fuse`, `hoist`, `compute`.

use crate::accumulate::accumulate;
use crate::args::Args;
use crate::command::Command;
use crate::lift::Lift;
use crate::names::{fresh_name, unused_name};
use crate::refusal::Refusal;
use crate::rounds::rounds_named;
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Error, Expr, Node, Prim, Result as Kernel, Rule, Thm, subst};
use atl_rules::Cx;
use atl_rules::gather::by_gather;
use atl_rules::scans::{groups, rounds_apart};
use atl_syntax::ast::LoopRef;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "fission",
    usage: "fission L [as X]",
    equation: "sum i<n. (a + b)  =  (sum i<n. a) + (sum i<n. b), and its kin",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["as"])?;
        let target = args.one_loop()?;
        let name = match step.clause("as") {
            Some(_) => fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?,
            None => unused_name(session, "part"),
        };
        let rounds = rounds_named(session, &target);
        if !rounds.is_empty() {
            return states_apart(session, step.span, &target, &rounds);
        }
        let mut places = session.loops(&target)?;
        places.reverse();
        let mut nothing = false;
        let thm = session.convert(step.span, &places, &mut |cx, e| {
            let apart = fission(cx, e, &name)?;
            nothing |= apart.is_none();
            cx.total(e, apart)
        })?;
        if nothing {
            return Err(Box::new(
                err!(
                    E0354,
                    target.name.span,
                    "there is nothing in loop `{}` to take apart",
                    target.name.text
                )
                .label("it computes one thing")
                .help("a loop is divided at a sum, a `let`, a `++`, or an operation directly in it of which an operand computes something"),
            ));
        }
        Ok(thm)
    },
};

/// The iterations at these places, each as many as there are groups of states that do not read each other.
fn states_apart(
    session: &mut Session<'_>,
    span: Span,
    target: &LoopRef,
    rounds: &[Vec<Child>],
) -> Result<Thm, Refusal> {
    let paths: Vec<&[Child]> = rounds.iter().map(Vec::as_slice).collect();
    let mut linked = false;
    let thm = session.convert_at(span, &paths, &mut |cx, e| {
        let apart = groups(e);
        linked |= apart.len() < 2;
        if linked { cx.refl(e) } else { rounds_apart(cx, e, &apart) }
    })?;
    if linked {
        return Err(Box::new(
            err!(E0354, target.name.span, "the states of `{}` stay together", target.name.text)
                .label("each depends on the others, or there is one alone")
                .help("states that do not read each other become iterations of their own"),
        ));
    }
    Ok(thm)
}

/// The theorem for the loop at hand; nothing where there is nothing to take apart.
fn fission(cx: &mut Cx<'_>, e: &Expr, name: &str) -> Kernel<Option<Thm>> {
    let (Node::Gen(_, _, body) | Node::Sum(_, _, body)) = &**e else { return Ok(None) };
    // Guards directly in the loop move onto the parts.
    let mut guards = Vec::new();
    let mut inside = body;
    while let Node::Guard(_, under) = &**inside {
        guards.push(Child::Body);
        inside = under;
    }
    let way: Vec<Child> = std::iter::once(Child::Body).chain(guards.iter().copied()).collect();
    match (&**e, &**inside) {
        (_, Node::Let(..)) => {
            let lift = Lift::new(cx, e, &way)?;
            if lift.ragged().is_some() { Ok(None) } else { lift.prove(cx, e).map(Some) }
        }
        (Node::Sum(..), Node::Prim(Prim::Add, _)) => {
            let mut thm = cx.refl(e)?;
            for depth in (1..way.len()).rev() {
                thm = cx.then(thm, |cx, e| {
                    cx.at(e, &way[..depth], &mut |cx, e| cx.rule(Rule::GuardAdd, e).map(Some))
                })?;
            }
            cx.then(thm, |cx, e| cx.rule(Rule::SumAdd, e)).map(Some)
        }
        (Node::Gen(..), Node::Op(def, ..)) if def.name == "concat" && guards.is_empty() => {
            columns(cx, e).map(Some)
        }
        (Node::Gen(..), Node::Prim(_, operands)) if operands.len() > 1 => {
            let apart = inside.children().find(|at| inside.child(*at).is_some_and(computes));
            let Some(operand) = apart else { return Ok(None) };
            let way: Vec<Child> = way.iter().copied().chain([operand]).collect();
            let bound = cx.at(e, &way, &mut |cx, e| accumulate(cx, e, name).map(Some))?;
            let bound = cx.total(e, bound)?;
            cx.then(bound, |cx, e| Lift::new(cx, e, &way)?.prove(cx, e)).map(Some)
        }
        _ => Ok(None),
    }
}

/// Is there an operation or a reduction in this term? A number, an index and a read, guarded or not, compute nothing.
fn computes(e: &Expr) -> bool {
    matches!(&**e, Node::Prim(..) | Node::Sum(..)) || e.children().filter_map(|at| e.child(at)).any(computes)
}

/// `gen i { a ++ b }`, each operand in a loop of its own.
fn columns(cx: &mut Cx<'_>, e: &Expr) -> Kernel<Thm> {
    let no_concat = || Error::Mismatch("there is no `++` to take apart");
    let Node::Gen(label, n, body) = &**e else { return Err(no_concat()) };
    let level = cx.ctx.level();
    let Node::Op(_, _, parts) = &*subst::open(body, level) else { return Err(no_concat()) };
    let parts: Vec<Expr> = parts
        .iter()
        .map(|part| {
            let rows = Node::Gen(label.clone(), n.clone(), subst::close(part, level));
            atl_ops::transpose(Arc::new(rows))
        })
        .collect();
    let [first, second] = parts.as_slice() else { return Err(no_concat()) };
    by_gather(cx, e, &atl_ops::transpose(atl_ops::concat(first.clone(), second.clone())))
}
