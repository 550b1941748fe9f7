//! `whole_vectors`: a vector loop of any count as whole vectors, and one vector for the rest.
//!
//! ```text
//! vector(8) for j in 0..N { body }  =  f32x8 for j in 0..N / 8 * 8 { body }
//!                                      f32x8 for j in N / 8 * 8..N / 8 * 8 + 8 { if j < N { body } }
//! ```
//! The rest is done by one vector, of which the lanes beyond the end are idle: a back end masks them. A
//! bound may be read from a buffer, and is read several times then: a loop whose bounds are read from what
//! it stores is left as it is. Loops that vectors cannot do ([`lanes`](crate::lanes)) stay, and those of a
//! literal multiple of the lanes are not cut.

use super::copies::Copies;
use super::rewrite::rewrite_int;
use super::simplify_index::Simplify;
use crate::changes::Change;
use crate::lanes::{Lanes, Vectors};
use crate::{Bool, Int, IntOp, Kernel, LoopKind, Name, Scalar, Stmt, is_unsigned};
use std::collections::{BTreeMap, BTreeSet};

/// Cuts vector loops into whole vectors.
pub fn whole_vectors(kernel: &Kernel) -> Kernel {
    let nonnegative = kernel.sizes.iter().cloned().collect();
    let mut cutter = Cutter { types: kernel.buffer_types(), copies: Copies::of(kernel), nonnegative };
    Kernel { body: cutter.stmt(&kernel.body), ..kernel.clone() }
}

/// A vector loop that is left to the C compiler.
pub struct Left<'k> {
    /// Its variable.
    pub var: &'k Name,
    /// Its body.
    pub body: &'k Stmt,
    /// Why vectors cannot do it, in the names of the loops.
    pub why: String,
}

/// The vector loops of a kernel that the pass leaves as they are, of those that have lanes. Where `peel` has
/// made copies of a loop for the border, it is the middle that counts: if one is vectors, the others are not
/// among them.
pub fn left_as_loops(kernel: &Kernel) -> Vec<Left<'_>> {
    let (types, mut left, mut made) = (kernel.buffer_types(), Vec::new(), Vec::new());
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Vectors { vectors, body } = stmt {
            made.push((vectors.var.original(), body.stored()));
        } else if let Stmt::For { var, lo, hi, kind: LoopKind::Vector { width: Some(lanes) }, body } = stmt
            && *lanes > 1
            && let Err(why) = explicit(&types, var, (lo, hi), *lanes, body)
        {
            left.push(Left { var, body, why });
        }
    });
    left.retain(|one| {
        let own = one.body.stored();
        let is_stored = |buf: &&Name| own.iter().any(|other| other.original() == buf.original());
        let is_copy =
            |(name, stored): &(&str, Vec<&Name>)| *name == one.var.original() && stored.iter().any(is_stored);
        !made.iter().any(is_copy)
    });
    left
}

/// The vectors of a loop, if they can do its body and are worth it.
fn explicit(
    types: &BTreeMap<Name, Scalar>,
    var: &Name,
    bounds: (&Int, &Int),
    lanes: u32,
    body: &Stmt,
) -> Result<Vectors, String> {
    let vectors = Vectors::at_most(types, var, bounds, lanes, body)?;
    let mut passing = None;
    body.for_each(&mut |stmt| {
        if let Stmt::For { var, lo, hi, kind: LoopKind::Serial, body } = stmt {
            passing = passing.or(Change::of(types, var, (lo, hi), body).map(|_| var));
        }
    });
    // Cells that are read one by one take longer than to look at the loop inside along memory.
    match passing.filter(|_| Lanes::new(&vectors, body).collects(body)) {
        Some(inner) => {
            Err(format!("few iterations of `{inner}` change something, and the others are passed by"))
        }
        None => Ok(vectors),
    }
}

/// The pass at work.
struct Cutter {
    types: BTreeMap<Name, Scalar>,
    copies: Copies,
    /// Variables that are never negative.
    nonnegative: BTreeSet<Name>,
}

