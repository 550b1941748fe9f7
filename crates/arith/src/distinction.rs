//! Predicates worth a case distinction.
//!
//! On whether a divisor is positive; whether a quotient by a symbol is negative; on which side of its value a quotient is; where a fact says
//! `m * (x - y) + ...`, on which of `x` and `y` is larger, for each answer then has a product with `m` that
//! was out of reach; last, on a variable or quotient that the point gives a fraction.

use crate::intern::{AtomId, Mono, Row};
use crate::lemma::Reach;
use crate::node::Node;
use crate::quotients::by_both;
use crate::readback::{divide, ix_of, ix_of_atom, substitute};
use crate::search::Search;
use crate::split::Case;
use crate::work::GiveUp;
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Ix, Pred};
use std::sync::Arc;

/// So many differences are considered.
const MAX_DIFFERENCES: usize = 16;

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

/// Add what stands beside an atom, unless it or its opposite is there.
fn note(a: AtomId, row: Row, found: &mut Vec<(AtomId, Row)>) {
    let Some(opposite) = row.affine(-1, 0) else { return };
    if !found.iter().any(|f| f.1 == row || f.1 == opposite) {
        found.push((a, row));
    }
}

/// `d - 1 - r` and `r`, where `r` is `p - d*t`.
fn remainder(p: &Poly, d: &Poly, t: &Poly) -> Option<(Poly, Poly)> {
    let rest = p.minus(&d.times(t).ok()?).ok()?;
    Some((d.minus(&Poly::constant(1)).ok()?.minus(&rest).ok()?, rest))
}

/// The difference between an atom and a polynomial, and its opposite.
fn apart(atom: &Atom, t: &Poly) -> Option<(Poly, Poly)> {
    let atom = Poly::atom(atom.clone());
    Some((atom.minus(t).ok()?, t.minus(&atom).ok()?))
}

impl Search {
    /// A predicate to distinguish cases by.
    pub(crate) fn distinction(&mut self, node: &mut Node) -> Result<Option<Case>, GiveUp> {
        if let Some(case) = self.divisor(node) {
            return Ok(Some(case));
        }
        for (a, factor) in self.differences(node) {
            if let Some(ix) = readback(self, &factor)
                && let Some(bound) = self.open_bound(node, &factor)?
            {
                let times = self.nonnegative(node, a)?;
                return Ok(Some(Case { pred: Pred::le(ix, Ix::Lit(bound)), times }));
            }
        }
        for a in 0..self.table.atom_count() as AtomId {
            let value = self.table.atom_mono(a).map(|m| node.lp.value(m));
            if let Some(v) = value.filter(|v| !v.is_integer())
                && let Some(ix) = ix_of_atom(self.table.atom(a))
            {
                return Ok(Some(Case { pred: Pred::le(ix, Ix::Lit(v.floor())), times: None }));
            }
        }
        Ok(None)
    }

    /// Whether a divisor of which that is not known is positive.
    fn divisor(&mut self, node: &mut Node) -> Option<Case> {
        let (a, _) = *node.done.iter().find(|(a, failed)| {
            failed.is_some() && matches!(&**self.table.atom(*a), Atom::Div(_, d) if d.as_constant().is_none())
        })?;
        node.done.retain(|d| d.0 != a);
        match &**self.table.atom(a) {
            Atom::Div(_, d) => Some(Case { pred: Pred::le(Ix::ONE, ix_of(d)?), times: None }),
            _ => None,
        }
    }

    /// For a quotient `a / d` whose value is in plain sight (`a = d*t + r` with `0 <= r < d`), whether it is
    /// on the right side of `t`. The wrong side is refuted by one product, and the rest becomes linear.
    pub(crate) fn quotient(&mut self, node: &mut Node) -> Result<Option<Case>, GiveUp> {
        let mut solved: Vec<(Arc<Atom>, Poly)> = Vec::new();
        loop {
            let before = solved.len();
            for (a, failed) in node.done.clone() {
                let atom = self.table.atom(a).clone();
                if failed.is_none()
                    && !solved.iter().any(|s| s.0 == atom)
                    && let Some(case) = self.value(node, &atom, &mut solved)?
                {
                    return Ok(Some(case));
                }
            }
            if solved.len() == before {
                return Ok(None);
            }
        }
    }

    /// Solve one quotient, where those solved before may stand for their values; or a case that would help.
    fn value(
        &mut self,
        node: &mut Node,
        atom: &Arc<Atom>,
        solved: &mut Vec<(Arc<Atom>, Poly)>,
    ) -> Result<Option<Case>, GiveUp> {
        let Atom::Div(p, d) = &**atom else { return Ok(None) };
        let inside = p.terms().flat_map(|(m, _)| m).cloned().collect::<Vec<Arc<Atom>>>();
        for atom in inside {
            if let Some(case) = self.not_negative(node, &atom)? {
                return Ok(Some(case));
            }
        }
        let Some(p) = substitute(p, solved) else { return Ok(None) };
        for t in self.guesses(&p, d) {
            let Some((room, rest)) = remainder(&p, d, &t) else { continue };
            if !self.entails(node, &rest)? || !self.entails(node, &room)? {
                continue;
            }
            let (Some(x), Some(y), Some((above, below))) = (ix_of_atom(atom), ix_of(&t), apart(atom, &t))
            else {
                continue;
            };
            for (sign, pred) in [(above, Pred::le(y.clone(), x.clone())), (below, Pred::le(x, y))] {
                let Ok(opposite) = Poly::constant(-1).minus(&sign) else { return Ok(None) };
                if self.entails(node, &sign)? {
                    continue;
                }
                if self.entails(node, &opposite)? {
                    return Ok(None);
                }
                let times = self.positive(node, d)?;
                return Ok(Some(Case { pred, times }));
            }
            solved.push((atom.clone(), t));
            break;
        }
        Ok(None)
    }

