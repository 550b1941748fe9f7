//! `counts`: how many, up to a largest number.
//!
//! **Carrier.** Numbers from 0 up; the largest stands for itself and all that is greater.
//! **Zero, one.** 0 and 1. **Addition, multiplication.** `+` and `*`, which stop at the largest number.
//! **Laws.** A commutative semiring: whether a number is large can be told from whether its parts are, as long as none is
//! negative. Over signed integers the same operations are not associative.

use crate::Arithmetic;
use atl_kernel::Laws;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Counts;

impl Arithmetic for Counts {
    type Element = u64;

    fn name(&self) -> String {
        "counts".to_owned()
    }

    fn laws(&self) -> Laws {
        Laws::COMM_SEMIRING
    }

    fn zero(&self) -> u64 {
        0
    }

    fn one(&self) -> u64 {
        1
    }

    fn add(&self, a: &u64, b: &u64) -> u64 {
        a.saturating_add(*b)
    }

    fn mul(&self, a: &u64, b: &u64) -> u64 {
        a.saturating_mul(*b)
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> u64 {
        [0, 1, 2, 3, 7, 1 << 33, u64::MAX - 1, u64::MAX][below(8)]
    }
}
