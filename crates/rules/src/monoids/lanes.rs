//! Partial sums of a sum of sums: those of blocks as they are, and those of the terms that have one place in
//! their blocks, where addition commutes.

use super::Fold;
use super::blocks::{share, sum_in};
use super::laws::{all_together, neutral, nothing, one_more, operands, round, together, turned};
use crate::cx::{Chain, Cx};
use crate::lets::{let_of, meet};
use crate::occurrences::variable;
use crate::rounds::{as_states, as_written, heads, induct, induct_each, iterated};
use atl_kernel::{Child, Error, Expr, Ix, Label, Monoid, Node, Result, Rule, Thm, subst};
use std::sync::Arc;

/// Levels that no variable has, of a block and of a place in it.
const BLOCK: u32 = (1 << 30) - 3;
const PLACE: u32 = (1 << 30) - 4;

/// Whose partial sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// Each block's.
    Blocks,
    /// Those of the first terms of all blocks, of the second ones, and so on.
    Places,
}

/// A sum whose terms are the sums of blocks.
pub struct Nested {
    outer: Fold,
}

impl Nested {
    /// The sum of sums that a term is.
    pub fn of(monoid: &Arc<Monoid>, e: &Expr) -> Option<Nested> {
        let outer = Fold::of(monoid, e)?;
        let nested = Nested { outer };
        let block = nested.block(&Ix::free(BLOCK))?;
        if block.extent.mentions(BLOCK) {
            return None;
        }
        let fields = nested.outer.at(&Ix::free(BLOCK));
        let is_field = |(k, e): (usize, &Expr)| {
            let alike = Fold::of(monoid, e).is_some_and(|other| {
                other.plain(&other.extent, body_of(k, &block)) == block.field(&block.extent, k)
            });
            alike && iterated(e).is_ok_and(|it| it.body == body_of(k, &block))
        };
        fields.iter().enumerate().all(|(k, e)| is_field((k, e))).then_some(nested)
    }

    /// The names of the outer index and of the inner one.
    pub fn labels(&self) -> Option<[Label; 2]> {
        Some([self.outer.label.clone(), self.block(&Ix::ZERO)?.label])
    }

    /// The block of this number.
    fn block(&self, o: &Ix) -> Option<Fold> {
        let block = Fold::of(&self.outer.monoid, self.outer.at(o).first()?)?;
        (block.starts == self.outer.monoid.zero()).then_some(block)
    }

    fn block_at(&self, o: &Ix) -> Result<Fold> {
        self.block(o).ok_or(Error::Mismatch("a sum whose terms are no sums"))
    }

    /// The sum of the terms at this place, of all blocks.
    fn at_place(&self, l: &Ix) -> Result<Fold> {
        let terms = self.block_at(&Ix::free(BLOCK))?.at(l);
        let terms = terms.iter().map(|e| subst::close(e, BLOCK)).collect();
        Ok(Fold { terms, ..self.outer.with_zero() })
    }

    /// The sum of the sums at all places, of the first blocks.
    fn of_places(&self, blocks: &Ix) -> Result<Fold> {
        let block = self.block_at(&Ix::free(BLOCK))?;
        let sums = self.at_place(&Ix::free(PLACE))?.fields(blocks);
        let terms = sums.iter().map(|e| subst::close(e, PLACE)).collect();
        Ok(Fold { label: block.label, extent: block.extent, terms, ..self.outer.clone() })
    }
}

/// The body of an iteration that ends in this field.
fn body_of(k: usize, fold: &Fold) -> Expr {
    let bound = (fold.names.len() - 1 - k) as u32;
    Arc::new(Node::Var(atl_kernel::Var::Bound(bound)))
}

