//! The derived theorems, one file each. To add one: its file, and its line here.

use crate::derived::Derived;

pub mod flatten_split;
pub mod gen_split_at;
pub mod guard_complement;
pub mod guard_conjunction;
pub mod guard_false;
pub mod guard_inward;
pub mod guard_support;
pub mod interchange;
pub mod let_add_merge;
pub mod let_bind;
pub mod let_bind_all;
pub mod let_dup;
pub mod let_flip_apply;
pub mod let_guard_swap;
pub mod let_iso;
pub mod let_move_fn;
pub mod let_out_of;
pub mod pad_trunc;
pub mod select_same;
pub mod split_gen;
pub mod split_sum;
pub mod sum_of_zero;
pub mod transpose_invol;

/// Every derived theorem, sorted by file name.
pub static TABLE: &[&Derived] = &[
    &flatten_split::RULE,
    &gen_split_at::RULE,
    &guard_complement::RULE,
    &guard_complement::SELECT,
    &guard_complement::AS_SELECT,
    &guard_conjunction::DUP,
    &guard_conjunction::COMM,
    &guard_conjunction::ABSORB,
    &guard_conjunction::CONGR_EQ,
    &guard_conjunction::CONGR_LT,
    &guard_conjunction::CONGR_LE,
    &guard_false::RULE,
    &guard_inward::RULE,
    &guard_inward::OUTWARD,
    &guard_inward::TRANSPOSE,
    &guard_inward::FLATTEN,
    &guard_inward::CONCAT,
    &guard_support::ACCESS,
    &guard_support::SCALAR,
    &guard_support::MUL_L,
    &guard_support::MUL_R,
    &guard_support::GEN,
    &guard_support::SUM,
    &interchange::RULE,
    &let_add_merge::RULE,
    &let_bind::RULE,
    &let_bind_all::RULE,
    &let_dup::RULE,
    &let_flip_apply::RULE,
    &let_guard_swap::RULE,
    &let_iso::TRANSPOSE,
    &let_iso::SPLIT,
    &let_iso::PAD_R,
    &let_iso::PAD_L,
    &let_move_fn::RULE,
    &let_move_fn::CONCAT_LEFT,
    &let_move_fn::CONCAT_RIGHT,
    &let_out_of::GEN,
    &let_out_of::GEN_CONST,
    &let_out_of::GEN_BOUNDED,
    &let_out_of::SUM,
    &let_out_of::SUM_CONST,
    &let_out_of::SUM_BOUNDED,
    &let_out_of::GUARD,
    &let_out_of::GUARD_BOTH,
    &let_out_of::SELECT,
    &let_out_of::ACCESS,
    &let_out_of::VIEW,
    &let_out_of::ADD,
    &let_out_of::MUL,
    &let_out_of::DIV,
    &let_out_of::POINTWISE,
    &let_out_of::CONCAT,
    &let_out_of::TRANSPOSE,
    &let_out_of::FLATTEN,
    &let_out_of::OP,
    &let_out_of::ASSOC,
    &let_out_of::SWAP,
    &pad_trunc::LEFT,
    &pad_trunc::RIGHT,
    &select_same::RULE,
    &split_gen::RULE,
    &split_sum::RULE,
    &sum_of_zero::RULE,
    &transpose_invol::RULE,
];
