//! `first_rounds`: the first iterations of a loop on their own, where a condition is decided after them.
//!
//! ```text
//! for t in 0..N { y[t] := (1 <= t ? y[t - 1] : 0) + x[t] }
//!   =  for t in 0..min(N, 1) { y[t] := (1 <= t ? y[t - 1] : 0) + x[t] }
//!      for t in 1..N { y[t] := y[t - 1] + x[t] }
//! ```
//! In a recurrence each iteration waits for the one before, so a condition on the way between them costs
//! its time in every iteration, and hides from a compiler that the last value may stay in a register. Only
//! serial loops are split that replace cells, the innermost two of a nest, at a literal iteration that is
//! not far away.

use super::copies::Copies;
use super::rewrite::{Rewrite, rewrite_stmt};
use crate::{Bool, CmpOp, Int, IntOp, Kernel, LoopKind, Name, Stmt, StoreMode, Val};
use std::collections::BTreeMap;

/// The most iterations that are first ones.
const FIRST: i64 = 4;

/// Bodies of more statements are not written out twice.
const STATEMENTS: usize = 48;

/// Splits the first iterations off loops that replace cells.
pub fn first_rounds(kernel: &Kernel) -> Kernel {
    Kernel { body: Splitter(Copies::of(kernel)).stmt(&kernel.body), ..kernel.clone() }
}

/// The pass at work.
struct Splitter(Copies);

impl Splitter {
    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let split = match stmt {
            Stmt::For { var, lo, hi, kind: LoopKind::Serial, body } => self.split(var, (lo, hi), body),
            _ => None,
        };
        match split {
            Some([first, rest]) => Stmt::seq([self.inside(&first), self.inside(&rest)]),
            None => self.inside(stmt),
        }
    }

    fn inside(&mut self, stmt: &Stmt) -> Stmt {
        stmt.map_parts(&mut |part| self.stmt(part))
    }

    fn split(&mut self, var: &Name, (lo, hi): (&Int, &Int), body: &Stmt) -> Option<[Stmt; 2]> {
        let Int::Lit(first) = lo else { return None };
        if !is_recurrence(body) || depth(body) > 1 || hi.reads() {
            return None;
        }
        let mut found = Vec::new();
        each_condition(body, &mut |cond| starts(cond, var, &mut found));
        let most = first.checked_add(FIRST)?;
        let start = found.into_iter().filter(|start| first < start && *start <= most).max()?;
        // Split before.
        let is_first = match hi {
            Int::Lit(hi) => *hi <= start,
            Int::Bin(IntOp::Min, _, end) => end.constant().is_some_and(|end| end <= start),
            _ => false,
        };
        if is_first {
            return None;
        }
        let end = hi.clone().min(Int::Lit(start));
        let before = Stmt::for_loop(var.clone(), lo.clone(), end, LoopKind::Serial, body.clone());
        let decide = |cond: &Bool| match self::start(cond, var) {
            Some((from, holds)) if from <= start => Some(holds),
            _ => None,
        };
        let body = rewrite_stmt(&Decided(decide), &self.0.copy(body));
        Some([before, Stmt::for_loop(var.clone(), Int::Lit(start), hi.clone(), LoopKind::Serial, body)])
    }
}

/// Does it replace cells, and is it short?
fn is_recurrence(body: &Stmt) -> bool {
    let mut count = 0;
    body.for_each(&mut |_| count += 1);
    count <= STATEMENTS && body.any(|stmt| matches!(stmt, Stmt::Store { mode: StoreMode::Replace, .. }))
}

/// How many loops are inside each other.
fn depth(stmt: &Stmt) -> usize {
    stmt.parts().map(depth).max().unwrap_or(0) + usize::from(stmt.is_loop())
}

/// Calls `f` on the conditions of statements and of values.
pub(super) fn each_condition(stmt: &Stmt, f: &mut impl FnMut(&Bool)) {
    stmt.for_each(&mut |stmt| match stmt {
        Stmt::If { cond, .. } => f(cond),
        Stmt::Store { value, .. } | Stmt::Push { value, .. } => value.for_each(&mut |part| {
            if let Val::Select { cond, .. } = part {
                f(cond);
            }
        }),
        _ => {}
    });
}

/// The iterations from which on a part of the condition is decided.
fn starts(cond: &Bool, var: &Name, found: &mut Vec<i64>) {
    match cond {
        Bool::And(a, b) | Bool::Or(a, b) => {
            starts(a, var, found);
            starts(b, var, found);
        }
        Bool::Not(a) => starts(a, var, found),
        cond => found.extend(start(cond, var).map(|(start, _)| start)),
    }
}

