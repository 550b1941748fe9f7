//! `scan_from_starts`: the states before each round are a scan of their own, and what the rounds store is a
//! loop.
//!
//! **Statement.** `scan t < n from x = e { s(f(t), x) } give g(t, x.old) = let a = gen t < n { f(t) }; let
//! y = scan t < n from x = e { s(a[t], x) } give x.old; gen t < n { g(t, y[t]) }`, `f(t)` being the sums
//! and rounds in a step that read no state. What is stored may read new states, too, which are another
//! scan.
//! **Requires.** Rounds that store a value each, which reads nothing stored.
//! **Fails when.** The rounds are no scan.
//! **Example.** After `split t by k` of sums of beginnings, `f(t)` is the sum of a block.
//! **See also.** `scan_in_blocks`; the directive `rfactor`.

use crate::derived::{Derived, Example, no_match};
use crate::scans::{Scan, scan_from_starts};

/// See the module.
pub static RULE: Derived = Derived {
    name: "scan_from_starts",
    statement: "scan t<n from x { s(f(t), x) } give g(t, x.old)  =  let a = gen t<n. f(t); let y = scan t<n from x { s(a[t], x) } give x.old; gen t<n. g(t, y[t])",
    requires: "what is stored reads nothing stored",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N, M]) -> f32[N, M] { scan t < N from s = f32(0) { s + sum j < M { x[t, j] } } give gen j < M { x[t, j] * s.old } }",
        args: &[],
    },
    rewrite: |cx, e, _| match Scan::of(e) {
        Some(scan) => scan_from_starts(cx, e, &scan, "part"),
        None => no_match(RULE.name, "a scan", e),
    },
    inverse: None,
};
