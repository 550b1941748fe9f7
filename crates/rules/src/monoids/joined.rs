//! Sums that are together: with an element, and with each other.
//!
//! The one idea: an iteration binds all fields of its sum at once. So a field of what a sum and something
//! else are together is that formula around one iteration; in a formula of the sum's fields the iteration
//! would stand as often as there are fields. And what the terms are is entered last: the induction is about
//! variables.

use super::Fold;
use super::blocks::as_fields;
use super::laws::{instances, law, operands, together, turned_variables};
use super::summed::summed;
use crate::cx::{Chain, Cx, Step};
use crate::occurrences::variable;
use crate::rounds::{as_written, heads};
use atl_kernel::{Child, Expr, Ix, Label, Laws, Node, Result, Rule, Thm, subst};
use std::sync::Arc;

/// Levels that no variable has.
const FRESH: u32 = 1 << 30;

/// A formula of what is bound.
type Formula<'f> = &'f dyn Fn(&[Expr]) -> Expr;

/// The sides of an equation about some terms, for the field of this number.
type Sides<'s> = &'s dyn Fn(&[Expr], usize) -> (Expr, Expr);

/// A proof, about some variables, of an equation for each field.
type Prove<'p> = &'p mut dyn FnMut(&mut Cx<'_>, &[Expr]) -> Result<Vec<Thm>>;

/// Variables from a level on.
fn variables(first: u32, count: usize) -> Vec<Expr> {
    (first..first + count as u32).map(variable).collect()
}

/// `a + sum n e  =  the sum that begins with a`, of each field.
pub(super) fn continued(cx: &mut Cx<'_>, a: &[Expr], fold: &Fold, n: &Ix) -> Result<Vec<Thm>> {
    let sides = |a: &[Expr], field: usize| {
        let sum = Fold { starts: a.to_vec(), ..fold.clone() };
        (together(&fold.monoid, field, a, &fold.fields(n)), sum.field(n, field))
    };
    each_instance(cx, a, a.len(), &sides, &mut |cx, a| continued_variables(cx, a, fold, n))
}

/// `sum n a + sum n b  =  sum n (a + b)`, of each field.
///
/// # Errors
/// Addition is not claimed to commute.
pub(super) fn added(cx: &mut Cx<'_>, [a, b]: [&Fold; 2], n: &Ix) -> Result<Vec<Thm>> {
    let fields = a.names.len();
    let all = |fold: &Fold| -> Vec<Expr> {
        let tensor = |term: &Expr| Arc::new(Node::Gen(fold.label.clone(), n.clone(), term.clone())) as Expr;
        fold.terms.iter().map(tensor).collect()
    };
    let bounds = [all(a), all(b)].concat();
    let read = |fold: &Fold, tensors: &[Expr]| Fold {
        terms: tensors
            .iter()
            .map(|e| Arc::new(Node::Get(e.clone(), Ix::Var(atl_kernel::Var::Bound(0)))) as Expr)
            .collect(),
        ..fold.clone()
    };
    let folds = |tensors: &[Expr]| [read(a, &tensors[..fields]), read(b, &tensors[fields..])];
    let sides = |tensors: &[Expr], field: usize| {
        let [a, b] = folds(tensors);
        let sum = both([&a, &b]).field(n, field);
        (together(&a.monoid, field, &a.fields(n), &b.fields(n)), sum)
    };
    let all = each_instance(cx, &bounds, fields, &sides, &mut |cx, tensors| {
        let [a, b] = folds(tensors);
        added_variables(cx, [&a, &b], n)
    })?;
    let entry = |cx: &mut Cx<'_>, e: &Expr| cx.rule(Rule::AccessGen, e);
    let carried_out = |thm: Thm| {
        let left = operands(cx, thm.lhs(), 0..2 * fields, &mut |cx, _, e| {
            cx.converted(e, |cx, e| terms(cx, e, fields, &mut |cx, _, e| entry(cx, e)))
        })?;
        let right = cx.converted(&thm.rhs().clone(), |cx, e| {
            terms(cx, e, fields, &mut |cx, _, e| operands(cx, e, 0..2 * fields, &mut |cx, _, e| entry(cx, e)))
        })?;
        left.sym().trans(thm)?.trans(right)
    };
    all.into_iter().map(carried_out).collect()
}

/// Convert the terms of a sum, by number.
pub(super) fn terms(
    cx: &mut Cx<'_>,
    e: &Expr,
    fields: usize,
    convert: &mut dyn FnMut(&mut Cx<'_>, usize, &Expr) -> Result<Thm>,
) -> Step {
    let mut chain = Chain::of(e);
    for k in 0..fields {
        chain.apply(cx, |cx, e| cx.child(e, Child::Step(k as u32), |cx, e| convert(cx, k, e)))?;
    }
    Ok(chain.done())
}

/// The sum whose terms are those of both together.
fn both([a, b]: [&Fold; 2]) -> Fold {
    let index = Ix::free(FRESH);
    let sum = |field| together(&a.monoid, field, &a.at(&index), &b.at(&index));
    Fold { terms: (0..a.names.len()).map(|field| subst::close(&sum(field), FRESH)).collect(), ..a.clone() }
}

/// An equation for each field, of what is bound, from those for variables.
fn each_instance(
    cx: &mut Cx<'_>,
    bounds: &[Expr],
    fields: usize,
    sides: Sides<'_>,
    prove: Prove<'_>,
) -> Result<Vec<Thm>> {
    // What is proved of one field is proved of all.
    let mut proved: Vec<Thm> = Vec::new();
    let of = |field: usize| {
        instances(cx, bounds, &mut Vec::new(), &|v| sides(v, field), &mut |cx, v| {
            if proved.is_empty() {
                proved = prove(cx, v)?;
            }
            Ok(proved[field].clone())
        })
    };
    (0..fields).map(of).collect()
}

/// [`continued`], where `a` is variables.
fn continued_variables(cx: &mut Cx<'_>, a: &[Expr], fold: &Fold, n: &Ix) -> Result<Vec<Thm>> {
    let (monoid, count, t) = (&fold.monoid, a.len(), Ix::free(cx.ctx.level()));
    let family = |n: &Ix| -> Vec<Expr> {
        (0..count).map(|field| around(&[fold], n, &|b| monoid.sum(a, b).swap_remove(field))).collect()
    };
    let mut begins = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let none = cx.converted(lhs, |cx, e| of_nothing(cx, e, 1, count))?;
        let rule = Rule::Law(monoid.clone(), Laws::ADD_0_R, field, vec![a.to_vec()]);
        let thm = cx.then(none, |cx, e| cx.rule(rule, e))?;
        as_written(cx, thm, rhs)
    };
    let bounds = [fold.fields(&t), fold.at(&t)].concat();
    let with_a: Vec<_> = (0..count).map(|k| move |b: &[Expr]| monoid.sum(a, b).swap_remove(k)).collect();
    let parts: Vec<Part<'_>> = with_a.iter().map(|of| Part::Of((0..count).collect(), of)).collect();
    let parts = [parts, (count..2 * count).map(Part::Is).collect()].concat();
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let left = cx.converted(lhs, |cx, e| {
            one_round_more(cx, e, 1, count, &mut |cx, e| {
                let level = cx.ctx.level() - 2 * count as u32;
                let [b, x] = [level, level + count as u32].map(|level| variables(level, count));
                let thm = law(cx, monoid, Laws::ADD_ASSOC, field, &[a, &b, &x])?.sym();
                let here = cx.refl(e)?;
                as_written(cx, here, thm.lhs())?.trans(thm)
            })
        })?;
        let left = cx.then(left, |cx, e| by_fields(cx, e, 1, count, 0))?;
        let apart = taken_apart(cx, fold, field, &bounds, &parts)?;
        let left = as_written(cx, left, apart.lhs())?.trans(apart)?;
        let right = operands(cx, rhs, 0..count, &mut |cx, _, e| {
            cx.converted(e, |cx, e| by_fields(cx, e, 1, count, 0))
        })?;
        as_written(cx, left, right.rhs())?.trans(right.sym())
    };
    let from = Fold { starts: a.to_vec(), ..fold.clone() };
    let all = summed(cx, &from, &from.fields(n), &family(&t), &mut begins, &mut goes_on)?;
    let whole = |(field, thm): (usize, Thm)| {
        let thm = as_fields(cx, thm, &family(n)[field], count)?;
        let left = cx.converted(&thm.lhs().clone(), |cx, e| by_fields(cx, e, 1, count, 0))?;
        let whole = together(monoid, field, a, &fold.fields(n));
        let whole = cx.converted(&whole, |cx, e| heads(cx, e, count))?;
        let left = as_written(cx, left, whole.rhs())?;
        whole.trans(left.sym())?.trans(thm)
    };
    all.into_iter().enumerate().map(whole).collect()
}

