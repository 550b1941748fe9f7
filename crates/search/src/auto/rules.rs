//! The scripts that are worth a look, the plainest first.
//!
//! Sums of a few terms are written out, guards are split off where they can fail, and the loop along
//! memory runs in vectors, with what is left of the sums inside: each lane adds in the order written, so
//! every bit stays. Where rows use an operand again, a tile of sums stands in registers. Producers are
//! stored, inlined, or their windows computed.

use crate::plan::{Fate, Plan};
use crate::shape::Shape;
use crate::space::Setting;
use crate::structure::{Nest, Structure, is_name};
use crate::{Judge, Request};
use atl_kernel::{Expr, Ix, Node, Rounding, Var};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};

/// The most terms of a sum, of all of a nest together, that are written out.
const WRITTEN: i64 = 32;

/// The rows and vectors of a tile of sums in registers: as many sums as keep the adders busy, and few
/// copies of the body.
const ROWS: i64 = 4;
const VECTORS: i64 = 2;

/// The rows of the result for which a window is computed.
const WINDOW: i64 = 16;

/// The columns that are added up at once, and what they are called.
const COLUMNS: i64 = 512;
const STRIP: &str = "strip";

/// How a script compares with others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// The function as written: chosen if nothing else is accepted.
    Written,
    /// The first of these that is accepted is chosen, unless a rival beats it.
    Plain,
    /// Chosen if its cost times the margin is less.
    Rival {
        /// How sure the model has to be.
        margin: f64,
    },
}

/// A script.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) what: String,
    pub(super) steps: Vec<String>,
    pub(super) kind: Kind,
}

impl Script {
    pub(super) fn new(what: &str, kind: Kind, steps: Vec<String>) -> Script {
        Script { what: what.to_owned(), steps, kind }
    }
}

/// Scripts for a program of dense arrays.
pub(super) fn scripts(
    request: &Request<'_>,
    source: &Structure,
    lanes: u32,
    judge: &mut dyn Judge,
) -> Vec<Script> {
    let mut found = Vec::new();
    let mut add = |what: &str, kind: Kind, steps: Vec<String>| found.push(Script::new(what, kind, steps));
    let by_rule = |body: &Expr, structure: &Structure| (written_out(body), vectors(body, structure, lanes));
    let (unroll, vector) = by_rule(request.body, source);
    add(
        "vectors, with guards split off",
        Kind::Plain,
        [unroll.clone(), vec!["peel".to_owned()], vector.clone()].concat(),
    );
    add("vectors", Kind::Plain, [unroll.clone(), vector.clone()].concat());
    let windows = windows(source);
    if !windows.is_empty() {
        let steps = [unroll.clone(), windows, vec!["peel".to_owned()], vector.clone()].concat();
        add("producers in windows of some rows, vectors", Kind::Rival { margin: 1.05 }, steps);
    }
    if let Some(columns) = columns(source, lanes) {
        add("a sum along rows, for many columns at once", Kind::Rival { margin: 1.1 }, columns);
    }
    let inline = once_read(request.body, source);
    if !inline.is_empty()
        && let Ok(body) = judge.derive(&inline)
    {
        let structure = Structure::of(&body, request.known());
        let (unroll, vector) = by_rule(&body, &structure);
        let peeled = [inline.clone(), unroll.clone(), vec!["peel".to_owned()], vector.clone()].concat();
        add("producers that are read once inlined, vectors", Kind::Rival { margin: 1.1 }, peeled);
    }
    let fates = vec![Fate::Keep; source.producers.len()];
    let setting = Setting {
        source,
        inlined: source,
        lanes,
        registers: request.machine.registers,
        parallel: false,
        fused: request.rounding == Rounding::Real,
    };
    // What stands in windows of a few terms has vectors enough, and its guards would be copied for each row.
    let is_window = |nest: &Nest| nest.terms.iter().any(|terms| terms.literal().is_some());
    let tiled = |nest: &Nest| nest.reuse.is_some() && !is_window(nest);
    let nests = || source.producers.iter().map(|p| &p.nest).chain([&source.nest]);
    if nests().any(tiled) {
        let plan = tiles(&setting, &fates, (ROWS, VECTORS * i64::from(lanes)));
        add("tiles of sums in registers", Kind::Rival { margin: 1.25 }, plan.steps(source, source));
    }
    found
}

/// Every nest in which rows use an operand again in tiles of sums in registers.
fn tiles(setting: &Setting<'_>, fates: &[Fate], size: (i64, i64)) -> Plan {
    let Setting { source, inlined, lanes, .. } = *setting;
    let mut plan = Plan::plain(fates.to_vec(), source, inlined, Some(lanes));
    plan.parallel = false;
    plan.peel = true;
    plan.unroll = true;
    plan.own_results = true;
    let nests = source.producers.iter().map(|p| inlined.nest_of(&p.name)).chain([&inlined.nest]);
    for (slot, nest) in plan.stored.iter_mut().chain([&mut plan.result]).zip(nests) {
        if let Some(reuse) = nest.reuse.as_ref().filter(|_| nest.terms.iter().all(|n| n.literal().is_none()))
        {
            *slot = Shape::plain(nest).strips(reuse.rows, size);
        }
    }
    plan
}

