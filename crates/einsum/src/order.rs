//! In which order the operands of an einsum string are multiplied.
//!
//! A product of many operands in one nest of loops takes as many steps as the product of all extents. Einsum
//! promises no order, so operands are taken two at a time, each time summing over what nothing else reads:
//! eight operands of twelve indices become seven small nests. The order is the one of least cost, over all
//! subsets of up to [`EXACT`] operands, and beyond these the cheapest pair at each step. What an operand
//! alone reads is summed over first.

use crate::extents::Extents;
use crate::tree::{Access, Expr, Kind, Statement, distinct};
use atl_diag::Span;
use atl_syntax::ast::Name;
use std::collections::BTreeMap;

/// The number of operands that are ordered by looking at all subsets.
const EXACT: usize = 10;
/// The extent of an index of which none is known.
const USUAL: usize = 32;
/// An order is written where it makes this much less of the work.
const WORTH: f64 = 4.0;

/// One nest of loops: `name[kept] = sum summed { product of factors }`.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) kept: Vec<Name>,
    pub(crate) summed: Vec<Name>,
    pub(crate) factors: Vec<Access>,
}

/// The nests that compute a product of operands, the last one its result; none where one nest does about as
/// well.
pub(crate) fn steps(
    statement: &Statement,
    extents: &Extents,
    shapes: &[(String, Vec<usize>)],
) -> Option<Vec<Step>> {
    let factors = product(&statement.body)?;
    if factors.len() < 3 {
        return None;
    }
    let known = extents.known(shapes);
    let extent = |index: &Name| {
        let size = extents.size(&index.text);
        known.iter().find(|(name, _)| *name == size).map_or(USUAL, |(_, n)| *n).max(1) as f64
    };
    let all: Vec<&Name> = distinct(factors.iter().flat_map(|a| &a.indices).collect());
    let work = Work { extents: all.iter().map(|i| extent(i)).collect() };
    let bits = |indices: &[Name]| {
        indices.iter().fold(0u64, |bits, i| {
            bits | all
                .iter()
                .position(|other| other.text == i.text)
                .map_or(0, |k| 1u64.checked_shl(k as u32).unwrap_or(0))
        })
    };
    if all.len() > 64 {
        return None;
    }
    let operands: Vec<u64> = factors.iter().map(|a| bits(&a.indices)).collect();
    let result = bits(&statement.result.indices);
    let (tree, cost) = work.best(&operands, result);
    let nest = work.cells(operands.iter().fold(0, |all, bits| all | bits));
    if nest < WORTH * cost {
        return None;
    }
    let taken: Vec<&str> = factors
        .iter()
        .flat_map(|a| a.indices.iter().chain([&a.tensor]))
        .chain([&statement.result.tensor])
        .map(|name| name.text.as_str())
        .collect();
    let mut names = (0..).map(|k| format!("t{k}")).filter(|name| !taken.contains(&name.as_str()));
    let mut writer =
        Writer { all: &all, factors: &factors, operands: &operands, steps: Vec::new(), names: &mut names };
    writer.step(&tree, result, true);
    let mut steps = writer.steps;
    let last = steps.last_mut()?;
    last.name = statement.result.tensor.text.clone();
    last.kept = statement.result.indices.clone();
    Some(steps)
}

/// The operands, if the expression is a sum of their product and nothing else.
fn product(e: &Expr) -> Option<Vec<Access>> {
    match &e.kind {
        Kind::Sum(_, inner) => product(inner),
        Kind::Mul(factors) => {
            let access = |e: &Expr| match &e.kind {
                Kind::Access(access) => Some(access.clone()),
                _ => None,
            };
            factors.iter().map(access).collect()
        }
        _ => None,
    }
}

/// Which operands are multiplied first.
#[derive(Clone, Debug)]
enum Tree {
    Operand(usize),
    Pair(Box<Tree>, Box<Tree>),
}

/// How much loops over indices are, as sets of bits.
struct Work {
    extents: Vec<f64>,
}

impl Work {
    fn cells(&self, indices: u64) -> f64 {
        self.extents.iter().enumerate().filter(|(k, _)| indices >> k & 1 == 1).map(|(_, n)| n).product()
    }

    /// The order of least cost, and its cost.
    fn best(&self, operands: &[u64], result: u64) -> (Tree, f64) {
        let alone: f64 = (0..operands.len())
            .filter(|k| own(operands, *k, result) != operands[*k])
            .map(|k| self.cells(operands[k]))
            .sum();
        let reduced: Vec<u64> = (0..operands.len()).map(|k| own(operands, k, result)).collect();
        let (tree, cost) = match operands.len() <= EXACT {
            true => self.exact(&reduced, result),
            false => self.greedy(&reduced, result),
        };
        (tree, alone + cost)
    }

    /// What multiplying two parts costs: the loops, and the cells that are stored.
    fn pair(&self, a: u64, b: u64, kept: u64) -> f64 {
        self.cells(a | b) + self.cells(kept)
    }

