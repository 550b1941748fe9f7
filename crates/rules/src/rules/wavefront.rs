//! `wavefront`: the elements of a recursive tensor by fronts, all of one rank at once.
//!
//! **Statement.** `iterate i < n from x = z { iterate j < m from x = x { x with e(i, j, x) at i, j } } =
//! iterate f < F from x = z { gen i < n, j < m { select(a * i + b * j == f, e(i, j, x), x[i, j]) } }`, of any
//! number of indices; `F = a * (n - 1) + b * (m - 1) + 1`.
//! **Requires.** `0 <= n, 0 <= m`; each read in `e(i, j, x)` is of an element that is computed before `(i,
//! j)` in both orders, or in neither. No law: each element is computed as before, of the same elements.
//! **Fails when.** A read is of an element of the same front, or a later one, that comes earlier row by row;
//! or the other way round. Then the value would be another one.
//! **Example.** `a = b = 1`: edit distances by antidiagonals, each of which has no dependence inside.
//! **See also.** The directive `wavefront`; `gen_iterate`, of many recurrences side by side.

use crate::cx::{Chain, Cx};
use crate::derived::{Derived, Example, no_match};
use crate::fronts::{Conflict, Fronts, before, carried_out, written_as};
use crate::lets::{is_read_by_name, meet};
use crate::occurrences::variable;
use crate::recursion::{Recursion, reads_of};
use crate::rounds::{as_written, induct, iterated};
use atl_kernel::{Child, Error, Expr, Ix, Label, Node, Pred, Result, Rule, Thm, Unproved, Var, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "wavefront",
    statement: "iterate i<n from x = z { iterate j<m from x = x { x with e(i, j, x) at i, j } }  =  iterate f<F from x = z { gen i<n, j<m. select(a*i+b*j == f, e(i, j, x), x[i, j]) }",
    requires: "0 <= n, 0 <= m; e(i, j, x) reads elements before (i, j) in both orders, or in neither",
    args: &["a", "b"],
    example: Example {
        program: "fn f(x: f32[N, M]) -> f32[N, M] { rec y: f32 = gen i < N, j < M { x[i, j] + y?[i - 1, j] * y?[i, j - 1] }; y }",
        args: &[1, 1],
    },
    rewrite: |cx, e, args| {
        let weights: Option<Vec<i64>> = args
            .iter()
            .map(|w| if let Ix::Lit(w) = w { Some(*w).filter(|w| 0 <= *w) } else { None })
            .collect();
        let Some(weights) = weights else { return Err(Error::Mismatch("ranks count by natural numbers")) };
        match wavefront(cx, e, &weights, &Storage::InPlace, "front")? {
            Ok(thm) => Ok(thm),
            Err(conflict) => {
                let Conflict { ctx, goal, .. } = *conflict;
                Err(Error::Unproved(Box::new(Unproved { ctx, goal, refused: None })))
            }
        }
    },
    inverse: None,
};

/// Where elements are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Where the tensor has them.
    InPlace,
    /// Front after front, in a tensor of this name: the rank in place of the last index that counts 1 in it.
    ByFronts(Arc<str>),
}

/// How many indices the elements have, of a recursion that can be computed by fronts.
pub fn indices(e: &Expr) -> Option<usize> {
    Recursion::of(e).map(|of| of.rank())
}

/// The first read of a recursion on which its own order and that of these ranks do not agree.
pub fn conflict(cx: &mut Cx<'_>, e: &Expr, weights: &[i64]) -> Result<Option<Box<Conflict>>> {
    Ok(Fronts::of(cx, recursion(e, weights)?, weights, None, "front")?.err())
}

fn recursion(e: &Expr, weights: &[i64]) -> Result<Recursion> {
    let wants = "iterations along loops, the last of which sets one element a round";
    match Recursion::of(e).filter(|of| of.rank() == weights.len()) {
        Some(of) => Ok(of),
        None => no_match(RULE.name, wants, e),
    }
}

