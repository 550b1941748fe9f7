//! Case distinctions, where nothing else is left to do.
//!
//! On a variable or quotient that the point gives a fraction; and, where a fact says `m * (x - y) + ...`,
//! on which of `x` and `y` is larger: each answer then has a product with `m` that was out of reach.

use crate::intern::{AtomId, Row};
use crate::lemma::Reach;
use crate::readback::ix_of_atom;
use crate::search::{Node, Search};
use crate::work::GiveUp;
use atl_kernel::{Ix, Pred};

/// So many differences are considered.
const MAX_DIFFERENCES: usize = 8;

/// The index term `row`; `None` where an atom cannot be written.
fn readback(search: &Search, row: &Row) -> Option<Ix> {
    let mut sum = Ix::ZERO;
    for (m, c) in &row.terms {
        let mut product = Ix::ONE;
        for a in search.table.factors(*m) {
            product = product * ix_of_atom(search.table.atom(*a))?;
        }
        sum = if *c == -1 { sum - product } else { sum + product * Ix::Lit(*c) };
    }
    Some(sum + Ix::Lit(row.constant))
}

impl Search {
    /// A predicate to distinguish cases by.
    pub(crate) fn distinction(&mut self, node: &mut Node) -> Result<Option<Pred>, GiveUp> {
        for a in 0..self.table.atom_count() as AtomId {
            let value = self.table.atom_mono(a).map(|m| node.lp.value(m));
            if let Some(v) = value.filter(|v| !v.is_integer())
                && let Some(ix) = ix_of_atom(self.table.atom(a))
            {
                return Ok(Some(Pred::le(ix, Ix::Lit(v.floor()))));
            }
        }
        for factor in self.differences(node) {
            if let Some(ix) = readback(self, &factor)
                && !self.sign_known(node, &factor)?
            {
                return Ok(Some(Pred::lt(ix, Ix::ZERO)));
            }
        }
        Ok(None)
    }

    /// The sums that stand beside an atom in a fact.
    fn differences(&mut self, node: &Node) -> Vec<Row> {
        let mut found: Vec<Row> = Vec::new();
        for id in &node.facts {
            let row = self.rows[*id].row.clone();
            let mut atoms: Vec<AtomId> = Vec::new();
            for (m, _) in row.terms.iter().filter(|(m, _)| self.table.factors(*m).len() == 2) {
                atoms.extend(self.table.factors(*m));
            }
            atoms.sort_unstable();
            atoms.dedup();
            for a in atoms {
                let part = self.table.mono_of(vec![a]);
                let mut beside = Row::default();
                for (m, c) in &row.terms {
                    match self.table.cofactor(*m, part) {
                        Some(rest) if rest.is_empty() => beside.constant = *c,
                        Some(rest) => beside.terms.push((self.table.mono_of(rest), *c)),
                        None => {}
                    }
                }
                beside.terms.sort_unstable();
                let opposite = beside.affine(-1, 0);
                if beside.terms.len() > 1
                    && !found.contains(&beside)
                    && !opposite.is_some_and(|o| found.contains(&o))
                {
                    found.push(beside);
                }
            }
        }
        found.truncate(MAX_DIFFERENCES);
        found
    }

    /// Do the facts say whether this is negative?
    fn sign_known(&mut self, node: &mut Node, row: &Row) -> Result<bool, GiveUp> {
        if self.entail(node, row, Reach::Linear)?.is_some() {
            return Ok(true);
        }
        match row.affine(-1, -1) {
            Some(negative) => Ok(self.entail(node, &negative, Reach::Linear)?.is_some()),
            None => Ok(true),
        }
    }
}
