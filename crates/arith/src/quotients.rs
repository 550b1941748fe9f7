//! Quotients in a sum in one form, so that those which say the same meet and go away.
//!
//! Each quotient by a constant may be shortened by itself, `(16*x + y) / 15` to `x + (x + y) / 15` or not, `x / 13 / 13` to `x / 169`:
//! whichever is cheaper there. A sum of several is cheapest if all have one form: in `(16*x + y) / 15 * 15 + (x + y) % 15`, which is
//! `16*x + y`, they vanish. Both equations hold of all integers, where the divisors are positive.

use crate::readback::{divide, substitute};
use atl_kernel::poly::{Atom, Poly};
use std::sync::Arc;

/// The sum with whole multiples of divisors outside of quotients, and quotients of quotients as one; `None` where it is that already.
pub(crate) fn in_one_form(p: &Poly) -> Option<Poly> {
    let mut atoms: Vec<Arc<Atom>> = p.terms().flat_map(|(m, _)| m.iter().cloned()).collect();
    atoms.sort();
    atoms.dedup();
    let values: Vec<(Arc<Atom>, Poly)> =
        atoms.into_iter().filter_map(|atom| changed(&atom).map(|value| (atom, value))).collect();
    if values.is_empty() { None } else { substitute(p, &values) }
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
                sum = sum + self.quotient(depth);
            }
            sum
        }

        fn quotient(&mut self, depth: usize) -> Ix {
            let op = if self.below(3) == 0 { IxOp::Mod } else { IxOp::Div };
            let by = if self.below(9) == 0 { Ix::free(1) } else { self.literal() };
            Ix::bin(op, self.sum(depth - 1), by) * self.literal()
        }
    }

    #[test]
    fn one_form_has_the_same_value_and_is_one() {
        let (mut random, mut changed) = (Random(0x9e37_79b9_7f4a_7c15), 0);
        for _ in 0..ROUNDS {
            let Ok(given) = Poly::of(&random.sum(3)) else { continue };
            let Some(one) = in_one_form(&given) else { continue };
            changed += 1;
            for x in [-40, -17, -3, -1, 0, 1, 7, 30, 31, 224] {
                for y in [-16, -15, -5, -1, 0, 2, 14, 226] {
                    let value = |l: u32| [x, y].get(l as usize).copied();
                    assert_eq!(
                        eval_poly(&given, &value),
                        eval_poly(&one, &value),
                        "{given:?} at {x}, {y}: {one:?}"
                    );
                }
            }
            assert_eq!(in_one_form(&one), None, "{given:?}: {one:?}");
        }
        assert!(changed > ROUNDS / 3, "{changed} of {ROUNDS}");
    }

    const ROUNDS: usize = 500;
}
