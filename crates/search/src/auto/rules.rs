//! The scripts that are worth a look, the plainest first.
//!
//! Sums of a few terms are written out, guards are split off where they can fail, and the loop along
//! memory runs in vectors, with what is left of the sums inside: each lane adds in the order written, so
//! every bit stays. Where rows use an operand again, a tile of sums stands in registers. Producers are
//! stored, inlined, or their windows computed. A sum that grows with a loop is a scan.

use super::lanes::Lanes;
use crate::plan::{Fate, Plan};
use crate::reuse::{Names, collect};
use crate::shape::Shape;
use crate::space::Setting;
use crate::structure::{Nest, Producer, Structure, is_name};
use crate::{Judge, Request};
use atl_kernel::{Child, Expr, Ix, IxOp, Node, Rounding, Var};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};
use std::collections::BTreeSet;

/// The most terms of a sum, of all of a nest together, that are written out.
const WRITTEN: i64 = 32;

/// The rows and vectors of a tile of sums in registers: as many sums as keep the adders busy, and few
/// copies of the body.
const ROWS: i64 = 4;
const VECTORS: i64 = 2;

/// The rows of the result for which a window is computed.
const WINDOW: i64 = 16;

/// The most components of a vector whose sums stand side by side, and what they are called.
const COMPONENTS: i64 = 8;
const EACH: &str = "each";

/// What a script is called that splits guards off, where there are any.
pub(super) const SPLIT_OFF: &str = ", with guards split off";

/// The step that allows them to be fused, and what a script is called.
const FUSED: &str = "rounding real";
const IN_LANES: &str = "reductions in lanes";

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
    /// Steps that are worth something together only: where one of them has no effect, all are left out.
    pub(super) together: Vec<Vec<String>>,
}

impl Script {
    pub(super) fn new(what: &str, kind: Kind, steps: Vec<String>) -> Script {
        Script { what: what.to_owned(), steps, kind, together: Vec::new() }
    }
}

