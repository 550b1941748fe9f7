//! Loops and `let`s of a term, by name.
//!
//! A name survives rewriting because it is the binder's label. One name may stand at several places: at
//! *copies* of a loop, which peeling makes, and then it means all of them; and in the bodies of different
//! `let`s, which `X/L` tells apart: the loops `L` of what `X` binds, and of what steps have put into it. A
//! name that stands in what the names for several values of one pass bind means all of them. Where a
//! program has several results, a name means the loops of all of them, and `X/L` those of the result `X`.

use crate::accesses::is_accessed;
use atl_kernel::subst::{self, Subst};
use atl_kernel::{Child, Expr, Ix, Label, Node, Var};
use atl_rules::common_rounds::share_rounds;
use atl_rules::occurrences::variable;
use std::sync::Arc;

/// What a place holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// A `gen`.
    Gen,
    /// A `sum`.
    Sum,
    /// A `let`.
    Let,
}

/// A binder and where it stands.
#[derive(Clone, Debug)]
pub struct Place {
    /// The way to it from the root.
    pub path: Vec<Child>,
    /// Its label.
    pub label: Label,
    /// What it is.
    pub sort: Sort,
    /// The `let`s in whose bound terms it stands, outermost first.
    pub within: Vec<Arc<str>>,
    /// Which of several results it stands in.
    pub part: Option<Arc<str>>,
}

/// Every binder below `e`, outermost first.
pub fn binders(e: &Expr) -> Vec<Place> {
    binders_that(e, &mut |_, _| true)
}

/// Those of which this is true; a place is as long to write down as it is deep.
fn binders_that(e: &Expr, wanted: Wanted<'_>) -> Vec<Place> {
    let mut found = Vec::new();
    walk(e, &mut Vec::new(), &mut (Vec::new(), None), wanted, &mut found);
    found
}

/// Is a binder with this label one that is looked for?
type Wanted<'w> = &'w mut dyn FnMut(&Label, Sort) -> bool;

/// The `let`s in whose bound terms a place stands, and the result.
type Around = (Vec<Arc<str>>, Option<Arc<str>>);

fn walk(e: &Expr, path: &mut Vec<Child>, around: &mut Around, wanted: Wanted<'_>, found: &mut Vec<Place>) {
    match &**e {
        Node::Var(_) | Node::Lit(..) | Node::Index(..) => return,
        Node::Get(array, _) if matches!(**array, Node::Var(_)) => return,
        _ => {}
    }
    let place = match &**e {
        Node::Gen(l, ..) => Some((l, Sort::Gen)),
        Node::Sum(l, ..) => Some((l, Sort::Sum)),
        Node::Let(l, ..) => Some((l, Sort::Let)),
        _ => None,
    };
    if let Some((label, sort)) = place
        && wanted(label, sort)
    {
        let (within, part) = around.clone();
        found.push(Place { path: path.clone(), label: label.clone(), sort, within, part });
    }
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        let bound = match &**e {
            Node::Let(l, ..) if at == Child::Bound => Some(l.name.clone()),
            Node::Iterate(it) => match at {
                Child::Init(k) | Child::Step(k) => Some(it.states[k as usize].label.name.clone()),
                _ => None,
            },
            _ => None,
        };
        if let (Node::Bundle(labels, _), Child::Arg(k)) = (&**e, at) {
            around.1 = labels.get(k as usize).map(|label| label.name.clone());
        }
        path.push(at);
        around.0.extend(bound.clone());
        walk(child, path, around, wanted, found);
        if bound.is_some() {
            around.0.pop();
        }
        path.pop();
    }
}

/// Why a name was not resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unresolved {
    /// Nothing has this name; these do exist.
    Unknown(Vec<String>),
    /// It stands in the terms of several `let`s.
    Ambiguous(Vec<String>),
}

