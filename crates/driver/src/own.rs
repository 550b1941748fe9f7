//! What a theorem about a program's own semiring says.
//!
//! The one idea: laws are tested on exact numbers, and a law that moves no rounding where the machine multiplies, such as
//! `1 * a = a` and `a * b = b * a`, may move it where a formula does: `max(0, a + b - 1)` rounds, whatever its operands are. So what
//! the kernel calls `finite` is `real` of floats that are multiplied by a formula.

use atl_kernel::{Algebra, Entry, Expr, Node, Rounding, Thm};
use atl_semirings::Op;

/// What the theorem preserves in floating point.
pub fn rounding(thm: &Thm) -> Rounding {
    match thm.rounding() {
        Rounding::Finite if any(thm, &multiplies_floats_by_a_formula).is_some() => Rounding::Real,
        class => class,
    }
}

/// The name of an algebra that a program declared, if the theorem speaks of one.
pub(crate) fn algebra(thm: &Thm) -> Option<&'static str> {
    let is_own = |a: &'static Algebra| !atl_semirings::ALL.iter().any(|s| std::ptr::eq(s.algebra, a));
    any(thm, &is_own).map(|a| a.name)
}

fn multiplies_floats_by_a_formula(algebra: &'static Algebra) -> bool {
    let semiring = atl_semirings::of(algebra);
    algebra
        .scalars
        .iter()
        .filter(|scalar| scalar.is_float())
        .any(|scalar| semiring.and_then(|s| s.on(*scalar)).is_some_and(|ops| matches!(ops.mul, Op::Own(_))))
}

/// An algebra of which this holds, and of which the theorem speaks.
fn any(thm: &Thm, is_meant: &dyn Fn(&'static Algebra) -> bool) -> Option<&'static Algebra> {
    fn within(e: &Expr, is_meant: &dyn Fn(&'static Algebra) -> bool) -> Option<&'static Algebra> {
        let here = match &**e {
            Node::Lit(elem, _) | Node::Index(elem, _) => Some(elem.algebra),
            Node::View(algebra, _) => Some(algebra.0),
            _ => None,
        };
        let here = here.filter(|a| is_meant(a));
        here.or_else(|| e.children().into_iter().find_map(|at| within(e.child(at)?, is_meant)))
    }
    let given = thm.ctx().entries().iter().find_map(|entry| match entry {
        Entry::Tensor(_, ty) => Some(ty.elem.algebra).filter(|a| is_meant(a)),
        _ => None,
    });
    given.or_else(|| within(thm.lhs(), is_meant)).or_else(|| within(thm.rhs(), is_meant))
}
