//! Loops over whole vectors: what can be done in all lanes of a vector at once.
//!
//! ```text
//! f32x8 for j in lo..hi { body }   =   vector(8) for j in lo..hi { body }
//! ```
//!
//! where the iterations are visibly whole vectors and vectors can do the body. The pass
//! [`whole_vectors`](crate::passes::whole_vectors) decides that, and nothing decides it again;
//! `vector(8) for` is left to the C compiler.
//!
//! Such a loop computes `f32`, `f64` and integers: of several types, if as many lanes of each are a
//! vector. A cell that it touches is the next one in the next lane, or the same in each; what is
//! converted may lie a few cells apart, and be narrower. Conditions are on sizes and loops, and where
//! they depend on the lane, they hold from some lane on, or up to some lane. What index terms read from
//! buffers is the same in all lanes; but a value may be loaded from the cells that consecutive cells of a
//! buffer say. Inside, there may be serial loops that are the same in all lanes, and variables of each
//! lane's own. Iterations of a vector loop touch no cells that another one writes, so their order does
//! not matter.

use crate::growth::{difference, first, growth, is_multiple, sum};
use crate::intersection::{Intersection, Sequence};
use crate::numbers_in_lanes::{first_stored, narrowest};
use crate::passes::with_value;
use crate::search::Search;
use crate::vector_operations::{has_binary, has_unary, is_computed, is_converted, is_widened};
use crate::{BinOp, Bool, Init, Int, IntOp, LoopKind, Name, ReduceOp, Scalar, Stmt, Storage, StoreMode};
use crate::{UnOp, Val};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;

/// The most bytes of a vector.
const MAX_BYTES: usize = 64;

/// How far apart the cells of lanes may be that are converted.
const MAX_STEP: i64 = 8;

/// The head of a loop over whole vectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vectors {
    /// The loop's variable.
    pub var: Name,
    /// The first iteration.
    pub lo: Int,
    /// One past the last one. There are visibly a multiple of `lanes`.
    pub hi: Int,
    /// How many iterations are done at once.
    pub lanes: u32,
    /// What they store first.
    pub scalar: Scalar,
}

/// What varies in a loop over vectors, and how.
#[derive(Clone, Debug)]
pub struct Lanes<'a> {
    /// The loop's variable.
    pub var: &'a Name,
    /// What it stores first.
    pub scalar: Scalar,
    /// How many iterations are done at once.
    pub count: u32,
    /// The scratch variables inside, of which every lane has its own.
    locals: BTreeSet<&'a Name>,
}

/// What a loop over vectors is judged by.
struct Known<'k> {
    types: &'k BTreeMap<Name, Scalar>,
    vectors: &'k Vectors,
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

impl Vectors {
    /// A loop over `var` with so many iterations at once, if vectors can do its body; `types` are those of
    /// all buffers.
    ///
    /// # Errors
    /// Why they cannot, in the names of the loops.
    pub fn try_new(
        types: &BTreeMap<Name, Scalar>,
        var: &Name,
        (lo, hi): (&Int, &Int),
        lanes: u32,
        body: &Stmt,
    ) -> Result<Vectors, String> {
        let scalar = first_stored(types, body).ok_or("nothing is stored")?;
        let vectors = Vectors { var: var.clone(), lo: lo.clone(), hi: hi.clone(), lanes, scalar };
        vectors.do_body(types, body).map(|()| vectors)
    }

