//! The helper functions of the printed code. A source has those that it uses, in the order of this table.

use crate::{append, merge, rounded, scratch, signs, touched};
use atl_c_text::helpers::{self, Words};
use atl_c_text::{bits, halves, narrow};
use atl_loops::Scalar;
use std::collections::BTreeSet;

/// A helper: its name and its text.
struct Helper {
    name: &'static str,
    text: &'static str,
}

const HELPERS: &[Helper] = &[
    Helper {
        name: "atl_min",
        text: "static inline int64_t atl_min(int64_t a, int64_t b) { return b < a ? b : a; }\n",
    },
    Helper {
        name: "atl_max",
        text: "static inline int64_t atl_max(int64_t a, int64_t b) { return a < b ? b : a; }\n",
    },
    Helper { name: "atl_floor_div", text: helpers::FLOOR_DIV },
    Helper { name: "atl_floor_mod", text: helpers::FLOOR_MOD },
    Helper {
        name: "atl_div_i32",
        text: "static inline int32_t atl_div_i32(int32_t a, int32_t b) {\n  \
               if (b == 0) return 0;\n  \
               if (b == -1) return (int32_t)(0 - (uint32_t)a);\n  \
               return a / b - (int32_t)((a % b != 0) & ((a < 0) != (b < 0)));\n}\n",
    },
    Helper {
        name: "atl_div_i64",
        text: "static inline int64_t atl_div_i64(int64_t a, int64_t b) {\n  \
               if (b == 0) return 0;\n  \
               if (b == -1) return (int64_t)(0 - (uint64_t)a);\n  \
               return a / b - (int64_t)((a % b != 0) & ((a < 0) != (b < 0)));\n}\n",
    },
    Helper {
        name: "atl_div_u8",
        text: "static inline uint8_t atl_div_u8(uint8_t a, uint8_t b) { return b == 0 ? 0 : (uint8_t)(a / b); }\n",
    },
    Helper { name: "atl_abs_i32", text: helpers::ABS_I32 },
    Helper { name: "atl_abs_i64", text: helpers::ABS_I64 },
    Helper {
        name: "atl_min_f32",
        text: "static inline float atl_min_f32(float a, float b) { return b < a ? b : a; }\n",
    },
    Helper {
        name: "atl_max_f32",
        text: "static inline float atl_max_f32(float a, float b) { return a < b ? b : a; }\n",
    },
    Helper {
        name: "atl_min_f64",
        text: "static inline double atl_min_f64(double a, double b) { return b < a ? b : a; }\n",
    },
    Helper {
        name: "atl_max_f64",
        text: "static inline double atl_max_f64(double a, double b) { return a < b ? b : a; }\n",
    },
    Helper {
        name: "atl_min_i32",
        text: "static inline int32_t atl_min_i32(int32_t a, int32_t b) { return b < a ? b : a; }\n",
    },
    Helper {
        name: "atl_max_i32",
        text: "static inline int32_t atl_max_i32(int32_t a, int32_t b) { return a < b ? b : a; }\n",
    },
    Helper {
        name: "atl_min_u8",
        text: "static inline uint8_t atl_min_u8(uint8_t a, uint8_t b) { return b < a ? b : a; }\n",
    },
    Helper {
        name: "atl_max_u8",
        text: "static inline uint8_t atl_max_u8(uint8_t a, uint8_t b) { return a < b ? b : a; }\n",
    },
    Helper { name: "atl_to_i32", text: helpers::TO_I32 },
    Helper { name: "atl_to_i64", text: helpers::TO_I64 },
    Helper { name: "atl_pair", text: merge::PAIR },
    Helper { name: "atl_masked_f32", text: merge::MASKED_F32 },
    Helper { name: "atl_masked_f64", text: merge::MASKED_F64 },
    Helper {
        name: "atl_below",
        text: "/* The lanes k where a + k < b, as bits; at most 64. Without a branch it leaves loops. */\n\
               static inline uint64_t atl_below(int64_t a, int64_t b) {\n  \
               const uint64_t n = (uint64_t)(a < b ? b : a) - (uint64_t)a;\n  \
               return ((UINT64_C(1) << (n < 63 ? n : 63)) << (n > 63)) - 1;\n}\n",
    },
    Helper {
        name: "atl_up_to",
        text: "/* The lanes k where a + k <= b, as bits; at most 64. */\n\
               static inline uint64_t atl_up_to(int64_t a, int64_t b) {\n  \
               const uint64_t n = (uint64_t)(a < b ? b : a) - (uint64_t)a;\n  \
               return ((UINT64_C(2) << (n < 63 ? n : 63)) - 1) & (0 - (uint64_t)(a <= b));\n}\n",
    },
    Helper {
        name: "atl_all",
        text: "static inline uint64_t atl_all(int c) { return c ? ~UINT64_C(0) : 0; }\n",
    },
    Helper {
        name: "atl_several",
        text: "/* Are there two numbers or more from a to before b? */\n\
               static inline int atl_several(int64_t a, int64_t b) {\n  \
               return a < b && (uint64_t)b - (uint64_t)a > 1;\n}\n",
    },
    Helper {
        name: "atl_fence",
        text: "/* Other threads see what was stored past the caches. */\n\
               static inline void atl_fence(void) {\n\
               #if defined(__SSE__)\n  \
               __builtin_ia32_sfence();\n\
               #else\n  \
               __atomic_thread_fence(__ATOMIC_SEQ_CST);\n\
               #endif\n}\n",
    },
    Helper { name: rounded::NAME, text: rounded::TEXT },
    Helper { name: signs::F32, text: signs::TEXT_F32 },
    Helper { name: signs::F64, text: signs::TEXT_F64 },
    Helper {
        name: "ATL_PREFETCH",
        text: "/* Brings a cell near that will be read. */\n\
               #if defined(__GNUC__)\n\
               #define ATL_PREFETCH(cell) __builtin_prefetch(cell)\n\
               #else\n\
               #define ATL_PREFETCH(cell) ((void)(cell))\n\
               #endif\n",
    },
    Helper {
        name: "atl_cells",
        text: "/* The product of extents: 0 if one is negative, INT64_MAX if it does not fit. */\n\
               static inline int64_t atl_cells(int64_t a, int64_t b) {\n  \
               int64_t product;\n  \
               if (a <= 0 || b <= 0) return 0;\n  \
               return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;\n}\n",
    },
    Helper { name: "atl_take", text: scratch::HELPERS },
    Helper { name: "atl_grow", text: append::HELPERS },
    Helper { name: "atl_marks", text: touched::HELPERS },
];

