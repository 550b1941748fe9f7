//! How lowering reads the updates of states: which cells a term leaves as they are, and where the others are.
//!
//! What follows loops beside their term must see there what lowering saw.

pub use crate::in_place::{Bound, Cells, bound, choice, conjuncts, is_same, only_where, solved};
