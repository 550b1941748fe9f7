//! Helper functions of the printed text: it has those that it uses, in the order of this table.

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
    (
        "atl_floor_div",
        "__host__ __device__ inline long long atl_floor_div(long long a, long long b) {\n  \
         if (b == 0) return 0;\n  \
         if (b == -1) return (long long)(0 - (unsigned long long)a);\n  \
         return a / b - (long long)((a % b != 0) & ((a < 0) != (b < 0)));\n}\n",
    ),
    (
        "atl_floor_mod",
        "__host__ __device__ inline long long atl_floor_mod(long long a, long long b) {\n  \
         if (b == 0) return a;\n  \
         if (b == -1) return 0;\n  \
         const long long r = a % b;\n  \
         return ((r != 0) & ((r < 0) != (b < 0))) ? r + b : r;\n}\n",
    ),
    (
        "atl_min",
        "template <typename T> __host__ __device__ inline T atl_min(T a, T b) { return b < a ? b : a; }\n",
    ),
    (
        "atl_max",
        "template <typename T> __host__ __device__ inline T atl_max(T a, T b) { return a < b ? b : a; }\n",
    ),
    (
        "atl_abs_i32",
        "__host__ __device__ inline int atl_abs_i32(int a) { return a < 0 ? (int)(0 - (unsigned)a) : a; }\n",
    ),
    (
        "atl_abs_i64",
        "__host__ __device__ inline long long atl_abs_i64(long long a) { return a < 0 ? (long long)(0 - (unsigned long long)a) : a; }\n",
    ),
    (
        "atl_to_i32",
        "__host__ __device__ inline int atl_to_i32(double a) {\n  \
         if (a != a) return 0;\n  \
         if (a >= 2147483648.0) return 2147483647;\n  \
         return a <= -2147483648.0 ? -2147483647 - 1 : (int)a;\n}\n",
    ),
    (
        "atl_to_i64",
        "__host__ __device__ inline long long atl_to_i64(double a) {\n  \
         if (a != a) return 0;\n  \
         if (a >= 9223372036854775808.0) return 9223372036854775807LL;\n  \
         return a <= -9223372036854775808.0 ? -9223372036854775807LL - 1 : (long long)a;\n}\n",
    ),
    (
        "atl_to_u8",
        "__host__ __device__ inline unsigned char atl_to_u8(double a) {\n  \
         if (!(a > 0)) return 0;\n  \
         return a >= 255 ? 255 : (unsigned char)a;\n}\n",
    ),
];

/// The texts of the helpers with these names.
pub(crate) fn texts(used: &BTreeSet<&'static str>) -> String {
    let used = HELPERS.iter().filter(|(name, _)| used.contains(name));
    used.map(|(_, text)| format!("{text}\n")).collect()
}