    /// The same, of fewer lanes where wide numbers leave room for fewer than those stored first, or than
    /// integers of less than 32 bits in memory.
    ///
    /// # Errors
    /// Why vectors of so many lanes cannot do it.
    pub fn at_most(
        types: &BTreeMap<Name, Scalar>,
        var: &Name,
        bounds: (&Int, &Int),
        lanes: u32,
        body: &Stmt,
    ) -> Result<Vectors, String> {
        let of = |lanes| Vectors::try_new(types, var, bounds, lanes, body);
        let room = |scalar: Scalar| u32::try_from(MAX_BYTES / scalar.size()).unwrap_or(0);
        let narrow = narrowest(types, var, body).filter(|scalar| scalar.bits() < 32);
        let has_room =
            first_stored(types, body).into_iter().chain(narrow).any(|scalar| lanes <= room(scalar));
        let fewer = || successors(Some(lanes / 2), |lanes| Some(lanes / 2)).take_while(|lanes| *lanes > 1);
        of(lanes).or_else(|why| {
            let found = if has_room { fewer().find_map(|lanes| of(lanes).ok()) } else { None };
            found.ok_or(why)
        })
    }

    /// Are these whole vectors, and can they do the body?
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, types: &BTreeMap<Name, Scalar>, body: &Stmt) -> Result<(), String> {
        self.do_body(types, body)?;
        match self.are_whole() {
            true => Ok(()),
            false => {
                Err(format!("`{}..{}` is not visibly a multiple of {} lanes", self.lo, self.hi, self.lanes))
            }
        }
    }

    fn do_body(&self, types: &BTreeMap<Name, Scalar>, body: &Stmt) -> Result<(), String> {
        self.is_vector(self.scalar)?;
        if first_stored(types, body).is_some_and(|scalar| scalar != self.scalar) {
            return Err(format!("what it stores first is not of type `{}`", self.scalar));
        }
        let stored = body.stored();
        let mut told = None;
        let mut look = |buf: &Name, _: &Int| {
            if stored.contains(&buf) {
                told.get_or_insert(buf.clone());
            }
        };
        [&self.lo, &self.hi].into_iter().for_each(|bound| bound.for_each_read(&mut look));
        body.for_each(&mut |stmt| stmt.for_each_read(&mut look));
        if let Some(buf) = told {
            return Err(format!("`{buf}` is stored to, and says where or how often"));
        }
        let lanes = Lanes::new(self, body);
        lanes.does(&Known { types, vectors: self }, body)?;
        lanes.is_worth(body)
    }

    /// Are as many lanes of this type a vector?
    fn is_vector(&self, scalar: Scalar) -> Result<(), String> {
        if !is_computed(scalar) {
            return Err(format!("vectors are of `f32`, `f64` and integers, and it computes `{scalar}`"));
        }
        let (lanes, most) = (self.lanes, MAX_BYTES / scalar.size());
        match lanes > 1 && lanes.is_power_of_two() && usize::try_from(lanes).is_ok_and(|n| n <= most) {
            true => Ok(()),
            false => Err(format!(
                "a vector of `{scalar}` has 2 lanes or a larger power of two, and at most {most}"
            )),
        }
    }

    /// Does the truth value depend on the lane, and can vectors see it in all lanes?
    pub fn decide(&self, types: &BTreeMap<Name, Scalar>, cond: &Val) -> bool {
        let lanes = Lanes::without_variables(self);
        lanes.varies(cond) && lanes.compares(&Known { types, vectors: self }, cond).is_ok()
    }

    /// Are the iterations visibly whole vectors?
    pub fn are_whole(&self) -> bool {
        difference(&self.hi, &self.lo).is_some_and(|count| is_multiple(&count, i64::from(self.lanes)))
    }

    /// Are they visibly one vector?
    pub fn are_one(&self) -> bool {
        difference(&self.hi, &self.lo).and_then(|count| count.constant()) == Some(i64::from(self.lanes))
    }

    /// The loop that they mean, with this body.
    pub fn plain(&self, body: Stmt) -> Stmt {
        let Vectors { var, lo, hi, lanes, .. } = self.clone();
        Stmt::for_loop(var, lo, hi, LoopKind::Vector { width: Some(lanes) }, body)
    }
}

