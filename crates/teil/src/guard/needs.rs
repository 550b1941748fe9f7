//! What must hold of sizes so that a kernel is safe.
//!
//! The one idea: each obligation is an equation of two sizes, or for an index such as `i + j` two inequalities that are linear in
//! sizes, each of which is at least 1; so it is seen at once which of them hold for all sizes, which for none, and which are
//! worth stating.

use super::kernel::Affine;
use super::ranges::{Obligation, Ranges};
use crate::language::{Fact, Placed, Relation, Size};
use crate::typing::Sizes;
use std::collections::BTreeMap;

/// What must hold.
pub(super) enum Needs {
    /// All of these, each once.
    All(Vec<String>),
    /// Nothing that does: this never holds.
    Never(String),
}

/// What must hold of sizes so that these obligations do.
pub(super) fn needs(found: &[(usize, Obligation<'_>)], ranges: &[Ranges]) -> Needs {
    let mut needs: Vec<String> = Vec::new();
    for (k, obligation) in found {
        let (index, ranges) = (obligation.index(), &ranges[*k]);
        let each = match fact(obligation, ranges) {
            Some(fact) => match (&fact.left.value, fact.relation, &fact.right.value) {
                (Size::Number(n), Relation::Equal, Size::Number(m)) => {
                    return Needs::Never(format!("{n} is not {m}"));
                }
                (Size::Number(n), Relation::AtMost, Size::Number(m)) if n > m => {
                    return Needs::Never(format!("{n} is more than {m}"));
                }
                _ => vec![fact.to_string()],
            },
            None => {
                let bounds = [above(index, &obligation.size, ranges), below(index, ranges)];
                if let Some(never) = bounds.iter().find(|bound| bound.never()) {
                    return Needs::Never(format!("`{}` {}", index.text(), never.broken));
                }
                bounds.iter().filter(|bound| !bound.always()).map(|bound| bound.text.clone()).collect()
            }
        };
        for need in each {
            if !needs.contains(&need) {
                needs.push(need);
            }
        }
    }
    match facts(found, ranges).is_some_and(|facts| contradict(&facts)) {
        true => Needs::Never(format!("{} cannot all be", needs.join(" and "))),
        false => Needs::All(needs),
    }
}

/// Whether no sizes satisfy all facts.
fn contradict(facts: &[Fact]) -> bool {
    let mut names: Vec<String> = Vec::new();
    for size in facts.iter().flat_map(|fact| [&fact.left.value, &fact.right.value]) {
        if let Size::Variable(name) = size
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    let mut sizes = Sizes::new(names);
    !facts.iter().all(|fact| sizes.assume(fact))
}

/// `0 <= constant + sum of by * (size - 1)`, as it is said.
struct Bound {
    constant: i64,
    by: BTreeMap<String, i64>,
    text: String,
    broken: &'static str,
}

impl Bound {
    /// Whether it holds for all sizes: no size makes it smaller.
    fn always(&self) -> bool {
        self.constant >= 0 && self.by.values().all(|by| *by >= 0)
    }

    /// Whether it holds for none: no size makes it larger.
    fn never(&self) -> bool {
        self.constant < 0 && self.by.values().all(|by| *by <= 0)
    }

    /// Adds so many times a size less one.
    fn add(&mut self, by: i64, size: &Size) {
        match size {
            Size::Number(n) => {
                let last = i64::try_from(*n).unwrap_or(i64::MAX) - 1;
                self.constant = self.constant.saturating_add(by.saturating_mul(last));
            }
            Size::Variable(name) => {
                let known = self.by.entry(name.clone()).or_insert(0);
                *known = known.saturating_add(by);
            }
        }
    }
}

/// The largest value of an index is below this size.
fn above(index: &Affine, size: &Size, ranges: &Ranges) -> Bound {
    let largest: Vec<String> = reaches(index, ranges, 1).into_iter().map(|(text, ..)| text).collect();
    let constant = (index.constant != 0).then(|| index.constant.to_string());
    let sum: Vec<String> = largest.into_iter().chain(constant).collect();
    let text = format!("{} < {size}", if sum.is_empty() { "0".to_owned() } else { sum.join(" + ") });
    let constant = index.constant.saturating_neg();
    let mut bound = Bound { constant, by: BTreeMap::new(), text, broken: "ends beyond the last entry" };
    bound.add(1, size);
    reaches(index, ranges, 1).into_iter().for_each(|(_, by, size)| bound.add(-by, size));
    bound
}

/// The smallest value of an index is at least 0.
fn below(index: &Affine, ranges: &Ranges) -> Bound {
    let least: Vec<String> = reaches(index, ranges, -1).into_iter().map(|(text, ..)| text).collect();
    let text = format!("{} <= {}", least.join(" + "), index.constant);
    let broken = "begins before the first entry";
    let mut bound = Bound { constant: index.constant, by: BTreeMap::new(), text, broken };
    reaches(index, ranges, -1).into_iter().for_each(|(_, by, size)| bound.add(-by, size));
    bound
}

/// How far the indices that count with this sign take it: in words, and so many times a size less one.
fn reaches<'r>(index: &Affine, ranges: &'r Ranges, sign: i64) -> Vec<(String, i64, &'r Size)> {
    let terms = index.terms.iter().filter(|(by, _)| by.signum() == sign);
    let reach = terms.filter_map(|(by, name)| {
        let (size, by) = (ranges.size(name)?, by.saturating_abs());
        let text = if by == 1 { format!("({size} - 1)") } else { format!("{by} * ({size} - 1)") };
        Some((text, by, size))
    });
    reach.collect()
}

/// What TeIL may state so that an obligation holds.
fn fact(obligation: &Obligation<'_>, ranges: &Ranges) -> Option<Fact> {
    let index = obligation.index();
    let (left, relation) = match index.plain() {
        Some(plain) => (ranges.size(plain)?.clone(), Relation::Equal),
        None if index.terms.is_empty() => {
            (Size::Number(u64::try_from(index.constant + 1).ok()?), Relation::AtMost)
        }
        None => return None,
    };
    let right = obligation.size.clone();
    let (left, right) = match relation {
        // One way round, so that a fact is stated once.
        Relation::Equal if right < left => (right, left),
        _ => (left, right),
    };
    Some(Fact { left: Placed::unplaced(left), relation, right: Placed::unplaced(right) })
}

/// The facts of all obligations, each once, if TeIL can state them.
pub(super) fn facts(found: &[(usize, Obligation<'_>)], ranges: &[Ranges]) -> Option<Vec<Fact>> {
    let mut facts: Vec<Fact> = Vec::new();
    for (k, obligation) in found {
        let fact = fact(obligation, &ranges[*k])?;
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    Some(facts)
}
