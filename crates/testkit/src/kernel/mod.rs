//! The kernel from outside: random terms ([`terms`]) and certificates ([`certificates`]), and what they mean, said by an
//! evaluator that shares nothing with the interpreter ([`meaning`]).

pub mod certificates;
pub mod meaning;
pub mod terms;
