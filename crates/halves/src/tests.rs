//! The numbers by definition, middles between them, and what two roundings would get wrong.

use crate::{bf16, f16, round};

/// The value of bits by definition, in exact arithmetic of `f64`.
fn defined(bits: u16, fraction: u32, bias: i32) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits & 0x7fff) >> fraction);
    let part = f64::from(bits & ((1 << fraction) - 1)) / f64::from(1u32 << fraction);
    let greatest = (1 << (15 - fraction)) - 1;
    match exponent {
        0 => sign * part * 2f64.powi(1 - bias),
        e if e == greatest && part == 0.0 => sign * f64::INFINITY,
        e if e == greatest => f64::NAN,
        e => sign * (1.0 + part) * 2f64.powi(e - bias),
    }
}

macro_rules! of_both {
    ($($name:ident $ty:ident $fraction:literal $bias:literal;)*) => {$(
        mod $name {
            use super::*;

            fn all() -> impl Iterator<Item = $ty> {
                (0..=u16::MAX).map($ty::from_bits)
            }

            #[test]
            fn every_number_is_what_the_format_says_and_comes_back() {
                for x in all() {
                    let value = defined(x.to_bits(), $fraction, $bias);
                    let wide = f64::from(x);
                    assert!(wide.to_bits() == value.to_bits() || (wide.is_nan() && value.is_nan()), "{x:?}");
                    let back = $ty::from_f64(wide);
                    let quiet = if x.is_nan() { x.to_bits() | 1 << ($fraction - 1) } else { x.to_bits() };
                    assert_eq!(back.to_bits(), quiet);
                    assert_eq!(x.is_nan(), value.is_nan());
                    assert_eq!(x.is_infinite(), value.is_infinite());
                    assert_eq!((-x).to_bits(), x.to_bits() ^ 0x8000);
                    if !x.is_nan() {
                        let text = format!("{x:?}");
                        assert_eq!(text.parse().map(<$ty>::to_bits), Ok(x.to_bits()), "{text}");
                    }
                }
            }

            /// Between two neighbours: the middle goes to the even one, and what is beside it to the nearer
            /// one.
            #[test]
            fn every_middle_goes_to_even_and_what_is_beside_it_does_not() {
                let infinity = $ty::INFINITY.to_bits();
                for bits in 0..infinity {
                    let [low, high] = [bits, bits + 1].map($ty::from_bits);
                    let next = if high.is_infinite() { 2f64.powi($bias + 1) } else { high.into() };
                    let middle = (f64::from(low) + next) / 2.0;
                    let even = if bits % 2 == 0 { low } else { high };
                    for (x, expected) in
                        [(middle, even), (middle.next_up(), high), (middle.next_down(), low)]
                    {
                        assert_eq!($ty::from_f64(x).to_bits(), expected.to_bits(), "{x:e}");
                        assert_eq!($ty::from_f64(-x).to_bits(), expected.to_bits() | 0x8000, "{x:e}");
                    }
                    // The same in decimals: more digits than an `f64` has decide.
                    let digits = format!("{middle:.200}");
                    // Every one takes a minute.
                    let chosen = if bits % 29 == 0 || bits < 300 { 2 } else { 0 };
                    for (text, expected) in [(digits.clone(), even), (format!("{digits}1"), high)].into_iter().take(chosen) {
                        assert_eq!(text.parse().map(<$ty>::to_bits), Ok(expected.to_bits()), "{text}");
                    }
                    if middle.fract() == 0.0 && middle < 1e37 {
                        let n = middle as i128;
                        let below = if n > 1 { low } else { even };
                        for (n, expected) in [(n, even), (n + 1, high), (n - 1, below)] {
                            let expected = if n as f64 == next { high } else { expected };
                            if (n as f64) < next && n as f64 > f64::from(low) {
                                assert_eq!($ty::from_integer(n).to_bits(), expected.to_bits(), "{n}");
                            }
                        }
                    }
                }
            }

            #[test]
            fn fused_operations_round_once() {
                // In `f32` the last part would be lost, and the rest be a middle.
                let one = $ty::from_f64(1.0);
                let step = f64::from($ty::from_bits(one.to_bits() + 1)) - 1.0;
                let half = $ty::from_f64(step / 2.0);
                let (x, tiny) = ($ty::from_f64(1.0 + step), $ty::from_bits(1));
                assert_eq!(one.mul_add(half, one).to_bits(), one.to_bits());
                // 1 + step/2 exactly is a middle; with a little more it goes up.
                let more = $ty::from_f64(step / 2.0 * (1.0 + step));
                assert_eq!(x.mul_add(half, one).to_bits(), (one + more).to_bits());
                assert_eq!(half.mul_add(one, one).to_bits(), one.to_bits());
                assert_eq!(tiny.mul_add(one, one).to_bits(), one.to_bits());
                assert!($ty::INFINITY.mul_add(one, -$ty::INFINITY).is_nan());
            }
        }
    )*};
}