/// Scripts for a program of dense arrays.
pub(super) fn scripts(
    request: &Request<'_>,
    source: &Structure,
    lanes: u32,
    judge: &mut dyn Judge,
) -> Vec<Script> {
    let is_real = request.rounding == Rounding::Real;
    let mut found = Vec::new();
    let mut add = |what: &str, kind: Kind, steps: Vec<String>| {
        // Products and sums may be fused.
        let class = (is_real && steps.first().is_none_or(|step| step != FUSED)).then(|| FUSED.to_owned());
        found.push(Script::new(what, kind, class.into_iter().chain(steps).collect()));
    };
    let all = |_: &Place| true;
    let by_rule =
        |body: &Expr, structure: &Structure| (written_out(body), vectors(body, structure, &all, lanes));
    let in_lanes = |body: &Expr, structure: &Structure, before: &[String]| {
        let sums = Lanes::of(body, WRITTEN);
        if !is_real || sums.is_empty() {
            return None;
        }
        let begun = [before, &written_out(body), &["peel".to_owned()]].concat();
        let each = sums.steps(body, request, lanes);
        let together: Vec<Vec<String>> = each.iter().map(|parts| parts.concat()).collect();
        let [make, mark] = [0, 1].map(|k| each.iter().flat_map(|parts| parts[k].clone()).collect());
        let others = vectors(body, structure, &|place| !sums.are_in(place), lanes);
        let steps = [begun, make, others, mark].concat();
        Some((steps, together))
    };
    let (unroll, vector) = by_rule(request.body, source);
    add(
        &format!("vectors{SPLIT_OFF}"),
        Kind::Plain,
        [unroll.clone(), vec!["peel".to_owned()], vector.clone()].concat(),
    );
    add("vectors", Kind::Plain, [unroll.clone(), vector.clone()].concat());
    let (scans, growing) = scans(request.body);
    if !scans.is_empty() {
        let is_free = |place: &Place| !growing.iter().any(|sum| sum.starts_with(&place.path));
        let vector = vectors(request.body, source, &is_free, lanes);
        add("sums that grow in one loop", Kind::Rival { margin: 1.05 }, [scans, vector].concat());
    }
    let (reductions, mut groups) = in_lanes(request.body, source, &[]).unzip();
    if let Some(steps) = reductions {
        add(IN_LANES, Kind::Rival { margin: 1.05 }, steps);
    }
    let windows = windows(request.body, request.names, source);
    if !windows.is_empty() {
        let steps = [unroll.clone(), windows, vec!["peel".to_owned()], vector.clone()].concat();
        add("producers in windows of some rows, vectors", Kind::Rival { margin: 1.05 }, steps);
    }
    if let Some(columns) = columns(source, lanes) {
        add("a sum along rows, for many columns at once", Kind::Rival { margin: 1.1 }, columns);
    }
    if let Some(steps) = components(source) {
        let steps = [unroll.clone(), steps].concat();
        add("a few components side by side in registers", Kind::Rival { margin: 1.05 }, steps);
    }
    let inline = once_read(request.body, request.names, source);
    if !inline.is_empty()
        && let Ok(body) = judge.derive(&inline)
    {
        let structure = Structure::of(&body, request.known());
        let (unroll, vector) = by_rule(&body, &structure);
        let peeled = [inline.clone(), unroll.clone(), vec!["peel".to_owned()], vector.clone()].concat();
        add("producers inlined, vectors", Kind::Rival { margin: 1.1 }, peeled);
        let windows = self::windows(&body, request.names, &structure);
        if !windows.is_empty() {
            let steps = [inline.clone(), unroll, windows, vec!["peel".to_owned()], vector].concat();
            add("producers inlined, others in windows of some rows", Kind::Rival { margin: 1.1 }, steps);
        }
        if let Some((steps, more)) = in_lanes(&body, &structure, &inline) {
            groups.get_or_insert_default().extend(more);
            add("producers inlined, reductions in lanes", Kind::Rival { margin: 1.05 }, steps);
        }
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
    let groups: Vec<Vec<String>> = groups.unwrap_or_default();
    for script in &mut found {
        let is_in = |group: &&Vec<String>| group.iter().all(|step| script.steps.contains(step));
        script.together = groups.iter().filter(is_in).cloned().collect();
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

pub(super) fn terms(body: &Expr, place: &Place) -> Option<i64> {
    match &**subterm(body, &place.path)? {
        Node::Sum(_, Ix::Lit(n), _) => Some(*n),
        _ => None,
    }
}

/// The steps that run the last loops over cells in vectors: loops in which no other one over cells stands.
/// Those that are not free stay.
pub(super) fn vectors(
    body: &Expr,
    structure: &Structure,
    is_free: &dyn Fn(&Place) -> bool,
    lanes: u32,
) -> Vec<String> {
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
    let last = gens().filter(is_last).filter(is_long).filter(|place| is_free(place));
    for place in last.filter(|place| is_name(&place.label.name)) {
        let step = format!("vectorize {} by {lanes}", qualified(body, place));
        if !steps.contains(&step) && structure.lets.iter().all(|name| is_name(name)) {
            steps.push(step);
        }
    }
    steps
}

/// The steps that compute producers in windows of some of the result's rows, or in one row where each reads
/// only its own: the rows are those of the first loop that all reads of producers follow, which goes
/// outermost.
fn windows(body: &Expr, names: &Names, source: &Structure) -> Vec<String> {
    let gens = &source.nest.gens;
    let near = source.producers.iter().filter(|p| p.outside && p.nest.gens.len() >= 2);
    let near: Vec<&String> = near.map(|p| &p.name).collect();
    let mut reads = Vec::new();
    if gens.len() < 2 || near.is_empty() || collect(body, &mut Vec::new(), names, &mut reads).is_none() {
        return Vec::new();
    }
    reads.retain(|read| near.contains(&&read.of) && gens.iter().any(|name| read.follows(name)));
    let Some(first) = gens.iter().find(|name| reads.iter().all(|read| read.follows(name))) else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    if *first != gens[0] {
        let others = gens.iter().filter(|name| *name != first).map(String::as_str);
        steps.push(format!("reorder {first}, {}", others.collect::<Vec<_>>().join(", ")));
    }
    let at = match reads.iter().all(|read| read.exact) {
        true => first.clone(),
        false => {
            steps.push(format!("split {first} by {WINDOW}"));
            format!("{first}.o")
        }
    };
    steps.extend(near.iter().map(|name| format!("compute {name} at {at}")));
    steps
}

/// The steps for a vector of sums, each along a column: they are added up row by row, as memory has them.
fn columns(source: &Structure, lanes: u32) -> Option<Vec<String>> {
    let Nest { gens, sums, reuse: None, epilogue: false, .. } = &source.nest else { return None };
    let ([column], [row]) = (gens.as_slice(), sums.as_slice()) else { return None };
    let steps = [format!("reorder {row}, {column}"), format!("vectorize {column} by {lanes}")];
    (!is_written_out(&source.nest)).then(|| steps.to_vec())
}

/// The steps for sums that have a few components, as of vectors in space: each term of the sum is computed
/// for all of them, which have most of it in common.
fn components(source: &Structure) -> Option<Vec<String>> {
    let Nest { gens, sums, counts, .. } = &source.nest;
    let [around @ .., last] = gens.as_slice() else { return None };
    let few = counts.last()?.literal().is_some_and(|n| (2..=COMPONENTS).contains(&n));
    if !few || sums.is_empty() || is_written_out(&source.nest) || source.lets.iter().any(|name| name == EACH)
    {
        return None;
    }
    let place = around.last().map_or("root", String::as_str);
    let order: Vec<String> = sums.iter().chain([last]).map(|name| format!("{EACH}/{name}")).collect();
    Some(vec![
        format!("stage {} as {EACH}", sums[0]),
        format!("store {EACH} at {place}"),
        format!("reorder {}", order.join(", ")),
        format!("store {EACH} in register"),
        format!("unroll {EACH}/{last}, {last}"),
    ])
}

/// The steps that inline producers which one place reads: those without sums, and those of which each
/// result reads a cell of its own.
fn once_read(body: &Expr, names: &Names, source: &Structure) -> Vec<String> {
    let mut all = Vec::new();
    let known = collect(body, &mut Vec::new(), names, &mut all).is_some();
    // A cell of the result that reads one cell adds up what that cell would.
    let gens: BTreeSet<&String> = source.nest.gens.iter().collect();
    let own_cell = |p: &Producer| {
        let mut own = all.iter().filter(|read| read.of == p.name);
        known && own.all(|read| read.exact && read.loops().is_subset(&gens))
    };
    let once = source
        .producers
        .iter()
        .filter(|p| p.outside && (p.nest.sums.is_empty() || own_cell(p)) && reads(body, &p.name) == 1);
    let mut steps: Vec<String> = once.map(|p| format!("inline {}", p.name)).collect();
    if !steps.is_empty() {
        steps.push("simplify".to_owned());
    }
    steps
}

/// The steps that compute sums which grow with a loop as one sum, and where these sums are.
fn scans(body: &Expr) -> (Vec<String>, Vec<Vec<Child>>) {
    let all = binders(body);
    let (mut steps, mut growing) = (Vec::new(), Vec::new());
    for sum in all.iter().filter(|place| place.sort == Sort::Sum) {
        let Some(Node::Sum(_, extent, _)) = subterm(body, &sum.path).map(|e| &**e) else { continue };
        // How many binders stand between the sum and the loop that it grows with.
        let index = match extent {
            Ix::Bin(IxOp::Add, ab) if ab.1 == Ix::ONE => &ab.0,
            index => index,
        };
        let Ix::Var(Var::Bound(k)) = index else { continue };
        let around = all.iter().filter(|p| {
            sum.path.len() > p.path.len()
                && sum.path.starts_with(&p.path)
                && (p.sort != Sort::Let || sum.path[p.path.len()] == Child::Body)
        });
        let around: Vec<&Place> = around.collect();
        let at = around.len().checked_sub(*k as usize + 1).and_then(|at| around.get(at));
        let Some(at) = at.filter(|p| p.sort == Sort::Gen && is_name(&p.label.name)) else { continue };
        let step = format!("scan {}", qualified(body, at));
        growing.push(sum.path.clone());
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    (steps, growing)
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