impl Cutter {
    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let (var, lo) = match stmt {
            Stmt::For { var, lo, hi, kind, body } => {
                if let LoopKind::Vector { width: Some(lanes) } = *kind
                    && let Ok(vectors) = explicit(&self.types, var, (lo, hi), lanes, body)
                {
                    return self.cut(vectors, body);
                }
                (var, lo)
            }
            Stmt::Search { search, .. } => (&search.var, &search.lo),
            stmt => return stmt.map_parts(&mut |part| self.stmt(part)),
        };
        let is_nonnegative = self.is_nonnegative(lo) && self.nonnegative.insert(var.clone());
        let cut = stmt.map_parts(&mut |part| self.stmt(part));
        if is_nonnegative {
            self.nonnegative.remove(var);
        }
        cut
    }

    /// Whole vectors and the rest, or just these if the count is a literal multiple of the lanes.
    fn cut(&mut self, vectors: Vectors, body: &Stmt) -> Stmt {
        let made = |lo, hi, body| {
            let vectors = Vectors { lo, hi, ..vectors.clone() };
            Stmt::Vectors { vectors, body: Box::new(body) }
        };
        let Vectors { var, lo, hi, lanes, .. } = vectors.clone();
        if vectors.are_whole() {
            return made(lo, hi, body.clone());
        }
        let step = Int::Lit(i64::from(lanes));
        let count = simple(hi.clone() - lo.clone());
        let count = if self.is_nonnegative(&count) { count } else { simple(count.max(Int::Lit(0))) };
        let middle = simple(lo.clone() + simple(count.floor_div(step.clone()) * step.clone()));
        let end = simple(middle.clone() + step);
        let rest = |body| {
            let idle = Stmt::guard(Bool::lt(Int::Var(var.clone()), hi.clone()), body);
            made(middle.clone(), end, idle)
        };
        if middle == lo {
            return rest(body.clone());
        }
        Stmt::seq([made(lo, middle.clone(), body.clone()), rest(self.copies.copy(body))])
    }

    /// Is the term visibly never negative?
    fn is_nonnegative(&self, int: &Int) -> bool {
        match int {
            Int::Lit(value) => *value >= 0,
            Int::Var(name) => self.nonnegative.contains(name),
            Int::Load(buf, _) => self.types.get(buf).is_some_and(|scalar| is_unsigned(*scalar)),
            Int::Bin(IntOp::Max, a, b) => self.is_nonnegative(a) || self.is_nonnegative(b),
            Int::Bin(IntOp::Add | IntOp::Mul | IntOp::Min | IntOp::Div, a, b) => {
                self.is_nonnegative(a) && self.is_nonnegative(b)
            }
            // A maximum of which one is taken away.
            Int::Bin(IntOp::Sub, a, b) => matches!(&**a, Int::Bin(IntOp::Max, c, d) if c == b || d == b),
            Int::Bin(IntOp::Mod, a, b) => {
                self.is_nonnegative(a) && self.is_nonnegative(b)
                    || b.constant().is_some_and(|divisor| divisor > 0)
            }
        }
    }
}

fn simple(int: Int) -> Int {
    rewrite_int(&Simplify, &int)
}

#[cfg(test)]
mod tests {
    use super::whole_vectors;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        gives(
            whole_vectors,
            "kernel t(N, M) in i32 c[N] in u8 b[N] in f32 x[N] out f32 y[N] out i32 d[N]",
            before,
            after,
        );
    }

    #[test]
    fn any_count() {
        check(
            "vector(8) for j in 0..N { y[j] = x[j] }",
            "f32x8 for j in 0..N / 8 * 8 { y[j] = x[j] } \
             f32x8 for j in N / 8 * 8..N / 8 * 8 + 8 { if j < N { y[j] = x[j] } }",
        );
        check(
            "vector(8) for j in 0..19 { y[j] = x[j] }",
            "f32x8 for j in 0..16 { y[j] = x[j] } f32x8 for j in 16..24 { if j < 19 { y[j] = x[j] } }",
        );
        check("vector(8) for j in 1..4 { y[j] = x[j] }", "f32x8 for j in 1..9 { if j < 4 { y[j] = x[j] } }");
    }

    #[test]
    fn wide_numbers_have_fewer_lanes() {
        let gives = |before: &str, after: &str| {
            gives(whole_vectors, "kernel t(N) in f64 x[N] out f32 z[N] out f64 y[N]", before, after)
        };
        gives("vector(16) for j in 0..32 { z[j] = f32(x[j]) }", "f32x8 for j in 0..32 { z[j] = f32(x[j]) }");
        // A vector of what is stored has no such lanes itself.
        gives("vector(16) for j in 0..32 { y[j] = x[j] }", "vector(16) for j in 0..32 { y[j] = x[j] }");
    }

    #[test]
    fn bounds_that_are_read() {
        check(
            "vector(8) for j in 0..b[N] { y[j] = x[j] }",
            "f32x8 for j in 0..b[N] / 8 * 8 { y[j] = x[j] } \
             f32x8 for j in b[N] / 8 * 8..b[N] / 8 * 8 + 8 { if j < b[N] { y[j] = x[j] } }",
        );
        check(
            "vector(8) for j in c[0]..c[1] { y[j] = x[c[j]] }",
            "f32x8 for j in c[0]..c[0] + max(c[1] - c[0], 0) / 8 * 8 { y[j] = x[c[j]] } \
             f32x8 for j in c[0] + max(c[1] - c[0], 0) / 8 * 8..c[0] + max(c[1] - c[0], 0) / 8 * 8 + 8 { \
             if j < c[1] { y[j] = x[c[j]] } }",
        );
    }

    /// The rest of a loop that would begin after its end begins where the loop does.
    #[test]
    fn counts_below_zero() {
        check(
            "for i in 0..N { vector(8) for j in i..M { y[j] = x[j] } }",
            "for i in 0..N { f32x8 for j in i..i + max(M - i, 0) / 8 * 8 { y[j] = x[j] } \
             f32x8 for j in i + max(M - i, 0) / 8 * 8..i + max(M - i, 0) / 8 * 8 + 8 { \
             if j < M { y[j] = x[j] } } }",
        );
    }

    #[test]
    fn other_loops_stay() {
        for whole in ["0..16", "0..N * 16", "M..M + 8"] {
            let body = |kind: &str| format!("{kind} for j in {whole} {{ y[j] = x[j] }}");
            check(&body("vector(8)"), &body("f32x8"));
        }
        for body in [
            "f32x8 for j in 0..16 { y[j] = x[j] }",
            "vector(8) for j in 0..N { y[j] = x[2 * j] }",
            "vector for j in 0..N { y[j] = x[j] }",
            "vector(8) for j in d[0]..d[1] { d[j] = 1i32 }",
        ] {
            check(body, body);
        }
    }
}
