//! Floats of 16 bits as text: words of 16 bits, which are converted to `float`, computed with, and
//! converted back.
//!
//! The conversions are operations on integers, one text for both languages: compilers differ in whether
//! they have these types and in what they keep of excess precision. They have no branch, so that loops
//! around them become vectors. Each rounds once, to nearest even, and there is no product in them that
//! could be fused with a sum, but one that is exact.

use crate::{Code, Dialect, Precedence};
use atl_loops::{BinOp, Kind, Literal, Scalar, UnOp, is_half};

/// A helper's name and template.
type Template = (&'static str, &'static str);

/// From `double`: of a format, how many bits its fraction has less, infinity, what its bias is less, the
/// exponent from which the number of lost bits is counted, the bits of a quiet NaN and those of its
/// payload.
macro_rules! of_f64 {
    ($ty:literal $lost:literal $infinity:literal $bias:literal $last:literal $quiet:literal $payload:literal) => {
        (
            concat!("atl_", $ty, "_of_f64"),
            concat!(
                "/* Rounded to nearest even. */\n",
                "$function $u16 atl_",
                $ty,
                "_of_f64(double a) {\n",
                "  union { double f; $u64 u; } x;\n",
                "  x.f = a;\n",
                "  const $u64 one = 1, inf = ($u64)0x7ff << 52, m = x.u & ~(one << 63), e = m >> 52;\n",
                "  const $u64 d = e > ",
                $last,
                " - 54 ? ",
                $last,
                " - e : 54, k = d & 63;\n",
                "  const $u64 f = (m & ((one << 52) - 1)) | one << 52;\n",
                "  const $u64 tiny = (f + (((one << k) >> 1) - 1) + ((f >> k) & 1)) >> k;\n",
                "  const $u64 half = (one << (",
                $lost,
                " - 1)) - 1;\n",
                "  const $u64 r = (m - (($u64)",
                $bias,
                " << 52) + half + ((m >> ",
                $lost,
                ") & 1)) >> ",
                $lost,
                ";\n",
                "  const $u64 n = e > ",
                $bias,
                " ? r : tiny;\n",
                "  const $u64 t = n < ",
                $infinity,
                " && m < inf ? n : ",
                $infinity,
                ";\n",
                "  const $u64 nan = ",
                $quiet,
                " | ((m >> ",
                $lost,
                ") & ",
                $payload,
                ");\n",
                "  return ($u16)(((x.u >> 48) & 0x8000u) | (m > inf ? nan : t));\n",
                "}\n"
            ),
        )
    };
}

/// Names and templates.
pub const TEMPLATES: [Template; 9] = [
    (
        "atl_f32_of_f16",
        "/* A power of two brings the exponent up, of subnormals, too. */\n\
         $function float atl_f32_of_f16($u16 a) {\n  \
         union { $u32 u; float f; } x;\n  \
         const $u32 m = ($u32)(a & 0x7fffu) << 13;\n  \
         x.u = m;\n  x.f *= 5192296858534827628530496329220096.0f;\n  \
         x.u = (m < 0xf800000u ? x.u : m | 0x7f800000u | (m > 0xf800000u ? 0x400000u : 0)) | ($u32)(a & 0x8000u) << 16;\n  \
         return x.f;\n}\n",
    ),
    (
        "atl_f32_of_bf16",
        "$function float atl_f32_of_bf16($u16 a) {\n  \
         union { $u32 u; float f; } x;\n  \
         x.u = ($u32)a << 16 | ((a & 0x7fffu) > 0x7f80u ? 0x400000u : 0);\n  \
         return x.f;\n}\n",
    ),
    (
        "atl_f16_of_f32",
        "/* Rounded to nearest even. */\n\
         $function $u16 atl_f16_of_f32(float a) {\n  \
         union { float f; $u32 u; } x;\n  \
         x.f = a;\n  \
         const $u32 m = x.u & 0x7fffffffu, e = m >> 23;\n  \
         const $u32 d = e > 101 ? 126 - e : 25, k = d & 31;\n  \
         const $u32 f = (m & 0x7fffffu) | 0x800000u;\n  \
         const $u32 tiny = (f + (((($u32)1 << k) >> 1) - 1) + ((f >> k) & 1)) >> k;\n  \
         const $u32 r = (m - 0x38000000u + 0xfffu + ((m >> 13) & 1)) >> 13;\n  \
         const $u32 n = e > 112 ? r : tiny;\n  \
         const $u32 t = n < 0x7c00u && m < 0x7f800000u ? n : 0x7c00u;\n  \
         const $u32 nan = 0x7e00u | ((m >> 13) & 0x3ffu);\n  \
         return ($u16)(((x.u >> 16) & 0x8000u) | (m > 0x7f800000u ? nan : t));\n}\n",
    ),
    (
        "atl_bf16_of_f32",
        "/* Rounded to nearest even. */\n\
         $function $u16 atl_bf16_of_f32(float a) {\n  \
         union { float f; $u32 u; } x;\n  \
         x.f = a;\n  \
         const $u32 r = (x.u + 0x7fffu + ((x.u >> 16) & 1)) >> 16, nan = x.u >> 16 | 0x40u;\n  \
         return ($u16)((x.u & 0x7fffffffu) > 0x7f800000u ? nan : r);\n}\n",
    ),
    of_f64!("f16" "42" "0x7c00u" "1008" "1051" "0x7e00u" "0x3ffu"),
    of_f64!("bf16" "45" "0x7f80u" "896" "942" "0x7fc0u" "0x7fu"),
    (
        "atl_odd_i64",
        "/* A double; where an integer is none, the last bit says so. */\n\
         $function double atl_odd_i64($i64 a) {\n  \
         if (a >= -9007199254740992 && a <= 9007199254740992) return (double)a;\n  \
         return (double)((a >> 12) | ((a & 4095) != 0)) * 4096.0;\n}\n",
    ),
    (
        "atl_odd_u64",
        "/* A double; where an integer is none, the last bit says so. */\n\
         $function double atl_odd_u64($u64 a) {\n  \
         if (a <= 9007199254740992u) return (double)a;\n  \
         return (double)((a >> 12) | ((a & 4095) != 0)) * 4096.0;\n}\n",
    ),
    (
        "atl_odd_fma",
        "/* a b + c, where the product is exact; where the sum is not, the last bit says so. */\n\
         $function double atl_odd_fma(double a, double b, double c) {\n  \
         union { double f; $u64 u; } x;\n  \
         const double product = a * b;\n  \
         x.f = product + c;\n  \
         const double of_product = x.f - c, rest = (product - of_product) + (c - (x.f - of_product));\n  \
         if (rest < 0 || rest > 0) {\n    \
         if (!(x.u & 1) && x.f - x.f == 0) x.u += (rest > 0) == (x.f > 0) ? 1 : -1;\n  }\n  \
         return x.f;\n}\n",
    ),
];