/// `e`, which is a sum of sums, with its partial sums in tensors of their own, of these names.
///
/// # Errors
/// `parts` is `Places`, and addition is not claimed to commute.
pub fn partial(cx: &mut Cx<'_>, e: &Expr, nested: &Nested, parts: Parts, names: &[Label]) -> Result<Thm> {
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| sum_in(cx, e, &nested.outer))?;
    let fold = match parts {
        Parts::Blocks => nested.outer.clone(),
        Parts::Places => {
            chain.apply(cx, |cx, e| by_places(cx, e, nested))?;
            nested.of_places(&nested.outer.extent)?
        }
    };
    chain.apply(cx, |cx, e| bound(cx, e, &fold, names))?;
    if parts == Parts::Places {
        for k in 0..names.len() {
            let mut path = vec![Child::Body; k];
            path.extend([Child::Bound, Child::Body]);
            chain.apply(cx, |cx, e| {
                cx.at(e, &path, &mut |cx, e| {
                    let place = Fold::of(&fold.monoid, e).ok_or(Error::Mismatch("a partial sum is none"))?;
                    share(cx, e, &place)
                })
            })?;
        }
    }
    chain.total(cx)
}

/// The sum with one state for each field, whose terms are read from tensors of their own.
fn bound(cx: &mut Cx<'_>, e: &Expr, fold: &Fold, names: &[Label]) -> Result<Thm> {
    let (level, body) = (cx.ctx.level(), iterated(e)?.body.clone());
    let read = |k: usize| Arc::new(Node::Get(variable(level + k as u32), Ix::Var(atl_kernel::Var::Bound(0))));
    let terms = (0..names.len()).map(|k| read(k) as Expr).collect();
    let mut target = Fold { terms, ..fold.clone() }.plain(&fold.extent, body);
    for (k, name) in names.iter().enumerate().rev() {
        let all = Node::Gen(fold.label.clone(), fold.extent.clone(), fold.terms[k].clone());
        target = let_of(name, Arc::new(all), &target, level + k as u32);
    }
    let there = cx.converted(&target, |cx, e| heads(cx, e, names.len()))?;
    let there = cx.then(there, |cx, e| {
        let mut chain = Chain::of(e);
        for k in 0..names.len() {
            chain.apply(cx, |cx, e| {
                cx.child(e, Child::Step(k as u32), |cx, e| {
                    cx.once(e, &mut |cx, e| match &**e {
                        Node::Get(array, _) if matches!(**array, Node::Gen(..)) => {
                            Ok(cx.try_rule(Rule::AccessGen, e))
                        }
                        _ => Ok(None),
                    })
                })
            })?;
        }
        Ok(chain.done())
    })?;
    let here = cx.refl(e)?;
    meet(cx, here, there)
}

/// The sum of blocks' sums, with one state for each field, is the sum of the places' sums.
fn by_places(cx: &mut Cx<'_>, e: &Expr, nested: &Nested) -> Result<Thm> {
    let (level, outer, body) = (cx.ctx.level(), &nested.outer, iterated(e)?.body.clone());
    let o = Ix::free(level);
    let count = outer.names.len();
    let (before, last) = (nested.of_places(&o)?, nested.of_places(&outer.extent)?);
    let k = before.extent.clone();
    let family = before.fields(&k);
    // What is proved of one field is proved of all.
    let (mut none, mut sums): (Vec<Thm>, Vec<Thm>) = (Vec::new(), Vec::new());
    let mut begins = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        if none.is_empty() {
            none = nothing_at_places(cx, &nested.of_places(&Ix::ZERO)?, nested)?;
        }
        let zeros = none[field].clone();
        let here = cx.refl(lhs)?;
        let thm = as_written(cx, here, zeros.lhs())?.trans(zeros)?;
        as_written(cx, thm, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        if sums.is_empty() {
            sums = block_more(cx, nested, &o)?;
        }
        let more = sums[field].clone();
        let here = cx.refl(lhs)?;
        let left = as_written(cx, here, more.lhs())?.trans(more)?;
        let right = round(cx, rhs, outer, field)?;
        let block = nested.block_at(&o)?;
        let right =
            cx.then(right, |cx, e| operands(cx, e, count..2 * count, &mut |cx, _, e| sum_in(cx, e, &block)))?;
        meet(cx, left, right)
    };
    let thm = induct(cx, e, &family, &mut begins, &mut goes_on)?;
    let target = last.plain(&k, body);
    let states = as_states(cx, &target, &k)?;
    as_written(cx, states, thm.lhs())?.trans(thm).map(Thm::sym)
}

