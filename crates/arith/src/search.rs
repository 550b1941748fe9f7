//! The search for a refutation.
//!
//! One idea: keep a point that satisfies the linear relaxation of what is known, monomials being unknowns
//! of their own, and add only what the point violates. In order of cost: the facts at hand; Euclid's
//! inequalities for the quotients they mention and the bounds of minima and maxima; gcd cuts; one side
//! after the other of a disjunction that the point violates; products of facts; a case distinction. When
//! no point is left, the simplex names a combination of facts that is a negative constant, and that is
//! the certificate. When the point, read as values of the variables, satisfies the hypotheses and denies
//! the goal, there is nothing to prove and the search ends at once.
//!
//! The search is not complete (nonlinear integer arithmetic has no complete one): it ends when nothing
//! here applies, or the budget of [`Work`] is spent.

use crate::eval::{eval_poly, eval_pred};
use crate::intern::{AtomId, Map, Mono, Row, Table};
use crate::proof::{FactId, On, PendingId, Proof, Source, Steps};
use crate::readback::ix_of;
use crate::shortcut;
use crate::simplex::{Combination, RowId, Simplex};
use crate::work::{GiveUp, Work};
use atl_kernel::cert::{Cert, Derive, Facts, Pending};
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Ctx, Entry, Pred};
use std::cmp::Ordering;
use std::sync::Arc;

/// Splits and case distinctions nest at most this deep.
const MAX_DEPTH: usize = 40;
/// So many case distinctions on one path.
pub(crate) const MAX_CASES: usize = 6;
/// So many rounds of Gomory cuts on one path, and cuts in a round.
const CUT_ROUNDS: usize = 6;
const CUTS: usize = 3;

/// How a search ended.
pub(crate) enum Outcome {
    /// With a certificate.
    Proved(Cert),
    /// With values, by level, for the variables that matter; all others may be zero.
    Refuted(Vec<(u32, i64)>),
    /// With nothing.
    Unknown,
}

/// Why a branch was left open.
pub(crate) enum Stop {
    Model(Vec<(u32, i64)>),
    GiveUp,
}

impl From<GiveUp> for Stop {
    fn from(_: GiveUp) -> Stop {
        Stop::GiveUp
    }
}

/// A row of the linear relaxation: a product of facts, or (without factors) what a lemma denies.
pub(crate) struct Known {
    pub(crate) row: Row,
    pub(crate) factors: Vec<FactId>,
}

/// What a fact is good for.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    /// Any reasoning, products too.
    Any,
    /// Linear combinations.
    Linear,
}

/// Whose atoms to define.
#[derive(Clone, Copy)]
enum Scope {
    /// Those of facts in the dictionary.
    Dictionary,
    /// Those of all facts in view.
    Facts,
}

/// A case distinction.
pub(crate) struct Case {
    /// On this.
    pub(crate) pred: Pred,
    /// What each side assumes is worth multiplying by this fact.
    pub(crate) times: Option<FactId>,
}

/// Which facts are considered.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum View {
    /// Those that share a monomial with the dictionary, which starts from the goal, or with what was derived.
    #[default]
    Near,
    /// All, in case the hypotheses contradict each other.
    All,
}

/// One side of a disjunction.
#[derive(Clone, Default)]
struct Side {
    rows: Vec<Option<Row>>,
    pending: Vec<Pending>,
}

/// What holds on a branch, and how far it has been explored.
#[derive(Clone, Default)]
pub(crate) struct Node {
    pub(crate) lp: Simplex,
    /// Which rows the dictionary has.
    in_lp: Vec<bool>,
    /// Facts: hypotheses, and what was derived for use in products too.
    pub(crate) facts: Vec<RowId>,
    /// Cuts and products: for linear reasoning only.
    pub(crate) extra: Vec<RowId>,
    pending: Vec<PendingId>,
    /// The atoms whose facts are there; for those where they could not be had, how many facts there were.
    pub(crate) done: Vec<(AtomId, Option<usize>)>,
    view: View,
    /// The monomials of the dictionary, of definitions and of products.
    pub(crate) seen: Vec<bool>,
    cut_rounds: usize,
    /// Which products were tried, and with how many facts.
    pub(crate) product_level: (usize, usize),
    pub(crate) cases: usize,
}

impl Node {
    /// Has the monomial come into view?
    pub(crate) fn sees(&self, m: Mono) -> bool {
        self.seen.get(m as usize) == Some(&true)
    }

