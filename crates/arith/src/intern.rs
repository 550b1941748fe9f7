//! Atoms and monomials under small numbers, and polynomials as sparse rows over them.
//!
//! The search compares and multiplies monomials all the time; here that is integer arithmetic. Numbers
//! are given in order of first use within one query, so nothing depends on earlier queries.

use atl_kernel::poly::{Atom, Poly};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

/// The number of an atom.
pub(crate) type AtomId = u32;
/// The number of a monomial of degree at least one.
pub(crate) type Mono = u32;

/// A multiplicative hasher for small keys; the maps that use it are never iterated.
#[derive(Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // Maps look at the lowest bits first, where addresses are alike.
        self.0.rotate_left(26)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}

/// A map with deterministic, cheap hashing, for keys that nobody chooses: numbers and addresses.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// A polynomial over numbered monomials, in their order, with nonzero coefficients.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Row {
    pub(crate) constant: i64,
    pub(crate) terms: Vec<(Mono, i64)>,
}

impl Row {
    /// Sum terms in any order; `None` on overflow.
    fn collect(constant: i64, mut terms: Vec<(Mono, i64)>) -> Option<Row> {
        terms.sort_unstable_by_key(|t| t.0);
        let mut out: Vec<(Mono, i64)> = Vec::with_capacity(terms.len());
        for (m, c) in terms {
            match out.last_mut() {
                Some(last) if last.0 == m => last.1 = last.1.checked_add(c)?,
                _ => out.push((m, c)),
            }
        }
        out.retain(|t| t.1 != 0);
        Some(Row { constant, terms: out })
    }

    /// `factor * self + constant`.
    pub(crate) fn affine(&self, factor: i64, constant: i64) -> Option<Row> {
        let terms: Option<Vec<_>> =
            self.terms.iter().map(|(m, c)| Some((*m, c.checked_mul(factor)?))).collect();
        Row::collect(self.constant.checked_mul(factor)?.checked_add(constant)?, terms?)
    }

    /// The greatest common divisor of the coefficients of proper monomials; zero without any.
    pub(crate) fn content(&self) -> u64 {
        self.terms.iter().fold(0, |g, (_, c)| {
            let (mut a, mut b) = (c.unsigned_abs(), g);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        })
    }

    /// The quotient by a divisor of every proper coefficient, with the constant rounded down.
    pub(crate) fn cut(&self, d: i64) -> Row {
        let terms = self.terms.iter().map(|(m, c)| (*m, c / d)).collect();
        Row { constant: self.constant.div_euclid(d), terms }
    }

    /// The sum of these multiples.
    pub(crate) fn sum<'a>(parts: impl Iterator<Item = (i128, &'a Row)>) -> Option<Row> {
        let mut constant: i128 = 0;
        let mut terms = Vec::new();
        for (k, row) in parts {
            constant = constant.checked_add(k.checked_mul(i128::from(row.constant))?)?;
            for (m, c) in &row.terms {
                terms.push((*m, i64::try_from(k.checked_mul(i128::from(*c))?).ok()?));
            }
        }
        Row::collect(i64::try_from(constant).ok()?, terms)
    }
}

/// Everything numbered in one query.
#[derive(Default)]
pub(crate) struct Table {
    atoms: Vec<Arc<Atom>>,
    atom_ids: Map<Arc<Atom>, AtomId>,
    monos: Vec<Vec<AtomId>>,
    /// A set of 64 bits for each monomial, within which lies that of whatever divides it.
    masks: Vec<u64>,
    mono_ids: Map<Vec<AtomId>, Mono>,
    products: Map<(Mono, Mono), Mono>,
}

impl Table {
    /// The atom with this number.
    pub(crate) fn atom(&self, id: AtomId) -> &Arc<Atom> {
        &self.atoms[id as usize]
    }

    /// How many atoms there are; they are numbered from zero.
    pub(crate) fn atom_count(&self) -> usize {
        self.atoms.len()
    }

    /// How many monomials there are; they are numbered from zero.
    pub(crate) fn mono_count(&self) -> usize {
        self.monos.len()
    }

    /// The atoms of a monomial, in order of their numbers, with repetition.
    pub(crate) fn factors(&self, m: Mono) -> &[AtomId] {
        &self.monos[m as usize]
    }

    /// Does the atom have a number?
    pub(crate) fn knows(&self, a: &Atom) -> bool {
        self.atom_ids.contains_key(a)
    }

    fn atom_id(&mut self, a: &Arc<Atom>) -> AtomId {
        if let Some(id) = self.atom_ids.get(a) {
            return *id;
        }
        let id = self.atoms.len() as AtomId;
        self.atoms.push(a.clone());
        self.atom_ids.insert(a.clone(), id);
        id
    }