of_both! {
    of_f16 f16 10 15;
    of_bf16 bf16 7 127;
}

#[test]
fn operations_round_after_each() {
    let sum = |xs: [f64; 3]| xs.map(f16::from_f64).into_iter().reduce(|a, b| a + b).map(f64::from);
    assert_eq!(sum([2048.0, 1.0, 1.0]), Some(2048.0));
    let sum = |xs: [f64; 3]| xs.map(bf16::from_f64).into_iter().reduce(|a, b| a + b).map(f64::from);
    assert_eq!(sum([256.0, 1.0, 1.0]), Some(256.0));
    let [a, b, c] = [1.0 + 1.0 / 32.0, 1.0 + 1.0 / 64.0, 2f64.powi(-24)].map(f16::from_f64);
    assert_eq!(f64::from(a.mul_add(b, c)), f64::from(0x10c4u16) / 4096.0);
    let [a, c] = [1.0625, 2f64.powi(-30)].map(bf16::from_f64);
    assert_eq!(f64::from(a.mul_add(a, c)), 1.132_812_5);
}

#[test]
fn nothing_is_rounded_twice() {
    // Through an `f32` each of these would be a middle, and go to the even neighbour.
    assert_eq!(f16::from_f64(1.0 + 2f64.powi(-11) + 2f64.powi(-40)).to_bits(), 0x3c01);
    assert_eq!(bf16::from_integer(16_842_753).to_bits(), bf16::from_f64(16_842_753.0).to_bits());
    assert_eq!(f64::from(bf16::from_integer(16_842_753)), 16_908_288.0);
    let between = (1i128 << 62) + (1 << 54) + 1;
    assert_eq!(f64::from(bf16::from_integer(between)), 2f64.powi(62) + 2f64.powi(55));
    assert_eq!(f64::from(bf16::from_integer(-between)), -2f64.powi(62) - 2f64.powi(55));
    assert!(f16::from_integer(65_520).is_infinite() && f16::from_integer(65_519).is_finite());
    assert_eq!(round::odd_of_integer(i128::from(u64::MAX)).to_bits() % 2, 1);
}

#[test]
fn texts_are_read_as_floats_are() {
    for (text, bits) in
        [("0.1", 0x2e66), ("-0", 0x8000), ("1e-99999", 0), ("1e99999", 0x7c00), ("inf", 0x7c00)]
    {
        assert_eq!(text.parse().map(f16::to_bits), Ok(bits), "{text}");
    }
    assert!("nan".parse::<f16>().is_ok_and(f16::is_nan));
    assert!("".parse::<bf16>().is_err() && "0x1".parse::<f16>().is_err());
    assert_eq!(
        format!("{:?} {} {:e}", f16::from_bits(0x2e66), bf16::from_f64(3.0), f16::from_f64(6e-8)),
        "0.1 3 6e-8"
    );
}
