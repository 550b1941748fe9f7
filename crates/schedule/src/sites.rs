//! Where a step applies: its clauses `at`, `around`, `everywhere`, `first`.
//!
//! Reading order is the order of the program as it is written: a term before its parts, and parts from left
//! to right. `at P` is the first place in reading order that matches and where the step applies; `everywhere`
//! is all places, and `at P everywhere` all that match. A pattern that is a lone name means the `let`s of that name, and the loops that directives
//! mean by it: those of the result before those inside a `let`. `X/L` means the loop `L` in the `let` `X`;
//! `'l`, what the program marks `'l: …`, as long as no step has rewritten a term that it stands inside.

use crate::nest::{Place, Unresolved, binders, resolve_let, resolve_loop};
use crate::pattern::Pattern;
use crate::refusal::{BEFORE, Refusal, closest, wrong_arguments};
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr};
use atl_rules::{Cx, Step as Conversion};
use atl_syntax::ast::{Clause, ExprKind, LoopRef, Step};

/// Where a step applies.
pub(crate) enum Sites {
    /// At every place.
    Everywhere,
    /// At the first place, of all.
    First,
    /// At the first of these places, or in all of them: what the directive says.
    At(Vec<Vec<Child>>),
    /// At each of these places where it applies.
    Each(Vec<Vec<Child>>),
}

impl Sites {
    /// What a step's clauses say; without any, the directive's default.
    pub(crate) fn of(
        session: &mut Session<'_>,
        step: &Step,
        usage: &str,
        default: Sites,
    ) -> Result<Sites, Refusal> {
        let words = ["at", "around", "everywhere", "first"];
        let mut given = step.clauses.iter().filter(|c| words.contains(&c.word.text.as_str()));
        let (first, second) = (given.next(), given.next());
        if let Some(extra) = second {
            return Err(wrong_arguments(extra.span, usage));
        }
        Ok(match first.map(|clause| (clause, clause.word.text.as_str())) {
            None => default,
            Some((_, "everywhere")) => Sites::Everywhere,
            Some((_, "first")) => Sites::First,
            Some((clause, _)) => Sites::At(around_or_at(session, clause)?),
        })
    }

    /// The same, where `everywhere` may stand beside a pattern: all places that match.
    pub(crate) fn or_each_of(
        session: &mut Session<'_>,
        step: &Step,
        usage: &str,
        default: Sites,
    ) -> Result<Sites, Refusal> {
        let pattern = step.clause("at").or(step.clause("around"));
        match (pattern, step.clause("everywhere")) {
            (Some(clause), Some(_)) if step.clause("first").is_none() => {
                Ok(Sites::Each(around_or_at(session, clause)?))
            }
            _ => Sites::of(session, step, usage, default),
        }
    }

    /// The parts of the program that a directive works in: those that stand in no other.
    pub(crate) fn parts(&self) -> Vec<Vec<Child>> {
        let (Sites::At(places) | Sites::Each(places)) = self else { return vec![Vec::new()] };
        let mut parts: Vec<Vec<Child>> = Vec::new();
        for place in places {
            if !parts.iter().any(|part| place.starts_with(part)) {
                parts.retain(|part| !part.starts_with(place));
                parts.push(place.clone());
            }
        }
        parts
    }
}

/// Convert at the first place in reading order where the conversion changes something.
pub(crate) fn first(
    cx: &mut Cx<'_>,
    e: &Expr,
    convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Conversion,
) -> Conversion {
    if let Some(thm) = convert(cx, e)? {
        return Ok(Some(thm));
    }
    for at in e.children() {
        let step = cx.child(e, at, |cx, child| first(cx, child, convert))?;
        if step.is_some() {
            return Ok(step);
        }
    }
    Ok(None)
}

/// The places that a clause `at` or `around` means, in reading order; at least one.
fn around_or_at(session: &mut Session<'_>, clause: &Clause) -> Result<Vec<Vec<Child>>, Refusal> {
    let mut places = places(session, clause)?;
    if clause.word.text == "around" {
        places.retain_mut(|path| path.pop().is_some());
        places.dedup();
    }
    if places.is_empty() { Err(no_match(clause)) } else { Ok(places) }
}

/// The places that a clause's pattern means, in reading order; at least one.
fn places(session: &mut Session<'_>, clause: &Clause) -> Result<Vec<Vec<Child>>, Refusal> {
    let [arg] = clause.args.as_slice() else {
        return Err(wrong_arguments(clause.span, &format!("{} PATTERN", clause.word.text)));
    };
    let found = match (&arg.name, &arg.value.kind) {
        (Some(_), _) => return Err(wrong_arguments(clause.span, &format!("{} PATTERN", clause.word.text))),
        (None, ExprKind::Label(label)) => vec![marked(session, label, arg.span)?],
        _ => match arg.as_loop() {
            Some(target) if target.within.is_none() => named(session, &target)?,
            // `X/L` is no quotient: the program has no values of these names to divide.
            Some(target) => session.loops(&target)?.into_iter().map(|p| p.path).collect(),
            None => {
                let body = session.body.clone();
                Pattern::new(&arg.value).places(&mut session.cx, &body)
            }
        },
    };
    if found.is_empty() { Err(no_match(clause)) } else { Ok(found) }
}

/// The places of a lone name, in reading order: the `let`s so called, and the loops that directives mean by
/// it.
fn named(session: &Session<'_>, target: &LoopRef) -> Result<Vec<Vec<Child>>, Refusal> {
    let name = &target.name.text;
    let lets = resolve_let(&session.body, name).unwrap_or_default();
    let loops = match resolve_loop(&session.body, None, name) {
        Err(Unresolved::Ambiguous(_)) if lets.is_empty() => session.loops(target)?,
        found => found.unwrap_or_default(),
    };
    let meant = |p: &Place| lets.iter().chain(&loops).any(|m| m.path == p.path);
    Ok(binders(&session.body).into_iter().filter(meant).map(|p| p.path).collect())
}

fn no_match(clause: &Clause) -> Refusal {
    Box::new(
        err!(E0323, clause.span, "the pattern matches nothing in the program at this point")
            .label("no such place")
            .help(format!("`_` matches anything; {BEFORE}")),
    )
}

/// Where the term stands that the program marks with a label.
fn marked(session: &Session<'_>, label: &str, span: Span) -> Result<Vec<Child>, Refusal> {
    let Some(start) = session.spans.as_ref().and_then(|spans| spans.find(label)) else {
        let known = session.spans.as_ref().map(|spans| spans.labels()).unwrap_or_default();
        return Err(Box::new(
            err!(E0339, span, "nothing in the program is marked `'{label}`")
                .label("no such mark")
                .help(closest(label, &known))
                .help(format!("a term is marked by writing `'{label}:` before it")),
        ));
    };
    session.trace.iter().try_fold(start, |path, step| {
        step.forward(&path).ok_or_else(|| {
            Box::new(
                err!(E0339, span, "what was marked `'{label}` is no longer there")
                    .label("this mark is gone")
                    .also(step.span, "this step rewrote a term that it stood in")
                    .help("loops and `let`s keep their names: point at one of those, or use the mark before that step"),
            )
        })
    })
}