    fn exact(&self, operands: &[u64], result: u64) -> (Tree, f64) {
        let count = operands.len();
        let full = (1usize << count) - 1;
        let union =
            |set: usize| (0..count).filter(|k| set >> k & 1 == 1).fold(0u64, |all, k| all | operands[k]);
        // What of a part something else reads.
        let kept: Vec<u64> = (0..=full).map(|set| union(set) & (union(full & !set) | result)).collect();
        let mut best: Vec<Option<(f64, usize)>> = vec![None; full + 1];
        for k in 0..count {
            best[1 << k] = Some((0.0, 0));
        }
        for set in 1..=full {
            let mut part = (set - 1) & set;
            while part > 0 {
                let other = set & !part;
                // Each pair of parts once.
                if part < other
                    && let (Some((a, _)), Some((b, _))) = (best[part], best[other])
                {
                    let cost = a + b + self.pair(kept[part], kept[other], kept[set]);
                    if best[set].is_none_or(|(known, _)| cost < known) {
                        best[set] = Some((cost, part));
                    }
                }
                part = (part - 1) & set;
            }
        }
        fn tree(set: usize, best: &[Option<(f64, usize)>]) -> Tree {
            match best[set] {
                Some((_, part)) if part > 0 => {
                    Tree::Pair(Box::new(tree(part, best)), Box::new(tree(set & !part, best)))
                }
                _ => Tree::Operand(set.trailing_zeros() as usize),
            }
        }
        (tree(full, &best), best[full].map_or(f64::INFINITY, |(cost, _)| cost))
    }

    fn greedy(&self, operands: &[u64], result: u64) -> (Tree, f64) {
        let mut parts: Vec<(Tree, u64)> =
            operands.iter().enumerate().map(|(k, bits)| (Tree::Operand(k), *bits)).collect();
        let mut total = 0.0;
        while parts.len() > 1 {
            let mut best: Option<(f64, usize, usize, u64)> = None;
            for j in 1..parts.len() {
                for i in 0..j {
                    let others = parts.iter().enumerate().filter(|(k, _)| *k != i && *k != j);
                    let read = others.fold(result, |all, (_, (_, bits))| all | bits);
                    let kept = (parts[i].1 | parts[j].1) & read;
                    let cost = self.pair(parts[i].1, parts[j].1, kept);
                    if best.is_none_or(|(known, ..)| cost < known) {
                        best = Some((cost, i, j, kept));
                    }
                }
            }
            let Some((cost, i, j, kept)) = best else { break };
            let (second, _) = parts.remove(j);
            let (first, _) = parts.remove(i);
            parts.push((Tree::Pair(Box::new(first), Box::new(second)), kept));
            total += cost;
        }
        (parts.remove(0).0, total)
    }
}

/// What of an operand something else reads.
fn own(operands: &[u64], k: usize, result: u64) -> u64 {
    let others = operands.iter().enumerate().filter(|(other, _)| *other != k);
    operands[k] & others.fold(result, |all, (_, bits)| all | bits)
}

/// Writes the nests of a tree.
struct Writer<'w> {
    all: &'w [&'w Name],
    factors: &'w [Access],
    operands: &'w [u64],
    steps: Vec<Step>,
    names: &'w mut dyn Iterator<Item = String>,
}

impl Writer<'_> {
    fn names_of(&self, bits: u64) -> Vec<Name> {
        let of = |(k, name): (usize, &&Name)| (bits >> k & 1 == 1).then(|| (*name).clone());
        self.all.iter().enumerate().filter_map(of).collect()
    }

    /// The part as a factor, of which these indices are read elsewhere: `read`. The last part gets no name of
    /// its own here.
    fn step(&mut self, tree: &Tree, read: u64, last: bool) -> Access {
        let (factors, bits) = match tree {
            Tree::Operand(k) => {
                let bits = self.operands[*k];
                if bits & !read == 0 && !last {
                    return self.factors[*k].clone();
                }
                (vec![self.factors[*k].clone()], bits)
            }
            Tree::Pair(a, b) => {
                let (inside_a, inside_b) = (self.indices(a), self.indices(b));
                let a = self.step(a, read | inside_b, false);
                let b = self.step(b, read | inside_a, false);
                let bits = self.bits(&a.indices) | self.bits(&b.indices);
                (vec![a, b], bits)
            }
        };
        let name = match last {
            true => String::new(),
            false => self.names.next().unwrap_or_default(),
        };
        let (kept, summed) = (self.names_of(bits & read), self.names_of(bits & !read));
        self.steps.push(Step { name: name.clone(), kept: kept.clone(), summed, factors });
        Access { tensor: Name::new(name, Span::default()), indices: kept, span: Span::default() }
    }

    /// All that the operands of a part read.
    fn indices(&self, tree: &Tree) -> u64 {
        match tree {
            Tree::Operand(k) => self.operands[*k],
            Tree::Pair(a, b) => self.indices(a) | self.indices(b),
        }
    }

    fn bits(&self, indices: &[Name]) -> u64 {
        let place: BTreeMap<&str, usize> =
            self.all.iter().enumerate().map(|(k, n)| (n.text.as_str(), k)).collect();
        indices.iter().filter_map(|i| place.get(i.text.as_str())).fold(0, |bits, k| bits | 1 << k)
    }
}
