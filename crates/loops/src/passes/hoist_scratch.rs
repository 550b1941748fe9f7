//! `hoist_scratch`: allocate scratch once, not once an iteration.
//!
//! A heap buffer allocated in the body of a serial loop, with extents that do not depend on the loop, is allocated around
//! the loop instead; where it was, its lifetime begins anew ([`Stmt::Reset`]), which costs nothing if it had no
//! initial value. Buffers stay inside parallel loops, whose iterations need one each, and inside conditions, which
//! may be what keeps an allocation from being large. A loop that does not run leaves behind a buffer that nobody uses, for
//! which there must be memory all the same.

use crate::{Init, Int, Kernel, LoopKind, Name, Scalar, Stmt, Storage};
use std::collections::BTreeSet;

/// Moves allocations out of serial loops, as far as they go.
pub fn hoist_scratch(kernel: &Kernel) -> Kernel {
    Kernel { body: Hoist::default().stmt(&kernel.body), ..kernel.clone() }
}

/// A buffer on its way out.
struct Scratch {
    buf: Name,
    scalar: Scalar,
    extents: Vec<Int>,
}

/// The pass at work.
#[derive(Default)]
struct Hoist {
    /// The buffers that have left a loop.
    moved: BTreeSet<Name>,
}

impl Hoist {
    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::For { var, lo, hi, kind, body } => {
                let mut scratch = Vec::new();
                let mut body = self.stmt(body);
                if matches!(kind, LoopKind::Serial | LoopKind::Unroll) {
                    body = self.detach(body, var, &mut scratch);
                }
                let inner = Stmt::For {
                    var: var.clone(),
                    lo: lo.clone(),
                    hi: hi.clone(),
                    kind: *kind,
                    body: Box::new(body),
                };
                scratch.into_iter().rev().fold(inner, |inner, Scratch { buf, scalar, extents }| Stmt::Alloc {
                    buf,
                    scalar,
                    extents,
                    storage: Storage::Heap,
                    init: Init::Uninit,
                    body: Box::new(inner),
                })
            }
            stmt => stmt.map_parts(&mut |part| self.stmt(part)),
        }
    }

    /// The body of the loop over `var` without the allocations that every iteration makes alike.
    fn detach(&mut self, body: Stmt, var: &Name, scratch: &mut Vec<Scratch>) -> Stmt {
        match body {
            Stmt::Seq(stmts) => Stmt::seq(stmts.into_iter().map(|stmt| self.detach(stmt, var, scratch))),
            Stmt::Alloc { buf, scalar, extents, storage: Storage::Heap, init, body }
                if !extents.iter().any(|extent| extent.mentions(var)) =>
            {
                scratch.push(Scratch { buf: buf.clone(), scalar, extents });
                let body = self.detach(*body, var, scratch);
                // A buffer that comes from farther in has left its reset there, before every use.
                if self.moved.insert(buf.clone()) {
                    Stmt::seq([Stmt::Reset { buf, init }, body])
                } else {
                    body
                }
            }
            Stmt::Alloc { buf, scalar, extents, storage, init, body } => {
                let body = Box::new(self.detach(*body, var, scratch));
                Stmt::Alloc { buf, scalar, extents, storage, init, body }
            }
            stmt => stmt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::hoist_scratch;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        gives(hoist_scratch, "kernel t(N, M) in f32 x[N] out f32 y[N]", before, after);
    }

    #[test]
    fn out_of_serial_loops_with_initial_values_left_inside() {
        check(
            "for i in 0..N { for j in 0..M { alloc heap f32 s[M] = 0f32 { s[0] += x[i] } } }",
            "alloc heap f32 s[M] uninit { for i in 0..N { for j in 0..M { reset s = 0f32 s[0] += x[i] } } }",
        );
        check(
            "for i in 0..N { y[i] = x[i] alloc heap f32 s uninit { s = x[i] alloc heap f32 r[i] uninit { r[0] = s } } }",
            "alloc heap f32 s uninit { for i in 0..N { y[i] = x[i] reset s uninit s = x[i] \
             alloc heap f32 r[i] uninit { r[0] = s } } }",
        );
    }

    #[test]
    fn not_out_of_parallel_loops_or_conditions() {
        check(
            "parallel for i in 0..N { for j in 0..M { alloc heap f32 s[M] uninit { s[j] = x[i] } } }",
            "parallel for i in 0..N { alloc heap f32 s[M] uninit { for j in 0..M { reset s uninit s[j] = x[i] } } }",
        );
        let guarded = "for i in 0..N { if i < M { alloc heap f32 s[M] uninit { s[i] = x[i] } } }";
        check(guarded, guarded);
        let stack = "for i in 0..N { alloc stack f32 s[4] uninit { s[0] = x[i] } }";
        check(stack, stack);
    }
}
