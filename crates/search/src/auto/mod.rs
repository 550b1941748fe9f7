//! `auto`: the schedule of a function that has none.
//!
//! **The one idea.** A few scripts are written by rule from the shape of the program, and each is judged
//! once. The first [plain](Kind::Plain) one that is accepted, and that the cost model finds no dearer than
//! the function as written, is what a script of another kind has to beat in the model, by its margin: the
//! model knows what moves through the caches, and little of what a compiler makes of a loop. A script that
//! takes a recurrence out of place is refused: each round would copy the state, which may be all of the
//! work. A number that is a state of many rounds side by side is an array of them. Nothing is measured. The
//! number of scripts is bounded by how large the program's loops are, and nothing depends on a clock or on
//! the sizes of a call: sizes are the [`nominal`] ones. So a function has one schedule on one machine.
//!
//! The function as written is among the scripts, so what the judge refuses costs a chance and no more.
//!
//! It does not look around the best script, as [`search`](crate::search) does: that takes seconds.

mod abreast;
mod across_lines;
mod batched;
mod blocks;
mod clamps;
mod components;
mod counts;
mod dots;
mod exact;
mod fused;
mod hoisted;
mod lanes;
mod nominal;
mod parts;
mod producers;
mod regrouped;
mod repacked;
mod row_of_entries;
mod rows;
mod rules;
mod scans;
mod scatter;
mod steps;
mod sums_once;
mod tiles;
mod weight;

pub use nominal::nominal;
pub use rules::Kind;

use crate::names::fresh;
use crate::structure::Structure;
use crate::{Judge, Judged, Request};
use atl_cost::{Estimate, estimate};
use atl_kernel::{Expr, Node, Rounding};
use atl_loops::changes::Change;
use atl_loops::lanes::Vectors;
use atl_loops::{Int, IntOp, Kernel, Name, Scalar, Stmt};
use atl_schedule::nest::binders;
use exact::Exact;
use hoisted::After;
use lanes::Lanes;
use rules::Script;
use std::collections::{BTreeMap, BTreeSet};
use tiles::PART;
use weight::weight;

/// No script becomes more statements than this: the C compiler has to be quick.
const HEAVY: u64 = 600;

/// How much is judged: scripts times statements of the function as written.
const WORK: u64 = 160;

/// How much is derived: scripts times nodes of the function. One that is larger stays as it is written.
const NODES: u64 = 1 << 14;

/// A function of more loops and `let`s than this stays as it is written: which of them a name means, all of
/// them decide.
const BINDERS: usize = 256;

/// The fewest scripts, and the most, that are judged beside the function as written, where [`NODES`] lets
/// them.
const SCRIPTS: std::ops::RangeInclusive<u64> = 3..=10;

/// Of how many scripts guards are split off later: the best ones as they are, and the second only where the
/// best is refused, or costs no less than the second by this factor.
const SPLIT: usize = 2;
const NEAR: f64 = 1.2;

/// The step that splits guards off, and the code of its refusal where there is none: a script then leaves
/// it out.
const PEEL: &str = "peel";
const NOTHING_TO_PEEL: &str = "E0318";

/// A script that was considered.
#[derive(Clone, PartialEq, Debug)]
pub struct Considered {
    /// What it does, in words.
    pub what: String,
    /// Its steps, without semicolons.
    pub steps: Vec<String>,
    /// How it compares with others.
    pub kind: Kind,
    /// What the model says: cycles at the nominal sizes; none where what arrays hold decides. Or why it
    /// was refused.
    pub verdict: Result<Option<f64>, String>,
}

impl Considered {
    /// Its cycles, if it was accepted and has a cost.
    fn cycles(&self) -> Option<f64> {
        self.verdict.as_ref().ok().copied().flatten()
    }

    /// Does the model say more cycles than of the other? Of what has no cost it says nothing.
    pub fn is_dearer(&self, than: Option<&Considered>) -> bool {
        self.cycles().zip(than.and_then(Considered::cycles)).is_some_and(|(own, other)| own > other)
    }
}

/// What was chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The steps; none: the function as written.
    pub steps: Vec<String>,
    /// All scripts that were judged, in order; the function as written is the first.
    pub considered: Vec<Considered>,
}

