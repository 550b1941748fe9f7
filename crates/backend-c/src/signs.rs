//! Floats of which a compiler concludes from their form that they are no negative zero.
//!
//! GCC 12 takes `0.0 - x` for `-x` where `x` cannot be -0: a converted integer, a magnitude, a choice among such and
//! literals. It should ask whether `x` can be +0: `0.0 - 0.0` is 0, and `-0.0` is not. It does so at every level, -O0 too,
//! and for `-1.0 * x + 0.0` as well; 11 does not, and later ones are taken to. A zero may come about by folding constants,
//! so every such `x` that is subtracted, negated or multiplied stands behind a barrier, which hides its form. Operands in variables and
//! in vectors are not folded so.

use atl_loops::{Name, Scalar, UnOp, Val};
use std::collections::BTreeMap;

/// The barrier's name.
pub(crate) const NAME: &str = "atl_signed";

/// Its text.
pub(crate) const TEXT: &str = "/* x, of which no compiler concludes that it is no negative zero. */\n\
    #if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12\n\
    #define atl_signed(x) __builtin_assoc_barrier(x)\n\
    #else\n\
    #define atl_signed(x) (x)\n\
    #endif\n";

/// Does the form of a value exclude the negative zero, to a compiler?
pub(crate) fn is_concluded(val: &Val, types: &BTreeMap<Name, Scalar>) -> bool {
    match val {
        Val::Convert { val, .. } => val.scalar_type(types).is_none_or(|from| !from.is_float()),
        Val::Un(UnOp::Abs, _) | Val::Select { .. } | Val::Choose { .. } => true,
        _ => false,
    }
}
