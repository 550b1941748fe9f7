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

use crate::define::{Scope, narrow};
use crate::eval::{eval_poly, eval_pred};
use crate::instance::Said;
use crate::intern::{Map, Row, Table};
use crate::matching::{InstanceId, Sight};
use crate::node::{Known, Node, Use, View};
use crate::proof::{FactId, PendingId, Proof, Source, Steps};
use crate::shortcut;
use crate::simplex::RowId;
use crate::split::Side;
use crate::work::{GiveUp, Work};
use atl_kernel::cert::{Cert, Facts, Pending};
use atl_kernel::poly::Atom;
use atl_kernel::{Ctx, Entry, Pred};
use std::sync::Arc;

/// Splits and case distinctions nest at most this deep. Each instance of a hypothesis for all integers takes one or two: what is stated of
/// three tensors of three levels takes some seventy.
const MAX_DEPTH: usize = 80;
/// So many case distinctions on one path.
const MAX_CASES: usize = 6;
/// So many rounds of Gomory cuts on one path, and cuts in a round.
const CUT_ROUNDS: usize = 6;
/// So many where a search that ended early is tried once more: each round more makes others slower, or puts them out of reach.
const MORE_CUT_ROUNDS: usize = 12;
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

/// One query.
pub(crate) struct Search {
    pub(crate) work: Work,
    pub(crate) table: Table,
    pub(crate) steps: Steps,
    /// The row of each fact; none where its coefficients do not fit.
    pub(crate) facts: Vec<Option<Row>>,
    pub(crate) rows: Vec<Known>,
    /// The rows of products, by their factors.
    pub(crate) products: Map<Vec<FactId>, Option<RowId>>,
    /// Facts that say that a constant is not negative.
    pub(crate) constants: Map<i64, FactId>,
    pub(crate) pending: Vec<Pending>,
    /// From this one on, disjunctions stem from the goal or from a split.
    goal_pending: PendingId,
    /// What the sides of disjunctions assume, once asked for.
    pub(crate) sides: Map<PendingId, Option<[Side; 2]>>,
    cut_rounds: usize,
    /// The hypotheses and the denied goal.
    pub(crate) given: Facts,
    pub(crate) sight: Sight,
    pub(crate) said: Map<InstanceId, Option<Arc<Said>>>,
}

impl Search {
    /// Look for a proof of `goal` in `ctx`; the work spent on it.
    pub(crate) fn run(ctx: &Ctx, goal: &Pred, limit: u64) -> (Outcome, u64) {
        Search::with_cuts(ctx, goal, limit, CUT_ROUNDS)
    }

    /// [`Search::run`] with more cuts.
    pub(crate) fn run_longer(ctx: &Ctx, goal: &Pred, limit: u64) -> (Outcome, u64) {
        Search::with_cuts(ctx, goal, limit, MORE_CUT_ROUNDS)
    }

    fn with_cuts(ctx: &Ctx, goal: &Pred, limit: u64, cut_rounds: usize) -> (Outcome, u64) {
        let Ok(mut given) = Facts::refuting(ctx, goal) else {
            return (Outcome::Unknown, 0);
        };
        let (mut polys, mut pending) = (0, 0);
        for known in ctx.entries().filter_map(Entry::facts) {
            polys += known.polys.len();
            pending += known.pending.len();
        }
        narrow(&mut given.ranges, goal);
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
            cut_rounds,
            sight: Sight::of(&given.general),
            said: Map::default(),
            given,
        };
        let outcome = match search.start(polys) {
            Ok(cert) => Outcome::Proved(cert),
            Err(Stop::Model(values)) => Outcome::Refuted(values),
            Err(Stop::GiveUp) => Outcome::Unknown,
        };
        (outcome, search.work.spent())
    }

    /// Take in the hypotheses, which are `polys` facts and the rest of the disjunctions, then the goal.
    fn start(&mut self, polys: usize) -> Result<Cert, Stop> {
        let Facts { polys: all, pending, .. } = self.given.clone();
        let rows: Vec<Option<Row>> = all.iter().map(|p| self.table.row(p)).collect();
        let (hypotheses, goal) = rows.split_at(polys);
        let (known, denied) = pending.split_at(self.goal_pending);
        let mut node = Node::default();
        let first = self.steps.len();
        self.learn(&mut node, Source::Assumed, hypotheses.to_vec(), known.to_vec())?;
        let (second, near) = (self.steps.len(), node.facts.len());
        goal.iter().flatten().for_each(|row| node.see(row));
        self.learn(&mut node, Source::Assumed, goal.to_vec(), denied.to_vec())?;
        for k in near..node.facts.len() {
            let row = node.facts[k];
            self.enter(&mut node, row)?;
        }
        let proof = self.refute(node, 0)?;
        Ok(self.steps.certificate(&[first, second], &proof))
    }

    pub(crate) fn refute(&mut self, mut node: Node, depth: usize) -> Result<Proof, Stop> {
        if depth > MAX_DEPTH {
            return Err(Stop::GiveUp);
        }
        loop {
            self.work.spend(16)?;
            if let Some(conflict) = self.solve(&mut node)? {
                return self.close(&conflict);
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

    /// The end of a branch, if the combination is a negative constant in the kernel's arithmetic too.
    fn close(&self, conflict: &[(i128, RowId)]) -> Result<Proof, Stop> {
        match Row::sum(conflict.iter().map(|(k, id)| (*k, &self.rows[*id].row))) {
            Some(sum) if sum.terms.is_empty() && sum.constant < 0 => Ok(Proof::Close(self.parts(conflict))),
            _ => Err(Stop::GiveUp),
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

    /// Gomory cuts at a point with fractions.
    fn cut(&mut self, node: &mut Node) -> Result<bool, GiveUp> {
        if node.cut_rounds >= self.cut_rounds {
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
}
