//! `iterate_split`: rounds in two parts.
//!
//! **Statement.** `iterate t < n from x = e { s(t, x) } in b = iterate t < n - k from x = (iterate t < k
//! from x = e { s(t, x) }) { s(k + t, x) } in b`; of several states each begins as it is after `k` rounds.
//! **Requires.** `0 <= k <= n`.
//! **Fails when.** `k` may be more than `n`, or an index reads a new state that a step shares.
//! **Example.** With `k = 1`, the first round is apart.
//! **See also.** `iterate_tile`; the directive `peel`.

use crate::derived::{Derived, Example};
use crate::rounds::split;

/// See the module.
pub static RULE: Derived = Derived {
    name: "iterate_split",
    statement: "iterate t<n from x = e { s(t) }  =  iterate t<n-k from x = (iterate t<k from x = e { s(t) }) { s(k+t) }",
    requires: "0 <= k <= n",
    args: &["k"],
    example: Example {
        program: "fn f(x: f32[N], k: f32) -> f32[N] where 2 <= N { iterate t < N from y = x, z = k { gen i < N { y[i] * x[t] + z }, z + x[t] } in y }",
        args: &[1],
    },
    rewrite: |cx, e, args| split(cx, e, &args[0]),
    inverse: None,
};
