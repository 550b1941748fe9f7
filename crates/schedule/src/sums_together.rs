//! Rounds that stand side by side: the fields of one sum in a monoid, each of which has the rounds of all.
//!
//! The one idea: what is proved of rounds is known of all states. So the fields of one
//! sum are converted in one context, where what is proved of the first is known of all: as terms of one
//! index, and not in the midst of rounds; and as what `let`s bind, and not each below those before it.

use crate::nest::{opened_at, reads_of};
use crate::refusal::Refusal;
use crate::session::Session;
use atl_diag::Span;
use atl_kernel::{Child, Expr, Monoid, Node, Result as Kernel, Thm};
use atl_rules::Cx;
use atl_rules::lets::in_bounds;
use atl_rules::monoids::{Fold, in_terms};
use std::sync::Arc;

/// A conversion of a sum.
type Convert<'c> = &'c mut dyn FnMut(&mut Cx<'_>, &Expr) -> Kernel<Thm>;

/// What the fields of a sum are.
#[derive(Clone, PartialEq, Eq)]
enum Fields {
    /// The terms of a sum.
    Terms,
    /// Stand at this place in what each of a number of `let`s binds.
    Bounds(usize, Vec<Child>),
}

/// Convert these sums in this monoid, or, if it is none, what stands at these places.
pub(crate) fn each_together(
    session: &mut Session<'_>,
    span: Span,
    places: &[Vec<Child>],
    monoid: Option<&Arc<Monoid>>,
    convert: Convert<'_>,
) -> Result<Thm, Refusal> {
    let (mut sites, mut way) = (places.to_vec(), Vec::new());
    while let Some((around, fields)) = around(&session.body, &sites, monoid) {
        sites = around;
        way.push(fields);
    }
    let mut at = |places: &[Vec<Child>], way: &[Fields]| {
        let paths: Vec<&[Child]> = places.iter().map(Vec::as_slice).collect();
        session.convert_at(span, &paths, &mut |cx, e| each_field(cx, e, monoid, way, convert))
    };
    let together = at(&sites, &way);
    // What needs what is around it, each in its place.
    if way.is_empty() { together } else { together.or_else(|_| at(places, &[])) }
}

/// Convert the fields of the fields, and so on; the last of these ways is the outermost.
fn each_field(
    cx: &mut Cx<'_>,
    e: &Expr,
    monoid: Option<&Arc<Monoid>>,
    way: &[Fields],
    convert: Convert<'_>,
) -> Kernel<Thm> {
    let Some((outermost, way)) = way.split_last() else { return convert(cx, e) };
    match outermost {
        Fields::Terms => match monoid.and_then(|monoid| Fold::of(monoid, e)) {
            Some(fold) => in_terms(cx, e, &fold, &mut |cx, e| each_field(cx, e, monoid, way, convert)),
            None => cx.refl(e),
        },
        Fields::Bounds(count, place) => in_bounds(cx, e, *count, &mut |cx, e| {
            cx.converted(e, |cx, e| cx.at(e, place, &mut |cx, e| each_field(cx, e, monoid, way, convert)))
        }),
    }
}

/// The places of which these are all the fields, and as what.
fn around(
    body: &Expr,
    places: &[Vec<Child>],
    monoid: Option<&Arc<Monoid>>,
) -> Option<(Vec<Vec<Child>>, Fields)> {
    let sums = monoid.and_then(|monoid| sums_around(body, places, monoid));
    sums.map(|sums| (sums, Fields::Terms)).or_else(|| lets_around(body, places))
}

/// The sums of which these places are all the terms.
fn sums_around(body: &Expr, places: &[Vec<Child>], monoid: &Arc<Monoid>) -> Option<Vec<Vec<Child>>> {
    let fields = monoid.fields().len();
    let mut around: Vec<Vec<Child>> = Vec::new();
    for place in places {
        let (Child::Step(k), above) = place.split_last()? else { return None };
        if *k as usize >= fields {
            return None;
        }
        if !around.iter().any(|sum| sum == above) {
            around.push(above.to_vec());
        }
    }
    let is_sum = |path: &Vec<Child>| {
        let e = opened_at(body, path);
        let sum = e.and_then(|e| Fold::of(monoid, &e).map(|fold| (e, fold)));
        sum.is_some_and(
            |(e, fold)| matches!(&*e, Node::Iterate(it) if e == fold.sum(&it.extent, it.body.clone())),
        )
    };
    (around.len() * fields == places.len() && around.iter().all(is_sum)).then_some(around)
}

/// The first of the `let`s, as many in a row each time, which bind these; none reads another, and each is
/// read once.
fn lets_around(body: &Expr, places: &[Vec<Child>]) -> Option<(Vec<Vec<Child>>, Fields)> {
    let bound = |place: &Vec<Child>| {
        let at = place.iter().rposition(|at| *at == Child::Bound)?;
        Some((place[..at].to_vec(), place[at + 1..].to_vec()))
    };
    let mut left: Vec<(Vec<Child>, Vec<Child>)> = places.iter().map(bound).collect::<Option<_>>()?;
    let inside = left.first()?.1.clone();
    if left.iter().any(|(_, other)| *other != inside) {
        return None;
    }
    let (mut around, mut counts) = (Vec::new(), Vec::new());
    while let Some((first, _)) = left.iter().min_by_key(|(home, _)| home.len()).cloned() {
        let mut homes = vec![first.clone()];
        while let Some(at) = left.iter().position(|(other, _)| Some(other) == homes.last()) {
            left.swap_remove(at);
            homes.push([homes[homes.len() - 1].as_slice(), &[Child::Body]].concat());
        }
        homes.pop();
        let bounds: Vec<Vec<Child>> =
            homes.iter().map(|home| [&home[..], &[Child::Bound]].concat()).collect();
        for home in &homes {
            let [read] = &reads_of(body, home)[..] else { return None };
            if bounds.iter().any(|bound| read.starts_with(bound)) {
                return None;
            }
        }
        around.push(first);
        counts.push(homes.len());
    }
    let (first, others) = counts.split_first()?;
    let alike = *first > 1 && others.iter().all(|count| count == first);
    alike.then_some((around, Fields::Bounds(*first, inside)))
}
