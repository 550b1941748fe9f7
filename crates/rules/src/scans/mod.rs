//! Scans: iterations that store a value of each round, taken apart and put together.
//!
//! The one idea: what a scan stores in a round is a value of the states after a number of rounds, which are an
//! iteration of their own. So a scan is a loop over rounds, and a loop is cut like any other; what the states
//! are after a block of rounds is another matter, and the only one that needs laws.

mod added;
mod blocks;
mod differences;
mod each;
mod form;
mod history;
mod joined;
mod linear;
mod starts;
mod summary;
mod together;

pub use blocks::{rounds_in_blocks, scan_in_blocks};
pub use form::Scan;
pub use history::scan_as_loop;
pub use starts::scan_from_starts;
pub use summary::{Unknown, is_known, is_known_of_states, monoid_of, unknown};
pub use together::{groups, lets_joined, rounds_apart, rounds_joined};
