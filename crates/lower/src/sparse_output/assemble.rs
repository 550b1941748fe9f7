//! Results in formats: a term in normal form and the writers of its levels give a statement that appends.
//!
//! The arrays are those of the dense result, packed: stored in order, without duplicates, and without zeros
//! but those of a block, see [`blocks`](crate::sparse_output::blocks). Level by level,
//!
//! ```text
//! dense level       each coordinate, and then the position where its children end
//! compressed level  each coordinate below which something was stored, and that many positions
//! block             every element of the dimensions below: of those that are not zero, where a coordinate says which
//!
//! A(gen i<n. e)       = for i in 0..n: A(e) at i
//! A([p] * e)          = if p: A(e)
//! A(one_hot(n, c, e)) = A(e) at c
//! A(sum p<n. .. one_hot(n, c(p), e)) = for p in 0..n: A(..)                            c strictly increases: one term a cell;
//!                                                                                      pairs in one list: as one number
//! A(sum p<n. [c(p) == x] * e)        = for p in 0..n: if c(p) == x: A(e)               c strictly increases: one term
//! A(sum p. one_hot(..) + sum q. one_hot(..))  = merge the coordinates: A(..) at each     see `unite`
//! A(e)                = touched w = 0; L(e) into w; visit c of w: A(w[c]) at c         one dimension, anything else
//! A(e)                = R(e), and A of that                                          several dimensions, scattered: see `rows`
//! A(e)                = alloc w; L(e) into w; A(gen i. gen j. .. w[i, j, ..])          the same, filled by several at once;
//!                                                                                      or several dimensions, filled
//! A(s)                = v = s; if v != 0: push the coordinates and v
//! ```
//!
//! A result that keeps the places of an operand has an entry for each of the operand's, see
//! [`like`](crate::sparse_output::same_pattern).
//!
//! A rewrite sees none of this: it is about the dense result.

use crate::annotations::coiteration::UnionStrategy;
use crate::cx::{Buffer, LowerCx};
use crate::emit::{computed, into_buffer};
use crate::error::LowerError;
use crate::lets::bound;
use crate::loop_around::looped;
use crate::notes::Places;
use crate::scalar::zero;
use crate::sparse_output::merge_union::merge_union;
use crate::sparse_output::rows::{by_rows, is_scattered};
use crate::sparse_output::same_pattern::{Entry, SamePattern};
use crate::sparse_output::scanned::has_places_last;
use crate::sparse_output::term_order::{comes_in_order, is_filled_at_once};
use atl_arith::keys::{Growth, equations};
use atl_kernel::{Expr, Ix, Label, LoopKind, Node, Pred, Type, Var, subst};
use atl_loops::{Bool, CmpOp, Init, Int, Name, ReduceOp, Scalar, Stmt, Storage, Val};
use std::sync::Arc;

/// The arrays that a result in a format is stored in, and how they are called.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The writers of the levels, outermost first: dense ones, compressed ones, and those of blocks: dense
    /// ones, and perhaps flags last.
    pub levels: Vec<Writer>,
    /// The array of values.
    pub values: String,
    /// The operand that has an entry wherever the result is to have one; else there are none for zeros.
    pub same_pattern: Option<SamePattern>,
}

/// How a level is written.
#[derive(Clone, Debug)]
pub enum Writer {
    /// Every coordinate of one dimension.
    Dense,
    /// The same, and whether anything is stored there: the last level.
    Flags {
        /// The array of flags.
        bits: String,
    },
    /// The coordinates that there are of some dimensions.
    Compressed {
        /// The array of positions.
        pos: String,
        /// The arrays of coordinates, one for each dimension.
        crd: Vec<String>,
        /// What is subtracted from those of the first.
        offset: Ix,
    },
}

/// So many coordinates have numbers in 32 bits.
pub(crate) const COORDINATES: i64 = 1 << 31;

impl Assembly {
    /// The dimensions whose coordinates are stored.
    pub(crate) fn compressed(&self) -> impl Iterator<Item = usize> {
        let stored = self.levels.iter().flat_map(|writer| match writer {
            Writer::Dense | Writer::Flags { .. } => vec![false],
            Writer::Compressed { crd, .. } => vec![true; crd.len()],
        });
        stored.enumerate().filter(|(_, stored)| *stored).map(|(d, _)| d)
    }

