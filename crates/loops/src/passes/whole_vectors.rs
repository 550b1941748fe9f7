//! `whole_vectors`: a vector loop of any count as whole vectors, and one vector for the rest.
//!
//! ```text
//! vector(8) for j in 0..N { body }  =  f32x8 for j in 0..N / 8 * 8 { body }
//!                                      f32x8 for j in N / 8 * 8..N / 8 * 8 + 8 { if j < N { body } }
//! ```
//! The rest is done by one vector, of which the lanes beyond the end are idle: a back end masks them. A
//! bound may be read from a buffer, and is read several times then: a loop whose bounds are read from what
//! it stores is left as it is. Loops that vectors cannot do ([`lanes`](crate::lanes)) stay, and those of a
//! literal multiple of the lanes are not cut. In a loop that carries rows in memory, the ends of a row are apart
//! (`row_ends`), where conditions are decided between them.

use super::copies::Copies;
use super::rewrite::rewrite_int;
use super::row_ends::Ends;
use super::simplify_index::Simplify;
use crate::changes::Change;
use crate::lanes::{Lanes, Vectors};
use crate::{Bool, Int, IntOp, Kernel, LoopKind, Name, Scalar, Stmt, Storage, is_unsigned};
use std::collections::{BTreeMap, BTreeSet};

