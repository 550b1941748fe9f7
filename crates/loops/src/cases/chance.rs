//! Random choices that a seed determines.

use crate::{Literal, Scalar};

/// SplitMix64.
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: i64) -> i64 {
        (self.bits() >> 33).cast_signed() % bound
    }

    pub(super) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        let index = usize::try_from(self.below(i64::try_from(items.len()).unwrap_or(1))).unwrap_or(0);
        items[index].clone()
    }

    pub(super) fn one_in(&mut self, count: i64) -> bool {
        self.below(count) == 0
    }

    /// A literal of the type, sometimes one at its edges.
    pub(super) fn literal(&mut self, scalar: Scalar) -> Literal {
        let small = self.below(17) - 8;
        let special = self.one_in(8);
        match scalar {
            Scalar::F32 if special => self.pick(
                &[f32::INFINITY, -0.0, f32::MIN_POSITIVE, 1e30, -3.75, 0.1, f32::NAN].map(Literal::F32),
            ),
            Scalar::F64 if special => {
                self.pick(&[f64::NEG_INFINITY, -0.0, 5e-324, 1e300, -3e9, 0.1, f64::NAN].map(Literal::F64))
            }
            Scalar::I32 if special => self.pick(&[i32::MIN, i32::MAX, 1 << 20].map(Literal::i32)),
            Scalar::I64 if special => self.pick(&[i64::MIN, i64::MAX, 1 << 40].map(Literal::i64)),
            Scalar::F32 => Literal::F64(small as f64 / 4.0).convert(scalar),
            Scalar::F64 => Literal::F64(small as f64 / 3.0),
            _ => Literal::i64(small).convert(scalar),
        }
    }
}
