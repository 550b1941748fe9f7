//! Products of facts: where linear reasoning meets nonlinear monomials.
//!
//! A product is worth having only if its monomials can cancel. The *anchors* are the nonlinear monomials
//! in sight. First, a fact is multiplied by the atoms that an anchor has beyond one of the fact's
//! monomials, provided they are not negative: `q <= p - 1` becomes `k*q <= k*p - k` where `k*q` occurs.
//! Then, any two facts whose product has an anchor. What has a monomial that occurs with one sign only
//! is dropped, for no combination can cancel it; the simplex asks for the rest as its point violates it.

use crate::intern::{AtomId, Map, Mono, Row};
use crate::lemma::Reach;
use crate::node::{Known, Node};
use crate::proof::FactId;
use crate::search::Search;
use crate::simplex::RowId;
use crate::work::GiveUp;
use atl_kernel::poly::Atom;

/// Monomials of higher degree are not considered.
const MAX_DEGREE: usize = 6;
/// So many products are considered at a time.
const MAX_PRODUCTS: usize = 600;
/// How often the monomials of products become anchors.
const ROUNDS: usize = 2;
/// The ways to choose products, in order.
const LEVELS: usize = 2;

/// Rows in the order in which they were chosen, each once.
#[derive(Default)]
struct Chosen {
    rows: Vec<RowId>,
    has: Vec<bool>,
}

impl Chosen {
    /// Without these, whatever is chosen.
    fn but(rows: &[RowId]) -> Chosen {
        let mut chosen = Chosen::default();
        rows.iter().for_each(|row| chosen.push(*row));
        chosen.rows.clear();
        chosen
    }

    fn push(&mut self, row: RowId) {
        if self.has.len() <= row {
            self.has.resize(row + 1, false);
        }
        if !std::mem::replace(&mut self.has[row], true) {
            self.rows.push(row);
        }
    }
}

impl Search {
    /// Consider more products of facts; were there any?
    pub(crate) fn multiply(&mut self, node: &mut Node) -> Result<bool, GiveUp> {
        self.multiply_for(node, &Row::default())
    }

