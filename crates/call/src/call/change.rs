//! By how much a step changes a tensor, and when that is little enough for an iteration to end.
//!
//! The one idea: most steps change much, and to see that they do is cheap. Elements are compared by blocks;
//! where the last step changed too much, the next one is looked at first. So until the end a look costs a
//! block, and not all elements.

use atl_loops::Machine as _;
use atl_runtime::{Buffer, with_element};
use std::fmt;

/// How many elements are compared at once.
const BLOCK: usize = 1024;

/// Of many numbers one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Norm {
    /// The greatest.
    Max,
    /// The sum.
    Sum,
}

impl Norm {
    fn name(self) -> &'static str {
        match self {
            Norm::Max => "max",
            Norm::Sum => "sum",
        }
    }

    /// Of nothing it is 0; where one of the numbers is NaN it is NaN.
    fn of(self, numbers: impl Iterator<Item = f64>) -> f64 {
        match self {
            Norm::Max => numbers.fold(0.0, |most: f64, x| if most.is_nan() || x <= most { most } else { x }),
            Norm::Sum => numbers.sum(),
        }
    }
}

/// A bound on a step's change: `max |x' - x| < 1e-8`, or relative to the tensor before,
/// `sum |x' - x| < 1e-8 * sum |x|`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Change {
    norm: Norm,
    below: f64,
    is_relative: bool,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of("x"))
    }
}

impl Change {
    /// The bound as it is written of a tensor of this name.
    pub(super) fn of(&self, name: &str) -> String {
        let norm = self.norm.name();
        let relative = if self.is_relative { format!(" * {norm} |{name}|") } else { String::new() };
        format!("{norm} |{name}' - {name}| < {:e}{relative}", self.below)
    }

    /// Reads a bound on the change of the tensor of this name.
    ///
    /// # Errors
    /// It is not written so: what was expected.
    pub fn parse(text: &str, name: &str) -> Result<Change, String> {
        let expected = || {
            format!(
                "expected `max |{name}' - {name}| < 1e-8`, with `sum` in place of `max`, or `1e-8 * max |{name}|` in place of `1e-8`"
            )
        };
        let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let norms = [Norm::Max, Norm::Sum];
        let read = || {
            let (norm, rest) = norms.into_iter().find_map(|n| Some((n, dense.strip_prefix(n.name())?)))?;
            let change = [format!("|{name}'-{name}|<"), format!("|{name}-{name}'|<")];
            let rest = change.iter().find_map(|change| rest.strip_prefix(change.as_str()))?;
            let relative = format!("*{}|{name}|", norm.name());
            let (number, is_relative) = match rest.strip_suffix(relative.as_str()) {
                Some(number) => (number, true),
                None => (rest, false),
            };
            let below = number.parse().ok().filter(|below: &f64| below.is_finite() && *below > 0.0)?;
            Some(Change { norm, below, is_relative })
        };
        read().ok_or_else(expected)
    }

    /// The change between two tensors of one type and shape, in the measure of the bound; of a relative bound
    /// the quotient.
    pub fn between(&self, before: &Buffer, after: &Buffer) -> f64 {
        elements(before, after, Measure(self))
    }

    /// How large the tensor before is. What is infinite, as distances are that nobody knows yet, does not
    /// count.
    fn scale<T: Copy>(&self, before: &[T], number: impl Fn(T) -> f64) -> f64 {
        self.norm.of(before.iter().map(|x| number(*x).abs()).filter(|x| !x.is_infinite()))
    }

    /// Whether the change is below the bound; `at` is a block to look at first, and becomes the one to look
    /// at the next time.
    pub(super) fn is_small(&self, before: &Buffer, after: &Buffer, at: &mut usize) -> bool {
        elements(before, after, Look(self, at))
    }
}

/// A question about the elements of two tensors.
trait Question {
    type Answer;
    fn ask<T: Copy + PartialEq>(
        self,
        before: &[T],
        after: &[T],
        number: impl Fn(T) -> f64 + Copy,
    ) -> Self::Answer;
    /// Where the tensors cannot be compared.
    fn none(self) -> Self::Answer;
}

fn elements<Q: Question>(before: &Buffer, after: &Buffer, question: Q) -> Q::Answer {
    with_element!(before.dtype(), T => match (before.as_slice::<T>(), after.as_slice::<T>()) {
        (Ok(before), Ok(after)) if before.len() == after.len() => {
            question.ask(before, after, |x: T| x.value().to_f64())
        }
        _ => question.none(),
    })
}

/// Equal elements differ by 0, infinite ones too.
fn difference<T: Copy + PartialEq>(before: T, after: T, number: impl Fn(T) -> f64) -> f64 {
    if before == after { 0.0 } else { (number(after) - number(before)).abs() }
}

struct Measure<'c>(&'c Change);

impl Question for Measure<'_> {
    type Answer = f64;

    fn ask<T: Copy + PartialEq>(self, before: &[T], after: &[T], number: impl Fn(T) -> f64 + Copy) -> f64 {
        let Measure(change) = self;
        let differences = before.iter().zip(after).map(|(x, y)| difference(*x, *y, number));
        let found = change.norm.of(differences);
        match change.is_relative && found != 0.0 {
            true => found / change.scale(before, number),
            false => found,
        }
    }

    fn none(self) -> f64 {
        f64::NAN
    }
}

