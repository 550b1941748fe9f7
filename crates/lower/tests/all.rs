//! The integration tests of this crate, in one executable: linking many costs more than running them.

mod common;
mod in_place;
mod operators;
mod programs;
mod random;
