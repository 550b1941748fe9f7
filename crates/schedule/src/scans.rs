//! Scans by name: what `split` and `rfactor` do with rounds that store a value each.
//!
//! The one idea: where what a block of rounds does to the states is known before they are, blocks follow
//! one another by that alone, and the rounds of a block are a scan of their own.

use crate::nest::opened_at;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::sums_in_monoids::{by_claims, demand_groups};
use atl_diag::{Span, err};
use atl_kernel::{Child, Error, Expr, Ix, Node, Thm};
use atl_rules::Cx;
use atl_rules::scans::{
    Scan, Unknown, is_known, is_known_of_states, monoid_of, rounds_in_blocks, scan_from_starts,
    scan_in_blocks,
};

/// Blocks of `k` rounds at each of these iterations, if all of them are scans.
pub(crate) fn in_blocks(
    session: &mut Session<'_>,
    span: Span,
    places: &[Vec<Child>],
    k: &Ix,
) -> Option<Result<Thm, Refusal>> {
    let Some(scans) = scans_at(session, places) else { return states_in_blocks(session, span, places, k) };
    if !scans.iter().all(Scan::has_states) {
        return None;
    }
    let monoids = by_claims(session);
    if let Some((state, why)) = scans.iter().find_map(|scan| atl_rules::scans::unknown(scan, &monoids)) {
        return Some(Err(unknown(span, &state.name, why)));
    }
    let used = scans.iter().filter_map(|scan| monoid_of(scan, &monoids));
    if let Err(refused) = used.into_iter().try_for_each(|monoid| demand_groups(monoid, span)) {
        return Some(Err(refused));
    }
    Some(each_scan(session, span, places, &mut |cx, e, scan| scan_in_blocks(cx, e, scan, &monoids, k)))
}

/// Blocks of `k` rounds at each of these iterations, if all of them make several states, and it is known what
/// a block does to these.
fn states_in_blocks(
    session: &mut Session<'_>,
    span: Span,
    places: &[Vec<Child>],
    k: &Ix,
) -> Option<Result<Thm, Refusal>> {
    // Sums in the program's monoids are split elsewhere.
    let is_known = |path: &Vec<Child>| {
        let (scan, _) = Scan::without_cells(&opened_at(&session.body, path)?)?;
        Some(scan.has_several_states() && is_known_of_states(&scan, &[]))
    };
    if places.is_empty() || !places.iter().all(|path| is_known(path).unwrap_or(false)) {
        return None;
    }
    let paths: Vec<&[Child]> = places.iter().map(Vec::as_slice).collect();
    Some(session.convert_at(span, &paths, &mut |cx: &mut Cx<'_>, e| rounds_in_blocks(cx, e, &[], k)))
}

/// The scans that these iterations are, if there are some and all are scans.
fn scans_at(session: &Session<'_>, places: &[Vec<Child>]) -> Option<Vec<Scan>> {
    let scan = |path: &Vec<Child>| opened_at(&session.body, path).and_then(|e| Scan::of(&e));
    places.iter().map(scan).collect::<Option<Vec<_>>>().filter(|scans| !scans.is_empty())
}

/// How these rounds, which have this name, run at the same time: a step that a user may type.
pub(crate) fn at_the_same_time(session: &Session<'_>, name: &str, places: &[Vec<Child>]) -> String {
    let monoids = session.monoids();
    let of_scan =
        scans_at(session, places).is_some_and(|scans| scans.iter().all(|scan| is_known(scan, monoids)));
    let loops = places.iter().find_map(|path| loop_in_rounds(&opened_at(&session.body, path)?));
    match loops {
        _ if of_scan => format!(
            "`split {name} by 4096; rfactor {name}.o; parallel {name}.o` runs blocks of rounds side by side; of floats it needs `rounding real`"
        ),
        Some((state, index)) => format!(
            "name a loop in the rounds: `{state}/{index}` of the state `{state}`; `split` and `unroll` take rounds, too"
        ),
        None => format!(
            "`unroll {name} by 4` writes rounds out; `batch L` takes the iterations of a loop `L` around them into each round"
        ),
    }
}

/// A state that each round makes by a loop, and the index of the loop.
fn loop_in_rounds(e: &Expr) -> Option<(String, String)> {
    let Node::Iterate(it) = &**e else { return None };
    // What a scan stores is made by no loop.
    let count = it.states.len() - usize::from(Scan::of(e).is_some());
    it.states[..count].iter().find_map(|state| match &*state.step {
        Node::Gen(index, ..) => Some((state.label.name.to_string(), index.name.to_string())),
        _ => None,
    })
}

/// Why a scan stays in one piece.
fn unknown(span: Span, state: &str, why: Unknown) -> Refusal {
    let refused = err!(E0378, span, "what a block of these rounds does to `{state}` is not known before it begins")
        .label("the blocks cannot be computed apart")
        .note("each new state must be a sum of multiples of states, and of a term that reads none: `s + x[t]`, or `0.5 * s + x[t]`; or each the state itself and a term, `max(s, x[t])`; or all a sum in a `monoid` of the program");
    Box::new(match why {
        Unknown::Negation => refused.help("write `-1 * y` for `-y`: no rule is about the other sign"),
        Unknown::Quotient => {
            refused.help("write a product with the inverse, `0.5 * s` for `s / 2`: no rule is about quotients")
        }
        Unknown::Extremum => refused.help(
            "`max(s, x[t])` is known of a state itself and a term; a state that is a sum of multiples needs a `scan` of its own, whose value is bound before: `let m = scan .. give m;`",
        ),
        Unknown::Other => refused.help("`batch` runs many scans side by side, whatever their steps are"),
    })
}

/// The rounds of each of these iterations side by side, if all of them are scans; what is bound of sums and
/// rounds has this name.
pub(crate) fn side_by_side(
    session: &mut Session<'_>,
    span: Span,
    places: &[Vec<Child>],
    name: &str,
) -> Option<Result<Thm, Refusal>> {
    scans_at(session, places)?;
    Some(each_scan(session, span, places, &mut |cx, e, scan| scan_from_starts(cx, e, scan, name)))
}

/// Converts the scan at each of these places.
fn each_scan(
    session: &mut Session<'_>,
    span: Span,
    places: &[Vec<Child>],
    convert: &mut dyn FnMut(&mut Cx<'_>, &Expr, &Scan) -> Result<Thm, Error>,
) -> Result<Thm, Refusal> {
    let paths: Vec<&[Child]> = places.iter().map(Vec::as_slice).collect();
    session.convert_at(span, &paths, &mut |cx: &mut Cx<'_>, e| match Scan::of(e) {
        Some(scan) => convert(cx, e, &scan),
        None => cx.refl(e),
    })
}
