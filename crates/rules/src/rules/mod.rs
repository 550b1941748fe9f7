//! The derived theorems, one file each. To add one: its file, and its line here.

use crate::derived::Derived;

pub mod flatten_split;
pub mod gen_split_at;
pub mod guard_false;
pub mod guard_inward;
pub mod interchange;
pub mod let_bind;
pub mod pad_trunc;
pub mod select_same;
pub mod split_gen;
pub mod split_sum;
pub mod transpose_invol;

/// Every derived theorem, sorted by file name.
pub static TABLE: &[&Derived] = &[
    &flatten_split::RULE,
    &gen_split_at::RULE,
    &guard_false::RULE,
    &guard_inward::RULE,
    &interchange::RULE,
    &let_bind::RULE,
    &pad_trunc::LEFT,
    &pad_trunc::RIGHT,
    &select_same::RULE,
    &split_gen::RULE,
    &split_sum::RULE,
    &transpose_invol::RULE,
];
