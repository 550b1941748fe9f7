//! `shear(e)`: the diagonals of a matrix as rows, padded on the right.
//!
//! **Statement.** With diagonal `d = j - i + n - 1` and `r = min(i, j)`, `shear(e)[d, r] = e[i, j]`, that is
//! `shear(e)[d, r] = [r < len(d)] * e[max(0, n-1-d) + r, max(0, d-n+1) + r]`, where
//! `len(d) = min(min(d + 1, n), min(m, n + m - 1 - d))`. A tensor of `n, m, ..` becomes `n + m - 1, min(n, m), ..`.
//! **Requires.** `0 < n`, `0 < m`: an empty matrix has no diagonals, and `n + m - 1` would be negative.
//! **Fails when.** An extent may be zero.
//! **Example.** Of `[[1, 2], [3, 4]]`: the rows `[3, 0]`, `[1, 4]`, `[2, 0]`.
//! **See also.** `unshear(n, m, shear(e)) = e`.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "shear",
    summary: "lays the diagonals of a matrix out as rows",
    index_params: &[],
    tensor_params: &[&["n", "m"]],
    requires: |_, d| Pred::and(Pred::lt(Ix::ZERO, d[0].clone()), Pred::lt(Ix::ZERO, d[1].clone())),
    extents: |_, d| vec![d[0].clone() + d[1].clone() - Ix::ONE, Ix::min(d[0].clone(), d[1].clone())],
    gather: |_, e, l, _| {
        let (n, m, d, r) = (&e[0], &e[1], &l[0], &l[1]);
        Gather { cond: Pred::lt(r.clone(), length(n, m, d)), rho: position(n, d, r) }
    },
    scatter: |_, e, w, _| diagonal(&e[0], &w[0], &w[1]),
    drops: false,
    inverse: Some("unshear"),
    definition: || DEFINITION.clone(),
};

/// The length of diagonal `d` of an `n` by `m` matrix.
pub(crate) fn length(n: &Ix, m: &Ix, d: &Ix) -> Ix {
    Ix::min(
        Ix::min(d.clone() + Ix::ONE, n.clone()),
        Ix::min(m.clone(), n.clone() + m.clone() - Ix::ONE - d.clone()),
    )
}

/// Where the entry number `r` of diagonal `d` stands in a matrix of `n` rows.
pub(crate) fn position(n: &Ix, d: &Ix, r: &Ix) -> Vec<Ix> {
    vec![
        Ix::max(Ix::ZERO, n.clone() - Ix::ONE - d.clone()) + r.clone(),
        Ix::max(Ix::ZERO, d.clone() - n.clone() + Ix::ONE) + r.clone(),
    ]
}

/// The diagonal, and the number in it, of the entry `i, j` of a matrix of `n` rows.
pub(crate) fn diagonal(n: &Ix, i: &Ix, j: &Ix) -> Vec<Ix> {
    vec![j.clone() - i.clone() + n.clone() - Ix::ONE, Ix::min(i.clone(), j.clone())]
}
