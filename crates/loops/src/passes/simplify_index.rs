//! `simplify_index`: index terms and predicates without the arithmetic that reads as noise.
//!
//! It folds constants, drops `+ 0`, `* 1`, `/ 1` and their like, collects literal summands (`i + 1 - 1` is `i`), puts quotients
//! and remainders together (`(r + i / k) * k + i % k` is `r * k + i`), as fused loops leave them, and then
//! drops what has become plain: branches of literal conditions, empty loops, and loops of one iteration (but those that
//! give a name to what a buffer holds, as `for c in crd[p]..crd[p] + 1` does, stay). Terms like
//! `a * b + c` stay as they are, and no inequality is solved: that needs the checker's facts, and belongs
//! before lowering.

use super::rewrite::{Rewrite, Substitute, rewrite_kernel, rewrite_stmt};
use crate::intersection::Sequence;
use crate::search::Search;
use crate::{Bool, CmpOp, Int, IntOp, Kernel, Stmt, Val};

/// Simplifies the index terms and predicates of the kernel.
pub fn simplify_index(kernel: &Kernel) -> Kernel {
    rewrite_kernel(&Simplify, kernel)
}

/// The rules, at each node.
pub(super) struct Simplify;

impl Rewrite for Simplify {
    fn int(&self, int: Int) -> Int {
        if let Some(value) = int.constant() {
            return Int::Lit(value);
        }
        match int {
            Int::Bin(op, a, b) => binary(op, *a, *b),
            int => int,
        }
    }

    fn bool(&self, bool: Bool) -> Bool {
        match bool {
            Bool::Cmp(op, Int::Lit(a), Int::Lit(b)) => Bool::Lit(op.apply(&a, &b)),
            Bool::Cmp(op, a, b) if a == b => Bool::Lit(matches!(op, CmpOp::Eq | CmpOp::Le)),
            Bool::And(a, b) => match (*a, *b) {
                (Bool::Lit(true), other) | (other, Bool::Lit(true)) => other,
                (Bool::Lit(false), _) | (_, Bool::Lit(false)) => Bool::Lit(false),
                (a, b) => a.and(b),
            },
            Bool::Or(a, b) => match (*a, *b) {
                (Bool::Lit(false), other) | (other, Bool::Lit(false)) => other,
                (Bool::Lit(true), _) | (_, Bool::Lit(true)) => Bool::Lit(true),
                (a, b) => a.or(b),
            },
            Bool::Not(a) => match *a {
                Bool::Lit(value) => Bool::Lit(!value),
                Bool::Not(a) => *a,
                a => a.negate(),
            },
            bool => bool,
        }
    }

    fn val(&self, val: Val) -> Val {
        match val {
            Val::Select { cond, then, otherwise } => match *cond {
                Bool::Lit(true) => *then,
                Bool::Lit(false) => *otherwise,
                cond => Val::Select { cond: Box::new(cond), then, otherwise },
            },
            val => val,
        }
    }

    fn stmt(&self, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::If { cond: Bool::Lit(true), then, .. } => *then,
            Stmt::If { cond: Bool::Lit(false), otherwise, .. } => {
                otherwise.map_or_else(Stmt::skip, |stmt| *stmt)
            }
            Stmt::For { var, lo, hi, kind, body } => {
                match binary(IntOp::Sub, hi.clone(), lo.clone()).constant() {
                    Some(count) if count <= 0 => Stmt::skip(),
                    // With the variable gone, more may be plain. What a bound reads is read once, before the body.
                    Some(1) if !lo.reads() => {
                        rewrite_stmt(&Simplify, &rewrite_stmt(&Substitute { var, by: lo }, &body))
                    }
                    _ if *body == Stmt::skip() => Stmt::skip(),
                    _ => Stmt::For { var, lo, hi, kind, body },
                }
            }
            Stmt::Vectors { vectors, body } => {
                let count = binary(IntOp::Sub, vectors.hi.clone(), vectors.lo.clone()).constant();
                match count.is_some_and(|count| count <= 0) || *body == Stmt::skip() {
                    true => Stmt::skip(),
                    false => Stmt::Vectors { vectors, body },
                }
            }
            Stmt::Search { search, body } => {
                let Search { var, lo, hi, .. } = &search;
                match binary(IntOp::Sub, hi.clone(), lo.clone()).constant() {
                    Some(count) if count <= 0 => Stmt::skip(),
                    Some(1) if !lo.reads() => {
                        let only = Substitute { var: var.clone(), by: lo.clone() };
                        rewrite_stmt(&Simplify, &rewrite_stmt(&only, &Stmt::guard(search.cond(), *body)))
                    }
                    _ => Stmt::Search { search, body },
                }
            }
            Stmt::Intersection { intersection, body } => {
                let is_short = |Sequence { lo, hi, .. }: &Sequence| {
                    let count = binary(IntOp::Sub, hi.clone(), lo.clone()).constant();
                    count.is_some_and(|count| count <= 0 || count == 1 && !lo.reads())
                };
                if intersection.sequences().any(is_short) {
                    return rewrite_stmt(&Simplify, &intersection.loops(*body));
                }
                Stmt::Intersection { intersection, body }
            }
            stmt => stmt,
        }
    }
}

