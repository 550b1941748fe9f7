//! Branching: on a disjunction, or on a predicate and its negation.
//!
//! When the refutation of one side does not use what the side assumes, it refutes the whole, and the other
//! side is never visited; so a useless split costs little and leaves no trace in the certificate.

use crate::intern::{Row, Table};
use crate::node::{Node, View};
use crate::proof::{FactId, On, PendingId, Proof, Source};
use crate::search::{Search, Stop};
use crate::work::GiveUp;
use atl_kernel::Pred;
use atl_kernel::cert::{Facts, Pending};
use std::cmp::Ordering;

/// A case distinction.
pub(crate) struct Case {
    /// On this.
    pub(crate) pred: Pred,
    /// What each side assumes is worth multiplying by this fact.
    pub(crate) times: Option<FactId>,
}

/// One side of a disjunction.
#[derive(Clone)]
pub(crate) struct Side {
    rows: Vec<Option<Row>>,
    pending: Vec<Pending>,
}

impl Side {
    fn of(facts: Facts, table: &mut Table) -> Side {
        Side { rows: facts.polys.iter().map(|p| table.row(p)).collect(), pending: facts.pending }
    }
}

impl Search {
    /// A disjunction of which the current point satisfies neither side.
    pub(crate) fn violated(&mut self, node: &Node) -> Result<Option<PendingId>, GiveUp> {
        for p in &node.pending {
            let (mut satisfied, mut seen) = (false, node.view == View::All);
            let Some(sides) = self.sides(*p) else { continue };
            for side in sides {
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

    /// What the sides of a disjunction assume; `None` where that overflows.
    fn sides(&mut self, p: PendingId) -> &Option<[Side; 2]> {
        let (table, pending) = (&mut self.table, &self.pending);
        self.sides.entry(p).or_insert_with(|| {
            let mut side = |left| {
                let mut facts = Facts { pending: vec![pending[p].clone()], ..Facts::default() };
                facts.assume_side(0, left).ok()?;
                facts.pending.remove(0);
                Some(Side::of(facts, table))
            };
            Some([side(true)?, side(false)?])
        })
    }

    /// Refute both sides of a disjunction; one that needs none of its side refutes all.
    pub(crate) fn split(&mut self, mut node: Node, p: PendingId, depth: usize) -> Result<Proof, Stop> {
        node.pending.retain(|q| *q != p);
        let sides = self.sides(p).clone().ok_or(Stop::GiveUp)?;
        self.branches(node, On::Pending(p), sides, None, depth)
    }

    /// Refute both where a predicate holds and where it does not.
    pub(crate) fn distinguish(&mut self, node: Node, case: Case, depth: usize) -> Result<Proof, Stop> {
        let mut side = |holds| {
            let mut facts = Facts::default();
            facts.assume(&case.pred, holds).ok()?;
            Some(Side::of(facts, &mut self.table))
        };
        let (Some(left), Some(right)) = (side(true), side(false)) else { return Err(Stop::GiveUp) };
        self.branches(node, On::Case(case.pred), [left, right], case.times, depth)
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
            side.rows.iter().flatten().for_each(|row| branch.see(row));
            self.learn(&mut branch, Source::Assumed, side.rows, side.pending)?;
            for k in known..branch.facts.len() {
                let row = branch.facts[k];
                self.enter(&mut branch, row)?;
                if let Some(times) = times {
                    let factors = vec![self.rows[row].factors[0], times];
                    if let Some(product) = self.product_of(factors)?
                        && !branch.extra.contains(&product)
                    {
                        branch.extra.push(product);
                        self.enter(&mut branch, product)?;
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
            Ok(proofs) => Ok(self.steps.split(on, proofs)),
            Err(_) => Err(Stop::GiveUp),
        }
    }
}
