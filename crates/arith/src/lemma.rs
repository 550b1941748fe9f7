//! Facts wanted in an exact form: that a divisor is positive, that a factor is not negative.
//!
//! A wanted fact is denied in a copy of the dictionary; the multipliers that refute the denial are the
//! combination that yields it, with a cut where the denial's own multiplier is not one.

use crate::intern::{AtomId, Row};
use crate::node::{Known, Node, Use};
use crate::proof::{FactId, Source};
use crate::search::Search;
use crate::simplex::RowId;
use crate::work::GiveUp;
use atl_kernel::poly::Poly;

/// How hard to try.
#[derive(Clone, Copy)]
pub(crate) enum Reach {
    /// Linear combinations of facts.
    Linear,
    /// Combinations of products of facts too.
    Products,
}

impl Search {
    /// The fact `0 <= d - 1`.
    pub(crate) fn positive(&mut self, node: &mut Node, d: &Poly) -> Result<Option<FactId>, GiveUp> {
        let Some(target) = self.table.row(d).and_then(|row| row.affine(1, -1)) else {
            return Ok(None);
        };
        if target.terms.is_empty() {
            return self.constant(target.constant);
        }
        if let Some(fact) = self.fact_saying(node, &target) {
            return Ok(Some(fact));
        }
        self.entail(node, &target, Reach::Products)
    }

    /// The fact that a constant is not negative.
    fn constant(&mut self, c: i64) -> Result<Option<FactId>, GiveUp> {
        if c < 0 {
            return Ok(None);
        }
        if let Some(id) = self.constants.get(&c) {
            return Ok(Some(*id));
        }
        let row = Row { constant: c, terms: Vec::new() };
        let fact = self.record(Source::Combine(vec![(i128::from(c), Vec::new())]), row);
        self.constants.insert(c, fact);
        Ok(Some(fact))
    }

    /// The fact that an atom is not negative.
    pub(crate) fn nonnegative(&mut self, node: &mut Node, a: AtomId) -> Result<Option<FactId>, GiveUp> {
        let target = Row { constant: 0, terms: vec![(self.table.mono_of(vec![a]), 1)] };
        if let Some(fact) = self.fact_saying(node, &target) {
            return Ok(Some(fact));
        }
        let bound = node.facts.iter().find(|id| {
            let row = &self.rows[**id].row;
            row.constant < 0 && row.terms == target.terms
        });
        if let Some(id) = bound.copied() {
            let slack = -i128::from(self.rows[id].row.constant);
            let fact = self.derive(&[(1, id)], slack, 1)?;
            return Ok(self.known(node, fact));
        }
        self.entail(node, &target, Reach::Linear)
    }

    /// Is there a fact with this row's monomials, and no larger a constant?
    pub(crate) fn stronger(&self, node: &Node, row: &Row) -> bool {
        node.facts.iter().any(|id| {
            let known = &self.rows[*id].row;
            known.constant <= row.constant && known.terms == row.terms
        })
    }

    /// The fact `0 <= target`; with products of facts if need be and asked for.
    pub(crate) fn entail(
        &mut self,
        node: &mut Node,
        target: &Row,
        reach: Reach,
    ) -> Result<Option<FactId>, GiveUp> {
        let Some(denied) = target.affine(-1, 0).and_then(|r| r.affine(1, -1)) else {
            return Ok(None);
        };
        let mut trial = node.clone();
        let denial = self.rows.len();
        self.rows.push(Known { row: denied, factors: Vec::new() });
        self.enter(&mut trial, denial)?;
        let conflict = loop {
            if let Some(conflict) = self.solve(&mut trial)? {
                break conflict;
            }
            if matches!(reach, Reach::Linear) || !self.multiply_for(&mut trial, target)? {
                return Ok(None);
            }
        };
        let (mut times, mut rest): (i128, Vec<(i128, RowId)>) = (0, Vec::new());
        for (k, id) in conflict {
            if id == denial { times = k } else { rest.push((k, id)) }
        }
        // A row without factors is what a lemma around this one denies: not a fact.
        if times == 0 || rest.iter().any(|(_, id)| self.rows[*id].factors.is_empty()) {
            return Ok(None);
        }
        // The rest is `times * target + over`, and `over < times`.
        let sum = Row::sum(rest.iter().map(|(k, id)| (*k, &self.rows[*id].row)));
        let over = sum.and_then(|s| {
            i128::from(s.constant).checked_sub(times.checked_mul(i128::from(target.constant))?)
        });
        match over {
            Some(over) => {
                let fact = self.derive(&rest, (-over).max(0), times)?;
                Ok(self.known(node, fact))
            }
            None => Ok(None),
        }
    }

    /// A derived fact holds on this branch.
    fn known(&mut self, node: &mut Node, fact: Option<FactId>) -> Option<FactId> {
        let row = self.fact_row(fact?)?;
        self.hold(node, fact?, row, Use::Any);
        fact
    }
}
