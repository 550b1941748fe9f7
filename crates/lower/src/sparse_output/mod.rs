//! Results in formats: arrays that grow, in place of the cells of a buffer.
//!
//! `assemble` stores a term level by level. `merge_union` adds up summands whose coordinates increase, `rows` puts terms in order
//! that come in another one, `blocks` stores dense blocks, and `same_pattern` keeps the entries of an operand.

pub(crate) mod assemble;
mod blocks;
mod merge_union;
mod rows;
pub(crate) mod same_pattern;
mod scanned;
pub(crate) mod term_order;
