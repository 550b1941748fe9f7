//! Formats as terms: what a tensor in a format is, in the language of programs.
//!
//! **The one idea.** An element `A[x]` is found level by level. A level knows the parent position and what
//! the coordinate should be, which the format's axes say of `x`: `x0`, `x1 / 4`, `x1 - x0`. Either it
//! *locates* the position by arithmetic, or it
//! *iterates* over the parent's positions and asks each for its coordinate. So
//!
//! ```text
//! decompress(A)[x] = value[p]                                        below the last level, at position p
//!                  = [guard] * ..                                    a level that locates
//!                  = sum p in lo..hi { [crd[p] == coordinate] * .. }  a level that iterates
//!                  = sum r in lo..hi { sum p < length[r] { [start[r] + p == coordinate] * .. } }   one that iterates over runs
//! ```
//!
//! is a term over the integer arrays of the levels. A program over a tensor in a format is a program over
//! that term; what makes it a loop over positions is a theorem like any other. The facts that
//! [`validate`](crate::validate()) checks of the arrays are stated too, as far as they bound positions and
//! coordinates; they are checked at each call.

use crate::format::{Axis, Reshape};
use crate::levels::Width;
use crate::{Format, Refusal};
use atl_kernel::{Ctx, Elem, Expr, Ix, Label, Node, Pred, Scalar, Type, Var, subst};
use std::sync::Arc;

/// How a level is written in programs.
#[derive(Clone, Copy, Debug)]
pub struct Symbolic {
    /// Its arrays, what is known of them, and how many positions it has.
    pub declare: fn(&Level) -> Declared,
    /// The position of a coordinate, or the positions to ask.
    pub find: fn(&Level, &Goal<'_>) -> Found,
}

/// A level in a program.
#[derive(Debug)]
pub struct Level {
    /// The extents of its axes.
    pub extents: Vec<Ix>,
    /// What it subtracts from a coordinate before it stores it.
    pub offset: Ix,
    /// Its parameters.
    pub parameters: Vec<i64>,
    /// The number of positions of the level above.
    pub parents: Ix,
    /// Sizes of its own, as [`Declared::counted`] names them.
    pub lengths: Vec<Ix>,
    /// Its arrays, once they are declared.
    pub arrays: Vec<Var>,
}

impl Level {
    /// A level without arrays yet.
    fn new(extents: Vec<Ix>, offset: Ix, parameters: &[i64], parents: Ix) -> Level {
        let parameters = parameters.to_vec();
        Level { extents, offset, parameters, parents, lengths: Vec::new(), arrays: Vec::new() }
    }

    /// Its own size of this number.
    pub fn length(&self, number: usize) -> Ix {
        self.lengths.get(number).cloned().unwrap_or(Ix::ZERO)
    }

    /// An element of its array of this number.
    pub fn read(&self, array: usize, at: Ix) -> Ix {
        Ix::Read(self.arrays[array], Arc::from([at]))
    }

    /// How many coordinates there are, several axes being stored as one.
    pub fn size(&self) -> Ix {
        self.extents.iter().cloned().reduce(|a, b| a * b).unwrap_or(Ix::ONE)
    }

    /// The coordinate that stands for those of several axes.
    pub fn flatten(&self, coordinates: &[Ix]) -> Ix {
        let pairs = coordinates.iter().zip(&self.extents);
        pairs.map(|(c, n)| (c.clone(), n)).fold(Ix::ZERO, |flat, (c, n)| flat * n.clone() + c)
    }
}

/// What a level declares.
#[derive(Debug)]
pub struct Declared {
    /// The arrays: name, type of elements, extent.
    pub arrays: Vec<(String, Scalar, Ix)>,
    /// What is known of their elements.
    pub facts: fn(&Level) -> Vec<Fact>,
    /// How many positions it has.
    pub positions: Ix,
    /// The names of its own sizes, that arrays have for extents: how many positions it has, or something else
    /// that it counts.
    pub counted: &'static [&'static str],
}

