//! What depends on loops, looked at over their iterations.
//!
//! **The one idea.** A guard or a bound is evaluated at iterations spread evenly over the loops that it
//! mentions: at all of them where they are few. So a guard counts by how often it holds, and one that holds
//! for a few of very many iterations still counts for one.

use atl_loops::{Bool, CmpOp, Int, IntOp, Name};
use std::collections::BTreeMap;

/// A loop as it is looked at: its variable, the variable's first value, and its trips.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) name: Name,
    pub(super) first: i64,
    pub(super) trips: i64,
}

/// At how many iterations of all loops together something is looked at, at most.
const SAMPLES: i64 = 512;

/// Values of variables, and the loops over which some of them run.
pub(super) struct Samples {
    /// Sizes, and loop variables halfway.
    pub(super) at: BTreeMap<Name, i64>,
    /// The loops, the outermost first.
    pub(super) loops: Vec<Range>,
}

impl Samples {
    /// The part of the iterations for which a condition holds; of a conjunction, as if its parts had nothing
    /// to do with one another. What reads an array counts as holding. None if its arithmetic leaves 64 bits.
    pub(super) fn fraction(&self, cond: &Bool) -> Option<f64> {
        if let Bool::And(a, b) = cond {
            return Some(self.fraction(a)? * self.fraction(b)?);
        }
        if reads(cond) {
            return Some(1.0);
        }
        let (mut holding, mut seen) = (0u32, 0u32);
        let spread = self.visit(&|name| mentions(cond, name), &mut |at| {
            seen += 1;
            holding += u32::from(holds(cond, at)?);
            Some(())
        })?;
        Some(match (holding, spread) {
            (0, Spread::All) => 0.0,
            (0, Spread::Some { of }) => 1.0 / of,
            _ => f64::from(holding) / f64::from(seen),
        })
    }

    /// The mean of a number over the iterations, where it is positive, rounded up.
    pub(super) fn mean(
        &self,
        number: &dyn Fn(&BTreeMap<Name, i64>) -> Option<i64>,
        of: &[&Int],
    ) -> Option<i64> {
        let (mut sum, mut seen) = (0i128, 0i128);
        self.visit(&|name| of.iter().any(|int| int.mentions(name)), &mut |at| {
            seen += 1;
            sum += i128::from(number(at)?.max(0));
            Some(())
        })?;
        i64::try_from((sum + seen - 1) / seen.max(1)).ok()
    }

    /// Visits iterations of the loops whose variables are mentioned.
    fn visit(
        &self,
        mentioned: &dyn Fn(&Name) -> bool,
        each: &mut dyn FnMut(&BTreeMap<Name, i64>) -> Option<()>,
    ) -> Option<Spread> {
        let loops: Vec<&Range> = self.loops.iter().filter(|range| mentioned(&range.name)).collect();
        let counts = counts(&loops);
        visit(&loops, &counts, &mut self.at.clone(), each)?;
        let all = loops.iter().zip(&counts).all(|(range, count)| range.trips == *count);
        let of = loops.iter().map(|range| range.trips as f64).product();
        Some(if all { Spread::All } else { Spread::Some { of } })
    }
}

/// Which iterations were visited.
enum Spread {
    All,
    /// Some, of this number.
    Some {
        of: f64,
    },
}

/// At how many iterations of each loop to look: loops with few trips leave more for the others.
fn counts(loops: &[&Range]) -> Vec<i64> {
    let mut counts = vec![1; loops.len()];
    let mut by_trips: Vec<usize> = (0..loops.len()).collect();
    by_trips.sort_by_key(|k| loops[*k].trips);
    let mut left = SAMPLES as f64;
    for (done, k) in by_trips.iter().enumerate() {
        let fair = left.powf(1.0 / (loops.len() - done) as f64).floor().max(2.0);
        counts[*k] = loops[*k].trips.clamp(1, fair as i64);
        left = (left / counts[*k] as f64).max(1.0);
    }
    counts
}

