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
use crate::fronts::{Conflict, Fronts, before, carried_out, guarded, written_as};
use crate::lets::{is_read_by_name, meet};
use crate::occurrences::variable;
use crate::recursion::{Recursion, access, accessed, reads_of};
use crate::rounds::{as_written, induct, iterated};
use crate::tiles::{Tiles, Tiling};
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
    Ok(Fronts::new(cx, recursion(e, weights)?, weights, None, "front")?.err())
}

/// The same of tiles.
pub fn conflict_of_tiles(
    cx: &mut Cx<'_>,
    e: &Expr,
    (weights, tiling): (&[i64], &Tiling),
) -> Result<Option<Box<Conflict>>> {
    Ok(Tiles::new(cx, recursion(e, weights)?, (weights, tiling), None, "front")?.err())
}

fn recursion(e: &Expr, weights: &[i64]) -> Result<Recursion> {
    let wants = "iterations along loops, the last of which sets one element a round";
    match Recursion::of(e).filter(|of| of.rank() == weights.len()) {
        Some(of) => Ok(of),
        None => no_match(RULE.name, wants, e),
    }
}

/// Elements that are computed in some order, and known by an equation.
pub(crate) trait Elements {
    /// What they are of.
    fn of(&self) -> &Recursion;

    /// All of them, in their storage.
    fn term(&self) -> &Expr;

    /// The element at a place, of what has this storage.
    fn get(&self, y: &Expr, place: &[Ix]) -> Expr;

    /// What the tensor has at a place to begin with.
    fn start(&self, place: &[Ix]) -> Expr;

    /// The element of a place, of elements before it and of what the tensor begins with.
    fn equation(&self, place: &[Ix]) -> Expr;