struct Look<'c>(&'c Change, &'c mut usize);

impl Question for Look<'_> {
    type Answer = bool;

    fn ask<T: Copy + PartialEq>(self, before: &[T], after: &[T], number: impl Fn(T) -> f64 + Copy) -> bool {
        let Look(change, at) = self;
        let scale = if change.is_relative { change.scale(before, number) } else { 1.0 };
        let bound = change.below * scale;
        let mut blocks = before.chunks(BLOCK).zip(after.chunks(BLOCK));
        // Of a tensor of zeros the relative bound is 0, and to change nothing is still little enough.
        let is_below = |change: f64| (change < bound) | (change == 0.0);
        let each = |(x, y): (&T, &T)| difference(*x, *y, number);
        match change.norm {
            Norm::Max => {
                // Written without a way out, so that it is a loop of vectors; what is NaN is not small.
                let is_small =
                    |(x, y): (&[T], &[T])| x.iter().zip(y).fold(true, |ok, pair| ok & is_below(each(pair)));
                if blocks.clone().nth(*at).is_some_and(|block| !is_small(block)) {
                    return false;
                }
                let found = blocks.position(|block| !is_small(block));
                *at = found.unwrap_or(0);
                found.is_none()
            }
            Norm::Sum => {
                let sum = |(x, y): (&[T], &[T])| x.iter().zip(y).map(each).sum::<f64>();
                if blocks.clone().nth(*at).is_some_and(|block| sum(block) >= bound) {
                    return false;
                }
                let (mut total, mut most) = (0.0, 0.0);
                for (place, block) in blocks.enumerate() {
                    let part = sum(block);
                    total += part;
                    if part > most {
                        (most, *at) = (part, place);
                    }
                }
                is_below(total)
            }
        }
    }

    fn none(self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read() {
        let check = |text: &str, expected: Option<&str>| {
            let found = Change::parse(text, "d").ok().map(|change| change.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("max |d' - d| < 1e-8", Some("max |x' - x| < 1e-8"));
        check("max|d-d'|<.5", Some("max |x' - x| < 5e-1"));
        check("sum |d' - d| < 2 * sum |d|", Some("sum |x' - x| < 2e0 * sum |x|"));
        check("max |d' - d| < 1e-8 * sum |d|", None);
        check("max |x' - x| < 1e-8", None);
        for wrong in [
            "",
            "1e-8",
            "max |d' - d| < 0",
            "max |d' - d| < -1",
            "max |d' - d| < nan",
            "max |d' - d| > 1",
            "max |d' - d|",
        ] {
            check(wrong, None);
        }
        assert!(Change::parse("1e-8", "d").expect_err("no norm").contains("max |d' - d| < 1e-8"));
    }

    /// Whatever is looked at first, a bound above the change is one, and a bound that is the change is none.
    fn check(before: &[f64], after: &[f64], norm: Norm, is_relative: bool, expected: f64) {
        let buffer = |all: &[f64]| Buffer::from_slice(all, &[all.len()]).expect("small");
        let (before, after) = (buffer(before), buffer(after));
        let change = |below| Change { norm, below, is_relative };
        let found = change(1.0).between(&before, &after);
        assert!(found == expected || found.is_nan() && expected.is_nan(), "{found}, not {expected}");
        for first in [0, 1, 2, 7] {
            let small = |below: f64| change(below).is_small(&before, &after, &mut first.clone());
            assert!(
                !small(expected.max(f64::MIN_POSITIVE)) || expected == 0.0,
                "{norm:?} {expected} at {first}"
            );
            let is_number = expected.is_finite();
            assert_eq!(small((expected * 1.001).max(1e-300)), is_number, "{norm:?} {expected} at {first}");
        }
    }

    #[test]
    fn changes_are_found_wherever_they_are() {
        let before: Vec<f64> = (0..3000).map(|k| f64::from(k % 7) - 3.0).collect();
        for place in [0, 1023, 1024, 2047, 2999] {
            let mut after = before.clone();
            after[place] += 0.5;
            after[5] -= 0.125;
            check(&before, &after, Norm::Max, false, 0.5);
            check(&before, &after, Norm::Sum, false, 0.625);
            check(&before, &after, Norm::Max, true, 0.5 / 3.0);
            after[place] = f64::NAN;
            check(&before, &after, Norm::Max, false, f64::NAN);
            check(&before, &after, Norm::Sum, false, f64::NAN);
        }
    }

    #[test]
    fn equal_infinities_do_not_change() {
        let inf = f64::INFINITY;
        check(&[inf, 1.0, -inf], &[inf, 1.25, -inf], Norm::Max, false, 0.25);
        check(&[inf, 1.0], &[2.0, 1.0], Norm::Max, false, inf);
        check(&[inf, 2.0], &[inf, 3.0], Norm::Max, true, 0.5);
        check(&[], &[], Norm::Sum, false, 0.0);
        check(&[0.0, 0.0], &[-0.0, 0.0], Norm::Max, true, 0.0);
    }
}
