//! Helper functions that both languages have, as templates: `$i64` and the like become the words of one.
//!
//! The arithmetic is that of [`atl_loops::Val`] and [`atl_loops::Int`]: total, wrapping, with floor division.

use atl_loops::Scalar;

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

/// What a helper on numbers of one type does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Helper {
    /// The absolute value, of signed integers.
    Abs,
    /// A float as an integer.
    Of,
    /// The smaller of two.
    Min,
    /// The larger of two.
    Max,
    /// Floor division.
    Div,
    /// The remainder of floor division.
    Rem,
    /// Bits moved up.
    Shl,
    /// Bits moved down.
    Shr,
    /// The high half of a product.
    MulHi,
    /// Each bit inverted.
    BitNot,
    /// How many bits are set.
    Popcount,
    /// How many bits above the highest that is set.
    Clz,
    /// How many bits below the lowest that is set.
    Ctz,
}

macro_rules! names {
    ($($name:ident $ty:ident $kind:ident $doc:literal;)*) => {
        /// The name of a helper on a type.
        pub fn name(helper: Helper, scalar: Scalar) -> &'static str {
            match scalar {
                $(Scalar::$name => match helper {
                    Helper::Abs => concat!("atl_abs_", stringify!($ty)),
                    Helper::Of => concat!("atl_to_", stringify!($ty)),
                    Helper::Min => concat!("atl_min_", stringify!($ty)),
                    Helper::Max => concat!("atl_max_", stringify!($ty)),
                    Helper::Div => concat!("atl_div_", stringify!($ty)),
                    Helper::Rem => concat!("atl_rem_", stringify!($ty)),
                    Helper::Shl => concat!("atl_shl_", stringify!($ty)),
                    Helper::Shr => concat!("atl_shr_", stringify!($ty)),
                    Helper::MulHi => concat!("atl_mulhi_", stringify!($ty)),
                    Helper::BitNot => concat!("atl_not_", stringify!($ty)),
                    Helper::Popcount => concat!("atl_popcount_", stringify!($ty)),
                    Helper::Clz => concat!("atl_clz_", stringify!($ty)),
                    Helper::Ctz => concat!("atl_ctz_", stringify!($ty)),
                },)*
            }
        }
    };
}

atl_loops::scalars!(names);

macro_rules! magnitude {
    ($ty:literal) => {
        (
            concat!("atl_abs_", $ty),
            concat!(
                "$function $",
                $ty,
                " atl_abs_",
                $ty,
                "($",
                $ty,
                " a) { return a < 0 ? ($",
                $ty,
                ")(0 - ($u32)a) : a; }\n"
            ),
        )
    };
}

macro_rules! unsigned {
    ($ty:literal $most:literal $beyond:literal) => {
        (
            concat!("atl_to_", $ty),
            concat!(
                "$function $",
                $ty,
                " atl_to_",
                $ty,
                "(double a) {\n  if (!(a > 0)) return 0;\n  return a >= ",
                $beyond,
                " ? ",
                $most,
                " : ($",
                $ty,
                ")a;\n}\n"
            ),
        )
    };
}

/// Absolute values, and floats as integers, of the types whose helpers are not above: names and templates.
pub const INTEGERS: [(&str, &str); 4] = [
    magnitude!("i8"),
    magnitude!("i16"),
    unsigned!("u32" "4294967295u" "4294967296.0"),
    unsigned!("u64" "18446744073709551615u" "18446744073709551616.0"),
];
