//! What is kept in registers, outside of all loops over threads, is spread over the threads: each has the
//! cells that it touches.
//!
//! A buffer's cells are numbered in mixed radix. If the number of each cell that a thread touches has, for
//! each axis, a digit that is the thread's place along it, no two threads touch one cell; the other digits
//! number the cells of one thread. So a buffer of `[16, 4, 64]` cells, touched at
//! `(y * 4 + i) * 64 + x * 4 + j` with `i` and `j` below 4, has the strides 256 and 4 for 16 threads along
//! `y` and `x`; what is left, the complement of the threads' layout, is the digits of `i` and `j`, and a
//! thread has 16 cells, of which it touches `i * 4 + j`.
//!
//! That this is so of an access is looked at for every value of the variables in it. Where it is not, the
//! buffer is refused: one that several threads use is stored in shared memory.

use crate::Refusal;
use crate::plan::{Frame, Item, Launch, Nest, Work};
use atl_loops::{Axis, Init, Int, IntOp, Name, Stmt, Val};
use std::collections::BTreeMap;

/// The most values of variables that are looked at for one access.
const MAX_POINTS: i64 = 1 << 18;

/// How a buffer is spread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// How many cells each thread has.
    pub cells: i64,
    /// For each axis how far the cells of neighbours are from each other, and how many threads have cells;
    /// none where all cells are those of the first thread.
    threads: [Option<(i64, i64)>; 3],
    /// The other digits: the stride, how many values there are, and the stride among the cells of one thread.
    digits: Vec<(i64, i64, i64)>,
}

/// A sum of multiples of variables, and a number.
type Linear = (BTreeMap<Name, i64>, i64);

impl Tile {
    /// The cell of a thread at an index of the buffer; none where the index is not of the form that the
    /// digits are of.
    pub fn cell(&self, index: &Int, nest: &[(Axis, Name)]) -> Option<Int> {
        let (terms, constant) = self.own(linear(index)?, nest)?;
        let mut sum: Option<Int> = None;
        let mut add = |term: Int| sum = Some(sum.take().map_or(term.clone(), |sum| sum + term));
        for (var, coefficient) in terms {
            match coefficient {
                0 => {}
                1 => add(Int::Var(var)),
                c => add(Int::Var(var) * Int::Lit(c)),
            }
        }
        if constant != 0 {
            add(Int::Lit(constant));
        }
        Some(sum.unwrap_or(Int::Lit(0)))
    }

    /// The same in linear form.
    fn own(&self, (mut terms, constant): Linear, nest: &[(Axis, Name)]) -> Option<Linear> {
        for (axis, var) in nest {
            let found = terms.remove(var).unwrap_or(0);
            if found != self.threads[*axis as usize].map_or(0, |(stride, _)| stride) {
                return None;
            }
        }
        let terms = terms.into_iter().map(|(var, c)| Some((var, self.coefficient(c)?)));
        Some((terms.collect::<Option<_>>()?, self.decode(constant)?))
    }

    /// What a multiple of a variable is among the cells of one thread: a multiple of one digit.
    fn coefficient(&self, c: i64) -> Option<i64> {
        if c == 0 {
            return Some(0);
        }
        let fits = |(stride, ..): &&(i64, i64, i64)| *stride <= c.abs() && c % stride == 0;
        let (stride, _, own) = self.digits.iter().filter(fits).max_by_key(|(stride, ..)| *stride)?;
        (c / stride).checked_mul(*own)
    }

    /// The number of a cell among those of its thread, if that is the first thread of all.
    fn decode(&self, cell: i64) -> Option<i64> {
        if cell < 0 {
            return None;
        }
        let digit = |stride: i64, extent: i64| cell / stride % extent;
        if self.threads.iter().flatten().any(|(stride, extent)| digit(*stride, *extent) != 0) {
            return None;
        }
        let own = self.digits.iter().map(|(stride, extent, own)| digit(*stride, *extent) * own).sum();
        let rest = |(stride, extent, _): &(i64, i64, i64)| digit(*stride, *extent) * stride;
        // Every digit is one of these.
        (self.digits.iter().map(rest).sum::<i64>() == cell).then_some(own)
    }
}

