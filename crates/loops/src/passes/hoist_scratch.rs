//! `hoist_scratch`: allocate scratch once, not once an iteration.
//!
//! A heap buffer, touched or not, allocated in the body of a serial loop, with extents that do not depend on the loop, is allocated around
//! the loop instead; where it was, its lifetime begins anew ([`Stmt::Reset`]), which costs nothing if it had no
//! initial value. Buffers stay inside parallel loops, whose iterations need one each, and inside conditions, which
//! may be what keeps an allocation from being large; and those stay whose extents are read from a buffer, which may hold
//! them only there.
//!
//! A loop that does not run needs no scratch. So a buffer that may be large gets a first extent of 1 or less, and is empty
//! where a loop that it left does not run: `s[M]` out of `for i in 0..N` is `s[min(1, N), M]`. Of a loop whose bounds depend
//! on one farther out, as those of tiles do, nothing is said once that one is left as well; nor is it of one whose bounds
//! are read.

use crate::validate::LOCAL_BYTES;
use crate::{Init, Int, Kernel, LoopKind, Name, Scalar, Stmt, Storage};
use std::collections::BTreeMap;

/// Moves allocations out of serial loops, as far as they go.
pub fn hoist_scratch(kernel: &Kernel) -> Kernel {
    Kernel { body: Hoist::default().stmt(&kernel.body), ..kernel.clone() }
}

/// A loop that buffers may leave.
struct Loop<'a> {
    var: &'a Name,
    lo: &'a Int,
    hi: &'a Int,
}

/// A buffer on its way out.
struct Scratch {
    buf: Name,
    scalar: Scalar,
    size: Size,
    storage: Storage,
    init: Init,
}

/// How large a buffer is that leaves loops.
#[derive(Clone)]
struct Size {
    /// As it was allocated.
    extents: Vec<Int>,
    /// How often the loops run that it has left, where that may be never.
    runs: Vec<Int>,
}

impl Size {
    /// May it be another in another iteration, or be unknown outside?
    fn depends_on(&self, var: &Name) -> bool {
        self.extents.iter().any(|extent| extent.mentions(var) || extent.reads())
    }

    /// After leaving another loop.
    fn outside(mut self, &Loop { var, lo, hi }: &Loop<'_>) -> Size {
        self.runs.retain(|runs| !runs.mentions(var));
        let runs = if *lo == Int::Lit(0) { hi.clone() } else { hi.clone() - lo.clone() };
        let may_be_none = runs.constant().is_none_or(|runs| runs < 1);
        if may_be_none && !runs.reads() && !self.runs.contains(&runs) {
            self.runs.push(runs);
        }
        self
    }

    /// The extents, with one before them that is 1 unless a loop does not run. A buffer that is surely small needs none,
    /// nor do extents that say so themselves.
    fn extents(self, scalar: Scalar) -> Vec<Int> {
        let bytes = Int::product(&self.extents)
            .constant()
            .and_then(|cells| cells.checked_mul(i64::try_from(scalar.size()).ok()?));
        let is_small = bytes.is_some_and(|bytes| bytes <= LOCAL_BYTES);
        let says = |runs: &Int| !is_small && !self.extents.contains(runs);
        let runs = self.runs.into_iter().filter(says).reduce(Int::min);
        runs.map(|runs| Int::Lit(1).min(runs)).into_iter().chain(self.extents).collect()
    }
}

/// The pass at work.
#[derive(Default)]
struct Hoist {
    /// The buffers that have left a loop.
    moved: BTreeMap<Name, Size>,
}

impl Hoist {
    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::For { var, lo, hi, kind, body } => {
                let mut scratch = Vec::new();
                let mut body = self.stmt(body);
                if matches!(kind, LoopKind::Serial | LoopKind::Unroll | LoopKind::Unless(_)) {
                    body = self.detach(body, &Loop { var, lo, hi }, &mut scratch);
                }
                let inner = Stmt::For {
                    var: var.clone(),
                    lo: lo.clone(),
                    hi: hi.clone(),
                    kind: kind.clone(),
                    body: Box::new(body),
                };
                scratch.into_iter().rev().fold(inner, |inner, scratch| Stmt::Alloc {
                    buf: scratch.buf,
                    scalar: scratch.scalar,
                    extents: scratch.size.extents(scratch.scalar),
                    storage: scratch.storage,
                    init: scratch.init,
                    body: Box::new(inner),
                })
            }
            stmt => stmt.map_parts(&mut |part| self.stmt(part)),
        }
    }

    /// The body of a loop without the allocations that every iteration makes alike.
    fn detach(&mut self, body: Stmt, around: &Loop<'_>, scratch: &mut Vec<Scratch>) -> Stmt {
        match body {
            Stmt::Seq(stmts) => Stmt::seq(stmts.into_iter().map(|stmt| self.detach(stmt, around, scratch))),
            Stmt::Alloc { buf, scalar, extents, storage, init, body } => {
                let moved = self.moved.get(&buf).cloned();
                let is_first = moved.is_none();
                let size = moved.unwrap_or_else(|| Size { extents: extents.clone(), runs: Vec::new() });
                if !matches!(storage, Storage::Heap | Storage::Touched) || size.depends_on(around.var) {
                    let body = Box::new(self.detach(*body, around, scratch));
                    return Stmt::Alloc { buf, scalar, extents, storage, init, body };
                }
                let size = size.outside(around);
                self.moved.insert(buf.clone(), size.clone());
                // The cells that were touched are known only if none holds anything at first.
                let first = if storage == Storage::Touched { init.clone() } else { Init::Uninit };
                scratch.push(Scratch { buf: buf.clone(), scalar, size, storage, init: first });
                let body = self.detach(*body, around, scratch);
                // A buffer that comes from farther in has left its reset there, before every use; and one that is visited last
                // begins anew there.
                let begins = is_first && !ends_visited(&body, &buf);
                if begins { Stmt::seq([Stmt::Reset { buf, init }, body]) } else { body }
            }
            stmt => stmt,
        }
    }
}

