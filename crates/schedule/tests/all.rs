//! The integration tests of this crate, in one executable: linking many costs more than running them.

mod questions;
mod scans;
mod steps;
mod theorems;
