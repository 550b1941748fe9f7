//! Conversions between scalar types.

use crate::Value;
use atl_halves::{bf16, f16};
use atl_kernel::Scalar;

impl Value {
    /// The conversion to a type.
    pub fn convert(self, to: Scalar) -> Value {
        match self {
            _ if self.scalar() == to => self,
            Value::F16(_) | Value::BF16(_) | Value::F32(_) => of_float(to, self.to_f64()),
            Value::F64(x) => of_float(to, x),
            Value::Int(x) => Value::of_integer(to, x.get()),
            Value::Bool(x) => Value::of_integer(to, x.into()),
        }
    }
}

/// A float in a type. A narrower one is exact as an `f64`, so that nothing is rounded twice.
fn of_float(to: Scalar, x: f64) -> Value {
    match (to, to.range()) {
        (Scalar::F16, _) => Value::F16(f16::from_f64(x)),
        (Scalar::BF16, _) => Value::BF16(bf16::from_f64(x)),
        (Scalar::F32, _) => Value::F32(x as f32),
        // Rust's conversion truncates and saturates, NaN becomes 0.
        (_, Some((least, greatest))) if to.is_integer() => {
            Value::of_integer(to, (x as i128).clamp(least, greatest))
        }
        (_, Some(_)) => Value::Bool(x != 0.0),
        (_, None) => Value::F64(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: Value, expected: Value) {
        assert_eq!(from.convert(expected.scalar()), expected, "{from:?}");
    }

    #[test]
    fn conversions_saturate_from_floats_and_wrap_from_integers() {
        check(Value::F32(300.5), Value::u8(255));
        check(Value::F32(-5.5), Value::u8(0));
        check(Value::F64(f64::NAN), Value::i32(0));
        check(Value::F64(-2.9), Value::i32(-2));
        check(Value::F64(1e300), Value::i64(i64::MAX));
        check(Value::F64(f64::NEG_INFINITY), Value::i64(i64::MIN));
        check(Value::i32(300), Value::u8(44));
        check(Value::u8(200), Value::i32(200));
        check(Value::F64(f64::NAN), Value::Bool(true));
        check(Value::F64(1e-300), Value::Bool(true));
        check(Value::Bool(true), Value::F32(1.0));
        check(Value::f16(f16::from_f64(-2.5)), Value::i32(-2));
        check(Value::f16(f16::INFINITY), Value::u8(255));
        check(Value::F32(1e6), Value::f16(f16::INFINITY));
        check(Value::F16(f16::from_bits(1)), Value::BF16(bf16::from_f64(2f64.powi(-24))));
        check(Value::BF16(bf16::from_f64(3.0)), Value::F16(f16::from_f64(3.0)));
    }

    #[test]
    fn an_integer_is_rounded_once() {
        check(Value::i64(16_777_217), Value::F32(16_777_216.0));
        // Through `f64`, this would be a tie, and be rounded down.
        let between = (1i64 << 53) + (1 << 29) + 1;
        check(Value::i64(between), Value::F32(9_007_200_328_482_816.0));
        // Through `f32`, too.
        check(Value::i32(16_842_753), Value::BF16(bf16::from_f64(16_908_288.0)));
        check(Value::F64(1.0 + 2f64.powi(-11) + 2f64.powi(-40)), Value::F16(f16::from_bits(0x3c01)));
    }
}
