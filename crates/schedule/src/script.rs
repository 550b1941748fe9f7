//! Running a schedule: each step yields a theorem, and their chain is `source = scheduled`.
//!
//! A step is a directive, a tactic of the file's own, or a directive with blocks (`repeat`, `try`,
//! `first_of`), which runs the steps in them. Whatever it is, it is carried out as a whole or not at all: a
//! refusal leaves the session as it was. What steps prove one after the other is joined where they prove it,
//! and reaches the whole body once (`focus`); some steps are one derivation (`together`). Scripts come to an
//! end: tactics cannot use themselves, `repeat` is bounded, and so is the number of steps in all.

use crate::applied::{Applied, Change, Done};
use crate::commands;
use crate::equation::Equation;
use crate::focus::Focus;
use crate::refusal::{Refusal, RefusedAt};
use crate::session::{MAX_WORK, Session};
use crate::size::{MAX_LEVELS, MAX_NODES, fits, levels, nodes};
use crate::substitute::Arguments;
use crate::together::Run;
use atl_annotations::Annotations;
use atl_diag::{Diagnostic, Span, codes, err, spelling};
use atl_kernel::{Expr, Thm};
use atl_lang::extents::MAX_EXTENTS;
use atl_syntax::ast::{Def, Step};
use atl_syntax::{Style, print_step};
use std::sync::Arc;

/// A schedule as it was carried out.
pub struct Derivation {
    /// Its steps, in order; those of tactics and blocks each for itself.
    pub steps: Vec<Applied>,
    /// What they ask of lowering; the binders of what the last step left have its tags.
    pub annotations: Arc<Annotations>,
    /// The source equals what the last step left.
    pub thm: Thm,
}

/// A schedule that could not be carried out.
pub struct Failed {
    /// Why the step was refused.
    pub why: Refusal,
    /// The steps before it.
    pub steps: Vec<Applied>,
}

/// The most steps of a schedule, counted as often as they are tried.
pub const MAX_STEPS: usize = 4096;

/// Blocks and tactics nest at most so deep.
const MAX_DEPTH: usize = 128;

/// Run the steps of a schedule, written at this place, on the session's body.
pub fn derive(mut session: Session<'_>, steps: &[Step], span: Span) -> Result<Derivation, Box<Failed>> {
    match run_all(&mut session, steps, span) {
        Ok(thm) => Ok(Derivation { steps: session.trace, annotations: session.annotations, thm }),
        Err(why) => Err(Box::new(Failed { why, steps: session.trace })),
    }
}

/// Run steps one after the other; those before a refused one stay carried out.
pub fn run_all(session: &mut Session<'_>, steps: &[Step], span: Span) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let outer = std::mem::replace(&mut session.focus, Focus::on(&session.cx.ctx, &body));
    let done = run_each(session, steps);
    let inner = std::mem::replace(&mut session.focus, outer);
    done?;
    let cx = &mut session.cx;
    let thm = cx.refl(&body).and_then(|start| match inner.close(cx)? {
        Some(thm) => start.trans(thm),
        None => Ok(start),
    });
    affordable(session, span, thm.refused_at(span))
}

/// Run one step, and make its result the session's body.
pub fn run(session: &mut Session<'_>, step: &Step) -> Result<Thm, Refusal> {
    run_all(session, std::slice::from_ref(step), step.span)
}

/// Run steps one after the other, those together that can be.
fn run_each(session: &mut Session<'_>, mut steps: &[Step]) -> Result<(), Refusal> {
    while !steps.is_empty() {
        let run = Run::at(session, steps);
        let (now, rest) = steps.split_at(run.as_ref().map_or(1, |run| run.steps.len()));
        if !run.is_some_and(|run| run.carry_out(session)) {
            now.iter().try_for_each(|step| run_one(session, step))?;
        }
        steps = rest;
    }
    Ok(())
}

/// Run a step by itself.
pub(crate) fn run_one(session: &mut Session<'_>, step: &Step) -> Result<(), Refusal> {
    session.tried += 1;
    if session.tried > MAX_STEPS || session.depth >= MAX_DEPTH {
        return Err(Box::new(
            err!(E0331, step.span, "the schedule takes too many steps")
                .label("this one is not carried out")
                .note(format!("at most {MAX_STEPS} are tried, at most {MAX_DEPTH} inside each other"))
                .help("steps in a `repeat` and in the tactics that it uses count each time"),
        ));
    }
    let (body, length) = (session.body.clone(), session.trace.len());
    let (focus, annotations) = (session.focus.clone(), session.annotations.clone());
    session.depth += 1;
    let done = carry_out(session, step);
    session.depth -= 1;
    match affordable(session, step.span, done) {
        Ok(after) => {
            session.body = after;
            Ok(())
        }
        Err(refusal) => {
            session.body = body;
            session.trace.truncate(length);
            (session.focus, session.annotations) = (focus, annotations);
            Err(refusal)
        }
    }
}