/// The theorem for the recursion at hand, with what an index counts in the rank; or a read on which the two
/// orders do not agree. Kept by fronts in `y`, it is `let y = iterate ..; gen i, j { y[a * i + b * j, ..] }`.
pub fn wavefront(
    cx: &mut Cx<'_>,
    e: &Expr,
    weights: &[i64],
    storage: &Storage,
    name: &str,
) -> Result<std::result::Result<Thm, Box<Conflict>>> {
    let mut of = recursion(e, weights)?;
    for (_, n) in &of.along {
        cx.demand(Pred::le(Ix::ZERO, n.clone()))?;
    }
    let here = cx.refl(e)?;
    let here = as_written(cx, here, &of.term())?;
    let left_out = match storage {
        Storage::InPlace => None,
        Storage::ByFronts(name) => {
            of.label = Label::new(name);
            let last = weights.iter().rposition(|w| *w == 1);
            Some(last.ok_or(Error::Mismatch("no index counts 1 in the rank"))?)
        }
    };
    let fronts = match Fronts::of(cx, of, weights, left_out, name)? {
        Ok(fronts) => fronts,
        Err(conflict) => return Ok(Err(conflict)),
    };
    let order = Order { fronts: &fronts };
    let thm = order.along(cx, &[], here.rhs())?;
    let thm = here.trans(thm)?;
    let rank = fronts.of.rank();
    let decided =
        cx.then(thm, |cx, e| cx.at(e, &vec![Child::Body; rank], &mut |cx, e| cx.rule(Rule::SelectTrue, e)))?;
    let other = match storage {
        Storage::InPlace => whole(cx, &fronts.term, &fronts.of.along)?,
        Storage::ByFronts(_) => {
            let level = cx.ctx.level();
            let place = fronts.of.place(level + 1);
            let all = fronts.of.all(&fronts.get(&variable(level), &place), level + 1);
            let (label, rounds) = (fronts.of.label.clone(), fronts.term.clone());
            let kept: Expr = Arc::new(Node::Let(label, rounds, subst::close(&all, level)));
            cx.rule(Rule::LetInline, &kept)?
        }
    };
    meet(cx, decided, other).map(Ok)
}

/// `let x = gen i, j { e(i, j) }; b(x[k, l])  =  b(e(k, l))`, if all of `x` is the value or single elements
/// are read, and known to be there; else as it is.
pub fn read_through(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Let(_, bound, body) = &**e else { return cx.refl(e) };
    let (mut rank, mut inner) = (0, bound);
    while let Node::Gen(_, _, body) = &**inner {
        (rank, inner) = (rank + 1, body);
    }
    let (name, mut reads) = (cx.ctx.level(), Vec::new());
    let is_whole = matches!(**body, Node::Var(Var::Bound(0)));
    let mut by_elements =
        || reads_of(&subst::open(body, name), name, rank, &mut Vec::new(), &mut reads).is_some();
    if is_read_by_name(body) || !(is_whole || by_elements()) {
        return cx.refl(e);
    }
    let mut chain = Chain::of(e);
    chain.apply(cx, |cx, e| cx.rule(Rule::LetInline, e))?;
    for read in &reads {
        match chain.apply(cx, |cx, e| cx.at(e, &read.path, &mut carried_out)) {
            Err(Error::Unproved(_)) => return cx.refl(e),
            done => done?,
        }
    }
    chain.total(cx)
}

/// `x  =  gen i, j { x[i, j] }`.
fn whole(cx: &mut Cx<'_>, x: &Expr, along: &[(Label, Ix)]) -> Result<Thm> {
    let Some(((label, _), rest)) = along.split_first() else { return cx.refl(x) };
    let outer = cx.rule(Rule::GenEta(label.clone()), x)?;
    cx.then(outer, |cx, e| cx.inside(e, Child::Body, |cx, e| whole(cx, e, rest)))
}

/// The order in which the recursion computes.
struct Order<'f> {
    fronts: &'f Fronts,
}

