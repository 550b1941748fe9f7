//! Do two results agree, as far as a theorem's class in floating point says?

use atl_kernel::Rounding;
use atl_runtime::{Buffer, DType, bf16, f16};

/// Do the results agree? `bitwise`: every number but for the bits of a NaN, which nothing specifies.
/// `finite`: also where a zero's sign differs, or where the expected number is no finite one. `real`: up to
/// rounding, relative to the largest number there is, since a sum may cancel.
pub fn agree(expected: &Buffer, found: &Buffer, rounding: Rounding) -> bool {
    if expected.dtype() != found.dtype() || expected.shape() != found.shape() {
        return false;
    }
    match expected.dtype() {
        DType::F16 => floats(&numbers::<f16>(expected), &numbers::<f16>(found), rounding, 2f64.powi(-10)),
        DType::BF16 => floats(&numbers::<bf16>(expected), &numbers::<bf16>(found), rounding, 2f64.powi(-7)),
        DType::F32 => {
            floats(&numbers::<f32>(expected), &numbers::<f32>(found), rounding, f64::from(f32::EPSILON))
        }
        DType::F64 => floats(&numbers::<f64>(expected), &numbers::<f64>(found), rounding, f64::EPSILON),
        _ => expected.as_bytes() == found.as_bytes(),
    }
}

fn numbers<T: atl_runtime::Element + Into<f64>>(buffer: &Buffer) -> Vec<f64> {
    buffer.as_slice::<T>().map(|slice| slice.iter().map(|x| (*x).into()).collect()).unwrap_or_default()
}

fn floats(expected: &[f64], found: &[f64], rounding: Rounding, epsilon: f64) -> bool {
    let largest = expected.iter().filter(|x| x.is_finite()).fold(0.0f64, |max, x| max.max(x.abs()));
    let tolerance = epsilon.sqrt() * largest;
    expected.len() == found.len()
        && expected.iter().zip(found).all(|(a, b)| match rounding {
            Rounding::Bitwise => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            Rounding::Finite => !a.is_finite() || a == b,
            Rounding::Real => !a.is_finite() || (a - b).abs() <= tolerance,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: f32, b: f32, classes: [bool; 3]) {
        let buffer = |x: f32| Buffer::from_slice(&[x, 1.0], &[2]).unwrap();
        let found = [Rounding::Bitwise, Rounding::Finite, Rounding::Real]
            .map(|rounding| agree(&buffer(a), &buffer(b), rounding));
        assert_eq!(found, classes, "{a} and {b}");
    }

    #[test]
    fn results_agree_as_far_as_the_class_says() {
        check(0.5, 0.5, [true; 3]);
        check(f32::NAN, -f32::NAN, [true; 3]);
        check(0.0, -0.0, [false, true, true]);
        check(f32::INFINITY, f32::NAN, [false, true, true]);
        check(0.5, 0.500_000_1, [false, false, true]);
        check(0.5, 0.6, [false; 3]);
        check(0.5, f32::NAN, [false; 3]);
    }
}