    /// The monomials of this row are seen from now on.
    pub(crate) fn see(&mut self, row: &Row) {
        for (m, _) in &row.terms {
            let m = *m as usize;
            if self.seen.len() <= m {
                self.seen.resize(m + 1, false);
            }
            self.seen[m] = true;
        }
    }
}

/// One query.
pub(crate) struct Search {
    pub(crate) work: Work,
    pub(crate) table: Table,
    pub(crate) rows: Vec<Known>,
    pub(crate) products: Map<Vec<FactId>, Option<RowId>>,
    pub(crate) constants: Map<i64, FactId>,
    steps: Steps,
    facts: Vec<Option<Row>>,
    given: Facts,
    pending: Vec<Pending>,
    /// From this one on, disjunctions stem from the goal or from a split.
    goal_pending: PendingId,
    sides: Map<PendingId, [Side; 2]>,
}

impl Search {
    /// Look for a proof of `goal` in `ctx`; the work spent on it.
    pub(crate) fn run(ctx: &Ctx, goal: &Pred, limit: u64) -> (Outcome, u64) {
        let Ok(mut given) = Facts::refuting(ctx, goal) else {
            return (Outcome::Unknown, 0);
        };
        let (mut polys, mut pending) = (0, 0);
        for entry in ctx.entries() {
            if let Entry::Hyp(_, known) = entry {
                polys += known.polys.len();
                pending += known.pending.len();
            }
        }
        if let Some(cert) = shortcut::refute(&mut given, polys, pending) {
            return (Outcome::Proved(cert), 0);
        }
        let mut search = Search {
            work: Work::new(limit),
            table: Table::default(),
            rows: Vec::new(),
            products: Map::default(),
            constants: Map::default(),
            steps: Steps::default(),
            facts: Vec::new(),
            pending: Vec::new(),
            goal_pending: pending,
            sides: Map::default(),
            given,
        };
        let outcome = match search.start(polys) {
            Ok(proof) => Outcome::Proved(search.steps.certificate(&proof)),
            Err(Stop::Model(values)) => Outcome::Refuted(values),
            Err(Stop::GiveUp) => Outcome::Unknown,
        };
        (outcome, search.work.spent())
    }

    fn start(&mut self, goal: usize) -> Result<Proof, Stop> {
        let given = self.given.clone();
        let mut node = Node::default();
        let rows = given.polys.iter().map(|p| self.table.row(p)).collect();
        self.learn(&mut node, Source::Assumed, rows, given.pending.clone())?;
        for k in 0..node.facts.len() {
            let row = node.facts[k];
            if self.rows[row].factors.first().is_some_and(|f| *f >= goal) {
                self.enter(&mut node, row)?;
            }
        }
        self.refute(node, 0)
    }

    /// Record a step and what it yields, with gcd cuts.
    pub(crate) fn learn(
        &mut self,
        node: &mut Node,
        source: Source,
        rows: Vec<Option<Row>>,
        pending: Vec<Pending>,
    ) -> Result<(), GiveUp> {
        let mut cuts = Vec::new();
        let step = self.steps.push(source, rows.len(), pending.len()).clone();
        node.pending.extend(&step.pending);
        self.pending.extend(pending);
        for (fact, row) in step.facts.iter().zip(rows) {
            self.facts.push(row.clone());
            let Some(row) = row else { continue };
            self.work.spend(row.terms.len() + 1)?;
            let cut = i64::try_from(row.content()).ok().filter(|g| *g > 1 && row.constant % g != 0);
            match cut {
                Some(g) => cuts.push((*fact, g, row.cut(g))),
                None => self.hold(node, *fact, row, Use::Any),
            }
        }
        for (fact, g, row) in cuts {
            let cut = self.record(Source::Cut(fact, i128::from(g)), row.clone());
            self.hold(node, cut, row, Use::Any);
        }
        Ok(())
    }

    /// A fact holds on a branch; nothing new where another says the same.
    pub(crate) fn hold(&mut self, node: &mut Node, fact: FactId, row: Row, purpose: Use) {
        let trivial = row.terms.is_empty() && row.constant >= 0;
        if trivial || node.facts.iter().any(|r| self.rows[*r].row == row) {
            return;
        }
        let list = match purpose {
            Use::Linear => &mut node.extra,
            Use::Any => &mut node.facts,
        };
        list.push(self.rows.len());
        self.rows.push(Known { row, factors: vec![fact] });
    }

