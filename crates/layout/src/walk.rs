//! One mode of a right operand, walked through the modes of the left: the exact rule of composition.
//!
//! The left operand is a number system whose digits are its coalesced modes; its last digit has no end. The mode `s:d` counts
//! `0, d, 2d, …`. Digit by digit, it either passes the digit whole (`d` is a multiple of the extent), or stays in it (few enough
//! are counted), or fills it evenly, and goes on. What it does in a digit is one mode of the result. Each digit also adds up what
//! all modes of the right operand put into it: past its end there would be a carry, which no stride can express.

use crate::functions::coalesce::{Tail, merge};
use crate::layout::{Layout, Mode};
use crate::refusal::{Kind, Refusal, Result};
use crate::stride::Stride;

/// The digits of a left operand, and how full they are.
pub(crate) struct Walk<D> {
    digits: Vec<Mode<D>>,
    load: Vec<i64>,
}

impl<D: Stride> Walk<D> {
    /// A walk through a layout, whose tail matters if the walk leaves its domain.
    pub(crate) fn new(left: &Layout<D>, tail: Tail) -> Walk<D> {
        let mut digits = merge(left.flatten(), tail);
        if digits.is_empty() {
            digits.push((1, D::zero()));
        }
        Walk { load: vec![0; digits.len()], digits }
    }

    /// Begins at an index, and says its value: what it puts into each digit is there before a mode adds to it.
    pub(crate) fn start(&mut self, index: i64) -> Result<D> {
        let last = self.digits.len() - 1;
        if index < 0 && last > 0 {
            return Err(Refusal::new(
                Kind::Range,
                format!("the offset {index} lies before the left operand"),
            )
            .note("only a left operand of one mode goes on below 0"));
        }
        let (mut rest, mut sum) = (index, D::zero());
        for (k, (n, d)) in self.digits.iter().enumerate() {
            let digit = if k == last { rest } else { rest % n };
            rest /= n;
            self.load[k] = digit;
            sum = sum.plus(&d.times(digit)?)?;
        }
        Ok(sum)
    }

    /// What the mode `extent:step` becomes.
    pub(crate) fn mode(&mut self, extent: i64, step: i64) -> Result<Layout<D>> {
        if extent == 1 || step == 0 {
            return Layout::mode(extent, D::zero());
        }
        let last = self.digits.len() - 1;
        if step < 0 && last > 0 {
            return Err(Refusal::new(Kind::Divisibility, format!("the mode {extent}:{step} counts down"))
                .note(
                    "backwards, it would borrow from a digit; only a left operand of one mode allows that",
                ));
        }
        let refuse = |(n, d): &Mode<D>, note: String| {
            let message =
                format!("the mode {extent}:{step} does not fit the mode {n}:{d} of the left operand");
            Err(Refusal::new(Kind::Divisibility, message).note(note))
        };
        let (mut pieces, mut step, mut count) = (Vec::new(), step, extent);
        for k in 0..last {
            let n = self.digits[k].0;
            if step >= n {
                if step % n != 0 {
                    return refuse(
                        &self.digits[k],
                        format!("stride divisibility: {step} is no multiple of {n}"),
                    );
                }
                step /= n;
                continue;
            }
            let fits = n / step + i64::from(n % step != 0);
            if count <= fits {
                self.emit(k, count, step, &mut pieces)?;
                count = 1;
                break;
            }
            if n % step != 0 {
                return refuse(&self.digits[k], format!("stride divisibility: {step} does not divide {n}"));
            }
            if count % fits != 0 {
                let note = format!("shape divisibility: the {fits} steps that fill it do not divide {count}");
                return refuse(&self.digits[k], note);
            }
            self.emit(k, fits, step, &mut pieces)?;
            (count, step) = (count / fits, 1);
        }
        if count > 1 {
            self.emit(last, count, step, &mut pieces)?;
        }
        Layout::flat(pieces)
    }

    fn emit(&mut self, k: usize, count: i64, step: i64, pieces: &mut Vec<Mode<D>>) -> Result<()> {
        self.load[k] = self.load[k].saturating_add((count - 1).saturating_mul(step));
        pieces.push((count, self.digits[k].1.times(step)?));
        Ok(())
    }

    /// The first digit that is more than full, in words.
    pub(crate) fn carry(&self) -> Option<String> {
        let digits = self.digits.iter().zip(&self.load).take(self.digits.len() - 1);
        let over = digits.into_iter().find(|((n, _), load)| **load > n - 1);
        over.map(|((n, d), load)| {
            format!(
                "together they count to {load} in the mode {n}:{d} of the left operand, which ends at {}",
                n - 1
            )
        })
    }
}
