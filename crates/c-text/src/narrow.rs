//! Floats as integers of 8 and 16 bits: towards zero, within the type, 0 for NaN.
//!
//! One idea: each step is a choice between two floats, and only a number that the type has is converted.
//! Compilers make vectors of that, but not of branches: of 32 bits a lane, where the operand is an `f32`.
//! A limit of the operand that cuts off nothing that the type has would do the same again, and is left out.

use atl_loops::{BinOp, Scalar, Val};

macro_rules! clamped {
    ($name:literal $ty:literal $float:literal $number:literal $least:literal $most:literal) => {
        (
            concat!("atl_", $name),
            concat!(
                "$function $",
                $ty,
                " atl_",
                $name,
                "(",
                $float,
                " a) {\n",
                $number,
                "  const ",
                $float,
                " b = a > ",
                $least,
                " ? a : ",
                $least,
                ";\n  return ($",
                $ty,
                ")(b < ",
                $most,
                " ? b : ",
                $most,
                ");\n}\n"
            ),
        )
    };
}

/// What makes a number of NaN, for a type whose least number is another one.
macro_rules! signed {
    ($name:literal $ty:literal $float:literal $least:literal $most:literal) => {
        clamped!($name $ty $float "  a = a == a ? a : 0;\n" $least $most)
    };
}

/// Names and templates.
pub const TEMPLATES: [(&str, &str); 8] = [
    signed!("to_i8" "i8" "double" "-128" "127"),
    signed!("to_i16" "i16" "double" "-32768" "32767"),
    clamped!("to_u8" "u8" "double" "" "0" "255"),
    clamped!("to_u16" "u16" "double" "" "0" "65535"),
    signed!("f32_to_i8" "i8" "float" "-128" "127"),
    signed!("f32_to_i16" "i16" "float" "-32768" "32767"),
    clamped!("f32_to_u8" "u8" "float" "" "0" "255"),
    clamped!("f32_to_u16" "u16" "float" "" "0" "65535"),
];

/// The helper that makes an integer of an `f32`, where it is another one than that of an `f64`.
pub(crate) fn of_f32(to: Scalar) -> Option<&'static str> {
    match to {
        Scalar::I8 => Some("atl_f32_to_i8"),
        Scalar::I16 => Some("atl_f32_to_i16"),
        Scalar::U8 => Some("atl_f32_to_u8"),
        Scalar::U16 => Some("atl_f32_to_u16"),
        _ => None,
    }
}

/// The float of which the conversion to a type of integers is that of this one: without limits that leave
/// all numbers of the type as they are. What lies beyond becomes the type's end with them and without them,
/// and NaN stays NaN.
pub(crate) fn without_limits(val: &Val, to: Scalar) -> &Val {
    let Some((least, greatest)) = to.range().filter(|_| to.is_integer()) else { return val };
    let Val::Bin(op, inner, end) = val else { return val };
    let Val::Lit(end) = &**end else { return val };
    let is_beyond = match op {
        BinOp::Min => end.to_f64() >= greatest as f64,
        BinOp::Max => end.to_f64() <= least as f64,
        _ => false,
    };
    if end.scalar().is_float() && is_beyond { without_limits(inner, to) } else { val }
}