/// Each field of a sum over places at which nothing was added yet is what it begins with.
fn nothing_at_places(cx: &mut Cx<'_>, zeros: &Fold, nested: &Nested) -> Result<Vec<Thm>> {
    let (level, monoid, count) = (cx.ctx.level(), zeros.monoid.clone(), zeros.names.len());
    let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
        let here = cx.refl(lhs)?;
        as_written(cx, here, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let place = nested.at_place(&Ix::free(level))?;
        let right = round(cx, rhs, zeros, field)?;
        let right = cx.then(right, |cx, e| {
            operands(cx, e, count..2 * count, &mut |cx, k, e| nothing(cx, &place, k - count, e))
        })?;
        let right = cx.then(right, |cx, e| neutral(cx, &monoid, field, e))?;
        let left = cx.refl(lhs)?;
        meet(cx, left, right)
    };
    let all = induct_each(cx, &zeros.fields(&zeros.extent), &zeros.starts, &mut begins, &mut goes_on)?;
    let begun = |thm: Thm| {
        let start = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
        thm.sym().trans(start)
    };
    all.into_iter().map(begun).collect()
}

/// Each field of the sum over places of one block more is that of the sum over places, and of the block.
fn block_more(cx: &mut Cx<'_>, nested: &Nested, o: &Ix) -> Result<Vec<Thm>> {
    let (level, monoid) = (cx.ctx.level(), nested.outer.monoid.clone());
    let (old, new) = (nested.of_places(o)?, nested.of_places(&(o.clone() + Ix::ONE))?);
    let (block, count) = (nested.block_at(o)?, old.names.len());
    let l = Ix::free(level);
    let so_far = |l: &Ix| all_together(&monoid, &old.fields(l), &block.fields(l));
    let family = so_far(&l);
    let of = |k: usize| if k < count { (&old, k) } else { (&block, k - count) };
    let mut begins = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let none = operands(cx, lhs, 0..2 * count, &mut |cx, k, e| nothing(cx, of(k).0, of(k).1, e))?;
        let thm = cx.then(none, |cx, e| neutral(cx, &monoid, field, e))?;
        as_written(cx, thm, rhs)
    };
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let place = nested.at_place(&l)?;
        let left = operands(cx, lhs, 0..2 * count, &mut |cx, k, e| one_more(cx, of(k).0, &l, of(k).1, e))?;
        let four = [old.fields(&l), old.at(&l), block.fields(&l), block.at(&l)];
        let turned = turned(cx, &monoid, field, [&four[0], &four[1], &four[2], &four[3]])?;
        let left = as_written(cx, left, turned.lhs())?.trans(turned)?;
        let right = round(cx, rhs, &old, field)?;
        let right = cx.then(right, |cx, e| {
            operands(cx, e, count..2 * count, &mut |cx, k, e| one_more(cx, &place, o, k - count, e))
        })?;
        meet(cx, left, right)
    };
    let all = induct_each(cx, &new.fields(&new.extent), &family, &mut begins, &mut goes_on)?;
    let (sums, blocks) = (old.fields(&new.extent), block.fields(&new.extent));
    let summed = |(field, thm): (usize, Thm)| {
        let sum = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
        let sum = as_written(cx, sum, &together(&monoid, field, &sums, &blocks))?;
        thm.sym().trans(sum)
    };
    all.into_iter().enumerate().map(summed).collect()
}