/// [`added`], where the terms are read from variables.
fn added_variables(cx: &mut Cx<'_>, [a, b]: [&Fold; 2], n: &Ix) -> Result<Vec<Thm>> {
    let (monoid, count, t) = (&a.monoid, a.names.len(), Ix::free(cx.ctx.level()));
    let sum = |k: usize| move |v: &[Expr]| monoid.sum(&v[..count], &v[count..]).swap_remove(k);
    let sums: Vec<_> = (0..count).map(sum).collect();
    let family = |n: &Ix| -> Vec<Expr> { sums.iter().map(|sum| around(&[a, b], n, sum)).collect() };
    let mut begins = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let none = cx.converted(lhs, |cx, e| of_nothing(cx, e, 2, count))?;
        let rule = Rule::Law(monoid.clone(), Laws::ADD_0_R, field, vec![a.starts.clone()]);
        let thm = cx.then(none, |cx, e| cx.rule(rule, e))?;
        as_written(cx, thm, rhs)
    };
    let bounds = [a.fields(&t), a.at(&t), b.fields(&t), b.at(&t)].concat();
    let of = |[first, second]: [usize; 2]| {
        let reads =
            || (first * count..(first + 1) * count).chain(second * count..(second + 1) * count).collect();
        sums.iter().map(move |sum| Part::Of(reads(), sum)).collect::<Vec<Part<'_>>>()
    };
    let parts = [of([0, 2]), of([1, 3])].concat();
    // Once for all fields.
    let mut inner = Vec::new();
    let mut goes_on = |cx: &mut Cx<'_>, field: usize, lhs: &Expr, rhs: &Expr| {
        let left = cx.converted(lhs, |cx, e| {
            one_round_more(cx, e, 2, count, &mut |cx, e| {
                let level = |back: usize| cx.ctx.level() - (back * count) as u32;
                let [a, x, b, y] = [5, 4, 2, 1].map(|back| variables(level(back), count));
                let thm = turned_variables(cx, monoid, field, [&a, &x, &b, &y], &mut inner)?;
                let here = cx.refl(e)?;
                as_written(cx, here, thm.lhs())?.trans(thm)
            })
        })?;
        let left = cx.then(left, |cx, e| by_fields(cx, e, 2, count, count))?;
        let apart = taken_apart(cx, a, field, &bounds, &parts)?;
        let left = as_written(cx, left, apart.lhs())?.trans(apart)?;
        let right = operands(cx, rhs, 0..count, &mut |cx, _, e| {
            cx.converted(e, |cx, e| by_fields(cx, e, 2, count, 0))
        })?;
        as_written(cx, left, right.rhs())?.trans(right.sym())
    };
    let sum = both([a, b]);
    let all = summed(cx, &sum, &sum.fields(n), &family(&t), &mut begins, &mut goes_on)?;
    let whole = |(field, thm): (usize, Thm)| {
        let thm = as_fields(cx, thm, &family(n)[field], count)?;
        let left = cx.converted(&thm.lhs().clone(), |cx, e| by_fields(cx, e, 2, count, 0))?;
        let left = as_written(cx, left, &together(monoid, field, &a.fields(n), &b.fields(n)))?;
        left.sym().trans(thm)
    };
    all.into_iter().enumerate().map(whole).collect()
}

