//! The normal form of terms with sums, and equations proved by it.

use crate::cx::Cx;
use crate::gather::by_gather;
use atl_kernel::{Expr, Result, Thm};

/// Prove `lhs = rhs` by comparing normal forms.
pub fn by_normal(cx: &mut Cx<'_>, lhs: &Expr, rhs: &Expr) -> Result<Thm> {
    by_gather(cx, lhs, rhs)
}
