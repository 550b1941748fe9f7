//! Helper functions that both languages have, as templates: `$i64` and the like become the words of one.
//!
//! The arithmetic is that of [`atl_loops::Val`] and [`atl_loops::Int`]: total, wrapping, with floor division.

/// The words of a language.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// What stands in templates, with what it becomes, longer ones before those that they begin with.
    pub table: &'static [(&'static str, &'static str)],
}

impl Words {
    /// The text that a template becomes.
    pub fn fill(&self, template: &str) -> String {
        self.table.iter().fold(template.to_owned(), |text, (word, own)| text.replace(word, own))
    }
}

/// Floor division; `x / 0 = 0`.
pub const FLOOR_DIV: &str = "$function $i64 atl_floor_div($i64 a, $i64 b) {\n  \
     if (b == 0) return 0;\n  \
     if (b == -1) return ($i64)(0 - ($u64)a);\n  \
     return a / b - ($i64)((a % b != 0) & ((a < 0) != (b < 0)));\n}\n";

/// The remainder of floor division; `x % 0 = x`.
pub const FLOOR_MOD: &str = "$function $i64 atl_floor_mod($i64 a, $i64 b) {\n  \
     if (b == 0) return a;\n  \
     if (b == -1) return 0;\n  \
     $local_i64 r = a % b;\n  \
     return ((r != 0) & ((r < 0) != (b < 0))) ? r + b : r;\n}\n";

/// The absolute value; that of the least number wraps to itself.
pub const ABS_I32: &str = "$function $i32 atl_abs_i32($i32 a) { return a < 0 ? ($i32)(0 - ($u32)a) : a; }\n";

/// The absolute value; that of the least number wraps to itself.
pub const ABS_I64: &str = "$function $i64 atl_abs_i64($i64 a) { return a < 0 ? ($i64)(0 - ($u64)a) : a; }\n";

/// A float as an integer: towards zero, within the type, 0 for NaN.
pub const TO_I32: &str = "$function $i32 atl_to_i32(double a) {\n  \
     if (a != a) return 0;\n  \
     if (a >= $2^31) return $most_i32;\n  \
     return a <= -$2^31 ? $least_i32 : ($i32)a;\n}\n";

/// A float as an integer: towards zero, within the type, 0 for NaN.
pub const TO_I64: &str = "$function $i64 atl_to_i64(double a) {\n  \
     if (a != a) return 0;\n  \
     if (a >= $2^63) return $most_i64;\n  \
     return a <= -$2^63 ? $least_i64 : ($i64)a;\n}\n";

/// A float as an integer: towards zero, within the type, 0 for NaN.
pub const TO_U8: &str = "$function $u8 atl_to_u8(double a) {\n  \
     if (!(a > 0)) return 0;\n  \
     return a >= 255 ? 255 : ($u8)a;\n}\n";
