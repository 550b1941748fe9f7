//! Schedules that are chosen for rounds: greatest elements and their places, means and variances, sums of
//! exponentials, along each axis.

use super::auto::{chosen, compared};
use atl_backend_c::{Options, print_kernel};
use atl_driver::backends::{c, cranelift};
use atl_driver::{Program, Rounding};

/// The sizes about vectors and the blocks that are looked at together.
const SIZES: [i64; 11] = [0, 1, 2, 3, 7, 15, 16, 17, 63, 64, 65];

/// Each keeps every bit; and what the printed code has where the choice is known.
fn check(name: &str, result: &str, body: &str, parts: &[&str]) {
    let text = format!("fn f(x: {name}) -> {result} {{ {body} }}");
    let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}"));
    let under = chosen(&program, "f", "auto");
    assert_eq!(under.rounding(), Rounding::Bitwise);
    let lowered = under.lower().unwrap_or_else(|e| panic!("{e}"));
    let printed = print_kernel(&lowered.kernel, &Options::default()).expect("is well-formed").c;
    for part in parts {
        assert!(printed.contains(part), "no `{part}` in\n{text}\n{printed}");
    }
    let sizes: Vec<i64> = if name.contains(',') { SIZES.to_vec() } else { [&SIZES[..], &[257]].concat() };
    let calls = compared(&program, "f", &under, &sizes, &[&c::BACKEND, &cranelift::BACKEND]);
    assert!(calls >= 2 * sizes.len(), "{calls}");
}

/// The first of the greatest, and its place.
fn place(element: &str, start: &str, around: &str) -> String {
    let rounds = format!(
        "iterate t < N from v = {start}, at = i32(0) {{ \
         select({element} > v, {element}, v), select({element} > v, i32(t), at) }} in at"
    );
    around.replace("ROUNDS", &rounds)
}

/// Where few iterations change something, the others are passed by.
#[test]
fn what_seldom_changes_is_looked_for_in_vectors() {
    check("f32[N]", "i32", &place("x[t]", "f32(-inf)", "ROUNDS"), &["atl_none_i32x8"]);
    check("f64[N]", "i32", &place("x[t]", "f64(-inf)", "ROUNDS"), &["atl_none_i64x4"]);
    check("u8[N]", "i32", &place("x[t]", "u8(0)", "ROUNDS"), &["atl_none_i32x8"]);
    check("i16[N]", "i32", &place("x[t]", "i16(-32768)", "ROUNDS"), &["atl_none_i32x8"]);
    check("f32[M, N]", "i32[M]", &place("x[i, t]", "f32(-inf)", "gen i < M { ROUNDS }"), &["atl_none_i32x8"]);
    check("f32[N]", "f32", "max i < N { x[i] }", &["atl_none_i32x8"]);
    check("f64[N, M]", "f64", "min i < N, j < M { abs(x[i, j]) }", &["atl_none_i64x4"]);
    check("f32[N]", "bool", "any i < N { x[i] != x[i] }", &["atl_none_i32x8"]);
    check("f32[N]", "bool", "all i < N { x[i] < 3 }", &["atl_none_i32x8"]);
}

/// One pass along rows of memory for all columns, with their states in vectors.
#[test]
fn rounds_of_columns_are_side_by_side() {
    let largest = "gen j < M { iterate t < N from m = f32(-inf) { select(x[t, j] > m || x[t, j] != x[t, j], x[t, j], m) } }";
    check("f32[N, M]", "f32[M]", largest, &["atl_blend_f32x"]);
    let middle = largest.replace("gen j", "gen b < 3, j").replace("x[t, j]", "x[b, t, j]");
    check("f32[3, N, M]", "f32[3, M]", &middle, &["atl_blend_f32x"]);
    let span = format!("let top = {largest}; gen j < M {{ top[j] - min t < N {{ x[t, j] }} }}");
    check("f32[N, M]", "f32[M]", &span, &[]);
    for (scalar, start) in [("u8", "u8(0)"), ("i16", "i16(-32768)"), ("f64", "f64(-inf)")] {
        let rounds = place("x[t, j]", start, "gen j < M { ROUNDS }");
        check(&format!("{scalar}[N, M]"), "i32[M]", &rounds, &[]);
    }
    for (word, scalar, element) in [
        ("any", "bool", "x[t, j] > 1"),
        ("all", "bool", "x[t, j] < 2"),
        ("prod", "u8", "x[t, j]"),
        ("max", "u8", "x[t, j]"),
    ] {
        check(
            "u8[N, M]",
            &format!("{scalar}[M]"),
            &format!("gen j < M {{ {word} t < N {{ {element} }} }}"),
            &[],
        );
    }
}

/// A vector has the rounds of several rows, whose elements are read one by one.
#[test]
fn rounds_of_rows_are_lanes() {
    let welford = "iterate j < N from m = f64(0), r = f64(0) { \
                   m + (x[i, j] - m) / (f64(j) + 1), r + (x[i, j] - m) * (x[i, j] - m) * (f64(j) / (f64(j) + 1)) } in m + r";
    check(
        "f64[M, N]",
        "f64[M]",
        &format!("gen i < M {{ {welford} }}"),
        &["atl_strided_f64x", "atl_apart_f64_f64x"],
    );
    let sum = "iterate j < N from m = f32(-1000), s = f32(0) { \
               let top = max(m, x[i, j]); top, s * exp(m - top) + exp(x[i, j] - top) } in m + log(s)";
    check("f32[M, N]", "f32[M]", &format!("gen i < M {{ {sum} }}"), &["atl_strided_f32x"]);
}

/// Rounds that read a stored matrix by columns have a copy by columns, made once in front of them: its arrays
/// are no states.
#[test]
fn rounds_that_read_columns_have_a_copy() {
    let text = "fn f(A: f64[N, N] as csr, x: f64[N]) -> f64[N] {
        iterate t < 5 from r = x { gen i < N { max(0.25, sum j < N { A[j, i] * r[j] }) } }
    }";
    let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}"));
    let under = chosen(&program, "f", "auto");
    let script = &under.chosen.as_ref().expect("it is chosen").script;
    assert!(script.contains("repack A"), "{script}");
    assert!(compared(&program, "f", &under, &[0, 1, 2, 3, 7, 17, 65], &[&c::BACKEND]) >= 8);
}