/// A binary operation on simplified terms, not both literals.
fn binary(op: IntOp, a: Int, b: Int) -> Int {
    match (op, a, b) {
        (IntOp::Add | IntOp::Sub, a, Int::Lit(0)) | (IntOp::Add, Int::Lit(0), a) => a,
        (IntOp::Mul, a, Int::Lit(1)) | (IntOp::Mul, Int::Lit(1), a) | (IntOp::Div, a, Int::Lit(1)) => a,
        (IntOp::Mul, _, Int::Lit(0)) | (IntOp::Mul | IntOp::Div, Int::Lit(0), _) => Int::Lit(0),
        (IntOp::Mod, _, Int::Lit(1 | -1)) => Int::Lit(0),
        (IntOp::Sub, a, b) if a == b => Int::Lit(0),
        (IntOp::Min | IntOp::Max, a, b) if a == b => a,
        (IntOp::Add, Int::Bin(IntOp::Mul, q, k), Int::Bin(IntOp::Mod, x, m)) if k == m => {
            match quotient(&q, &x, &k) {
                Some((None, x)) => x,
                Some((Some(rest), x)) => binary(IntOp::Add, rest * *k, x),
                None => *q * *k + x.floor_mod(*m),
            }
        }
        (IntOp::Add, Int::Lit(a), b) => sum(b, a),
        (IntOp::Add, a, Int::Lit(b)) => sum(a, b),
        (IntOp::Sub, a, Int::Lit(b)) if b != i64::MIN => sum(a, -b),
        // (x + c) - x
        (IntOp::Sub, Int::Bin(IntOp::Add, a, c), b) if *a == b => *c,
        (op, a, b) => Int::bin(op, a, b),
    }
}

/// `q` as `rest + y / k`, wherever in the rest's sum the brackets are, or `y / k` alone, where `y % k` is `x % k`; the rest and `y`.
fn quotient(q: &Int, x: &Int, k: &Int) -> Option<(Option<Int>, Int)> {
    match q {
        Int::Bin(IntOp::Add, rest, last) => {
            let (more, y) = quotient(last, x, k)?;
            let rest = (**rest).clone();
            let rest = match more {
                None => rest,
                Some(more) => rest + more,
            };
            Some((Some(rest), y))
        }
        q => Some((None, dividend(q, x, k)?)),
    }
}

/// The `y` of `y / k`, where `y % k` is `x % k`; of `z / (d * k)`, which is `z / d / k`, where `x` is `z / d`.
fn dividend(q: &Int, x: &Int, k: &Int) -> Option<Int> {
    let Int::Bin(IntOp::Div, y, m) = q else { return None };
    if **m == *k && is_congruent(y, x, k) {
        return Some((**y).clone());
    }
    let Int::Bin(IntOp::Div, z, d) = x else { return None };
    let (k, d, m) = (k.constant()?, d.constant()?, m.constant()?);
    (z == y && k > 0 && d > 0 && d.checked_mul(k) == Some(m)).then(|| x.clone())
}

/// Is `y` `x`, but for a multiple of `k`? `a * 20 + i` is `a * 4 + i`, but for one of 16.
fn is_congruent(y: &Int, x: &Int, k: &Int) -> bool {
    let multiple = |c: Option<i64>| k.constant().is_some_and(|k| k > 0 && c.is_some_and(|c| c % k == 0));
    if y == x {
        return true;
    }
    match (y, x) {
        (Int::Lit(c), Int::Lit(d)) => multiple(c.checked_sub(*d)),
        (Int::Bin(IntOp::Mul, a, c), Int::Bin(IntOp::Mul, b, d)) if a == b => {
            multiple(c.constant().zip(d.constant()).and_then(|(c, d)| c.checked_sub(d)))
        }
        (Int::Bin(IntOp::Add, a, c), Int::Bin(IntOp::Add, b, d)) if is_congruent(a, b, k) => {
            is_congruent(c, d, k)
        }
        (Int::Bin(IntOp::Add, a, last), x) if **last == *x => {
            matches!(&**a, Int::Bin(IntOp::Mul, _, c) if multiple(c.constant()))
        }
        _ => false,
    }
}

/// `a + literal`, where `a` may itself end in a literal.
fn sum(a: Int, literal: i64) -> Int {
    let joined = literal_summand(&a).and_then(|(rest, old)| Some((rest.clone(), old.checked_add(literal)?)));
    let (rest, total) = joined.unwrap_or((a, literal));
    match total {
        0 => rest,
        1.. | i64::MIN => rest + Int::Lit(total),
        _ => rest - Int::Lit(-total),
    }
}

