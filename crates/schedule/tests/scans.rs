//! Scans in blocks: what each step proves, and which laws it takes.

use crate::steps::check;
use atl_kernel::Rounding;

/// The scan `body` of `x` and `a` under `split t by` this number, and more steps: its class, and the laws that it takes.
fn split(body: &str, by: &str, class: Rounding, laws: &str) {
    let params = "x: f64[N], a: f64[N]";
    let done = check(&format!(
        "fn f({params}) -> f64[N] {{ {body} }} schedule s of f {{ rounding real; split t by {by}; }}"
    ));
    assert_eq!((done.thm.rounding(), done.thm.laws().to_string()), (class, laws.to_owned()), "{body}");
}

const SUMS: &str = "add_0_r, add_assoc";
const MULTIPLES: &str =
    "add_0_l, add_0_r, add_comm, add_assoc, mul_0_l, mul_1_l, mul_assoc, distr_l, distr_r";

#[test]
fn sums_of_beginnings_take_no_more_than_the_laws_of_a_monoid() {
    for give in ["s", "s.old", "s - 0.5 * s.old", "x[t]"] {
        let scan = format!("scan t < N from s = 0.0 {{ s + x[t] }} give {give}");
        split(&scan, "8", Rounding::Real, SUMS);
    }
}

#[test]
fn filters_are_cut_into_blocks() {
    for filter in [
        "scan t < N from u = f64(0), v = f64(1) { x[t] + 0.5 * u + -0.3 * v, u } give u",
        "scan t < N from u = f64(0), v = f64(1) { x[t] - 0.5 * u - 0.3 * v, u } give u",
        "scan t < N from u = f64(0), v = f64(1) { a[t] * (u - v) - (x[t] - u), v - (u + x[t]) } give u - v",
        "scan t < N from u = f64(0), v = f64(1) { let n = x[t] + 0.5 * u + -0.3 * v; n, u } give n - v",
    ] {
        split(filter, "8", Rounding::Real, MULTIPLES);
    }
}

#[test]
fn blocks_of_rounds_run_side_by_side() {
    let sums = "scan t < N from s = 0.0 { s + x[t] } give s";
    split(sums, "64; rfactor t.o as part; parallel t.o; split t.i by 8", Rounding::Real, SUMS);
    let filter = "scan t < N from u = f64(0), v = f64(1) { x[t] + 0.5 * u + -0.3 * v, u } give u";
    let steps = "64; rfactor t.o as part; parallel t.o; split t.i by 8; split t.all by 8";
    split(filter, steps, Rounding::Real, MULTIPLES);
}

/// The scan of `x: elem[N]` under `split t by 8`: its class, and the monoid that it is a sum in.
fn joined(monoid: &str, elem: &str, scan: &str, class: Rounding, name: &str) {
    let done = check(&format!(
        "{monoid} fn f(x: {elem}[N]) -> {elem}[N] {{ scan t < N {scan} }} schedule s of f {{ rounding real; split t by 8; }}"
    ));
    let claims: Vec<_> = done.thm.claims().iter().map(|(m, laws)| (m.name().to_owned(), *laws)).collect();
    let groups = atl_kernel::Laws::ADD_ASSOC.and(atl_kernel::Laws::ADD_0_R);
    assert_eq!((done.thm.rounding(), claims), (class, vec![(name.to_owned(), groups)]), "{scan}");
    assert_eq!(done.thm.laws().to_string(), "none", "{scan}");
}

#[test]
fn greatest_numbers_so_far_are_cut_into_blocks() {
    let greatest = "from s = x?[0] { max(s, x[t]) } give s";
    joined("", "i64", greatest, Rounding::Bitwise, "max");
    joined("", "f32", greatest, Rounding::Finite, "max");
    joined(
        "",
        "f64",
        "from lo = f64(inf), hi = f64(-inf) { min(x[t], lo), max(hi, x[t]) } give hi - lo",
        Rounding::Finite,
        "min_max",
    );
    joined(
        "",
        "f64",
        "from s = f64(0), m = f64(0) { s + x[t], max(m, x[t]) } give s - m",
        Rounding::Real,
        "add_max",
    );
    joined("", "u8", "from s = u8(0) { s | x[t] } give s.old", Rounding::Bitwise, "bit_or");
}

#[test]
fn scans_in_a_monoid_of_the_program_are_cut_into_blocks() {
    let segmented = "monoid segmented on (starts: bool, s: f64) { zero (false, 0); \
        add (a.starts || b.starts, select(b.starts, b.s, a.s + b.s)); laws associative; }";
    let scan = "from starts = false, s = f64(0) { let new = x[t] > 1.0; starts || new, select(new, x[t], s + x[t]) } give s";
    joined(segmented, "f64", scan, Rounding::Real, "segmented");
}
