//! `iterate_unroll`: a literal number of rounds, each a `let`.
//!
//! **Statement.** `iterate t < 2 from x = e { s(t, x) } in b = let x = e; let x = s(0, x); let x = s(1, x);
//! b`, and so for every literal number of rounds and any states.
//! **Requires.** Nothing.
//! **Fails when.** The number of rounds is not a literal.
//! **Example.** Two rounds of a stencil are two stencils.
//! **See also.** `iterate_last`, the primitive; the directive `unroll`.

use crate::derived::{Derived, Example};
use crate::rounds::written_out;

/// See the module.
pub static RULE: Derived = Derived {
    name: "iterate_unroll",
    statement: "iterate t<2 from x = e { s(t) } in b  =  let x = e; let x = s(0); let x = s(1); b",
    requires: "a literal number of rounds",
    args: &[],
    example: Example {
        program: "fn f(x: f32[N], c: f32) -> f32[N] { iterate t < 3 from y = x, z = c { gen i < N { y[i] * z + y?[i - 1] }, z + c } in y }",
        args: &[],
    },
    rewrite: |cx, e, _| written_out(cx, e),
    inverse: None,
};
