//! The algebra against brute force, against published vectors, and against what people type.

mod access;
mod answers;
mod counterexamples;
mod examples;
mod forms;
mod fuzz;
mod large;
mod laws;
mod offsets;
pub(crate) mod random;
mod vectors;