    /// Put a row into the dictionary.
    pub(crate) fn enter(&mut self, node: &mut Node, id: RowId) -> Result<(), GiveUp> {
        if node.in_lp.len() <= id {
            node.in_lp.resize(id + 1, false);
        }
        node.in_lp[id] = true;
        node.see(&self.rows[id].row);
        node.lp.add(id, &self.rows[id].row, &mut self.work)
    }

    /// Is this row considered on this branch?
    pub(crate) fn in_view(&self, node: &Node, id: RowId) -> bool {
        let row = &self.rows[id].row;
        node.view == View::All || row.terms.is_empty() || row.terms.iter().any(|(m, _)| node.sees(*m))
    }

    /// Bring in what the current point violates until it satisfies everything known, or none can.
    pub(crate) fn solve(&mut self, node: &mut Node) -> Result<Option<Combination>, GiveUp> {
        loop {
            if let Some(conflict) = node.lp.solve(&mut self.work)? {
                return Ok(Some(conflict));
            }
            let mut violated = Vec::new();
            for id in node.facts.iter().chain(&node.extra) {
                if node.in_lp.get(*id) != Some(&true) && self.in_view(node, *id) {
                    let row = &self.rows[*id].row;
                    self.work.spend(row.terms.len())?;
                    if node.lp.row_value(row).ok_or(GiveUp)?.sign() == Ordering::Less {
                        violated.push(*id);
                    }
                }
            }
            if violated.is_empty() {
                return Ok(None);
            }
            for id in violated {
                self.enter(node, id)?;
            }
        }
    }

    /// The parts of a kernel combination.
    pub(crate) fn parts(&self, combination: &[(i128, RowId)]) -> Vec<(i128, Vec<FactId>)> {
        let mut parts: Vec<_> =
            combination.iter().map(|(k, id)| (*k, self.rows[*id].factors.clone())).collect();
        parts.sort_by(|a, b| a.1.cmp(&b.1));
        parts
    }

    pub(crate) fn refute(&mut self, mut node: Node, depth: usize) -> Result<Proof, Stop> {
        if depth > MAX_DEPTH {
            return Err(Stop::GiveUp);
        }
        loop {
            self.work.spend(16)?;
            if let Some(conflict) = self.solve(&mut node)? {
                return Ok(Proof::Close(self.parts(&conflict)));
            }
            if let Some(p) = node.pending.iter().find(|p| **p >= self.goal_pending) {
                return self.split(node.clone(), *p, depth);
            }
            if let Some(values) = self.model(&node) {
                return Err(Stop::Model(values));
            }
            if self.instantiate(&mut node, Scope::Dictionary)? || self.cut(&mut node)? {
                continue;
            }
            if let Some(p) = self.violated(&node)? {
                return self.split(node, p, depth);
            }
            if self.instantiate(&mut node, Scope::Facts)? {
                continue;
            }
            let known = node.facts.len();
            if let Some(case) = self.quotient(&mut node)? {
                return self.distinguish(node, case, depth);
            }
            if node.facts.len() > known || self.multiply(&mut node)? {
                continue;
            }
            if node.cases < MAX_CASES
                && let Some(case) = self.distinction(&mut node)?
            {
                node.cases += 1;
                return self.distinguish(node, case, depth);
            }
            match node.pending.first() {
                _ if node.view == View::Near => node.view = View::All,
                Some(p) => return self.split(node.clone(), *p, depth),
                None => return Err(Stop::GiveUp),
            }
        }
    }

    /// The current point as values of the variables, if the hypotheses hold there and the goal does not.
    fn model(&self, node: &Node) -> Option<Vec<(u32, i64)>> {
        let mut values = Vec::new();
        for id in 0..self.table.atom_count() as u32 {
            if let Atom::Var(level) = **self.table.atom(id) {
                let value = self.table.atom_mono(id).map_or(0, |m| node.lp.value(m).floor());
                values.push((level, value));
            }
        }
        values.sort_unstable();
        let value = |l: u32| values.binary_search_by_key(&l, |v| v.0).ok().map(|k| values[k].1);
        let holds = self.given.polys.iter().all(|p| eval_poly(p, &value).is_some_and(|v| v >= 0))
            && self.given.pending.iter().all(|(p, truth)| eval_pred(p, &value) == Some(*truth));
        holds.then_some(values)
    }