impl<'a> Lanes<'a> {
    /// The lanes of vectors that do this body.
    pub fn new(vectors: &'a Vectors, body: &'a Stmt) -> Lanes<'a> {
        let mut locals = BTreeSet::new();
        body.for_each(&mut |stmt| {
            if let Stmt::Alloc { buf, .. } = stmt {
                locals.insert(buf);
            }
        });
        Lanes { var: &vectors.var, scalar: vectors.scalar, count: vectors.lanes, locals }
    }

    /// The lanes of vectors that store nothing.
    pub fn without_variables(vectors: &'a Vectors) -> Lanes<'a> {
        Lanes { var: &vectors.var, scalar: vectors.scalar, count: vectors.lanes, locals: BTreeSet::new() }
    }

    /// Has every lane its own variable of this name?
    pub fn is_local(&self, buf: &Name) -> bool {
        self.locals.contains(buf)
    }

    /// The cell of the first lane, if the lanes touch consecutive cells: the index where the variable is
    /// zero.
    pub fn first(&self, index: &Int) -> Option<Int> {
        first(index, self.var)
    }

    /// The cells of all lanes, where an index is read from consecutive cells: the buffer, its cell for the
    /// first lane, and what is added to each.
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

    /// By how many cells an index grows from lane to lane, if always by as many.
    pub fn step(&self, index: &Int) -> Option<i64> {
        growth(index, self.var)
    }

    /// The index of the lane where the variable is zero.
    pub fn at_zero(&self, index: &Int) -> Int {
        with_value(index, self.var, Int::Lit(0))
    }

    /// The buffer and the cell of a value that may be narrower than what it is converted to, if the cells
    /// of lanes lie a few apart; and how many.
    pub fn apart<'v>(&self, val: &'v Val) -> Option<(&'v Name, &'v Int, i64)> {
        let Val::Load { buf, index } = val else { return None };
        let step = self.step(index).filter(|step| (1..=MAX_STEP).contains(step))?;
        (!index.reads() && !self.is_local(buf)).then_some((buf, index, step))
    }

    /// The index term that an integer is, if it grows by as much from lane to lane; and by how much.
    pub fn counted<'v>(&self, val: &'v Val) -> Option<(&'v Int, i64)> {
        let Val::OfInt(int) = val else { return None };
        Some((int, self.step(int)?)).filter(|_| !int.reads())
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

    fn does(&self, known: &Known<'_>, stmt: &Stmt) -> Result<(), String> {
        let of_type = |buf: &Name| match known.types.get(buf) {
            Some(scalar) => known.vectors.is_vector(*scalar),
            None => Err(format!("`{buf}` has no type")),
        };
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().try_for_each(|stmt| self.does(known, stmt)),
            Stmt::For { var, lo, hi, kind: LoopKind::Serial | LoopKind::Unroll, body } => {
                if lo.mentions(self.var) || hi.mentions(self.var) {
                    return Err(format!("how often `{var}` runs depends on `{}`", self.var));
                }
                self.does(known, body)
            }
            Stmt::If { cond, then, otherwise } => {
                self.decides(cond)?;
                self.does(known, then)?;
                otherwise.iter().try_for_each(|otherwise| self.does(known, otherwise))
            }
            Stmt::Alloc { buf, extents, storage: Storage::Register, init, body, .. }
                if extents.is_empty() =>
            {
                of_type(buf)?;
                self.begins(init)?;
                self.does(known, body)
            }
            Stmt::Reset { buf, init } if self.is_local(buf) => self.begins(init),
            Stmt::Store { buf, index, value, mode } => {
                of_type(buf)?;
                self.follows(buf, index)?;
                if matches!(mode, StoreMode::Reduce(ReduceOp::Or | ReduceOp::And)) {
                    return Err("truth values are combined".to_owned());
                }
                self.computes(known, value)
            }
            Stmt::Prefetch { buf, .. } => Err(format!("`{buf}` is prefetched inside")),
            Stmt::Reset { buf, .. } | Stmt::Forget { buf, .. } => Err(format!("`{buf}` is filled inside")),
            Stmt::For { var, .. }
            | Stmt::Vectors { vectors: Vectors { var, .. }, .. }
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
    fn computes(&self, known: &Known<'_>, val: &Val) -> Result<(), String> {
        if !self.varies(val) {
            return Ok(());
        }
        let scalar = val.scalar_type(known.types).ok_or_else(|| format!("`{val}` has no type"))?;
        known.vectors.is_vector(scalar)?;
        match val {
            Val::Load { index, .. } if self.gathered(index).is_some() => Ok(()),
            Val::Load { buf, index } if self.strided(buf, index).is_some() => Ok(()),
            Val::Load { buf, index } => self.follows(buf, index),
            Val::OfInt(_) if self.counted(val).is_some() => Ok(()),
            Val::Un(op, a) if has_unary(*op, scalar) => self.computes(known, a),
            Val::Bin(op, a, b) if has_binary(*op, scalar, b) => {
                self.computes(known, a)?;
                self.computes(known, b)
            }
            Val::Call(_, operands) => operands.iter().try_for_each(|a| self.computes(known, a)),
            Val::Select { cond, then, otherwise } => {
                self.decides(cond)?;
                self.computes(known, then)?;
                self.computes(known, otherwise)
            }
            Val::Choose { cond, then, otherwise } => {
                self.compares(known, cond)?;
                self.computes(known, then)?;
                self.computes(known, otherwise)
            }
            Val::Convert { to, val } if self.converts(known, val, *to) => Ok(()),
            Val::Convert { to, val } if is_converted(val.scalar_type(known.types), *to) => {
                self.computes(known, val)
            }
            val => Err(format!("`{val}` is no operation on vectors")),
        }
    }

    /// Is the value one whose conversion is an operation by itself: an index, or an integer of a narrower
    /// type?
    fn converts(&self, known: &Known<'_>, val: &Val, to: Scalar) -> bool {
        let is_narrow =
            |(buf, ..): (&Name, &Int, i64)| known.types.get(buf).is_some_and(|from| is_widened(*from, to));
        self.apart(val).is_some_and(is_narrow) || to.is_integer() && self.counted(val).is_some()
    }

    /// Is there an operation on vectors for each part of a truth value?
    fn compares(&self, known: &Known<'_>, cond: &Val) -> Result<(), String> {
        match cond {
            cond if !self.varies(cond) => Ok(()),
            Val::Cmp(_, a, b) => {
                self.computes(known, a)?;
                self.computes(known, b)
            }
            Val::Un(UnOp::Not, a) => self.compares(known, a),
            Val::Bin(BinOp::And | BinOp::Or, a, b) => {
                self.compares(known, a)?;
                self.compares(known, b)
            }
            cond => Err(format!("`{cond}` is no comparison of vectors")),
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

#[cfg(test)]
mod tests {
    use super::Vectors;
    use crate::text::parse_kernel;
    use crate::{LoopKind, Stmt};

    /// Can vectors do the body of a vector loop over `j`?
    fn check(body: &str, expected: bool) {
        let text = format!(
            "kernel t(N, M) in f32 x[N] in i32 z[N] in i32 c[N] in u8 b[N] in bool t[N] \
             out f32 y[N] out i32 w[N] out u8 b8[N] {{ vector(4) for j in 0..N {{ {body} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let Stmt::For { var, lo, hi, kind: LoopKind::Vector { .. }, body: inside } = &kernel.body else {
            panic!("{text}");
        };
        let found = Vectors::try_new(&kernel.buffer_types(), var, (lo, hi), 4, inside);
        assert_eq!(found.is_ok(), expected, "{body}");
    }

    #[test]
    fn stores_of_consecutive_floats() {
        check("y[j + M] = x[M - 1 + j] * x[0] - sqrt(abs(-x[j]))", true);
        check("y[j] = x[2 * j]", false);
        check("y[j] = x[M - j]", false);
        check("y[j * 2] = x[j]", false);
        check("y[j] = exp(x[j]) + floor(x[j])", true);
        check("y[j] = f32(z[M])", true);
    }

    /// Types may differ where as many lanes of each are a vector; narrow ones are converted on the way.
    #[test]
    fn conversions_and_integers() {
        check("y[j] = f32(z[j]) * x[j]", true);
        check("y[j] = f32(z[2 * j])", false);
        check("y[j] = f32(int(j)) + f32(int(3 * j + M))", true);
        check("y[j] = f32(int(M - c[j]))", false);
        check("y[j] = f32(b[j]) + f32(b[4 * j + 3])", true);
        check("y[j] = f32(b[M - j])", false);
        check("y[j] = f32(b[9 * j])", false);
        check("y[j] = f32(f64(x[j]) * 0.1f64)", true);
        check("y[j] = f32(i32(x[j]))", false);
        check("w[j] = i32(b[j]) * z[j] - (-abs(z[j + 1]))", true);
        check("w[j] = z[2 * j]", false);
        check("w[j] = z[j] / 3i32", false);
        check("w[j] = shl(z[j], 3i32) + shr(z[j], 31i32)", true);
        check("w[j] = shl(z[j], 32i32)", false);
        check("w[j] = shl(1i32, z[j])", false);
        check("w[j] = popcount(z[j])", false);
        check("b8[j] = b[j]", true);
        check("b8[j] = u8(max(i32(b[j]) - z[j], 0i32))", true);
        check("b8[j] = u8(u16(b[j]) / 3u16)", true);
        check("b8[j] = u8(u16(b[j]) / 0u16)", false);
        check("b8[j] = u8(u16(b[j]) / u16(b[j]))", false);
        check("b8[j] = b[j] / 3u8", false);
        check("b8[j] = u8(x[j])", false);
        check("w[j] = z[j] y[j] = x[j]", true);
    }

    #[test]
    fn choices_by_what_lanes_hold() {
        check("y[j] = select(x[j] < y[j], x[j], y[j])", true);
        check("y[j] = select(!(x[j] < y[j]) && z[j] == 3i32, x[j], 0.0f32)", true);
        check("y[j] = select(x[j] < y[j], x[2 * j], y[j])", false);
        check("y[j] = select(t[j], x[j], y[j])", false);
        check("y[j] = select(t[0], x[j], y[j])", true);
    }

    /// What says where, or how often, is not stored to in the loop.
    #[test]
    fn integers_that_are_read_in_indices_are_not_stored() {
        check("w[j] = z[c[0]] * 2i32", true);
        check("w[j] = z[j] y[j] = x[w[0]]", false);
        check("w[j] = 0i32 for k in 0..w[0] { w[j] += z[k] }", false);
        check("if w[0] < M { w[j] = z[j] }", false);
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
        check("y[j] = 0.0f32 for k in 0..M { y[j] += x[j * M + k] }", false);
        check("y[j] = 0.0f32 for k in 0..M { y[j] += exp(x[j * M + k]) }", true);
        check("y[j] = exp(x[0]) for k in 0..M { y[j] += x[j * M + k] }", false);
        check("y[j] = x[j * M] for k in 0..M { y[j] += exp(x[j * M + k]) }", true);
        check("y[j] = 0.0f32 for k in 0..j { y[j] += x[k] }", false);
        check("alloc register f32 s = 0.0f32 { for k in 0..M { s += x[j + k] } y[j] = s * s }", true);
        check("alloc stack f32 s[1] uninit { s[0] = x[j] y[j] = s[0] }", false);
        check("alloc register i32 s uninit { s = z[j] y[j] = x[j] }", true);
        check("alloc register u8 s uninit { s = b[j] y[j] = x[j] }", true);
        check("alloc register bool s uninit { s = t[j] y[j] = x[j] }", false);
    }
}
