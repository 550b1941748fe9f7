//! Whether several integers are added up side by side, each through a conversion.
//!
//! One idea: a signed sum prints as `a = (int32_t)((uint32_t)a + (uint32_t)x)`, and what is unsigned in it
//! is what the statements after the loop use. GCC 12 makes lanes of one group of several such sums of a
//! loop body, and takes the last lanes of the vector for their values, before lanes are added up: the sum
//! is then that of a part of the elements. A single sum it leaves alone, however many numbers an iteration
//! adds to it, and of floats and wide unsigned numbers none is converted. What a round makes of a state, `a
//! := a + x`, is printed alike. Every count errs upwards: a kernel that is judged so without need is slower.

use atl_loops::{BinOp, Int, Kernel, LoopKind, Name, ReduceOp, Scalar, Stmt, Storage, StoreMode, Val};
use std::collections::{BTreeMap, BTreeSet};

/// The longest count of a loop that a compiler repeats whole.
const UNROLLED: i64 = 64;

/// Is there a loop body that adds to several integers which are converted?
pub(crate) fn has_converted_sums(kernel: &Kernel) -> bool {
    let mut small = BTreeSet::new();
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, storage: Storage::Register | Storage::Stack, .. } = stmt {
            small.insert(buf);
        }
    });
    let mut walk = Walk { types: &kernel.buffer_types(), small, carried: BTreeSet::new(), found: false };
    walk.stmt(&kernel.body);
    walk.found
}

struct Walk<'k> {
    types: &'k BTreeMap<Name, Scalar>,
    /// Buffers that may be registers.
    small: BTreeSet<&'k Name>,
    /// Buffers that an iteration leaves to the next one.
    carried: BTreeSet<&'k Name>,
    found: bool,
}

/// A sum that an iteration goes on with: where it is, and of how many cells it is one.
#[derive(Clone, Copy)]
struct Sum<'k> {
    buf: &'k Name,
    /// The cell, unless it is another one in each iteration of a loop around.
    cell: Option<&'k Int>,
    count: i64,
}

impl<'k> Walk<'k> {
    /// The sums that a statement adds to, inner loops of constant count repeated.
    ///
    /// What is added to one cell, however often, is one sum. A buffer that the statement allocates is none:
    /// it begins again in each iteration.
    fn stmt(&mut self, stmt: &'k Stmt) -> Vec<Sum<'k>> {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().map(|stmt| self.stmt(stmt)).fold(vec![], both),
            // What is printed as vectors has the lanes that the text says.
            Stmt::Vectors { .. } => vec![],
            Stmt::For { var, lo, hi, kind, body, .. } => {
                let once = self.repeated(body);
                let most = if *kind == LoopKind::Unroll { UNROLLED } else { UNROLLED / 4 };
                let Some(count) = count(lo, hi).filter(|count| *count <= most) else { return vec![] };
                let repeated = |sum: Sum<'k>| match sum.cell.filter(|cell| !cell.mentions(var)) {
                    Some(_) => sum,
                    None => Sum { cell: None, count: sum.count.saturating_mul(count), ..sum },
                };
                once.into_iter().map(repeated).collect()
            }
            Stmt::Store { buf, index, value, mode, .. } => {
                let is_sum = match mode {
                    StoreMode::Reduce(op) => self.is_converted(buf, *op),
                    _ => self.is_narrow(buf) && self.is_carried_on(value),
                };
                if is_sum { vec![Sum { buf, cell: Some(index), count: 1 }] } else { vec![] }
            }
            Stmt::Search { body, .. } | Stmt::Intersection { body, .. } => self.repeated(body),
            Stmt::Visit { body, .. } | Stmt::Merge { body, .. } => {
                self.repeated(body);
                vec![]
            }
            Stmt::If { then, otherwise, .. } => {
                let then = self.stmt(then);
                let otherwise = otherwise.as_ref().map_or_else(Vec::new, |otherwise| self.stmt(otherwise));
                both(then, otherwise)
            }
            Stmt::Alloc { buf, body, .. } => {
                let mut sums = self.stmt(body);
                sums.retain(|sum| sum.buf != buf);
                sums
            }
            Stmt::Push { .. } | Stmt::Reset { .. } | Stmt::Forget { .. } | Stmt::Prefetch { .. } => vec![],
        }
    }

    /// The same for the body of a loop.
    fn repeated(&mut self, body: &'k Stmt) -> Vec<Sum<'k>> {
        let mut carried: BTreeSet<&Name> = body.stored().into_iter().collect();
        body.for_each(&mut |stmt| {
            if let Stmt::Alloc { buf, .. } = stmt {
                carried.remove(buf);
            }
        });
        let around = std::mem::replace(&mut self.carried, carried);
        let once = self.stmt(body);
        self.carried = around;
        self.found |= once.iter().fold(0, |all: i64, sum| all.saturating_add(sum.count)) >= 2;
        once
    }

    fn is_converted(&self, buf: &Name, op: ReduceOp) -> bool {
        self.is_narrow(buf) && !matches!(op, ReduceOp::Min | ReduceOp::Max)
    }

    fn is_narrow(&self, buf: &Name) -> bool {
        self.types.get(buf).is_some_and(|scalar| {
            !scalar.is_float() && !matches!(scalar, Scalar::Bool | Scalar::U32 | Scalar::U64)
        })
    }

    /// Is it computed from what an earlier iteration left in one place?
    fn is_carried_on(&self, value: &Val) -> bool {
        let (mut computes, mut reads) = (false, false);
        value.for_each(&mut |part| match part {
            Val::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => computes = true,
            Val::Load { buf, index } => {
                let is_one_place = self.small.contains(buf) || index.constant().is_some();
                reads |= is_one_place && self.carried.contains(buf);
            }
            _ => {}
        });
        computes && reads
    }
}

