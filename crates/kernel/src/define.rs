//! Defined operators: a name for a core term with parameters.
//!
//! The kernel knows one thing about a defined operator, that it equals its definition, and its type is
//! its definition's type. Any definition is conservative, so definitions are not trusted.

use crate::ix::{Ix, Var};
use crate::subst::{VarMap, map_expr};
use crate::term::{Expr, Node};
use std::sync::Arc;

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
    /// Does the body speak of the parameters only? The kernel unfolds no other definition.
    pub(crate) fn is_closed(&self) -> bool {
        map_expr(&self.body, 0, &UnboundVars(self)).is_none()
    }

    /// The level of tensor parameter `k` in the body's context; its extents stand just below.
    pub fn tensor_level(&self, k: usize) -> u32 {
        let before = self
            .tensor_params
            .iter()
            .take(k)
            .fold(self.index_params, |level, extents| level.saturating_add(*extents).saturating_add(1));
        before.saturating_add(self.tensor_params.get(k).copied().unwrap_or(0))
    }
}

/// Finds variables that are neither bound inside nor parameters of their sort.
struct UnboundVars<'a>(&'a Definition);

impl UnboundVars<'_> {
    fn is(&self, v: Var, depth: u32, tensor: bool) -> bool {
        let mut levels = (0..self.0.tensor_params.len()).map(|k| self.0.tensor_level(k));
        match v {
            Var::Bound(k) => k >= depth,
            Var::Free(l) if tensor => !levels.any(|level| level == l),
            Var::Free(l) => {
                levels.clone().any(|x| x == l) || l >= levels.next_back().unwrap_or(self.0.index_params)
            }
        }
    }
}

impl VarMap for UnboundVars<'_> {
    fn index(&self, v: Var, depth: u32) -> Option<Ix> {
        self.is(v, depth, false).then_some(Ix::ZERO)
    }
    fn tensor(&self, v: Var, depth: u32) -> Option<Expr> {
        self.is(v, depth, true).then(|| Arc::new(Node::Var(v)))
    }
}

impl Eq for Definition {}

impl PartialEq for Definition {
    fn eq(&self, other: &Definition) -> bool {
        std::ptr::eq(self, other)
            || (self.name == other.name
                && self.index_params == other.index_params
                && self.tensor_params == other.tensor_params
                && self.body == other.body)
    }
}
