//! What `rw` can name: a rule of the catalogue, or a theorem of the file's own.

use crate::session::Session;
use crate::theorem::Theorem;
use atl_kernel::{Expr, Ix, Result as Kernel, Thm};
use atl_rules::schema::Direction;
use atl_rules::{Cx, Named};
use std::sync::Arc;

/// An equation with a name.
pub(crate) enum Equation {
    /// Of the catalogue.
    Catalogue(Named),
    /// Of the file, or of one that it imports.
    Own(Arc<Theorem>),
}

impl Equation {
    /// The equation with this name.
    pub(crate) fn named(session: &Session<'_>, name: &str) -> Option<Equation> {
        let own = session.library.theorem(name).cloned().map(Equation::Own);
        own.or_else(|| atl_rules::by_name(name).map(Equation::Catalogue))
    }

    /// The names of all equations, sorted.
    pub(crate) fn names(session: &Session<'_>) -> Vec<String> {
        let own = session.library.theorem_names().map(String::from);
        let mut names: Vec<String> = own.chain(atl_rules::names().into_iter().map(String::from)).collect();
        names.sort();
        names
    }

    /// The names of the index arguments that must be given.
    pub(crate) fn args(&self, direction: Direction) -> Vec<String> {
        match (self, direction) {
            (Equation::Own(theorem), direction) => theorem.args(direction).to_vec(),
            (Equation::Catalogue(rule), Direction::Forwards) => {
                rule.args().iter().map(ToString::to_string).collect()
            }
            (Equation::Catalogue(rule), Direction::Backwards) => {
                rule.backwards_args().iter().map(ToString::to_string).collect()
            }
        }
    }

    /// The names of what may be given besides, where the site does not determine it.
    pub(crate) fn optional_args(&self) -> Vec<String> {
        match self {
            Equation::Own(theorem) => theorem.sizes().map(String::from).collect(),
            Equation::Catalogue(rule) => rule.optional_args().iter().map(ToString::to_string).collect(),
        }
    }

    /// What it says.
    pub(crate) fn statement(&self) -> &str {
        match self {
            Equation::Own(theorem) => &theorem.statement,
            Equation::Catalogue(rule) => rule.statement(),
        }
    }

    /// Apply it at a term, given arguments by name.
    pub(crate) fn rewrite(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        direction: Direction,
        given: &[(String, Ix)],
    ) -> Kernel<Thm> {
        match self {
            Equation::Own(theorem) => theorem.rewrite(cx, e, direction, given),
            Equation::Catalogue(rule) => rule.apply(cx, e, direction, given),
        }
    }
}
