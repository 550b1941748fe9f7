//! The functions that the language has of its own.

use atl_kernel::{Function, Prim};

/// Pointwise functions of numbers that are not of floats only.
const OF_NUMBERS: [(&str, Prim); 3] = [("abs", Prim::Abs), ("max", Prim::Max), ("min", Prim::Min)];

/// Pointwise functions of integers.
const OF_INTEGERS: [(&str, Prim); 4] =
    [("clz", Prim::Clz), ("ctz", Prim::Ctz), ("mulhi", Prim::MulHi), ("popcount", Prim::Popcount)];

/// The other functions that are no reshape operators.
const OTHER: [&str; 4] = ["ceil_div", "index", "relayout", "select"];

/// The pointwise functions by name: those of numbers, of integers, and the kernel's functions of floats.
fn all() -> impl Iterator<Item = (&'static str, Prim)> {
    let of_floats = Function::ALL.iter().map(|function| (function.name(), Prim::Call(*function)));
    OF_NUMBERS.into_iter().chain(OF_INTEGERS).chain(of_floats)
}

/// The pointwise function with this name.
pub(crate) fn pointwise(name: &str) -> Option<Prim> {
    all().find(|(n, _)| *n == name).map(|(_, p)| p)
}

/// The name of a pointwise function.
pub(crate) fn name_of(prim: Prim) -> Option<&'static str> {
    all().find(|(_, p)| *p == prim).map(|(n, _)| n)
}

/// Every name that is a function of the language.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|(n, _)| n).chain(OTHER).chain(atl_ops::TABLE.iter().map(|op| op.name))
}

/// Is this the name of a function of the language?
pub fn is_function(name: &str) -> bool {
    names().any(|n| n == name)
}
