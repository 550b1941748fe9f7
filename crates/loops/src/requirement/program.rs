//! A requirement, ready to be checked at millions of points.
//!
//! Terms are lists of operations, each once, operands first. They are computed for [`LANES`] points at
//! a time, a column for each operation; what no variable changes, once for all. The points of a
//! variable's ranges follow one another in one batch, whatever the lengths of the ranges, so that short
//! rows cost no more than long ones.
//!
//! An operation without a result marks its point, and the mark goes on to whatever needs that result:
//! the right side of `&&` and `||` is computed everywhere, and counts only where it decides.

use super::{ForAll, Integers};
use crate::{Bool, CmpOp, Int, IntOp, Name};
use atl_folds::with_integers;
use std::collections::BTreeMap;

/// How many points are looked at at once.
const LANES: usize = 256;

/// The states of a point: of a predicate; of an index term, [`NO`] as long as it has a value.
const NO: u8 = 0;
const YES: u8 = 1;
const STRAY: u8 = 2;

/// An operation on earlier results, by number.
#[derive(Clone, Copy, PartialEq)]
enum Op {
    Lit(i64),
    /// A variable, by its position among the variables.
    Var(usize),
    Bin(IntOp, usize, usize),
    Load(usize, usize),
    Truth(bool),
    Cmp(CmpOp, usize, usize),
    And(usize, usize),
    Or(usize, usize),
    Not(usize),
}

/// The results of an operation, at each point.
struct Column {
    op: Op,
    /// Is it another at each point?
    varies: bool,
    values: Vec<i64>,
    states: Vec<u8>,
    /// Of an index term: has it no value somewhere?
    strays: bool,
}

/// Terms over the same variables.
#[derive(Default)]
struct Terms {
    columns: Vec<Column>,
}

/// What terms are about.
struct Scope<'a> {
    arrays: Vec<(&'a Name, Integers<'a>)>,
    sizes: Vec<(&'a Name, i64)>,
    vars: Vec<&'a Name>,
}

/// A requirement with the arrays that it is about.
pub(super) struct Program<'a> {
    scope: Scope<'a>,
    /// The bounds of each variable's range, as columns of terms over the variables before.
    ranges: Vec<(Terms, [usize; 2])>,
    cond: Terms,
}

/// Where a requirement does not hold: values for so many of the variables. With fewer than there are, a
/// range has none.
pub(super) struct Stray(pub(super) Vec<i64>);

impl<'a> Program<'a> {
    pub(super) fn new(
        requirement: &'a ForAll,
        sizes: &[(&'a Name, i64)],
        inputs: &BTreeMap<Name, Integers<'a>>,
    ) -> Program<'a> {
        let mut arrays = Vec::new();
        requirement.for_each_read(&mut |buf, _| {
            if !arrays.iter().any(|(name, _)| *name == buf) {
                arrays.push((buf, inputs.get(buf).copied().unwrap_or(Integers::I64(&[]))));
            }
        });
        let mut scope = Scope { arrays, sizes: sizes.to_vec(), vars: Vec::new() };
        let mut ranges = Vec::new();
        for (var, lo, hi) in &requirement.binders {
            let mut terms = Terms::default();
            let bounds = [terms.int(lo, &scope), terms.int(hi, &scope)];
            terms.settle(&scope);
            ranges.push((terms, bounds));
            scope.vars.push(var);
        }
        let mut cond = Terms::default();
        cond.bool(&requirement.cond, &scope);
        cond.settle(&scope);
        Program { scope, ranges, cond }
    }

    /// The first point where the requirement does not hold.
    pub(super) fn run(mut self) -> Option<Stray> {
        self.batch(0, &Points { vars: Vec::new(), count: 1 })
    }

    /// Looks at all values of the variable `k` and those after it, where the ones before it are these.
    fn batch(&mut self, k: usize, points: &Points) -> Option<Stray> {
        let Some((terms, [lo, hi])) = self.ranges.get_mut(k) else {
            self.cond.compute(points, &self.scope);
            let states = &self.cond.columns.last()?.states[..points.count];
            return states.iter().position(|state| *state != YES).map(|lane| points.at(lane));
        };
        terms.compute(points, &self.scope);
        let [lo, hi] = [*lo, *hi].map(|bound| &terms.columns[bound]);
        let bounds = |lane: usize| {
            let is_stray = lo.strays && lo.states[lane] != NO || hi.strays && hi.states[lane] != NO;
            (!is_stray).then(|| (lo.values[lane], hi.values[lane]))
        };
        let bounds: Vec<Option<(i64, i64)>> = (0..points.count).map(bounds).collect();
        let mut inner = Points { vars: vec![vec![0; LANES]; k + 1], count: 0 };
        for (lane, bounds) in bounds.into_iter().enumerate() {
            // What comes before a range that is none is looked at before it is told.
            let Some((mut from, end)) = bounds else {
                return self.batch(k + 1, &inner).or_else(|| Some(points.at(lane)));
            };
            while from < end {
                from += inner.push(points, lane, from, end);
                if inner.count == LANES {
                    if let Some(stray) = self.batch(k + 1, &inner) {
                        return Some(stray);
                    }
                    inner.count = 0;
                }
            }
        }
        self.batch(k + 1, &inner)
    }
}

/// Values of the first variables, at each of some points.
struct Points {
    vars: Vec<Vec<i64>>,
    count: usize,
}

impl Points {
    /// Adds as many points as fit, with the values of a lane of these, and one more variable from a
    /// value on. Gives their number.
    fn push(&mut self, outer: &Points, lane: usize, from: i64, end: i64) -> i64 {
        let room = LANES - self.count;
        let count = usize::try_from(end.abs_diff(from)).map_or(room, |count| count.min(room));
        let added = self.count..self.count + count;
        let Some((last, others)) = self.vars.split_last_mut() else { return 0 };
        for (values, of) in others.iter_mut().zip(&outer.vars) {
            values[added.clone()].fill(of[lane]);
        }
        last[added].iter_mut().zip(from..).for_each(|(value, next)| *value = next);
        self.count += count;
        i64::try_from(count).unwrap_or(0)
    }

