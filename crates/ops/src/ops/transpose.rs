//! `transpose`: swap the two outer dimensions.
//!
//! **Statement.** `transpose(e)[j, i] = e[i, j]`; a tensor of `n, m, ..` becomes one of `m, n, ..`.
//! **Requires.** Nothing.
//! **Fails when.** The operand has fewer than two dimensions.
//! **Example.** `transpose(gen i < n, j < m { a[i, j] })` is `gen j < m, i < n { a[i, j] }`.
//! **See also.** Its own inverse: `transpose(transpose(e)) = e`.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "transpose",
    summary: "swaps the two outer dimensions",
    index_params: &[],
    tensor_params: &[&["n", "m"]],
    requires: |_, _| Pred::True,
    extents: |_, d| vec![d[1].clone(), d[0].clone()],
    gather: |_, _, l, _| Gather { cond: Pred::True, rho: vec![l[1].clone(), l[0].clone()] },
    scatter: |_, _, w, _| vec![w[1].clone(), w[0].clone()],
    drops: false,
    inverse: Some("transpose"),
    definition: || DEFINITION.clone(),
};
