//! `transpose_invol`: transposing twice changes nothing.
//!
//! **Statement.** `e = transpose(transpose(e))` for `e` of `n, m, ..`.
//! **Requires.** Nothing.
//! **Fails when.** `e` has fewer than two dimensions.
//! **Example.** `gen i < n, j < m { a[i, j] }` becomes `transpose(transpose(gen i < n, j < m { a[i, j] }))`.
//! **See also.** `interchange`, which unfolds the inner one so that the loops change places.

use crate::cx::Cx;
use crate::derived::{Derived, Example};
use crate::gather::by_gather;
use atl_kernel::{Expr, Result, Thm};

/// See the module.
pub static RULE: Derived = Derived {
    name: "transpose_invol",
    statement: "e  =  transpose(transpose(e))",
    requires: "e has two dimensions or more",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N, M]) -> f32[N, M] { gen i < N, j < M { a[i, j] } }",
        args: &[],
    },
    rewrite: |cx, e, _| transpose_invol(cx, e),
    inverse: None,
};

/// The theorem for `e`.
pub fn transpose_invol(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    cx.instance(e, |t| (t.clone(), atl_ops::transpose(atl_ops::transpose(t.clone()))), by_gather)
}
