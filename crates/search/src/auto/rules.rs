//! The scripts that are worth a look, the plainest first.
//!
//! Sums of a few terms are written out, guards are split off where they can fail, and the loop along
//! memory runs in vectors, with what is left of the sums inside: each lane adds in the order written, so
//! every bit stays. Where rows use an operand again, a tile of sums stands in registers. Producers are
//! stored, inlined, or their windows computed. A sum that grows with a loop is a scan.

use super::abreast::rounds_abreast;
use super::batched::batched;
use super::counts::tables_abreast;
use super::dots;
use super::exact::Exact;
use super::fused::{self, fused};
use super::lanes::Lanes;
use super::producers::{Windows, at_elements, cheap, once_read, windows};
use super::regrouped::{self, regrouped};
use super::rows::{around, producers_abreast, rows_abreast};
use super::scans::{rows_of_scans, scans, scans_of_scans};
use super::scatter::{self, scattered};
use super::steps::{WRITTEN, vectors, written_out};
use super::tiles::{Strips, abreast, copies, factored, tiles};
use super::{NOTHING_TO_PEEL, PEEL, has_rounds};
use crate::names::fresh;
use crate::reuse::collect;
use crate::structure::{Nest, Structure};
use crate::{Judge, Request};
use atl_kernel::{Expr, Rounding};
use atl_schedule::nest::{Place, binders};
use std::collections::BTreeSet;

/// What scripts are called that add up whole rows to a row of sums.
const COLUMNS: &str = "a sum along rows, for many columns at once";

/// How many rows are added up to a row of sums at once.
const TOGETHER: i64 = 8;

/// What rounds over rows are called where other loops have their name.
const ROWS: &str = "rows";

/// The most components of a vector whose sums stand side by side, and what they are called.
const COMPONENTS: i64 = 8;
const EACH: &str = "each";

/// The windows in which producers may be computed, and what they are called.
const WINDOWS: [(Windows, &str); 2] =
    [(Windows::Carried, "windows that are carried along rows"), (Windows::Blocks, "windows of some rows")];

/// What a script is called that splits guards off, where there are any.
pub(super) const SPLIT_OFF: &str = ", with guards split off";

/// What a script is called of which guards are not split off yet, and by how much it has to be better.
const UNSPLIT_WORDS: &str = ", guards as they are";
const UNSPLIT: f64 = 1.25;

/// The step that allows them to be fused, and what a script is called.
const FUSED: &str = "rounding real";
const IN_LANES: &str = "reductions in lanes";

/// How a script compares with others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// The function as written: chosen if nothing else is accepted.
    Written,
    /// The first of these that is accepted, and no dearer than the function as written, is chosen, unless a
    /// rival beats it.
    Plain,
    /// Chosen if its cost times the margin is less.
    Rival {
        /// How sure the model has to be.
        margin: f64,
    },
}

impl Kind {
    /// What is compared of a script that takes these cycles.
    pub(super) fn cost(self, cycles: f64) -> f64 {
        match self {
            Kind::Rival { margin } => cycles * margin,
            Kind::Written | Kind::Plain => cycles,
        }
    }
}

/// A script.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) what: String,
    pub(super) steps: Vec<String>,
    pub(super) kind: Kind,
    /// Steps that are worth something together only: where one of them has no effect, all are left out.
    pub(super) together: Vec<Vec<String>>,
    /// The same with guards split off, where that is worth its time only once: for the best of all scripts
    /// that have such another.
    pub(super) split_off: Option<Box<Script>>,
}

impl Script {
    pub(super) fn new(what: &str, kind: Kind, steps: Vec<String>) -> Script {
        Script { what: what.to_owned(), steps, kind, together: Vec::new(), split_off: None }
    }

    /// Vectors after these steps, with guards as they are, which are split off later.
    fn unsplit(what: &str, margin: f64, before: &[String], vectors: &[String]) -> Script {
        let split = [before, &[PEEL.to_owned()], vectors].concat();
        let split = Script::new(what, Kind::Rival { margin }, split);
        let kind = Kind::Rival { margin: margin * UNSPLIT };
        let unsplit = Script::new(&format!("{what}{UNSPLIT_WORDS}"), kind, [before, vectors].concat());
        Script { split_off: Some(Box::new(split)), ..unsplit }
    }