/// A formula of the fields of these sums, around their iterations, the first outermost.
fn around(folds: &[&Fold], n: &Ix, formula: Formula<'_>) -> Expr {
    let count = folds[0].names.len();
    let formula = formula(&variables(FRESH, folds.len() * count));
    folds.iter().enumerate().rev().fold(formula, |body, (k, fold)| {
        fold.sum(n, subst::close_all(&body, FRESH + (k * count) as u32, count as u32))
    })
}

/// [`around`] sums of nothing is the formula of what they begin with.
fn of_nothing(cx: &mut Cx<'_>, e: &Expr, sums: usize, count: usize) -> Step {
    let mut chain = Chain::of(e);
    for _ in 0..sums {
        chain.apply(cx, |cx, e| cx.rule(Rule::IterateZero, e))?;
        chain.apply(cx, |cx, e| heads(cx, e, 2 * count))?;
    }
    Ok(chain.done())
}

/// [`around`] sums of one term more: each iteration is around what its round's terms are, and in the midst
/// stands the formula of the new fields, which is converted.
fn one_round_more(
    cx: &mut Cx<'_>,
    e: &Expr,
    sums: usize,
    count: usize,
    convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Result<Thm>,
) -> Step {
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| cx.rule(Rule::IterateLast, e))?;
    let path = vec![Child::Body; 1 + count];
    chain.apply(cx, |cx, e| {
        cx.at(e, &path, &mut |cx, e| {
            let mut inside = Chain::of(e);
            inside.apply(cx, |cx, e| heads(cx, e, count))?;
            inside.apply(cx, |cx, e| match sums {
                1 => convert(cx, e).map(Some),
                _ => one_round_more(cx, e, sums - 1, count, convert),
            })?;
            Ok(inside.done())
        })
    })?;
    Ok(chain.done())
}

