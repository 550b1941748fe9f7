//! Theorems of the file's own, once they are proved: what they say, and how a step applies them.

use atl_kernel::{Expr, Ix, Result as Kernel, Thm};
use atl_rules::Cx;
use atl_rules::schema::{Direction, Schema};
use std::fmt;

/// A theorem that was proved.
pub struct Theorem {
    /// What it says, as it is written, and what it needs of an element type that stands for any.
    pub statement: String,
    pub(crate) schema: Schema,
    pub(crate) forwards: Vec<String>,
    pub(crate) backwards: Vec<String>,
}

impl fmt::Debug for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.statement)
    }
}

impl Theorem {
    /// The names of the sizes that must be given to read it this way.
    pub fn args(&self, direction: Direction) -> &[String] {
        match direction {
            Direction::Forwards => &self.forwards,
            Direction::Backwards => &self.backwards,
        }
    }

    /// The names of all the sizes it speaks of.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = &str> {
        self.schema.statement().sizes.iter().map(|size| size.name.as_str())
    }

    /// Apply it at a term, given sizes by name.
    pub(crate) fn rewrite(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        direction: Direction,
        given: &[(String, Ix)],
    ) -> Kernel<Thm> {
        let given: Vec<(&str, Ix)> = given.iter().map(|(name, ix)| (&**name, ix.clone())).collect();
        self.schema.apply(cx, e, direction, &given)
    }
}
