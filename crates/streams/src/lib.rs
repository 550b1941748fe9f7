//! Indexed streams: what loops over sparse operands mean, as combinators with laws.
//!
//! **The one idea.** A [`Stream`] visits indices in order, emits values at some of them, and can be asked to
//! skip what is not needed. It means the function from an index to the sum of what is emitted there.
//! Combining streams and then evaluating gives what evaluating and then combining does: products intersect,
//! sums unite, and [`Contract`](combinators::Contract) only forgets an index, so that no sum is formed before
//! the result is written. Everything is over a semiring, which is a value
//! ([`Arithmetic`](atl_semirings::Arithmetic)); the order of factors is kept.
//!
//! A loop that the lowering prints is compared with these streams in tests. Nothing here is fast, and nothing
//! proves.
//!
//! Reading order: [`Position`], [`Stream`], [`laws`]; then [`sources`] and [`combinators`], one file each
//! with its definition, its laws and the loop that it describes; [`nested`] has streams of streams, and
//! [`Indexed`] operations that find the levels by name.
//!
//! ```
//! use atl_semirings::{by_name, carriers::Machine};
//! use atl_streams::combinators::Lead;
//! use atl_streams::{Counter, Indexed};
//! use std::rc::Rc;
//!
//! // sum j { A[i, j] * x[j] }, where i is index 0, and j is index 1.
//! let plus_times = Rc::new(Machine::<i64>::try_new(by_name("plus_times").unwrap()).unwrap());
//! let a = [(vec![0, 1], 5), (vec![0, 4], 7), (vec![2, 4], 9)].into();
//! let x = [(vec![3], 100), (vec![4], 10)].into();
//! let states = Counter::new();
//! let a = Indexed::of_entries(plus_times.clone(), &[0, 1], &a, states.clone());
//! let x = Indexed::of_entries(plus_times, &[1], &x, states.clone());
//! let y = a.product(x, Lead::First).contract(1).unwrap();
//! assert_eq!(y.entries(), [(vec![0], 70), (vec![2], 90)].into());
//! // Two rows; in each, one state where the operands meet, and one before.
//! assert_eq!(states.total(), 2 + 2 + 2);
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod combinators;
mod counter;
mod indexed;
pub mod laws;
pub mod nested;
mod position;
pub mod sources;
mod stream;

pub use counter::Counter;
pub use indexed::{Entries, Indexed, MakeLevel, Misfit, levels};
pub use position::Position;
pub use stream::{Stream, for_each};