/// The iteration from which on a comparison is decided, and whether it holds then. Before, it is the other way;
/// of an equality, right before.
pub(super) fn start(cond: &Bool, var: &Name) -> Option<(i64, bool)> {
    let Bool::Cmp(op, a, b) = cond else { return None };
    let mut sum = Sum::default();
    sum.add(b, 1)?;
    sum.add(a, -1)?;
    sum.factors.retain(|_, factor| *factor != 0);
    let factor = sum.factors.get(var).filter(|_| sum.factors.len() == 1)?;
    // `factor * var + constant` is at least 0, or 1; or equal to 0.
    match (op, factor) {
        (CmpOp::Lt, 1) => Some((1_i64.checked_sub(sum.constant)?, true)),
        (CmpOp::Le, 1) => Some((0_i64.checked_sub(sum.constant)?, true)),
        (CmpOp::Lt, -1) => Some((sum.constant, false)),
        (CmpOp::Le, -1) => Some((sum.constant.checked_add(1)?, false)),
        (CmpOp::Eq | CmpOp::Ne, 1) => Some((1_i64.checked_sub(sum.constant)?, *op == CmpOp::Ne)),
        (CmpOp::Eq | CmpOp::Ne, -1) => Some((sum.constant.checked_add(1)?, *op == CmpOp::Ne)),
        _ => None,
    }
}

/// A linear term.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) factors: BTreeMap<Name, i64>,
    pub(super) constant: i64,
}

