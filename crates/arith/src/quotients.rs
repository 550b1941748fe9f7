//! Quotients of a sum in one form, so that those which say the same meet and go away.
//!
//! Each quotient by a constant may be shortened by itself, `(16*x + y) / 15` to `x + (x + y) / 15` or not, `x / 13 / 13` to `x / 169`:
//! whichever is cheaper there. A sum of several is cheapest if all have one form: in `(16*x + y) / 15 * 15 + (x + y) % 15`, which is
//! `16*x + y`, they vanish. Both equations hold of all integers, where the divisors are positive.
//!
//! The form is for sums in which quotients go away, and no other: `(W/2 + 31) / 32` counts tiles of `W/2` cells, and a term that says
//! `W/2` elsewhere, as extents do, would no longer be seen to be about the same if that became `(W + 62) / 64`.

use crate::readback::{divide, substitute};
use atl_kernel::poly::{Atom, Poly};
use std::sync::Arc;

/// The sum in one form, if it has fewer quotients there.
pub(crate) fn with_fewer_quotients(p: &Poly) -> Option<Poly> {
    in_one_form(p).filter(|one| quotients(one).len() < quotients(p).len())
}

/// Are there several quotients in the sum?
pub(crate) fn has_quotients(p: &Poly) -> bool {
    quotients(p).len() > 1
}

/// The sum with whole multiples of divisors outside of quotients, and quotients of quotients as one; `None` where it is that already.
fn in_one_form(p: &Poly) -> Option<Poly> {
    let values: Vec<(Arc<Atom>, Poly)> =
        quotients(p).into_iter().filter_map(|atom| changed(&atom).map(|value| (atom, value))).collect();
    if values.is_empty() { None } else { substitute(p, &values) }
}

/// The quotients that are factors in the sum, each once; not those within them.
fn quotients(p: &Poly) -> Vec<Arc<Atom>> {
    let factors = p.terms().flat_map(|(m, _)| m.iter());
    let mut all: Vec<Arc<Atom>> = factors.filter(|atom| matches!(***atom, Atom::Div(..))).cloned().collect();
    all.sort();
    all.dedup();
    all
}

/// A quotient by a positive constant in that form, if it is not.
fn changed(atom: &Atom) -> Option<Poly> {
    let Atom::Div(x, d) = atom else { return None };
    let (mut x, mut by) = (in_one_form(x).unwrap_or_else(|| x.clone()), positive(d)?);
    let mut whole = Poly::default();
    loop {
        if let Some((inside, first)) = of_quotient(&x) {
            (x, by) = (inside, by.checked_mul(first)?);
            continue;
        }
        let (times, rest) = divide(&x, &Poly::constant(by))?;
        if times == Poly::default() {
            break;
        }
        (whole, x) = (whole.plus(&times).ok()?, rest);
    }
    let quotient = match x.as_constant() {
        // What is left of a number is less than the divisor.
        Some(_) => Poly::default(),
        None => Poly::atom(Atom::Div(x, Poly::constant(by))),
    };
    let value = whole.plus(&quotient).ok()?;
    (value != Poly::atom(atom.clone())).then_some(value)
}

/// `y + c*w` and `c*d`, whose quotient is `p / d` where `p` is `y / c + w`, for positive constants.
pub(crate) fn by_both(p: &Poly, d: &Poly) -> Option<(Poly, Poly)> {
    let (inside, first) = of_quotient(p)?;
    Some((inside, Poly::constant(first.checked_mul(positive(d)?)?)))
}

/// `y + c*w` and `c`, if the sum is `y / c + w`, for a positive constant.
fn of_quotient(p: &Poly) -> Option<(Poly, i128)> {
    p.terms().find_map(|(m, by)| {
        let ([atom], 1) = (m, by) else { return None };
        let Atom::Div(y, c) = &**atom else { return None };
        let (first, quotient) = (positive(c)?, Poly::atom((**atom).clone()));
        Some((y.add_scaled(first, &p.minus(&quotient).ok()?).ok()?, first))
    })
}