    /// The arrays in order, for values of this type.
    pub fn arrays(&self, values: Scalar) -> impl Iterator<Item = (&str, Scalar)> {
        let levels = self.levels.iter().flat_map(|writer| match writer {
            Writer::Dense => Vec::new(),
            Writer::Flags { bits } => vec![(bits.as_str(), Scalar::Bool)],
            Writer::Compressed { pos, crd, .. } => {
                let crd = crd.iter().map(|name| (name.as_str(), Scalar::I32));
                std::iter::once((pos.as_str(), Scalar::I64)).chain(crd).collect()
            }
        });
        levels.chain([(self.values.as_str(), values)])
    }
}

/// A compressed level that is being written.
struct Level {
    pos: Name,
    crd: Vec<Name>,
    /// What is subtracted from coordinates of the first dimension.
    offset: Int,
    /// A register that counts its entries.
    len: Name,
}

/// A dimension of the result, down to the blocks.
#[derive(Clone, Copy)]
enum Dimension {
    Dense,
    /// Of the compressed level of this number; is it the level's last?
    Compressed {
        level: usize,
        is_last: bool,
    },
}

/// The result that is being written.
pub(crate) struct Output {
    dimensions: Vec<Dimension>,
    levels: Vec<Level>,
    /// How many dimensions a block has.
    block: usize,
    /// Whether elements of blocks are there.
    pub(crate) flags: Option<Name>,
    pub(crate) values: Name,
    /// Whose entries it has.
    pub(crate) same_pattern: Option<SamePattern>,
}

/// The statement that stores `e` in the arrays of the assembly, whose names are reserved.
pub(crate) fn assemble(cx: &mut LowerCx<'_>, e: &Expr, assembly: &Assembly) -> Result<Stmt, LowerError> {
    let output = Output::of(assembly, cx)?;
    if let (Some(same_pattern), Some(flags)) = (&output.same_pattern, &output.flags) {
        return Err(same_pattern.refused(&format!("`{flags}` flags the nonzero elements")));
    }
    let begin = output.levels.iter().map(|level| Stmt::push(level.pos.clone(), Val::OfInt(Int::Lit(0))));
    let begin: Vec<Stmt> = begin.collect();
    let all = output.parent(cx, e, 0, &Entry::ROOT)?;
    let inside = Stmt::seq(begin.into_iter().chain([all]));
    Ok(output.levels.iter().rev().fold(inside, |inside, level| {
        register(&level.len, Scalar::I64, Init::Value(Val::Lit(atl_loops::Literal::i64(0))), inside)
    }))
}

pub(crate) fn register(buf: &Name, scalar: Scalar, init: Init, body: Stmt) -> Stmt {
    let (buf, body) = (buf.clone(), Box::new(body));
    Stmt::Alloc { buf, scalar, extents: vec![], storage: Storage::Register, init, body }
}

impl Output {
    fn of(assembly: &Assembly, cx: &mut LowerCx<'_>) -> Result<Output, LowerError> {
        let (mut dimensions, mut levels, mut flags) = (Vec::new(), Vec::new(), None);
        for writer in &assembly.levels {
            let (pos, crd, offset) = match writer {
                Writer::Compressed { pos, crd, offset } => (pos, crd, offset),
                Writer::Dense => {
                    dimensions.push(Dimension::Dense);
                    continue;
                }
                Writer::Flags { bits } => {
                    flags = Some(Name::new(bits));
                    continue;
                }
            };
            let level = levels.len();
            dimensions
                .extend((1..=crd.len()).map(|k| Dimension::Compressed { level, is_last: k == crd.len() }));
            levels.push(Level {
                pos: Name::new(pos),
                crd: crd.iter().map(|name| Name::new(name)).collect(),
                offset: cx.translate_ix(offset)?,
                len: cx.names.buffer(&format!("{}_len", pos.trim_end_matches("_pos"))),
            });
        }
        // Dense levels below the last compressed one, and the one with flags, are those of blocks.
        let is_stored = |d: &Dimension| matches!(d, Dimension::Compressed { .. });
        let dense = dimensions.iter().rev().take_while(|d| !is_stored(d)).count();
        let dense = if levels.is_empty() { 0 } else { dense };
        dimensions.truncate(dimensions.len() - dense);
        let block = dense + usize::from(flags.is_some());
        let (values, same_pattern) = (Name::new(&assembly.values), assembly.same_pattern.clone());
        Ok(Output { dimensions, levels, block, flags, values, same_pattern })
    }

    /// Are there coordinates for each block? Else every block is stored.
    pub(crate) fn is_compressed(&self) -> bool {
        !self.levels.is_empty()
    }

    /// How many dimensions have coordinates that are stored together, from this one on.
    fn together(&self, at: usize) -> usize {
        let is_inside = |d: &&Dimension| matches!(d, Dimension::Compressed { is_last: false, .. });
        self.dimensions[at..].iter().take_while(is_inside).count() + 1
    }

