//! `unroll`: loops over the cells of a register buffer, written out, so that literals name the cells.
//!
//! Registers have no addresses. So where the body of a loop with literal bounds touches a register buffer, a loop marked
//! `unroll` becomes its bodies one after the other, with the value in the variable's place, and a vector loop of nothing
//! but stores and conditions, whose count is a multiple of its lanes, loops of just these lanes, from 0. A back end can then keep each
//! cell, or each vector of them, in a register. Allocations in copies get names of their own. What would grow beyond
//! [`MAX_STATEMENTS`] stays a loop.

use super::copies::Copies;
use super::rewrite::{Substitute, rewrite_stmt};
use super::simplify_index::Simplify;
use crate::lanes::Vectors;
use crate::{Int, Kernel, LoopKind, Name, Stmt, Storage, Val};
use std::collections::BTreeSet;

/// The most statements that a loop may become.
const MAX_STATEMENTS: usize = 512;

/// Unrolls the loops over register buffers that are marked so and short.
pub fn unroll(kernel: &Kernel) -> Kernel {
    let mut registers = BTreeSet::new();
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, extents, storage: Storage::Register, .. } = stmt
            && !extents.is_empty()
        {
            registers.insert(buf.clone());
        }
    });
    Kernel { body: Unroller { copies: Copies::of(kernel), registers }.stmt(&kernel.body), ..kernel.clone() }
}

/// The pass at work.
struct Unroller {
    copies: Copies,
    /// The buffers whose cells are to be named.
    registers: BTreeSet<Name>,
}

/// The lanes of a loop, and one like it from 0 with another end and body.
struct Lanes<'a> {
    count: u32,
    like: &'a dyn Fn(Int, Stmt) -> Stmt,
}

impl Unroller {
    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let stmt = stmt.map_parts(&mut |part| self.stmt(part));
        let cut = match &stmt {
            Stmt::For { var, lo, hi, kind: LoopKind::Unroll, body } => self.cut(var, (lo, hi), None, body),
            Stmt::For { var, lo, hi, kind: kind @ LoopKind::Vector { width: Some(lanes) }, body } => {
                let lanes = Lanes {
                    count: *lanes,
                    like: &|hi, body| Stmt::for_loop(var.clone(), Int::Lit(0), hi, kind.clone(), body),
                };
                self.cut(var, (lo, hi), Some(lanes), body)
            }
            Stmt::Vectors { vectors: vectors @ Vectors { var, lo, hi, lanes, .. }, body } => {
                let lanes = Lanes {
                    count: *lanes,
                    like: &|hi, body| {
                        let vectors = Vectors { lo: Int::Lit(0), hi, ..vectors.clone() };
                        Stmt::Vectors { vectors, body: Box::new(body) }
                    },
                };
                self.cut(var, (lo, hi), Some(lanes), body)
            }
            _ => None,
        };
        cut.unwrap_or(stmt)
    }

    /// The pieces of a loop, iterations or vectors, one after the other, if it is cut at all.
    fn cut(
        &mut self,
        var: &Name,
        (lo, hi): (&Int, &Int),
        lanes: Option<Lanes<'_>>,
        body: &Stmt,
    ) -> Option<Stmt> {
        let (first, end) = (lo.constant()?, hi.constant()?);
        let step = lanes.as_ref().map_or(1, |lanes| i64::from(lanes.count));
        let count = end.checked_sub(first)?;
        let (mut statements, mut is_straight, mut touches) = (0, true, false);
        body.for_each(&mut |stmt| {
            statements += 1;
            is_straight &= matches!(stmt, Stmt::Seq(_) | Stmt::If { .. } | Stmt::Store { .. });
            touches |= self.touches(stmt);
        });
        let fits = usize::try_from(count / step).ok()?.checked_mul(statements)? <= MAX_STATEMENTS;
        let whole = count > 0 && count % step == 0;
        let apt = touches && (lanes.is_none() || is_straight);
        let pieces = (whole && fits && apt).then_some(0..count / step)?;
        Some(Stmt::seq(pieces.map(|k| {
            let copy = if k == 0 { body.clone() } else { self.copies.copy(body) };
            piece(var, first + k * step, lanes.as_ref(), &copy)
        })))
    }

    /// Is a register buffer stored to, or loaded from?
    fn touches(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        stmt.for_each_read(&mut |buf, _| found |= self.registers.contains(buf));
        if let Stmt::Store { buf, value, .. } = stmt {
            found |= self.registers.contains(buf);
            value.for_each(&mut |part| {
                found |= matches!(part, Val::Load { buf, .. } if self.registers.contains(buf));
            });
        }
        found
    }
}

