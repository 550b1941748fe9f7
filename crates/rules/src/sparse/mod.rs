//! Programs over sparse operands: from loops over coordinates to loops over stored positions, and to
//! searches.
//!
//! `coordinates` reads a term, `sparsify` rewrites it, in `discordant_order` where loops come in another
//! order than an operand's levels, and by `block_coordinates` where an equation is about blocks. `searches`
//! marks the sums that search, and `trip_counts` compares the orders of operands.

mod block_coordinates;
mod coordinates;
mod discordant_order;
pub mod repacked;
mod scatter;
pub mod searches;
mod sparsify;
pub mod trip_counts;

pub use coordinates::{is_placed, meets, reads};
pub use sparsify::{scatter_discordant_loops, sparsify};