    /// The script that splits guards off, in place of this one.
    pub(super) fn with_guards_split_off(&self) -> Option<Script> {
        let split = self.split_off.as_deref()?.clone();
        Some(Script { together: self.together.clone(), ..split })
    }

    /// The script for what the program is before these steps, which these words tell.
    pub(super) fn after(self, before: &[String], words: &str) -> Script {
        let split_off = self.split_off.map(|split| Box::new(split.after(before, words)));
        Script {
            what: format!("{}{words}", self.what),
            steps: [before, &self.steps].concat(),
            split_off,
            ..self
        }
    }
}

/// Scripts for a program of dense arrays.
pub(super) fn scripts(
    exact: Exact<'_>,
    source: &Structure,
    lanes: u32,
    judge: &mut dyn Judge,
) -> Vec<Script> {
    let request = exact.request;
    let is_real = request.rounding == Rounding::Real;
    let mut found = Vec::new();
    let mut add_script = |script: Script| {
        // Products and sums may be fused.
        let has_class = !is_real || script.steps.first().is_some_and(|step| step == FUSED);
        found.push(if has_class { script } else { script.after(&[FUSED.to_owned()], "") });
    };
    let mut add = |what: &str, kind: Kind, steps: Vec<String>| add_script(Script::new(what, kind, steps));
    let all = |_: &Place| true;
    let by_rule =
        |body: &Expr, structure: &Structure| (written_out(body), vectors(body, structure, &all, lanes));
    let in_lanes = |body: &Expr, structure: &Structure, before: &[String]| {
        let sums = Lanes::of(body, WRITTEN, &|term| exact.allows(term));
        if sums.is_empty() {
            return None;
        }
        let begun = [before, &written_out(body), &[PEEL.to_owned()]].concat();
        let each = sums.steps(body, exact, lanes);
        let together: Vec<Vec<String>> = each.iter().map(|parts| parts.concat()).collect();
        let [make, mark] = [0, 1].map(|k| each.iter().flat_map(|parts| parts[k].clone()).collect());
        let others = vectors(body, structure, &|place| !sums.are_in(place), lanes);
        let steps = [begun, make, others, mark].concat();
        Some((steps, together))
    };
    if let Some(steps) = tables_abreast(exact) {
        add("counts in a few tables side by side", Kind::Plain, steps);
    }
    let (unroll, vector) = by_rule(request.body, source);
    add(
        &format!("vectors{SPLIT_OFF}"),
        Kind::Plain,
        [unroll.clone(), vec![PEEL.to_owned()], vector.clone()].concat(),
    );
    add("vectors", Kind::Plain, [unroll.clone(), vector.clone()].concat());
    for steps in scattered(request, source, lanes) {
        add(scatter::WORDS, Kind::Rival { margin: 1.1 }, steps);
    }
    if let Some(steps) = dots::dots(exact, source) {
        add(dots::WORDS, Kind::Rival { margin: 1.25 }, steps);
    }
    let (across, tiled) = across(request, source, judge);
    let tiled = tiled.as_ref().unwrap_or(source);
    if let Some(steps) = tiles(request, source, lanes, Strips::Turned) {
        add(Strips::Turned.words(), Kind::Rival { margin: 1.25 }, steps);
    }
    for strips in [Strips::Copied, Strips::InPlace] {
        if let Some(steps) = tiles(request, tiled, lanes, strips) {
            let steps = [across.clone(), steps].concat();
            add(strips.words(), Kind::Rival { margin: 1.25 }, steps);
        }
    }
    if let Some(steps) = batched(exact, lanes, &mut *judge) {
        add("a few rows side by side, tiles of sums in registers", Kind::Rival { margin: 1.1 }, steps);
    }
    if is_real
        && let Some((part, step)) = factored(request, source)
        && let steps = vec![FUSED.to_owned(), step]
        && let Ok(body) = judge.derive(&steps)
    {
        let mut structure = Structure::of(&body, request.known());
        let own = structure.producers.iter_mut().filter(|p| p.name == part);
        // Its loops are planned like those of a producer around all loops.
        own.for_each(|p| p.outside = true);
        if let Some(tiles) = tiles(request, &structure, lanes, Strips::Copied) {
            let steps = [steps, tiles].concat();
            add("a factor outside of a sum, tiles of sums in registers", Kind::Rival { margin: 1.1 }, steps);
        }
    }
    let (scans, growing) = scans(request.body);
    if !scans.is_empty() {
        let is_free = |place: &Place| !growing.iter().any(|sum| sum.starts_with(&place.path));
        let vector = vectors(request.body, source, &is_free, lanes);
        add("sums that grow in one loop", Kind::Rival { margin: 1.05 }, [scans, vector].concat());
        if let Some(steps) = rows_of_scans(request) {
            add("sums that grow, of a few rows side by side", Kind::Rival { margin: 1.05 }, steps);
        }
        if let Some(steps) = scans_of_scans(request, source, lanes, &mut *judge) {
            add("sums that grow of sums that grow, in one loop", Kind::Rival { margin: 1.0 }, steps);
        }
    }
    let (reductions, mut groups) = in_lanes(request.body, source, &[]).unzip();
    if let Some(steps) = reductions {
        add(IN_LANES, Kind::Rival { margin: 1.05 }, steps);
    }
    // No sum of integers waits long for the one before, and the C compiler may regroup it.
    let count = |allows: &dyn Fn(&Expr) -> bool| Lanes::of(request.body, WRITTEN, allows).sums().len();
    let has_chains = !is_real && count(&|term| exact.allows(term)) < count(&|_| true);
    if has_chains && let Some(steps) = rows_abreast(request, lanes, &mut *judge) {
        add("sums along rows, of a few rows side by side", Kind::Rival { margin: 1.1 }, steps);
    }
    if has_chains && let Some(steps) = producers_abreast(request, source, lanes, &mut *judge) {
        add("sums of producers along rows, of a few rows side by side", Kind::Rival { margin: 1.1 }, steps);
    }
    let joined = |steps: &[String], judge: &mut dyn Judge| {
        let more = fused(&judge.derive(steps).ok()?);
        (!more.is_empty()).then(|| [steps, &more].concat())
    };
    if let Some(columns) = columns(request, source, lanes) {
        if let Some(steps) = joined(&columns, &mut *judge) {
            add(&format!("{COLUMNS}{}", fused::WORDS), Kind::Rival { margin: 1.1 }, steps);
        }
        add(COLUMNS, Kind::Rival { margin: 1.1 }, columns);
    } else if let Some(steps) = columns_of_lets(request, lanes, &mut *judge) {
        add(COLUMNS, Kind::Rival { margin: 1.1 }, steps);
    }
    if has_rounds(request.body)
        && let Some(steps) = joined(&[unroll.as_slice(), &vector].concat(), &mut *judge)
    {
        add(&format!("vectors{}", fused::WORDS), Kind::Rival { margin: 1.05 }, steps);
    }
    if let Some(steps) = rounds_abreast(request, source, lanes) {
        add("rounds of many elements side by side", Kind::Rival { margin: 1.1 }, steps);
    }
    if let Some(steps) = regrouped(exact, lanes) {
        add(regrouped::WORDS, Kind::Rival { margin: 1.0 }, steps);
    }
    if let Some(steps) = abreast(request, source, lanes) {
        add("a few vectors of sums side by side in registers", Kind::Rival { margin: 1.1 }, steps);
    }
    if let Some(steps) = components(source) {
        let steps = [unroll.clone(), steps].concat();
        add("a few components side by side in registers", Kind::Rival { margin: 1.05 }, steps);
    }
    let mut begun = vec![(Begun::of(source, request.body, unroll.clone()), "producers", 1.05)];
    let inline = once_read(request.body, request.names, source);
    if !inline.is_empty()
        && let Ok(body) = judge.derive(&inline)
    {
        let structure = Structure::of(&body, request.known());
        let (unroll, vector) = by_rule(&body, &structure);
        let steps = [inline.clone(), unroll].concat();
        // What is read once is computed as often as before, and neither stored nor read.
        if has_rounds(&body) {
            // With guards split off, cells that rounds store may be set to zero before.
            let whole = [steps.clone(), vector.clone()].concat();
            add("producers inlined, vectors, guards as they are", Kind::Rival { margin: 0.9 }, whole);
        }
        let peeled = [steps.clone(), vec![PEEL.to_owned()], vector].concat();
        add("producers inlined, vectors", Kind::Rival { margin: 0.9 }, peeled);
        if let Some((steps, more)) = in_lanes(&body, &structure, &inline) {
            groups.get_or_insert_default().extend(more);
            add("producers inlined, reductions in lanes", Kind::Rival { margin: 1.05 }, steps);
        }
        begun.push((Begun { steps, body, structure }, "producers inlined, others", 1.0));
    }
    let there = at_elements(request.body, request.names, source);
    if !there.is_empty()
        && let steps = [unroll, there].concat()
        && let Ok(body) = judge.derive(&steps)
    {
        let structure = Structure::of(&body, request.known());
        begun.push((Begun { steps, body, structure }, "producers at elements that read them, others", 1.05));
    }
    // Where the program has no guards, those of the blocks of rows stay: each is one test a row.
    let mut has_guards: Option<bool> = None;
    let mut is_split = |judge: &mut dyn Judge| {
        *has_guards.get_or_insert_with(
            || !matches!(judge.derive(&[PEEL.to_owned()]), Err(refused) if refused.code == NOTHING_TO_PEEL),
        )
    };
    let mut add_windows = |what: &str, margin: f64, before: &[String], vectors: &[String], is_split: bool| {
        add_script(match is_split {
            true => Script::unsplit(what, margin, before, vectors),
            false => Script::new(what, Kind::Rival { margin }, [before, vectors].concat()),
        });
    };
    for (kind, words) in WINDOWS {
        // Those that less is left to be computed for come first.
        for (Begun { steps, body, structure }, what, margin) in begun.iter().rev() {
            let windows = windows(body, request.names, structure, kind);
            let vector = vectors(body, structure, &all, lanes);
            if !windows.is_empty() {
                let what = format!("{what} in {words}, vectors");
                let before = [steps.as_slice(), &windows].concat();
                add_windows(&what, *margin, &before, &vector, is_split(judge));
            }
        }
    }
    let cheap = cheap(request.body, request.names, source);
    if !cheap.is_empty()
        && cheap != inline
        && let Ok(body) = judge.derive(&cheap)
    {
        let (unroll, vector) = by_rule(&body, &Structure::of(&body, request.known()));
        let before = [cheap, unroll].concat();
        add_windows("cheap producers computed again, vectors", 1.0, &before, &vector, is_split(judge));
    }
    let groups: Vec<Vec<String>> = groups.unwrap_or_default();
    for script in &mut found {
        let is_in = |group: &&Vec<String>| group.iter().all(|step| script.steps.contains(step));
        script.together = groups.iter().filter(is_in).cloned().collect();
    }
    found
}