/// Something known for all values of variables within ranges: `Bound(0)` is the first.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The variables: name, first value, one past the last.
    pub variables: Vec<(&'static str, Ix, Ix)>,
    /// What holds.
    pub holds: Pred,
}

impl Fact {
    /// `for all name < end: holds`, the variable being `Bound(0)`.
    pub fn below(name: &'static str, end: Ix, holds: impl FnOnce(Ix) -> Pred) -> Fact {
        let variable = Ix::Var(Var::Bound(0));
        Fact { variables: vec![(name, Ix::ZERO, end)], holds: holds(variable) }
    }
}

/// What is looked for in a level.
#[derive(Debug)]
pub struct Goal<'g> {
    /// The parent position.
    pub parent: &'g Ix,
    /// The coordinate along each of its axes.
    pub coordinates: &'g [Ix],
}

/// Where a level has it.
pub enum Found {
    /// At this position, if the predicate holds.
    At(Pred, Ix),
    /// At one of these positions: the first, how many there are, and which it is.
    Among(Ix, Ix, Box<dyn Fn(&Ix) -> Pred>),
    /// In one of these runs of coordinates.
    Within(Runs),
}

/// What is said of a run, by its number.
pub type OfRun = Box<dyn Fn(&Ix) -> Ix>;

/// Runs of coordinates that follow each other.
pub struct Runs {
    /// The first run, and one past the last.
    pub runs: (Ix, Ix),
    /// The first coordinate of a run.
    pub start: OfRun,
    /// How many coordinates are in it.
    pub length: OfRun,
    /// The position of its first coordinate.
    pub first: OfRun,
    /// Does each of its coordinates have a position of its own, or all the same?
    pub each: bool,
    /// What is looked for.
    pub wanted: Ix,
}

/// A tensor in a format, in a program's context.
#[derive(Debug)]
pub struct Operand {
    /// Which array has each of its [lengths] for its extent.
    pub lengths: Vec<usize>,
    /// Its arrays, the values last: level in the context, name, type.
    pub arrays: Vec<(u32, String, Type)>,
    /// What is known of the arrays.
    pub facts: Vec<Fact>,
    /// The tensor.
    pub value: Expr,
}

/// Declare the sizes that a tensor of this name and format brings, the numbers of positions that its arrays
/// say: level in the context, and name.
///
/// # Errors
/// The format is not of this rank, or has a level that is not written in programs.
pub fn lengths(
    ctx: &mut Ctx,
    name: &str,
    rank: usize,
    format: &Format,
) -> Result<Vec<(u32, String)>, Refusal> {
    if format.rank() != rank {
        let expected = format!("rank {}", format.rank());
        return Err(Refusal::Rank { format: format.to_string(), expected, found: rank });
    }
    let mut sizes = Vec::new();
    for (depth, entry) in format.entries().iter().enumerate() {
        let Some(symbolic) = entry.kind.symbolic else {
            let why = format!("a level `{}` cannot stand in a program yet", entry.kind.name);
            return Err(Refusal::Format { why });
        };
        if entry.kind.width != Width::None && entry.parameters.is_empty() {
            let why = format!("`{0}` needs a width in a program, as in `{0}(8)`", entry.kind.name);
            return Err(Refusal::Format { why });
        }
        let any = vec![Ix::ZERO; entry.axes.len()];
        let mut level = Level::new(any, Ix::ZERO, &entry.parameters, Ix::ZERO);
        for what in (symbolic.declare)(&level).counted {
            let name = numbered(name, depth, what);
            let size = ctx.push_size(Label::new(&name));
            level.lengths.push(Ix::free(size));
            sizes.push((size, name));
        }
        let arrays = (symbolic.declare)(&level).arrays;
        let is_extent = |n: &Ix| arrays.iter().any(|(_, _, extent)| extent == n);
        if depth + 1 < format.entries().len() && !level.lengths.iter().all(is_extent) {
            let why = format!("in a program a level `{}` is the last one", entry.kind.name);
            return Err(Refusal::Format { why });
        }
    }
    Ok(sizes)
}

