//! Swizzles: where the cells of a buffer lie that the threads of a device's block share.
//!
//! `Sw<B,M,S>` xors the `B` bits from bit `M` on of a cell's number with the `B` bits `S` places above them.
//! It is its own inverse, and keeps to blocks of `2^(M + B + |S|)` cells. So in a buffer of whole blocks each
//! cell has a place of its own, and no access tells where that is: among loops, a swizzle is for the printer
//! of a device's text. In the algebra of layouts it is a function of numbers.

use std::fmt;

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

/// Why three numbers are no swizzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotASwizzle {
    /// One that counts bits is negative.
    Negative,
    /// The two groups of bits overlap.
    Overlap,
    /// A group reaches past bit 62.
    TooFar,
}

impl fmt::Display for NotASwizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotASwizzle::Negative => "the number of bits and the lowest bit are at least 0",
            NotASwizzle::Overlap => {
                "the two groups of bits overlap: the shift is at least as large as their number"
            }
            NotASwizzle::TooFar => "it reaches past bit 62",
        })
    }
}

impl Swizzle {
    /// Every cell where its number says.
    pub const IDENTITY: Swizzle = Swizzle { bits: 0, base: 0, shift: 0 };

    /// A swizzle of `bits` bits from bit `base` on with those `shift` places above, or below where that is
    /// negative.
    ///
    /// # Errors
    /// A number is out of range, or the two groups of bits overlap.
    pub fn try_new(bits: i64, base: i64, shift: i64) -> Result<Swizzle, NotASwizzle> {
        if bits < 0 || base < 0 {
            return Err(NotASwizzle::Negative);
        }
        if shift.checked_abs().is_none_or(|shift| shift < bits) {
            return Err(NotASwizzle::Overlap);
        }
        let top = base.checked_add(bits).and_then(|top| top.checked_add(shift.abs()));
        match (top, u32::try_from(bits), u32::try_from(base), i32::try_from(shift)) {
            (Some(..=62), Ok(bits), Ok(base), Ok(shift)) => Ok(Swizzle { bits, base, shift }),
            _ => Err(NotASwizzle::TooFar),
        }
    }

    /// The number of bits, the lowest of those that change, and how far above them are those that they are
    /// xored with.
    pub fn numbers(self) -> (u32, u32, i32) {
        (self.bits, self.base, self.shift)
    }

    /// Runs of this many cells stay together.
    pub fn run(self) -> i64 {
        1 << self.base
    }

    /// Does it leave every cell where it is?
    pub fn is_identity(self) -> bool {
        self.bits == 0
    }

    /// Blocks of this many cells are what it exchanges cells in.
    pub fn period(self) -> i64 {
        if self.is_identity() { 1 } else { 1 << (self.base + self.bits + self.shift.unsigned_abs()) }
    }

    /// How far the bits are moved, to the right or, where that is negative, to the left.
    pub fn shift(self) -> i32 {
        self.shift
    }

    /// The bits that are xored.
    pub fn changed(self) -> i64 {
        self.group(self.base + if self.shift < 0 { self.shift.unsigned_abs() } else { 0 })
    }

    fn group(self, from: u32) -> i64 {
        ((1 << self.bits) - 1) << from
    }

    /// Where this cell lies.
    pub fn place(self, cell: i64) -> i64 {
        let distance = self.shift.unsigned_abs();
        let moved = if self.shift < 0 { cell << distance } else { cell >> distance };
        cell ^ (moved & self.changed())
    }
}

/// As schedules and the text of loops have it.
impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "swizzle({}, {}, {})", self.bits, self.base, self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::{NotASwizzle, Swizzle};
    use std::collections::BTreeSet;

    #[test]
    fn each_cell_of_a_block_has_a_place_of_its_own_in_it() {
        let mut count = 0;
        for (bits, base) in (0..4).flat_map(|bits| (0..3).map(move |base| (bits, base))) {
            for shift in -4..=4 {
                let Ok(swizzle) = Swizzle::try_new(bits, base, shift) else {
                    assert!(bits > shift.abs());
                    continue;
                };
                count += 1;
                let cells = 2 * swizzle.period();
                let places: BTreeSet<i64> = (0..cells).map(|cell| swizzle.place(cell)).collect();
                assert_eq!(places, (0..cells).collect(), "{swizzle}");
                for cell in 0..cells {
                    assert_eq!(swizzle.place(swizzle.place(cell)), cell, "{swizzle}");
                    assert_eq!(swizzle.place(cell) / swizzle.period(), cell / swizzle.period(), "{swizzle}");
                }
                assert_eq!(swizzle.is_identity(), (0..cells).all(|cell| swizzle.place(cell) == cell));
            }
        }
        assert_eq!(count, 81);
    }

    #[test]
    fn what_overlaps_or_reaches_too_far_is_none() {
        assert_eq!(Swizzle::try_new(3, 0, 2), Err(NotASwizzle::Overlap));
        assert_eq!(Swizzle::try_new(1, 0, i64::MIN), Err(NotASwizzle::Overlap));
        assert_eq!(Swizzle::try_new(-1, 0, 1), Err(NotASwizzle::Negative));
        assert_eq!(Swizzle::try_new(20, 23, 20), Err(NotASwizzle::TooFar));
        assert_eq!(Swizzle::try_new(1, i64::MAX, 1), Err(NotASwizzle::TooFar));
        assert!(Swizzle::try_new(20, 22, -20).is_ok());
        assert_eq!(Swizzle::try_new(0, 0, 0), Ok(Swizzle::IDENTITY));
    }
}
