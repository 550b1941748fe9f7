//! `iterate_tile`: rounds in blocks.
//!
//! **Statement.** `iterate t < q * k from x = e { s(t, x) } = iterate u < q from x = e { iterate t < k from
//! x = x { s(u * k + t, x) } }`, for one state, and any value of the last one.
//! **Requires.** As many rounds as the blocks have, `0 <= q`, `0 <= k`.
//! **Fails when.** The blocks have another number of rounds together, or there are several states, each of
//! which would have blocks of its own.
//! **Example.** With `q = 2, k = 2`, four rounds are twice two.
//! **See also.** `iterate_split`, for what is left; the directives `split` and `unroll`.

use crate::derived::{Derived, Example};
use crate::rounds::tile;

/// See the module.
pub static RULE: Derived = Derived {
    name: "iterate_tile",
    statement: "iterate t<q*k from x = e { s(t) }  =  iterate u<q from x = e { iterate t<k from x = x { s(u*k+t) } }",
    requires: "0 <= q, 0 <= k; one state",
    args: &["q", "k"],
    example: Example {
        program: "fn f(x: f32[N], c: f32[4]) -> f32[N] { iterate t < 4 from y = x { gen i < N { y[i] * c[t] + y?[i - 1] } } }",
        args: &[2, 2],
    },
    rewrite: |cx, e, args| tile(cx, e, &args[0], &args[1]),
    inverse: None,
};
