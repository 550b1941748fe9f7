//! `whole_guards`: a vector loop under a guard, without the guard where all lanes pass it.
//!
//! ```text
//! vector for i in 0..8 { if 8 * o + i < N { body } }
//!   =  if 8 * o + 7 < N { vector for i in 0..8 { body } } else { for i in 0..8 { if 8 * o + i < N { body } } }
//! ```
//! A split loop has such a guard in every vector, though only the last one needs it. Without the guard a
//! compiler needs no masks.
//! The guard is a conjunction of comparisons that are linear in the variable and read nothing: all lanes pass
//! it if the first or the last lane does, by the sign of the variable's factor. The bounds are literals, so both
//! lanes exist, and no term is evaluated that the loop does not evaluate.

use super::copies::Copies;
use super::with_value;
use crate::growth::growth;
use crate::{Bool, CmpOp, Int, Kernel, LoopKind, Name, Stmt};

/// Adds loops without guards beside guarded innermost vector loops.
pub fn whole_guards(kernel: &Kernel) -> Kernel {
    Kernel { body: Splitter(Copies::of(kernel)).stmt(&kernel.body), ..kernel.clone() }
}

/// The pass at work.
struct Splitter(Copies);

impl Splitter {
    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        match stmt {
            // What is repeated stays short: registers are assigned to the vectors of a repeated body
            // together.
            Stmt::For { kind: LoopKind::Unroll, .. } => stmt.clone(),
            Stmt::For { var, lo, hi, kind: LoopKind::Vector { width }, body } => {
                self.split(var, (lo, hi), *width, body).unwrap_or_else(|| stmt.clone())
            }
            stmt => stmt.map_parts(&mut |part| self.stmt(part)),
        }
    }

    /// Both loops behind the guard of all lanes, if the body is a guard of this kind.
    fn split(&mut self, var: &Name, (lo, hi): (&Int, &Int), width: Option<u32>, body: &Stmt) -> Option<Stmt> {
        let Stmt::If { cond, then, otherwise: None } = body else { return None };
        let (first, last) = (lo.constant()?, hi.constant()?.checked_sub(1)?);
        if first >= last || has_loop(then) {
            return None;
        }
        let all = in_every_lane(cond, var, &Int::Lit(first), &Int::Lit(last))?;
        let over = |kind, body| Stmt::for_loop(var.clone(), lo.clone(), hi.clone(), kind, body);
        let vector = LoopKind::Vector { width };
        // Lanes that the schedule counts have masks; of others the compiler would make masked loads.
        let some = if width.is_some() { vector.clone() } else { LoopKind::Serial };
        let whole = over(vector, self.0.copy(then));
        Some(Stmt::If {
            cond: all,
            then: Box::new(whole),
            otherwise: Some(Box::new(over(some, body.clone()))),
        })
    }
}

/// Does every iteration of a guarded loop pass its guard where the condition holds, as the pass says it?
pub fn is_for_all(cond: &Bool, guarded: &Stmt) -> bool {
    guard_of_all(guarded).as_ref() == Some(cond)
}

/// The condition under which all iterations of a guarded loop pass its guard.
fn guard_of_all(stmt: &Stmt) -> Option<Bool> {
    let (var, lo, hi, body) = match stmt {
        Stmt::For { var, lo, hi, body, .. } => (var, lo, hi, body),
        Stmt::Vectors { vectors, body } => (&vectors.var, &vectors.lo, &vectors.hi, body),
        _ => return None,
    };
    let Stmt::If { cond, otherwise: None, .. } = &**body else { return None };
    let (first, last) = (lo.constant()?, hi.constant()?.checked_sub(1)?);
    in_every_lane(cond, var, &Int::Lit(first), &Int::Lit(last))
}

/// A condition without the variable that holds if and only if `cond` holds for it from `first` to `last`.
fn in_every_lane(cond: &Bool, var: &Name, first: &Int, last: &Int) -> Option<Bool> {
    match cond {
        Bool::And(a, b) => Some(in_every_lane(a, var, first, last)?.and(in_every_lane(b, var, first, last)?)),
        Bool::Cmp(op @ (CmpOp::Lt | CmpOp::Le), a, b) if !cond.reads() => {
            let apart = growth(a, var)?.checked_sub(growth(b, var)?)?;
            let by = if apart > 0 { last } else { first };
            let at = |term: &Int| with_value(term, var, by.clone());
            Some(Bool::Cmp(*op, at(a), at(b)))
        }
        _ => None,
    }
}

fn has_loop(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.for_each(&mut |part| found |= part.is_loop());
    found
}

#[cfg(test)]
mod tests {
    use super::whole_guards;
    use crate::passes::tests::gives;

    const HEAD: &str = "kernel t(N, M) in f32 x[N] in i32 c[N] out f32 y[N] out i32 d[N]";

    fn check(before: &str, after: &str) {
        gives(whole_guards, HEAD, before, after);
    }

    #[test]
    fn all_lanes_pass_where_the_first_or_the_last_does() {
        check(
            "for o in 0..(N + 7) / 8 { vector for i in 0..8 { if o * 8 + i < N { y[o * 8 + i] = x[o * 8 + i] } } }",
            "for o in 0..(N + 7) / 8 { if o * 8 + 7 < N { vector for i in 0..8 { y[o * 8 + i] = x[o * 8 + i] } } \
             else { for i in 0..8 { if o * 8 + i < N { y[o * 8 + i] = x[o * 8 + i] } } } }",
        );
        check(
            "vector for i in 2..8 { if M <= i * 3 && N < M { y[i] = x[i] } }",
            "if M <= 6 && N < M { vector for i in 2..8 { y[i] = x[i] } } \
             else { for i in 2..8 { if M <= i * 3 && N < M { y[i] = x[i] } } }",
        );
        check(
            "vector for i in 0..8 { if i < M - i { y[i] = x[i] } }",
            "if 7 < M - 7 { vector for i in 0..8 { y[i] = x[i] } } else { for i in 0..8 { if i < M - i { y[i] = x[i] } } }",
        );
    }

    #[test]
    fn counted_lanes_stay_vectors_behind_the_guard() {
        check(
            "vector(4) for i in 0..8 { if i < M { y[i] = x[i] } }",
            "if 7 < M { vector(4) for i in 0..8 { y[i] = x[i] } } \
             else { vector(4) for i in 0..8 { if i < M { y[i] = x[i] } } }",
        );
    }

    #[test]
    fn others_stay() {
        for kept in [
            "vector for i in 0..N { if i < M { y[i] = x[i] } }",
            "vector for i in 0..8 { if i == M { y[i] = x[i] } }",
            "vector for i in 0..8 { if c[0] < i { y[i] = x[i] } }",
            "vector for i in 0..8 { if i < M / (i + 1) { y[i] = x[i] } }",
            "vector for i in 0..8 { if i < M || i < N { y[i] = x[i] } }",
            "vector for i in 0..8 { if i < M { y[i] = x[i] } else { y[i] = 0f32 } }",
            "vector for i in 0..8 { if i < M { y[i] = x[i] } d[i] = 0i32 }",
            "vector for i in 0..1 { if i < M { y[i] = x[i] } }",
            "unroll for j in 0..4 { vector(4) for i in 0..8 { if i < M { y[i] = x[i] } } }",
            "for i in 0..8 { if i < M { y[i] = x[i] } }",
        ] {
            check(kept, kept);
        }
    }
}