/// Chooses a schedule. The request's budget is a limit beside the one that the program's size sets.
pub fn auto(request: &Request<'_>, operands: Operands, judge: &mut dyn Judge) -> Choice {
    let mut trial = Trial {
        request,
        judge,
        seen: BTreeSet::new(),
        considered: Vec::new(),
        statements: 0,
        arrays: None,
        types: BTreeMap::new(),
        widest: 0,
        is_unbounded: false,
        passes_by: false,
    };
    trial.judge(Script::new("as written", Kind::Written, Vec::new()));
    let budget = (WORK / trial.statements.max(1)).clamp(*SCRIPTS.start(), *SCRIPTS.end());
    let is_large = binders(request.body).len() > BINDERS;
    let budget = if is_large { 0 } else { budget.min(NODES / nodes(request.body)) };
    let budget = usize::try_from(budget).unwrap_or(usize::MAX).min(request.budget);
    let steps = match operands {
        Operands::Stored if request.rounding == Rounding::Real => trial.stored(),
        Operands::Stored => Vec::new(),
        Operands::Dense if budget == 0 => Vec::new(),
        Operands::Dense => trial.dense(budget),
    };
    Choice { steps, considered: trial.considered }
}

/// Are there operands in formats?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operands {
    /// All arrays are dense.
    Dense,
    /// Some operand stores entries.
    Stored,
}

/// What a script is called that takes values out of loops, and makes a copy.
const WORDS_OF_BOTH: &str =
    "; values that few loops index are computed once; a copy of an operand, in the other order";

/// An extent of a tensor that is worth a format.
const LARGE: i64 = 1024;

struct Trial<'r> {
    request: &'r Request<'r>,
    judge: &'r mut dyn Judge,
    seen: BTreeSet<Vec<String>>,
    considered: Vec<Considered>,
    /// Of the function as written.
    statements: u64,
    /// The arrays of a recurrence as written, which hold its states; none of what has no rounds.
    arrays: Option<usize>,
    /// The types of all buffers.
    types: BTreeMap<Name, Scalar>,
    /// Bytes of the widest number that is stored.
    widest: u32,
    /// Do bounds of loops as written compute with numbers of 64 bits that arrays hold, or those of formats,
    /// which are checked?
    is_unbounded: bool,
    /// Does the C of the function as written pass by blocks of iterations that change nothing? It is quicker
    /// than the model knows.
    passes_by: bool,
}