/// The same steps where each cell of the result has numbers of its own, as the mean of its column: they
/// become arrays of all columns first.
fn columns_of_lets(request: &Request<'_>, lanes: u32, judge: &mut dyn Judge) -> Option<Vec<String>> {
    let (gens, lets) = around(request.body);
    let [_] = gens.as_slice() else { return None };
    let hoists: Vec<String> = lets.iter().map(|name| format!("hoist {name}")).collect();
    let body = judge.derive(&hoists).ok().filter(|_| !hoists.is_empty())?;
    let columns =
        columns(&Request { body: &body, ..request.clone() }, &Structure::of(&body, request.known()), lanes)?;
    Some([hoists, columns].concat())
}

/// A program after some steps.
struct Begun {
    steps: Vec<String>,
    body: Expr,
    structure: Structure,
}

impl Begun {
    fn of(structure: &Structure, body: &Expr, steps: Vec<String>) -> Begun {
        Begun { steps, body: body.clone(), structure: structure.clone() }
    }
}

/// The steps that make copies of operands, and what the program is then.
fn across(
    request: &Request<'_>,
    source: &Structure,
    judge: &mut dyn Judge,
) -> (Vec<String>, Option<Structure>) {
    let steps = copies(request, source);
    match judge.derive(&steps) {
        Ok(body) if !steps.is_empty() => (steps, Some(Structure::of(&body, request.known()))),
        _ => (Vec::new(), None),
    }
}