/// The same around the fields of the sums, each bound; below each iteration stands this number of `let`s.
fn by_fields(cx: &mut Cx<'_>, e: &Expr, sums: usize, count: usize, below: usize) -> Step {
    if sums == 0 {
        return Ok(None);
    }
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| cx.rule(Rule::IterateBody, e))?;
    chain.apply(cx, |cx, e| heads(cx, e, count))?;
    let path = vec![Child::Body; count + below];
    chain.apply(cx, |cx, e| cx.at(e, &path, &mut |cx, e| by_fields(cx, e, sums - 1, count, below)))?;
    Ok(chain.done())
}

/// What an operand of a formula is, of what is bound.
#[derive(Clone)]
enum Part<'f> {
    /// This itself.
    Is(usize),
    /// A formula of these.
    Of(Vec<usize>, Formula<'f>),
}

/// `let x = e; f(p(x))  =  let y = (let x = e; p(x)); f(y)`, where `f` is a field of the sum.
fn taken_apart(
    cx: &mut Cx<'_>,
    fold: &Fold,
    field: usize,
    bounds: &[Expr],
    parts: &[Part<'_>],
) -> Result<Thm> {
    let (fields, all) = (fold.names.len(), variables(FRESH, bounds.len()));
    let part = |part: &Part<'_>| match part {
        Part::Is(k) => all[*k].clone(),
        Part::Of(reads, formula) => {
            let inner = variables(FRESH + all.len() as u32, reads.len());
            let reads: Vec<Expr> = reads.iter().map(|k| all[*k].clone()).collect();
            bind(&reads, &formula(&inner), FRESH + all.len() as u32)
        }
    };
    let parts_of: Vec<Expr> = parts.iter().map(part).collect();
    let sum = together(&fold.monoid, field, &parts_of[..fields], &parts_of[fields..]);
    let whole = bind(bounds, &sum, FRESH);
    let path = vec![Child::Body; bounds.len()];
    let reads = |k: usize| if let Part::Of(reads, _) = &parts[k] { reads.len() } else { 0 };
    let left = cx.converted(&whole, |cx, e| {
        cx.at(e, &path, &mut |cx, e| {
            let inner = operands(cx, e, 0..2 * fields, &mut |cx, k, e| {
                cx.converted(e, |cx, e| heads(cx, e, reads(k)))
            })?;
            cx.then(inner, |cx, e| heads(cx, e, 2 * fields))
        })
    })?;
    let right = cx.converted(&whole, |cx, e| heads(cx, e, bounds.len()))?;
    left.sym().trans(right)
}

/// `let x = e; f`, where the variables are those from a level on.
fn bind(bounds: &[Expr], e: &Expr, level: u32) -> Expr {
    let body = subst::close_all(e, level, bounds.len() as u32);
    bounds.iter().rev().fold(body, |body, e| Arc::new(Node::Let(Label::new("x"), e.clone(), body)))
}