    /// The children of one position, from this dimension on, and where they end.
    fn parent(&self, cx: &mut LowerCx<'_>, e: &Expr, at: usize, entry: &Entry) -> Result<Stmt, LowerError> {
        let children = self.children(cx, e, at, &[], entry)?;
        Ok(Stmt::seq([children, self.end(at)]))
    }

    /// The position where the children end that begin with this dimension.
    fn end(&self, at: usize) -> Stmt {
        match self.dimensions.get(at) {
            Some(Dimension::Compressed { level, .. }) => {
                let level = &self.levels[*level];
                Stmt::push(level.pos.clone(), Val::OfInt(count(level)))
            }
            _ => Stmt::skip(),
        }
    }

    /// Whatever is to be stored of `e`, whose dimensions are those from here on; `crd` are coordinates of
    /// dimensions before it, of the same level; `entry` is where the operand is whose places are kept.
    fn children(
        &self,
        cx: &mut LowerCx<'_>,
        e: &Expr,
        at: usize,
        crd: &[Int],
        entry: &Entry,
    ) -> Result<Stmt, LowerError> {
        let Some(dimension) = self.dimensions.get(at).copied() else {
            return if self.block > 0 { self.dense_block(cx, e, crd) } else { self.leaf(cx, e, crd) };
        };
        match (&**e, dimension) {
            (Node::Gen(label, n, body), _)
                if self.same_pattern.is_none() || matches!(dimension, Dimension::Dense) =>
            {
                self.serial(label)?;
                let entry = entry.dense(n, &Ix::free(cx.ctx.level()));
                looped(cx, label, n, body, |cx, body, i| self.child(cx, body, at, (crd, i), &entry))
            }
            (Node::Sum(label, n, body), Dimension::Compressed { level, .. })
                if self.same_pattern.is_some()
                    || is_one_term(cx, n, body)
                    || comes_in_order(cx, n, body, self.together(at)) =>
            {
                self.serial(label)?;
                let entry = match &self.same_pattern {
                    Some(same_pattern) => same_pattern.entries(cx, level, entry, n)?,
                    None => entry.clone(),
                };
                looped(cx, label, n, body, |cx, body, _| self.children(cx, body, at, crd, &entry))
            }
            (Node::Let(label, value, body), _) => {
                bound(cx, label, value, body, |cx, body| self.children(cx, body, at, crd, entry))
            }
            (Node::Select(p, a, b), _) if self.same_pattern.is_none() => {
                let cond = cx.translate_pred(p)?;
                let then = cx.within_branch(p.clone(), &cond, |cx| self.children(cx, a, at, crd, entry))?;
                let (no, not) = (Pred::not(p.clone()), cond.clone().negate());
                let otherwise = cx.within_branch(no, &not, |cx| self.children(cx, b, at, crd, entry))?;
                Ok(Stmt::If { cond, then: Box::new(then), otherwise: Some(Box::new(otherwise)) })
            }
            (Node::Guard(p, body), Dimension::Compressed { .. }) if self.same_pattern.is_none() => {
                let cond = cx.translate_pred(p)?;
                let then =
                    cx.within_branch(p.clone(), &cond, |cx| self.children(cx, body, at, crd, entry))?;
                Ok(Stmt::guard(cond, then))
            }
            (Node::Op(definition, ixs, args), Dimension::Compressed { level, .. })
                if definition.name == "one_hot" =>
            {
                if let Some(same_pattern) = &self.same_pattern {
                    same_pattern.is_there(cx, (level, crd.len()), entry, &ixs[1])?;
                }
                let coordinate = cx.translate_ix(&ixs[1])?;
                self.child(cx, &args[0], at, (crd, coordinate), entry)
            }
            _ => {
                if let Some(same_pattern) = &self.same_pattern {
                    return Err(same_pattern.refused("an element is stored without visiting an entry of it"));
                }
                match self.merged(cx, e, at, crd)? {
                    Some(merged) => Ok(merged),
                    None if cx.coiteration.summands == UnionStrategy::Merge => {
                        let why = "some term of the result is not a summand with increasing coordinates";
                        Err(LowerError::NotMerged(why.to_owned()))
                    }
                    None => self.workspace(cx, e, at, crd),
                }
            }
        }
    }

