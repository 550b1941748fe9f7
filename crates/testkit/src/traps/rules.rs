//! Primitive rules where they do not apply: a term of nearly their form, a side condition that nearly holds, a law of
//! another operation.
//!
//! Side conditions are on literals, so that one certificate fits both files: it proves the true one and no other.

use super::{NO_LAWS, Trap, claimed, trap};

const MONOID: &str = "laws add_0_l add_0_r add_assoc\nrounding real";
const COMMUTATIVE: &str = "laws add_0_l add_0_r add_comm add_assoc\nrounding real";

/// A use of a rule: its name and arguments, the term, what the rule should make of it, certificates.
type Use<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Two uses of rules over these lines, of which the second is wrong.
fn uses(name: &'static str, trust: &str, lines: &str, right: Use, wrong: Use) -> Trap {
    let by = |(rule, left, result, certs): Use| {
        let step = format!("{lines}\ns0 rule {rule} {left} {certs}");
        claimed(trust, step.trim_end(), left, result)
    };
    trap(name, by(right), by(wrong))
}

/// Every rule that has something to look at.
pub(super) fn rules() -> Vec<Trap> {
    let mut all = guards();
    all.extend(accesses());
    all.extend(sums());
    all.extend(exchanges());
    all.extend(onehot());
    all.extend(operations());
    all.extend(unclosed());
    all.extend(structure());
    all
}

/// Guards and selections.
fn guards() -> Vec<Trap> {
    // 1 <= 1 holds, and 1 < 1 does not.
    let literal = "p5 le i3 i3\np6 lt i3 i3\nt10 guard p5 t1\nt11 guard p6 t1
                   t12 select p5 t1 t0\nt13 select p6 t1 t0\nt14 prim add t11 t4\nt15 prim add t10 t4\nt16 prim add t4 t11\nt17 prim add t4 t10";
    let pushed = "t10 prim add t4 t1\nt11 guard p0 t10\nt12 guard p0 t4\nt13 guard p0 t1\nt14 prim add t12 t13\nt15 prim add t12 t1
                  t16 guard p0 t0\nt17 sum l0 i1 t1\nt18 guard p0 t17\nt19 sum l0 i1 t13\nt20 guard p0 t9\nt21 gen l0 i0 t13
                  p5 and p0 p1\nt22 guard p0 t13\nt23 guard p1 t1\nt24 guard p0 t23\nt25 guard p5 t1";
    let monoid = "laws add_0_l\nrounding bitwise";
    let zero = |side: &str| format!("laws add_0_{side}\nrounding finite");
    vec![
        uses(
            "a guard that is false",
            NO_LAWS,
            literal,
            ("guard_true", "t10", "t1", "c0"),
            ("guard_true", "t11", "t1", "c0"),
        ),
        uses(
            "the side not taken",
            NO_LAWS,
            literal,
            ("select_true", "t12", "t1", "c0"),
            ("select_true", "t13", "t1", "c0"),
        ),
        uses(
            "the other side not taken",
            NO_LAWS,
            literal,
            ("select_false", "t13", "t0", "c0"),
            ("select_false", "t12", "t0", "c0"),
        ),
        uses(
            "a true guard as zero",
            &zero("l"),
            literal,
            ("add_zero_l", "t14", "t4", "c0"),
            ("add_zero_l", "t15", "t4", "c0"),
        ),
        uses(
            "a true guard as zero, on the right",
            &zero("r"),
            literal,
            ("add_zero_r", "t16", "t4", "c0"),
            ("add_zero_r", "t17", "t4", "c0"),
        ),
        uses(
            "a guarded number as zero",
            NO_LAWS,
            pushed,
            ("guard_zero", "t16", "t0", ""),
            ("guard_zero", "t13", "t1", ""),
        ),
        uses(
            "one guard of two",
            NO_LAWS,
            pushed,
            ("guard_and", "t24", "t25", ""),
            ("guard_and", "t24", "t23", ""),
        ),
        uses(
            "one operand guarded of two",
            monoid,
            pushed,
            ("guard_add", "t11", "t14", ""),
            ("guard_add", "t11", "t15", ""),
        ),
        uses(
            "a guard that a sum loses",
            monoid,
            pushed,
            ("guard_sum", "t18", "t19", ""),
            ("guard_sum", "t18", "t17", ""),
        ),
        uses(
            "a guard that a loop loses",
            NO_LAWS,
            pushed,
            ("guard_gen", "t20", "t21", ""),
            ("guard_gen", "t20", "t9", ""),
        ),
    ]
}

