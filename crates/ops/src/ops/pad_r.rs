//! `pad_r(k, e)`: `k` zeros after the outer dimension.
//!
//! **Statement.** `pad_r(k, e)[i] = [i < n] * e[i]`; `n, ..` becomes `n + k, ..`.
//! **Requires.** `0 <= k`.
//! **Fails when.** `k` may be negative.
//! **Example.** `pad_r(1, gen i < n { a[i] })` is `gen i < n + 1 { [i < n] * a[i] }`.
//! **See also.** `trunc_r(k, pad_r(k, e)) = e`.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "pad_r",
    summary: "puts zeros after the outer dimension",
    index_params: &["k"],
    tensor_params: &[&["n"]],
    requires: |x, _| Pred::le(Ix::ZERO, x[0].clone()),
    extents: |x, d| vec![d[0].clone() + x[0].clone()],
    gather: |_, d, l, _| Gather { cond: Pred::lt(l[0].clone(), d[0].clone()), rho: vec![l[0].clone()] },
    scatter: |_, _, w, _| vec![w[0].clone()],
    drops: false,
    inverse: Some("trunc_r"),
    definition: || DEFINITION.clone(),
};
