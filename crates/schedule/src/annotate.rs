//! Labels of binders, which change no meaning: how a loop is run, where a `let` is stored, and the tags of
//! annotations.
//!
//! A loop of at most one iteration is not worth an annotation: of several copies of a loop, those are passed
//! over, and `peel` takes the mark off what it leaves alone.

use crate::nest::{Place, binders};
use crate::refusal::{Refusal, RefusedAt};
use crate::session::Session;
use atl_annotations::{Annotation, Annotations, Mark, RequestId, Role};
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr, Ix, Label, LoopKind, Node, Pred, Thm};
use atl_rules::{Cx, Step as Conversion};
use atl_syntax::ast::Step;
use atl_syntax::{Style, print_step};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Say how the loops at these places are to be run; of several, not those of at most one iteration.
pub(crate) fn run_as(
    session: &mut Session<'_>,
    span: Span,
    mut places: Vec<Place>,
    change: &mut dyn FnMut(&mut Label, &mut Annotations),
) -> Result<Thm, Refusal> {
    if places.len() > 1 {
        let body = session.body.clone();
        let mut many = Vec::new();
        for place in &places {
            let mut single = false;
            let look = &mut |cx: &mut Cx<'_>, e: &Expr| {
                single = is_single(cx, e);
                Ok(None)
            };
            session.cx.at(&body, &place.path, look).refused_at(span)?;
            if !single {
                many.push(place.clone());
            }
        }
        if !many.is_empty() {
            places = many;
        }
    }
    relabel(session, span, &places, change)
}

/// Refuse loops at these places that an earlier step runs on threads where this one does not, or the reverse. A
/// loop that was written out may become lanes: a step may unroll many loops, and a later one choose among them.
pub(crate) fn run_no_other_way(span: Span, places: &[Place], way: LoopKind) -> Result<(), Refusal> {
    let on_threads = way == LoopKind::Parallel;
    let other = |place: &Place| {
        name_of(place.label.kind).filter(|_| on_threads != (place.label.kind == LoopKind::Parallel))
    };
    let Some((name, other)) = places.iter().find_map(|place| Some((&place.label.name, other(place)?))) else {
        return Ok(());
    };
    let inner = if on_threads { other } else { name_of(way).unwrap_or_default() };
    Err(Box::new(
        err!(E0385, span, "`{name}` is to run in two ways")
            .label(format!("`{other} {name}` stands before"))
            .note("a loop runs on threads, or its iterations are lanes or written out")
            .help(format!(
                "leave out one of the two steps, or cut the loop: `split {name} by 64; parallel {name}.o; {inner} {name}.i`"
            )),
    ))
}

/// The directive that has a loop run so.
fn name_of(kind: LoopKind) -> Option<&'static str> {
    match kind {
        LoopKind::Parallel => Some("parallel"),
        LoopKind::Vector(_) => Some("vectorize"),
        LoopKind::Unroll => Some("unroll"),
        LoopKind::Serial | LoopKind::Search => None,
    }
}

/// A marked loop of at most one iteration is not marked any more.
pub(crate) fn unmark_single(cx: &mut Cx<'_>, e: &Expr) -> Conversion {
    let Node::Gen(label, n, body) = &**e else { return Ok(None) };
    if label.kind == LoopKind::Serial || !is_single(cx, e) {
        return Ok(None);
    }
    let plain = Label { kind: LoopKind::Serial, ..label.clone() };
    let plain: Expr = Arc::new(Node::Gen(plain, n.clone(), body.clone()));
    cx.relabel(e, &plain).map(Some)
}

/// Is it a loop of at most one iteration?
fn is_single(cx: &mut Cx<'_>, e: &Expr) -> bool {
    match &**e {
        Node::Gen(_, n, _) | Node::Sum(_, n, _) => cx.proves(&Pred::le(n.clone(), Ix::ONE)),
        _ => false,
    }
}

/// Annotate the binders at these places, each in its role; the theorem is reflexivity.
pub(crate) fn annotate(
    session: &mut Session<'_>,
    step: &Step,
    places: &[(Role, Vec<Place>)],
    annotation: Annotation,
) -> Result<Thm, Refusal> {
    let request = request(session, step, annotation);
    let body = session.body.clone();
    let table = Arc::make_mut(&mut session.annotations);
    let mut new = body.clone();
    for (role, places) in places {
        let mark = Mark { request, role: *role };
        for place in places {
            new = at(&new, &place.path, &mut |label| label.tag = table.with(label.tag, mark));
        }
    }
    session.cx.relabel(&body, &new).refused_at(step.span)
}

/// Record what a step asks of the result or the kernel; the term stays as it is.
pub(crate) fn ask(session: &mut Session<'_>, step: &Step, annotation: Annotation) -> Result<Thm, Refusal> {
    request(session, step, annotation);
    let body = session.body.clone();
    session.cx.refl(&body).refused_at(step.span)
}

/// Record what a step asks for.
pub(crate) fn request(session: &mut Session<'_>, step: &Step, annotation: Annotation) -> RequestId {
    let text = print_step(step, Style::LINE);
    Arc::make_mut(&mut session.annotations).request(annotation, step.span, &text)
}

/// Change the labels at these places; the theorem is reflexivity. A request of which no label is left is
/// withdrawn.
pub(crate) fn relabel(
    session: &mut Session<'_>,
    span: Span,
    places: &[Place],
    change: &mut dyn FnMut(&mut Label, &mut Annotations),
) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let annotations = Arc::make_mut(&mut session.annotations);
    let change = &mut |label: &mut Label| change(label, annotations);
    let new = places.iter().fold(body.clone(), |e, place| at(&e, &place.path, change));
    let (before, now) = (annotated(&body, annotations), annotated(&new, annotations));
    before.difference(&now).for_each(|request| annotations.withdraw(*request));
    session.cx.relabel(&body, &new).refused_at(span)
}

/// The requests of the binders of a term.
fn annotated(e: &Expr, annotations: &Annotations) -> BTreeSet<RequestId> {
    let tags: BTreeSet<u32> = binders(e).into_iter().map(|place| place.label.tag).collect();
    tags.into_iter().flat_map(|tag| annotations.marks(tag)).map(|mark| mark.request).collect()
}

fn at(e: &Expr, path: &[Child], change: &mut dyn FnMut(&mut Label)) -> Expr {
    match path.split_first() {
        Some((first, rest)) => match e.child(*first) {
            Some(child) => Arc::new(e.with_child(*first, at(child, rest, change))),
            None => e.clone(),
        },
        None => {
            let mut node = (**e).clone();
            if let Node::Gen(l, ..) | Node::Sum(l, ..) | Node::Let(l, ..) = &mut node {
                change(l);
            }
            Arc::new(node)
        }
    }
}