/// Rows of loops, operations and what stands around them.
fn accesses() -> Vec<Trap> {
    // (gen i<1. i)[k], which is 0 for every k; exp of it is 1 in range and 0 outside.
    let rows = |k: &str| {
        format!(
            "i8 lit -1\nt10 gen l0 i3 t7\nt11 get t10 i2\nt12 index f32 a0 i2\nt13 get t10 {k}\nt14 index f32 a0 {k}"
        )
    };
    let pointwise = "t10 gen l0 i3 t0\nt11 prim exp t10\nt12 get t11 i2\nt13 get t10 i2\nt14 prim exp t13
                     t15 get t11 i3\nt16 get t10 i3\nt17 prim exp t16\nt18 view a1 t10\nt19 get t18 i2\nt20 view a1 t13
                     t21 get t18 i3\nt22 view a1 t16";
    let inside = "t10 guard p0 t2\nt11 get t10 i1\nt12 get t2 i1\nt13 guard p0 t12\nt14 select p0 t2 t3\nt15 get t14 i1
                  t16 get t3 i1\nt17 select p0 t12 t16\nt18 select p0 t16 t12\nt19 sum l0 i1 t2\nt20 get t19 i1\nt21 sum l0 i1 t12
                  p5 le i2 i1\np6 lt i1 i0\np7 and p5 p6\nt22 guard p7 t12\np8 le i3 i1\np9 and p8 p6\nt23 guard p9 t12";
    // (gen i<2. i + (N - 1))[1] is N, and (gen i<2. i + (N - 2))[1] is not.
    let shifted = "i8 sub i0 i3\ni9 add i5 i8\nt10 index f32 a0 i9\nt11 gen l0 i4 t10\nt12 get t11 i3
                   i10 sub i0 i4\ni11 add i5 i10\nt13 index f32 a0 i11\nt14 gen l0 i4 t13\nt15 get t14 i3";
    let range = |name, k| {
        uses(name, NO_LAWS, &rows(k), ("access_gen", "t11", "t12", "c1"), ("access_gen", "t13", "t14", "c1"))
    };
    vec![
        uses(
            "a number less another, and more a third",
            NO_LAWS,
            shifted,
            ("access_gen", "t12", "t5", "c1"),
            ("access_gen", "t15", "t5", "c1"),
        ),
        range("a row after the last", "i3"),
        range("a row before the first", "i8"),
        uses(
            "an operation on a row that is not there",
            NO_LAWS,
            pointwise,
            ("get_prim", "t12", "t14", "c1"),
            ("get_prim", "t15", "t17", "c1"),
        ),
        uses(
            "a view of a row that is not there",
            NO_LAWS,
            pointwise,
            ("get_view", "t19", "t20", "c1"),
            ("get_view", "t21", "t22", "c1"),
        ),
        uses(
            "a row that loses its guard",
            NO_LAWS,
            inside,
            ("get_guard", "t11", "t13", ""),
            ("get_guard", "t11", "t12", ""),
        ),
        uses(
            "a row of the other side",
            NO_LAWS,
            inside,
            ("get_select", "t15", "t17", ""),
            ("get_select", "t15", "t18", ""),
        ),
        uses(
            "a row of one term of a sum",
            "laws add_0_l\nrounding bitwise",
            inside,
            ("get_sum", "t20", "t21", ""),
            ("get_sum", "t20", "t12", ""),
        ),
        uses(
            "a row that is taken for zero",
            NO_LAWS,
            inside,
            ("access_guard", "t12", "t22", ""),
            ("access_guard", "t12", "t23", ""),
        ),
        uses(
            "a loop over another extent",
            NO_LAWS,
            "t10 gen l0 i1 t8\nt11 gen l0 i0 t8",
            ("gen_eta l0", "t2", "t11", ""),
            ("gen_eta l0", "t2", "t10", ""),
        ),
    ]
}

/// Sums whose extents are not what a rule asks.
fn sums() -> Vec<Trap> {
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
    ]
}

