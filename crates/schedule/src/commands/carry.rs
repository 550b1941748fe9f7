//! `carry X along L`: keep the rows of a window that the next iteration of `L` reads again.
//!
//! After `compute X at L`, each iteration of `L` computes a window of `X`. If the window moves by `s` of its
//! `w` rows, the previous iteration has already computed `w - s` of them. With `carry`, `X` lives as long as
//! `L` runs: the first iteration computes the whole window, and each other one only the new rows. In
//! registers (`store X in register`) the rows move from variable to variable; elsewhere the new rows
//! overwrite the oldest ones in a circular buffer.
//! **Statement.** The same term: annotation only, the value is unchanged. That row `k` of the next iteration
//! is row `k + s` of this one is a separate theorem, which the kernel proves here, and again when the loop is
//! lowered.
//! **Requires.** `let X` is directly in the body of `L`, with no loop or condition between; it has 2 to 64
//! rows, a literal number; the iterations of `L` run in order. A chunk of a loop starts a new window: after
//! `split L by k`, `L.o` may be parallel and `L.i` carry. The annotation follows a renamed loop, and the
//! inner part of a split one. Of several copies of `L`, as `peel` makes, those whose window does not provably
//! move are skipped.
//! **Fails when.** `L` has no such `let`, the reuse of its rows cannot be proved, or `L` is parallel, a
//! vector loop, or has one iteration.
//! **Example.** `compute bx at y; carry bx along y` of a blur computes each row sum once, and keeps three
//! rows of them.
//! **See also.** `compute`; `slide`, whose blocks start new windows and may run in parallel; `store`.

use crate::annotate::annotate;
use crate::args::Args;
use crate::command::Command;
use crate::nest::Place;
use crate::refusal::{Refusal, RefusedAt, wrong_arguments};
use crate::session::Session;
use atl_annotations::{Annotation, Role};
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Child, Ctx, Error, Expr, Ix, Label, LoopKind, Node, Pred, Result as Kernel};
use atl_lang::print::print_pred;
use atl_rules::Cx;
use atl_rules::moving::{Between, Still, Window};
use atl_syntax::Style;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "carry",
    usage: "carry X along L",
    equation: "annotation only: the value is unchanged",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["along"])?;
        let (name, span) = args.one_name()?;
        let along = args.clause_arg("along")?;
        let Some(target) = along.as_loop() else {
            return Err(wrong_arguments(along.span, COMMAND.usage));
        };
        let (lets, loops) = (session.lets(&name, span)?, session.loops(&target)?);
        let mut why: Option<Diagnostic> = None;
        let mut carried = false;
        for home in &lets {
            let around = loops.iter().filter(|l| home.path.starts_with(&l.path));
            let Some(around) = around.max_by_key(|l| l.path.len()) else { continue };
            match moves(session, around, home, step.span)? {
                Ok(()) => carried = true,
                Err(refusal) => why = why.or(Some(refusal)),
            }
        }
        match why {
            _ if carried => {}
            Some(why) => return Err(Box::new(why.label("this is not carried"))),
            None => {
                let message = "it is not computed in this loop";
                let help = format!("`compute {name} at {}` first", target.name.text);
                return Err(Box::new(stays(&name, along.span, message).label("not here").help(help)));
            }
        }
        let annotation = Annotation::Carry { tensor: name, along: target.name.text };
        annotate(session, step, &[(Role::Window, lets), (Role::Along, loops)], annotation)
    },
};

/// The loop that a window is to be carried along, and how the step calls the window.
struct Along<'a> {
    outside: Arc<Ctx>,
    label: Label,
    extent: Ix,
    name: &'a str,
    span: Span,
}