/// Spreads the buffers of a launch.
pub fn spread(launch: &mut Launch) -> Result<(), Refusal> {
    match &mut launch.work {
        Work::Fill { .. } => Ok(()),
        Work::Blocks { items, .. } => items_of(items, &mut BTreeMap::new()),
    }
}

/// What is known of the variables around: from where to where they run.
type Ranges = BTreeMap<Name, Option<(i64, i64)>>;

fn items_of(items: &mut [Item], ranges: &mut Ranges) -> Result<(), Refusal> {
    for item in items {
        match item {
            Item::For { var, lo, hi, body, .. } => {
                ranges.insert(var.clone(), range(lo, hi));
                items_of(body, ranges)?;
                ranges.remove(var);
            }
            Item::If { then, otherwise, .. } => {
                items_of(then, ranges)?;
                items_of(otherwise, ranges)?;
            }
            Item::Tile { buf, cells, tile, body, .. } => {
                let mut accesses = Accesses { buf, found: Vec::new(), in_index: false };
                accesses.items(body, ranges);
                *tile = accesses.tile(*cells)?;
                items_of(body, ranges)?;
            }
            Item::ResetTile { .. } | Item::Fill { .. } | Item::Nest(_) | Item::Barrier => {}
        }
    }
    Ok(())
}

/// From where to where a loop runs at most.
fn range(lo: &Int, hi: &Int) -> Option<(i64, i64)> {
    let most = |hi: &Int| match hi {
        Int::Bin(IntOp::Min, a, b) => match (a.constant(), b.constant()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
        hi => hi.constant(),
    };
    Some((lo.constant()?, most(hi)?))
}

/// An access: the threads around, the index, and the ranges of variables.
struct Access {
    threads: Vec<(Axis, Name, i64)>,
    index: Int,
    ranges: Ranges,
}

/// What touches a buffer.
struct Accesses<'a> {
    buf: &'a Name,
    found: Vec<Access>,
    /// Is it read in an index term?
    in_index: bool,
}