/// Are there few enough terms that all of them are written out?
pub(super) fn is_written_out(nest: &Nest) -> bool {
    let terms = nest.terms.iter().map(crate::extent::Extent::literal);
    terms.into_iter().try_fold(1_i64, |all, n| n.map(|n| all.saturating_mul(n))).is_some_and(|n| n <= WRITTEN)
}

/// The steps for sums along columns, of the result and of producers around all loops: they are added up row
/// by row, as memory has them, some rows in one round, so that the sums are read and stored once for these.
/// Each sum adds in the order written.
fn columns(request: &Request<'_>, source: &Structure, lanes: u32) -> Option<Vec<String>> {
    let body = request.body;
    let (all, mut reads) = (binders(body), Vec::new());
    collect(body, &mut Vec::new(), request.names, &mut reads)?;
    let outside = source.producers.iter().filter(|p| p.outside).map(|p| &p.nest);
    let named = |name: &String| all.iter().filter(|place| *place.label.name == **name).count();
    let runs_along = |column: &String| {
        let mut own = reads.iter().filter(|read| read.follows(column));
        // What lies in rows that arrays name is in no order.
        own.all(|read| read.is_exact() && read.indices.last().is_some_and(|last| last.contains(column)))
    };
    let is_column = |nest: &&Nest| nest.reuse.is_none() && !is_written_out(nest) && nest.sums.len() == 1;
    let nests = outside.chain([&source.nest]).filter(is_column);
    let labels = all.iter().map(|place| place.label.name.to_string());
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let mut taken: BTreeSet<String> = request.names.values().cloned().chain(sizes).chain(labels).collect();
    let (mut steps, mut own, mut renamed) = (Vec::new(), Vec::new(), Vec::new());
    for nest in nests {
        let (Some(column), Some(row)) = (nest.gens.last(), nest.sums.first()) else { continue };
        let is_short = |n: i64| n < i64::from(lanes);
        let is_few = nest.counts.last().and_then(|count| count.literal()).is_some_and(is_short);
        let others = named(row) - renamed.iter().filter(|other| *other == row).count();
        if is_few || !runs_along(column) || (others > 1 && nest.within.is_none()) {
            continue;
        }
        own.push((nest.within.as_deref(), column.as_str()));
        let column = nest.within.iter().chain([column]).cloned().collect::<Vec<_>>().join("/");
        let mut rounds = row.clone();
        // Rounds are named without the `let` around them.
        if let Some(within) = nest.within.as_ref().filter(|_| others > 1) {
            renamed.push(row.clone());
            rounds = fresh(&mut taken, ROWS);
            steps.push(format!("rename {within}/{row} to {rounds}"));
        }
        steps.push(format!("rw sum_as_iterate at {rounds}"));
        steps.push(format!("unroll {rounds} by {TOGETHER}"));
        steps.push(format!("vectorize {column} by {lanes}"));
        steps.push(format!("batch {column}"));
    }
    if own.is_empty() {
        return None;
    }
    let is_free = |place: &Place| {
        let within = place.within.last().map(|name| &**name);
        !own.contains(&(within, &*place.label.name))
    };
    steps.extend(vectors(body, source, &is_free, lanes));
    Some(steps)
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
