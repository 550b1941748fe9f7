//! The derived theorems, one file each. To add one: its file, and its line here.

use crate::derived::Derived;

pub mod access_gen_guarded;
pub mod access_op;
pub mod divmod_factor;
pub mod earlier_terms;
pub mod flatten_split;
pub mod gen_as_scatter;
pub mod gen_iterate;
pub mod gen_of_map;
pub mod gen_one_hot;
pub mod gen_split_at;
pub mod guard_complement;
pub mod guard_conjunction;
pub mod guard_false;
pub mod guard_inward;
pub mod guard_iterate;
pub mod guard_quotient;
pub mod guard_support;
pub mod interchange;
pub mod isolate_index;
pub mod iterate_fuse;
pub mod iterate_ring;
pub mod iterate_split;
pub mod iterate_tile;
pub mod iterate_unroll;
pub mod let_add_merge;
pub mod let_bind;
pub mod let_bind_all;
pub mod let_dup;
pub mod let_flip_apply;
pub mod let_guard_swap;
pub mod let_iso;
pub mod let_move_fn;
pub mod let_out_of;
pub mod onehot_sum_and;
pub mod pad_trunc;
pub mod reshape_of_map;
pub mod reshape_of_sum;
pub mod scan_from_starts;
pub mod scan_in_blocks;
pub mod scan_of_sums;
pub mod select_of;
pub mod select_same;
pub mod split_gen;
pub mod split_sum;
pub mod sum_as_iterate;
pub mod sum_of_equal;
pub mod sum_of_mul;
pub mod sum_of_zero;
pub mod transpose_invol;
pub mod wavefront;

/// Every derived theorem, sorted by file name.
pub static TABLE: &[&Derived] = &[
    &access_gen_guarded::RULE,
    &access_gen_guarded::OUT,
    &access_gen_guarded::ADD,
    &access_op::FLATTEN,
    &access_op::ONE_HOT,
    &access_op::PAD_L,
    &access_op::PAD_R,
    &access_op::ROTATE_3,
    &access_op::ROTATE_4,
    &access_op::ROTATE_5,
    &access_op::ROTATE_6,
    &access_op::SHEAR,
    &access_op::SPLIT,
    &access_op::TRANSPOSE,
    &access_op::TRUNC_L,
    &access_op::TRUNC_R,
    &access_op::UNROTATE_3,
    &access_op::UNROTATE_4,
    &access_op::UNROTATE_5,
    &access_op::UNROTATE_6,
    &access_op::UNSHEAR,
    &access_op::CONCAT_L,
    &access_op::CONCAT_R,
    &divmod_factor::RULE,
    &earlier_terms::RULE,
    &flatten_split::RULE,
    &gen_as_scatter::RULE,
    &gen_iterate::RULE,
    &gen_of_map::RULE,
    &gen_one_hot::RULE,
    &gen_one_hot::GUARDED,
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
    &guard_iterate::RULE,
    &guard_quotient::RULE,
    &guard_support::ACCESS,
    &guard_support::SCALAR,
    &guard_support::MUL_L,
    &guard_support::MUL_R,
    &guard_support::GEN,
    &guard_support::SUM,
    &interchange::RULE,
    &isolate_index::RULE,
    &iterate_fuse::RULE,
    &iterate_ring::RULE,
    &iterate_split::RULE,
    &iterate_tile::RULE,
    &iterate_unroll::RULE,
    &let_add_merge::RULE,
    &let_bind::RULE,
    &let_bind_all::RULE,
    &let_dup::RULE,
    &let_flip_apply::RULE,
    &let_guard_swap::RULE,
    &let_iso::TRANSPOSE,
    &let_iso::FLATTEN,
    &let_iso::SHEAR,
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
    &onehot_sum_and::AND,
    &onehot_sum_and::IN_RANGE,
    &onehot_sum_and::INTRO,
    &pad_trunc::LEFT,
    &pad_trunc::RIGHT,
    &reshape_of_map::RULE,
    &reshape_of_sum::RULE,
    &scan_from_starts::RULE,
    &scan_in_blocks::RULE,
    &scan_of_sums::RULE,
    &select_of::GEN,
    &select_of::GUARD,
    &select_of::MAP,
    &select_of::NOT,
    &select_same::RULE,
    &split_gen::RULE,
    &split_sum::RULE,
    &sum_as_iterate::RULE,
    &sum_of_equal::RULE,
    &sum_of_mul::RULE,
    &sum_of_zero::RULE,
    &transpose_invol::RULE,
    &wavefront::RULE,
];
