//! `split(k, e)`: cut the outer dimension into tiles of `k`, the last one padded with zeros.
//!
//! **Statement.** `split(k, e)[o, j] = [o*k + j < n] * e[o*k + j]`; `n, ..` becomes `ceil_div(n, k), k, ..`.
//! **Requires.** `0 < k`.
//! **Fails when.** `k` is not provably positive.
//! **Example.** `split(4, gen i < 10 { a[i] })` has three rows; the last holds `a[8], a[9], 0, 0`.
//! **See also.** `flatten`; `split(k, flatten(e)) = e` for `e` of `n, k, ..`.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "split",
    summary: "cuts the outer dimension into tiles, the last one padded",
    index_params: &["k"],
    tensor_params: &[&["n"]],
    requires: |x, _| Pred::lt(Ix::ZERO, x[0].clone()),
    extents: |x, d| vec![Ix::ceil_div(d[0].clone(), x[0].clone()), x[0].clone()],
    gather: |x, d, l, _| {
        let i = l[0].clone() * x[0].clone() + l[1].clone();
        Gather { cond: Pred::lt(i.clone(), d[0].clone()), rho: vec![i] }
    },
    scatter: |x, _, w, _| vec![w[0].clone() / x[0].clone(), w[0].clone() % x[0].clone()],
    drops: false,
    inverse: None,
    definition: || DEFINITION.clone(),
};