/// Cuts vector loops into whole vectors.
pub fn whole_vectors(kernel: &Kernel) -> Kernel {
    let nonnegative = kernel.sizes.iter().cloned().collect();
    let mut cutter = Cutter {
        types: kernel.buffer_types(),
        copies: Copies::of(kernel),
        nonnegative,
        variables: variables(&kernel.body),
        heap: on_heap(&kernel.body),
        carries: false,
    };
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
    /// Variables of loops.
    variables: BTreeSet<Name>,
    /// Scratch buffers that are neither in registers nor on the stack.
    heap: BTreeSet<Name>,
    /// Is it in a loop that carries rows in memory?
    carries: bool,
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
        let around = self.carries;
        self.carries |= self.forgets(stmt);
        let cut = stmt.map_parts(&mut |part| self.stmt(part));
        self.carries = around;
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
        if self.carries
            && let Some(ends) = Ends::of(&vectors, body)
        {
            return self.with_ends(&ends, &vectors, body);
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

    /// Both ends of a row, one after the other, and the vectors between them.
    fn with_ends(&mut self, ends: &Ends<'_>, vectors: &Vectors, body: &Stmt) -> Stmt {
        let Vectors { var, lo, hi, lanes, .. } = vectors;
        let lanes = Int::Lit(i64::from(*lanes));
        let made = |lo: Int, hi: Int, body| {
            let vectors = Vectors { lo: simple(lo), hi: simple(hi), ..vectors.clone() };
            Stmt::Vectors { vectors, body: Box::new(body) }
        };
        let numbered = (1..).map(|k| Name::from(format!("{var}_end_{k}")));
        let mut spellings = [Name::from(format!("{var}_end"))].into_iter().chain(numbered);
        let end = spellings.find(|name| !self.variables.contains(name)).unwrap_or_else(|| var.clone());
        let end = self.copies.fresh(end.as_str());
        let first = lo.clone() + lanes.clone();
        let last = first.clone() + ends.between();
        let number = Int::Var(end.clone());
        let begins = match ends.count() {
            2 => lo.clone() + number * (lanes.clone() + ends.between()),
            _ => lo.clone() + number.clone() * lanes.clone() + number.min(Int::Lit(1)) * ends.between(),
        };
        let idle = Stmt::guard(Bool::lt(Int::Var(var.clone()), hi.clone()), self.copies.copy(body));
        let outer = made(begins.clone(), begins + lanes, idle);
        let between = made(first, last, ends.body_between(body));
        Stmt::seq([
            Stmt::for_loop(end, Int::Lit(0), Int::Lit(ends.count()), LoopKind::Serial, outer),
            between,
        ])
    }

    /// Do the iterations of a loop keep the cells of others in memory, so that they forget some?
    fn forgets(&self, stmt: &Stmt) -> bool {
        let Stmt::For { kind: LoopKind::Serial, body, .. } = stmt else { return false };
        let Stmt::Seq(stmts) = &**body else { return false };
        stmts.iter().any(|stmt| matches!(stmt, Stmt::Forget { buf, .. } if self.heap.contains(buf)))
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

/// The variables of loops.
fn variables(body: &Stmt) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    body.for_each(&mut |stmt| match stmt {
        Stmt::For { var, .. } => drop(found.insert(var.clone())),
        Stmt::Vectors { vectors, .. } => drop(found.insert(vectors.var.clone())),
        Stmt::Search { search, .. } => drop(found.insert(search.var.clone())),
        _ => {}
    });
    found
}

/// The scratch buffers that are neither in registers nor on the stack.
fn on_heap(body: &Stmt) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, storage: Storage::Heap, .. } = stmt {
            found.insert(buf.clone());
        }
    });
    found
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

    /// A vector of what is loaded or stored has such lanes, one of what is computed in between has not.
    #[test]
    fn narrow_numbers_are_computed_in_wider_ones() {
        let gives = |before: &str, after: &str| {
            gives(whole_vectors, "kernel t(N) in u8 x[N] out u8 y[N] out u32 z[N]", before, after)
        };
        gives("vector(64) for j in 0..64 { y[j] = x[j] }", "u8x64 for j in 0..64 { y[j] = x[j] }");
        let sum = "alloc register u16 s = 0u16 { s += u16(x[j]) y[j] = u8(shr(s, 1u16)) }";
        gives(
            &format!("vector(64) for j in 0..64 {{ {sum} }}"),
            &format!("u16x32 for j in 0..64 {{ {sum} }}"),
        );
        gives("vector(32) for j in 0..64 { z[j] = u32(x[j]) }", "u32x16 for j in 0..64 { z[j] = u32(x[j]) }");
        gives("vector(64) for j in 0..64 { z[j] = 1u32 }", "vector(64) for j in 0..64 { z[j] = 1u32 }");
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

    /// Where rows are carried, the vectors between the ends of a row have no conditions.
    #[test]
    fn ends_of_carried_rows() {
        let row = |body: &str| {
            format!(
                "alloc heap f32 r[2, N] uninit {{ for i in 0..M {{ forget r[i % 2 * N..i % 2 * N + N] {body} }} }}"
            )
        };
        check(
            &row("vector(8) for j in 0..N { r[i % 2 * N + j] = \
                 (0 <= j - 1 ? x[j - 1] : 0f32) + (j + 2 < N && i < M ? x[j + 2] : 0f32) }"),
            &row("for j_end in 0..3 { \
                 f32x8 for j in j_end * 8 + min(j_end, 1) * (max(N - 10, 0) / 8 * 8).. \
                 j_end * 8 + min(j_end, 1) * (max(N - 10, 0) / 8 * 8) + 8 { \
                 if j < N { r[i % 2 * N + j] = \
                 (0 <= j - 1 ? x[j - 1] : 0f32) + (j + 2 < N && i < M ? x[j + 2] : 0f32) } } } \
                 f32x8 for j in 8..max(N - 10, 0) / 8 * 8 + 8 { r[i % 2 * N + j] = \
                 x[j - 1] + (i < M ? x[j + 2] : 0f32) }"),
        );
        check(
            &row("vector(8) for j in 0..19 { r[i % 2 * N + j] = (j + 1 < 19 ? x[j + 1] : 0f32) }"),
            &row("for j_end in 0..2 { f32x8 for j in j_end * 16..j_end * 16 + 8 { \
                 if j < 19 { r[i % 2 * N + j] = (j + 1 < 19 ? x[j + 1] : 0f32) } } } \
                 f32x8 for j in 8..16 { r[i % 2 * N + j] = x[j + 1] }"),
        );
        check(
            &row("vector(8) for j in 0..N { r[i % 2 * N + j] = x[j] }"),
            &row("f32x8 for j in 0..N / 8 * 8 { r[i % 2 * N + j] = x[j] } \
                 f32x8 for j in N / 8 * 8..N / 8 * 8 + 8 { if j < N { r[i % 2 * N + j] = x[j] } }"),
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
