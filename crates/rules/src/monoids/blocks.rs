//! A sum of sums of blocks, where addition is associative and zero is neutral.

use super::Fold;
use super::joined::continued;
use super::laws::nothing;
use super::summed::{before_rest, ended, from_there, sum_in, summed};
use crate::cx::{Chain, Cx};
use crate::rounds::{as_written, heads, iterated};
use atl_kernel::{Expr, Ix, Label, Pred, Result, Thm, subst};

/// Levels that no variable has, of a block and of a term in it.
const FRESH_BLOCK: u32 = (1 << 30) - 1;
const FRESH: u32 = (1 << 30) - 2;

/// The sum that `e` is, is a sum of the sums of blocks of `k` terms, and then of the terms that are left, if
/// there may be some. In the names of the indices, `.o` counts blocks and `.i` the terms of one.
///
/// # Errors
/// Addition is not claimed to be associative, with a neutral zero; or a side condition.
pub fn blocks(cx: &mut Cx<'_>, e: &Expr, fold: &Fold, k: &Ix) -> Result<Thm> {
    cx.demand(Pred::lt(Ix::ZERO, k.clone()))?;
    let q = atl_arith::simplify(&cx.ctx, &(fold.extent.clone() / k.clone()));
    let whole = q.clone() * k.clone();
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| sum_in(cx, e, fold))?;
    if !cx.equal(&fold.extent, &whole) {
        cx.demand(Pred::and(
            Pred::le(Ix::ZERO, whole.clone()),
            Pred::le(whole.clone(), fold.extent.clone()),
        ))?;
        chain.apply(cx, |cx, e| before_rest(cx, e, fold, &whole, FRESH))?;
    }
    chain.apply(cx, |cx, e| in_blocks(cx, e, fold, [&q, k]))?;
    chain.total(cx)
}

/// A name with a suffix.
fn named(label: &Label, part: &str) -> Label {
    Label { name: format!("{}{part}", label.name).into(), ..label.clone() }
}

/// The sum with one state for each field, of `q * k` terms, in blocks.
fn in_blocks(cx: &mut Cx<'_>, e: &Expr, fold: &Fold, [q, k]: [&Ix; 2]) -> Result<Thm> {
    let (level, body) = (cx.ctx.level(), iterated(e)?.body.clone());
    let block = |o: &Ix| Fold {
        label: named(&fold.label, ".i"),
        extent: k.clone(),
        ..fold.with_zero().shifted(FRESH, |i| o.clone() * k.clone() + i)
    };
    let sums = block(&Ix::free(FRESH_BLOCK)).fields(k);
    let terms = sums.iter().map(|e| subst::close(e, FRESH_BLOCK)).collect();
    let outer = Fold { label: named(&fold.label, ".o"), extent: q.clone(), terms, ..fold.clone() };
    let target = outer.sum(q, body);
    let o = Ix::free(level);
    let family = fold.fields(&(o.clone() * k.clone()));
    let mut begins = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let none = nothing(cx, fold, field, lhs)?;
        as_written(cx, none, rhs)
    };
    // What is proved of one field is proved of all.
    let mut sums: Vec<Thm> = Vec::new();
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        if sums.is_empty() {
            sums = block_after(cx, fold, &(o.clone() * k.clone()), &block(&o), k)?;
        }
        let here = cx.refl(lhs)?;
        let left = as_written(cx, here, sums[field].lhs())?.trans(sums[field].clone())?;
        as_written(cx, left, rhs)
    };
    let thm = summed(cx, &outer, &[target], &family, &mut begins, &mut goes_on)?.swap_remove(0);
    let states = ended(cx, e, fold.names.len(), &(q.clone() * k.clone()))?;
    as_written(cx, states, thm.lhs())?.trans(thm)
}

/// `F(a + k) = F(a) + B`, of each field, where `B` is the sum of the `k` terms of a block, after the first
/// `a`.
fn block_after(cx: &mut Cx<'_>, fold: &Fold, a: &Ix, block: &Fold, k: &Ix) -> Result<Vec<Thm>> {
    let (first, count) = (fold.fields(a), fold.names.len());
    let from = Fold { starts: first.clone(), ..block.clone() };
    let apart = from_there(cx, fold, &from, a, &from.fields(k))?;
    let whole = continued(cx, &first, block, k)?;
    let both = |(field, (apart, whole)): (usize, (Thm, Thm))| {
        as_fields(cx, apart, &fold.field(&(a.clone() + k.clone()), field), count)?.trans(whole.sym())
    };
    apart.into_iter().zip(whole).enumerate().map(both).collect()
}

/// The equation, whose left side binds the fields of an element and is one of them, with that field, which
/// is spelt so, on the left.
pub(super) fn as_fields(cx: &mut Cx<'_>, thm: Thm, field: &Expr, count: usize) -> Result<Thm> {
    let here = cx.converted(&thm.lhs().clone(), |cx, e| heads(cx, e, count))?;
    as_written(cx, here, field)?.sym().trans(thm)
}