    /// Derive what defines the quotients, minima and maxima that are mentioned.
    fn instantiate(&mut self, node: &mut Node, scope: Scope) -> Result<bool, GiveUp> {
        let mut wanted = Vec::new();
        let within = |id: &&RowId| match scope {
            Scope::Dictionary => node.in_lp.get(**id) == Some(&true),
            Scope::Facts => self.in_view(node, **id),
        };
        for id in node.facts.iter().filter(within) {
            for (m, _) in &self.rows[*id].row.terms {
                for a in self.table.factors(*m) {
                    let defined = !matches!(**self.table.atom(*a), Atom::Var(_));
                    let tried = |(b, facts): &(u32, Option<usize>)| {
                        b == a && facts.is_none_or(|n| n == node.facts.len())
                    };
                    if defined && !wanted.contains(a) && !node.done.iter().any(tried) {
                        wanted.push(*a);
                    }
                }
            }
        }
        let mut progress = false;
        for a in wanted {
            let known = self.define(node, a)?;
            node.done.retain(|d| d.0 != a);
            node.done.push((a, if known { None } else { Some(node.facts.len()) }));
            progress |= known;
        }
        Ok(progress)
    }

    fn define(&mut self, node: &mut Node, a: u32) -> Result<bool, GiveUp> {
        let atom = self.table.atom(a).clone();
        let (p, q) = match &*atom {
            Atom::Var(_) => return Ok(false),
            Atom::Div(p, q) | Atom::Min(p, q) | Atom::Max(p, q) => (p, q),
        };
        let (Some(x), Some(y)) = (ix_of(p), ix_of(q)) else {
            return Ok(false);
        };
        let mut yielded = Facts::default();
        let (step, source) = match &*atom {
            Atom::Min(..) => (Derive::Min(x.clone(), y.clone()), Source::Min(x, y)),
            Atom::Max(..) => (Derive::Max(x.clone(), y.clone()), Source::Max(x, y)),
            _ => {
                let Some(positive) = self.positive(node, q)? else {
                    return Ok(false);
                };
                let Ok(bound) = q.minus(&Poly::constant(1)) else {
                    return Ok(false);
                };
                yielded.polys.push(Arc::new(bound));
                (Derive::Euclid(x.clone(), y.clone(), 0), Source::Euclid(x, y, positive))
            }
        };
        let skip = yielded.polys.len();
        if yielded.derive(&step).is_err() {
            return Ok(false);
        }
        let rows: Vec<_> = yielded.polys[skip..].iter().map(|p| self.table.row(p)).collect();
        rows.iter().flatten().for_each(|row| node.see(row));
        self.learn(node, source, rows, yielded.pending)?;
        Ok(true)
    }

    /// The fact that a row stands for exactly.
    pub(crate) fn fact_saying(&self, node: &Node, row: &Row) -> Option<FactId> {
        node.facts.iter().find(|id| self.rows[**id].row == *row).map(|id| self.rows[*id].factors[0])
    }

    /// The row of a fact; `None` where its coefficients do not fit.
    pub(crate) fn fact_row(&self, fact: FactId) -> Option<Row> {
        self.facts[fact].clone()
    }

    /// Record a step that yields one fact.
    pub(crate) fn record(&mut self, source: Source, row: Row) -> FactId {
        let fact = self.steps.push(source, 1, 0).facts[0];
        self.facts.push(Some(row));
        fact
    }

    /// Derive `(constant + combination) / divisor`, rounded down, as a fact.
    pub(crate) fn derive(
        &mut self,
        combination: &[(i128, RowId)],
        constant: i128,
        divisor: i128,
    ) -> Result<Option<FactId>, GiveUp> {
        let sum = Row::sum(combination.iter().map(|(k, id)| (*k, &self.rows[*id].row)));
        let (Some(mut row), Ok(over), Ok(d)) = (sum, i64::try_from(constant), i64::try_from(divisor)) else {
            return Ok(None);
        };
        row.constant = row.constant.checked_add(over).ok_or(GiveUp)?;
        let mut parts = self.parts(combination);
        if constant > 0 {
            parts.push((constant, Vec::new()));
        }
        self.work.spend(row.terms.len() + parts.len())?;
        if d <= 0 || row.terms.iter().any(|(_, c)| c % d != 0) {
            return Ok(None);
        }
        let cut = row.cut(d);
        let fact = self.record(Source::Combine(parts), row);
        Ok(Some(if d == 1 { fact } else { self.record(Source::Cut(fact, divisor), cut) }))
    }