/// Is a visit of the buffer the last statement?
fn ends_visited(body: &Stmt, buf: &Name) -> bool {
    match body {
        Stmt::Seq(stmts) => stmts.last().is_some_and(|last| ends_visited(last, buf)),
        Stmt::Visit { buf: visited, .. } => visited == buf,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::hoist_scratch;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        gives(hoist_scratch, "kernel t(N, M) in i32 c[N] in f32 x[N] out f32 y[N]", before, after);
    }

    #[test]
    fn out_of_serial_loops_with_initial_values_left_inside() {
        check(
            "for i in 0..N { for j in 0..M { alloc heap f32 s[M] = 0f32 { s[0] += x[i] } } }",
            "alloc heap f32 s[min(1, N), M] uninit { for i in 0..N { for j in 0..M { reset s = 0f32 s[0] += x[i] } } }",
        );
        check(
            "for i in 0..N { y[i] = x[i] alloc heap f32 s uninit { s = x[i] alloc heap f32 r[i] uninit { r[0] = s } } }",
            "alloc heap f32 s uninit { for i in 0..N { y[i] = x[i] reset s uninit s = x[i] \
             alloc heap f32 r[i] uninit { r[0] = s } } }",
        );
    }

    #[test]
    fn touched_scratch_begins_alike_outside() {
        check(
            "for i in 0..N { alloc touched f32 s[M] = 0f32 { s[0] += x[i] visit j of s { y[i] = s[j] } } }",
            "alloc touched f32 s[min(1, N), M] = 0f32 { for i in 0..N { s[0] += x[i] visit j of s { y[i] = s[j] } } }",
        );
        check(
            "for i in 0..N { alloc touched f32 s[M] = 0f32 { s[0] += x[i] visit j of s { y[i] = s[j] } s[1] = 1f32 } }",
            "alloc touched f32 s[min(1, N), M] = 0f32 { for i in 0..N { reset s = 0f32 s[0] += x[i] \
             visit j of s { y[i] = s[j] } s[1] = 1f32 } }",
        );
    }

    #[test]
    fn loops_that_do_not_run_need_no_scratch() {
        let moved = |loops: &str, extents: &str| {
            let body = "x[0] } ".to_owned() + &"} ".repeat(loops.matches('{').count());
            check(
                &format!("{loops} alloc heap f32 s[M] uninit {{ s[0] = {body}"),
                &format!("alloc heap f32 s[{extents}] uninit {{ {loops} reset s uninit s[0] = {body}"),
            );
        };
        check(
            "for i in 0..N { alloc heap f32 s[4, M - M] uninit { } alloc heap f32 t[8, 8] uninit { } }",
            "alloc heap f32 s[min(1, N), 4, M - M] uninit { alloc heap f32 t[8, 8] uninit { \
             for i in 0..N { reset s uninit reset t uninit } } }",
        );
        moved("for i in 0..4 {", "M");
        moved("for i in 0..0 {", "min(1, 0), M");
        moved("for i in 0..M {", "M");
        moved("for i in 2..N {", "min(1, N - 2), M");
        moved("for i in 0..N { for j in 0..N {", "min(1, N), M");
        moved("for i in 0..N { for j in 0..N / 8 {", "min(1, min(N / 8, N)), M");
        moved("for i in 0..N / 8 { for j in 0..min(8, N - i) {", "min(1, N / 8), M");
    }

    #[test]
    fn what_is_read_is_read_where_it_was() {
        for kept in [
            "for i in 0..N { alloc heap f32 s[c[0]] uninit { s[0] = x[i] } }",
            "for i in 0..N { alloc heap f32 s[M, c[c[1]] + 1] uninit { s[0] = x[i] } }",
            "for i in 0..N { alloc heap i32 n[1] = 3i32 { alloc stack f32 t[1] = 0f32 { \
             alloc heap f32 s[n[0]] uninit { s[0] = x[i] } } } }",
        ] {
            let after = kept.replace(
                "for i in 0..N { alloc heap i32 n[1] = 3i32 {",
                "alloc heap i32 n[1] uninit { for i in 0..N { reset n = 3i32",
            );
            check(kept, &after);
        }
        check(
            "for i in 0..N { for p in c[0]..c[1] { alloc heap f32 s[M] uninit { s[0] = x[p] } } }",
            "alloc heap f32 s[min(1, N), M] uninit { for i in 0..N { for p in c[0]..c[1] { reset s uninit s[0] = x[p] } } }",
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