/// The loops that a name, or `X/L`, means. Without `X/`, a loop of the result goes before one in a `let`.
pub fn resolve_loop(root: &Expr, within: Option<&str>, name: &str) -> Result<Vec<Place>, Unresolved> {
    let inside = |p: &Place| within.is_none_or(|x| p.within.iter().chain(&p.part).any(|w| &**w == x));
    let mut named = binders_that(root, &mut |label, sort| sort != Sort::Let && &*label.name == name);
    named.retain(inside);
    // A loop over the elements of what is accessed is none once the access is carried out; a sum stays.
    let (accessed, own): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|p| p.sort == Sort::Gen && is_accessed(root, &p.path));
    let named = if own.is_empty() { accessed } else { own };
    if named.is_empty() {
        let loops = binders_that(root, &mut |_, sort| sort != Sort::Let);
        return Err(Unresolved::Unknown(sorted(loops.iter().map(with_let))));
    }
    if within.is_some() {
        return Ok(named);
    }
    let shallowest = named.iter().map(|p| p.within.len()).min().unwrap_or(0);
    let (chosen, _): (Vec<_>, Vec<_>) = named.into_iter().partition(|p| p.within.len() == shallowest);
    let is_elsewhere = |p: &Place| p.within.last() != chosen[0].within.last();
    if chosen.iter().any(is_elsewhere) && !are_of_one_pass(root, &chosen) {
        return Err(Unresolved::Ambiguous(sorted(chosen.iter().map(with_let))));
    }
    Ok(chosen)
}

/// Do all stand in what names for several values of one pass bind, which has its rounds in common?
fn are_of_one_pass(root: &Expr, places: &[Place]) -> bool {
    let is_bound = |at: &Child| matches!(at, Child::Bound | Child::Step(_));
    let mut around: Vec<&[Child]> = Vec::new();
    for Place { path, .. } in places {
        let Some(end) = path.iter().rposition(is_bound) else { return false };
        if !around.contains(&&path[..=end]) {
            around.push(&path[..=end]);
        }
    }
    let bounds: Option<Vec<Expr>> = around.into_iter().map(|path| opened_at(root, path)).collect();
    let share = |a: &Expr, b: &Expr| share_rounds(&|_, _| true, a, b);
    bounds.is_some_and(|bounds| bounds.iter().all(|bound| share(&bounds[0], bound)))
}

/// The term at a place. Binders that are around two places are the same context variables for both, and so
/// is a round's number, and the index of a loop in what one `let` binds, and in what the next one does.
pub(crate) fn opened_at(root: &Expr, path: &[Child]) -> Option<Expr> {
    let (mut e, mut level, mut name, mut levels) = (root, APART, NAMES, Vec::new());
    for at in path {
        if matches!(**e, Node::Let(..)) && *at == Child::Body {
            levels.push(name);
            (e, name) = (e.child(*at)?, name + 1);
            continue;
        }
        levels.extend(level..level + e.binds(*at));
        level += e.binds(*at);
        if let (Node::Iterate(it), Child::Step(_), Some(round)) = (&**e, at, levels.last_mut()) {
            // As far above the old states as after the last step, whose new states are all there.
            *round += 2 * it.states.len() as u32 + 1 - e.binds(*at);
            level = *round + 1;
        }
        e = e.child(*at)?;
    }
    // The term is opened once: copies of copies are as large as the program.
    let first = APART - levels.len() as u32;
    let place = Subst {
        index: (first..).zip(&levels).map(|(own, level)| (own, Ix::free(*level))).collect(),
        tensor: (first..).zip(&levels).map(|(own, level)| (own, variable(*level))).collect(),
    };
    Some(place.expr(&subst::open_all(e, first, levels.len() as u32)))
}

/// Variables of no context, for what is only compared.
const APART: u32 = u32::MAX - (1 << 16);

/// The same, for the names of `let`s.
const NAMES: u32 = u32::MAX - (1 << 15);

/// Of the loops that `X/L` means, not those of a `let` that the program itself writes inside of `X`, unless
/// there are no others: what a step has put there, as `stage` does, was in `X` before.
pub(crate) fn but_of_other_lets(found: Vec<Place>, x: &str, program: &Expr) -> Vec<Place> {
    let is_inside = |p: &Place| p.sort == Sort::Let && p.within.iter().any(|w| &**w == x);
    let written: Vec<Place> = binders(program).into_iter().filter(is_inside).collect();
    let is_other = |p: &Place| {
        let between = p.within.iter().rev().take_while(|w| &***w != x);
        between.into_iter().any(|w| written.iter().any(|other| other.label.name == *w))
    };
    let (others, own): (Vec<Place>, Vec<Place>) = found.into_iter().partition(is_other);
    if own.is_empty() { others } else { own }
}

