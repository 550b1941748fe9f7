//! Reductions in the lanes of vectors: several accumulators, each a vector, where a sum runs along memory.
//!
//! **The one idea.** A sum along a row is one chain of additions, each waiting for the one before. Each
//! lane of a few vectors takes every so-many-th term instead, and the lanes are added at the end; what is
//! no whole block of vectors is added vector by vector, with lanes beyond the end idle. That reorders the
//! terms, so it is `real` for floats. Nothing is known of what is added: a maximum, a product, or any
//! addition that commutes.

use super::exact::Exact;
use super::steps::terms;
use crate::Request;
use crate::names::fresh;
use crate::structure::is_name;
use atl_kernel::{Expr, Ix, IxOp, LoopKind, Node, Var};
use atl_schedule::nest::{Place, Sort, binders, qualified, subterm};
use std::collections::BTreeSet;

/// How many vectors are added up at once: an addition takes as many cycles, and two begin in each.
const VECTORS: u32 = 4;

/// The memory in which all is added up, the vectors, their sum, the vector of what is left over,
/// and the loop over its terms.
const ALL: &str = "total";
const EACH: &str = "lanes";
const TERM: &str = "term";
const NAMES: [&str; 5] = [ALL, EACH, "part", "rest", TERM];

/// The loops whose terms are taken in lanes, outermost first.
pub(super) struct Lanes {
    sums: Vec<Place>,
}

impl Lanes {
    /// Those of a body: sums of many terms, without loops over cells or other long sums inside, that read
    /// along memory.
    /// Those that are not allowed stay.
    pub(super) fn of(body: &Expr, few: i64, allows: &dyn Fn(&Expr) -> bool) -> Lanes {
        Lanes::that(body, few, Places::Known, allows)
    }

    /// The same, where what is read besides may lie where arrays say. A sum that searches stays: in parts, its
    /// loop would look at all places.
    pub(super) fn of_entries(body: &Expr, few: i64) -> Lanes {
        Lanes::that(body, few, Places::Read, &|_| true)
    }

    fn that(body: &Expr, few: i64, places: Places, allows: &dyn Fn(&Expr) -> bool) -> Lanes {
        let all = binders(body);
        let sums = all.iter().filter(|place| place.sort == Sort::Sum && is_name(&place.label.name));
        let is_short = |place: &Place| terms(body, place).is_some_and(|n| n <= few);
        let is_alone = |sum: &&Place| {
            let below = |p: &&Place| p.path.len() > sum.path.len() && p.path.starts_with(&sum.path);
            all.iter().filter(below).all(|p| p.sort == Sort::Let || (p.sort == Sort::Sum && is_short(p)))
        };
        let runs_along = |sum: &&Place| match subterm(body, &sum.path).map(|e| &**e) {
            Some(Node::Sum(_, _, inner)) => {
                let mut along = Along { places, reads: 0, apart: false };
                along.look(inner, 0);
                along.reads > 0 && !along.apart && !has_operator(inner) && allows(inner)
            }
            _ => false,
        };
        let searches = |sum: &&Place| sum.label.kind == LoopKind::Search;
        let sums = sums.filter(|sum| !is_short(sum) && !searches(sum)).filter(is_alone).filter(runs_along);
        Lanes { sums: sums.cloned().collect() }
    }

    /// Where they are.
    pub(super) fn sums(&self) -> &[Place] {
        &self.sums
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Is one of them inside the loop at this place?
    pub(super) fn are_in(&self, place: &Place) -> bool {
        self.sums.iter().any(|sum| sum.path.starts_with(&place.path))
    }

    /// What a step says to be about each of the sums of this name.
    fn every(&self, body: &Expr, name: &str) -> &'static str {
        let named = self.sums.iter().filter(|sum| qualified(body, sum) == name).count();
        if named > 1 { " everywhere" } else { "" }
    }

    /// The steps that add up each in a few accumulators, none of which waits for another. They are numbers:
    /// where there are few terms, vectors would be more to add up than these.
    pub(super) fn accumulators(&self, body: &Expr, request: &Request<'_>) -> Vec<String> {
        let mut taken = taken(body, request);
        let (mut all_steps, mut marks) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for sum in self.sums.iter().filter(|sum| seen.insert(qualified(body, sum))) {
            let (whole, j) = (qualified(body, sum), &sum.label.name);
            let [all, each, term] = [ALL, EACH, TERM].map(|name| fresh(&mut taken, name));
            all_steps.extend([
                format!("stage {whole} as {all}"),
                format!("rename {all}/{j} to {term}"),
                format!("rw sum_tile_tail at {all}/{term}{} with k = {VECTORS}", self.every(body, &whole)),
                format!("reorder {all}/i.i, {all}/i.o"),
                format!("rfactor {all}/i.i as {each}"),
                format!("reorder {each}/i.o, {each}/i.i"),
            ]);
            marks.push(format!("store {each} in register"));
            marks.push(format!("unroll {each}/i.i, {all}/i.i"));
        }
        [all_steps, marks].concat()
    }