    /// The number of a product of atoms, given in order.
    pub(crate) fn mono_of(&mut self, factors: Vec<AtomId>) -> Mono {
        if let Some(id) = self.mono_ids.get(&factors) {
            return *id;
        }
        let id = self.monos.len() as Mono;
        self.masks.push(factors.iter().fold(0, |mask, a| mask | 1 << (a % 64)));
        self.monos.push(factors.clone());
        self.mono_ids.insert(factors, id);
        id
    }

    fn mono(&mut self, m: &[Arc<Atom>]) -> Mono {
        let mut factors: Vec<AtomId> = m.iter().map(|a| self.atom_id(a)).collect();
        factors.sort_unstable();
        self.mono_of(factors)
    }

    /// The monomial of one atom, where it has a number already.
    pub(crate) fn atom_mono(&self, a: AtomId) -> Option<Mono> {
        self.mono_ids.get([a].as_slice()).copied()
    }

    /// The row of a polynomial; `None` where a coefficient does not fit.
    pub(crate) fn row(&mut self, p: &Poly) -> Option<Row> {
        let mut constant = 0;
        let mut terms = Vec::new();
        for (m, c) in p.terms() {
            let c = i64::try_from(c).ok()?;
            if m.is_empty() {
                constant = c;
            } else {
                terms.push((self.mono(m), c));
            }
        }
        Row::collect(constant, terms)
    }

    /// The product of two monomials.
    pub(crate) fn times(&mut self, a: Mono, b: Mono) -> Mono {
        let both = (a.min(b), a.max(b));
        if let Some(product) = self.products.get(&both) {
            return *product;
        }
        let mut factors = [self.factors(a), self.factors(b)].concat();
        factors.sort_unstable();
        let product = self.mono_of(factors);
        self.products.insert(both, product);
        product
    }

    /// The product of two rows.
    pub(crate) fn product(&mut self, p: &Row, q: &Row) -> Option<Row> {
        let mut terms = Vec::with_capacity((p.terms.len() + 1) * (q.terms.len() + 1));
        for (m, c) in &p.terms {
            terms.push((*m, c.checked_mul(q.constant)?));
            for (n, d) in &q.terms {
                terms.push((self.times(*m, *n), c.checked_mul(*d)?));
            }
        }
        for (n, d) in &q.terms {
            terms.push((*n, d.checked_mul(p.constant)?));
        }
        Row::collect(p.constant.checked_mul(q.constant)?, terms)
    }

    /// What is left of the atoms of `m` without those of `part`, if it divides.
    pub(crate) fn cofactor(&self, m: Mono, part: Mono) -> Option<Vec<AtomId>> {
        if self.masks[part as usize] & !self.masks[m as usize] != 0 {
            return None;
        }
        let (whole, part) = (self.factors(m), self.factors(part));
        let mut left = whole.iter();
        if !part.iter().all(|a| left.any(|b| a == b)) {
            return None;
        }
        let mut part = part.iter().peekable();
        Some(whole.iter().copied().filter(|a| part.next_if_eq(&a).is_none()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::Ix;

    /// The row of a term is that of the product of two others.
    fn check(p: Ix, q: Ix, product: Ix) {
        let mut table = Table::default();
        let [p, q, product] = [p, q, product].map(|ix| table.row(&Poly::of(&ix).unwrap()).unwrap());
        assert_eq!(table.product(&p, &q), Some(product));
    }

    #[test]
    fn products() {
        let [x, y] = [Ix::free(0), Ix::free(1)];
        check(x.clone() + Ix::Lit(1), y.clone() - Ix::Lit(2), {
            x.clone() * y.clone() - x.clone() * Ix::Lit(2) + y.clone() - Ix::Lit(2)
        });
        check(x.clone() + y.clone(), x.clone() - y.clone(), x.clone() * x - y.clone() * y);
    }

    #[test]
    fn cofactors_and_cuts() {
        let mut table = Table::default();
        let [x, y] = [0, 1].map(Ix::free);
        let row = table
            .row(&Poly::of(&(x.clone() * y * Ix::Lit(6) - x * Ix::Lit(4) + Ix::Lit(3))).unwrap())
            .unwrap();
        assert_eq!(row.content(), 2);
        assert_eq!(row.cut(2).constant, 1);
        let [linear, square] = [1, 2].map(|n| row.terms.iter().find(|t| table.factors(t.0).len() == n));
        let (linear, square) = (linear.unwrap().0, square.unwrap().0);
        assert_eq!(table.cofactor(square, linear).map(|rest| rest.len()), Some(1));
        assert_eq!(table.cofactor(linear, square), None);
    }
}
