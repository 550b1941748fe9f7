//! Streams against what they mean: laws, homomorphisms, random expressions, cost; and definitions that are
//! wrong.

mod cases;
mod cost;
mod expressions;
mod homomorphisms;
mod lawful;
mod paths;
mod published;
mod rocq;
mod worked;