impl Accesses<'_> {
    fn items(&mut self, items: &[Item], ranges: &mut Ranges) {
        for item in items {
            match item {
                Item::For { var, lo, hi, body, .. } => {
                    ranges.insert(var.clone(), range(lo, hi));
                    self.items(body, ranges);
                    ranges.remove(var);
                }
                Item::If { then, otherwise, .. } => {
                    self.items(then, ranges);
                    self.items(otherwise, ranges);
                }
                Item::Tile { body, .. } => self.items(body, ranges),
                Item::Nest(nest) => self.nest(nest, ranges),
                Item::ResetTile { .. } | Item::Fill { .. } | Item::Barrier => {}
            }
        }
    }

    fn nest(&mut self, nest: &Nest, ranges: &mut Ranges) {
        let threads = nest.frames.iter().filter_map(|frame| match frame {
            Frame::Thread(axis, var, extent) => Some((*axis, var.clone(), *extent)),
            Frame::If(_) => None,
        });
        let threads: Vec<_> = threads.collect();
        nest.whole.for_each(&mut |stmt| stmt.for_each_read(&mut |buf, _| self.in_index |= buf == self.buf));
        self.stmt(&nest.body, &threads, ranges);
    }

    fn stmt(&mut self, stmt: &Stmt, threads: &[(Axis, Name, i64)], ranges: &mut Ranges) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt, threads, ranges)),
            Stmt::For { var, lo, hi, body, .. } => {
                ranges.insert(var.clone(), range(lo, hi));
                self.stmt(body, threads, ranges);
                ranges.remove(var);
            }
            Stmt::If { then, otherwise, .. } => {
                self.stmt(then, threads, ranges);
                otherwise.iter().for_each(|otherwise| self.stmt(otherwise, threads, ranges));
            }
            Stmt::Alloc { init, body, .. } => {
                self.init(init, threads, ranges);
                self.stmt(body, threads, ranges);
            }
            Stmt::Reset { init, .. } => self.init(init, threads, ranges),
            Stmt::Store { buf, index, value, .. } => {
                self.note(buf, index, threads, ranges);
                self.val(value, threads, ranges);
            }
            Stmt::Push { value, .. } => self.val(value, threads, ranges),
            Stmt::Visit { body, .. } | Stmt::Merge { body, .. } => self.stmt(body, threads, ranges),
            Stmt::Vectors { .. } | Stmt::Search { .. } | Stmt::Intersection { .. } => {
                self.stmt(&stmt.plain(), threads, ranges)
            }
            Stmt::Forget { .. } | Stmt::Prefetch { .. } => {}
        }
    }

    fn init(&mut self, init: &Init, threads: &[(Axis, Name, i64)], ranges: &Ranges) {
        if let Init::Value(value) = init {
            self.val(value, threads, ranges);
        }
    }

    fn val(&mut self, value: &Val, threads: &[(Axis, Name, i64)], ranges: &Ranges) {
        let mut loads = Vec::new();
        value.for_each(&mut |part| {
            if let Val::Load { buf, index } = part {
                loads.push((buf.clone(), index.clone()));
            }
        });
        loads.iter().for_each(|(buf, index)| self.note(buf, index, threads, ranges));
    }

    fn note(&mut self, buf: &Name, index: &Int, threads: &[(Axis, Name, i64)], ranges: &Ranges) {
        if buf == self.buf {
            let (threads, index, ranges) = (threads.to_vec(), index.clone(), ranges.clone());
            self.found.push(Access { threads, index, ranges });
        }
    }

    fn refused(&self, why: &str) -> Refusal {
        Refusal::new(
            format!("`{}` is not spread over the threads of a block: {why}", self.buf),
            "`store X in shared` keeps it where all threads can use it; or give each thread the same part of it in every loop \
             over threads, `split` and `reorder`ed alike",
        )
    }

    /// How the buffer is spread.
    fn tile(&self, cells: i64) -> Result<Tile, Refusal> {
        if self.in_index {
            return Err(self.refused("an index term reads it"));
        }
        let mut threads: [Option<(i64, i64)>; 3] = [None; 3];
        for access in &self.found {
            let Some((terms, _)) = linear(&access.index) else {
                return Err(self.refused(&format!("`{}` is no sum of multiples of variables", access.index)));
            };
            for (axis, var, extent) in &access.threads {
                let stride = terms.get(var).copied().unwrap_or(0);
                if stride <= 0 && *extent > 1 {
                    return Err(self.refused(&format!(
                        "every thread of `{var}` touches `{}[{}]`",
                        self.buf, access.index
                    )));
                }
                let known = &mut threads[*axis as usize];
                match known {
                    _ if stride <= 0 => {}
                    None => *known = Some((stride, *extent)),
                    Some((other, most)) if *other == stride => *most = (*most).max(*extent),
                    Some(_) => {
                        return Err(self.refused(&format!(
                            "threads along `{}` touch cells of others at `{}[{}]`",
                            axis.name(),
                            self.buf,
                            access.index
                        )));
                    }
                }
            }
        }
        let tile =
            complement(threads, cells).ok_or_else(|| self.refused("the cells of its threads overlap"))?;
        match self.found.iter().find(|access| !is_own(&tile, access, cells)) {
            None => Ok(tile),
            Some(access) => {
                Err(self
                    .refused(&format!("`{}[{}]` may be a cell of another thread", self.buf, access.index)))
            }
        }
    }
}

/// The digits that are left beside those of the threads, if these nest.
fn complement(threads: [Option<(i64, i64)>; 3], cells: i64) -> Option<Tile> {
    let mut sorted: Vec<(i64, i64)> = threads.into_iter().flatten().collect();
    sorted.sort_unstable();
    let (mut digits, mut current, mut own) = (Vec::new(), 1i64, 1i64);
    for (stride, extent) in sorted {
        if stride < current || stride % current != 0 {
            return None;
        }
        if stride > current {
            digits.push((current, stride / current, own));
            own = own.checked_mul(stride / current)?;
        }
        current = stride.checked_mul(extent)?;
    }
    let rest = cells.checked_add(current - 1)? / current;
    if rest > 1 {
        digits.push((current, rest, own));
        own = own.checked_mul(rest)?;
    }
    Some(Tile { cells: own, threads, digits })
}