/// The term as a sum that ends in a literal.
fn literal_summand(a: &Int) -> Option<(&Int, i64)> {
    match a {
        Int::Bin(IntOp::Add, rest, last) => Some((rest, last.constant()?)),
        Int::Bin(IntOp::Sub, rest, last) => Some((rest, last.constant()?.checked_neg()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::simplify_index;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        gives(
            simplify_index,
            "kernel t(N, M) in f32 x[N] in i32 c[N] out f32 y[N] out i32 d[N]",
            before,
            after,
        );
    }

    #[test]
    fn terms() {
        check("y[(N * 1 + 0) * M + 2 * 3] = x[N + 1 - 1]", "y[N * M + 6] = x[N]");
        check("y[N + -2 - -3] = x[1 + (N - 4)]", "y[N + 1] = x[N - 3]");
        check("y[N / 1 % 1] = x[0 * N + min(M, M)]", "y[0] = x[M]");
        check("y[N * M + N] = x[N - M]", "y[N * M + N] = x[N - M]");
        check("y[N + 9223372036854775807 + 1] = x[0]", "y[N + 9223372036854775807 + 1] = x[0]");
    }

    #[test]
    fn quotients_and_remainders() {
        check("y[N / 8 * 8 + N % 8] = x[(M + (N + 1) / 4) * 4 + (N + 1) % 4]", "y[N] = x[M * 4 + (N + 1)]");
        check(
            "y[(M + N / 4 / 2 * 2 + N / 4 % 2) * 4 + N % 4] = x[0]",
            "y[(M + N / 4 / 2 * 2 + N / 4 % 2) * 4 + N % 4] = x[0]",
        );
        check("y[((M + N / 4 / 2) * 2 + N / 4 % 2) * 4 + N % 4] = x[0]", "y[M * 2 * 4 + N] = x[0]");
        check("y[((N * 16 + M) / 64 * 8 + (N * 16 + M) / 8 % 8) * 8 + M % 8] = x[0]", "y[N * 16 + M] = x[0]");
        check("y[(N * 12 + M) / 8 * 8 + M % 8] = x[0]", "y[(N * 12 + M) / 8 * 8 + M % 8] = x[0]");
        check("y[(M + (N * 14 + N / 8)) * 8 + N % 8] = x[0]", "y[(M + N * 14) * 8 + N] = x[0]");
        check("y[(N * 20 + M) / 8 * 8 + (N * 4 + M) % 8] = x[0]", "y[N * 20 + M] = x[0]");
        check("y[(M + (N * 19 + M) / 8) * 8 + (N * 4 + M) % 8] = x[0]", {
            "y[(M + (N * 19 + M) / 8) * 8 + (N * 4 + M) % 8] = x[0]"
        });
        check("y[(M + (N + 16) / 5) * 5 + (N + 1) % 5] = x[0]", "y[M * 5 + (N + 16)] = x[0]");
        check("y[(N + 16) / 5 * 5 + (N + 2) % 5] = x[0]", "y[(N + 16) / 5 * 5 + (N + 2) % 5] = x[0]");
        check("y[N / 8 * 4 + N % 8] = x[N / 8 * 8 + M % 8]", "y[N / 8 * 4 + N % 8] = x[N / 8 * 8 + M % 8]");
    }

    #[test]
    fn statements_and_selections() {
        check("if 0 < 1 && N <= N { y[0] = x[0] } else { y[1] = x[1] }", "y[0] = x[0]");
        check(
            "if !(M < M || 2 == 3) { y[0] = (N == N && M < 3 ? x[0] : x[1]) }",
            "y[0] = (M < 3 ? x[0] : x[1])",
        );
        check("for i in 3..3 { y[i] = x[i] } for j in 0..M { if 1 < 0 { y[j] = x[j] } }", "");
    }

    /// A name for what a buffer holds stays one: the body may change the buffer, or not come to where it was read.
    #[test]
    fn what_is_read_is_read_where_it_was() {
        for kept in [
            "for p in c[N]..c[N] + 1 { d[N] = 0i32 y[p] = x[p] }",
            "for p in c[N]..c[N] + 1 { if p < 3 { y[p] = x[p] } }",
            "for p in c[N]..M { d[p] = 0i32 y[c[N + 1]] = x[d[p]] }",
            "if c[N] < 2 && c[c[N]] == 1 { y[0] = x[0] }",
        ] {
            check(kept, kept);
        }
        check("y[c[N + 1 - 1] * 1 + 0] = x[c[2 * 3]]", "y[c[N]] = x[c[6]]");
        check("for p in c[N]..c[N] { y[p] = x[p] } if c[1] == c[1] { y[0] = x[0 * c[0]] }", "y[0] = x[0]");
    }

    #[test]
    fn loops_of_one_iteration() {
        check("parallel for i in N..N + 1 { for j in i..N + 1 { y[i] = x[j - i] } }", "y[N] = x[0]");
    }
}