/// The iterations from `start` on: one, or those of a vector.
fn piece(var: &Name, start: i64, lanes: Option<&Lanes<'_>>, body: &Stmt) -> Stmt {
    let by = match lanes {
        None => Int::Lit(start),
        Some(_) if start == 0 => Int::Var(var.clone()),
        Some(_) => Int::Var(var.clone()) + Int::Lit(start),
    };
    let body = rewrite_stmt(&Simplify, &rewrite_stmt(&Substitute { var: var.clone(), by }, body));
    match lanes {
        None => body,
        Some(lanes) => (lanes.like)(Int::Lit(i64::from(lanes.count)), body),
    }
}

#[cfg(test)]
mod tests {
    use super::unroll;
    use crate::passes::tests::gives;

    /// With a register buffer `t` of 16 cells around both.
    fn check(before: &str, after: &str) {
        let around = |body: &str| format!("alloc register f32 t[16] = 0.0f32 {{ {body} }}");
        gives(unroll, "kernel f(N) in f32 x[N] in i32 c[N] out f32 y[N]", &around(before), &around(after));
    }

    #[test]
    fn literal_bounds_become_literals() {
        check("unroll for i in 1..3 { y[i * 4] = t[i] }", "y[4] = t[1] y[8] = t[2]");
        check("unroll for i in 1..3 { for k in 0..N { t[i] += x[k] } }", {
            "for k in 0..N { t[1] += x[k] } for k in 0..N { t[2] += x[k] }"
        });
    }

    #[test]
    fn what_index_terms_read_goes_along() {
        check("unroll for i in 0..2 { y[c[i]] = t[i] }", "y[c[0]] = t[0] y[c[1]] = t[1]");
        let with = |body: &str| format!("alloc register i32 n[2] = 1i32 {{ {body} }}");
        check(
            &with("unroll for i in 0..2 { for p in c[i]..n[i] { y[p] = x[i] } }"),
            &with("for p in c[0]..n[0] { y[p] = x[0] } for p in c[1]..n[1] { y[p] = x[1] }"),
        );
        // A copy reads its own.
        check(
            "unroll for i in 0..2 { alloc stack i32 s[1] uninit { s[0] = i32(int(c[i])) y[s[0]] = t[c[s[0]]] } }",
            "alloc stack i32 s[1] uninit { s[0] = i32(int(c[0])) y[s[0]] = t[c[s[0]]] } \
             alloc stack i32 s_1[1] uninit { s_1[0] = i32(int(c[1])) y[s_1[0]] = t[c[s_1[0]]] }",
        );
    }

    #[test]
    fn other_loops_stay() {
        for body in [
            "unroll for i in 0..N { t[i] += x[i] }",
            "unroll for i in 0..2 { y[i] = x[i] }",
            "for i in 0..2 { t[i] += x[i] }",
            "unroll for i in 0..600 { y[i] = t[0] }",
            "vector for j in 0..8 { t[j] += x[j] }",
            "vector(4) for j in 0..6 { t[j] += x[j] }",
            "vector(4) for j in 0..8 { for k in 0..N { t[j] += x[k] } }",
        ] {
            check(body, body);
        }
    }

    #[test]
    fn vectors_of_just_their_lanes() {
        check(
            "unroll for i in 0..2 { f32x4 for j in 0..8 { t[i * 8 + j] += x[j] } }",
            "f32x4 for j in 0..4 { t[j] += x[j] } f32x4 for j in 0..4 { t[j + 4] += x[j + 4] } \
             f32x4 for j in 0..4 { t[j + 8] += x[j] } f32x4 for j in 0..4 { t[j + 12] += x[j + 4] }",
        );
        check(
            "vector(4) for j in 0..8 { t[j] += x[2 * j] }",
            "vector(4) for j in 0..4 { t[j] += x[2 * j] } vector(4) for j in 0..4 { t[j + 4] += x[2 * (j + 4)] }",
        );
    }

    #[test]
    fn conditions_on_lanes_go_along() {
        check(
            "vector(4) for j in 0..8 { if j < N { t[j] += x[j] } }",
            "vector(4) for j in 0..4 { if j < N { t[j] += x[j] } } \
             vector(4) for j in 0..4 { if j + 4 < N { t[j + 4] += x[j + 4] } }",
        );
    }

    #[test]
    fn copies_of_buffers_have_their_own_names() {
        let loop_over = |name: &str, cell: i64| {
            format!("alloc stack f32 {name}[1] uninit {{ {name}[0] = t[{cell}] y[{cell}] = {name}[0] }}")
        };
        check(
            "alloc heap f32 s_1[1] uninit { unroll for i in 0..3 { \
             alloc stack f32 s[1] uninit { s[0] = t[i] y[i] = s[0] } } }",
            &format!(
                "alloc heap f32 s_1[1] uninit {{ {} {} {} }}",
                loop_over("s", 0),
                loop_over("s_2", 1),
                loop_over("s_3", 2)
            ),
        );
    }
}
