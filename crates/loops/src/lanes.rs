//! What of a vector loop can be done in all lanes of a vector at once.
//!
//! Such a loop computes floats of one type. A cell that it touches is the next one in the next lane, or the same in
//! each; conditions are on sizes and loops, and where they depend on the lane, they hold from some lane on, or up to some
//! lane. What index terms read from buffers is the same in all lanes; but a value may be loaded from the cells that
//! consecutive cells of a buffer say. Inside, there may be serial loops that are the same in all lanes, and variables of each lane's own.
//! Iterations of a vector loop touch no cells that another one writes, so their order does not matter.

use crate::intersection::{Intersection, Sequence};
use crate::search::Search;
use crate::{BinOp, Bool, Init, Int, IntOp, LoopKind, Name, ReduceOp, Scalar, Stmt, Storage, StoreMode};
use crate::{UnOp, Val};
use std::collections::{BTreeMap, BTreeSet};

/// The most bytes of a vector.
const MAX_BYTES: usize = 64;

/// A loop that vectors can do.
#[derive(Clone, Debug)]
pub struct Lanes<'a> {
    /// The loop's variable.
    pub var: &'a Name,
    /// What it computes.
    pub scalar: Scalar,
    /// How many iterations are done at once.
    pub count: u32,
    /// The scratch variables inside, of which every lane has its own.
    locals: BTreeSet<&'a Name>,
}

/// Cells of which the lanes read the numbers from consecutive cells of another buffer.
#[derive(Clone, Debug)]
pub struct Gathered<'i> {
    /// The other buffer.
    pub buf: &'i Name,
    /// Its cell, of each lane.
    pub cell: &'i Int,
    /// That of the lane where the variable is zero.
    pub first: Int,
    /// What is added to each number; the same in all lanes.
    pub offset: Int,
}

/// How many whole vectors a loop is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vectors {
    /// Exactly one.
    One,
    /// Any number, of which none may be.
    Many,
}

