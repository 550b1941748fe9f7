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
