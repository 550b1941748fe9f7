//! What holds on a branch of the search: facts, and the linear relaxation over them.
//!
//! Facts are numbered once and for all (`proof`); a branch lists those that hold on it. A row is a fact, or
//! a product of facts, in the dictionary's terms. Rows enter the dictionary when its point violates them,
//! and only if they have to do with what is there already: a schedule's context is large, and a goal
//! needs little of it.

use crate::intern::{AtomId, Mono, Row};
use crate::matching::InstanceId;
use crate::proof::{FactId, PendingId, Source};
use crate::search::Search;
use crate::simplex::{Combination, RowId, Simplex};
use crate::work::GiveUp;
use atl_kernel::cert::Pending;
use std::cmp::Ordering;

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

/// Which facts are considered.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum View {
    /// Those that share a monomial with the dictionary, which starts from the goal, or with what was derived.
    #[default]
    Near,
    /// All, in case the hypotheses contradict each other.
    All,
}

/// What holds on a branch, and how far it has been explored.
#[derive(Clone, Default)]
pub(crate) struct Node {
    pub(crate) lp: Simplex,
    /// Which rows the dictionary has.
    pub(crate) in_lp: Vec<bool>,
    /// Facts: hypotheses, and what was derived for use in products too.
    pub(crate) facts: Vec<RowId>,
    /// Cuts and products: for linear reasoning only.
    pub(crate) extra: Vec<RowId>,
    pub(crate) pending: Vec<PendingId>,
    /// The instances of hypotheses for all integers that are there.
    pub(crate) instances: Vec<InstanceId>,
    /// The atoms whose facts are there; for those where they could not be had, how many facts there were.
    pub(crate) done: Vec<(AtomId, Option<usize>)>,
    /// The quotients of which it was asked how small they are.
    pub(crate) bounded: Vec<AtomId>,
    pub(crate) view: View,
    /// The monomials of the dictionary, of definitions and of products.
    pub(crate) seen: Vec<bool>,
    pub(crate) cut_rounds: usize,
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

impl Search {
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

    /// The row of a fact; `None` where its coefficients do not fit.
    pub(crate) fn fact_row(&self, fact: FactId) -> Option<Row> {
        self.facts[fact].clone()
    }

    /// The fact that a row stands for exactly.
    pub(crate) fn fact_saying(&self, node: &Node, row: &Row) -> Option<FactId> {
        node.facts.iter().find(|id| self.rows[**id].row == *row).map(|id| self.rows[*id].factors[0])
    }

    /// The parts of a kernel combination.
    pub(crate) fn parts(&self, combination: &[(i128, RowId)]) -> Vec<(i128, Vec<FactId>)> {
        let mut parts: Vec<_> =
            combination.iter().map(|(k, id)| (*k, self.rows[*id].factors.clone())).collect();
        parts.sort_by(|a, b| a.1.cmp(&b.1));
        parts
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
}
