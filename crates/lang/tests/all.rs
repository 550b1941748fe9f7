//! The integration tests of this crate, in one executable: linking many costs more than running them.

mod elaborate;
mod examples;
mod monoids;
mod no_panic;
mod pages;
mod round_trip;
