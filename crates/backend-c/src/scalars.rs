//! Scalars in C: their types and their literals.

use atl_c_text::{Code, halves};
use atl_loops::{Integer, Kind, Literal, Scalar};

/// The C type of a scalar.
pub fn c_type(scalar: Scalar) -> &'static str {
    match (scalar.kind(), scalar.bits()) {
        (Kind::Float, 32) => "float",
        (Kind::Float, 64) => "double",
        (Kind::Signed, 8) => "int8_t",
        (Kind::Signed, 16) => "int16_t",
        (Kind::Signed, 32) => "int32_t",
        (Kind::Signed, _) => "int64_t",
        (Kind::Truth, _) | (Kind::Unsigned, 8) => "uint8_t",
        (Kind::Float, _) | (Kind::Unsigned, 16) => "uint16_t",
        (Kind::Unsigned, 32) => "uint32_t",
        (Kind::Unsigned, _) => "uint64_t",
    }
}

/// The literal of a scalar.
pub(crate) fn literal(literal: Literal) -> Code {
    let text = match literal {
        Literal::F16(_) | Literal::BF16(_) => return halves::literal(literal),
        Literal::F32(x) if x.is_nan() => "__builtin_nanf(\"\")".to_owned(),
        Literal::F64(x) if x.is_nan() => "__builtin_nan(\"\")".to_owned(),
        Literal::F32(f32::INFINITY) => "__builtin_inff()".to_owned(),
        Literal::F64(f64::INFINITY) => "__builtin_inf()".to_owned(),
        Literal::F32(f32::NEG_INFINITY) => "-__builtin_inff()".to_owned(),
        Literal::F64(f64::NEG_INFINITY) => "-__builtin_inf()".to_owned(),
        Literal::F32(x) => format!("{}f", float_text(f64::from(x))),
        Literal::F64(x) => float_text(x),
        Literal::Int(x) => integer_literal(x),
        Literal::Bool(x) => u8::from(x).to_string(),
    };
    Code::signed(text)
}

fn integer_literal(x: Integer) -> String {
    match (x.scalar(), i64::try_from(x.get())) {
        (Scalar::I64, Ok(value)) => i64_literal(value),
        (Scalar::I32, Ok(value)) if value == i64::from(i32::MIN) => "INT32_MIN".to_owned(),
        // A decimal literal is signed, and as wide as it needs: these are of their type.
        (Scalar::U32, _) => format!("{}u", x.get()),
        (Scalar::U64, _) => format!("UINT64_C({})", x.get()),
        _ => x.get().to_string(),
    }
}

/// A finite float, exactly: in decimal where that is short, else in hexadecimal.
fn float_text(x: f64) -> String {
    if x.abs() < 1e6 && (x * 1024.0).fract() == 0.0 {
        return format!("{x:?}");
    }
    let bits = x.to_bits();
    let sign = if bits >> 63 == 1 { "-" } else { "" };
    let exponent = i64::try_from(bits >> 52 & 0x7ff).unwrap_or(0);
    let fraction = bits & ((1 << 52) - 1);
    // A subnormal has no leading one and the exponent of the smallest normal number.
    let (leading, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
    let digits = format!("{fraction:013x}");
    format!("{sign}0x{leading}.{}p{exponent}", digits.trim_end_matches('0'))
}

pub(crate) fn i64_literal(value: i64) -> String {
    if value == i64::MIN { "INT64_MIN".to_owned() } else { format!("INT64_C({value})") }
}