/// Sums and products of two operands.
fn operations() -> Vec<Trap> {
    let lines = "t10 prim add t4 t1\nt11 prim mul t4 t1\nt12 prim add t1 t4\nt13 prim mul t1 t4\nt14 prim add t4 t0\nt15 prim add t0 t4
                 t16 prim add t10 t5\nt17 prim add t1 t5\nt18 prim add t4 t17\nt19 prim mul t11 t5\nt20 prim mul t1 t5\nt21 prim mul t4 t20
                 t22 prim add t11 t5\nt23 prim mul t10 t5\nt24 prim mul t0 t4\nt25 prim mul t4 t0
                 t26 guard p0 t4\nt27 prim mul t26 t5\nt28 prim mul t4 t5\nt29 guard p0 t28\nt30 prim add t26 t5\nt31 prim add t4 t5\nt32 guard p0 t31
                 t33 prim mul t5 t26\nt34 prim mul t5 t4\nt35 guard p0 t34\nt36 prim add t5 t26\nt37 prim add t5 t4\nt38 guard p0 t37";
    let sums = "t39 sum l0 i0 t7\nt40 prim mul t4 t39\nt41 prim mul t4 t7\nt42 sum l0 i0 t41\nt43 prim add t4 t39\nt44 prim add t4 t7\nt45 sum l0 i0 t44
                t46 prim mul t39 t4\nt47 prim mul t7 t4\nt48 sum l0 i0 t47\nt49 prim add t39 t4\nt50 prim add t7 t4\nt51 sum l0 i0 t50
                t52 prim mul t5 t10\nt53 prim mul t5 t1\nt54 prim add t34 t53\nt55 prim add t5 t10\nt56 prim add t5 t1\nt57 prim add t37 t56
                t58 prim add t28 t20\nt59 prim add t31 t17";
    let lines = &format!("{lines}\n{sums}");
    let of = |name, law: &str, rounding: &str, right: Use, wrong: Use| {
        uses(name, &format!("laws {law}\nrounding {rounding}"), lines, right, wrong)
    };
    vec![
        of(
            "a product commuted by the law of sums",
            "add_comm",
            "finite",
            ("add_comm", "t10", "t12", ""),
            ("add_comm", "t11", "t13", ""),
        ),
        of(
            "a sum commuted by the law of products",
            "mul_comm",
            "finite",
            ("mul_comm", "t11", "t13", ""),
            ("mul_comm", "t10", "t12", ""),
        ),
        of(
            "a product regrouped by the law of sums",
            "add_assoc",
            "real",
            ("add_assoc", "t16", "t18", ""),
            ("add_assoc", "t19", "t21", ""),
        ),
        of(
            "a sum regrouped by the law of products",
            "mul_assoc",
            "real",
            ("mul_assoc", "t19", "t21", ""),
            ("mul_assoc", "t16", "t18", ""),
        ),
        of(
            "a product regrouped with a sum",
            "add_assoc",
            "real",
            ("add_assoc", "t16", "t18", ""),
            ("add_assoc", "t22", "t18", ""),
        ),
        of(
            "a sum regrouped with a product",
            "mul_assoc",
            "real",
            ("mul_assoc", "t19", "t21", ""),
            ("mul_assoc", "t23", "t21", ""),
        ),
        of(
            "one as the zero of a sum",
            "add_0_l",
            "finite",
            ("add_zero_l", "t15", "t4", ""),
            ("add_zero_l", "t12", "t4", ""),
        ),
        of(
            "one as the zero of a sum, on the right",
            "add_0_r",
            "finite",
            ("add_zero_r", "t14", "t4", ""),
            ("add_zero_r", "t10", "t4", ""),
        ),
        of(
            "a zero on the right by the law of the left",
            "add_0_l",
            "finite",
            ("add_zero_l", "t15", "t4", ""),
            ("add_zero_l", "t14", "t4", ""),
        ),
        of(
            "a zero on the left by the law of the right",
            "add_0_r",
            "finite",
            ("add_zero_r", "t14", "t4", ""),
            ("add_zero_r", "t15", "t4", ""),
        ),
        of(
            "a product with zero as its other factor",
            "add_0_l",
            "finite",
            ("add_zero_l", "t15", "t4", ""),
            ("add_zero_l", "t24", "t4", ""),
        ),
        of(
            "a product with zero as its first factor",
            "add_0_r",
            "finite",
            ("add_zero_r", "t14", "t4", ""),
            ("add_zero_r", "t25", "t4", ""),
        ),
        of(
            "a product with zero as one with one",
            "mul_1_l",
            "finite",
            ("mul_one_l", "t13", "t4", ""),
            ("mul_one_l", "t24", "t4", ""),
        ),
        of(
            "a product with zero as one with one, on the right",
            "mul_1_r",
            "finite",
            ("mul_one_r", "t11", "t4", ""),
            ("mul_one_r", "t25", "t4", ""),
        ),
        of(
            "one and a term as a product",
            "mul_1_l",
            "finite",
            ("mul_one_l", "t13", "t4", ""),
            ("mul_one_l", "t12", "t4", ""),
        ),
        of(
            "a term and one as a product",
            "mul_1_r",
            "finite",
            ("mul_one_r", "t11", "t4", ""),
            ("mul_one_r", "t10", "t4", ""),
        ),
        of(
            "a sum of a guarded term as guarded",
            "mul_0_l",
            "finite",
            ("guard_mul_l", "t27", "t29", ""),
            ("guard_mul_l", "t30", "t32", ""),
        ),
        of(
            "a sum with a guarded term as guarded",
            "mul_0_r",
            "finite",
            ("guard_mul_r", "t33", "t35", ""),
            ("guard_mul_r", "t36", "t38", ""),
        ),
        of(
            "a term added to a sum as to each of its terms",
            "mul_0_r distr_l",
            "real",
            ("mul_sum_l", "t40", "t42", ""),
            ("mul_sum_l", "t43", "t45", ""),
        ),
        of(
            "a sum added to a term as each of its terms",
            "mul_0_l distr_r",
            "real",
            ("mul_sum_r", "t46", "t48", ""),
            ("mul_sum_r", "t49", "t51", ""),
        ),
        of(
            "addition distributed over addition",
            "distr_l",
            "real",
            ("distr_l", "t52", "t54", ""),
            ("distr_l", "t55", "t57", ""),
        ),
        of(
            "addition distributed over addition, on the right",
            "distr_r",
            "real",
            ("distr_r", "t23", "t58", ""),
            ("distr_r", "t16", "t59", ""),
        ),
    ]
}

