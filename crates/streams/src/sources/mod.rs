//! Streams that are not made of others, one file each.

mod compressed;
mod dense;
mod singleton;
mod states;

pub use compressed::{Compressed, Search};
pub use dense::Dense;
pub use singleton::Singleton;
pub use states::{States, Steps};
