//! `unshear(n, m, e)`: a matrix of `n` by `m` from its diagonals.
//!
//! **Statement.** `unshear(n, m, e)[i, j] = e[j - i + n - 1, min(i, j)]`; the rows of `e` are diagonals as `shear`
//! lays them out.
//! **Requires.** `0 < n`, `0 < m`, and `e` of `n + m - 1, min(n, m), ..`. To be lowered, what lies beyond the end of a
//! diagonal must be padding.
//! **Fails when.** The extents are other than `shear` gives.
//! **Example.** `unshear(2, 2, shear(a))` is `a`.
//! **See also.** `shear`.

use super::shear::{diagonal, position};
use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "unshear",
    summary: "makes a matrix from its diagonals",
    index_params: &["n", "m"],
    tensor_params: &[&["d", "r"]],
    requires: |x, e| {
        let size = Pred::and(Pred::lt(Ix::ZERO, x[0].clone()), Pred::lt(Ix::ZERO, x[1].clone()));
        let rows = Pred::eq(e[0].clone(), x[0].clone() + x[1].clone() - Ix::ONE);
        Pred::and(size, Pred::and(rows, Pred::eq(e[1].clone(), Ix::min(x[0].clone(), x[1].clone()))))
    },
    extents: |x, _| x.to_vec(),
    gather: |x, _, l, _| Gather { cond: Pred::True, rho: diagonal(&x[0], &l[0], &l[1]) },
    scatter: |x, _, w, _| position(&x[0], &w[0], &w[1]),
    drops: true,
    inverse: None,
    definition: || DEFINITION.clone(),
};