/// The sums of two statements, those in one cell once.
fn both<'k>(mut sums: Vec<Sum<'k>>, others: Vec<Sum<'k>>) -> Vec<Sum<'k>> {
    for other in others {
        let is_same =
            |sum: &&mut Sum<'k>| sum.cell.is_some() && (sum.buf, sum.cell) == (other.buf, other.cell);
        match sums.iter_mut().find(is_same) {
            Some(sum) => sum.count = sum.count.max(other.count),
            None => sums.push(other),
        }
    }
    sums
}

/// The iterations of a loop, where that is visible.
fn count(lo: &Int, hi: &Int) -> Option<i64> {
    (hi.clone() - lo.clone()).constant()
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    fn check(scalar: &str, sums: &str, expected: bool) {
        let text = format!(
            "kernel t(N) in {scalar} a[N, 4] out {scalar} y[N] {{ \
             alloc register {scalar} s[4] = 0{scalar} {{ for i in 0..N {{ {sums} }} y[0] = s[0] }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(has_converted_sums(&kernel), expected, "{text}");
    }

    #[test]
    fn several_signed_sums_are_found() {
        let two = "s[0] += a[i * 4] s[1] += a[i * 4 + 1]";
        for (scalar, expected) in [("i32", true), ("i64", true), ("u8", true), ("u32", false), ("f32", false)]
        {
            check(scalar, two, expected);
        }
        check("i32", "s[0] += a[i * 4]", false);
        check("i32", "for j in 0..4 { s[j] += a[i * 4 + j] }", true);
        check("i32", "s[0] max= a[i * 4] s[1] max= a[i * 4 + 1]", false);
        check("i32", "if i < 3 { s[0] += a[i * 4] } s[1] += a[i * 4 + 1]", true);
        check("i32", "for j in 0..N { s[0] += a[j * 4] } s[1] += a[i * 4 + 1]", false);
        check("i32", "s[0] := s[0] + a[i * 4] s[1] := s[1] + a[i * 4 + 1]", true);
        check("i32", "s[0] := s[0] + a[i * 4] s[1] += a[i * 4 + 1]", true);
        check("i32", "s[0] := a[i * 4] + 1i32 s[1] := a[i * 4 + 1] + 1i32", false);
        check("i32", "s[0] := s[0] + a[i * 4] y[i] := y[i] + a[i * 4]", false);
    }

    #[test]
    fn numbers_that_are_added_to_one_sum_are_not_several() {
        check("i32", "s[0] += a[i * 4] s[0] += a[i * 4 + 1]", false);
        check("i32", "for j in 0..4 { s[0] += a[i * 4 + j] }", false);
        check("i32", "s[0] += a[i * 4] for j in 0..4 { s[0] += a[i * 4 + j] }", false);
        check("i32", "if i < 3 { s[0] += a[i * 4] } else { s[0] += a[i * 4 + 1] }", false);
        check("i32", "for j in 0..1 { s[j] += a[i * 4] } for j in 1..2 { s[j] += a[i * 4 + 1] }", true);
        check("i32", "for k in 0..2 { for j in 0..1 { s[2 * k + j] += a[i * 4] } }", true);
        let own =
            "alloc register i32 t[2] = 0i32 { t[0] += a[i * 4] t[1] += a[i * 4 + 1] y[i] = t[0] * t[1] }";
        check("i32", own, false);
        let around =
            "alloc register i32 t[2] = 0i32 { for j in 0..N { t[0] += a[j * 4] t[1] += a[j * 4 + 1] } }";
        check("i32", around, true);
    }
}