/// A definition that speaks of a loop is not what it was when the loop is split: `sum i<2. d` after 1.
fn unclosed() -> Vec<Trap> {
    let split = |name, parameters: &str, wrong: &str| {
        let with = |body: &str| {
            let lines = format!(
                "t10 {body}\nd0 \"d\" {parameters} 0 t10\nt11 op d0 {parameters} {}0\n",
                "i2 ".repeat(parameters.parse().unwrap_or(0))
            ) + "t12 sum l0 i4 t11\nt13 sum l0 i3 t11\nt14 prim add t13 t13\ns0 rule sum_split i3 t12 c1";
            claimed(MONOID, &lines, "t12", "t14")
        };
        trap(name, with("prim neg t1"), with(wrong))
    };
    vec![
        split("a definition that is bound to a loop", "0", "prim neg t7"),
        split("a definition on the index of a loop", "0", "index f32 a0 i7"),
        split("a definition with parameters, on the index of a loop", "5", "index f32 a0 i7"),
    ]
}

/// Variables, definitions, views, contradictions.
fn structure() -> Vec<Trap> {
    let lets = "t10 bound 0\nt11 bound 1\nt12 prim add t11 t7\nt13 sum l0 i0 t12\nt14 let l0 t5 t13\nt15 prim add t5 t7\nt16 sum l0 i0 t15\nt17 prim add t7 t7\nt18 sum l0 i0 t17";
    let calls = "d0 \"first\" 2 0 t5\nt10 op d0 2 i1 i0 0\nd1 \"extent\" 0 1 1 t5\nt11 gen l0 i1 t1\nt12 op d1 0 1 t11
                 t13 free 0\nd2 \"itself\" 0 1 0 t13\nt14 op d2 0 1 t4";
    let views = "t10 view a1 t4\nt11 view a2 t10\nt12 view a2 t4\nt13 view a0 t4\nt14 view a1 t9\nt15 view a1 t1\nt16 gen l0 i0 t15";

    vec![
        uses(
            "a tensor for the index of a loop",
            NO_LAWS,
            lets,
            ("let_inline", "t14", "t16", ""),
            ("let_inline", "t14", "t18", ""),
        ),
        uses(
            "an operator's extent",
            NO_LAWS,
            calls,
            ("unfold", "t12", "t6", ""),
            ("unfold", "t12", "t5", ""),
        ),
        uses(
            "an operator's tensor",
            NO_LAWS,
            calls,
            ("unfold", "t14", "t4", ""),
            ("unfold", "t14", "t1", ""),
        ),
        uses(
            "an operator's other argument",
            NO_LAWS,
            calls,
            ("unfold", "t10", "t6", ""),
            ("unfold", "t10", "t5", ""),
        ),
        uses(
            "a view of another algebra as none",
            NO_LAWS,
            views,
            ("view_same", "t13", "t4", ""),
            ("view_same", "t10", "t4", ""),
        ),
        uses(
            "the inner of two views",
            NO_LAWS,
            views,
            ("view_view", "t11", "t12", ""),
            ("view_view", "t11", "t10", ""),
        ),
        uses(
            "a view that a loop loses",
            NO_LAWS,
            views,
            ("view_gen", "t14", "t16", ""),
            ("view_gen", "t14", "t9", ""),
        ),
    ]
}
