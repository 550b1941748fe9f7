//! Whether numbers of which linear comparisons are known exist: by eliminating one after the other.
//!
//! The one idea: of `l < x` and `x < u`, there is an `x` only if `l < u`. Each step keeps whatever real
//! numbers satisfy what was known before, so what ends in `0 < 0` is satisfied by none. It is no decision
//! for products: a product is a number of its own here, which is sound. Where numbers get long or
//! comparisons many, nothing is known.

use std::collections::BTreeMap;

/// How a sum compares with zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Relation {
    Zero,
    AtLeastZero,
    AboveZero,
}

use Relation::{AboveZero, AtLeastZero, Zero};

/// A constant, and a sum of multiples of numbers: the factors by the numbers' places, from the second on.
pub(super) type Sum = Vec<i128>;

/// The most comparisons at a time.
const COMPARISONS: usize = 300;

/// `n * x + m * y`; `None` if a number is too long.
fn combined(n: i128, x: &Sum, m: i128, y: &Sum) -> Option<Sum> {
    let both = x.iter().zip(y).map(|(x, y)| n.checked_mul(*x)?.checked_add(m.checked_mul(*y)?));
    both.collect::<Option<Sum>>().map(reduced)
}

/// Divided by the largest number that divides every factor: a positive one, so comparisons are the same.
fn reduced(mut sum: Sum) -> Sum {
    let divisor = sum.iter().fold(0, |divisor, n| gcd(divisor, n.unsigned_abs()));
    if let Ok(divisor @ 2..) = i128::try_from(divisor) {
        sum.iter_mut().for_each(|n| *n /= divisor);
    }
    sum
}

/// The place of a number in a sum, if there is one.
fn place(sum: &Sum) -> Option<usize> {
    (1..sum.len()).find(|at| sum[*at] != 0)
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Is it certain that no numbers satisfy all of these, which are of one length? Each combination of two
/// is taken from `work`.
pub(super) fn contradictory(known: Vec<(Sum, Relation)>, work: &mut u64) -> bool {
    search(known, work).unwrap_or(false)
}

fn search(known: Vec<(Sum, Relation)>, work: &mut u64) -> Option<bool> {
    let (mut equal, mut more) = (Vec::new(), BTreeMap::new());
    for (sum, relation) in known {
        match relation {
            Zero => equal.push(reduced(sum)),
            _ => keep(&mut more, reduced(sum), relation),
        }
    }
    let mut spend = |n: usize| {
        *work = work.checked_sub(n as u64)?;
        Some(())
    };
    // `c * x = ..` says what `x` is in the others.
    while let Some(equation) = equal.pop() {
        let Some(at) = place(&equation) else {
            if equation[0] != 0 {
                return Some(true);
            }
            continue;
        };
        // The comparison is multiplied by a positive number, so it stays what it is.
        let factor = equation[at];
        let without = |sum: Sum| match sum[at] {
            0 => Some(sum),
            own => combined(factor.checked_abs()?, &sum, own.checked_mul(-factor.signum())?, &equation),
        };
        spend(equal.len() + more.len())?;
        equal = equal.into_iter().map(without).collect::<Option<_>>()?;
        let mut others = BTreeMap::new();
        for (sum, relation) in more {
            keep(&mut others, without(sum)?, relation);
        }
        more = others;
    }
    loop {
        if more.iter().any(|(sum, relation)| place(sum).is_none() && is_false(sum[0], *relation)) {
            return Some(true);
        }
        more.retain(|sum, _| place(sum).is_some());
        let Some(length) = more.keys().next().map(Vec::len) else { return Some(false) };
        // Where a number is bounded on one side only, its comparisons say nothing of the others.
        let combinations = |at: usize| {
            let of_sign = |sign: i128| more.keys().filter(|sum| sum[at].signum() == sign).count();
            (of_sign(1) + of_sign(-1) > 0).then(|| (of_sign(1) * of_sign(-1), at))
        };
        let (count, at) = (1..length).filter_map(combinations).min()?;
        spend((count + more.len()) * (1 + length / 8))?;
        let (with, mut others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            more.into_iter().partition(|(sum, _)| sum[at] != 0);
        let (lower, upper): (Vec<_>, Vec<_>) = with.into_iter().partition(|(sum, _)| sum[at] > 0);
        for (x, by) in &lower {
            for (y, other) in &upper {
                keep(&mut others, combined(y[at].checked_neg()?, x, x[at], y)?, (*by).max(*other));
            }
        }
        if others.len() > COMPARISONS {
            return None;
        }
        more = others;
    }
}

/// Both together with what is known: of one sum, the stronger comparison.
fn keep(known: &mut BTreeMap<Sum, Relation>, sum: Sum, relation: Relation) {
    let kept = known.entry(sum).or_insert(relation);
    *kept = relation.max(*kept);
}

fn is_false(constant: i128, relation: Relation) -> bool {
    match relation {
        Zero => constant != 0,
        AtLeastZero => constant < 0,
        AboveZero => constant <= 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(known: &[([i128; 4], Relation)], expected: bool) {
        let of = |(sum, relation): &([i128; 4], Relation)| (sum.to_vec(), *relation);
        assert_eq!(contradictory(known.iter().map(of).collect(), &mut 10_000), expected, "{known:?}");
    }

    #[test]
    fn what_no_numbers_satisfy_is_found_and_nothing_else() {
        // x < y, y < z, z < x or z <= x or x < z.
        let chain = [([0, -1, 1, 0], AboveZero), ([0, 0, -1, 1], AboveZero)];
        check(&[chain[0], chain[1], ([0, 1, 0, -1], AboveZero)], true);
        check(&[chain[0], chain[1], ([0, 1, 0, -1], AtLeastZero)], true);
        check(&[chain[0], chain[1], ([0, -1, 0, 1], AboveZero)], false);
        let equal = [([0, -1, 1, 0], AtLeastZero), ([0, 1, -1, 0], AtLeastZero)];
        check(&equal, false);
        check(&[equal[0], equal[1], ([-1, 2, -2, 0], Zero)], true);
        check(&[equal[0], equal[1], ([0, 2, -2, 0], AboveZero)], true);
        // 2 x = 3 y, y = 4, x < 6 or x <= 6.
        let equal = [([0, 2, -3, 0], Zero), ([-4, 0, 1, 0], Zero)];
        check(&[equal[0], equal[1], ([6, -1, 0, 0], AboveZero)], true);
        check(&[equal[0], equal[1], ([6, -1, 0, 0], AtLeastZero)], false);
        check(&[([0; 4], AboveZero)], true);
        check(&[([0; 4], AtLeastZero)], false);
        check(&[([1, 0, 0, 0], Zero)], true);
        check(&[], false);
    }

    #[test]
    fn what_is_too_long_says_nothing() {
        let long = i128::MAX - 1;
        let known =
            [([0, long, 3, 0], AboveZero), ([-7, -5, long, 0], AboveZero), ([-1, -3, -3, 0], AboveZero)];
        check(&known, false);
        let positive = [([0, 1, 0, 0], AboveZero), ([0, -1, 0, 0], AboveZero)];
        check(&positive, true);
        let known = positive.map(|(sum, relation)| (sum.to_vec(), relation)).to_vec();
        assert!(!contradictory(known, &mut 0));
    }
}
