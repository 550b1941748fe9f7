//! Helper functions of the printed text: it has those that it uses, in the order of this table.

use atl_c_text::helpers::{self, Words};
use atl_c_text::{bits, halves, narrow};
use std::collections::BTreeSet;

const HELPERS: &[(&str, &str)] = &[
    (
        "atl_low",
        "__host__ __device__ inline long long atl_low(long long a, long long b) { return b < a ? b : a; }\n",
    ),
    (
        "atl_high",
        "__host__ __device__ inline long long atl_high(long long a, long long b) { return a < b ? b : a; }\n",
    ),
    ("atl_floor_div", helpers::FLOOR_DIV),
    ("atl_floor_mod", helpers::FLOOR_MOD),
    (
        "atl_min",
        "template <typename T> __host__ __device__ inline T atl_min(T a, T b) { return b < a ? b : a; }\n",
    ),
    (
        "atl_copysign",
        "template <typename T> __host__ __device__ inline T atl_copysign(T x, T y) { return y == y ? copysign(x, y) : fabs(x); }\n",
    ),
    (
        "atl_max",
        "template <typename T> __host__ __device__ inline T atl_max(T a, T b) { return a < b ? b : a; }\n",
    ),
    (
        "atl_div",
        "template <typename T> __host__ __device__ inline T atl_div(T a, T b) { return b == 0 ? 0 : a / b; }\n",
    ),
    ("atl_abs_i32", helpers::ABS_I32),
    ("atl_abs_i64", helpers::ABS_I64),
    ("atl_to_i32", helpers::TO_I32),
    ("atl_to_i64", helpers::TO_I64),
];

/// The words of CUDA.
const WORDS: Words = Words {
    table: &[
        ("$function", "__host__ __device__ inline"),
        ("$local_i64", "const long long"),
        ("$most_i32", "2147483647"),
        ("$least_i32", "-2147483647 - 1"),
        ("$most_i64", "9223372036854775807LL"),
        ("$least_i64", "-9223372036854775807LL - 1"),
        ("$i8", "signed char"),
        ("$i16", "short"),
        ("$i32", "int"),
        ("$i64", "long long"),
        ("$u8", "unsigned char"),
        ("$u16", "unsigned short"),
        ("$u32", "unsigned"),
        ("$u64", "unsigned long long"),
        ("$2^31", "2147483648.0"),
        ("$2^63", "9223372036854775808.0"),
    ],
};

/// The texts of the helpers with these names.
pub(crate) fn texts(used: &BTreeSet<&'static str>) -> String {
    let used = HELPERS
        .iter()
        .copied()
        .chain(helpers::INTEGERS)
        .chain(narrow::TEMPLATES)
        .chain(bits::templates())
        .chain(halves::TEMPLATES)
        .filter(|(name, _)| used.contains(name));
    used.map(|(_, text)| format!("{}\n", WORDS.fill(text))).collect()
}