impl<'a> Lanes<'a> {
    /// The loop over `var` of this kind, if vectors can do its body; `types` are those of all buffers.
    pub fn of(
        types: &BTreeMap<Name, Scalar>,
        var: &'a Name,
        kind: &LoopKind,
        body: &'a Stmt,
    ) -> Option<Lanes<'a>> {
        let LoopKind::Vector { width: Some(count) } = *kind else { return None };
        Lanes::try_of(types, var, count, body).ok()
    }

    /// The loop over `var` with so many iterations at once.
    ///
    /// # Errors
    /// Why vectors cannot do its body, in the names of the loops.
    pub fn try_of(
        types: &BTreeMap<Name, Scalar>,
        var: &'a Name,
        count: u32,
        body: &'a Stmt,
    ) -> Result<Lanes<'a>, String> {
        let (mut locals, mut scalar) = (BTreeSet::new(), None);
        body.for_each(&mut |stmt| match stmt {
            Stmt::Alloc { buf, .. } => {
                locals.insert(buf);
            }
            Stmt::Store { buf, .. } if scalar.is_none() => scalar = types.get(buf).copied(),
            _ => {}
        });
        let scalar = scalar.ok_or("nothing is stored")?;
        let lanes = Lanes { var, scalar, count, locals };
        let most = MAX_BYTES / scalar.size();
        let is_vector =
            count > 1 && count.is_power_of_two() && usize::try_from(count).is_ok_and(|n| n <= most);
        if !scalar.is_float() {
            return Err(format!("vectors are of floats, and it computes `{scalar}`"));
        }
        if !is_vector {
            return Err(format!(
                "a vector of `{scalar}` has 2 lanes or a larger power of two, and at most {most}"
            ));
        }
        lanes.does(types, body).map(|()| lanes)
    }

    /// Are the iterations from `lo` to `hi` visibly whole vectors, and if so is it just one?
    pub fn vectors(&self, lo: &Int, hi: &Int) -> Option<Vectors> {
        let (count, lanes) = (difference(hi, lo)?, i64::from(self.count));
        match count.constant() {
            Some(count) if count == lanes => Some(Vectors::One),
            _ => is_multiple(&count, lanes).then_some(Vectors::Many),
        }
    }

    /// Has every lane its own variable of this name?
    pub fn is_local(&self, buf: &Name) -> bool {
        self.locals.contains(buf)
    }

    /// The cell of the first lane, if the lanes touch consecutive cells: the index where the variable is zero.
    pub fn first(&self, index: &Int) -> Option<Int> {
        first(index, self.var)
    }

    /// The cells of all lanes, where an index is read from consecutive cells: the buffer, its cell for the first lane, and
    /// what is added to each.
    pub fn gathered<'i>(&self, index: &'i Int) -> Option<Gathered<'i>> {
        match index {
            Int::Load(buf, cell) => {
                Some(Gathered { buf, first: self.first(cell)?, cell, offset: Int::Lit(0) })
            }
            Int::Bin(IntOp::Add, a, b) if !b.mentions(self.var) => {
                let gathered = self.gathered(a)?;
                Some(Gathered { offset: sum(gathered.offset, (**b).clone()), ..gathered })
            }
            Int::Bin(IntOp::Add, a, b) if !a.mentions(self.var) => {
                let gathered = self.gathered(b)?;
                Some(Gathered { offset: sum((**a).clone(), gathered.offset), ..gathered })
            }
            _ => None,
        }
    }

    /// Does the value depend on the lane?
    pub fn varies(&self, val: &Val) -> bool {
        let mut found = false;
        val.for_each(&mut |part| match part {
            Val::Load { buf, index } => found |= index.mentions(self.var) || self.is_local(buf),
            Val::OfInt(int) => found |= int.mentions(self.var),
            Val::Select { cond, .. } => found |= self.varies_where(cond),
            _ => {}
        });
        found
    }

    /// Does the predicate depend on the lane?
    pub fn varies_where(&self, cond: &Bool) -> bool {
        let mut found = false;
        cond.for_each_var(&mut |name| found |= name == self.var);
        found
    }

    /// Does a statement of the body depend on the lane by a condition, its own or one of a value?
    pub fn selects(&self, body: &Stmt) -> bool {
        let mut found = false;
        body.for_each(&mut |stmt| match stmt {
            Stmt::If { cond, .. } => found |= self.varies_where(cond),
            Stmt::Store { value, .. } => value.for_each(&mut |part| {
                if let Val::Select { cond, .. } = part {
                    found |= self.varies_where(cond);
                }
            }),
            _ => {}
        });
        found
    }

    fn does(&self, types: &BTreeMap<Name, Scalar>, stmt: &Stmt) -> Result<(), String> {
        let of_type = |buf: &Name| match types.get(buf) == Some(&self.scalar) {
            true => Ok(()),
            false => Err(format!("`{buf}` is not of type `{}`", self.scalar)),
        };
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.does(types, stmt)),
            Stmt::For { var, lo, hi, kind: LoopKind::Serial | LoopKind::Unroll, body } => {
                if lo.mentions(self.var) || hi.mentions(self.var) {
                    return Err(format!("how often `{var}` runs depends on `{}`", self.var));
                }
                self.does(types, body)
            }
            Stmt::If { cond, then, otherwise } => {
                self.decides(cond)?;
                self.does(types, then)?;
                otherwise.iter().try_for_each(|otherwise| self.does(types, otherwise))
            }
            Stmt::Alloc { buf, extents, storage: Storage::Register, init, body, .. }
                if extents.is_empty() =>
            {
                of_type(buf)?;
                self.begins(init)?;
                self.does(types, body)
            }
            Stmt::Reset { buf, init } if self.is_local(buf) => self.begins(init),
            Stmt::Store { buf, index, value, mode } => {
                of_type(buf)?;
                self.follows(buf, index)?;
                if matches!(mode, StoreMode::Reduce(ReduceOp::Or | ReduceOp::And)) {
                    return Err("truth values are combined".to_owned());
                }
                self.computes(value)
            }
            Stmt::Prefetch { buf, .. } => Err(format!("`{buf}` is prefetched inside")),
            Stmt::Reset { buf, .. } | Stmt::Forget { buf, .. } => Err(format!("`{buf}` is filled inside")),
            Stmt::For { var, .. }
            | Stmt::Search { search: Search { var, .. }, .. }
            | Stmt::Intersection { intersection: Intersection { first: Sequence { var, .. }, .. }, .. } => {
                Err(format!("the loop `{var}` inside is marked too"))
            }
            Stmt::Alloc { buf, .. } => Err(format!("`{buf}` inside is an array")),
            Stmt::Push { buf, .. } => Err(format!("`{buf}` grows inside")),
            Stmt::Visit { buf, .. } => Err(format!("what `{buf}` holds is visited inside")),
            Stmt::Merge { keys, .. } => {
                let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
                Err(format!("runs are merged inside, by {}", keys.join(", ")))
            }
        }
    }

    /// Has each lane the next cell, or a variable of its own?
    fn follows(&self, buf: &Name, index: &Int) -> Result<(), String> {
        match self.is_local(buf) || self.first(index).is_some() {
            true => Ok(()),
            false => Err(format!("`{buf}[{index}]` is not consecutive in `{}`", self.var)),
        }
    }

    fn begins(&self, init: &Init) -> Result<(), String> {
        match init {
            Init::Value(value) if self.varies(value) => {
                Err(format!("`{value}` is not the same in all lanes"))
            }
            _ => Ok(()),
        }
    }

    /// Is there an operation on vectors for each part that depends on the lane?
    fn computes(&self, val: &Val) -> Result<(), String> {
        if !self.varies(val) {
            return Ok(());
        }
        match val {
            Val::Load { index, .. } if self.gathered(index).is_some() => Ok(()),
            Val::Load { buf, index } => self.follows(buf, index),
            Val::Un(op, a) if *op != UnOp::Not => self.computes(a),
            Val::Bin(op, a, b) if !matches!(op, BinOp::And | BinOp::Or) => {
                self.computes(a)?;
                self.computes(b)
            }
            Val::Call(_, operands) => operands.iter().try_for_each(|a| self.computes(a)),
            Val::Select { cond, then, otherwise } => {
                self.decides(cond)?;
                self.computes(then)?;
                self.computes(otherwise)
            }
            val => Err(format!("`{val}` is no operation on vectors")),
        }
    }

    fn decides(&self, cond: &Bool) -> Result<(), String> {
        match self.divides(cond) {
            true => Ok(()),
            false => Err(format!("`{cond}` does not hold from some lane on, or up to some lane")),
        }
    }

    /// Does the predicate divide the lanes into runs?
    fn divides(&self, cond: &Bool) -> bool {
        if !self.varies_where(cond) {
            return true;
        }
        match cond {
            Bool::Lit(_) => true,
            Bool::Cmp(_, a, b) => self.slope(a, b).is_some(),
            Bool::And(a, b) | Bool::Or(a, b) => self.divides(a) && self.divides(b),
            Bool::Not(a) => self.divides(a),
        }
    }

    /// By how much `a - b` grows from lane to lane: 1 or -1, or nothing.
    pub fn slope(&self, a: &Int, b: &Int) -> Option<i64> {
        let slope = growth(a, self.var)?.checked_sub(growth(b, self.var)?)?;
        matches!(slope, 1 | -1).then_some(slope)
    }
}