/// Declare the arrays of a tensor of this name, type and format, where `integer` makes the type of their
/// elements.
///
/// `lengths` are the levels of its sizes, which [`lengths`] has declared.
pub fn operand(
    ctx: &mut Ctx,
    name: &str,
    ty: &Type,
    format: &Format,
    lengths: &[u32],
    integer: &dyn Fn(Scalar) -> Elem,
) -> Operand {
    let mut operand = Operand { lengths: vec![], arrays: vec![], facts: vec![], value: placeholder() };
    let (mut levels, mut parents) = (Vec::new(), Ix::ONE);
    let mut lengths = lengths.iter();
    for (depth, entry) in format.entries().iter().enumerate() {
        let Some(symbolic) = entry.kind.symbolic else { continue };
        let extents = entry.axes.iter().map(|axis| extent(*axis, &ty.shape)).collect();
        let mut level = Level::new(extents, offset(entry.axes[0], &ty.shape), &entry.parameters, parents);
        let counted = (symbolic.declare)(&level).counted.len();
        level.lengths.extend(lengths.by_ref().take(counted).map(|size| Ix::free(*size)));
        let declared = (symbolic.declare)(&level);
        for n in &level.lengths {
            // What none of its arrays has for its extent, the values have.
            let own = declared.arrays.iter().position(|(_, _, extent)| extent == n);
            operand.lengths.push(operand.arrays.len() + own.unwrap_or(declared.arrays.len()));
        }
        for (array, scalar, extent) in declared.arrays {
            let ty = Type { elem: integer(scalar), shape: vec![extent] };
            let array = numbered(name, depth, &array);
            let at = ctx.push_tensor(Label::new(&array), ty.clone());
            level.arrays.push(Var::Free(at));
            operand.arrays.push((at, array, ty));
        }
        operand.facts.extend((declared.facts)(&level));
        parents = declared.positions;
        levels.push((symbolic, level));
    }
    let values = Type { elem: ty.elem, shape: vec![parents] };
    let name_of_values = format!("{name}_vals");
    let vals = ctx.push_tensor(Label::new(&name_of_values), values.clone());
    operand.arrays.push((vals, name_of_values, values));
    operand.value = decompress(ctx, name, ty, format, &levels, vals);
    operand
}

/// The name of an array or size of the level at this depth, counted from 1: `A2_crd`.
fn numbered(name: &str, depth: usize, what: &str) -> String {
    format!("{name}{}_{what}", depth + 1)
}

fn placeholder() -> Expr {
    Arc::new(Node::Var(Var::Bound(0)))
}

/// The term that has the element at every index.
fn decompress(
    ctx: &Ctx,
    name: &str,
    ty: &Type,
    format: &Format,
    levels: &[(Symbolic, Level)],
    vals: u32,
) -> Expr {
    let first = ctx.level();
    let rank = u32::try_from(ty.shape.len()).expect("a rank is small");
    let index: Vec<Ix> = (first..first + rank).map(Ix::free).collect();
    let axes: Vec<Vec<Ix>> = format
        .entries()
        .iter()
        .map(|entry| entry.axes.iter().map(|axis| coordinate(*axis, &index, &ty.shape)).collect())
        .collect();
    let place = Place { name, levels, axes: &axes, vals };
    let element = place.element(0, &Ix::ZERO, first + rank);
    (0..rank).rev().fold(element, |e, d| {
        let label = Label::new(["i", "j", "k", "l", "m", "n"].get(d as usize).copied().unwrap_or("x"));
        Arc::new(Node::Gen(label, ty.shape[d as usize].clone(), subst::close(&e, first + d)))
    })
}

struct Place<'p> {
    name: &'p str,
    levels: &'p [(Symbolic, Level)],
    axes: &'p [Vec<Ix>],
    vals: u32,
}