impl Order<'_> {
    /// The tensor where the elements before a place, of which these are the first indices, are there: those
    /// of the fronts.
    fn until(&self, level: u32, first: &[Ix]) -> Expr {
        let of = &self.fronts.of;
        let place = of.place(level);
        let (done, start) = (self.fronts.get(&self.fronts.term, &place), self.fronts.start(&place));
        of.all(&Arc::new(Node::Select(before(&place, first), done, start)), level)
    }

    /// The iteration along one of the loops, below the rounds `first` of those around, which begins with the
    /// elements before: `iterate i < n from x = until(first) { .. }  =  until(first, n)`.
    fn along(&self, cx: &mut Cx<'_>, first: &[Ix], e: &Expr) -> Result<Thm> {
        let (it, level) = (iterated(e)?, cx.ctx.level());
        // No variable of the context is above the family's own.
        let next = level + 1;
        let up_to = |n: Ix| [first, &[n]].concat();
        let family = [self.until(next, &up_to(Ix::free(level)))];
        let mut begins = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
            if !first.is_empty() {
                let here = cx.refl(lhs)?;
                return as_written(cx, here, rhs);
            }
            let left = cx.at(lhs, &vec![Child::Body; self.fronts.of.rank()], &mut |cx, e| {
                cx.rule(Rule::SelectFalse, e)
            })?;
            let (left, right) = (cx.total(lhs, left)?, whole(cx, rhs, &self.fronts.of.along)?);
            meet(cx, left, right)
        };
        let mut goes_on = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
            let (right, now) = (cx.rule(Rule::LetInline, rhs)?, up_to(Ix::free(level)));
            let right = match now.len() == self.fronts.of.rank() {
                true => cx.then(right, |cx, e| self.one(cx, (&now, &[]), lhs, e))?,
                false => cx.then(right, |cx, e| self.along(cx, &now, e))?,
            };
            let here = cx.refl(lhs)?;
            meet(cx, here, right)
        };
        let thm = induct(cx, e, &family, &mut begins, &mut goes_on)?;
        let last = cx.rule(Rule::LetInline, &thm.lhs().clone())?;
        let wanted = self.until(next, &up_to(it.extent.clone()));
        let last = as_written(cx, last, &wanted)?;
        thm.sym().trans(last)
    }

    /// The round of a place sets its element alone: `gen p { select(p == place, e, x[p]) }`, of `x =
    /// until(place)`, is `until` the next place.
    fn one(&self, cx: &mut Cx<'_>, (now, place): (&[Ix], &[Ix]), wanted: &Expr, e: &Expr) -> Result<Thm> {
        if let (Node::Gen(..), Node::Gen(_, _, wanted)) = (&**e, &**wanted) {
            let level = cx.ctx.level();
            let (wanted, place) = (subst::open(wanted, level), [place, &[Ix::free(level)]].concat());
            return cx.inside(e, Child::Body, |cx, e| self.one(cx, (now, &place), &wanted, e));
        }
        let Node::Select(is_now, ..) = &**e else { return no_match(RULE.name, "one element a round", e) };
        cx.distinguish(is_now, |cx, holds| match holds {
            true => {
                let made = cx.rule(Rule::SelectTrue, e)?;
                let made = cx.then(made, |cx, e| self.made(cx, now, e))?;
                let done = cx.rule(Rule::SelectTrue, wanted)?;
                let done = cx.then(done, |cx, _| self.fronts.unfolded(cx, place))?;
                meet(cx, made, done)
            }
            false => {
                let kept = cx.rule(Rule::SelectFalse, e)?;
                let kept = cx.then(kept, carried_out)?;
                as_written(cx, kept, wanted)
            }
        })
    }

    /// The element of a place, of `until(place)`, as the equation has it.
    fn made(&self, cx: &mut Cx<'_>, now: &[Ix], e: &Expr) -> Result<Thm> {
        let mut chain = Chain::of(e);
        for (n, read) in self.fronts.of.reads.iter().enumerate() {
            chain.apply(cx, |cx, e| {
                cx.at(e, &read.path, &mut |cx, e| {
                    self.fronts.inside_guard(cx, n, e, &mut |cx, e| {
                        let found = cx.converted(e, carried_out)?;
                        cx.then(found, |cx, e| self.fronts.decided(cx, n, e))
                    })
                })
            })?;
        }
        chain.apply(cx, |cx, e| written_as(cx, e, &self.fronts.equation(now)))?;
        chain.total(cx)
    }
}
