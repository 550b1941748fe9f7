//! `iterate_fuse`: rounds of states that do not read each other, at once.
//!
//! **Statement.** `iterate t < n from x = e { s(t, x) } in (iterate t < n from y = d { r(t, y) } in b(x, y))
//! = iterate t < n from x = e, y = d { s(t, x), r(t, y) } in b(x, y)`, of any number of states.
//! **Requires.** `0 <= n`, and the second rounds do not read `x`. No law: every bit is kept.
//! **Fails when.** They are not as many rounds, `n` may be negative, or an index reads a state.
//! **Example.** The least and the greatest numbers of rows so far: each row is read once for both.
//! **See also.** `iterate_body`, `sum_as_iterate`; the directives `fuse` and `fission`.

use crate::derived::{Derived, Example, Inverse};
use crate::scans::{groups, rounds_apart, rounds_joined};

/// See the module.
pub static RULE: Derived = Derived {
    name: "iterate_fuse",
    statement: "iterate t<n from x = e { s(t, x) } in (iterate t<n from y = d { r(t, y) } in b)  =  iterate t<n from x = e, y = d { s(t, x), r(t, y) } in b",
    requires: "0 <= n; d and r do not read x",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], k: f32) -> f32 { iterate t < N from y = k { y * x[t] } in iterate u < N from z = k, w = k * k { w + x[u], max(z, w) } in y + z }",
        args: &[],
    },
    rewrite: |cx, e, _| rounds_joined(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| rounds_apart(cx, e, &groups(e)))),
};