impl Place<'_> {
    /// The element below a parent position of the level at this depth; new variables are from `fresh` on.
    fn element(&self, depth: usize, parent: &Ix, fresh: u32) -> Expr {
        let Some((symbolic, level)) = self.levels.get(depth) else {
            return Arc::new(Node::Get(Arc::new(Node::Var(Var::Free(self.vals))), parent.clone()));
        };
        match (symbolic.find)(level, &Goal { parent, coordinates: &self.axes[depth] }) {
            Found::At(guard, position) => guarded(guard, self.element(depth + 1, &position, fresh)),
            Found::Among(lo, length, is) => {
                let position = Ix::free(fresh) + lo.clone();
                let body = guarded(is(&position), self.element(depth + 1, &position, fresh + 1));
                let label = Label::new(&format!("p{}{}", self.name, depth + 1));
                Arc::new(Node::Sum(label, length, subst::close(&body, fresh)))
            }
            Found::Within(Runs { runs: (lo, hi), start, length, first, each, wanted }) => {
                let (run, step) = (Ix::free(fresh) + lo.clone(), Ix::free(fresh + 1));
                let here = Pred::eq(wanted, step.clone() + start(&run));
                let position = if each { step.clone() + first(&run) } else { first(&run) };
                let body = guarded(here, self.element(depth + 1, &position, fresh + 2));
                let label = |what: &str| Label::new(&format!("{what}{}{}", self.name, depth + 1));
                let inside = Node::Sum(label("p"), length(&run), subst::close(&body, fresh + 1));
                Arc::new(Node::Sum(label("r"), hi - lo, subst::close(&Arc::new(inside), fresh)))
            }
        }
    }
}

fn guarded(p: Pred, e: Expr) -> Expr {
    if p == Pred::True { e } else { Arc::new(Node::Guard(p, e)) }
}

fn literal(n: usize) -> Ix {
    Ix::Lit(i64::try_from(n).unwrap_or(i64::MAX))
}

/// How many values an axis has.
pub fn extent(axis: Axis, shape: &[Ix]) -> Ix {
    match axis {
        Axis::Dimension(d) => shape[d].clone(),
        Axis::Block { of, size } => Ix::ceil_div(shape[of].clone(), literal(size)),
        Axis::Within { size, .. } => literal(size),
        Axis::Diagonal { row, column } => shape[row].clone() + shape[column].clone() - Ix::ONE,
        Axis::Along { row, column } => Ix::min(shape[row].clone(), shape[column].clone()),
    }
}

/// What a compressed level subtracts from coordinates along an axis.
pub fn offset(axis: Axis, shape: &[Ix]) -> Ix {
    match axis {
        Axis::Diagonal { row, .. } => shape[row].clone() - Ix::ONE,
        _ => Ix::ZERO,
    }
}

/// The index at coordinates along the axes of a format; that of padding lies outside of the shape, beyond its
/// end.
pub fn index(reshape: &Reshape, at: &[Ix], shape: &[Ix]) -> Vec<Ix> {
    let index = |d: usize| {
        let (axis, one, two) = reshape.source(d);
        let (one, two) = (at[one].clone(), at[two].clone());
        // How far the diagonal begins below, or right of, the first element.
        let begins = |diagonal: Ix, row: usize| {
            let right = diagonal - (shape[row].clone() - Ix::ONE);
            Ix::max(if d == row { Ix::ZERO - right } else { right }, Ix::ZERO)
        };
        match axis {
            Axis::Dimension(_) => one,
            Axis::Block { size, .. } => one * literal(size) + two,
            Axis::Within { size, .. } => two * literal(size) + one,
            Axis::Diagonal { row, .. } => two + begins(one, row),
            Axis::Along { row, .. } => one + begins(two, row),
        }
    };
    (0..reshape.rank()).map(index).collect()
}

/// The value of an axis at an index.
fn coordinate(axis: Axis, index: &[Ix], shape: &[Ix]) -> Ix {
    match axis {
        Axis::Dimension(d) => index[d].clone(),
        Axis::Block { of, size } => index[of].clone() / literal(size),
        Axis::Within { of, size } => index[of].clone() % literal(size),
        Axis::Diagonal { row, column } => {
            index[column].clone() - index[row].clone() + (shape[row].clone() - Ix::ONE)
        }
        Axis::Along { row, column } => Ix::min(index[row].clone(), index[column].clone()),
    }
}