    /// Whether the quotient of what is not negative by a symbol is not negative itself, where that is open: the wrong side is refuted by
    /// one product. Of a quotient that is divided again, as `q` in `(q - 3) / 4`.
    fn not_negative(&mut self, node: &mut Node, atom: &Atom) -> Result<Option<Case>, GiveUp> {
        let Atom::Div(p, d) = atom else { return Ok(None) };
        let quotient = Poly::atom(atom.clone());
        let Some(x) = ix_of_atom(atom).filter(|_| d.as_constant().is_none()) else { return Ok(None) };
        if self.entails(node, &quotient)? || !self.entails(node, p)? {
            return Ok(None);
        }
        let Ok(negative) = Poly::constant(-1).minus(&quotient) else { return Ok(None) };
        if self.entails(node, &negative)? {
            return Ok(None);
        }
        Ok(Some(Case { pred: Pred::le(Ix::ZERO, x), times: self.positive(node, d)? }))
    }

    /// What `p / d` may be: zero; what of `p` has the factor `d`; that plus the quotient of the rest, and, where `p` is a quotient
    /// itself, that by both divisors at once, if there are such atoms.
    fn guesses(&self, p: &Poly, d: &Poly) -> Vec<Poly> {
        let mut guesses = vec![Poly::default()];
        let mut at_once = by_both(p, d);
        while let Some((x, both)) = at_once {
            let quotient = Atom::Div(x.clone(), both.clone());
            if self.table.knows(&quotient) {
                guesses.push(Poly::atom(quotient));
            }
            at_once = by_both(&x, &both);
        }
        if let Some((t, rest)) = divide(p, d).filter(|(t, _)| *t != Poly::default()) {
            guesses.push(t.clone());
            let left = Atom::Div(rest, d.clone());
            if self.table.knows(&left)
                && let Ok(sum) = t.plus(&Poly::atom(left))
            {
                guesses.push(sum);
            }
        }
        guesses
    }

    /// Do the facts say, linearly, that this is not negative?
    fn entails(&mut self, node: &mut Node, p: &Poly) -> Result<bool, GiveUp> {
        match (p.as_constant(), self.table.row(p)) {
            (Some(c), _) => Ok(c >= 0),
            (None, Some(row)) if self.stronger(node, &row) => Ok(true),
            (None, Some(row)) => Ok(self.entail(node, &row, Reach::Linear)?.is_some()),
            (None, None) => Ok(false),
        }
    }

    /// Sums that stand beside an atom in a fact; then, of those from several facts, the differences.
    fn differences(&mut self, node: &Node) -> Vec<(AtomId, Row)> {
        let mut found: Vec<(AtomId, Row)> = Vec::new();
        let mut beside: Vec<(AtomId, Mono)> = Vec::new();
        for id in &node.facts {
            if !self.in_view(node, *id) {
                continue;
            }
            let row = self.rows[*id].row.clone();
            let mut atoms: Vec<AtomId> = Vec::new();
            for (m, _) in row.terms.iter().filter(|(m, _)| self.table.factors(*m).len() == 2) {
                atoms.extend(self.table.factors(*m));
            }
            atoms.sort_unstable();
            atoms.dedup();
            for a in atoms {
                let sum = self.sum_beside(a, &row);
                beside.extend(sum.terms.iter().map(|(m, _)| (a, *m)));
                if sum.terms.len() > 1 {
                    note(a, sum, &mut found);
                }
            }
        }
        beside.sort_unstable();
        beside.dedup();
        for (k, (a, m)) in beside.iter().enumerate() {
            for (_, n) in beside[k + 1..].iter().take_while(|(b, _)| b == a) {
                note(*a, Row { constant: 0, terms: vec![(*m, 1), (*n, -1)] }, &mut found);
            }
        }
        for (a, m) in &beside {
            note(*a, Row { constant: 0, terms: vec![(*m, 1)] }, &mut found);
        }
        found.truncate(MAX_DIFFERENCES);
        found
    }

    /// What is multiplied by the atom in this row.
    fn sum_beside(&mut self, a: AtomId, row: &Row) -> Row {
        let part = self.table.mono_of(vec![a]);
        let mut sum = Row::default();
        for (m, c) in &row.terms {
            match self.table.cofactor(*m, part) {
                Some(rest) if rest.is_empty() => sum.constant = *c,
                Some(rest) => sum.terms.push((self.table.mono_of(rest), *c)),
                None => {}
            }
        }
        sum.terms.sort_unstable();
        sum
    }

    /// The bound, minus one or zero, of which the facts do not say whether this is above it.
    fn open_bound(&mut self, node: &mut Node, row: &Row) -> Result<Option<i64>, GiveUp> {
        let mut says = |factor, constant| match row.affine(factor, constant) {
            Some(target) => Ok(self.entail(node, &target, Reach::Linear)?.is_some()),
            None => Ok(true),
        };
        if says(-1, -1)? || says(1, -1)? {
            return Ok(None);
        }
        if !says(1, 0)? {
            return Ok(Some(-1));
        }
        Ok(if says(-1, 0)? { None } else { Some(0) })
    }
}
