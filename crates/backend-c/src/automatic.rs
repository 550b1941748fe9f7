//! Loops that the compiler may turn into vectors by itself.
//!
//! One idea: where all long loops are printed as vectors, or add up what no vector may regroup, the
//! compiler's own search for vectors finds nothing that is worth its time. It then makes vectors of the few
//! iterations at edges, and takes up to half of the time of a compilation for that. A loop that is marked
//! `omp simd` becomes vectors even so. Every judgement errs towards the search: a kernel that has it
//! without need compiles slower, and runs as fast.

use crate::edges::is_short;
use atl_loops::changes::Change;
use atl_loops::{BinOp, Init, Int, Kernel, LoopKind, Name, ReduceOp, Scalar, Stmt, StoreMode, Val, is_half};
use std::collections::{BTreeMap, BTreeSet};

/// The longest count of a loop that the compiler unrolls whole.
const UNROLLED: i64 = 16;

/// The longest count of a loop that a pragma asks the compiler to unroll.
const UNROLLED_BY_PRAGMA: i64 = 64;

/// The most operations of an iteration that adds up floats in order, for which vectors are of no use.
const OPERATIONS: usize = 8;

/// Does the kernel have a long loop of which the compiler may make vectors?
pub(crate) fn has_automatic_vectors(kernel: &Kernel) -> bool {
    let types = kernel.buffer_types();
    let mut walk = Walk { types: &types, found: false };
    walk.has_loop(&kernel.body);
    walk.found
}

/// May the compiler make vectors of this loop?
pub(crate) fn becomes_vectors(types: &BTreeMap<Name, Scalar>, stmt: &Stmt) -> bool {
    let Stmt::For { var, lo, hi, kind, body } = stmt else { return false };
    let mut walk = Walk { types, found: false };
    !walk.has_loop(body) && walk.is_automatic(var, (lo, hi), kind, body)
}

struct Walk<'t> {
    types: &'t BTreeMap<Name, Scalar>,
    found: bool,
}

impl Walk<'_> {
    /// Is there a loop in the statement, once short ones of constant count are unrolled?
    fn has_loop(&mut self, stmt: &Stmt) -> bool {
        if let Stmt::Alloc { extents, init, .. } = stmt {
            self.found |= is_filled(extents, init);
        }
        if let Stmt::Reset { init: Init::Value(value), .. } = stmt {
            self.found |= !is_zero(value);
        }
        let inside = stmt.parts().fold(false, |found, part| self.has_loop(part) | found);
        let Stmt::For { var, lo, hi, kind, body } = stmt else { return inside || stmt.is_loop() };
        let unrolled = if *kind == LoopKind::Unroll { UNROLLED_BY_PRAGMA } else { UNROLLED };
        if (hi.clone() - lo.clone()).constant().is_some_and(|count| count <= unrolled) {
            return inside;
        }
        self.found |= !inside && self.is_automatic(var, (lo, hi), kind, body);
        true
    }

    /// Are vectors of an innermost loop worth while, and left to the compiler?
    fn is_automatic(&self, var: &Name, (lo, hi): (&Int, &Int), kind: &LoopKind, body: &Stmt) -> bool {
        let is_plain = matches!(kind, LoopKind::Serial | LoopKind::Parallel(_) | LoopKind::Unroll);
        let passes = *kind == LoopKind::Serial && Change::of(self.types, var, (lo, hi), body).is_some();
        is_plain && !passes && !is_short(lo, hi) && self.gains(var, body)
    }

    /// Is more done in an iteration of an innermost loop than to add few operations to floats that outlive
    /// it?
    fn gains(&self, var: &Name, body: &Stmt) -> bool {
        let (mut own, mut sums, mut gains, mut operations) = (BTreeSet::new(), 0, false, 0);
        body.for_each(&mut |stmt| match stmt {
            Stmt::Alloc { buf, .. } => {
                own.insert(buf);
            }
            Stmt::Store { buf, index, value, mode } => {
                value.for_each(&mut |part| match part {
                    Val::Call(..) | Val::Bin(BinOp::Div | BinOp::Rem, ..) => gains = true,
                    Val::Un(..) | Val::Bin(..) | Val::Cmp(..) | Val::Choose { .. } => operations += 1,
                    _ => {}
                });
                let is_sum = matches!(mode, StoreMode::Reduce(ReduceOp::Add | ReduceOp::Mul));
                if !own.contains(buf) {
                    sums += 1;
                    gains |= !(is_sum && self.is_float(buf)) || index.mentions(var) || index.reads();
                }
            }
            _ => {}
        });
        gains || operations > OPERATIONS * sums
    }

    fn is_float(&self, buf: &Name) -> bool {
        self.types.get(buf).is_some_and(|scalar| scalar.is_float() && !is_half(*scalar))
    }
}