fn is_written_out(nest: &Nest) -> bool {
    let terms = nest.terms.iter().map(crate::extent::Extent::literal);
    terms.into_iter().try_fold(1_i64, |all, n| n.map(|n| all.saturating_mul(n))).is_some_and(|n| n <= WRITTEN)
}

/// The step that writes out sums of few terms, innermost first; none if there are no such sums.
fn written_out(body: &Expr) -> Vec<String> {
    let all = binders(body);
    let sums = all.iter().filter(|place| place.sort == Sort::Sum);
    let few = sums.filter(|place| {
        // With those inside.
        let inside = all.iter().filter(|p| p.sort == Sort::Sum && p.path.starts_with(&place.path));
        let terms = inside.map(|p| terms(body, p)).try_fold(1_i64, |all, n| Some(all.saturating_mul(n?)));
        terms.is_some_and(|n| n <= WRITTEN)
    });
    let mut names: Vec<String> = Vec::new();
    for place in few.filter(|place| is_name(&place.label.name)) {
        let name = qualified(body, place);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { Vec::new() } else { vec![format!("unroll {}", names.join(", "))] }
}

fn terms(body: &Expr, place: &Place) -> Option<i64> {
    match &**subterm(body, &place.path)? {
        Node::Sum(_, Ix::Lit(n), _) => Some(*n),
        _ => None,
    }
}

/// The steps that run the last loops over cells in vectors: loops in which no other one over cells stands.
pub(super) fn vectors(body: &Expr, structure: &Structure, lanes: u32) -> Vec<String> {
    let all = binders(body);
    let gens = || all.iter().filter(|place| place.sort == Sort::Gen);
    let is_last = |place: &&Place| {
        !gens().any(|other| other.path.len() > place.path.len() && other.path.starts_with(&place.path))
    };
    let mut steps = Vec::new();
    let is_long = |place: &&Place| match subterm(body, &place.path).map(|e| &**e) {
        Some(Node::Gen(_, Ix::Lit(n), _)) => *n >= i64::from(lanes),
        _ => true,
    };
    let last = gens().filter(is_last).filter(is_long);
    for place in last.filter(|place| is_name(&place.label.name)) {
        let step = format!("vectorize {} by {lanes}", qualified(body, place));
        if !steps.contains(&step) && structure.lets.iter().all(|name| is_name(name)) {
            steps.push(step);
        }
    }
    steps
}

/// The steps that compute producers of as many dimensions as the result in windows of some of its rows.
fn windows(source: &Structure) -> Vec<String> {
    let [first, _, ..] = source.nest.gens.as_slice() else { return Vec::new() };
    let near = source.producers.iter().filter(|p| p.outside && p.nest.gens.len() >= source.nest.gens.len());
    let mut steps: Vec<String> = near.map(|p| format!("compute {} at {first}.o", p.name)).collect();
    if !steps.is_empty() {
        steps.insert(0, format!("split {first} by {WINDOW}"));
    }
    steps
}

/// The steps for a vector of sums, each along a column: a strip of them is added up row by row.
fn columns(source: &Structure, lanes: u32) -> Option<Vec<String>> {
    let Nest { gens, sums, reuse: None, .. } = &source.nest else { return None };
    let ([column], [row]) = (gens.as_slice(), sums.as_slice()) else { return None };
    if is_written_out(&source.nest) || source.lets.iter().any(|name| name == STRIP) {
        return None;
    }
    Some(vec![
        format!("split {column} by {COLUMNS}"),
        format!("stage {row} as {STRIP}"),
        format!("store {STRIP} at {column}.o"),
        format!("reorder {STRIP}/{row}, {STRIP}/{column}.i"),
        format!("store {STRIP} in stack"),
        format!("vectorize {STRIP}/{column}.i by {lanes}"),
        format!("vectorize {column}.i by {lanes}"),
    ])
}

/// The steps that inline producers which one place reads, outside of all sums.
fn once_read(body: &Expr, source: &Structure) -> Vec<String> {
    let once =
        source.producers.iter().filter(|p| p.outside && p.nest.sums.is_empty() && reads(body, &p.name) == 1);
    let mut steps: Vec<String> = once.map(|p| format!("inline {}", p.name)).collect();
    if !steps.is_empty() {
        steps.push("simplify".to_owned());
    }
    steps
}

/// How many places read a `let`.
fn reads(body: &Expr, name: &str) -> usize {
    let all = binders(body);
    let lets = all.iter().filter(|place| place.sort == Sort::Let && &*place.label.name == name);
    let inside = lets.filter_map(|place| match &**subterm(body, &place.path)? {
        Node::Let(_, _, inside) => Some(uses(inside, 0)),
        _ => None,
    });
    inside.sum()
}

/// How often a term reads the variable of a binder around it.
fn uses(e: &Expr, depth: u32) -> usize {
    let own = match &**e {
        Node::Var(Var::Bound(k)) => usize::from(*k == depth),
        _ => 0,
    };
    let parts = e.children().into_iter().filter_map(|at| Some((e.child(at)?, e.binds(at))));
    own + parts.map(|(part, more)| uses(part, depth + more)).sum::<usize>()
}
