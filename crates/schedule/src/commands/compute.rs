//! `compute X at L`, `compute X at root`: where a producer is computed.
//!
//! **Statement.** `let X = e; .. gen L { f(X[i + b]) } ..` =
//! `.. gen L { let X = (gen t < w { X?[b + t] }); f(X[i]) } ..` with the term of `X` substituted inside: the
//! window from `b` of the `w` elements that one iteration of `L` reads.
//! **Requires.** Every read of `X` is inside `L`, in bounds, and linear in the loops inside `L`, or a `min`
//! or `max` of linear terms. A dimension whose reads are not linear keeps its whole extent. If the window
//! would be all of `X` for that reason, the step is refused, because every iteration would compute all
//! of `X`; a small `X` with constant extents is accepted. Where a loop that is accessed reads `X`, as
//! `inline` leaves it, the access is carried out first. If `X` is already produced inside `L`, in a
//! loop of it, it moves out to `L`, and to the root with `at root`: see `hoist`.
//! **Fails when.** `X` is also read outside `L`, or `L` is outside the scope of `X`.
//! **Example.** A blur's rows: `compute bx at x.o` produces 66 rows of 64 for a tile of 64 by 64.
//! **See also.** `inline`, which recomputes for every read; `store`.

use crate::args::Args;
use crate::command::Command;
use crate::commands::hoist::lift_to;
use crate::nest::{Place, readers, reads};
use crate::read_tensor::Tensor;
use crate::read_window::{Buffer, Guards};
use crate::refusal::{Refusal, list, wrong_arguments};
use crate::session::{About, Session};
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Child, Error, Expr, Label, Node, Result as Kernel, Rule, Thm};
use atl_rules::gather::access;
use atl_rules::{Chain, Cx, Step as Conversion, join};
use std::collections::BTreeSet;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "compute",
    usage: "compute X at L",
    equation: "let X = e; .. gen L. f(X[b+i]) ..  =  .. gen L. let X = (gen t<w. e?[b+t]); f(X[i]) ..",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at"])?;
        let (name, span) = args.one_name()?;
        let target = args.clause_arg("at")?;
        let home = session.one_let(&name, span)?;
        if target.as_name().is_some_and(|n| n.text == "root") {
            return lift_to(session, step.span, &home, &[]);
        }
        let Some(target_loop) = target.as_loop() else {
            return Err(wrong_arguments(target.span, COMMAND.usage));
        };
        let mut at_body = home.path.clone();
        at_body.push(Child::Body);
        let found = session.loops(&target_loop)?;
        if let Some(around) = found.iter().rev().find(|p| home.path.starts_with(&p.path)) {
            let mut inside = around.path.clone();
            inside.push(Child::Body);
            return lift_to(session, step.span, &home, &inside);
        }
        let loops: Vec<Place> = found.into_iter().filter(|p| p.path.starts_with(&at_body)).collect();
        if loops.is_empty() {
            return Err(out_of_scope(session, &home, &target_loop.name.text, target.span));
        }
        // A loop of the same name in which nothing reads it, as in a copy of what was inlined, is not meant.
        let reads = reads(&session.body, &home);
        let has_reads = |place: &Place| reads.iter().any(|read| read.starts_with(&place.path));
        let reading: Vec<Place> = loops.iter().filter(|place| has_reads(place)).cloned().collect();
        let loops = if reading.is_empty() { loops } else { reading };
        compute_at(session, About::Part, step.span, &home, &loops, &name)
    },
};

/// Windows of so many elements may be computed anew in every iteration, though they are all of the producer.
const SMALL: i64 = 64;

/// The refusal of a loop outside the scope of a `let`.
pub(crate) fn out_of_scope(session: &Session<'_>, home: &Place, target: &str, span: Span) -> Refusal {
    Box::new(
        err!(E0316, span, "loop `{target}` is not where `{}` is in scope", home.label.name)
            .label("not below the `let`")
            .help(who_reads(session, home)),
    )
}

/// Advice: the loops that read a `let`.
fn who_reads(session: &Session<'_>, home: &Place) -> String {
    match readers(&session.body, home).as_slice() {
        [] => format!("no loop reads `{}`: it is computed once as it stands", home.label.name),
        loops => format!("choose a loop that reads it: {}, or one around", list(loops)),
    }
}

