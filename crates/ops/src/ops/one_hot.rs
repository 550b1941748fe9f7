//! `one_hot(n, i, e)`: `n` slices that are zeros, but for the one at `i`, which is `e`.
//!
//! **Statement.** `one_hot(n, i, e)[c] = [c == i] * e`; `..` becomes `n, ..`.
//! **Requires.** `0 <= i < n`.
//! **Fails when.** `i` may be out of range.
//! **Example.** `sum p < K { one_hot(N, at[p], x[p]) }` scatters: it adds each `x[p]` at `at[p]`, and lowering stores just there.
//! **See also.** `scatter_intro`, which makes it of `gen c < N { sum p < K { [c == at[p]] * x[p] } }`.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Pred};
use std::sync::{Arc, LazyLock};

static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&OPERATOR));

/// See the module.
pub static OPERATOR: Operator = Operator {
    name: "one_hot",
    summary: "puts a slice at one index, and zeros at the others",
    index_params: &["n", "i"],
    tensor_params: &[&[]],
    requires: |x, _| Pred::in_range(&x[1], &x[0]),
    extents: |x, _| vec![x[0].clone()],
    gather: |x, _, l, _| Gather { cond: Pred::eq(l[0].clone(), x[1].clone()), rho: vec![] },
    scatter: |x, _, _, _| vec![x[1].clone()],
    drops: false,
    inverse: None,
    definition: || DEFINITION.clone(),
};
