//! Cells of memory that one iteration over vectors reads several times.
//!
//! One idea: such a cell should stay in a register. GCC counts a vector that is still in memory as free
//! to read again, since it weighs memory by registers that hold eight bytes; so it reads most of such
//! cells as often as they are used, and a vector that does not begin with a line of memory takes two
//! reads each time. If instructions are put in order before registers are assigned, it keeps them. Tiles
//! of sums have use for all registers, and go without.

use atl_loops::{Int, Kernel, LoopKind, Name, Stmt, Storage, Val};
use std::collections::BTreeMap;

/// The fewest cells that are read again in a loop for which the order is changed.
const CELLS: i64 = 4;

/// The most vectors of a variable in registers beside which the order is changed.
const TILE: i64 = 4;

/// Does a loop over vectors read many cells again in one iteration, where no tile fills the registers?
pub(crate) fn rereads(kernel: &Kernel) -> bool {
    let (mut again, mut tiles) = (false, false);
    kernel.body.for_each(&mut |stmt| match stmt {
        Stmt::Vectors { vectors, body } => {
            let mut reads = Reads { var: &vectors.var, times: BTreeMap::new() };
            reads.stmt(body, 1);
            again |= reads.again() >= CELLS;
        }
        Stmt::Alloc { scalar, extents, storage: Storage::Register, .. } => {
            let cells = extents
                .iter()
                .map(Int::constant)
                .try_fold(scalar.size() as i64, |bytes, cells| bytes.checked_mul(cells?));
            tiles |= cells.is_none_or(|bytes| bytes > TILE * 64);
        }
        _ => {}
    });
    again && !tiles
}

/// The cells that an iteration reads, each lane one of its own.
struct Reads<'k> {
    var: &'k Name,
    /// For each cell as it is written, how many it is as loops inside are unrolled, and how often it is
    /// read.
    times: BTreeMap<(&'k Name, String), (i64, u32)>,
}

impl<'k> Reads<'k> {
    /// Counts the reads of a statement that is repeated.
    fn stmt(&mut self, stmt: &'k Stmt, copies: i64) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt, copies)),
            Stmt::For { lo, hi, kind: LoopKind::Unroll, body, .. } => {
                let count = (hi.clone() - lo.clone()).constant().unwrap_or(1).max(1);
                self.stmt(body, copies.saturating_mul(count));
            }
            Stmt::Alloc { body, .. } | Stmt::For { body, .. } => self.stmt(body, copies),
            Stmt::If { then, otherwise, .. } => {
                self.stmt(then, copies);
                otherwise.iter().for_each(|stmt| self.stmt(stmt, copies));
            }
            Stmt::Store { value, .. } => value.for_each(&mut |part| {
                if let Val::Load { buf, index } = part
                    && index.mentions(self.var)
                {
                    let entry = self.times.entry((buf, index.to_string())).or_insert((copies, 0));
                    entry.1 += 1;
                }
            }),
            _ => {}
        }
    }

    /// How many cells are read more than once.
    fn again(&self) -> i64 {
        self.times.values().filter(|(_, times)| *times > 1).map(|(cells, _)| cells).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_loops::parse_kernel;

    fn check(body: &str, expected: bool) {
        let text = format!("kernel t(N) in f32 x[N + 64] out f32 y[N] {{ {body} }}");
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(rereads(&kernel), expected, "{body}");
    }

    /// A loop over vectors that stores this value.
    fn vectors(value: &str) -> String {
        format!("f32x16 for i in 0..N / 16 * 16 {{ y[i] = {value} }}")
    }

    #[test]
    fn cells_that_are_read_again_count() {
        let square = |k: i64| format!("x[i + {k}] * x[i + {k}]");
        let squares = |n: i64| (0..n).map(square).collect::<Vec<_>>().join(" + ");
        check(&vectors(&squares(CELLS)), true);
        check(&vectors(&squares(CELLS - 1)), false);
        check(&vectors("x[i] + x[i + 1] + x[i + 2] + x[i + 3] + x[i + 4]"), false);
        check(&format!("for i in 0..N {{ y[i] = {} }}", squares(CELLS)), false);
    }

    #[test]
    fn loops_inside_repeat_them() {
        let sum = |kind: &str, n: i64| {
            format!(
                "f32x16 for i in 0..N / 16 * 16 {{ alloc register f32 s = 0f32 {{ \
                 {kind} for k in 0..{n} {{ s += x[i + k] * x[i + k] }} y[i] = s }} }}"
            )
        };
        check(&sum("unroll", CELLS), true);
        check(&sum("unroll", CELLS - 1), false);
        check(&sum("", 64), false);
    }

    #[test]
    fn tiles_keep_their_order() {
        let beside = |vectors_of_tile: i64| {
            let squares =
                vectors("x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2] + x[i + 3] * x[i + 3]");
            format!("alloc register f32 t[{}] = 0f32 {{ {squares} }}", 16 * vectors_of_tile)
        };
        check(&beside(TILE), true);
        check(&beside(TILE + 1), false);
    }
}
