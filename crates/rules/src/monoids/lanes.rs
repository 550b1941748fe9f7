//! Partial sums of a sum of sums: those of blocks as they are, and those of the terms that have one place in
//! their blocks, where addition commutes.

use super::Fold;
use super::blocks::as_fields;
use super::fold::body_of;
use super::joined::{added, terms};
use super::laws::{neutral, nothing, one_more, operands};
use super::summed::{ended, sum_in, summed};
use crate::cx::{Chain, Cx};
use crate::lets::{let_of, meet};
use crate::occurrences::variable;
use crate::rounds::{as_written, heads, iterated};
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
            let alike = Fold::of(monoid, e)
                .is_some_and(|other| other.field(&other.extent, k) == block.field(&block.extent, k));
            alike && iterated(e).is_ok_and(|it| it.body == body_of(k, block.names.len()))
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
    chain.total(cx)
}

/// The sum, whose terms are read from tensors of their own.
fn bound(cx: &mut Cx<'_>, e: &Expr, fold: &Fold, names: &[Label]) -> Result<Thm> {
    let (level, body) = (cx.ctx.level(), iterated(e)?.body.clone());
    let read = |k: usize| Arc::new(Node::Get(variable(level + k as u32), Ix::Var(atl_kernel::Var::Bound(0))));
    let terms = (0..names.len()).map(|k| read(k) as Expr).collect();
    let mut target = Fold { terms, ..fold.clone() }.sum(&fold.extent, body);
    for (k, name) in names.iter().enumerate().rev() {
        let all = Node::Gen(fold.label.clone(), fold.extent.clone(), fold.terms[k].clone());
        target = let_of(name, Arc::new(all), &target, level + k as u32);
    }
    let there = cx.converted(&target, |cx, e| heads(cx, e, names.len()))?;
    let there = cx.then(there, |cx, e| {
        let mut chain = Chain::of(e);
        for k in 0..names.len() {
            chain
                .apply(cx, |cx, e| cx.child(e, Child::Step(k as u32), |cx, e| cx.rule(Rule::AccessGen, e)))?;
        }
        Ok(chain.done())
    })?;
    let here = cx.refl(e)?;
    meet(cx, here, there)
}

/// The sum of blocks' sums is the sum of the places' sums.
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
        let here = cx.refl(lhs)?;
        let left = as_written(cx, here, sums[field].lhs())?.trans(sums[field].clone())?;
        let block = nested.block_at(&o)?;
        let right = operands(cx, rhs, count..2 * count, &mut |cx, _, e| sum_in(cx, e, &block))?;
        meet(cx, left, right)
    };
    let sum = std::slice::from_ref(e);
    let thm = summed(cx, outer, sum, &family, &mut begins, &mut goes_on)?.swap_remove(0);
    let target = last.sum(&k, body);
    let states = ended(cx, &target, count, &k)?;
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
        let right = operands(cx, rhs, count..2 * count, &mut |cx, k, e| nothing(cx, &place, k - count, e))?;
        let right = cx.then(right, |cx, e| neutral(cx, &monoid, field, e))?;
        let left = cx.refl(lhs)?;
        meet(cx, left, right)
    };
    let sums = zeros.fields(&zeros.extent);
    let all = summed(cx, zeros, &sums, &zeros.starts, &mut begins, &mut goes_on)?;
    let begun = |(field, thm): (usize, Thm)| as_fields(cx, thm, &zeros.starts[field], count).map(Thm::sym);
    all.into_iter().enumerate().map(begun).collect()
}

/// Each field of the sum over places of one block more is that of the sum over places, and of the block.
fn block_more(cx: &mut Cx<'_>, nested: &Nested, o: &Ix) -> Result<Vec<Thm>> {
    let (old, new) = (nested.of_places(o)?, nested.of_places(&(o.clone() + Ix::ONE))?);
    let count = old.names.len();
    let sums = added(cx, [&old, &nested.block_at(o)?], &old.extent)?;
    let whole = |(field, sum): (usize, Thm)| {
        let left = cx.converted(&new.field(&new.extent, field), |cx, e| {
            terms(cx, e, count, &mut |cx, k, e| {
                // The index is the last variable but for what is known of it.
                let place = nested.at_place(&Ix::free(cx.ctx.level() - 3))?;
                one_more(cx, &place, o, k, e)
            })
        })?;
        as_written(cx, left, sum.rhs())?.trans(sum.sym())
    };
    sums.into_iter().enumerate().map(whole).collect()
}