    fn at(&self, lane: usize) -> Stray {
        Stray(self.vars.iter().map(|values| values[lane]).collect())
    }
}

impl Terms {
    /// The number of an operation, which may be there already.
    fn column(&mut self, op: Op) -> usize {
        let found = self.columns.iter().position(|column| column.op == op);
        found.unwrap_or_else(|| {
            let of = |k: usize| self.columns[k].varies;
            let varies = match op {
                Op::Var(_) => true,
                Op::Lit(_) | Op::Truth(_) => false,
                Op::Load(_, a) | Op::Not(a) => of(a),
                Op::Bin(_, a, b) | Op::Cmp(_, a, b) | Op::And(a, b) | Op::Or(a, b) => of(a) || of(b),
            };
            let (values, states) = (vec![0; LANES], vec![NO; LANES]);
            self.columns.push(Column { op, varies, values, states, strays: false });
            self.columns.len() - 1
        })
    }

    fn int(&mut self, int: &Int, scope: &Scope<'_>) -> usize {
        let op = match int {
            Int::Lit(value) => Op::Lit(*value),
            // The validator has seen that every name is bound.
            Int::Var(name) => match scope.vars.iter().rposition(|known| *known == name) {
                Some(k) => Op::Var(k),
                None => {
                    let known = scope.sizes.iter().find(|(known, _)| *known == name);
                    Op::Lit(known.map_or(0, |(_, value)| *value))
                }
            },
            Int::Bin(op, a, b) => Op::Bin(*op, self.int(a, scope), self.int(b, scope)),
            Int::Load(buf, cell) => {
                let cell = self.int(cell, scope);
                Op::Load(scope.arrays.iter().position(|(name, _)| *name == buf).unwrap_or(0), cell)
            }
        };
        self.column(op)
    }

    fn bool(&mut self, bool: &Bool, scope: &Scope<'_>) -> usize {
        let op = match bool {
            Bool::Lit(value) => Op::Truth(*value),
            Bool::Cmp(op, a, b) => Op::Cmp(*op, self.int(a, scope), self.int(b, scope)),
            Bool::And(a, b) => Op::And(self.bool(a, scope), self.bool(b, scope)),
            Bool::Or(a, b) => Op::Or(self.bool(a, scope), self.bool(b, scope)),
            Bool::Not(a) => Op::Not(self.bool(a, scope)),
        };
        self.column(op)
    }

    /// Computes what is the same at all points.
    fn settle(&mut self, scope: &Scope<'_>) {
        for k in 0..self.columns.len() {
            if !self.columns[k].varies {
                self.compute_column(k, &Points { vars: Vec::new(), count: LANES }, scope);
            }
        }
    }

    /// Computes the rest.
    fn compute(&mut self, points: &Points, scope: &Scope<'_>) {
        for k in 0..self.columns.len() {
            if self.columns[k].varies {
                self.compute_column(k, points, scope);
            }
        }
    }