/// The index where the variable is zero, if it grows by one with the variable.
fn first(index: &Int, var: &Name) -> Option<Int> {
    match index {
        Int::Var(name) if name == var => Some(Int::Lit(0)),
        Int::Bin(IntOp::Add, a, b) if !b.mentions(var) => Some(sum(first(a, var)?, (**b).clone())),
        Int::Bin(IntOp::Add, a, b) if !a.mentions(var) => Some(sum((**a).clone(), first(b, var)?)),
        Int::Bin(IntOp::Sub, a, b) if !b.mentions(var) => Some(first(a, var)? - (**b).clone()),
        _ => None,
    }
}

fn sum(a: Int, b: Int) -> Int {
    match (a, b) {
        (Int::Lit(0), other) | (other, Int::Lit(0)) => other,
        (a, b) => a + b,
    }
}

/// `a - b`, if it is visible.
fn difference(a: &Int, b: &Int) -> Option<Int> {
    if let Int::Bin(IntOp::Add, first, more) = a
        && **first == *b
    {
        return Some((**more).clone());
    }
    match (literal_summand(a), literal_summand(b)) {
        ((None, x), (None, y)) => Some(Int::Lit(x.checked_sub(y)?)),
        ((Some(first), x), (Some(second), y)) if first == second => Some(Int::Lit(x.checked_sub(y)?)),
        ((Some(rest), x), (None, y)) if x == y => Some(rest.clone()),
        ((Some(rest), x), (None, y)) => Some(rest.clone() + Int::Lit(x.checked_sub(y)?)),
        _ => None,
    }
}

/// The term as a sum of a term, if there is one, and a literal.
fn literal_summand(int: &Int) -> (Option<&Int>, i64) {
    if let Some(value) = int.constant() {
        return (None, value);
    }
    match int {
        Int::Bin(IntOp::Add, rest, last) => last.constant().map(|value| (Some(&**rest), value)),
        Int::Bin(IntOp::Sub, rest, last) => {
            last.constant().and_then(i64::checked_neg).map(|value| (Some(&**rest), value))
        }
        _ => None,
    }
    .unwrap_or((Some(int), 0))
}