    /// The same, with the monomials of a fact that is wanted in sight too.
    pub(crate) fn multiply_for(&mut self, node: &mut Node, wanted: &Row) -> Result<bool, GiveUp> {
        if node.product_level.1 != node.facts.len() {
            node.product_level = (0, node.facts.len());
        }
        while node.product_level.0 < LEVELS {
            let anchors = self.anchors(node, wanted);
            if anchors.is_empty() {
                return Ok(false);
            }
            let candidates = match node.product_level.0 {
                0 => {
                    if wanted.terms.is_empty() {
                        self.bound_quotients(node, &anchors)?;
                    }
                    self.multiples(node, anchors)?
                }
                _ => self.pairs(node, &anchors)?,
            };
            node.product_level = (node.product_level.0 + 1, node.facts.len());
            let mut chosen = Chosen::but(&node.extra);
            candidates.into_iter().for_each(|id| chosen.push(id));
            let mut fresh = chosen.rows;
            self.keep_cancelling(node, &mut fresh, wanted)?;
            if !fresh.is_empty() {
                fresh.iter().for_each(|id| node.see(&self.rows[*id].row));
                node.extra.extend(fresh);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The nonlinear monomials of `wanted` and of the facts in view, or that have an atom in view.
    fn anchors(&self, node: &Node, wanted: &Row) -> Vec<Mono> {
        let mut seen = vec![false; self.table.atom_count()];
        for m in (0..self.table.mono_count() as Mono).filter(|m| node.sees(*m)) {
            self.table.factors(m).iter().for_each(|a| seen[*a as usize] = true);
        }
        let near = |m: &Mono| self.table.factors(*m).iter().any(|a| seen[*a as usize]);
        let mut anchors: Vec<Mono> = wanted.terms.iter().map(|t| t.0).collect();
        for id in &node.facts {
            let monos = self.rows[*id].row.terms.iter().map(|t| t.0).filter(|m| self.is_nonlinear(*m));
            if self.in_view(node, *id) || monos.clone().any(|m| near(&m)) {
                anchors.extend(monos);
            }
        }
        anchors.retain(|m| self.is_nonlinear(*m));
        anchors.sort_unstable();
        anchors.dedup();
        anchors
    }

    /// Of a quotient that is a factor somewhere and may be negative, that it is at least -1, as `(q - 3) / 4` is where `0 <= q`: a
    /// product needs it rounded, as a fact.
    fn bound_quotients(&mut self, node: &mut Node, anchors: &[Mono]) -> Result<(), GiveUp> {
        let mut atoms: Vec<AtomId> = anchors.iter().flat_map(|m| self.table.factors(*m)).copied().collect();
        atoms.retain(|a| matches!(**self.table.atom(*a), Atom::Div(..)) && !node.bounded.contains(a));
        atoms.sort_unstable();
        atoms.dedup();
        for a in atoms {
            node.bounded.push(a);
            if self.nonnegative(node, a)?.is_none() {
                let target = Row { constant: 1, terms: vec![(self.table.mono_of(vec![a]), 1)] };
                self.entail(node, &target, Reach::Linear)?;
            }
        }
        Ok(())
    }

    fn is_nonlinear(&self, m: Mono) -> bool {
        (2..=MAX_DEGREE).contains(&self.table.factors(m).len())
    }

    /// Facts times the atoms that take one of their monomials to an anchor.
    fn multiples(&mut self, node: &mut Node, mut anchors: Vec<Mono>) -> Result<Vec<RowId>, GiveUp> {
        let mut signs: Map<AtomId, Option<FactId>> = Map::default();
        let mut found = Chosen::default();
        let facts = node.facts.clone();
        let mut from = 0;
        for _ in 0..ROUNDS {
            let until = anchors.len();
            for &anchor in &anchors.clone()[from..until] {
                for &id in &facts {
                    for k in 0..self.rows[id].row.terms.len() {
                        self.work.spend(2)?;
                        let part = self.rows[id].row.terms[k].0;
                        let Some(rest) = self.table.cofactor(anchor, part).filter(|r| !r.is_empty()) else {
                            continue;
                        };
                        let mut factors = vec![self.rows[id].factors[0]];
                        for a in rest {
                            let sign = match signs.get(&a) {
                                Some(sign) => *sign,
                                None => {
                                    let sign = self.nonnegative(node, a)?;
                                    signs.insert(a, sign);
                                    sign
                                }
                            };
                            factors.extend(sign);
                        }
                        let degree = self.table.factors(anchor).len() - self.table.factors(part).len();
                        if factors.len() == degree + 1
                            && let Some(product) = self.product_of(factors)?
                        {
                            found.push(product);
                        }
                    }
                }
                if found.rows.len() > MAX_PRODUCTS {
                    return Ok(found.rows);
                }
            }
            for id in &found.rows {
                for (m, _) in &self.rows[*id].row.terms {
                    if self.is_nonlinear(*m) && !anchors.contains(m) {
                        anchors.push(*m);
                    }
                }
            }
            from = until;
        }
        Ok(found.rows)
    }

    /// Products of two facts that have an anchor.
    fn pairs(&mut self, node: &Node, anchors: &[Mono]) -> Result<Vec<RowId>, GiveUp> {
        let mut involved: Vec<AtomId> =
            anchors.iter().flat_map(|m| self.table.factors(*m)).copied().collect();
        involved.sort_unstable();
        involved.dedup();
        let mentions = |id: &RowId| {
            let atoms = self.rows[*id].row.terms.iter().flat_map(|t| self.table.factors(t.0));
            atoms.into_iter().any(|a| involved.binary_search(a).is_ok())
        };
        let facts: Vec<RowId> = node.facts.iter().copied().filter(mentions).collect();
        let mut found = Chosen::default();
        for (k, &f) in facts.iter().enumerate() {
            for &g in &facts[k..] {
                let (p, q) = (&self.rows[f].row.terms, &self.rows[g].row.terms);
                self.work.spend(p.len() * q.len())?;
                let mut anchored = false;
                for (m, _) in p {
                    for (n, _) in q {
                        anchored = anchored || anchors.binary_search(&self.table.times(*m, *n)).is_ok();
                    }
                }
                if anchored {
                    let factors = vec![self.rows[f].factors[0], self.rows[g].factors[0]];
                    if let Some(product) = self.product_of(factors)? {
                        found.push(product);
                    }
                }
                if found.rows.len() > MAX_PRODUCTS {
                    return Ok(found.rows);
                }
            }
        }
        Ok(found.rows)
    }

    /// The row of the product of these facts; none where its coefficients do not fit.
    pub(crate) fn product_of(&mut self, mut factors: Vec<FactId>) -> Result<Option<RowId>, GiveUp> {
        factors.sort_unstable();
        if let Some(id) = self.products.get(&factors) {
            return Ok(*id);
        }
        let mut row = Some(Row { constant: 1, terms: Vec::new() });
        for f in &factors {
            row = match (row, &self.facts[*f]) {
                (Some(p), Some(q)) => self.table.product(&p, q),
                _ => None,
            };
            self.work.spend(row.as_ref().map_or(1, |r| r.terms.len()))?;
        }
        let id = row.map(|row| {
            self.rows.push(Known { row, factors: factors.clone() });
            self.rows.len() - 1
        });
        self.products.insert(factors, id);
        Ok(id)
    }

    /// Drop products with a monomial that nothing can cancel.
    fn keep_cancelling(
        &mut self,
        node: &Node,
        products: &mut Vec<RowId>,
        wanted: &Row,
    ) -> Result<(), GiveUp> {
        loop {
            let mut signs: Map<Mono, (u32, u32)> = Map::default();
            let rows = node.facts.iter().chain(&node.extra).chain(products.iter());
            let denied: Vec<(Mono, i64)> =
                wanted.terms.iter().map(|(m, c)| (*m, c.saturating_neg())).collect();
            for (m, c) in rows.flat_map(|id| &self.rows[*id].row.terms).chain(&denied) {
                let count = signs.entry(*m).or_default();
                if *c > 0 { count.0 += 1 } else { count.1 += 1 }
            }
            let before = products.len();
            self.work.spend(4 * before)?;
            products.retain(|id| {
                self.rows[*id].row.terms.iter().all(|(m, _)| {
                    let (positive, negative) = signs.get(m).copied().unwrap_or_default();
                    positive > 0 && negative > 0
                })
            });
            if products.len() == before {
                return Ok(());
            }
        }
    }
}