/// Does a loop set the cells to something that is not zero? Zeros are set by a function of the library.
fn is_filled(extents: &[Int], init: &Init) -> bool {
    let Init::Value(value) = init else { return false };
    Int::product(extents).constant().is_none_or(|cells| cells > UNROLLED_BY_PRAGMA) && !is_zero(value)
}

/// Are all bits of the value 0?
fn is_zero(value: &Val) -> bool {
    matches!(value, Val::Lit(literal) if literal.bits() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    fn check(body: &str, expected: bool) {
        let params = "in f32 x[N] in f32 w[N] in i32 k[N] out f32 y[N] out i32 z[N]";
        let text = format!("kernel t(N) {params} {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(has_automatic_vectors(&kernel), expected, "{body}");
    }

    fn rows(body: &str) -> String {
        format!("for i in 0..N {{ {body} }}")
    }

    #[test]
    fn long_plain_loops_count() {
        check(&rows("y[i] = x[i]"), true);
        check(&rows("for c in 0..4 { y[i * 4 + c] = x[i * 4 + c] }"), true);
        check(&rows("for c in 0..N { y[i] = x[c] }"), true);
        check(&rows("unroll for c in 0..4 { y[c * N + i] = x[i] }"), true);
        check("f32x16 for i in 0..N / 16 * 16 { y[i] = x[i] }", false);
        check("vector for i in 0..N { y[i] = x[i] }", false);
        check(&rows("f32x16 for j in 0..N / 16 * 16 { y[i * N + j] = x[j] }"), false);
    }

    #[test]
    fn edges_do_not() {
        let edge = |end: &str| rows(&format!("for j in 0..{end} {{ y[i * N + j] = x[j] }}"));
        check(&edge("min(2, N)"), false);
        check(&edge("N - max(1, N - 2)"), false);
        check(&edge("max(1, N - 2) - 1"), true);
    }

    #[test]
    fn sums_of_floats_in_order_do_not() {
        let sum = |body: &str| format!("alloc register f32 s = 0f32 {{ {} y[0] = s }}", rows(body));
        check(&sum("s += x[i] * w[i]"), false);
        check(&sum("if x[i] < w[i] { s += x[i] }").replace("x[i] < w[i]", "i < 3"), false);
        check(&sum("s += x[i] / w[i]"), true);
        check(&sum("s += exp(x[i])"), true);
        check(&sum("s max= x[i]"), false);
        check(&sum("s max= x[i] / w[i]"), true);
        check(&sum("s += x[i] y[i] = s"), true);
        check(&rows("z[0] += k[i]"), true);
        check(&rows("y[i] += x[i]"), true);
        let much = ["x[i]"; 2 + OPERATIONS].join(" * ");
        check(&sum(&format!("s += {much}")), true);
        check(&sum("alloc register f32 d = 0f32 { d = x[i] - w[i] s += d * d }"), false);
    }

    #[test]
    fn arrays_that_are_filled_do() {
        let filled = |value: &str| format!("alloc heap f32 t[N] = {value} {{ }}");
        check(&filled("0f32"), false);
        check(&filled("1f32"), true);
    }
}