impl Along<'_> {
    fn stays(&self, why: &str) -> Diagnostic {
        stays(self.name, self.span, why)
    }

    /// Does the window at the end of a path below `e` move? Else why it is not carried.
    fn below(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        path: &[Child],
        between: &mut Vec<Between>,
    ) -> Kernel<Result<(), Diagnostic>> {
        let Some((at, rest)) = path.split_first() else {
            let Node::Let(_, term, _) = &**e else { return Ok(Ok(())) };
            let Along { outside, label, extent, .. } = self;
            let window = Window { outside, name: &label.name, extent, between, term };
            return Ok(window.moving(cx).map(drop).map_err(|still| self.still(&still)));
        };
        match (&**e, at) {
            (Node::Let(label, bound, _), Child::Body) => {
                let (level, label, bound) = (cx.ctx.level(), label.clone(), bound.clone());
                between.push(Between { level, label, bound });
            }
            (Node::Gen(label, ..) | Node::Sum(label, ..), _) => {
                let why = format!("the loop `{}` is between it and that loop", label.name);
                return Ok(Err(self.stays(&why).help("carry it along the innermost loop around it")));
            }
            (Node::Guard(p, _), _) if cx.proves(p) => {}
            (Node::Guard(..) | Node::Select(..), _) => {
                let refusal = self.stays("not every iteration of the loop computes it");
                return Ok(Err(refusal.help("`peel` may remove the condition")));
            }
            _ => {}
        }
        let (mut inside, child) = cx.enter(e, *at)?;
        self.below(&mut inside, &child, rest, between)
    }

    /// Why a window does not move, in words.
    fn still(&self, still: &Still) -> Diagnostic {
        let refusal = self.stays(&still.to_string());
        match still {
            Still::Rows => refusal.help("`compute X at L` makes windows; `split` with a number, and `peel`, make their extents numbers"),
            Still::Extents => refusal.help("`peel` may give each part of the loop windows of one size"),
            Still::Apart => refusal.help("carry it along the loop with which it moves, by fewer rows than it has"),
            Still::Back => refusal.help("read the rows in the order in which the loop comes to them"),
            Still::Differs(_, Error::Unproved(unproved)) => {
                let goal = print_pred(&unproved.ctx, &unproved.goal, Style::LINE);
                let notes = atl_lang::unproved_notes(unproved, None).into_iter();
                notes.fold(refusal.note(format!("it would need `{goal}`")), Diagnostic::note)
            }
            Still::Differs(_, why) => refusal.note(why.to_string()),
        }
    }
}

fn stays(name: &str, span: Span, why: &str) -> Diagnostic {
    err!(E0373, span, "the window `{name}` cannot be carried: {why}")
}

/// Does the `let` move with the loop around it? Else why it is not carried.
fn moves(
    session: &mut Session<'_>,
    around: &Place,
    home: &Place,
    span: Span,
) -> Result<Result<(), Diagnostic>, Refusal> {
    let (name, inside) = (&*home.label.name, &home.path[around.path.len() + 1..]);
    let mut outcome = Ok(());
    let body = session.body.clone();
    let look = &mut |cx: &mut Cx<'_>, e: &Expr| {
        let (Node::Gen(label, extent, _) | Node::Sum(label, extent, _)) = &**e else { return Ok(None) };
        if cx.proves(&Pred::le(extent.clone(), Ix::ONE)) {
            outcome = Err(stays(name, span, "the loop has no next iteration"));
            return Ok(None);
        }
        if matches!(label.kind, LoopKind::Parallel | LoopKind::Vector(_)) {
            let refusal = stays(name, span, "the iterations of the loop are concurrent");
            outcome = Err(refusal
                .help("`split` it: the outer loop may be parallel, and the inner one carries the window"));
            return Ok(None);
        }
        let along =
            Along { outside: cx.ctx.clone(), label: label.clone(), extent: extent.clone(), name, span };
        let (mut in_body, child) = cx.enter(e, Child::Body)?;
        outcome = along.below(&mut in_body, &child, inside, &mut Vec::new())?;
        Ok(None)
    };
    session.cx.at(&body, &around.path, look).refused_at(span)?;
    Ok(outcome)
}