fn visit(
    loops: &[&Range],
    counts: &[i64],
    at: &mut BTreeMap<Name, i64>,
    each: &mut dyn FnMut(&BTreeMap<Name, i64>) -> Option<()>,
) -> Option<()> {
    let (Some((range, inner)), Some((count, inner_counts))) = (loops.split_first(), counts.split_first())
    else {
        return each(at);
    };
    for k in 0..*count {
        let step = (2 * i128::from(k) + 1) * i128::from(range.trips) / (2 * i128::from(*count));
        let value = range.first.checked_add(i64::try_from(step).ok()?)?;
        at.insert(range.name.clone(), value);
        visit(inner, inner_counts, at, each)?;
    }
    Some(())
}

/// The value of an index term; none if it leaves 64 bits, or is read from an array, of which nothing is
/// known here. What an array holds is thought not to move a bound beyond the other of two, as of `max(0,
/// a[q])`.
pub(super) fn value(int: &Int, at: &BTreeMap<Name, i64>) -> Option<i64> {
    match int {
        Int::Lit(n) => Some(*n),
        Int::Var(name) => at.get(name).copied(),
        Int::Bin(IntOp::Min | IntOp::Max, a, b) if a.reads() != b.reads() => {
            value(if a.reads() { b } else { a }, at)
        }
        Int::Bin(op, a, b) => op.apply(value(a, at)?, value(b, at)?),
        Int::Load(..) => None,
    }
}

fn holds(cond: &Bool, at: &BTreeMap<Name, i64>) -> Option<bool> {
    Some(match cond {
        Bool::Lit(known) => *known,
        Bool::Cmp(op, a, b) => CmpOp::apply(*op, &value(a, at)?, &value(b, at)?),
        Bool::And(a, b) => holds(a, at)? && holds(b, at)?,
        Bool::Or(a, b) => holds(a, at)? || holds(b, at)?,
        Bool::Not(a) => !holds(a, at)?,
    })
}

/// Does the condition read an array?
pub(super) fn reads(cond: &Bool) -> bool {
    let mut found = false;
    cond.for_each_read(&mut |_, _| found = true);
    found
}

/// Is the variable in the condition?
pub(super) fn mentions(cond: &Bool, name: &Name) -> bool {
    match cond {
        Bool::Lit(_) => false,
        Bool::Cmp(_, a, b) => a.mentions(name) || b.mentions(name),
        Bool::And(a, b) | Bool::Or(a, b) => mentions(a, name) || mentions(b, name),
        Bool::Not(a) => mentions(a, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of the iterations of `o` and `i` for which `o * k + i < n`.
    fn check(outer: i64, tile: i64, n: i64, expected: std::ops::RangeInclusive<f64>) {
        let name = |text: &str| Name::from(text);
        let range = |text, trips| Range { name: name(text), first: 0, trips };
        let samples = Samples { at: BTreeMap::new(), loops: vec![range("o", outer), range("i", tile)] };
        let index = Int::Var(name("o")) * Int::Lit(tile) + Int::Var(name("i"));
        let found = samples.fraction(&Bool::Cmp(CmpOp::Lt, index, Int::Lit(n))).expect("it is small");
        assert!(expected.contains(&found), "{outer} tiles of {tile}, {n}: {found}");
    }

    #[test]
    fn a_guard_counts_by_how_often_it_holds() {
        check(4, 8, 32, 1.0..=1.0);
        check(4, 8, 26, 26.0 / 32.0..=26.0 / 32.0);
        check(1, 64, 2, 2.0 / 64.0..=2.0 / 64.0);
        check(1, 64, 0, 0.0..=0.0);
        check(1, 1 << 20, 1, 1e-7..=1e-2);
        check(1000, 1024, 1_023_000, 0.95..=1.0);
        check(1000, 1024, 512_000, 0.45..=0.55);
    }
}
