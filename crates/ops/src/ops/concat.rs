//! `a ++ b`: one after the other along the outer dimension.
//!
//! **Statement.** `(a ++ b)[i] = select(i < n, a[i], b[i - n])`; `n, ..` and `m, ..` become `n + m, ..`.
//! The definition selects, where the literature adds two guarded terms: so it needs no law of the algebra,
//! and is exact in floating point.
//! **Requires.** `0 <= n`, `0 <= m`; the other extents agree.
//! **Fails when.** The operands differ in rank, element type or inner extents.
//! **Example.** `(gen i < k { a[i] }) ++ (gen i < n - k { a[i + k] })` is `gen i < n { a[i] }` if `0 <= k <= n`.
//! **See also.** The directive `peel`, which introduces it.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "concat",
    summary: "puts one tensor after the other along the outer dimension",
    index_params: &[],
    tensor_params: &[&["n"], &["m"]],
    requires: |_, d| Pred::and(Pred::le(Ix::ZERO, d[0].clone()), Pred::le(Ix::ZERO, d[1].clone())),
    extents: |_, d| vec![d[0].clone() + d[1].clone()],
    gather: |_, d, l, k| match k {
        0 => Gather { cond: Pred::lt(l[0].clone(), d[0].clone()), rho: vec![l[0].clone()] },
        _ => Gather { cond: Pred::le(d[0].clone(), l[0].clone()), rho: vec![l[0].clone() - d[0].clone()] },
    },
    scatter: |_, d, w, k| match k {
        0 => vec![w[0].clone()],
        _ => vec![w[0].clone() + d[0].clone()],
    },
    drops: false,
    inverse: None,
    definition: || DEFINITION.clone(),
};
