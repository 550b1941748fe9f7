//! Rules about sums: extents that are not what a rule asks, indices that change places, terms that are not one.

use super::rules::{MONOID, uses};
use super::{NO_LAWS, Trap};

const COMMUTATIVE: &str = "laws add_0_l add_0_r add_comm add_assoc\nrounding real";

/// Every rule about sums.
pub(super) fn sums() -> Vec<Trap> {
    [extents(), exchanges(), counts(), onehot()].concat()
}

/// Sums whose extents are not what a rule asks.
fn extents() -> Vec<Trap> {
    let small = "t10 sum l0 i2 t1\nt11 guard p4 t1\nt12 sum l0 i3 t1\nt13 sum l0 i4 t1";
    let one = "laws add_0_l\nrounding finite";
    // sum i<2. i split after 1, and sum i<1. i split after 2 and before 0.
    let split = "i8 add i5 i3\ni9 add i5 i4\ni10 lit -1\ni11 add i5 i10\nt10 sum l0 i4 t7\nt11 sum l0 i3 t7\nt12 index f32 a0 i8\nt13 sum l0 i3 t12\nt14 prim add t11 t13
                 t15 index f32 a0 i9\nt16 sum l0 i10 t15\nt17 prim add t10 t16\nt18 index f32 a0 i11\nt19 sum l0 i4 t18\nt20 sum l0 i10 t7\nt21 prim add t20 t19";
    // sum i<2 in one tile of 2, in two of 2, and in -1 of -2.
    let tiles = "c3 split 1 c0 c0\nc4 split 0 c3 c3\ni8 mul i6 i4\ni9 add i8 i5\ni10 lit -1\ni11 lit -2\nt10 sum l0 i4 t7\nt11 index f32 a0 i9\nt12 sum l0 i4 t11
                 t13 sum l0 i3 t12\nt14 sum l0 i4 t12\ni12 mul i6 i11\ni13 add i12 i5\nt15 index f32 a0 i13\nt16 sum l0 i11 t15\nt17 sum l0 i10 t16";
    let whole = ("sum_split i3", "t10", "t14", "c1");
    let tiled = ("sum_tile l0 i3 l0 i4", "t10", "t13", "c4");
    vec![
        uses(
            "a sum of one term as empty",
            NO_LAWS,
            small,
            ("sum_empty", "t10", "t11", "c0"),
            ("sum_empty", "t12", "t11", "c0"),
        ),
        uses(
            "a sum of two terms as one",
            one,
            small,
            ("sum_one", "t12", "t1", "c1"),
            ("sum_one", "t13", "t1", "c1"),
        ),
        uses(
            "a sum of no term as one",
            one,
            small,
            ("sum_one", "t12", "t1", "c1"),
            ("sum_one", "t10", "t1", "c1"),
        ),
        uses("a sum split after its end", MONOID, split, whole, ("sum_split i4", "t11", "t17", "c1")),
        uses("a sum split before its start", MONOID, split, whole, ("sum_split i10", "t11", "t21", "c1")),
        uses(
            "tiles of more than there is",
            MONOID,
            tiles,
            tiled,
            ("sum_tile l0 i4 l0 i4", "t10", "t14", "c4"),
        ),
        uses(
            "tiles of negative extents",
            MONOID,
            tiles,
            tiled,
            ("sum_tile l0 i10 l0 i11", "t10", "t17", "c4"),
        ),
    ]
}

/// Loops and sums that change places.
fn exchanges() -> Vec<Trap> {
    // Where the outer index is used, it is the inner one afterwards.
    let nests = "t10 index f32 a0 i6\nt11 sum l0 i4 t10\nt12 sum l0 i0 t11\nt13 sum l0 i0 t7\nt14 sum l0 i4 t13\nt15 sum l0 i0 t10\nt16 sum l0 i4 t15
                 t17 gen l0 i0 t11\nt18 gen l0 i0 t7\nt19 sum l0 i4 t18\nt20 gen l0 i0 t10\nt21 sum l0 i4 t20
                 t22 sum l0 i5 t1\nt23 gen l0 i0 t22\nt24 sum l0 i5 t9\nt25 prim mul t10 t7\nt26 prim add t25 t10\nt27 sum l0 i4 t26\nt28 sum l0 i0 t27\n
                 t29 prim mul t7 t10\nt30 prim add t29 t7\nt31 sum l0 i0 t30\nt32 sum l0 i4 t31\nt33 sum l0 i0 t26\nt34 sum l0 i4 t33";
    let added =
        "t10 prim add t7 t1\nt11 sum l0 i0 t10\nt12 sum l0 i0 t7\nt13 sum l0 i0 t1\nt14 prim add t12 t13
                 t15 prim mul t7 t1\nt16 sum l0 i0 t15\nt17 prim mul t12 t13";
    let rows = ("gen_sum_swap", "t17", "t19", "");
    vec![
        uses(
            "two sums that change places as a loop and a sum",
            NO_LAWS,
            nests,
            rows,
            ("gen_sum_swap", "t12", "t14", ""),
        ),
        uses(
            "loops that change places under both their indices",
            COMMUTATIVE,
            nests,
            ("sum_swap", "t28", "t32", ""),
            ("sum_swap", "t28", "t34", ""),
        ),
        uses(
            "loops that change places under their indices",
            COMMUTATIVE,
            nests,
            ("sum_swap", "t12", "t14", ""),
            ("sum_swap", "t12", "t16", ""),
        ),
        uses(
            "a loop and a sum that change places under their indices",
            NO_LAWS,
            nests,
            rows,
            ("gen_sum_swap", "t17", "t21", ""),
        ),
        uses(
            "a sum whose extent depends on the row",
            NO_LAWS,
            nests,
            rows,
            ("gen_sum_swap", "t23", "t24", ""),
        ),
        uses(
            "a sum of products",
            COMMUTATIVE,
            added,
            ("sum_add", "t11", "t14", ""),
            ("sum_add", "t16", "t17", ""),
        ),
        uses(
            "a sum of products as of sums",
            COMMUTATIVE,
            added,
            ("sum_add", "t11", "t14", ""),
            ("sum_add", "t16", "t14", ""),
        ),
    ]
}

