//! The functions that the language has of its own.

use atl_kernel::Prim;

/// Pointwise functions of one operand.
pub(crate) const UNARY: [(&str, Prim); 5] = [
    ("abs", Prim::Abs),
    ("exp", Prim::Exp),
    ("floor", Prim::Floor),
    ("log", Prim::Log),
    ("sqrt", Prim::Sqrt),
];

/// Pointwise functions of two operands.
pub(crate) const BINARY: [(&str, Prim); 2] = [("max", Prim::Max), ("min", Prim::Min)];

/// The other functions that are no reshape operators.
const OTHER: [&str; 4] = ["ceil_div", "index", "relayout", "select"];

/// The pointwise function with this name.
pub(crate) fn pointwise(name: &str) -> Option<Prim> {
    UNARY.iter().chain(&BINARY).find(|(n, _)| *n == name).map(|(_, p)| *p)
}

/// The name of a pointwise function.
pub(crate) fn name_of(prim: Prim) -> Option<&'static str> {
    UNARY.iter().chain(&BINARY).find(|(_, p)| *p == prim).map(|(n, _)| *n)
}

/// Every name that is a function of the language.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let pointwise = UNARY.iter().chain(&BINARY).map(|(n, _)| *n);
    pointwise.chain(OTHER).chain(atl_ops::TABLE.iter().map(|op| op.name))
}

/// Is this the name of a function of the language?
pub fn is_function(name: &str) -> bool {
    names().any(|n| n == name)
}