/// Compute a producer at these loops, which stand in the `let`'s body; a theorem about this.
pub(crate) fn compute_at(
    session: &mut Session<'_>,
    about: About,
    span: Span,
    home: &Place,
    loops: &[Place],
    name: &str,
) -> Result<Thm, Refusal> {
    let skip = home.path.len() + 1;
    let mut outside = None;
    let mut unserved = Unserved::default();
    let thm = session.convert_about(about, span, std::slice::from_ref(home), &mut |cx, e| {
        let Some((inlined, producer)) = apart(cx, e)? else { return cx.refl(e) };
        let producer = Producer::of(&producer, &home.label, name);
        let paths: Vec<&[Child]> = loops.iter().map(|l| &l.path[skip..]).collect();
        cx.then(inlined, |cx, body| {
            let mut chain = Chain::of(body);
            for path in &paths {
                chain.apply(cx, |cx, now| {
                    cx.at(now, path, &mut |cx, e| {
                        cx.child(e, Child::Body, |cx, e| producer.windowed(cx, e, &mut unserved))
                    })
                })?;
            }
            outside = reads_outside(chain.now(), Tensor::Inlined(producer.term), &paths);
            Ok(chain.done())
        })
    })?;
    let Unserved { windows_missing, mut unbounded, in_access } = unserved;
    if windows_missing {
        let refusal = err!(E0316, span, "`{name}` is not read inside this loop")
            .label("nothing to compute there")
            .help(who_reads(session, home));
        return Err(Box::new(consumers_first(session, home).into_iter().fold(refusal, Diagnostic::help)));
    }
    if !unbounded.is_empty() {
        unbounded.dedup();
        let refusal = err!(E0357, span, "every iteration of this loop would compute all of `{name}`")
            .label("no window of it serves one iteration");
        let refusal = match in_access {
            true => refusal
                .note(format!("in loops that operators arrange, and that are accessed: {}", list(&unbounded)))
                .help("`inline` a stage before the steps that split or peel its loops"),
            false => refusal
                .note(format!("not linear in the loops inside: {}", list(&unbounded)))
                .help("`simplify` carries out operators between, and `peel` takes guarded borders off: what is left may be linear"),
        };
        return Err(Box::new(refusal.help(format!(
            "or leave `{name}` where it is computed once, or `inline {name}` where a read costs little"
        ))));
    }
    if let Some(around) = outside {
        let place = match around.last() {
            Some(inner) => format!("the other read is in loop `{inner}`"),
            None => "the other read is in no loop".to_owned(),
        };
        return Err(Box::new(
            err!(E0315, span, "`{name}` is also read outside this loop")
                .label("a window inside the loop does not serve those reads")
                .note(place)
                .help("choose a loop that contains every read, or `inline` the producer"),
        ));
    }
    Ok(thm)
}

/// A `let`, inlined: what it binds stands at the places of its name, and nowhere else at this address.
fn apart(cx: &mut Cx<'_>, e: &Expr) -> Kernel<Option<(Thm, Expr)>> {
    let Node::Let(label, bound, body) = &**e else { return Ok(None) };
    let producer: Expr = Arc::new((**bound).clone());
    let apart = Arc::new(Node::Let(label.clone(), producer.clone(), body.clone()));
    Ok(Some((cx.rule(Rule::LetInline, &apart)?, producer)))
}

/// A `let` as a window of what it binds, in its place.
pub(crate) fn in_place(cx: &mut Cx<'_>, e: &Expr) -> Kernel<Thm> {
    let (Node::Let(label, ..), Some((inlined, producer))) = (&**e, apart(cx, e)?) else {
        return Err(Error::Mismatch("a window of a `let`"));
    };
    let (producer, mut unserved) = (Producer::of(&producer, label, &label.name), Unserved::default());
    let windowed = producer.windowed(cx, &inlined.rhs().clone(), &mut unserved)?;
    inlined.trans(windowed.ok_or(Error::Mismatch("a producer without a window"))?)
}

/// Advice where only other stages read a `let`: the loop reads it once these are computed there.
fn consumers_first(session: &Session<'_>, home: &Place) -> Option<String> {
    let loops = readers(&session.body, home);
    let stages: Option<BTreeSet<String>> =
        loops.iter().map(|name| Some(name.split_once('/')?.0.to_owned())).collect();
    let stages: Vec<String> = stages?.into_iter().collect();
    let read = if stages.len() == 1 { "reads" } else { "read" };
    (!stages.is_empty()).then(|| {
        format!(
            "or first compute {} there, which {read} it: of a chain of stages the last one comes first",
            list(&stages)
        )
    })
}

/// What a `let` bound, to be computed where it is read.
struct Producer<'a> {
    term: &'a Expr,
    name: &'a str,
    tag: u32,
    labels: Vec<Label>,
}

