//! What defines quotients, minima and maxima: Euclid's inequalities, and the bounds with their disjunction.
//!
//! They are derived for the atoms that matter only, and once on a branch. A quotient needs its divisor
//! positive; where that cannot be had, it is tried again when more is known.

use crate::intern::AtomId;
use crate::node::Node;
use crate::proof::Source;
use crate::readback::ix_of;
use crate::search::Search;
use crate::simplex::RowId;
use crate::work::GiveUp;
use atl_kernel::cert::{Derive, Facts};
use atl_kernel::poly::{Atom, Poly};
use atl_kernel::{Ix, Pred};
use std::sync::Arc;

/// Whose atoms to define.
#[derive(Clone, Copy)]
pub(crate) enum Scope {
    /// Those of facts in the dictionary.
    Dictionary,
    /// Those of all facts in view.
    Facts,
}

impl Search {
    /// Derive what defines the quotients, minima and maxima that are mentioned.
    pub(crate) fn instantiate(&mut self, node: &mut Node, scope: Scope) -> Result<bool, GiveUp> {
        let mut wanted = Vec::new();
        for id in node.facts.iter().filter(|id| self.is_within(node, **id, scope)) {
            for (m, _) in &self.rows[*id].row.terms {
                for a in self.table.factors(*m) {
                    let defined = match &**self.table.atom(*a) {
                        Atom::Var(_) => false,
                        Atom::Read(level, at) => self.has_range(*level, at.len()),
                        Atom::Div(..) | Atom::Min(..) | Atom::Max(..) => true,
                    };
                    let tried = |(b, facts): &(AtomId, Option<usize>)| {
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
        if !self.given.general.is_empty() {
            let atoms = self.atoms_within(node, scope);
            progress |= self.instances(node, &atoms)?;
        }
        Ok(progress)
    }

    fn is_within(&self, node: &Node, id: RowId, scope: Scope) -> bool {
        match scope {
            Scope::Dictionary => node.in_lp.get(id) == Some(&true),
            Scope::Facts => self.in_view(node, id),
        }
    }

    fn atoms_within(&self, node: &Node, scope: Scope) -> Vec<AtomId> {
        let rows = node.facts.iter().filter(|id| self.is_within(node, **id, scope));
        let monos = rows.flat_map(|id| &self.rows[*id].row.terms).map(|(m, _)| *m);
        monos.flat_map(|m| self.table.factors(m)).copied().collect()
    }

    fn define(&mut self, node: &mut Node, a: AtomId) -> Result<bool, GiveUp> {
        let atom = self.table.atom(a).clone();
        let (p, q) = match &*atom {
            Atom::Var(_) => return Ok(false),
            Atom::Read(level, at) => return self.range(node, *level, at),
            Atom::Div(p, q) | Atom::Min(p, q) | Atom::Max(p, q) => (p, q),
        };
        let (Some(x), Some(y)) = (ix_of(p), ix_of(q)) else {
            return Ok(false);
        };
        self.work.spend_on(&[&x, &y])?;
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

    fn has_range(&self, level: u32, rank: usize) -> bool {
        self.given.ranges.iter().any(|(known, of, ..)| (*known, *of) == (level, rank))
    }

    /// What the type of a tensor says of an element.
    fn range(&mut self, node: &mut Node, level: u32, at: &[Poly]) -> Result<bool, GiveUp> {
        let Some(at) = at.iter().map(ix_of).collect::<Option<Vec<Ix>>>() else { return Ok(false) };
        self.work.spend_on(&at.iter().collect::<Vec<_>>())?;
        let step = Derive::Type(level, at.clone());
        let mut yielded = Facts { ranges: self.given.ranges.clone(), ..Facts::default() };
        if yielded.derive(&step).is_err() {
            return Ok(false);
        }
        let rows: Vec<_> = yielded.polys.iter().map(|p| self.table.row(p)).collect();
        rows.iter().flatten().for_each(|row| node.see(row));
        self.learn(node, Source::Type(level, at), rows, yielded.pending)?;
        Ok(true)
    }
}

/// The ranges of types that this proof may need. Positions in arrays are of wide signed types,
/// whose ends are far away from any position: they matter to a goal that speaks of a
/// number as large.
pub(crate) fn narrow(ranges: &mut Vec<(u32, usize, i64, i64)>, goal: &Pred) {
    let is_large = largest(goal) >= LARGE;
    ranges.retain(|(_, _, least, greatest)| *least == 0 || *greatest < LARGE || is_large);
    ranges.retain(|(.., greatest)| *greatest < i64::MAX);
}

/// Ends of 16 bits and fewer are near.
const LARGE: i64 = 1 << 15;

/// The largest literal of a predicate, but for its sign.
fn largest(p: &Pred) -> i64 {
    match p {
        Pred::True | Pred::False => 0,
        Pred::Cmp(_, a, b) => largest_in(a).max(largest_in(b)),
        Pred::Not(q) => largest(q),
        Pred::And(ab) | Pred::Or(ab) => largest(&ab.0).max(largest(&ab.1)),
    }
}

fn largest_in(ix: &Ix) -> i64 {
    match ix {
        Ix::Lit(n) => n.saturating_abs(),
        Ix::Var(_) => 0,
        Ix::Bin(_, ab) => largest_in(&ab.0).max(largest_in(&ab.1)),
        Ix::Read(_, at) => at.iter().map(largest_in).max().unwrap_or(0),
    }
}
