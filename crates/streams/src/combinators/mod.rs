//! Streams made of streams, one file each.

mod contract;
mod filter;
mod guard;
mod locate;
mod map;
mod product;
mod rename;
mod replicate;
mod sum;

pub use contract::Contract;
pub use filter::Filter;
pub use guard::Guard;
pub use locate::Locate;
pub use map::Map;
pub use product::{Lead, Product};
pub use rename::Rename;
pub use replicate::Replicate;
pub use sum::Sum;
