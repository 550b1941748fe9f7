//! `trunc_l(k, e)`: drop the first `k` of the outer dimension.
//!
//! **Statement.** `trunc_l(k, e)[i] = e[i + k]`; `n, ..` becomes `n - k, ..`.
//! **Requires.** `0 <= k <= n`. To be lowered, what is dropped must be padding.
//! **Fails when.** `k` may exceed the extent.
//! **Example.** `trunc_l(1, gen i < n + 1 { [1 <= i] * a[i - 1] })` is `gen i < n { a[i] }`.
//! **See also.** `pad_l`.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "trunc_l",
    summary: "drops the first entries of the outer dimension",
    index_params: &["k"],
    tensor_params: &[&["n"]],
    requires: |x, d| Pred::and(Pred::le(Ix::ZERO, x[0].clone()), Pred::le(x[0].clone(), d[0].clone())),
    extents: |x, d| vec![d[0].clone() - x[0].clone()],
    gather: |x, _, l, _| Gather { cond: Pred::True, rho: vec![l[0].clone() + x[0].clone()] },
    scatter: |x, _, w, _| vec![w[0].clone() - x[0].clone()],
    drops: true,
    inverse: None,
    definition: || DEFINITION.clone(),
};
