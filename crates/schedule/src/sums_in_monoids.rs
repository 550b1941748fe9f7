//! Sums in the program's monoids by name: what directives on sums do with rounds that add terms to several
//! states.
//!
//! The one idea: a monoid that claims its laws allows its sums to be regrouped. So the rounds that such a sum is
//! have blocks and partial sums, like the sums of an algebra.

use crate::names::unused_name;
use crate::nest::opened_at;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::sums_together::each_together;
use atl_diag::{Span, err};
use atl_kernel::{Child, Expr, Ix, Label, Laws, Monoid, Node, Thm};
use atl_rules::Cx;
use atl_rules::monoids::{Fold, Nested, Parts, blocks, partial};
use std::sync::Arc;

/// The monoid, of those that the program declares, in which each of these iterations is a sum.
pub(crate) fn monoid_of(session: &Session<'_>, places: &[Vec<Child>]) -> Option<Arc<Monoid>> {
    let terms: Option<Vec<Expr>> = places.iter().map(|path| opened_at(&session.body, path)).collect();
    let terms = terms.filter(|terms| !terms.is_empty())?;
    let is_sum = |monoid: &&Arc<Monoid>| terms.iter().all(|e| Fold::of(monoid, e).is_some());
    session.monoids().iter().find(is_sum).cloned()
}

/// Blocks of `k` terms at each of these sums.
pub(crate) fn in_blocks(
    session: &mut Session<'_>,
    span: Span,
    places: &[Vec<Child>],
    monoid: &Arc<Monoid>,
    k: &Ix,
) -> Result<Thm, Refusal> {
    demand(monoid, Laws::ADD_ASSOC.and(Laws::ADD_0_R), span)?;
    each_together(session, span, places, Some(monoid), &mut |cx, e| match Fold::of(monoid, e) {
        Some(fold) => blocks(cx, e, &fold, k),
        None => cx.refl(e),
    })
}

/// The sums of sums one of whose indices is this one, and of which parts it then is: the way to each, the
/// outermost last.
pub(crate) fn nested_at(session: &Session<'_>, name: &str) -> Option<(Arc<Monoid>, Parts, Vec<Vec<Child>>)> {
    let mut places = Vec::new();
    if !session.monoids().is_empty() {
        iterations(&session.body, &mut Vec::new(), &mut places);
    }
    let is = |label: &Label| &*label.name == name;
    session.monoids().iter().find_map(|monoid| {
        let parts = |way: &Vec<Child>| {
            let [outer, inner] = Nested::of(monoid, &opened_at(&session.body, way)?)?.labels()?;
            if is(&outer) { Some(Parts::Blocks) } else { is(&inner).then_some(Parts::Places) }
        };
        let found: Vec<_> = places.iter().filter_map(|way| Some((parts(way)?, way))).collect();
        let (first, _) = *found.first()?;
        let places = found.into_iter().filter(|(other, _)| *other == first);
        Some((monoid.clone(), first, places.map(|(_, way)| way.clone()).collect()))
    })
}

/// The ways to all iterations, those inside of one before it.
fn iterations(e: &Expr, way: &mut Vec<Child>, found: &mut Vec<Vec<Child>>) {
    for at in e.children() {
        let Some(child) = e.child(at) else { continue };
        way.push(at);
        iterations(child, way, found);
        way.pop();
    }
    if matches!(&**e, Node::Iterate(_)) {
        found.push(way.clone());
    }
}

/// Partial sums at each of these places, in tensors of this name and the fields'.
pub(crate) fn partial_sums(
    session: &mut Session<'_>,
    span: Span,
    (monoid, parts, places): &(Arc<Monoid>, Parts, Vec<Vec<Child>>),
    name: &str,
) -> Result<Thm, Refusal> {
    if *parts == Parts::Places {
        demand(monoid, Laws::ADD_COMM_MONOID.minus(Laws::ADD_0_L), span)?;
    }
    let fields = places.first().and_then(|path| opened_at(&session.body, path));
    let fields = fields.and_then(|e| Fold::of(monoid, &e)).map_or(Vec::new(), |fold| fold.names);
    let named = |label: &Label| {
        let field = label.name.split_once('_').map_or(&*label.name, |(_, field)| field);
        Label::new(&unused_name(session, &format!("{name}_{field}")))
    };
    let names: Vec<Label> = fields.iter().map(named).collect();
    each_together(
        session,
        span,
        places,
        Some(monoid),
        &mut |cx: &mut Cx<'_>, e| match Nested::of(monoid, e) {
            Some(nested) => partial(cx, e, &nested, *parts, &names),
            None => cx.refl(e),
        },
    )
}

/// Refuse what the monoid does not claim.
fn demand(monoid: &Monoid, laws: Laws, span: Span) -> Result<(), Refusal> {
    let missing = laws.minus(monoid.laws());
    if missing.is_empty() {
        return Ok(());
    }
    let (word, what) = match missing.has(Laws::ADD_ASSOC) {
        true => ("associative", "its sums may be grouped otherwise"),
        false => ("commutative", "its terms may be added in another order"),
    };
    Err(Box::new(
        err!(E0378, span, "`{}` does not claim that {what}", monoid.name())
            .label("this step uses it")
            .note(format!(
                "the law is `{missing}`; nothing is used that is not claimed, and every claim is checked"
            ))
            .help(where_claimed(monoid.name(), word)),
    ))
}

/// What to do about a law that the monoid of this name does not claim.
fn where_claimed(name: &str, law: &str) -> String {
    if name.starts_with("std.") {
        return format!(
            "`atl explain std.monoids` prints the library's monoids with their laws: choose one that is {law}"
        );
    }
    // A semiring's product is a monoid, of which the semiring says the laws.
    let (what, name) = name.strip_suffix(".mul").map_or(("monoid", name), |semiring| ("semiring", semiring));
    format!("if it holds, declare it: `{what} {name} .. {{ .. laws {law}; }}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_is_claimed_where_the_operation_is_declared() {
        let declared = |name| where_claimed(name, "commutative");
        assert!(declared("least").ends_with("`monoid least .. { .. laws commutative; }`"));
        assert!(declared("dual.mul").ends_with("`semiring dual .. { .. laws commutative; }`"));
        assert!(declared("std.monoids.affine").contains("the library's"));
        assert!(declared("std.monoids.matrix.mul").contains("the library's"));
    }
}
