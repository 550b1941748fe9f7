//! Swizzles, and layouts behind them.
//!
//! `Sw<B,M,S>` exchanges no bits: it xors the `B` bits from bit `M` on with the `B` bits `S` places above them. So it is its own
//! inverse, a bijection on every range of `2^(M+B+|S|)`, and leaves runs of `2^M` together. A [`Composed`] is a swizzle after an
//! offset after a layout; it is not additive, so slicing keeps the offset inside. One whose swizzle changes nothing is a layout with
//! an offset.

use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result, too_large};
use crate::tree::LIMIT;
use std::fmt;

/// `Sw<bits,base,shift>`; a negative shift reads the bits below.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

impl Swizzle {
    /// The swizzle that changes nothing.
    pub const IDENTITY: Swizzle = Swizzle { bits: 0, base: 0, shift: 0 };

    /// A swizzle of `bits` bits from bit `base` on, with the bits `shift` places above.
    ///
    /// # Errors
    /// A number is out of range, or the two groups of bits overlap.
    pub fn try_new(bits: i64, base: i64, shift: i64) -> Result<Swizzle> {
        let refuse = |why: &str| {
            Err(Refusal::new(Kind::Range, format!("Sw<{bits},{base},{shift}> is no swizzle")).note(why))
        };
        if bits < 0 || base < 0 {
            return refuse("the number of bits and the lowest bit are at least 0");
        }
        if shift.checked_abs().is_none_or(|shift| shift < bits) {
            return refuse("the two groups of bits overlap: the shift is at least as large as their number");
        }
        let top = base.checked_add(bits).and_then(|top| top.checked_add(shift.abs()));
        match (top, u32::try_from(bits), u32::try_from(base), i32::try_from(shift)) {
            (Some(..=62), Ok(bits), Ok(base), Ok(shift)) => Ok(Swizzle { bits, base, shift }),
            _ => refuse("it reaches past bit 62"),
        }
    }

    /// The number of bits, the lowest of those that change, and how far above them are those that they are xored with.
    pub fn numbers(self) -> (u32, u32, i32) {
        (self.bits, self.base, self.shift)
    }

    /// Runs of this many values stay together: `2^M`.
    pub fn run(self) -> i64 {
        1 << self.base
    }

    /// The swizzled number.
    ///
    /// # Errors
    /// It is negative or too large.
    pub fn apply(self, x: i64) -> Result<i64> {
        if !(0..LIMIT).contains(&x) {
            return Err(Refusal::new(Kind::Range, format!("{self} is applied to {x}"))
                .note("a swizzle takes the bits of a number from 0 on, below 2^62"));
        }
        let ones = (1_i64 << self.bits) - 1;
        let group = ones << (i64::from(self.base) + i64::from(self.shift.max(0)));
        let shift = self.shift.unsigned_abs();
        let moved = if self.shift >= 0 { (x & group) >> shift } else { (x & group) << shift };
        Ok(x ^ moved)
    }
}

/// As CuTe prints it.
impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", self.bits, self.base, self.shift)
    }
}

/// A swizzle after an offset after a layout: `c` goes to `swizzle(offset + layout(c))`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Composed {
    /// What is applied last.
    pub swizzle: Swizzle,
    /// What is added before.
    pub offset: i64,
    /// What is applied first.
    pub layout: Layout,
}

impl Composed {
    /// The value at an index.
    ///
    /// # Errors
    /// The index or the sum is negative, or a number is too large.
    pub fn at(&self, index: i64) -> Result<i64> {
        self.swizzled(self.layout.at(index)?)
    }

    /// The values at the indices below the size.
    ///
    /// # Errors
    /// There are more than `most`, or a sum is negative.
    pub fn table(&self, most: usize) -> Result<Vec<i64>> {
        self.layout.table(most)?.into_iter().map(|value| self.swizzled(value)).collect()
    }

    /// What becomes of a value of the layout.
    pub(crate) fn swizzled(&self, value: i64) -> Result<i64> {
        let sum = self.offset.checked_add(value).ok_or_else(|| too_large("offset and value"))?;
        if self.swizzle == Swizzle::IDENTITY { Ok(sum) } else { self.swizzle.apply(sum) }
    }
}

impl From<Layout> for Composed {
    fn from(layout: Layout) -> Composed {
        Composed { swizzle: Swizzle::IDENTITY, offset: 0, layout }
    }
}

/// `Sw<2,0,3> o 0 o (8,4):(4,1)`; without a swizzle, `9 + (8,4):(4,1)`
impl fmt::Display for Composed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.swizzle, self.offset) {
            (Swizzle::IDENTITY, 0) => self.layout.fmt(f),
            (Swizzle::IDENTITY, offset) => write!(f, "{offset} + {}", self.layout),
            (swizzle, offset) => write!(f, "{swizzle} o {offset} o {}", self.layout),
        }
    }
}
