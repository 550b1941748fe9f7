//! Swizzles: where the cells of a buffer lie that the threads of a device's block share.
//!
//! `Sw<B,M,S>` xors the `B` bits from bit `M` on of a cell's number with the `B` bits `S` places above them. It is its own inverse, and
//! keeps to blocks of `2^(M + B + |S|)` cells. So in a buffer of whole blocks each cell has a place of its own, and no access tells
//! where that is: a swizzle is for the printer of a device's text, and nothing else looks at it.

use std::fmt;

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

impl Swizzle {
    /// Every cell where its number says.
    pub const NONE: Swizzle = Swizzle { bits: 0, base: 0, shift: 0 };

    /// A swizzle of `bits` bits from bit `base` on with those `shift` places above, or below where that is negative; none if the groups
    /// overlap or reach past bit 30.
    pub fn try_new(bits: u32, base: u32, shift: i32) -> Option<Swizzle> {
        let top = base.checked_add(bits)?.checked_add(shift.unsigned_abs())?;
        (bits <= shift.unsigned_abs() && top <= 30).then_some(Swizzle { bits, base, shift })
    }

    /// Does it leave every cell where it is?
    pub fn is_none(self) -> bool {
        self.bits == 0
    }

    /// Blocks of this many cells are what it exchanges cells in.
    pub fn period(self) -> i64 {
        if self.is_none() { 1 } else { 1 << (self.base + self.bits + self.shift.unsigned_abs()) }
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

/// As the text of loops has it.
impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "swizzle({}, {}, {})", self.bits, self.base, self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::Swizzle;
    use std::collections::BTreeSet;

    #[test]
    fn each_cell_of_a_block_has_a_place_of_its_own_in_it() {
        let mut count = 0;
        for (bits, base) in (0..4).flat_map(|bits| (0..3).map(move |base| (bits, base))) {
            for shift in -4..=4 {
                let Some(swizzle) = Swizzle::try_new(bits, base, shift) else {
                    assert!(bits > shift.unsigned_abs());
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
                assert_eq!(swizzle.is_none(), (0..cells).all(|cell| swizzle.place(cell) == cell));
            }
        }
        assert_eq!(count, 81);
    }

    #[test]
    fn what_overlaps_or_reaches_too_far_is_none() {
        assert_eq!(Swizzle::try_new(3, 0, 2), None);
        assert_eq!(Swizzle::try_new(5, 21, 5), None);
        assert_eq!(Swizzle::try_new(1, u32::MAX, 1), None);
        assert_eq!(Swizzle::try_new(0, 0, 0), Some(Swizzle::NONE));
    }
}