/// Carry out a step; the body that it leaves.
fn carry_out(session: &mut Session<'_>, step: &Step) -> Result<Expr, Refusal> {
    let name = step.name.text.as_str();
    let before = session.body.clone();
    if let Some(command) = commands::by_name(name) {
        session.notes.clear();
        session.is_focused = false;
        let done = (command.run)(session, step);
        let is_focused = std::mem::take(&mut session.is_focused);
        let thm = done?;
        let notes = std::mem::take(&mut session.notes);
        if !is_focused {
            session.focus.move_to(&mut session.cx, &[]).refused_at(step.span)?;
        }
        let at = session.focus.path().to_vec();
        let after = proved(session, step.span, &before, thm.clone())?;
        if step.blocks.is_empty() {
            reasonable(session, step.span, &after)?;
            let done = Done { before, after: after.clone(), at, part: thm, ctx: session.cx.ctx.clone() };
            let (text, uses) = (print_step(step, Style::LINE), session.uses.clone());
            let equation = match step.args.first().and_then(|arg| arg.as_name()) {
                Some(rule) if name == "rw" => {
                    Equation::named(session, &rule.text).map(|e| e.statement().to_owned())
                }
                _ => None,
            };
            let equation = equation.unwrap_or_else(|| command.equation.to_owned());
            session.trace.push(Applied {
                span: step.span,
                command: command.name,
                step: step.clone(),
                text,
                equation,
                notes,
                uses,
                change: Change::Alone(done),
            });
        }
        return Ok(after);
    }
    let library = session.library.clone();
    if let Some(def) = library.tactic(name) {
        let thm = tactic(session, def, step)?;
        session.focus.move_to(&mut session.cx, &[]).refused_at(step.span)?;
        return proved(session, step.span, &before, thm);
    }
    let known = commands::TABLE.iter().map(|c| c.name).chain(library.tactic_names());
    let meant = match elsewhere(name).or_else(|| spelling::closest(name, known)) {
        Some(known) => format!("did you mean `{known}`?"),
        None => {
            "`atl explain directives` lists the directives; a tactic of another file is known where that file is imported: `import \"FILE.atl\"`".to_owned()
        }
    };
    Err(Box::new(err!(E0301, step.name.span, "there is no directive `{name}`").label("unknown").help(meant)))
}

/// The body after a theorem about the term at the focus.
fn proved(session: &mut Session<'_>, span: Span, before: &Expr, thm: Thm) -> Result<Expr, Refusal> {
    session.focus.push(&mut session.cx, thm).refused_at(span)?;
    Ok(session.focus.body(before))
}

/// The directive that is called so in other languages of schedules.
fn elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "interchange" | "swap" => "reorder",
        "compute_at" | "store_at" | "compute_root" => "compute",
        "strip_mine" | "stripmine" => "split",
        "inline_" | "compute_inline" => "inline",
        "vec" | "simd" => "vectorize",
        "parallelize" | "omp" => "parallel",
        "collapse" | "flatten" => "fuse",
        "cache_read" | "cache_write" => "stage",
        "prefetching" => "prefetch",
        _ => return None,
    })
}

/// The steps of a tactic, with this step's arguments.
fn tactic(session: &mut Session<'_>, def: &Def, step: &Step) -> Result<Thm, Refusal> {
    let args = Arguments::of(def, step)?;
    let steps = def.steps.iter().map(|inner| args.step(inner)).collect::<Result<Vec<_>, _>>();
    session.uses.push(step.span);
    let done = steps.and_then(|steps| run_all(session, &steps, step.span));
    session.uses.pop();
    done.map_err(|why| Box::new(why.also(step.span, format!("in this use of `{}`", def.name.text))))
}

/// What a step did, unless the schedule's work is spent: then the innermost step that ran into the limit is
/// to blame.
fn affordable<T>(session: &Session<'_>, span: Span, done: Result<T, Refusal>) -> Result<T, Refusal> {
    match done {
        Err(why) if why.code == codes::E0341 => Err(why),
        done if !session.cx.work.is_spent() => done,
        _ => Err(Box::new(spent(session, span))),
    }
}

/// The refusal of the step at which the schedule's work is spent: what has grown, from what, and what to do.
fn spent(session: &Session<'_>, span: Span) -> Diagnostic {
    let refusal =
        err!(E0341, span, "the schedule takes too much work").label("the limit is reached in this step");
    let (now, first) = (nodes(&session.body), nodes(&session.start));
    match session.cx.work.met_long_extents() {
        true => refusal
            .note(format!("in this step, the extents of a term grow to more than {MAX_EXTENTS} nodes"))
            .note("an operator may use an extent more than once, so in a nest of operators they may double with each")
            .help("let fewer rounds or operators do"),
        false => refusal
            .note(format!(
                "the program has {now} nodes at this step and had {first} at first; inferences read it over and over"
            ))
            .note(format!("at most {MAX_WORK} nodes are read in all"))
            .help("let fewer rounds or sites do, or `simplify` in between; `let`s keep one copy of what is used twice"),
    }
}

/// Refuse a result of more than [`MAX_NODES`] nodes, or [`MAX_LEVELS`] deeper than the session's program was
/// at first.
pub(crate) fn reasonable(session: &Session<'_>, span: Span, result: &Expr) -> Result<(), Refusal> {
    if fits(result, MAX_NODES, session.levels + MAX_LEVELS) {
        return Ok(());
    }
    small_enough(span, nodes(result))?;
    let (after, before) = (levels(result), session.levels);
    Err(Box::new(
        err!(E0338, span, "this step leaves too deep a program")
            .label("refused")
            .note(format!(
                "its terms stand {after} deep in each other; the program's own {before} and {MAX_LEVELS} more are allowed"
            ))
            .help("fewer rounds of a `repeat` may do; `rw guard_and everywhere` makes one guard of several"),
    ))
}

/// Refuse a number of nodes above [`MAX_NODES`].
pub(crate) fn small_enough(span: Span, nodes: u64) -> Result<(), Refusal> {
    if nodes <= MAX_NODES {
        return Ok(());
    }
    let found = if nodes == u64::MAX { "more than can be counted".to_owned() } else { nodes.to_string() };
    Err(Box::new(
        err!(E0338, span, "this step leaves too large a program")
            .label("refused")
            .note(format!("it has {found} nodes, each read of a shared part counted; at most {MAX_NODES} are allowed"))
            .help("`let`s keep one copy of what is used more than once; `simplify` after a `split` keeps indices short"),
    ))
}
