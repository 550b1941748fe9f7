//! Primitive rules where they do not apply: a term of nearly their form, a side condition that nearly holds, a law of
//! another operation.
//!
//! Side conditions are on literals, so that one certificate fits both files: it proves the true one and no other.

use super::{NO_LAWS, Trap, claimed, trap};

pub(super) const MONOID: &str = "laws add_0_l add_0_r add_assoc\nrounding real";

/// A use of a rule: its name and arguments, the term, what the rule should make of it, certificates.
pub(super) type Use<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Two uses of rules over these lines, of which the second is wrong.
pub(super) fn uses(name: &'static str, trust: &str, lines: &str, right: Use, wrong: Use) -> Trap {
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
    all.extend(unclosed());
    all.extend(structure());
    all
}

/// Guards and selections.
fn guards() -> Vec<Trap> {
    // 1 <= 1 holds, and 1 < 1 does not.
    let literal = "p5 le i3 i3\np6 lt i3 i3\nt10 guard p5 t1\nt11 guard p6 t1
                   t12 select p5 t1 t0\nt13 select p6 t1 t0\nt14 prim add t11 t4\nt15 prim add t10 t4\nt16 prim add t4 t11\nt17 prim add t4 t10
                   t18 guard p3 t1\nt19 prim add t18 t4\nt20 guard p4 t1\nt21 prim add t20 t4";
    let pushed = "t10 prim add t4 t1\nt11 guard p0 t10\nt12 guard p0 t4\nt13 guard p0 t1\nt14 prim add t12 t13\nt15 prim add t12 t1
                  t16 guard p0 t0\nt17 sum l0 i1 t1\nt18 guard p0 t17\nt19 sum l0 i1 t13\nt20 guard p0 t9\nt21 gen l0 i0 t13
                  p5 and p0 p1\nt22 guard p0 t13\nt23 guard p1 t1\nt24 guard p0 t23\nt25 guard p5 t1
                  t26 prim mul t4 t1\nt27 guard p0 t26";
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
            "what is guarded by `true` as zero",
            &zero("l"),
            literal,
            ("add_zero_l", "t21", "t4", "c0"),
            ("add_zero_l", "t19", "t4", "c0"),
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
            "a guarded product as a sum",
            monoid,
            pushed,
            ("guard_add", "t11", "t14", ""),
            ("guard_add", "t27", "t14", ""),
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
    let twice = |body: &str| {
        let lines = format!("t10 {body}\nd0 \"d\" 0 0 t10\nt11 op d0 0 0\nt12 sum l0 i4 t11\nt13 sum l0 i4 t12\nt14 sum l0 i3 t12
                             t15 prim add t14 t14\ns0 rule sum_split i3 t13 c1");
        claimed(MONOID, &lines, "t13", "t15")
    };
    let nested = trap(
        "a definition that is bound to the outer of two loops",
        twice("prim neg t1"),
        twice("index f32 a0 i6"),
    );
    vec![
        nested,
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
