//! Generators, oracles and the Markdown suite runner; for tests only.
//!
//! Everything below the driver is tested here as a whole: random programs ([`programs`]) under random schedules
//! ([`schedules`]) on every back end ([`oracle`]), every rule at every subterm ([`subterms`]), proofs replayed and
//! forged ([`forgery`]), and the programs of `tests/suite` with what they must print and compute ([`suite`]).
//!
//! What is random comes from a seed ([`choices`]), which a failure names.
#![forbid(unsafe_code)]

pub mod array;
pub mod branches;
pub mod choices;
pub mod forgery;
pub mod kernel;
pub mod loop_changes;
pub mod mixed;
pub mod mutation;
pub mod oracle;
pub mod parallel;
pub mod programs;
pub mod proofs;
pub mod quotient;
pub mod schedules;
pub mod sparse;
pub mod subterms;
pub mod suite;
pub mod sums;
pub mod traps;
pub mod updates;