/// Is the term visibly a multiple of this number?
fn is_multiple(int: &Int, of: i64) -> bool {
    match int {
        Int::Bin(IntOp::Mul, a, b) => is_multiple(a, of) || is_multiple(b, of),
        Int::Bin(IntOp::Add | IntOp::Sub | IntOp::Max | IntOp::Min, a, b) => {
            is_multiple(a, of) && is_multiple(b, of)
        }
        int => int.constant().is_some_and(|value| value % of == 0),
    }
}

/// By how much a term grows with the variable, if always by as much.
fn growth(int: &Int, var: &Name) -> Option<i64> {
    match int {
        Int::Var(name) if name == var => Some(1),
        int if !int.mentions(var) => Some(0),
        Int::Bin(IntOp::Add, a, b) => growth(a, var)?.checked_add(growth(b, var)?),
        Int::Bin(IntOp::Sub, a, b) => growth(a, var)?.checked_sub(growth(b, var)?),
        Int::Bin(IntOp::Mul, a, b) => match (a.constant(), b.constant()) {
            (Some(factor), _) => growth(b, var)?.checked_mul(factor),
            (_, Some(factor)) => growth(a, var)?.checked_mul(factor),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Lanes;
    use crate::text::parse_kernel;
    use crate::{LoopKind, Stmt};

    /// Can vectors do the body of a vector loop over `j`?
    fn check(body: &str, expected: bool) {
        let text = format!(
            "kernel t(N, M) in f32 x[N] in i32 z[N] in i32 c[N] out f32 y[N] {{ vector(4) for j in 0..N {{ {body} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let Stmt::For { var, kind: kind @ LoopKind::Vector { .. }, body: inside, .. } = &kernel.body else {
            panic!("{text}");
        };
        assert_eq!(Lanes::of(&kernel.buffer_types(), var, kind, inside).is_some(), expected, "{body}");
    }

    #[test]
    fn stores_of_consecutive_floats() {
        check("y[j + M] = x[M - 1 + j] * x[0] - sqrt(abs(-x[j]))", true);
        check("y[j] = x[2 * j]", false);
        check("y[j] = x[M - j]", false);
        check("y[j * 2] = x[j]", false);
        check("y[j] = exp(x[j]) + floor(x[j])", true);
        check("y[j] = f32(z[j])", false);
        check("y[j] = f32(z[M])", true);
        check("y[j] = f32(int(j))", false);
    }

    #[test]
    fn conditions_of_which_runs_of_lanes_are_true() {
        check("if j + 1 < N && 0 < M { y[j] = x[j] } else { y[j] = 0.0f32 }", true);
        check("y[j] = (M - j <= 3 || !(j == 2 * M) ? x[j] : x[0])", true);
        check("y[j] = (2 * j < N ? x[j] : 0.0f32)", false);
        check("if j % 2 == 0 { y[j] = x[j] }", false);
        check("if M - 2 * j < 3 - j { y[j] = x[j] }", true);
    }

    /// The same cell in all lanes is read once for all; consecutive ones say what is gathered.
    #[test]
    fn indices_that_are_read() {
        check("y[c[M] * M + j] = x[j + c[c[0]]] * x[c[1]]", true);
        check("if c[M] == 1 { y[j] = x[j] }", true);
        check(
            "if j < N { y[j] = (c[0] < M ? x[j] : 0.0f32) for k in c[M]..c[M + 1] { y[j] += x[k] } }",
            true,
        );
        check("y[j] = x[c[j]] * x[M + (c[j + 1 - M] + c[0])]", true);
        check("y[j] = x[c[2 * j]]", false);
        check("y[j] = x[c[j] + j]", false);
        check("y[j] = x[c[c[j]]]", false);
        check("y[j] = x[2 * c[j]]", false);
        check("y[c[j] + j] = x[j]", false);
        check("y[j] = 0.0f32 for k in c[0]..c[j] { y[j] += x[k] }", false);
        check("if c[j] == 1 { y[j] = x[j] }", false);
        check("if j < N && c[0] == 1 { y[j] = x[j] }", true);
        check("if j < c[M] { y[j] = x[j] }", true);
        check("y[j] = (c[M] <= j ? x[j] : 0.0f32)", true);
        check("y[j] = f32(int(c[0]))", true);
    }

    #[test]
    fn loops_and_variables_inside() {
        check("y[j] = 0.0f32 for k in 0..M { y[j] += x[k] }", true);
        check("y[j] = 0.0f32 for k in 0..j { y[j] += x[k] }", false);
        check("alloc register f32 s = 0.0f32 { for k in 0..M { s += x[j + k] } y[j] = s * s }", true);
        check("alloc stack f32 s[1] uninit { s[0] = x[j] y[j] = s[0] }", false);
        check("alloc register i32 s uninit { s = z[j] y[j] = x[j] }", false);
    }
}
