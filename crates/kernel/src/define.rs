//! Defined operators: a name for a core term with parameters.
//!
//! The kernel knows one thing about a defined operator, that it equals its definition, and its type is
//! its definition's type. Any definition is conservative, so definitions are not trusted.

use crate::term::Expr;

/// A definition. Its body is a term in a context whose levels are, in order: the index parameters; then,
/// for each tensor parameter, its leading extents that the body names, and the tensor itself.
#[derive(Debug)]
pub struct Definition {
    /// The operator's name.
    pub name: &'static str,
    /// How many index parameters it has.
    pub index_params: u32,
    /// For each tensor parameter, how many of its leading extents the body names. A tensor may have more.
    pub tensor_params: Vec<u32>,
    /// The body.
    pub body: Expr,
}

impl Definition {
    /// The level of tensor parameter `k` in the body's context; its extents stand just below.
    pub fn tensor_level(&self, k: usize) -> u32 {
        self.index_params + self.tensor_params[..=k].iter().map(|extents| extents + 1).sum::<u32>() - 1
    }
}

impl PartialEq for Definition {
    fn eq(&self, other: &Definition) -> bool {
        std::ptr::eq(self, other)
            || (self.name == other.name
                && self.index_params == other.index_params
                && self.tensor_params == other.tensor_params
                && self.body == other.body)
    }
}
