//! The semiring that a program declares, if a theorem uses one.
//!
//! The one idea: `semiring-check` proves the laws of such a semiring, so reports mark the theorems that rest on them.

use atl_kernel::{Algebra, Entry, Expr, Node, Thm};

/// The name of an algebra that a program declared, if the theorem speaks of one.
pub fn algebra(thm: &Thm) -> Option<&'static str> {
    let is_own = |a: &'static Algebra| !atl_semirings::ALL.iter().any(|s| std::ptr::eq(s.algebra, a));
    any(thm, &is_own).map(|a| a.name)
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
        here.or_else(|| e.children().find_map(|at| within(e.child(at)?, is_meant)))
    }
    let given = thm.ctx().entries().find_map(|entry| match entry {
        Entry::Tensor(_, ty) => Some(ty.elem.algebra).filter(|a| is_meant(a)),
        _ => None,
    });
    given.or_else(|| within(thm.lhs(), is_meant)).or_else(|| within(thm.rhs(), is_meant))
}
