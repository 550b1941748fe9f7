//! `flatten`: merge the two outer dimensions into one, row by row.
//!
//! **Statement.** `flatten(e)[i] = e[i / m, i % m]`; a tensor of `n, m, ..` becomes one of `n*m, ..`.
//! **Requires.** `0 <= n`, `0 <= m`: two negative extents have a positive product.
//! **Fails when.** The operand has fewer than two dimensions.
//! **Example.** `flatten(gen i < n, j < m { a[i, j] })` is `gen k < n*m { a[k / m, k % m] }`.
//! **See also.** `split`, which it undoes up to the last tile: `trunc_r(ceil_div(n, k)*k - n, flatten(split(k, e))) = e`.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "flatten",
    summary: "merges the two outer dimensions into one",
    index_params: &[],
    tensor_params: &[&["n", "m"]],
    requires: |_, d| Pred::and(Pred::le(Ix::ZERO, d[0].clone()), Pred::le(Ix::ZERO, d[1].clone())),
    extents: |_, d| vec![d[0].clone() * d[1].clone()],
    gather: |_, d, l, _| Gather {
        cond: Pred::True,
        rho: vec![l[0].clone() / d[1].clone(), l[0].clone() % d[1].clone()],
    },
    scatter: |_, d, w, _| vec![w[0].clone() * d[1].clone() + w[1].clone()],
    drops: false,
    inverse: None,
    definition: || DEFINITION.clone(),
};