impl Sum {
    pub(super) fn add(&mut self, int: &Int, by: i64) -> Option<()> {
        match int {
            Int::Lit(n) => self.constant = self.constant.checked_add(n.checked_mul(by)?)?,
            Int::Var(name) => {
                let factor = self.factors.entry(name.clone()).or_default();
                *factor = factor.checked_add(by)?;
            }
            Int::Bin(IntOp::Add, a, b) => {
                self.add(a, by)?;
                self.add(b, by)?;
            }
            Int::Bin(IntOp::Sub, a, b) => {
                self.add(a, by)?;
                self.add(b, by.checked_neg()?)?;
            }
            Int::Bin(IntOp::Mul, a, b) => match (a.constant(), b.constant()) {
                (Some(factor), _) => self.add(b, by.checked_mul(factor)?)?,
                (_, Some(factor)) => self.add(a, by.checked_mul(factor)?)?,
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }
}

/// The condition without parts that are decided.
fn decided(bool: Bool) -> Bool {
    match bool {
        Bool::And(a, b) => match (*a, *b) {
            (Bool::Lit(true), other) | (other, Bool::Lit(true)) => other,
            (Bool::Lit(false), _) | (_, Bool::Lit(false)) => Bool::Lit(false),
            (a, b) => a.and(b),
        },
        Bool::Or(a, b) => match (*a, *b) {
            (Bool::Lit(true), _) => Bool::Lit(true),
            (Bool::Lit(false), other) | (other, Bool::Lit(false)) => other,
            (a, b) => a.or(b),
        },
        Bool::Not(a) => match *a {
            Bool::Lit(holds) => Bool::Lit(!holds),
            a => a.negate(),
        },
        bool => bool,
    }
}

/// Statements without conditions that are decided: this one says which comparisons are.
pub(super) struct Decided<F>(pub(super) F);

impl<F: Fn(&Bool) -> Option<bool>> Rewrite for Decided<F> {
    fn int(&self, int: Int) -> Int {
        int
    }

    fn bool(&self, bool: Bool) -> Bool {
        self.0(&bool).map_or_else(|| decided(bool), Bool::Lit)
    }

    fn val(&self, val: Val) -> Val {
        match val {
            Val::Select { cond, then, otherwise } => match *cond {
                Bool::Lit(true) => *then,
                Bool::Lit(false) => *otherwise,
                cond => Val::select(cond, *then, *otherwise),
            },
            val => val,
        }
    }

    fn stmt(&self, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::If { cond: Bool::Lit(true), then, .. } => *then,
            Stmt::If { cond: Bool::Lit(false), otherwise, .. } => {
                otherwise.map_or_else(Stmt::skip, |otherwise| *otherwise)
            }
            stmt => stmt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_rounds;
    use crate::passes::tests::gives;

    fn check(before: &str, after: &str) {
        gives(first_rounds, "kernel t(N, M) in f32 x[N] out f32 y[N]", before, after);
    }

    #[test]
    fn conditions_that_first_iterations_fail() {
        check(
            "for t in 0..N { y[t] := (1 <= t ? y[t - 1] : 0f32) + x[t] }",
            "for t in 0..min(N, 1) { y[t] := (1 <= t ? y[t - 1] : 0f32) + x[t] } \
             for t in 1..N { y[t] := y[t - 1] + x[t] }",
        );
        check(
            "for t in 0..N { y[t] := (0 <= t - 2 && t < M ? y[t - 2] : 0f32) if 0 < t { y[t] := y[t - 1] } }",
            "for t in 0..min(N, 2) { y[t] := (0 <= t - 2 && t < M ? y[t - 2] : 0f32) if 0 < t { y[t] := y[t - 1] } } \
             for t in 2..N { y[t] := (t < M ? y[t - 2] : 0f32) y[t] := y[t - 1] }",
        );
        check(
            "for i in 0..N { y[N - 1 - i] := (N - 1 - i + 1 < N ? y[N - i] : 0f32) }",
            "for i in 0..min(N, 1) { y[N - 1 - i] := (N - 1 - i + 1 < N ? y[N - i] : 0f32) } \
             for i in 1..N { y[N - 1 - i] := y[N - i] }",
        );
    }

    #[test]
    fn both_loops_of_a_table() {
        check(
            "for i in 0..N { for j in 0..M { y[i * M + j] := (1 <= i ? y[i * M + j - M] : 0f32) + (1 <= j ? y[i * M + j - 1] : 0f32) } }",
            "for i in 0..min(N, 1) { \
               for j in 0..min(M, 1) { y[i * M + j] := (1 <= i ? y[i * M + j - M] : 0f32) + (1 <= j ? y[i * M + j - 1] : 0f32) } \
               for j in 1..M { y[i * M + j] := (1 <= i ? y[i * M + j - M] : 0f32) + y[i * M + j - 1] } } \
             for i in 1..N { \
               for j in 0..min(M, 1) { y[i * M + j] := y[i * M + j - M] + (1 <= j ? y[i * M + j - 1] : 0f32) } \
               for j in 1..M { y[i * M + j] := y[i * M + j - M] + y[i * M + j - 1] } }",
        );
    }

    #[test]
    fn conditions_of_which_the_first_iterations_are_the_cases() {
        check(
            "for t in 0..N { y[t] := (t == 0 || M == 5 ? x[t] : y[t - 1]) }",
            "for t in 0..min(N, 1) { y[t] := (t == 0 || M == 5 ? x[t] : y[t - 1]) } \
             for t in 1..N { y[t] := (M == 5 ? x[t] : y[t - 1]) }",
        );
        check(
            "for t in 0..N { y[t] := (M == 5 && 1 == t ? x[t] : y[t]) if t < 2 { y[t] := x[t] } }",
            "for t in 0..min(N, 2) { y[t] := (M == 5 && 1 == t ? x[t] : y[t]) if t < 2 { y[t] := x[t] } } \
             for t in 2..N { y[t] := y[t] }",
        );
        check(
            "for t in 0..N { y[t] := (t != 0 ? y[t - 1] : 0f32) }",
            "for t in 0..min(N, 1) { y[t] := (t != 0 ? y[t - 1] : 0f32) } for t in 1..N { y[t] := y[t - 1] }",
        );
        check(
            "for t in 0..N { y[t] := (t <= 1 ? x[t] : y[t - 2]) }",
            "for t in 0..min(N, 2) { y[t] := (t <= 1 ? x[t] : y[t - 2]) } for t in 2..N { y[t] := y[t - 2] }",
        );
        check(
            "for i in 0..N { for j in 0..M { y[i * M + j] := (i == 0 || j == 0 ? 1f32 : y[i * M + j - 1]) } }",
            "for i in 0..min(N, 1) { \
               for j in 0..min(M, 1) { y[i * M + j] := (i == 0 || j == 0 ? 1f32 : y[i * M + j - 1]) } \
               for j in 1..M { y[i * M + j] := (i == 0 ? 1f32 : y[i * M + j - 1]) } } \
             for i in 1..N { \
               for j in 0..min(M, 1) { y[i * M + j] := (j == 0 ? 1f32 : y[i * M + j - 1]) } \
               for j in 1..M { y[i * M + j] := y[i * M + j - 1] } }",
        );
    }

    #[test]
    fn others_stay() {
        for kept in [
            "for t in 0..N { y[t] = (1 <= t ? x[t - 1] : 0f32) + x[t] }",
            "for t in 0..N { y[t] := (9 <= t ? y[t - 9] : 0f32) }",
            "for t in 0..N { y[t] := (t < 5 ? x[t] : y[t]) }",
            "for t in 0..N { y[t] := (M <= t ? x[t] : y[t]) }",
            "for t in M..N { y[t] := (1 <= t ? x[t] : y[t]) }",
            "for t in 0..1 { y[t] := (1 <= t ? x[t] : y[t]) }",
            "vector for t in 0..N { y[t] := (1 <= t ? x[t] : y[t]) }",
        ] {
            check(kept, kept);
        }
    }
}