    /// An element is what the equation says, at any place inside.
    fn unfolded(&self, cx: &mut Cx<'_>, place: &[Ix]) -> Result<Thm>;

    /// Is what is read known to be inside?
    fn is_inside(&self, n: usize) -> bool;

    /// A read, converted below a guard that it is inside, if that is not known.
    fn inside_guard(
        &self,
        cx: &mut Cx<'_>,
        n: usize,
        e: &Expr,
        convert: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> Result<Thm>,
    ) -> Result<Thm> {
        if self.is_inside(n) {
            return convert(cx, e);
        }
        match &**e {
            Node::Guard(..) => cx.inside(e, Child::Body, convert),
            _ => {
                let guarded = guarded(cx, e)?;
                cx.then(guarded, |cx, e| cx.child(e, Child::Body, convert))
            }
        }
    }

    /// What is read where the elements before the own one are there, as the equation has it.
    fn decided(&self, cx: &mut Cx<'_>, n: usize, e: &Expr) -> Result<Option<Thm>>;
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
    let left_out = left_out(&mut of, weights, storage)?;
    let found = computed(cx, e, of, |cx, of| Fronts::new(cx, of, weights, left_out, name))?;
    let (fronts, thm) = match found {
        Ok(found) => found,
        Err(conflict) => return Ok(Err(conflict)),
    };
    match storage {
        Storage::InPlace => {
            let other = whole(cx, &fronts.term, &fronts.of.along)?;
            meet(cx, thm, other).map(Ok)
        }
        Storage::ByFronts(_) => bound(cx, &fronts, thm).map(Ok),
    }
}

/// The same by tiles, all of one rank at once.
pub fn by_tiles(
    cx: &mut Cx<'_>,
    e: &Expr,
    (weights, tiling): (&[i64], &Tiling),
    storage: &Storage,
    name: &str,
) -> Result<std::result::Result<Thm, Box<Conflict>>> {
    let mut of = recursion(e, weights)?;
    let left_out = left_out(&mut of, weights, storage)?;
    let found = computed(cx, e, of, |cx, of| Tiles::new(cx, of, (weights, tiling), left_out, name))?;
    match found {
        Ok((tiles, thm)) => bound(cx, &tiles, thm).map(Ok),
        Err(conflict) => Ok(Err(conflict)),
    }
}

/// The index that is not kept in a storage, whose name the elements get.
fn left_out(of: &mut Recursion, weights: &[i64], storage: &Storage) -> Result<Option<usize>> {
    let Storage::ByFronts(name) = storage else { return Ok(None) };
    of.label = Label::new(name);
    let last = weights.iter().rposition(|w| *w == 1);
    Ok(Some(last.ok_or(Error::Mismatch("no index counts 1 in the rank"))?))
}

/// The recursion at hand is all elements as another order computes them: `e  =  gen i, j { y(i, j) }`.
pub(crate) fn computed<T: Elements>(
    cx: &mut Cx<'_>,
    e: &Expr,
    of: Recursion,
    by: impl FnOnce(&mut Cx<'_>, Recursion) -> Result<std::result::Result<T, Box<Conflict>>>,
) -> Result<std::result::Result<(T, Thm), Box<Conflict>>> {
    for (_, n) in &of.along {
        cx.demand(Pred::le(Ix::ZERO, n.clone()))?;
    }
    let here = cx.refl(e)?;
    let here = as_written(cx, here, &of.term())?;
    let elements = match by(cx, of)? {
        Ok(elements) => elements,
        Err(conflict) => return Ok(Err(conflict)),
    };
    let thm = Order { elements: &elements }.along(cx, &[], here.rhs())?;
    let thm = here.trans(thm)?;
    let way = vec![Child::Body; elements.of().rank()];
    let decided = cx.then(thm, |cx, e| cx.at(e, &way, &mut |cx, e| cx.rule(Rule::SelectTrue, e)))?;
    Ok(Ok((elements, decided)))
}

/// Of all elements as they are computed, with what computes them bound to a name.
fn bound(cx: &mut Cx<'_>, elements: &dyn Elements, thm: Thm) -> Result<Thm> {
    let (of, level) = (elements.of(), cx.ctx.level());
    let place = of.place(level + 1);
    let all = of.all(&elements.get(&variable(level), &place), level + 1);
    let (label, rounds) = (of.label.clone(), elements.term().clone());
    let kept: Expr = Arc::new(Node::Let(label, rounds, subst::close(&all, level)));
    let other = cx.rule(Rule::LetInline, &kept)?;
    meet(cx, thm, other)
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
pub(crate) fn whole(cx: &mut Cx<'_>, x: &Expr, along: &[(Label, Ix)]) -> Result<Thm> {
    let Some(((label, _), rest)) = along.split_first() else { return cx.refl(x) };
    let outer = cx.rule(Rule::GenEta(label.clone()), x)?;
    cx.then(outer, |cx, e| cx.inside(e, Child::Body, |cx, e| whole(cx, e, rest)))
}

/// The order in which the recursion computes.
struct Order<'f> {
    elements: &'f dyn Elements,
}

impl Order<'_> {
    /// The tensor where the elements before a place, of which these are the first indices, are there: those
    /// of the fronts.
    fn until(&self, level: u32, first: &[Ix]) -> Expr {
        let of = self.elements.of();
        let place = of.place(level);
        let (done, start) = (self.elements.get(self.elements.term(), &place), self.elements.start(&place));
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
            let left = cx.at(lhs, &vec![Child::Body; self.elements.of().rank()], &mut |cx, e| {
                cx.rule(Rule::SelectFalse, e)
            })?;
            let (left, right) = (cx.total(lhs, left)?, whole(cx, rhs, &self.elements.of().along)?);
            meet(cx, left, right)
        };
        let mut goes_on = |cx: &mut Cx<'_>, _: usize, lhs: &Expr, rhs: &Expr| {
            let (right, now) = (cx.rule(Rule::LetInline, rhs)?, up_to(Ix::free(level)));
            let right = match now.len() == self.elements.of().rank() {
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
        let Node::Select(is_now, _, old) = &**e else {
            return no_match(RULE.name, "one element a round", e);
        };
        let tensor = accessed(old).0;
        cx.distinguish(is_now, |cx, holds| match holds {
            true => {
                let made = cx.rule(Rule::SelectTrue, e)?;
                let made = self.of_place(cx, made, &tensor, (now, place))?;
                let made = cx.then(made, |cx, e| self.made(cx, place, e))?;
                let done = cx.rule(Rule::SelectTrue, wanted)?;
                let done = cx.then(done, |cx, _| self.elements.unfolded(cx, place))?;
                meet(cx, made, done)
            }
            false => {
                let kept = cx.rule(Rule::SelectFalse, e)?;
                let kept = cx.then(kept, carried_out)?;
                as_written(cx, kept, wanted)
            }
        })
    }

    /// The element of the round's place, as that of a place that is the same: what it computes of the one and
    /// of the other are then the same terms, whatever is known of them.
    fn of_place(
        &self,
        cx: &mut Cx<'_>,
        made: Thm,
        tensor: &Expr,
        (now, place): (&[Ix], &[Ix]),
    ) -> Result<Thm> {
        let (of, level) = (self.elements.of(), cx.ctx.level());
        let all = of.all(&of.element_of(tensor, &of.place(level)), level);
        let here = access(&all, now);
        let found = cx.converted(&here, carried_out)?;
        let there = cx.converted(&here, |cx, e| written_as(cx, e, &access(&all, place)))?;
        let there = cx.then(there, carried_out)?;
        meet(cx, made, found)?.trans(there)
    }

    /// The element of a place, of `until(place)`, as the equation has it.
    fn made(&self, cx: &mut Cx<'_>, place: &[Ix], e: &Expr) -> Result<Thm> {
        let mut chain = Chain::of(e);
        for (n, read) in self.elements.of().reads.iter().enumerate() {
            chain.apply(cx, |cx, e| {
                cx.at(e, &read.path, &mut |cx, e| {
                    self.elements.inside_guard(cx, n, e, &mut |cx, e| {
                        let found = cx.converted(e, carried_out)?;
                        cx.then(found, |cx, e| self.elements.decided(cx, n, e))
                    })
                })
            })?;
        }
        chain.apply(cx, |cx, e| written_as(cx, e, &self.elements.equation(place)))?;
        chain.total(cx)
    }
}
