//! What a reshape operator registers.

use atl_kernel::{Definition, Ix, Pred};
use std::sync::Arc;

/// Where an element of the result comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gather {
    /// It comes from this operand,
    pub cond: Pred,
    /// at this index.
    pub rho: Vec<Ix>,
}

/// An index mapping: from the index arguments, the operands' extents, an index and an operand's number.
pub type Mapping<T> = fn(&[Ix], &[Ix], &[Ix], usize) -> T;

/// A reshape operator. Functions take the index arguments first, then the leading extents of the tensor
/// operands that the definition names, in order (see [`Definition`]).
pub struct Operator {
    /// The name, on the surface and everywhere else.
    pub name: &'static str,
    /// One line: what it does.
    pub summary: &'static str,
    /// The names of its index arguments; on the surface they come first.
    pub index_params: &'static [&'static str],
    /// For each tensor operand, the names of the leading extents it looks at.
    pub tensor_params: &'static [&'static [&'static str]],
    /// What must hold for its lemmas and its reindexer: the index arguments are sensible.
    pub requires: fn(&[Ix], &[Ix]) -> Pred,
    /// The leading extents of the result.
    pub extents: fn(&[Ix], &[Ix]) -> Vec<Ix>,
    /// Where the result's element at an index comes from, for the operand of this number.
    pub gather: Mapping<Gather>,
    /// Where an operand's element goes: the reindexer.
    pub scatter: Mapping<Vec<Ix>>,
    /// May an operand's element go outside the result's box? Then what goes there must be padding.
    pub drops: bool,
    /// The operator that undoes it, where there is one: `inverse (op e) = e`.
    pub inverse: Option<&'static str>,
    /// The definition, built once from the gather view.
    pub definition: fn() -> Arc<Definition>,
}

impl Operator {
    /// How many leading indices of the result the operator looks at.
    pub fn result_rank(&self) -> usize {
        let count = |names: &[&str]| vec![Ix::ONE; names.len()];
        let extents: Vec<Ix> = self.tensor_params.iter().flat_map(|names| count(names)).collect();
        (self.extents)(&count(self.index_params), &extents).len()
    }
}