    fn compute_column(&mut self, k: usize, points: &Points, scope: &Scope<'_>) {
        let (before, rest) = self.columns.split_at_mut(k);
        let Some(Column { op, values, states, strays, .. }) = rest.first_mut() else { return };
        let (values, states) = (&mut values[..points.count], &mut states[..points.count]);
        match *op {
            Op::Lit(value) => values.fill(value),
            Op::Var(var) => values.copy_from_slice(&points.vars[var][..points.count]),
            Op::Bin(op, a, b) => {
                let operands = (&before[a], &before[b]);
                *strays = arithmetic(op, operands, values, states);
            }
            Op::Load(array, cell) => {
                let cell = &before[cell];
                *strays = with_integers!(scope.arrays[array].1, cells => gather(cells, cell, values, states));
            }
            Op::Truth(value) => states.fill(if value { YES } else { NO }),
            Op::Cmp(op, a, b) => {
                let operands = (&before[a], &before[b]);
                match op {
                    CmpOp::Eq => compare(|a, b| a == b, operands, states),
                    CmpOp::Ne => compare(|a, b| a != b, operands, states),
                    CmpOp::Lt => compare(|a, b| a < b, operands, states),
                    CmpOp::Le => compare(|a, b| a <= b, operands, states),
                }
            }
            Op::And(a, b) => junction(YES, (&before[a], &before[b]), states),
            Op::Or(a, b) => junction(NO, (&before[a], &before[b]), states),
            Op::Not(a) => {
                for (state, a) in states.iter_mut().zip(&before[a].states) {
                    *state = if *a == STRAY { STRAY } else { YES - a };
                }
            }
        }
    }
}

/// An operation at each point, and whether it leaves 64 bits at one, or an operand has no value there.
fn arithmetic(op: IntOp, (a, b): (&Column, &Column), values: &mut [i64], states: &mut [u8]) -> bool {
    fn each(
        f: impl Fn(i64, i64) -> (i64, bool),
        (a, b): (&Column, &Column),
        values: &mut [i64],
        states: &mut [u8],
    ) -> bool {
        let mut leaves = false;
        for (value, (a, b)) in values.iter_mut().zip(a.values.iter().zip(&b.values)) {
            let (result, left) = f(*a, *b);
            *value = result;
            leaves |= left;
        }
        let strays = leaves || a.strays || b.strays;
        if strays {
            for (k, state) in states.iter_mut().enumerate() {
                let is_stray = f(a.values[k], b.values[k]).1 || a.is_stray(k) || b.is_stray(k);
                *state = if is_stray { STRAY } else { NO };
            }
        }
        strays
    }
    match op {
        IntOp::Add => each(i64::overflowing_add, (a, b), values, states),
        IntOp::Sub => each(i64::overflowing_sub, (a, b), values, states),
        IntOp::Mul => each(i64::overflowing_mul, (a, b), values, states),
        IntOp::Min => each(|a, b| (a.min(b), false), (a, b), values, states),
        IntOp::Max => each(|a, b| (a.max(b), false), (a, b), values, states),
        IntOp::Div | IntOp::Mod => {
            let total = |a, b| op.apply(a, b).map_or((0, true), |value| (value, false));
            each(total, (a, b), values, states)
        }
    }
}

/// The cells of an array, and whether one is not there.
fn gather<T: Copy + Into<i64>>(cells: &[T], at: &Column, values: &mut [i64], states: &mut [u8]) -> bool {
    let find = |cell: i64| cells.get(usize::try_from(cell).unwrap_or(usize::MAX)).copied();
    let mut strays = at.strays;
    for (value, cell) in values.iter_mut().zip(&at.values) {
        match find(*cell) {
            Some(found) => *value = found.into(),
            None => strays = true,
        }
    }
    if strays {
        for (k, state) in states.iter_mut().enumerate() {
            let is_stray = at.is_stray(k) || find(at.values[k]).is_none();
            *state = if is_stray { STRAY } else { NO };
        }
    }
    strays
}

impl Column {
    /// Has an index term no value at a point?
    fn is_stray(&self, k: usize) -> bool {
        self.strays && self.states[k] != NO
    }
}

fn compare(holds: impl Fn(i64, i64) -> bool, (a, b): (&Column, &Column), states: &mut [u8]) {
    for (state, (a, b)) in states.iter_mut().zip(a.values.iter().zip(&b.values)) {
        *state = u8::from(holds(*a, *b));
    }
    if a.strays || b.strays {
        for (k, state) in states.iter_mut().enumerate() {
            *state = if a.is_stray(k) || b.is_stray(k) { STRAY } else { *state };
        }
    }
}

/// The second operand where the first is `passing`, else the first.
fn junction(passing: u8, (a, b): (&Column, &Column), states: &mut [u8]) {
    for (state, (a, b)) in states.iter_mut().zip(a.states.iter().zip(&b.states)) {
        *state = if *a == passing { *b } else { *a };
    }
}