/// Is each cell that the access touches one of the thread that does so, for all values of the variables?
fn is_own(tile: &Tile, access: &Access, cells: i64) -> bool {
    let nest: Vec<(Axis, Name)> = access.threads.iter().map(|(axis, var, _)| (*axis, var.clone())).collect();
    let Some((mut terms, constant)) = linear(&access.index) else { return false };
    let Some((own_terms, own_constant)) = tile.own((terms.clone(), constant), &nest) else { return false };
    terms.retain(|var, _| nest.iter().all(|(_, thread)| thread != var));
    let mut ranges = Vec::new();
    for (var, c) in &terms {
        let Some(Some((lo, hi))) = access.ranges.get(var) else { return false };
        ranges.push((*c, own_terms.get(var).copied().unwrap_or(0), *lo, *hi));
    }
    let points = ranges.iter().try_fold(1i64, |n, (_, _, lo, hi)| n.checked_mul((hi - lo).max(0)));
    if points.is_none_or(|points| points > MAX_POINTS) {
        return false;
    }
    let mut found = vec![(constant, own_constant)];
    for (c, own, lo, hi) in ranges {
        found = found
            .iter()
            .flat_map(|(cell, mine)| (lo..hi).map(move |value| (cell + c * value, mine + own * value)))
            .collect();
    }
    found.iter().all(|(cell, mine)| *cell < cells && tile.decode(*cell) == Some(*mine))
}

/// The linear form of an index term, if it has one.
fn linear(int: &Int) -> Option<Linear> {
    let combined = |a: &Int, b: &Int, sign: i64| {
        let (mut terms, constant) = linear(a)?;
        let (others, other) = linear(b)?;
        for (var, c) in others {
            let sum = terms.entry(var).or_insert(0);
            *sum = sum.checked_add(c.checked_mul(sign)?)?;
        }
        Some((terms, constant.checked_add(other.checked_mul(sign)?)?))
    };
    match int {
        Int::Lit(n) => Some((BTreeMap::new(), *n)),
        Int::Var(var) => Some((BTreeMap::from([(var.clone(), 1)]), 0)),
        Int::Bin(IntOp::Add, a, b) => combined(a, b, 1),
        Int::Bin(IntOp::Sub, a, b) => combined(a, b, -1),
        Int::Bin(IntOp::Mul, a, b) => {
            let (factor, other) = match (a.constant(), b.constant()) {
                (Some(factor), _) => (factor, b),
                (_, Some(factor)) => (factor, a),
                _ => return None,
            };
            let (terms, constant) = linear(other)?;
            let terms = terms.into_iter().map(|(var, c)| Some((var, c.checked_mul(factor)?)));
            Some((terms.collect::<Option<_>>()?, constant.checked_mul(factor)?))
        }
        Int::Bin(..) | Int::Load(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_between_those_of_threads_are_a_thread_s_own() {
        let tile = complement([Some((4, 16)), Some((256, 16)), None], 4096).unwrap();
        assert_eq!((tile.cells, tile.digits.as_slice()), (16, [(1, 4, 1), (64, 4, 4)].as_slice()));
        let index = |text: &str| {
            let kernel = format!("kernel k(x, y, i, j) out f32 o[x] {{ o[{text}] = 0.0f32 }}");
            let Stmt::Store { index, .. } = atl_loops::parse_kernel(&kernel).unwrap().body else { panic!() };
            index
        };
        let nest = [(Axis::X, Name::new("x")), (Axis::Y, Name::new("y"))];
        let cell = |text: &str| tile.cell(&index(text), &nest).map(|cell| cell.to_string());
        assert_eq!(cell("(y * 4 + i) * 64 + (x * 4 + j)").as_deref(), Some("i * 4 + j"));
        assert_eq!(cell("(y * 4 + 2) * 64 + (x * 4 + 1)").as_deref(), Some("9"));
        assert_eq!(cell("(y * 4 + i) * 64 + (x * 8 + j)"), None);
        assert_eq!(cell("(y * 4 + i) * 64 + (x * 4 + 4)"), None);
        assert_eq!(cell("y * i"), None);
    }

    #[test]
    fn threads_that_overlap_have_no_complement() {
        assert_eq!(complement([Some((4, 16)), Some((32, 16)), None], 4096), None);
        assert_eq!(complement([Some((4, 16)), Some((65, 16)), None], 4096), None);
    }
}