/// The word of 16 bits of an expression that C made an `int`.
fn word<D: Dialect>(text: String) -> Code {
    Code::new(format!("({})({text})", D::scalar_type(Scalar::U16)), Precedence::Product)
}

/// A literal: its bits.
pub fn literal(literal: Literal) -> Code {
    Code::atom(format!("0x{:04x}", literal.bits()))
}

/// The `float` of a number of 16 bits; any other expression stays.
pub(crate) fn widened<D: Dialect>(dialect: &mut D, scalar: Scalar, a: &Code) -> Code {
    match scalar {
        Scalar::F16 => dialect.call("atl_f32_of_f16", &[a]),
        Scalar::BF16 => dialect.call("atl_f32_of_bf16", &[a]),
        _ => a.clone(),
    }
}

/// A number of 16 bits, of a `float`.
pub(crate) fn narrowed<D: Dialect>(dialect: &mut D, scalar: Scalar, a: &Code) -> Code {
    dialect.call(if scalar == Scalar::F16 { "atl_f16_of_f32" } else { "atl_bf16_of_f32" }, &[a])
}

/// The same of a `double`.
fn narrowed_double<D: Dialect>(dialect: &mut D, scalar: Scalar, a: &Code) -> Code {
    dialect.call(if scalar == Scalar::F16 { "atl_f16_of_f64" } else { "atl_bf16_of_f64" }, &[a])
}

/// A conversion to numbers of 16 bits: from floats, integers or truth values.
pub(crate) fn convert<D: Dialect>(dialect: &mut D, from: Scalar, to: Scalar, a: &Code) -> Code {
    match (from.kind(), from.bits()) {
        (Kind::Float, 64) => narrowed_double(dialect, to, a),
        (Kind::Float, _) => {
            let wide = widened(dialect, from, a);
            narrowed(dialect, to, &wide)
        }
        (Kind::Signed, 64) => {
            let odd = dialect.call("atl_odd_i64", &[a]);
            narrowed_double(dialect, to, &odd)
        }
        (Kind::Unsigned, 64) => {
            let odd = dialect.call("atl_odd_u64", &[a]);
            narrowed_double(dialect, to, &odd)
        }
        // Exact as a `double`.
        _ => narrowed_double(dialect, to, a),
    }
}

/// An operation on one number of 16 bits, which changes its sign alone.
pub(crate) fn unary<D: Dialect>(op: UnOp, a: &Code) -> Code {
    match op {
        UnOp::Abs => word::<D>(format!("{} & 0x7fff", a.operand())),
        _ => word::<D>(format!("{} ^ 0x8000", a.operand())),
    }
}

/// An operation on two.
pub(crate) fn binary<D: Dialect>(dialect: &mut D, op: BinOp, scalar: Scalar, a: &Code, b: &Code) -> Code {
    let [left, right] = [a, b].map(|operand| widened(dialect, scalar, operand));
    let wide = dialect.binary(op, Scalar::F32, &left, &right);
    narrowed(dialect, scalar, &wide)
}

/// A fused operation, rounded once.
pub(crate) fn fused<D: Dialect>(dialect: &mut D, scalar: Scalar, operands: &[Code]) -> Code {
    let wide: Vec<Code> = operands.iter().map(|operand| widened(dialect, scalar, operand)).collect();
    let odd = dialect.call("atl_odd_fma", &wide.iter().collect::<Vec<_>>());
    narrowed_double(dialect, scalar, &odd)
}

/// What an expression is where floats are compared or taken apart: that of 16 bits as a `float`, with its
/// type.
pub(crate) fn native<D: Dialect>(dialect: &mut D, scalar: Scalar, a: Code) -> (Scalar, Code) {
    if is_half(scalar) { (Scalar::F32, widened(dialect, scalar, &a)) } else { (scalar, a) }
}
