//! The integration tests of this crate, in one executable: linking many costs more than running them.

mod common;
mod constructs;
mod monoids;
mod programs;
mod rules;
