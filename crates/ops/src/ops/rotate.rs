//! `rotate_3(e)`, `unrotate_3(e)`, and their kin for more dimensions: move one dimension past the others.
//!
//! **Statement.** `rotate_d(e)[x, i, .., j] = e[i, .., j, x]`: the dimension number `d` comes to the front, and
//! `unrotate_d(e)[i, .., j, x] = e[x, i, .., j]` takes it back. `transpose` is both for two dimensions.
//! **Requires.** Nothing.
//! **Fails when.** The operand has fewer than `d` dimensions.
//! **Example.** Of extents `n, m, k`: `rotate_3` gives `k, n, m`, and `unrotate_3` gives `m, k, n`.
//! **See also.** The directive `reorder`, which introduces them.

use crate::build::define;
use crate::operator::{Gather, Operator};
use atl_kernel::{Definition, Ix, Pred};
use std::sync::{Arc, LazyLock};

/// The last of several indices first.
fn last_first(l: &[Ix]) -> Vec<Ix> {
    let mut l = l.to_vec();
    l.rotate_right(1);
    l
}

/// The first of several indices last.
fn first_last(l: &[Ix]) -> Vec<Ix> {
    let mut l = l.to_vec();
    l.rotate_left(1);
    l
}

macro_rules! rotation {
    ($rotate:ident $rotate_name:literal $unrotate:ident $unrotate_name:literal $extents:expr) => {
        /// Brings the last of these dimensions to the front.
        pub static $rotate: Operator = Operator {
            name: $rotate_name,
            summary: "brings an inner dimension to the front",
            index_params: &[],
            tensor_params: &[$extents],
            requires: |_, _| Pred::True,
            extents: |_, d| last_first(d),
            gather: |_, _, l, _| Gather { cond: Pred::True, rho: first_last(l) },
            scatter: |_, _, w, _| last_first(w),
            drops: false,
            inverse: Some($unrotate_name),
            definition: || {
                static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&$rotate));
                DEFINITION.clone()
            },
        };

        /// Takes the front dimension behind the others.
        pub static $unrotate: Operator = Operator {
            name: $unrotate_name,
            summary: "takes the front dimension further in",
            index_params: &[],
            tensor_params: &[$extents],
            requires: |_, _| Pred::True,
            extents: |_, d| first_last(d),
            gather: |_, _, l, _| Gather { cond: Pred::True, rho: last_first(l) },
            scatter: |_, _, w, _| first_last(w),
            drops: false,
            inverse: Some($rotate_name),
            definition: || {
                static DEFINITION: LazyLock<Arc<Definition>> = LazyLock::new(|| define(&$unrotate));
                DEFINITION.clone()
            },
        };
    };
}

rotation!(ROTATE_3 "rotate_3" UNROTATE_3 "unrotate_3" &["a", "b", "c"]);
rotation!(ROTATE_4 "rotate_4" UNROTATE_4 "unrotate_4" &["a", "b", "c", "d"]);
rotation!(ROTATE_5 "rotate_5" UNROTATE_5 "unrotate_5" &["a", "b", "c", "d", "e"]);
rotation!(ROTATE_6 "rotate_6" UNROTATE_6 "unrotate_6" &["a", "b", "c", "d", "e", "f"]);
