//! `hoist X`, `hoist X at L`: move a producer out of loops.
//!
//! **Statement.** `.. gen i < n { let X = e; f(X) } ..` =
//! `let X = gen i < n { e }; .. gen i < n { f(X[i]) } ..`, for the loops that `e` depends on; past other
//! loops it moves unchanged. A guard moves along if it is about loops that `X` gains as dimensions. Where a
//! condition or an index reads `X` by name, `let X_entry = X[i]` stays inside: no element can stand there.
//! Out of a step, `iterate t < n from x = e { let X = c(t); s(X, x) }` =
//! `let X = gen t < n { c(t) }; iterate t < n from x = e { s(X[t], x) }`.
//! **Requires.** Nothing; exact in floating point. Without `at L` it moves as far as possible: to the root,
//! or below the innermost `let` that it reads; with `at L`, below those directly in `L`.
//! **Fails when.** It is already there, or reads a `let` or a state on the way, or its extents depend on a
//! loop on the way.
//! **Example.** `gen i < N { let t = gen j < M { a[j] }; .. }` computes `t` once:
//! `let t = gen j < M { a[j] }; gen i < N { .. }`.
//! **See also.** `compute`, which moves a producer in; `store X at L`; `fission`.

use crate::args::Args;
use crate::command::Command;
use crate::dimensions::Dimensions;
use crate::lift::Lift;
use crate::nest::Place;
use crate::refusal::{Refusal, RefusedAt, wrong_arguments};
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Thm};
use atl_syntax::ast::Argument;

/// See the module.
pub static COMMAND: Command = Command {
    name: "hoist",
    usage: "hoist X [at L]",
    equation: "gen i<n. let X = e; f(X)  =  let X = gen i<n. e; gen i<n. f(X[i])",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at"])?;
        let (name, span) = args.one_name()?;
        let home = session.one_let(&name, span)?;
        match step.clause("at") {
            Some(_) => {
                let inside = body_around(session, &home, args.clause_arg("at")?, COMMAND.usage)?;
                lift_to(session, step.span, &home, &inside)
            }
            None => lift_far(session, step.span, &home),
        }
    },
};

/// The path to the body of the loop, or to the root, that stands around a `let`.
pub(crate) fn body_around(
    session: &Session<'_>,
    home: &Place,
    target: &Argument,
    usage: &'static str,
) -> Result<Vec<Child>, Refusal> {
    if target.as_name().is_some_and(|n| n.text == "root") {
        return Ok(vec![]);
    }
    let Some(wanted) = target.as_loop() else { return Err(wrong_arguments(target.span, usage)) };
    let found = session.loops(&wanted)?;
    match found.iter().rev().find(|p| home.path.starts_with(&p.path)) {
        Some(around) => Ok([around.path.as_slice(), &[Child::Body]].concat()),
        None => Err(Box::new(
            err!(
                E0350,
                target.span,
                "`{}` is not computed inside loop `{}`",
                home.label.name,
                wanted.name.text
            )
            .label("not a loop around the `let`")
            .help(format!(
                "`compute {} at {}` moves a producer into a loop",
                home.label.name, wanted.name.text
            )),
        )),
    }
}

/// Move the `let` up to the end of a path above it, but below the `let`s there that it reads; where it stands there already,
/// nothing changes.
pub(crate) fn lift_to(
    session: &mut Session<'_>,
    span: Span,
    home: &Place,
    top: &[Child],
) -> Result<Thm, Refusal> {
    lift_in_order(session, span, home, top, None)
}

/// The same, with the dimensions that the tensor grows by in the order of these loops.
pub(crate) fn lift_in_order(
    session: &mut Session<'_>,
    span: Span,
    home: &Place,
    top: &[Child],
    order: Option<&Dimensions>,
) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let way = Lift::new(&mut session.cx, &body, &home.path).refused_at(span)?;
    let (top, below) = home.path.split_at(way.below_lets(top.len()));
    let names = order.map_or(&[][..], |order| order.names.as_slice());
    order.map_or(Ok(()), |order| order.check(&home.label.name, &way.grows_by(top.len())))?;
    let (mut blocked, mut ragged) = (None, None);
    let thm = session.convert_at(span, &[top], &mut |cx, e| {
        let lift = Lift::new(cx, e, below)?.ordered(names);
        blocked = lift.blocked().map(|(_, name)| name);
        ragged = lift.ragged();
        match blocked.is_some() || ragged.is_some() || below.is_empty() {
            true => cx.refl(e),
            false => lift.prove(cx, e),
        }
    })?;
    let name = &home.label.name;
    if let Some(by) = blocked {
        return Err(Box::new(
            err!(E0350, span, "`{name}` reads `{by}`, which is computed on the way")
                .label("it cannot leave that `let` behind")
                .help(format!("`hoist {by}` first, or `inline {by}`")),
        ));
    }
    if let Some(index) = ragged {
        return Err(Box::new(
            err!(E0350, span, "the extents of `{name}` depend on the loop `{index}`")
                .label("its iterations do not make one tensor")
                .help(format!("give `{name}` an extent that holds for every iteration, with a guard")),
        ));
    }
    Ok(thm)
}

/// Move the `let` as far up as it goes.
fn lift_far(session: &mut Session<'_>, span: Span, home: &Place) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let lift = Lift::new(&mut session.cx, &body, &home.path).refused_at(span)?;
    let top = lift.blocked().map_or(0, |(depth, _)| depth + 1);
    let is_round = matches!(home.path.last(), Some(Child::Step(_)));
    if let (true, Some((_, state))) = (is_round && top == home.path.len(), lift.blocked()) {
        return Err(Box::new(
            err!(E0350, span, "`{}` reads the state `{state}`, which rounds make", home.label.name)
                .label("it is another tensor in each round")
                .help("leave the step out; what depends on no state, or on the round alone, can move before the rounds"),
        ));
    }
    if top == home.path.len() {
        return Err(Box::new(
            err!(E0350, span, "`{}` cannot move further out", home.label.name)
                .label("there is no loop to leave")
                .help("leave the step out"),
        ));
    }
    lift_to(session, span, home, &home.path[..top])
}
