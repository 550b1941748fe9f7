//! Swizzles, and layouts behind them.
//!
//! `Sw<B,M,S>` exchanges no bits: it xors the `B` bits from bit `M` on with the `B` bits `S` places above them. So it is its own
//! inverse, a bijection on every range of `2^(M+B+|S|)`, and leaves runs of `2^M` together. A [`Composed`] is a swizzle after an
//! offset after a layout; it is not additive, so slicing keeps the offset inside. One whose swizzle changes nothing is a layout with
//! an offset.

use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result, too_large};
use crate::tree::LIMIT;
pub use atl_annotations::Swizzle;
use std::fmt;

/// A swizzle of `bits` bits from bit `base` on, with the bits `shift` places above.
///
/// # Errors
/// A number is out of range, or the two groups of bits overlap.
pub fn swizzle(bits: i64, base: i64, shift: i64) -> Result<Swizzle> {
    Swizzle::try_new(bits, base, shift).map_err(|why| {
        Refusal::new(Kind::Range, format!("Sw<{bits},{base},{shift}> is no swizzle")).note(why.to_string())
    })
}

/// As CuTe prints it.
pub(crate) fn notation(swizzle: Swizzle) -> String {
    let (bits, base, shift) = swizzle.numbers();
    format!("Sw<{bits},{base},{shift}>")
}

/// The swizzled number.
///
/// # Errors
/// It is negative or too large.
pub(crate) fn apply(swizzle: Swizzle, x: i64) -> Result<i64> {
    if (0..LIMIT).contains(&x) {
        return Ok(swizzle.place(x));
    }
    Err(Refusal::new(Kind::Range, format!("{} is applied to {x}", notation(swizzle)))
        .note("a swizzle takes the bits of a number from 0 on, below 2^62"))
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
        if self.swizzle == Swizzle::IDENTITY { Ok(sum) } else { apply(self.swizzle, sum) }
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
            (swizzle, offset) => write!(f, "{} o {offset} o {}", notation(swizzle), self.layout),
        }
    }
}