    /// For each, the steps that make them, and the steps that run them in vectors, which come after all
    /// others: of as many lanes as its widest numbers have, or else of this many.
    pub(super) fn steps(&self, body: &Expr, exact: Exact<'_>, lanes: u32) -> Vec<[Vec<String>; 2]> {
        let request = exact.request;
        let mut taken = taken(body, request);
        let mut all_steps = Vec::new();
        let mut seen = BTreeSet::new();
        for sum in self.sums.iter().filter(|sum| seen.insert(qualified(body, sum))) {
            let (whole, j) = (qualified(body, sum), &sum.label.name);
            let [all, vectors, part, rest, term] = NAMES.map(|name| fresh(&mut taken, name));
            let own = match subterm(body, &sum.path).map(|e| &**e) {
                Some(Node::Sum(_, _, term)) => exact.lanes(term),
                _ => None,
            };
            let lanes = own.unwrap_or(lanes);
            let block = VECTORS * lanes;
            let steps = vec![
                format!("stage {whole} as {all}"),
                format!("rename {all}/{j} to {term}"),
                format!("rw sum_tile_tail at {all}/{term}{} with k = {block}", self.every(body, &whole)),
                format!("reorder {all}/i.i, {all}/i.o"),
                format!("rfactor {all}/i.i as {vectors}"),
                format!("rename {vectors}/i.i to lane"),
                format!("split {all}/i.i by {lanes}"),
                format!("reorder {all}/i.i.i, {all}/i.i.o"),
                format!("rfactor {all}/i.i.i as {part}"),
                format!("split {vectors}/lane by {lanes}"),
                format!("reorder {vectors}/i.o, {vectors}/lane.o, {vectors}/lane.i"),
                format!("split {all}/{term} by {lanes}"),
                format!("reorder {all}/{term}.i, {all}/{term}.o"),
                format!("rfactor {all}/{term}.i as {rest}"),
                format!("reorder {rest}/{term}.o, {rest}/{term}.i"),
            ];
            let mut marks: Vec<String> =
                [&vectors, &part, &rest].map(|name| format!("store {name} in register")).to_vec();
            marks.push(format!("unroll {vectors}/lane.o, {part}/i.i.o, {all}/i.i.i, {all}/{term}.i"));
            let loops = [format!("{vectors}/lane.i"), format!("{part}/i.i.i"), format!("{rest}/{term}.i")];
            marks.extend(loops.map(|name| format!("vectorize {name} by {lanes}")));
            all_steps.push([steps, marks]);
        }
        all_steps
    }
}

/// The names of a program.
fn taken(body: &Expr, request: &Request<'_>) -> BTreeSet<String> {
    // `X/L` is also a loop of the result `X`.
    let labels = binders(body).into_iter().flat_map(|place| place.part.into_iter().chain([place.label.name]));
    let labels = labels.map(|name| name.to_string());
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    labels.chain(request.names.values().cloned()).chain(sizes).collect()
}

/// Where cells may be that are read beside those along memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    /// In one place.
    Known,
    /// Where an array says that is read along memory.
    Read,
}

/// How a term reads memory as the index of a loop grows.
struct Along {
    places: Places,
    /// How many reads move by one cell.
    reads: usize,
    /// Does one move by more, or by what arrays hold?
    apart: bool,
}

impl Along {
    /// Looks at the reads of a term below the loop and that many other binders.
    fn look(&mut self, e: &Expr, depth: u32) {
        let index = Var::Bound(depth);
        if let Node::Get(base, last) = &**e {
            match stride(last, &index) {
                Some(0) => {}
                Some(1) => self.reads += 1,
                _ => self.apart |= !(self.places == Places::Read && is_gathered(last, &index)),
            }
            let mut base = base;
            while let Node::Get(inner, ix) = &**base {
                self.apart |= stride(ix, &index) != Some(0);
                base = inner;
            }
            if !matches!(**base, Node::Var(_)) {
                self.look(base, depth);
            }
            return;
        }
        for at in e.children() {
            let Some(child) = e.child(at) else { continue };
            self.look(child, depth + e.binds(at));
        }
    }
}

/// Is there an operator in the term, whose cells are a loop?
fn has_operator(e: &Expr) -> bool {
    matches!(**e, Node::Op(..)) || e.children().filter_map(|at| e.child(at)).any(has_operator)
}

/// Is the index read from an array along memory?
fn is_gathered(ix: &Ix, of: &Var) -> bool {
    matches!(ix, Ix::Read(_, at) if at.iter().map(|ix| stride(ix, of)).eq([Some(1)]))
}

/// By how much an index grows with a variable; none where that is not a number.
fn stride(ix: &Ix, of: &Var) -> Option<i64> {
    match ix {
        Ix::Lit(_) => Some(0),
        Ix::Var(var) => Some(i64::from(var == of)),
        Ix::Bin(op, ab) => match (op, stride(&ab.0, of)?, stride(&ab.1, of)?) {
            (_, 0, 0) => Some(0),
            (IxOp::Add, a, b) => a.checked_add(b),
            (IxOp::Sub, a, b) => a.checked_sub(b),
            _ => None,
        },
        Ix::Read(_, at) => at.iter().all(|ix| stride(ix, of) == Some(0)).then_some(0),
    }
}
