//! Made-up contents of arrays, chosen to make faults show.
//!
//! One idea: a number that looks like its neighbours hides a wrong place, and one whose sums are exact a
//! wrong order. So numbers are at random, of both signs, with all their digits, and zeros among them.
//! [`Spice::Hot`] adds what conditions and conversions stumble over: NaN, infinities, zeros of both signs,
//! the least and the greatest numbers. Where a compiler may fuse operations, numbers are small multiples of
//! an eighth, [`Spice::Exact`], whose sums and products are exact either way.

use atl_kernel::{Elem, Scalar};
use atl_loops::{Literal, Machine};
use atl_runtime::{Buffer, BufferError, DType, with_element};
use atl_semirings::Carrier;

/// What the numbers are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spice {
    /// Of ordinary size, with all digits.
    Mild,
    /// The same, and the edges of their type.
    Hot,
    /// Multiples of an eighth.
    Exact,
}

/// Numbers at random, the same at every run.
#[derive(Clone, Debug)]
pub(super) struct Numbers(u64);

impl Numbers {
    /// A sequence for each seed.
    pub(super) fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// The next 64 bits: SplitMix64.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `n`, 0 if there is none.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.bits().checked_rem(n).unwrap_or(0)
    }

    /// True in one of this number of cases.
    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        of.get(usize::try_from(self.below(of.len() as u64)).unwrap_or(0)).copied()
    }

    /// An array of elements that a call accepts.
    pub(super) fn buffer(
        &mut self,
        elem: Elem,
        spice: Spice,
        shape: &[usize],
    ) -> Result<Buffer, BufferError> {
        let dtype = atl_session::elements::dtype(elem.scalar);
        let carrier = atl_semirings::of(elem.algebra).map_or(Carrier::Real, |semiring| semiring.carrier);
        let mut buffer = Buffer::zeros(dtype, shape)?;
        match dtype {
            DType::F32 => {
                for x in buffer.as_mut_slice::<f32>()? {
                    *x = self.accepted(carrier, |n| n.single(spice));
                }
            }
            DType::F64 => {
                for x in buffer.as_mut_slice::<f64>()? {
                    *x = self.accepted(carrier, |n| n.double(spice));
                }
            }
            DType::F16 | DType::BF16 => with_element!(dtype, T => {
                for x in buffer.as_mut_slice::<T>()? {
                    *x = self.accepted(carrier, |n| <T>::of(n.single(spice).value()));
                }
            }),
            DType::Bool => buffer.as_mut_slice::<bool>()?.iter_mut().for_each(|x| *x = self.one_in(2)),
            _ => with_element!(dtype, T => {
                for x in buffer.as_mut_slice::<T>()? {
                    *x = self.accepted(carrier, |n| <T>::of(n.integer(elem.scalar, spice)));
                }
            }),
        }
        Ok(buffer)
    }

    /// The next number that the carrier accepts; zero if it is of a kind that is hardly there.
    fn accepted<T: Machine + Default>(&mut self, carrier: Carrier, next: impl Fn(&mut Numbers) -> T) -> T {
        (0..32).map(|_| next(self)).find(|x| carrier.accepts(x.value().to_f64())).unwrap_or_default()
    }

    fn single(&mut self, spice: Spice) -> f32 {
        const EDGES: [f32; 9] = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            -0.0,
            0.0,
            f32::MIN_POSITIVE / 4.0,
            f32::MAX,
            f32::MIN,
            2_147_483_648.0,
        ];
        match spice {
            Spice::Hot if self.one_in(5) => self.pick(&EDGES).unwrap_or_default(),
            Spice::Exact => self.eighths() as f32,
            // One rounding of a number with more digits.
            _ => self.ordinary() as f32,
        }
    }

    fn double(&mut self, spice: Spice) -> f64 {
        const EDGES: [f64; 9] = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.0,
            0.0,
            f64::MIN_POSITIVE / 4.0,
            f64::MAX,
            f64::MIN,
            9_223_372_036_854_775_808.0,
        ];
        match spice {
            Spice::Hot if self.one_in(5) => self.pick(&EDGES).unwrap_or_default(),
            Spice::Exact => self.eighths(),
            _ => self.ordinary(),
        }
    }

    fn integer(&mut self, scalar: Scalar, spice: Spice) -> Literal {
        let (least, greatest) = scalar.range().unwrap_or_default();
        let edges = [least, greatest, least + 1, greatest - 1, -1, 0, 1];
        let number = match spice {
            Spice::Hot if self.one_in(3) => self.pick(&edges).unwrap_or_default(),
            Spice::Hot => self.bits().into(),
            _ => self.small().into(),
        };
        Literal::of_integer(scalar, number)
    }

    fn small(&mut self) -> i64 {
        self.below(19) as i64 - 9
    }

    fn eighths(&mut self) -> f64 {
        (self.below(65) as f64 - 32.0) / 8.0
    }

    /// Zero, or a number of either sign between a quarter and four, with all its digits.
    fn ordinary(&mut self) -> f64 {
        if self.one_in(8) {
            return 0.0;
        }
        let fraction = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        let size = (1.0 + fraction) * [0.25, 0.5, 1.0, 2.0][self.below(4) as usize];
        if self.one_in(2) { size } else { -size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::Scalar;

    fn check(elem: Elem, spice: Spice, holds: impl Fn(&[f32]) -> bool) {
        let made = Numbers::new(1).buffer(elem, spice, &[1000]).expect("there is memory");
        assert!(holds(made.as_slice().expect("numbers")), "{elem} {spice:?}");
    }

    #[test]
    fn numbers_are_of_their_kind_and_in_their_carrier() {
        let ordinary = atl_semirings::elem(Scalar::F32, "plus_times").expect("it is there");
        check(ordinary, Spice::Mild, |all| all.iter().all(|x| x.is_finite()));
        check(ordinary, Spice::Mild, |all| all.iter().any(|x| *x < 0.0) && all.contains(&0.0));
        check(ordinary, Spice::Exact, |all| all.iter().all(|x| (x * 8.0).fract() == 0.0));
        check(ordinary, Spice::Hot, |all| {
            let has = |f: fn(&f32) -> bool| all.iter().any(f);
            has(|x| x.is_nan()) && has(|x| x.is_infinite()) && has(|x| *x == 0.0 && x.is_sign_negative())
        });
    }
}
