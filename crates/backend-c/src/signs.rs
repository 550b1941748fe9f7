//! Floats whose form says too much to a compiler.
//!
//! GCC 12 takes `0.0 - x` for `-x` where `x` cannot be -0: a converted integer, a magnitude, a choice among such and
//! literals. It should ask whether `x` can be +0: `0.0 - 0.0` is 0, and `-0.0` is not. It does so at every level, -O0 too,
//! for `-1.0 * x + 0.0`, and for `0.0 - 2.0 * (c ? 1.0 : 0.0)`, since it moves arithmetic into choices; 11 does not, and later
//! ones are taken to. It looks at forms of expressions alone: what a function gives, be it one that is inlined, and what variables and
//! vectors hold it does not fold so. So every such `x` that is an operand of arithmetic is passed through a function. A barrier against
//! reassociation does not do: of a choice among literals it is dropped.

use atl_loops::{Name, Scalar, UnOp, Val};
use std::collections::BTreeMap;

/// The functions' names.
pub(crate) const F32: &str = "atl_signed_f32";
pub(crate) const F64: &str = "atl_signed_f64";

/// Their texts.
pub(crate) const TEXT_F32: &str = "/* x, of which no compiler concludes that it is no negative zero. */\n\
    static inline float atl_signed_f32(float x) { return x; }\n";
pub(crate) const TEXT_F64: &str = "/* x, of which no compiler concludes that it is no negative zero. */\n\
    static inline double atl_signed_f64(double x) { return x; }\n";

/// The function that a value is passed through, if its form excludes the negative zero to a compiler.
pub(crate) fn barrier(val: &Val, types: &BTreeMap<Name, Scalar>) -> Option<&'static str> {
    let is_concluded = match val {
        Val::Convert { val, .. } => val.scalar_type(types).is_none_or(|from| !from.is_float()),
        Val::Un(UnOp::Abs, _) | Val::Select { .. } | Val::Choose { .. } => true,
        _ => false,
    };
    match val.scalar_type(types)? {
        Scalar::F32 if is_concluded => Some(F32),
        Scalar::F64 if is_concluded => Some(F64),
        _ => None,
    }
}