    /// Tensors that come in order each, added up: coordinate by coordinate. None where they do not.
    fn merged(
        &self,
        cx: &mut LowerCx<'_>,
        e: &Expr,
        at: usize,
        crd: &[Int],
    ) -> Result<Option<Stmt>, LowerError> {
        let Some(Dimension::Compressed { .. }) = self.dimensions.get(at) else { return Ok(None) };
        if cx.coiteration.summands == UnionStrategy::Workspace {
            return Ok(None);
        }
        let together = self.together(at);
        merge_union(cx, e, together, |cx, e, mut own| {
            let last = own.pop().unwrap_or(Int::Lit(0));
            let crd = [crd, &own].concat();
            self.child(cx, e, at + together - 1, (&crd, last), &Entry::ROOT)
        })
    }

    /// What is stored below a coordinate of this dimension.
    fn child(
        &self,
        cx: &mut LowerCx<'_>,
        e: &Expr,
        at: usize,
        (crd, coordinate): (&[Int], Int),
        entry: &Entry,
    ) -> Result<Stmt, LowerError> {
        let Dimension::Compressed { level, is_last } = self.dimensions[at] else {
            return self.parent(cx, e, at + 1, entry);
        };
        let crd = [crd, &[coordinate]].concat();
        if !is_last || at + 1 == self.dimensions.len() {
            return self.children(cx, e, at + 1, &crd, entry);
        }
        let below = entry.below();
        if self.same_pattern.is_some() {
            let children = self.children(cx, e, at + 1, &[], &below)?;
            return Ok(Stmt::seq([children, self.entry(level, &crd), self.end(at + 1)]));
        }
        // The coordinate is stored if something was stored below it.
        let lower = &self.levels[level + 1];
        let before = cx.names.buffer("before");
        let something = Bool::lt(Int::load(before.clone(), Int::Lit(0)), count(lower));
        let children = self.children(cx, e, at + 1, &[], &below)?;
        let entry = Stmt::seq([self.entry(level, &crd), self.end(at + 1)]);
        let body = Stmt::seq([
            Stmt::set(before.clone(), Int::Lit(0), Val::OfInt(count(lower))),
            children,
            Stmt::guard(something, entry),
        ]);
        Ok(register(&before, Scalar::I64, Init::Uninit, body))
    }

    /// An entry of a level.
    fn entry(&self, level: usize, crd: &[Int]) -> Stmt {
        let Level { crd: arrays, len, offset, .. } = &self.levels[level];
        let coordinate = |c: Int| Val::convert(Scalar::I32, Val::OfInt(c));
        let offsets = std::iter::once(offset.clone()).chain(std::iter::repeat(Int::Lit(0)));
        let coordinates = crd.iter().zip(offsets).map(|(c, offset)| coordinate(c.clone() - offset));
        let pushes = arrays.iter().zip(coordinates).map(|(array, c)| Stmt::push(array.clone(), c));
        let one = Stmt::reduce(ReduceOp::Add, len.clone(), Int::Lit(0), Val::OfInt(Int::Lit(1)));
        Stmt::seq(pushes.chain([one]))
    }

    /// A value, stored unless it is zero, or whatever it is.
    fn leaf(&self, cx: &mut LowerCx<'_>, e: &Expr, crd: &[Int]) -> Result<Stmt, LowerError> {
        if self.same_pattern.is_some() {
            return computed(cx, e, |_, value| Ok(self.stored(crd, value)));
        }
        if let Node::Guard(p, body) = &**e {
            let cond = cx.translate_pred(p)?;
            let then = cx.within_branch(p.clone(), &cond, |cx| self.leaf(cx, body, crd))?;
            return Ok(Stmt::guard(cond, then));
        }
        let zero = zero(cx.type_of(e)?.elem)?;
        computed(cx, e, |cx, value| Ok(unless(cx, value.clone(), zero, self.stored(crd, value))))
    }

    /// A value of the last level and its coordinates.
    fn stored(&self, crd: &[Int], value: Val) -> Stmt {
        Stmt::seq([self.last_entry(crd), Stmt::push(self.values.clone(), value)])
    }

    /// An entry of the last level; none, where every block is stored.
    pub(crate) fn last_entry(&self, crd: &[Int]) -> Stmt {
        self.levels.len().checked_sub(1).map_or_else(Stmt::skip, |level| self.entry(level, crd))
    }