/// The words of C.
const WORDS: Words = Words {
    table: &[
        ("$function", "static inline"),
        ("$local_i64", "int64_t"),
        ("$most_i32", "INT32_MAX"),
        ("$least_i32", "INT32_MIN"),
        ("$most_i64", "INT64_MAX"),
        ("$least_i64", "INT64_MIN"),
        ("$i8", "int8_t"),
        ("$i16", "int16_t"),
        ("$i32", "int32_t"),
        ("$i64", "int64_t"),
        ("$u8", "uint8_t"),
        ("$u16", "uint16_t"),
        ("$u32", "uint32_t"),
        ("$u64", "uint64_t"),
        ("$2^31", "0x1p31"),
        ("$2^63", "0x1p63"),
    ],
};

/// Minima, maxima and quotients of the integer types that have none above.
macro_rules! of_integers {
    ($($ty:literal $c:literal $quotient:literal;)*) => {
        [$(
            (
                concat!("atl_min_", $ty),
                concat!("static inline ", $c, " atl_min_", $ty, "(", $c, " a, ", $c, " b) { return b < a ? b : a; }\n"),
            ),
            (
                concat!("atl_max_", $ty),
                concat!("static inline ", $c, " atl_max_", $ty, "(", $c, " a, ", $c, " b) { return a < b ? b : a; }\n"),
            ),
            (
                concat!("atl_div_", $ty),
                concat!(
                    "static inline ", $c, " atl_div_", $ty, "(", $c, " a, ", $c, " b) {\n  if (b == 0) return 0;\n  ",
                    "return (", $c, ")(", $quotient, ");\n}\n"
                ),
            ),
        )*]
    };
}

/// Narrow integers are divided as `int`, in which no quotient overflows.
const INTEGERS: [(&str, &str); 15] = of_integers! {
    "i8" "int8_t" "a / b - ((a % b != 0) & ((a < 0) != (b < 0)))";
    "i16" "int16_t" "a / b - ((a % b != 0) & ((a < 0) != (b < 0)))";
    "u16" "uint16_t" "a / b";
    "u32" "uint32_t" "a / b";
    "u64" "uint64_t" "a / b";
};

/// The texts of the helpers with these names.
pub(crate) fn texts(used: &BTreeSet<&'static str>) -> impl Iterator<Item = String> {
    let named = HELPERS.iter().map(|helper| (helper.name, helper.text));
    let integers = helpers::INTEGERS.into_iter().chain(narrow::TEMPLATES).chain(INTEGERS);
    let all = named.chain(integers).chain(bits::templates()).chain(halves::TEMPLATES);
    all.filter(|(name, _)| used.contains(name)).map(|(_, text)| WORDS.fill(text))
}

/// The C functions `atl_f32_of_f16` and `atl_f16_of_f32`, or those of `bf16`: for a program that fills and
/// prints such arrays.
pub fn half_conversions(scalar: Scalar) -> String {
    let names = [format!("atl_f32_of_{scalar}"), format!("atl_{scalar}_of_f32")];
    let own = halves::TEMPLATES.iter().filter(|(name, _)| names.iter().any(|own| own == name));
    own.map(|(_, text)| WORDS.fill(text)).collect()
}