/// Sums of ones, which count.
fn counts() -> Vec<Trap> {
    // max(N, 0), max(2, 0), max(N, 1), max(M, 0); and sums of N terms 1, 0, i, and 1 of another algebra.
    let sums = "i8 max i0 i2\ni9 max i0 i3\ni10 max i1 i2\nt10 sum l0 i0 t1\nt11 index f32 a0 i8\nt12 index f32 a0 i9\nt13 index f32 a0 i10
                t14 sum l0 i0 t0\nt15 sum l0 i0 t7\nt16 sum l0 i0 t10\nt17 lit f32 a1 one\nt18 sum l0 i0 t17\nt19 index f32 a1 i8
                t20 sum l0 i0 t9\nt21 index f64 a0 i8";
    let trust = "laws index_counts\nrounding real";
    let right = ("sum_ones", "t10", "t11", "");
    vec![
        uses("a count that may be negative", trust, sums, right, ("sum_ones", "t10", "t5", "")),
        uses("a count of at least 1", trust, sums, right, ("sum_ones", "t10", "t12", "")),
        uses("the count of another sum", trust, sums, right, ("sum_ones", "t10", "t13", "")),
        uses("a sum of zeros as a count", trust, sums, right, ("sum_ones", "t14", "t11", "")),
        uses("a sum of indices as a count", trust, sums, right, ("sum_ones", "t15", "t11", "")),
        uses("a sum of counts as a count", trust, sums, right, ("sum_ones", "t16", "t11", "")),
        uses("a sum of rows of ones as a count", trust, sums, right, ("sum_ones", "t20", "t11", "")),
        uses("least ones as a count", trust, sums, right, ("sum_ones", "t18", "t19", "")),
        uses("a count of another type", trust, sums, right, ("sum_ones", "t10", "t21", "")),
    ]
}

/// Sums of which not one term alone is left.
fn onehot() -> Vec<Trap> {
    // sum i<2. [i == N] * i, which is [0 <= N < 2] * N; and the same with another predicate and what it would become.
    let one = |name, predicate: &str, becomes: &str| {
        let lines = format!(
            "p5 eq i5 i0\np6 {predicate}\nt10 guard p5 t7\nt11 sum l0 i4 t10\nt12 guard p6 t7\nt13 sum l0 i4 t12
             p7 le i2 i0\np8 lt i0 i4\np9 and p7 p8\nt14 guard p9 t5\n{becomes}"
        );
        let wrong = if becomes.is_empty() { "t14" } else { "t15" };
        let law = "laws add_0_l add_0_r\nrounding finite";
        uses(name, law, &lines, ("onehot_sum", "t11", "t14", ""), ("onehot_sum", "t13", wrong, ""))
    };
    // sum i<2. [i == N && i < M] * i, and sum i<2. [N == i] * i.
    let beside = |name, (left, right): (&str, &str), (same, other): (&str, &str)| {
        let lines = "p5 eq i5 i0\np6 lt i5 i1\np7 and p5 p6\nt10 guard p7 t7\nt11 sum l0 i4 t10\np8 eq i0 i5\nt12 guard p8 t7\nt13 sum l0 i4 t12
             p9 le i2 i0\np10 lt i0 i4\np11 and p9 p10\np12 and p11 p0\nt14 guard p12 t5\nt15 guard p11 t5\nt16 guard p11 t6";
        let law = "laws add_0_l add_0_r\nrounding finite";
        uses(name, law, lines, ("onehot_sum", left, right, ""), ("onehot_sum", same, other, ""))
    };
    vec![
        one(
            "an inequality as the one index",
            "le i5 i1",
            "p10 le i2 i1\np11 lt i1 i4\np12 and p10 p11\nt15 guard p12 t6",
        ),
        one("a condition on no index, by its right side", "eq i1 i0", ""),
        one(
            "a condition on no index, by its left side",
            "eq i1 i0",
            "p10 le i2 i1\np11 lt i1 i4\np12 and p10 p11\nt15 guard p12 t6",
        ),
        one(
            "the index as the one index",
            "eq i5 i5",
            "p10 le i2 i5\np11 lt i5 i4\np12 and p10 p11\nt15 guard p12 t7",
        ),
        one("one index or another", "or p5 p2", ""),
        beside("a condition beside the one index", ("t11", "t14"), ("t11", "t15")),
        beside("another index on the right", ("t13", "t15"), ("t13", "t16")),
    ]
}
