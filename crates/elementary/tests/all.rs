//! The integration tests of this crate, in one executable: linking many costs more than running them.

mod accuracy;
mod arguments;
mod bits;
mod special;
mod truth;