    /// Gomory cuts at a point with fractions.
    fn cut(&mut self, node: &mut Node) -> Result<bool, GiveUp> {
        if node.cut_rounds >= CUT_ROUNDS {
            return Ok(false);
        }
        node.cut_rounds += 1;
        let before = node.extra.len();
        for (combination, divisor) in node.lp.cuts(CUTS) {
            if let Some(fact) = self.derive(&combination, 0, divisor)?
                && let Some(row) = self.fact_row(fact)
            {
                self.hold(node, fact, row, Use::Linear);
            }
        }
        Ok(node.extra.len() > before)
    }

    fn sides(&mut self, p: PendingId) -> &[Side; 2] {
        let (table, pending) = (&mut self.table, &self.pending);
        self.sides.entry(p).or_insert_with(|| {
            [true, false].map(|left| {
                let mut facts = Facts { polys: Vec::new(), pending: vec![pending[p].clone()] };
                match facts.assume_side(0, left) {
                    Ok(()) => Side {
                        rows: facts.polys.iter().map(|p| table.row(p)).collect(),
                        pending: facts.pending.split_off(1),
                    },
                    Err(_) => Side { rows: vec![None], pending: Vec::new() },
                }
            })
        })
    }

    /// A disjunction of which the current point satisfies neither side.
    fn violated(&mut self, node: &Node) -> Result<Option<PendingId>, GiveUp> {
        for p in &node.pending {
            let (mut satisfied, mut seen) = (false, node.view == View::All);
            for side in self.sides(*p) {
                let monos = side.rows.iter().flatten().flat_map(|row| &row.terms);
                seen |= monos.into_iter().any(|(m, _)| node.sees(*m));
                let below = |row: &Option<Row>| match row {
                    Some(row) => node.lp.row_value(row).is_none_or(|v| v.sign() == Ordering::Less),
                    None => false,
                };
                satisfied |= !side.rows.iter().any(below);
            }
            self.work.spend(4)?;
            if seen && !satisfied {
                return Ok(Some(*p));
            }
        }
        Ok(None)
    }

    /// Refute both sides of a disjunction; one that needs none of its side refutes all.
    fn split(&mut self, mut node: Node, p: PendingId, depth: usize) -> Result<Proof, Stop> {
        node.pending.retain(|q| *q != p);
        let sides = self.sides(p).clone();
        self.branches(node, On::Pending(p), sides, None, depth)
    }

    fn distinguish(&mut self, node: Node, case: Case, depth: usize) -> Result<Proof, Stop> {
        let sides = [true, false].map(|holds| {
            let mut facts = Facts::default();
            match facts.assume(&case.pred, holds) {
                Ok(()) => Side {
                    rows: facts.polys.iter().map(|p| self.table.row(p)).collect(),
                    pending: facts.pending,
                },
                Err(_) => Side { rows: vec![None], pending: Vec::new() },
            }
        });
        self.branches(node, On::Case(case.pred), sides, case.times, depth)
    }

    fn branches(
        &mut self,
        node: Node,
        on: On,
        sides: [Side; 2],
        times: Option<FactId>,
        depth: usize,
    ) -> Result<Proof, Stop> {
        let mut proofs = Vec::with_capacity(2);
        for side in sides {
            let mut branch = node.clone();
            let known = branch.facts.len();
            let assumed = self.steps.len();
            self.learn(&mut branch, Source::Assumed, side.rows, side.pending)?;
            for k in known..branch.facts.len() {
                let row = branch.facts[k];
                self.enter(&mut branch, row)?;
                if let Some(times) = times {
                    let factors = vec![self.rows[row].factors[0], times];
                    let known = branch.extra.len();
                    self.propose(factors, &mut branch.extra)?;
                    for id in branch.extra[known..].to_vec() {
                        self.enter(&mut branch, id)?;
                    }
                }
            }
            let proof = self.refute(branch, depth + 1)?;
            if !self.steps.needs(&proof).contains(&assumed) {
                return Ok(proof);
            }
            proofs.push((assumed, proof));
        }
        match <[_; 2]>::try_from(proofs) {
            Ok(proofs) => Ok(Proof::Split(on, Box::new(proofs))),
            Err(_) => Err(Stop::GiveUp),
        }
    }
}