/// Of loops that `X/L` means, those right in what `X` binds, if there are any.
pub(crate) fn directly(found: Vec<Place>, x: Option<&str>) -> Vec<Place> {
    let is_own = |p: &Place| x.is_some_and(|x| p.within.last().is_some_and(|w| &**w == x));
    let (own, others): (Vec<Place>, Vec<Place>) = found.into_iter().partition(is_own);
    if own.is_empty() { others } else { own }
}

/// The `let`s that a name means.
pub fn resolve_let(root: &Expr, name: &str) -> Result<Vec<Place>, Unresolved> {
    let named = binders_that(root, &mut |label, sort| sort == Sort::Let && &*label.name == name);
    if named.is_empty() {
        let lets = binders_that(root, &mut |_, sort| sort == Sort::Let);
        Err(Unresolved::Unknown(sorted(lets.iter().map(|p| p.label.name.to_string()))))
    } else {
        Ok(named)
    }
}

fn with_let(p: &Place) -> String {
    match p.within.last() {
        Some(x) => format!("{x}/{}", p.label.name),
        None => p.label.name.to_string(),
    }
}

/// The shortest name that means this loop: its own, or `X/L`.
pub fn qualified(root: &Expr, place: &Place) -> String {
    match resolve_loop(root, None, &place.label.name) {
        Ok(found) if found.iter().any(|p| p.path == place.path) => place.label.name.to_string(),
        _ => with_let(place),
    }
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<_> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// The innermost loops that the reads of a `let` stand in, by their shortest names.
pub(crate) fn readers(root: &Expr, home: &Place) -> Vec<String> {
    let reads = reads(root, home);
    let loops: Vec<Place> = binders(root).into_iter().filter(|p| p.sort != Sort::Let).collect();
    let innermost =
        |read: &Vec<Child>| loops.iter().rfind(|l| read.len() > l.path.len() && read.starts_with(&l.path));
    sorted(reads.iter().filter_map(innermost).map(|l| qualified(root, l)))
}

/// The paths to the reads of a `let`.
pub(crate) fn reads(root: &Expr, home: &Place) -> Vec<Vec<Child>> {
    reads_of(root, &home.path)
}

/// The same, of the `let` at a place.
pub(crate) fn reads_of(root: &Expr, home: &[Child]) -> Vec<Vec<Child>> {
    let path = [home, &[Child::Body]].concat();
    let mut reads = Vec::new();
    if let Some(body) = subterm(root, &path) {
        uses(body, 0, &mut path.clone(), &mut reads);
    }
    reads
}

/// The paths to the occurrences of a variable, bound this number of binders above `e`.
fn uses(e: &Expr, binder: u32, path: &mut Vec<Child>, found: &mut Vec<Vec<Child>>) {
    if matches!(&**e, Node::Var(Var::Bound(b)) if *b == binder) {
        found.push(path.clone());
    }
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        path.push(at);
        uses(child, binder + e.binds(at), path, found);
        path.pop();
    }
}

/// The term at the end of a path, with bound variables as they stand.
pub fn subterm<'e>(e: &'e Expr, path: &[Child]) -> Option<&'e Expr> {
    path.iter().try_fold(e, |e, at| e.child(*at))
}

/// Is it a loop of a term's own nest, and not of what a `let` in it binds?
pub(crate) fn in_nest(place: &Place) -> bool {
    place.sort != Sort::Let && place.within.is_empty()
}

/// The places that stand inside no other of them: where nests begin.
pub fn outermost(places: impl IntoIterator<Item = Place>) -> Vec<Place> {
    let mut tops: Vec<Place> = Vec::new();
    for place in places {
        if !tops.iter().any(|t| place.path.starts_with(&t.path)) {
            tops.retain(|t| !t.path.starts_with(&place.path));
            tops.push(place);
        }
    }
    tops
}