impl Trial<'_> {
    /// Judges a script: is it accepted?
    fn judge(&mut self, Script { what, steps, kind, together, .. }: Script) -> bool {
        if !self.seen.insert(steps.clone()) {
            return false;
        }
        let verdict = match self.judge.lower(&steps) {
            Err(refused) if refused.code == NOTHING_TO_PEEL && steps.iter().any(|step| step == PEEL) => {
                let steps = steps.into_iter().filter(|step| step != PEEL).collect();
                let what = what.replace(rules::SPLIT_OFF, "");
                return self.judge(Script { together, ..Script::new(&what, kind, steps) });
            }
            Err(refused) => Err(refused.why),
            Ok(Judged { idle, .. }) if steps.iter().any(|step| idle.contains(step)) => {
                let of_idle = |group: &&Vec<String>| group.iter().any(|step| idle.contains(step));
                let without: Vec<&String> = together.iter().filter(of_idle).flatten().chain(&idle).collect();
                let steps = steps.into_iter().filter(|step| !without.contains(&step)).collect();
                return self.judge(Script::new(&what, kind, steps));
            }
            Ok(Judged { kernel, .. })
                if let Some(steps) = across_lines::shortened(&kernel, &steps, &self.request.machine) =>
            {
                return self.judge(Script { together, ..Script::new(&what, kind, steps) });
            }
            Ok(Judged { kernel, .. }) => {
                let statements = weight(&kernel);
                if steps.is_empty() {
                    self.types = kernel.buffer_types();
                    self.widest = widest_stored(&kernel, &self.types);
                    self.statements = statements;
                    self.arrays = has_rounds(self.request.body).then(|| arrays(&kernel, &[]));
                    self.is_unbounded |= is_unbounded(&kernel);
                    self.passes_by = passes_by(&kernel, &self.types);
                }
                let cycles = estimate(&kernel, self.request.sizes, &self.request.machine);
                let body = self.request.body;
                let more = abreast::states(body, &steps) + regrouped::arrays(body, &steps);
                let copies = repacked::copies(&steps);
                if self.arrays.is_some_and(|written| arrays(&kernel, &copies) > written + more) {
                    Err("a state would be copied in each round".to_owned())
                } else if !self.is_unbounded && is_unbounded(&kernel) {
                    Err("bounds of loops would leave 64 bits for some numbers that arrays hold".to_owned())
                } else if statements > HEAVY && !steps.is_empty() {
                    if let Some((what, steps)) = self.with_loops(&what, &steps, statements) {
                        // With other steps left out it may be quicker.
                        let kind = if kind == Kind::Plain { Kind::Rival { margin: 1.0 } } else { kind };
                        return self.judge(Script { together, ..Script::new(&what, kind, steps) });
                    }
                    Err(format!("it becomes {statements} statements"))
                } else {
                    Ok(cycles.as_ref().map(Estimate::cycles))
                }
            }
        };
        let is_accepted = verdict.is_ok();
        self.considered.push(Considered { what, steps, kind, verdict });
        is_accepted
    }

    /// A script that becomes too many statements, with loops for the sums that it writes out: what it does,
    /// and its steps.
    fn with_loops(&self, what: &str, steps: &[String], statements: u64) -> Option<(String, Vec<String>)> {
        let written_out = steps::written_out(self.request.body);
        if !written_out.iter().any(|step| steps.contains(step)) {
            return None;
        }
        let steps = steps.iter().filter(|step| !written_out.contains(step)).cloned().collect();
        let what = format!("{what}, sums as loops: written out they are {statements} statements");
        Some((what, steps))
    }

    /// Loops over what operands store: the first script that is accepted, since what arrays hold decides
    /// what it costs.
    fn stored(&mut self) -> Vec<String> {
        let plain = vec!["rounding real".to_owned(), "sparsify".to_owned()];
        let unbound = steps::unbound(self.request.body);
        let sparse = [&plain[..1], &unbound, &plain[1..]].concat();
        let sparse = if self.judge.derive(&sparse).is_ok() { sparse } else { plain };
        let sparse = self.in_blocks(&sparse).unwrap_or(sparse);
        let repacked = (repacked::repacked(self.request, &mut *self.judge, &sparse), repacked::WORDS);
        let once = self.hoisted();
        let repacked_once = once.as_ref().and_then(|(before, body)| {
            let request = Request { body, ..self.request.clone() };
            let steps =
                repacked::repacked(&request, &mut After { steps: before, judge: &mut *self.judge }, &sparse)?;
            Some([before.as_slice(), &steps].concat())
        });
        let once = once.map(|(before, _)| [before, sparse.clone()].concat());
        let lanes = self.lanes();
        let factored = (self.factored(), "; a factor outside of a sum");
        let scanned = (self.scanned(&sparse), "; pairs of them are compared, of which there are few");
        let row = self.row_of_entries(&sparse);
        let once = [(repacked_once, WORDS_OF_BOTH), (once, hoisted::WORDS)];
        let others = [repacked, factored, scanned, row, (Some(sparse), "")];
        for (begun, words) in once.into_iter().chain(others) {
            let Some(begun) = begun else { continue };
            let Ok(body) = self.judge.derive(&begun) else { continue };
            let sums = sums_once::sums_once(&body, self.request);
            let (begun, body, words) = match self.after(&begun, &sums) {
                Some((begun, body)) => (begun, body, format!("{words}{}", sums_once::WORDS)),
                None => (begun, body, words.to_owned()),
            };
            let structure = self.structure(&body);
            let vectors = steps::vectors(&body, &structure, &|_| true, lanes);
            let with_vectors = [begun.clone(), vectors].concat();
            let sums = Lanes::of_entries(&body, steps::WRITTEN);
            let others = steps::vectors(&body, &structure, &|place| !sums.are_in(place), lanes);
            let abreast = tiles::entries_abreast(&body, lanes);
            let abreast = abreast.map(|steps| {
                let what = format!("the entries of operands, two vectors of sums side by side{words}");
                (what, [begun.clone(), steps].concat())
            });
            let in_parts = [begun.clone(), sums.accumulators(&body, self.request), others].concat();
            let scripts = [
                (format!("the entries of operands, sums in a few accumulators{words}"), in_parts),
                (format!("the entries of operands, in vectors{words}"), with_vectors),
                (format!("the entries of operands{words}"), begun),
            ];
            let scripts = scripts.into_iter().skip(usize::from(sums.is_empty()));
            for (what, steps) in abreast.into_iter().chain(scripts) {
                if self.judge(Script::new(&what, Kind::Plain, steps.clone())) {
                    return steps;
                }
            }
        }
        Vec::new()
    }

    /// The steps, with loops cut into the blocks that operands store before these are iterated over;
    /// none where there are none, or no loop can be cut.
    fn in_blocks(&mut self, sparse: &[String]) -> Option<Vec<String>> {
        let cuts = blocks::cuts(&self.judge.derive(sparse).ok()?);
        let (last, before) = sparse.split_last().filter(|_| !cuts.is_empty())?;
        let steps = [before, &cuts, std::slice::from_ref(last)].concat();
        let is_cut = blocks::cuts(&self.judge.derive(&steps).ok()?).is_empty();
        (is_cut && self.judge.lower(&steps).is_ok()).then_some(steps)
    }

    /// The steps, and the one that names the row of entries which dense terms are added to.
    fn row_of_entries(&mut self, sparse: &[String]) -> (Option<Vec<String>>, &'static str) {
        let named = self.judge.derive(sparse).ok().and_then(|body| {
            let labels = binders(&body).into_iter().map(|place| place.label.name.to_string());
            let taken = labels.chain(self.request.names.values().cloned()).collect();
            row_of_entries::named(&body, taken)
        });
        (named.map(|step| [sparse, &[step]].concat()), "; a row of entries, to which other terms are added")
    }

    /// The steps that take the factors which do not depend on the last sum out of it, and then iterate over
    /// what is stored; none where that leaves a tensor of what the sum adds up.
    fn factored(&mut self) -> Option<Vec<String>> {
        let body = self.request.body;
        let structure = self.structure(body);
        let [_, .., last] = structure.nest.sums.as_slice() else { return None };
        let named = self.request.names.values().chain(&structure.lets).cloned();
        let part = fresh(&mut named.collect(), PART);
        let factor = format!("factor {last} as {part}");
        let steps = vec!["rounding real".to_owned(), factor, "sparsify".to_owned()];
        let body = self.judge.derive(&steps).ok()?;
        (!self.structure(&body).lets.contains(&part)).then_some(steps)
    }

    /// The steps that compare all pairs of entries, where the other ones would go through an array of two
    /// extents, and pairs are fewer than its cells: as of tables in which each row has a few places.
    fn scanned(&mut self, other: &[String]) -> Option<Vec<String>> {
        let written = self.judge.lower(other).ok()?.kernel;
        if !has_table(&written) {
            return None;
        }
        let steps = vec!["rounding real".to_owned(), "sparsify by scan".to_owned()];
        let scanned = self.judge.lower(&steps).ok()?.kernel;
        // Arrays of entries do not tell all extents of a tensor, which are nominally small then.
        let sizes: Vec<i64> = self.request.sizes.iter().map(|size| (*size).max(LARGE)).collect();
        let cycles =
            |kernel: &Kernel| estimate(kernel, &sizes, &self.request.machine).map(|cost| cost.cycles());
        let is_bounded = !has_table(&scanned) && !has_stored_bounds(&scanned);
        (is_bounded && cycles(&scanned)? < cycles(&written)?).then_some(steps)
    }

    /// These steps after those, and what the program is then; none where they are refused, or there are none.
    fn after(&mut self, begun: &[String], steps: &[String]) -> Option<(Vec<String>, Expr)> {
        let all = [begun, steps].concat();
        if steps.is_empty() || self.judge.lower(&all).is_err() {
            return None;
        }
        let body = self.judge.derive(&all).ok()?;
        Some((all, body))
    }

    /// The steps that take costly values out of loops, and what the program is then; none where there are no
    /// such values.
    fn hoisted(&mut self) -> Option<(Vec<String>, Expr)> {
        let steps = hoisted::hoisted(self.request);
        if steps.is_empty() || self.judge.lower(&steps).is_err() {
            return None;
        }
        let body = self.judge.derive(&steps).ok()?;
        Some((steps, body))
    }

    /// The steps that make one loop of elements and their components, after these, and what the program is
    /// then; none where that needs divisions.
    fn fused(&mut self, before: &[String], body: &Expr) -> Option<(Vec<String>, Expr)> {
        let fused = components::fused(&self.structure(body), self.lanes());
        if fused.is_empty() {
            return None;
        }
        let steps = [before, &fused].concat();
        let judged = self.judge.lower(&steps).ok()?;
        let body = self.judge.derive(&steps).ok()?;
        (!components::divides(&judged.kernel)).then_some((steps, body))
    }

    /// Judges a script after these steps, which these words tell, with loops cut where indices have bounds.
    fn judge_bounded(&mut self, mut script: Script, after: (&[String], &str), has_bounds: bool) -> bool {
        let mut judge = After { steps: after.0, judge: &mut *self.judge };
        if has_bounds && let Some(steps) = clamps::split_off(&script.steps, &mut judge) {
            script.steps = steps;
        }
        self.judge(script.after(after.0, after.1))
    }

    fn dense(&mut self, budget: usize) -> Vec<String> {
        let (before, body, words) = match self.hoisted() {
            Some((before, body)) => (before, body, hoisted::WORDS),
            None => (Vec::new(), self.request.body.clone(), ""),
        };
        let sums = sums_once::sums_once(&body, self.request);
        let (before, body, words) = match self.after(&before, &sums) {
            Some((before, body)) => (before, body, format!("{words}{}", sums_once::WORDS)),
            None => (before, body, words.to_owned()),
        };
        let (before, body, words) = match self.fused(&before, &body) {
            Some((before, body)) => (before, body, format!("{words}{}", components::WORDS)),
            None => (before, body, words),
        };
        let request = Request { body: &body, ..self.request.clone() };
        let structure = self.structure(&body);
        let exact = Exact { request: &request, types: &self.types };
        let lanes = self.lanes();
        let mut judge = After { steps: &before, judge: &mut *self.judge };
        let scripts = rules::scripts(exact, &structure, lanes, &mut judge);
        let has_bounds = clamps::are_in(&body);
        let mut unsplit: Vec<(f64, Script)> = Vec::new();
        for script in scripts {
            if self.considered.len() > budget {
                break;
            }
            if self.passes_by && script.what == regrouped::WORDS {
                continue;
            }
            let split = script.with_guards_split_off();
            let is_accepted = self.judge_bounded(script, (&before, &words), has_bounds);
            if let Some(split) = split {
                let cycles = self.considered.last().filter(|_| is_accepted).and_then(Considered::cycles);
                let cost = cycles.map_or(f64::INFINITY, |cycles| split.kind.cost(cycles));
                unsplit.push((cost, split));
            }
        }
        // Of equal costs the first.
        unsplit.sort_by(|a, b| a.0.total_cmp(&b.0));
        let near = unsplit.first().map_or(0.0, |best| best.0 * NEAR);
        let mut is_any = false;
        for (cost, split) in unsplit.into_iter().take(SPLIT) {
            if !is_any || cost <= near {
                is_any |= self.judge_bounded(split, (&before, &words), has_bounds);
            }
        }
        let is_accepted = |one: &&Considered| one.verdict.is_ok();
        let written = self.considered.first().filter(is_accepted);
        let is_plain = |one: &&Considered| one.kind == Kind::Plain && !one.is_dearer(written);
        let plain = self.considered.iter().filter(is_accepted).find(is_plain).or(written);
        // Where the plain one has no cost, the function as written takes its place.
        let bar = plain.and_then(Considered::cycles).or_else(|| written.and_then(Considered::cycles));
        let rivals = self.considered.iter().filter_map(|one| match one.kind {
            Kind::Rival { .. } => Some((one.kind.cost(one.cycles()?), one)),
            Kind::Written | Kind::Plain => None,
        });
        // A margin below 1 prefers what is as good, and not what is dearer than the function as written.
        let best = rivals.filter(|(cost, one)| bar.is_some_and(|bar| *cost < bar) && !one.is_dearer(written));
        // Of equal costs the first: it is the simpler one.
        let best = best.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, one)| one);
        best.or(plain).map_or_else(Vec::new, |one| one.steps.clone())
    }

    /// As many as the result's cells fill a vector; in rounds, whose states are computed together, as many
    /// as the widest of them do.
    fn lanes(&self) -> u32 {
        let rounds = self.arrays.map_or(0, |_| self.widest);
        crate::space::lanes(&self.request.machine, self.request.cell_bytes.max(rounds))
    }

    fn structure(&self, body: &Expr) -> Structure {
        Structure::of(body, self.request.known())
    }
}