/// Why places have no window of a producer.
#[derive(Default)]
struct Unserved {
    windows_missing: bool,
    unbounded: Vec<String>,
    in_access: bool,
}

impl<'a> Producer<'a> {
    /// The producer of a `let` with this label, by this name.
    fn of(term: &'a Expr, label: &Label, name: &'a str) -> Producer<'a> {
        Producer { term, name, tag: label.tag, labels: loop_names(term) }
    }

    /// A window of the producer bound around a term that reads it; nothing, but a reason, where none serves.
    fn windowed(&self, cx: &mut Cx<'_>, e: &Expr, unserved: &mut Unserved) -> Conversion {
        let buffer = Buffer {
            tensor: Tensor::Inlined(self.term),
            name: self.name,
            tag: self.tag,
            labels: self.labels.clone(),
            wanted: None,
            links: &[],
            guards: Guards::Stay,
        };
        let Some((carried, window)) = buffer.narrow_window(cx, e)? else {
            unserved.windows_missing = true;
            return Ok(None);
        };
        let place = carried.as_ref().map_or(e, Thm::rhs).clone();
        if window.constant_size().is_none_or(|size| size > SMALL) {
            unserved.unbounded.extend(window.unbounded_reads(cx, &buffer));
            unserved.in_access |= window.is_whole_for_accesses();
        }
        if !unserved.unbounded.is_empty() {
            return Ok(None);
        }
        let mut shorten = |cx: &mut Cx<'_>, e: &Expr| reads_of(cx, e, self.term);
        let filled = buffer.fill_converted(cx, &place, &window, &mut shorten)?;
        let filled = cx.total(&place, filled)?;
        let filled = cx.then(filled, |cx, e| reads_of(cx, e, self.term))?;
        join(carried, Some(filled))
    }
}

/// The labels of the loops that a term begins with.
fn loop_names(bound: &Expr) -> Vec<Label> {
    let mut names = Vec::new();
    let mut inner = bound;
    while let Node::Gen(label, _, body) = &**inner {
        names.push(label.clone());
        inner = body;
    }
    names
}

/// An occurrence of the tensor outside these loops: the loops around it, outermost first, each with the
/// `let` that it is in.
fn reads_outside(e: &Expr, tensor: Tensor<'_>, loops: &[&[Child]]) -> Option<Vec<String>> {
    type Around = Vec<String>;
    fn walk(
        e: &Expr,
        path: &mut Vec<Child>,
        around: &mut Around,
        within: Option<&str>,
        (tensor, loops): (Tensor<'_>, &[&[Child]]),
    ) -> Option<Around> {
        if tensor.is(e) {
            return Some(around.clone());
        }
        if loops.iter().any(|l| path.starts_with(l)) {
            return None;
        }
        e.children().find_map(|at| {
            let child = e.child(at)?;
            let depth = around.len();
            let within = match (&**e, at) {
                (Node::Let(label, ..), Child::Bound) => Some(&*label.name),
                _ => within,
            };
            if let Node::Gen(label, ..) | Node::Sum(label, ..) = &**e {
                around.push(match within {
                    Some(stage) => format!("{stage}/{}", label.name),
                    None => label.name.to_string(),
                });
            }
            path.push(at);
            let found = walk(child, path, around, within, (tensor, loops));
            path.pop();
            around.truncate(depth);
            found
        })
    }
    walk(e, &mut Vec::new(), &mut Vec::new(), None, (tensor, loops))
}

/// Carry out the accesses to the producer's term.
fn reads_of(cx: &mut Cx<'_>, e: &Expr, bound: &Expr) -> Conversion {
    if heads(e, bound) {
        let mut chain = Chain::of(e);
        loop {
            let now = chain.now().clone();
            match access(cx, &now)? {
                Some(step) => chain.push(step)?,
                None => return Ok(chain.done()),
            }
        }
    }
    let mut chain = Chain::of(e);
    for at in e.children().filter(|at| e.child(*at).is_some_and(|child| holds(child, bound))) {
        chain.apply(cx, |cx, now| cx.child(now, at, |cx, e| reads_of(cx, e, bound)))?;
    }
    Ok(chain.done())
}

/// Does an access to this term stand somewhere in the other?
fn holds(e: &Expr, bound: &Expr) -> bool {
    let below = || e.children().filter_map(|at| e.child(at));
    matches!(&**e, Node::Get(array, _) if array == bound) || below().any(|child| holds(child, bound))
}

/// Is it a chain of accesses to this term?
fn heads(e: &Expr, bound: &Expr) -> bool {
    match &**e {
        Node::Get(array, _) => array == bound || heads(array, bound),
        _ => false,
    }
}
