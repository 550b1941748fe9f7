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

/// The monoids that the program declares. Of some with the same formulas, what claims more comes first.
pub(crate) fn by_claims(session: &Session<'_>) -> Vec<Arc<Monoid>> {
    let mut monoids = session.monoids().to_vec();
    monoids.sort_by_key(|monoid| [Laws::ADD_ASSOC, Laws::ADD_COMM].map(|law| !monoid.laws().has(law)));
    monoids
}

/// The monoids, of those that the program declares, in which these iterations are sums, each in one.
pub(crate) fn monoids_of(session: &Session<'_>, places: &[Vec<Child>]) -> Option<Vec<Arc<Monoid>>> {
    let declared = by_claims(session);
    let mut found = Vec::new();
    for path in places {
        let e = opened_at(&session.body, path)?;
        insert(&mut found, declared.iter().find(|monoid| Fold::of(monoid, &e).is_some())?);
    }
    (!found.is_empty()).then_some(found)
}

fn insert(monoids: &mut Vec<Arc<Monoid>>, monoid: &Arc<Monoid>) {
    if !monoids.contains(monoid) {
        monoids.push(monoid.clone());
    }
}

/// Blocks of `k` terms at each of these sums, which are in these monoids.
pub(crate) fn in_blocks(
    session: &mut Session<'_>,
    span: Span,
    places: &[Vec<Child>],
    monoids: &[Arc<Monoid>],
    k: &Ix,
) -> Result<Thm, Refusal> {
    monoids.iter().try_for_each(|monoid| demand_groups(monoid, span))?;
    each_together(session, span, places, only(monoids), &mut |cx, e| match monoids
        .iter()
        .find_map(|monoid| Fold::of(monoid, e))
    {
        Some(fold) => blocks(cx, e, &fold, k),
        None => cx.refl(e),
    })
}

/// Refuse a monoid that does not claim that sums may be grouped otherwise, from nothing.
pub(crate) fn demand_groups(monoid: &Monoid, span: Span) -> Result<(), Refusal> {
    demand(monoid, Laws::ADD_ASSOC.and(Laws::ADD_0_R), span)
}

/// The one of these, if it is alone.
fn only(monoids: &[Arc<Monoid>]) -> Option<&Arc<Monoid>> {
    if let [monoid] = monoids { Some(monoid) } else { None }
}

/// Sums of sums.
pub(crate) struct SumsOfSums {
    /// In these monoids.
    monoids: Vec<Arc<Monoid>>,
    /// Which parts of them an index names.
    parts: Parts,
    /// The way to each, the outermost last.
    places: Vec<Vec<Child>>,
}

/// The sums of sums one of whose indices is this one, and of which parts it then is.
pub(crate) fn nested_at(session: &Session<'_>, name: &str) -> Option<SumsOfSums> {
    let (declared, mut ways) = (by_claims(session), Vec::new());
    if !declared.is_empty() {
        iterations(&session.body, &mut Vec::new(), &mut ways);
    }
    let is = |label: &Label| &*label.name == name;
    let parts = |monoid: &Arc<Monoid>, e: &Expr| {
        let [outer, inner] = Nested::of(monoid, e)?.labels()?;
        if is(&outer) { Some(Parts::Blocks) } else { is(&inner).then_some(Parts::Places) }
    };
    let mut found: Option<SumsOfSums> = None;
    for way in ways {
        let Some(e) = opened_at(&session.body, &way) else { continue };
        let sum = declared.iter().find_map(|monoid| Some((monoid, parts(monoid, &e)?)));
        let Some((monoid, parts)) = sum else { continue };
        let sums = found.get_or_insert(SumsOfSums { monoids: Vec::new(), parts, places: Vec::new() });
        if parts == sums.parts {
            insert(&mut sums.monoids, monoid);
            sums.places.push(way);
        }
    }
    found
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
    SumsOfSums { monoids, parts, places }: &SumsOfSums,
    name: &str,
) -> Result<Thm, Refusal> {
    if *parts == Parts::Places {
        let laws = Laws::ADD_COMM_MONOID.minus(Laws::ADD_0_L);
        monoids.iter().try_for_each(|monoid| demand(monoid, laws, span))?;
    }
    let named = |label: &Label| {
        let field = label.name.split_once('_').map_or(&*label.name, |(_, field)| field);
        Label::new(&unused_name(session, &format!("{name}_{field}")))
    };
    let names = |monoid: &Arc<Monoid>| -> Vec<Label> {
        let sums = places.iter().filter_map(|path| opened_at(&session.body, path));
        let fields = sums.filter_map(|e| Fold::of(monoid, &e)).next().map_or(Vec::new(), |fold| fold.names);
        fields.iter().map(named).collect()
    };
    let names: Vec<Vec<Label>> = monoids.iter().map(names).collect();
    each_together(session, span, places, only(monoids), &mut |cx: &mut Cx<'_>, e| {
        let nested = |(monoid, names)| Some((Nested::of(monoid, e)?, names));
        match monoids.iter().zip(&names).find_map(nested) {
            Some((nested, names)) => partial(cx, e, &nested, *parts, names),
            None => cx.refl(e),
        }
    })
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