/// Has the kernel a loop of which most iterations change nothing, and vectors that see it?
fn passes_by(kernel: &Kernel, types: &BTreeMap<Name, Scalar>) -> bool {
    let mut found = false;
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::For { var, lo, hi, body, .. } = stmt {
            found |= Change::of(types, var, (lo, hi), body).is_some();
        }
    });
    found
}

/// Does the kernel allocate an array of which two extents are not constant?
fn has_table(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { extents, .. } = stmt {
            found |= extents.iter().filter(|extent| !matches!(extent, Int::Lit(_))).count() > 1;
        }
    });
    found
}

/// Does an array say how often a loop runs?
fn has_stored_bounds(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::For { lo, hi, .. } = stmt {
            found |= lo.reads() || hi.reads();
        }
    });
    found
}

/// Bytes of the widest number that is stored.
fn widest_stored(kernel: &Kernel, types: &BTreeMap<Name, Scalar>) -> u32 {
    let stored = kernel.body.stored();
    let sizes = stored.into_iter().filter_map(|buf| types.get(buf)).map(|scalar| scalar.bits() / 8);
    sizes.max().unwrap_or(0)
}

/// Does one round follow another somewhere in the term?
fn has_rounds(e: &Expr) -> bool {
    matches!(**e, Node::Iterate(_)) || e.children().any(|at| e.child(at).is_some_and(has_rounds))
}

