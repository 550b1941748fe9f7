//! `unswitch`: a condition that every lane of a vector loop answers alike is asked once, around the loop.
//!
//! Where tiles overhang, the guard of a row stands inside the loop over its lanes. A back end can make vectors of a loop of
//! stores, not of conditions. Only loops that certainly run are unswitched, so that nothing is evaluated that was not before.

use super::rewrite::{Rewrite, rewrite_kernel};
use crate::{Bool, Int, Kernel, LoopKind, Name, Stmt};
use std::collections::BTreeSet;

/// Moves conditions out of the vector loops that they are the body of, where no lane is mentioned.
pub fn unswitch(kernel: &Kernel) -> Kernel {
    rewrite_kernel(&Unswitch, kernel)
}

struct Unswitch;

impl Rewrite for Unswitch {
    fn int(&self, int: Int) -> Int {
        int
    }

    fn stmt(&self, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::For { var, lo, hi, kind: kind @ LoopKind::Vector { .. }, body } if runs(&lo, &hi) => {
                unswitched(&var, &lo, &hi, &kind, *body)
            }
            stmt => stmt,
        }
    }
}

/// The loop, or the condition of its body around loops of the branches.
fn unswitched(var: &Name, lo: &Int, hi: &Int, kind: &LoopKind, body: Stmt) -> Stmt {
    let around = |body| unswitched(var, lo, hi, kind, body);
    match body {
        Stmt::If { cond, then, otherwise }
            if is_settled(&cond, var, [Some(&*then), otherwise.as_deref()]) =>
        {
            Stmt::If {
                cond,
                then: Box::new(around(*then)),
                otherwise: otherwise.map(|otherwise| Box::new(around(*otherwise))),
            }
        }
        body => Stmt::for_loop(var.clone(), lo.clone(), hi.clone(), kind.clone(), body),
    }
}

fn runs(lo: &Int, hi: &Int) -> bool {
    matches!((lo.constant(), hi.constant()), (Some(lo), Some(hi)) if lo < hi)
}

/// Is the condition the same in every iteration: is no lane mentioned, and nothing read that a branch stores?
fn is_settled(cond: &Bool, var: &Name, branches: [Option<&Stmt>; 2]) -> bool {
    let mut varies = false;
    cond.for_each_var(&mut |name| varies |= name == var);
    let written: BTreeSet<&Name> = branches.into_iter().flatten().flat_map(Stmt::written).collect();
    cond.for_each_read(&mut |buf, _| varies |= written.contains(buf));
    !varies
}

#[cfg(test)]
mod tests {
    use super::unswitch;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        gives(unswitch, "kernel t(N, M) in f32 x[N] in i32 c[N] out f32 y[N] out i32 d[N]", before, after);
    }

    #[test]
    fn conditions_that_no_lane_is_mentioned_in_leave() {
        check(
            "vector(4) for i in 0..8 { if N < M { if 2 < M { y[i] = x[i] } } else { y[i] = 0f32 } }",
            "if N < M { if 2 < M { vector(4) for i in 0..8 { y[i] = x[i] } } } \
             else { vector(4) for i in 0..8 { y[i] = 0f32 } }",
        );
    }

    #[test]
    fn conditions_that_are_read_leave_unless_they_change() {
        check(
            "vector(4) for i in 0..8 { if c[M] == 1 { y[i] = x[i] } }",
            "if c[M] == 1 { vector(4) for i in 0..8 { y[i] = x[i] } }",
        );
        for kept in [
            "vector(4) for i in 0..N { if c[M] == 1 { y[i] = x[i] } }",
            "vector(4) for i in 0..8 { if c[i] == 1 { y[i] = x[i] } }",
            "vector(4) for i in 0..8 { if d[0] == 1 { d[i] = 2i32 } }",
            "vector(4) for i in 0..8 { if M < 2 && d[0] == 1 { y[i] = x[i] } else { d[i] = 2i32 } }",
        ] {
            check(kept, kept);
        }
    }

    #[test]
    fn others_stay() {
        for kept in [
            "vector(4) for i in 0..8 { if i < M { y[i] = x[i] } }",
            "vector(4) for i in 0..N { if 1 < M { y[i] = x[i] } }",
            "for i in 0..8 { if 1 < M { y[i] = x[i] } }",
            "vector(4) for i in 0..8 { y[i] = x[i] if 1 < M { y[i] = x[i] } }",
        ] {
            check(kept, kept);
        }
    }
}
