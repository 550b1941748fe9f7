//! What becomes of producers: windows of some rows, or inlined.
//!
//! **The one idea.** A producer that is stored whole passes through the caches twice. Where a row of the
//! result reads few rows of it, these are computed in a block of the result's loop; and what costs little is
//! computed again.

use crate::reuse::{Names, Read, binder, collect};
use crate::structure::{Producer, Structure, scope};
use atl_kernel::{Expr, Node, Prim, Var};
use atl_schedule::nest::{Sort, binders, subterm};
use std::collections::BTreeSet;

/// The rows of the result for which a window is computed.
const WINDOW: i64 = 16;

/// How large the parts of a term may be that take the place of reads, all together.
const REPEATED: usize = 400;

/// How a window of producers moves along the result's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Windows {
    /// It is computed for a block of rows.
    Blocks,
    /// The rows that the next one reads too are kept.
    Carried,
}

/// The steps that compute producers in windows of some of the result's rows, or in one row where each reads
/// only its own: the rows are those of the first loop that all reads of producers follow, which goes
/// outermost.
pub(super) fn windows(body: &Expr, names: &Names, source: &Structure, kind: Windows) -> Vec<String> {
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
    let at = match (reads.iter().all(|read| read.is_exact_in(first)), kind) {
        (true, Windows::Carried) => return Vec::new(),
        (true, Windows::Blocks) | (false, Windows::Carried) => first.clone(),
        (false, Windows::Blocks) => {
            steps.push(format!("split {first} by {WINDOW}"));
            format!("{first}.o")
        }
    };
    steps.extend(near.iter().map(|name| format!("compute {name} at {at}")));
    if kind == Windows::Carried {
        let is_wide =
            |name: &&&String| reads.iter().any(|read| read.of == ***name && !read.is_exact_in(first));
        steps.extend(near.iter().filter(is_wide).map(|name| format!("carry {name} along {at}")));
    }
    steps
}

/// The steps that inline producers which one place reads, those without sums and those of which each result
/// reads a cell of its own; and producers that only convert what is stored.
pub(super) fn once_read(body: &Expr, names: &Names, source: &Structure) -> Vec<String> {
    let mut all = Vec::new();
    let known = collect(body, &mut Vec::new(), names, &mut all).is_some();
    // A cell of the result that reads one cell adds up what that cell would.
    let gens: BTreeSet<&String> = source.nest.gens.iter().collect();
    let own_cell = |p: &Producer| {
        let mut own = all.iter().filter(|read| read.of == p.name);
        known && own.all(|read| read.is_exact() && read.loops().is_subset(&gens))
    };
    let once = source
        .producers
        .iter()
        .filter(|p| p.outside && (p.nest.sums.is_empty() || own_cell(p)))
        .filter(|p| reads(body, &p.name) == 1 || is_converted(body, p));
    let mut steps: Vec<String> = once.map(|p| format!("inline {}", p.name)).collect();
    if !steps.is_empty() {
        steps.push("simplify".to_owned());
    }
    steps
}

/// Are the producer's cells those of an array in another type? A read of it costs what one of the array does.
fn is_converted(body: &Expr, producer: &Producer) -> bool {
    let Some((_, mut e)) = bound(body, &producer.name) else { return false };
    for _ in &producer.nest.gens {
        let Node::Gen(_, _, inner) = &**e else { return false };
        e = inner;
    }
    while let Node::Prim(Prim::Cast(_), operands) = &**e {
        let [operand] = operands.as_slice() else { return false };
        e = operand;
    }
    while let Node::Get(array, _) = &**e {
        e = array;
    }
    matches!(&**e, Node::Var(_))
}

/// The steps that compute producers where one element of the result is, each of which reads their cell of the
/// same place, and which several places read: as numbers, they are neither stored nor computed again.
pub(super) fn at_elements(body: &Expr, names: &Names, source: &Structure) -> Vec<String> {
    let gens = &source.nest.gens;
    let Some(last) = gens.last() else { return Vec::new() };
    // What reads producers: the value, and then the producers that are computed there, the last one first.
    let Some(mut readers) = value_reads(body, names) else { return Vec::new() };
    let (mut steps, mut is_any) = (Vec::new(), false);
    for producer in source.producers.iter().rev().filter(|p| p.outside) {
        let Some((mut scope, bound)) = bound(body, &producer.name) else { continue };
        let mut inner = Vec::new();
        if collect(bound, &mut scope, names, &mut inner).is_none() {
            return Vec::new();
        }
        let own: Vec<&Read> = readers.iter().filter(|read| read.of == producer.name).collect();
        let is_cell = |read: &&Read| read.is_exact() && read.indices.iter().flatten().eq(gens);
        if own.is_empty() || own.len() != reads(body, &producer.name) || !own.iter().all(is_cell) {
            continue;
        }
        is_any |= own.len() > 1;
        steps.push(format!("compute {} at {last}", producer.name));
        // Its loops are the result's from here on.
        let renamed = |index: &BTreeSet<String>| {
            let place = |name: &String| producer.nest.gens.iter().position(|gen_name| gen_name == name);
            index.iter().map(|name| place(name).and_then(|k| gens.get(k)).unwrap_or(name).clone()).collect()
        };
        readers.extend(inner.into_iter().map(|read| {
            let indices = read.indices.iter().map(renamed).collect();
            Read { indices, ..read }
        }));
    }
    if is_any { steps } else { Vec::new() }
}

/// What the value of the program reads, inside all its `let`s.
fn value_reads(body: &Expr, names: &Names) -> Option<Vec<Read>> {
    let (mut scope, mut e, mut reads) = (Vec::new(), body, Vec::new());
    while let Node::Let(_, _, inner) = &**e {
        scope.push(binder(e));
        e = inner;
    }
    collect(e, &mut scope, names, &mut reads)?;
    Some(reads)
}

/// The steps that inline all producers without sums, also those that several places read, as long as the
/// program does not become much larger: none of them reads another producer.
pub(super) fn cheap(body: &Expr, names: &Names, source: &Structure) -> Vec<String> {
    let (mut steps, mut grows) = (Vec::new(), 0);
    for producer in source.producers.iter().filter(|p| p.outside && p.nest.sums.is_empty()) {
        let Some((mut scope, bound)) = bound(body, &producer.name) else { continue };
        let mut own = Vec::new();
        let is_known = collect(bound, &mut scope, names, &mut own).is_some();
        if is_known && own.iter().all(|read| source.producers.iter().all(|p| p.name != read.of)) {
            grows += size(bound) * reads(body, &producer.name);
            steps.push(format!("inline {}", producer.name));
        }
    }
    if steps.is_empty() || grows > REPEATED {
        return Vec::new();
    }
    steps.push("simplify".to_owned());
    steps
}

/// How many places read a `let`.
pub(super) fn reads(body: &Expr, name: &str) -> usize {
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
    let parts = e.children().filter_map(|at| Some((e.child(at)?, e.binds(at))));
    own + parts.map(|(part, more)| uses(part, depth + more)).sum::<usize>()
}

/// What a `let` binds, and the names of the binders around it.
fn bound<'e>(body: &'e Expr, name: &str) -> Option<(Vec<String>, &'e Expr)> {
    let all = binders(body);
    let place = all.iter().find(|place| place.sort == Sort::Let && &*place.label.name == name)?;
    match &**subterm(body, &place.path)? {
        Node::Let(_, bound, _) => Some((scope(body, &place.path), bound)),
        _ => None,
    }
}

/// How many nodes a term has.
fn size(e: &Expr) -> usize {
    1 + e.children().filter_map(|at| e.child(at)).map(size).sum::<usize>()
}