/// How large the term is.
fn nodes(e: &Expr) -> u64 {
    e.children().filter_map(|at| e.child(at)).fold(1, |sum, child| sum + nodes(child))
}

/// Does a bound of a loop compute with numbers of 64 bits that a parameter holds? For some of them it leaves
/// 64 bits, and then no call is made.
fn is_unbounded(kernel: &Kernel) -> bool {
    let is_wide = |buf: &Name| {
        let param = kernel.params.iter().find(|param| param.name == *buf);
        param.is_some_and(|param| matches!(param.scalar, Scalar::I64 | Scalar::U64))
    };
    let reads_wide = |int: &Int| {
        let mut found = false;
        int.for_each_read(&mut |buf, _| found |= is_wide(buf));
        found
    };
    fn computes(int: &Int, reads_wide: &dyn Fn(&Int) -> bool) -> bool {
        match int {
            Int::Bin(IntOp::Min | IntOp::Max, a, b) => computes(a, reads_wide) || computes(b, reads_wide),
            Int::Bin(..) => reads_wide(int),
            Int::Lit(_) | Int::Var(_) | Int::Load(..) => false,
        }
    }
    let mut found = false;
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::For { lo, hi, .. } | Stmt::Vectors { vectors: Vectors { lo, hi, .. }, .. } = stmt {
            found |= [lo, hi].into_iter().any(|int| computes(int, &reads_wide));
        }
    });
    found
}

/// How many arrays the kernel has beside its parameters and the arrays of these copies, which are made
/// in front of all loops.
fn arrays(kernel: &Kernel, copies: &[&str]) -> usize {
    let is_of_copy = |buf: &Name| {
        let rest = copies.iter().filter_map(|copy| buf.original().strip_prefix(copy));
        rest.into_iter().any(|rest| rest.starts_with('_'))
    };
    let mut count = 0;
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, extents, .. } = stmt {
            count += usize::from(!extents.is_empty() && !is_of_copy(buf));
        }
    });
    count
}
