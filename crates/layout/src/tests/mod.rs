//! The algebra against brute force, against published vectors, and against what people type.

mod counterexamples;
mod examples;
mod fuzz;
mod laws;
mod random;
mod vectors;