fn positive(d: &Poly) -> Option<i128> {
    d.as_constant().filter(|d| *d > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::eval_poly;
    use atl_kernel::{Ix, IxOp};

    /// The first becomes the second, or stays as it is.
    fn check(given: Ix, expected: Option<Ix>) {
        let [given, expected] = [Some(given), expected].map(|ix| ix.and_then(|ix| Poly::of(&ix).ok()));
        assert_eq!(given.and_then(|p| in_one_form(&p)), expected);
    }

    #[test]
    fn quotients_have_one_form() {
        let n = Ix::Lit;
        let [x, y] = [0, 1].map(|l| move || Ix::free(l));
        check((x() * n(16) + y()) / n(15), Some(x() + (x() + y()) / n(15)));
        check(x() / n(13) / n(13), Some(x() / n(169)));
        check((x() + n(30)) / n(15) / n(2), Some(n(1) + x() / n(30)));
        check((x() - n(1)) / n(4), Some((x() + n(3)) / n(4) - n(1)));
        check((x() + y()) / n(15), None);
        check(x() / y() / y(), None);
        check((x() / n(3) + y()) / n(5), Some((x() + y() * n(3)) / n(15)));
        // A number that is less than 8, before a point, at which rows and squares of 3 begin.
        let place = || x() + (y() * n(5)) % n(8);
        let cell = place() / n(3) / n(3) * n(9) + place() % n(9);
        check(cell, Some(place()));
        check((x() * n(16) + y()) / n(15) * n(15) + (x() + y()) % n(15), Some(x() * n(16) + y()));
    }

    #[test]
    fn what_does_not_vanish_stays() {
        let n = Ix::Lit;
        let [x, y] = [0, 1].map(|l| move || Ix::free(l));
        let fewer = |ix: Ix| Poly::of(&ix).ok().and_then(|p| with_fewer_quotients(&p));
        // Tiles of a half, and how far they overhang it.
        assert_eq!(fewer((x() / n(2) + n(31)) / n(32)), None);
        assert_eq!(fewer((x() / n(2) + n(31)) / n(32) * n(32) - x() / n(2)), None);
        assert_eq!(fewer((x() - n(4)) / n(4) + n(1)), None);
        assert_eq!(fewer((x() - n(4)) / n(4) - x() / n(4)), Some(Poly::constant(-1)));
        assert_eq!(fewer(x() / n(2) / n(3) - x() / n(6) + y() / n(2)), Poly::of(&(y() / n(2))).ok());
    }

    /// A small generator with a fixed seed (xorshift) of sums of quotients and remainders, one within another.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % n) as usize
        }

        fn literal(&mut self) -> Ix {
            Ix::Lit([-13, -4, -1, 0, 1, 2, 3, 5, 8, 15, 16][self.below(11)])
        }

        fn sum(&mut self, depth: usize) -> Ix {
            let mut sum = Ix::free(self.below(2) as u32) * self.literal() + self.literal();
            for _ in 0..if depth == 0 { 0 } else { 1 + self.below(3) } {
                sum = sum + self.quotient(depth) * self.literal();
            }
            sum
        }

        fn quotient(&mut self, depth: usize) -> Ix {
            let op = if self.below(3) == 0 { IxOp::Mod } else { IxOp::Div };
            let by = if self.below(9) == 0 { Ix::free(1) } else { self.literal() };
            Ix::bin(op, self.sum(depth - 1), by)
        }

        /// A sum as it is put together of the places of parts, some of whose quotients say the same.
        fn taken_apart(&mut self) -> Ix {
            let (whole, by, more) = (self.sum(2), self.literal(), self.literal());
            let quotient = (whole.clone() + by.clone() * more.clone()) / by.clone();
            (quotient - more) * by.clone() + whole % by + self.sum(1)
        }
    }

    /// Both have the same value, at integers of both signs.
    fn agree(given: &Poly, other: &Poly) {
        for x in [-40, -17, -3, -1, 0, 1, 7, 30, 31, 224] {
            for y in [-16, -15, -5, -1, 0, 2, 14, 226] {
                let value = |l: u32| [x, y].get(l as usize).copied();
                let values = [given, other].map(|p| eval_poly(p, &value));
                assert_eq!(values[0], values[1], "{given:?} at {x}, {y}: {other:?}");
            }
        }
    }

    #[test]
    fn one_form_has_the_same_value_and_is_one() {
        let (mut random, mut changed) = (Random(0x9e37_79b9_7f4a_7c15), 0);
        for _ in 0..ROUNDS {
            let Ok(given) = Poly::of(&random.sum(3)) else { continue };
            let Some(one) = in_one_form(&given) else { continue };
            changed += 1;
            agree(&given, &one);
            assert_eq!(in_one_form(&one), None, "{given:?}: {one:?}");
        }
        assert!(changed > ROUNDS / 3, "{changed} of {ROUNDS}");
    }

    #[test]
    fn what_is_taken_apart_has_fewer_quotients() {
        let (mut random, mut fewer) = (Random(0x2545_f491_4f6c_dd1d), 0);
        for _ in 0..ROUNDS {
            let Ok(given) = Poly::of(&random.taken_apart()) else { continue };
            let Some(one) = with_fewer_quotients(&given) else { continue };
            fewer += 1;
            agree(&given, &one);
        }
        assert!(fewer > ROUNDS / 3, "{fewer} of {ROUNDS}");
    }

    const ROUNDS: usize = 500;
}
