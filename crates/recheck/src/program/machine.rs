//! What the machine has for the constants and the operations of an element type.

use crate::prelude::*;

/// A number of an algebra, before it has a type.
#[derive(Clone, Copy)]
enum Constant {
    Number(i128, i32),
    Greatest,
    Least,
}

/// `+`, `*`, zero and one of an element type.
fn algebra(element: Element) -> (Function, Function, Constant, Constant) {
    use Algebra::{AndOr, MaxMin, MaxPlus, MaxTimes, MinMax, MinPlus, OrAnd, PlusTimes, Times};
    let (zero, one) = (Constant::Number(0, 0), Constant::Number(1, 0));
    if element.scalar == Scalar::Bool {
        return match element.algebra {
            PlusTimes | MaxPlus | MaxTimes | MaxMin | OrAnd => (Function::Or, Function::And, zero, one),
            MinPlus | MinMax | AndOr => (Function::And, Function::Or, one, zero),
            Times => (Function::And, Function::And, one, one),
        };
    }
    match element.algebra {
        Times => (Function::Mul, Function::Mul, one, one),
        MinPlus => (Function::Min, Function::Add, Constant::Greatest, zero),
        MaxPlus => (Function::Max, Function::Add, Constant::Least, zero),
        MinMax => (Function::Min, Function::Max, Constant::Greatest, Constant::Least),
        MaxMin => (Function::Max, Function::Min, Constant::Least, Constant::Greatest),
        MaxTimes => (Function::Max, Function::Mul, zero, one),
        // The last two are of truth values alone.
        PlusTimes | OrAnd | AndOr => (Function::Add, Function::Mul, zero, one),
    }
}

/// The machine's operation for one of terms on operands of an element type.
pub(super) fn operation(function: Function, element: Element) -> Function {
    match function {
        Function::Add => algebra(element).0,
        Function::Mul => algebra(element).1,
        other => other,
    }
}

/// The bits that a number has in an element type, if the format says which.
pub(super) fn bits(element: Element, number: Number) -> Option<u64> {
    let (.., zero, one) = algebra(element);
    let constant = match number {
        Number::Zero => zero,
        Number::One => one,
        Number::Decimal((mantissa, exponent)) => Constant::Number(mantissa, exponent),
        Number::Infinity if element.scalar.is_float() => Constant::Greatest,
        Number::MinusInfinity if element.scalar.is_float() => Constant::Least,
        Number::Infinity | Number::MinusInfinity => return None,
    };
    let scalar = element.scalar;
    let written = match constant {
        Constant::Number(mantissa, exponent) => format!("{mantissa}e{exponent}"),
        Constant::Greatest => "inf".to_owned(),
        Constant::Least => "-inf".to_owned(),
    };
    Some(match (scalar, constant) {
        // Conversions from text round once, to nearest.
        (Scalar::F64, _) => written.parse::<f64>().ok()?.to_bits(),
        (Scalar::F32, _) => u64::from(written.parse::<f32>().ok()?.to_bits()),
        (Scalar::F16, _) => sixteen_bits(written.parse().ok()?, 11, -14)?,
        (Scalar::BF16, _) => sixteen_bits(written.parse().ok()?, 8, -126)?,
        (_, Constant::Number(value, 0)) => integer(scalar, value)?,
        (_, Constant::Number(..)) => return None,
        (_, Constant::Greatest) => integer(scalar, range(scalar)?.1)?,
        (_, Constant::Least) => integer(scalar, range(scalar)?.0)?,
    })
}

/// The bits of a number in a type of 16 bits that has this precision and this least exponent. A number that
/// is midway between two of the type may have been rounded to be so, and has none; others are rounded as if
/// at once.
fn sixteen_bits(number: f64, precision: i32, least: i32) -> Option<u64> {
    let (step, infinity) = (1 << (precision - 1), 0x8000 - (1 << (precision - 1)));
    let sign = if number.is_sign_negative() { 0x8000 } else { 0 };
    let size = number.abs();
    if size.is_infinite() || size == 0.0 {
        return Some(sign + if size == 0.0 { 0 } else { infinity });
    }
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(least);
    let units = size / 2f64.powi(exponent - (precision - 1));
    if units.fract() == 0.5 {
        return None;
    }
    let bits = (exponent - least) as u64 * step + units.round() as u64;
    (bits < infinity).then_some(sign + bits)
}

/// The least and the greatest value of an integer type, and of truth values.
fn range(scalar: Scalar) -> Option<(i128, i128)> {
    match scalar.index_range() {
        Some((least, greatest)) => Some((least.into(), greatest.into())),
        None => (scalar == Scalar::U64).then_some((0, u64::MAX.into())),
    }
}

/// The bits of an integer, if the type has it.
fn integer(scalar: Scalar, value: i128) -> Option<u64> {
    let (least, greatest) = range(scalar)?;
    // As many bits as the greatest number of the type without sign has.
    let mask = (greatest - least).cast_unsigned();
    (least <= value && value <= greatest).then(|| (value.cast_unsigned() & mask) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_bits_that_the_type_says() {
        let element = |scalar, algebra| Element { scalar, algebra };
        let table = [
            (Scalar::F32, Algebra::PlusTimes, Number::One, Some(0x3f80_0000)),
            (Scalar::F32, Algebra::MinPlus, Number::Zero, Some(0x7f80_0000)),
            (Scalar::F64, Algebra::MaxPlus, Number::Zero, Some(0xfff0_0000_0000_0000)),
            (Scalar::F64, Algebra::PlusTimes, Number::Decimal((1, -1)), Some(0.1f64.to_bits())),
            (Scalar::F16, Algebra::PlusTimes, Number::Decimal((1, -1)), Some(0x2e66)),
            (Scalar::F16, Algebra::PlusTimes, Number::One, Some(0x3c00)),
            (Scalar::F16, Algebra::PlusTimes, Number::Decimal((6, -8)), Some(1)),
            (Scalar::F16, Algebra::PlusTimes, Number::Decimal((65504, 0)), Some(0x7bff)),
            (Scalar::F16, Algebra::PlusTimes, Number::Decimal((65520, 0)), None),
            (Scalar::F16, Algebra::PlusTimes, Number::Decimal((2049, 0)), None),
            (Scalar::BF16, Algebra::PlusTimes, Number::Decimal((-10625, -4)), Some(0xbf88)),
            (Scalar::BF16, Algebra::MinPlus, Number::Zero, Some(0x7f80)),
            (Scalar::F16, Algebra::MaxPlus, Number::Zero, Some(0xfc00)),
            (Scalar::I8, Algebra::MinMax, Number::Zero, Some(0x7f)),
            (Scalar::I8, Algebra::MaxMin, Number::Zero, Some(0x80)),
            (Scalar::I64, Algebra::PlusTimes, Number::Decimal((-1, 0)), Some(u64::MAX)),
            (Scalar::U64, Algebra::MaxMin, Number::One, Some(u64::MAX)),
            (Scalar::I8, Algebra::PlusTimes, Number::Decimal((200, 0)), None),
            (Scalar::I32, Algebra::PlusTimes, Number::Decimal((1, 1)), None),
            (Scalar::Bool, Algebra::MinPlus, Number::Zero, Some(1)),
        ];
        for (scalar, algebra, number, expected) in table {
            assert_eq!(bits(element(scalar, algebra), number), expected, "{scalar:?} {algebra:?} {number:?}");
        }
    }
}