    /// Anything else is computed first, and then stored in order.
    fn workspace(&self, cx: &mut LowerCx<'_>, e: &Expr, at: usize, crd: &[Int]) -> Result<Stmt, LowerError> {
        let ty = cx.type_of(e)?;
        let label = Label::new("w");
        let is_stored = |d: &Dimension| matches!(d, Dimension::Compressed { .. });
        let is_list = self.block == 0 && self.dimensions[at + 1..].iter().all(is_stored);
        let is_sparse = |d: Option<&Dimension>| d.is_some_and(is_stored);
        if ty.shape.len() > 1 && is_list && is_scattered(cx, e)? {
            if is_sparse(self.dimensions.get(at)) && !cx.loops.is_empty() {
                cx.scans(e, ty.shape.len(), Places::Rows);
            }
            return by_rows(cx, e, &ty, |cx, rows| self.children(cx, rows, at, crd, &Entry::ROOT));
        }
        if ty.shape.len() > 1 {
            if self.dimensions[at..].iter().any(is_stored) && has_places_last(e) {
                cx.scans(e, ty.shape.len(), Places::Elements);
            }
            return bound(cx, &label, e, &elements(&ty), |cx, body| {
                self.children(cx, body, at, crd, &Entry::ROOT)
            });
        }
        let (w, j) = (cx.names.buffer(&label.name), cx.names.enter("j"));
        let buffer =
            Buffer { name: w.clone(), elem: ty.elem, extents: ty.shape.clone(), turn: None, part: None };
        cx.names.leave();
        let extents = ty.shape.iter().map(|n| cx.translate_ix(n)).collect::<Result<Vec<_>, _>>()?;
        let zero = zero(ty.elem)?;
        let (fill, covered) = into_buffer(cx, e, &ty, &buffer)?;
        let (cell, value) = (Int::Var(j.clone()), Val::load(w.clone(), Int::Var(j.clone())));
        let stored = self.stored(&[crd, &[cell]].concat(), value.clone());
        let (storage, init, rest) = if is_filled_at_once(&fill, &w) {
            let hi = Int::product(&extents);
            let body = Box::new(unless(cx, value, zero.clone(), stored));
            let all = Stmt::For { var: j, lo: Int::Lit(0), hi, kind: atl_loops::LoopKind::Serial, body };
            (Storage::Heap, if covered { Init::Uninit } else { Init::Value(zero) }, all)
        } else {
            let visit = Stmt::Visit { var: j, buf: w.clone(), body: Box::new(stored) };
            (Storage::Touched, Init::Value(zero), visit)
        };
        let body = Box::new(Stmt::seq([fill, rest]));
        Ok(Stmt::Alloc { buf: w, scalar: ty.elem.scalar, extents, storage, init, body })
    }

    /// The order of a loop that appends is settled; one that searches does so for what it finds, in order.
    fn serial(&self, label: &Label) -> Result<(), LowerError> {
        match (label.kind, &self.same_pattern) {
            (LoopKind::Serial | LoopKind::Unroll, _) | (LoopKind::Search, None) => Ok(()),
            (LoopKind::Search, Some(same_pattern)) => Err(same_pattern.refused(&format!(
                "the loop `{}` searches another operand, and stores only where it finds an entry",
                label.name
            ))),
            _ => Err(LowerError::Ordered(label.name.to_string())),
        }
    }
}

/// Is at most one term of a sum not zero? That is so where a condition compares a key that strictly increases.
fn is_one_term(cx: &mut LowerCx<'_>, n: &Ix, body: &Expr) -> bool {
    let level = cx.ctx.level();
    let Node::Guard(p, _) = &*subst::open(body, level) else { return false };
    equations(p, level).iter().any(|equation| cx.grows((level, &equation.key), n, Growth::Strict))
}

/// The statement where the value is not the zero.
fn unless(cx: &mut LowerCx<'_>, value: Val, zero: Val, then: Stmt) -> Stmt {
    let keep = cx.names.buffer("keep");
    let is_kept = Bool::eq(Int::load(keep.clone(), Int::Lit(0)), Int::Lit(1));
    let set = Stmt::set(keep.clone(), Int::Lit(0), Val::cmp(CmpOp::Ne, value, zero));
    register(&keep, Scalar::Bool, Init::Uninit, Stmt::seq([set, Stmt::guard(is_kept, then)]))
}

/// How many entries a level has, so far.
fn count(level: &Level) -> Int {
    Int::load(level.len.clone(), Int::Lit(0))
}

/// The body of a `let` of this type, element by element: `gen i. gen j. w[i, j]`.
pub(crate) fn elements(ty: &Type) -> Expr {
    let rank = u32::try_from(ty.shape.len()).unwrap_or(u32::MAX);
    let whole: Expr = Arc::new(Node::Var(Var::Bound(rank)));
    let element = (0..rank).rev().fold(whole, |e, k| Arc::new(Node::Get(e, Ix::Var(Var::Bound(k)))));
    let names = ["i", "j", "k", "l"];
    ty.shape.iter().enumerate().rev().fold(element, |e, (d, n)| {
        let label = Label::new(names.get(d).copied().unwrap_or("x"));
        Arc::new(Node::Gen(label, n.clone(), e))
    })
}
