//! `pad_l(k, e)`: `k` zeros before the outer dimension.
//!
//! **Statement.** `pad_l(k, e)[i] = [k <= i] * e[i - k]`; `n, ..` becomes `n + k, ..`.
//! **Requires.** `0 <= k`.
//! **Fails when.** `k` may be negative.
//! **Example.** `pad_l(1, gen i < n { a[i] })` is `gen i < n + 1 { [1 <= i] * a[i - 1] }`.
//! **See also.** `trunc_l(k, pad_l(k, e)) = e`.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "pad_l",
    summary: "puts zeros before the outer dimension",
    index_params: &["k"],
    tensor_params: &[&["n"]],
    requires: |x, _| Pred::le(Ix::ZERO, x[0].clone()),
    extents: |x, d| vec![d[0].clone() + x[0].clone()],
    gather: |x, _, l, _| Gather {
        cond: Pred::le(x[0].clone(), l[0].clone()),
        rho: vec![l[0].clone() - x[0].clone()],
    },
    scatter: |x, _, w, _| vec![w[0].clone() + x[0].clone()],
    drops: false,
    inverse: Some("trunc_l"),
    definition: || DEFINITION.clone(),
};
