//! A matrix stored row by row is the same matrix stored column by column, and the other way round.
//!
//! **The one idea.** The entries of the copy are those of the original in another order: `order[q]`
//! says which entry stands at place `q` of the copy, `place[p]` where entry `p` stands there. A context
//! that has the copy's arrays knows of them that the two are inverse to each other, entry by entry, and
//! that each entry keeps its row and its column. Then both matrices are one double sum over entries and
//! places, in which one term is not zero, and the theorem is two sums over a one-hot and an
//! interchange:
//!
//! ```text
//! sum p { [c == crd[p]] * vals[p] }  =  sum q { [o == crd'[q]] * vals[order[q]] }
//! ```
//!
//! Who makes the arrays is no matter of this file. `place` is in the theorem alone: nothing reads it.

use crate::conjuncts::{conjunction, guard};
use crate::cx::Cx;
use crate::derived::no_match;
use atl_arith::Arith;
use atl_diag::Span;
use atl_kernel::{
    Child, Cmp, Ctx, Elem, Entry, Expr, Ix, Label, Node, Pred, Result, Rule, Thm, Type, Var, subst,
};
use atl_lang::{ForAll, Variable};
use std::sync::Arc;

/// A matrix whose entries lie together row by row, or column by column: `outer` says of which dimension
/// each index has a segment of entries.
#[derive(Clone, PartialEq, Debug)]
pub struct Segments {
    /// Dimension 0 or 1.
    pub outer: usize,
    /// The extents of both dimensions.
    pub extents: [Ix; 2],
    /// Where each segment begins, and the last one ends.
    pub pos: Var,
    /// The other coordinate of each entry.
    pub crd: Var,
    /// The values.
    pub vals: Var,
}

impl Segments {
    /// The matrix that this term is, if it is one; it mentions no variable from this level on.
    pub fn of(fresh: u32, e: &Expr) -> Option<Segments> {
        let Node::Gen(_, rows, e1) = &**e else { return None };
        let Node::Gen(_, columns, e2) = &**e1 else { return None };
        let Node::Sum(_, _, e3) = &**e2 else { return None };
        let Node::Guard(Pred::Cmp(Cmp::Eq, _, Ix::Read(crd, at)), value) = &**e3 else { return None };
        let Node::Get(vals, _) = &**value else { return None };
        let (Node::Var(vals), [Ix::Bin(_, place)]) = (&**vals, &at[..]) else { return None };
        let Ix::Read(pos, _) = &place.1 else { return None };
        let [pos, crd, vals] = [*pos, *crd, *vals];
        let found =
            [0, 1].map(|outer| Segments { outer, extents: [rows.clone(), columns.clone()], pos, crd, vals });
        let is_free = |v: &Var| matches!(v, Var::Free(_));
        let all_free = [pos, crd, vals].iter().all(is_free);
        found.into_iter().find(|one| all_free && one.term(fresh, "p") == *e)
    }

    /// The matrix as a term, made by way of variables from this level on; positions have this name.
    fn term(&self, first: u32, position: &str) -> Expr {
        let (index, p) = ([Ix::free(first), Ix::free(first + 1)], first + 2);
        let outer = &index[self.outer];
        let at = self.at(Ix::free(p), outer);
        let body = guard(self.is_at(&index[1 - self.outer], &at), &get(self.vals, at));
        let sum: Expr = Arc::new(Node::Sum(Label::new(position), self.length(outer), subst::close(&body, p)));
        let row =
            Arc::new(Node::Gen(Label::new("j"), self.extents[1].clone(), subst::close(&sum, first + 1)));
        Arc::new(Node::Gen(Label::new("i"), self.extents[0].clone(), subst::close(&row, first)))
    }

    /// The place in the arrays of the entry of this number in a segment.
    fn at(&self, position: Ix, segment: &Ix) -> Ix {
        position + read(self.pos, segment.clone())
    }

    fn length(&self, segment: &Ix) -> Ix {
        read(self.pos, segment.clone() + Ix::ONE) - read(self.pos, segment.clone())
    }

    /// Has the entry at this place this other coordinate?
    fn is_at(&self, coordinate: &Ix, at: &Ix) -> Pred {
        Pred::eq(coordinate.clone(), read(self.crd, at.clone()))
    }

    /// How many segments there are.
    pub fn segments(&self) -> &Ix {
        &self.extents[self.outer]
    }

    /// The first place of a segment, and one past its last.
    fn range(&self, segment: &Ix) -> (Ix, Ix) {
        (read(self.pos, segment.clone()), read(self.pos, segment.clone() + Ix::ONE))
    }
}

/// The most that is spent on one goal.
const WORK: u64 = 1 << 26;

/// What a name is put in front of: the copy's arrays.
const ARRAYS: [&str; 4] = ["_pos", "_crd", "_order", "_place"];

/// The arrays of a copy in the other order, in a context.
#[derive(Clone, PartialEq, Debug)]
pub struct Repacked {
    /// What is copied.
    pub original: Segments,
    /// How many entries the original's arrays have room for, and so the copy's.
    pub entries: Ix,
    /// The levels of its arrays: where segments begin, the other coordinates, the entry at each place,
    /// the place of each entry.
    pub arrays: [u32; 4],
    /// Their types.
    pub types: [Type; 4],
    /// What is known of them.
    pub facts: Vec<ForAll>,
}

impl Repacked {
    /// The names of the arrays of the copy that is called so.
    pub fn names(name: &str) -> [String; 4] {
        ARRAYS.map(|array| format!("{name}{array}"))
    }

    /// Declare the arrays of a copy of this name, and what is known of them; none where the original's
    /// arrays are not in the context.
    pub fn declare(ctx: &mut Ctx, name: &str, original: &Segments) -> Option<Repacked> {
        let Some(Entry::Tensor(_, crd)) = ctx.entry(level(original.crd)) else { return None };
        let entries = crd.shape.first()?.clone();
        let Some(Entry::Tensor(_, pos)) = ctx.entry(level(original.pos)) else { return None };
        let (place, coordinate) = (pos.elem, crd.elem);
        let segments = original.extents[1 - original.outer].clone() + Ix::ONE;
        let array = |elem: Elem, extent: &Ix| Type { elem, shape: vec![extent.clone()] };
        let [each, order] = [coordinate, place].map(|elem| array(elem, &entries));
        let types = [array(place, &segments), each, order.clone(), order];
        let mut names = Repacked::names(name).into_iter();
        let arrays =
            types.clone().map(|ty| ctx.push_tensor(Label::new(&names.next().unwrap_or_default()), ty));
        let bare = Repacked { original: original.clone(), entries, arrays, types, facts: Vec::new() };
        let facts = bare.known();
        facts.iter().for_each(|fact| fact.assume(ctx));
        Some(Repacked { facts, ..bare })
    }

    /// The copy of this name, if the context has one of this matrix.
    pub fn find(ctx: &Ctx, name: &str, original: &Segments) -> Option<Repacked> {
        let names = Repacked::names(name);
        let first = (0..).zip(ctx.entries()).find_map(|(level, entry)| match entry {
            Entry::Tensor(label, _) if *label.name == *names[0] => Some(level),
            _ => None,
        })?;
        let mut before = ctx.clone();
        before.truncate(first);
        let copy = Repacked::declare(&mut before, name, original)?;
        let has = |level| matches!((before.entry(level), ctx.entry(level)), (Some(a), Some(b)) if a == b);
        (0..before.level()).all(has).then_some(copy)
    }

    /// The copy, whose values are in a variable.
    fn segments(&self, vals: Var) -> Segments {
        let Segments { outer, extents, .. } = self.original.clone();
        let [pos, crd, ..] = self.arrays.map(Var::Free);
        Segments { outer: 1 - outer, extents, pos, crd, vals }
    }

    fn order(&self, q: &Ix) -> Ix {
        read(Var::Free(self.arrays[2]), q.clone())
    }

    fn place(&self, p: &Ix) -> Ix {
        read(Var::Free(self.arrays[3]), p.clone())
    }

    /// What is known of the arrays: they are well formed, and entries keep their rows and columns.
    fn known(&self) -> Vec<ForAll> {
        let mut facts = Vec::new();
        let (from, to) = (&self.original, &self.segments(self.original.vals));
        let bound = |k| Ix::Var(Var::Bound(k));
        let segments = |of: &Segments| (Ix::ZERO, of.segments().clone());
        let is_place = |p: Ix| Pred::and(Pred::le(Ix::ZERO, p.clone()), Pred::le(p, self.entries.clone()));
        let pos = |q: Ix| read(to.pos, q);
        let a = bound(0);
        facts.push(all(&[("c", (Ix::ZERO, to.segments().clone() + Ix::ONE))], is_place(pos(a.clone()))));
        facts.push(all(&[("c", segments(to))], Pred::le(pos(a.clone()), pos(a.clone() + Ix::ONE))));
        let is_entry = Pred::in_range(&self.order(&a), &self.entries);
        facts.push(all(&[("q", (Ix::ZERO, self.entries.clone()))], is_entry));
        let (c, q) = (bound(0), bound(1));
        let crd = |q: Ix| read(to.crd, q);
        let column = ("q", to.range(&c));
        let inside = Pred::in_range(&crd(q.clone()), from.segments());
        facts.push(all(&[("c", segments(to)), column.clone()], inside));
        let but_last = ("q", (column.1.0.clone(), column.1.1.clone() - Ix::ONE));
        facts.push(all(&[("c", segments(to)), but_last], Pred::lt(crd(q.clone()), crd(q.clone() + Ix::ONE))));
        let within = |p: Ix, (lo, hi): (Ix, Ix)| Pred::and(Pred::le(lo, p.clone()), Pred::lt(p, hi));
        let implies = |p: Pred, q: Pred| Pred::or(Pred::not(p), q);
        // An entry stands in its column, and what stands at a place is of its row.
        let (o, p, c) = (bound(0), bound(1), bound(2));
        let entries = [("o", segments(from)), ("p", from.range(&o)), ("c", segments(to))];
        facts.push(all(&entries, implies(from.is_at(&c, &p), within(self.place(&p), to.range(&c)))));
        let (c, q, o) = (bound(0), bound(1), bound(2));
        let places = [("c", segments(to)), ("q", to.range(&c)), ("o", segments(from))];
        facts.push(all(&places, implies(to.is_at(&o, &q), within(self.order(&q), from.range(&o)))));
        // The entry at the place of an entry is that entry, in its row and column.
        let [o, p, c, q] = [0, 1, 2, 3].map(bound);
        let both = [("o", segments(from)), ("p", from.range(&o)), ("c", segments(to)), ("q", to.range(&c))];
        let placed = [from.is_at(&c, &p), Pred::eq(q.clone(), self.place(&p))];
        let taken = [to.is_at(&o, &q), Pred::eq(p.clone(), self.order(&q))];
        // Each says one thing, which a proof finds by what it reads.
        for (here, there) in [(&placed, &taken), (&taken, &placed)] {
            for one in there {
                facts.push(all(&both, implies(conjunction(here.clone()), one.clone())));
            }
        }
        facts
    }

    /// `matrix  =  let vals = gen q { vals[order[q]] }; the matrix by its copy`, where the new values
    /// have this name, and positions in the copy that one.
    pub fn theorem(&self, cx: &mut Cx<'_>, e: &Expr, vals: &str, position: &str) -> Result<Thm> {
        if Segments::of(cx.ctx.level(), e).as_ref() != Some(&self.original) {
            return no_match("repack", "the matrix that the copy is of", e);
        }
        // What follows from four statements of elements takes more than a goal usually may.
        let mut arith = Arith::with_work(WORK);
        let cx = &mut Cx::new(cx.ctx.clone(), &mut arith).with_work(&cx.work);
        let name = cx.ctx.level();
        let stored = self.segments(Var::Free(name));
        let value = get(self.original.vals, self.order(&Ix::free(name)));
        let values: Expr =
            Arc::new(Node::Gen(Label::new("q"), self.entries.clone(), subst::close(&value, name)));
        let copy = stored.term(name + 1, position);
        let bound: Expr = Arc::new(Node::Let(Label::new(vals), values, subst::close(&copy, name)));
        let inlined = cx.rule(Rule::LetInline, &bound)?;
        // Values are read where they stand.
        let get_values: &mut dyn FnMut(&mut Cx<'_>, &Expr) -> crate::Step = &mut |cx, e| match &**e {
            Node::Get(array, _) if matches!(**array, Node::Gen(..)) => cx.rule(Rule::AccessGen, e).map(Some),
            _ => Ok(None),
        };
        let read = cx.then(inlined, |cx, e| cx.bottom_up(e, get_values))?;
        let left = self.as_pairs(cx, e, From::Entries)?;
        let right = self.as_pairs(cx, &read.rhs().clone(), From::Places)?;
        crate::lets::meet(cx, left, right)?.trans(read.sym())
    }

    /// The matrix, each of whose elements is a sum over pairs.
    fn as_pairs(&self, cx: &mut Cx<'_>, e: &Expr, from: From) -> Result<Thm> {
        let i = cx.ctx.level();
        cx.inside(e, Child::Body, |cx, row| {
            let j = cx.ctx.level();
            cx.inside(row, Child::Body, |cx, e| self.element_as_pairs(cx, e, from, &[i, j].map(Ix::free)))
        })
    }

    /// A sum over the entries of a segment, or over the places of one, as a sum over places and entries.
    fn element_as_pairs(&self, cx: &mut Cx<'_>, e: &Expr, from: From, index: &[Ix; 2]) -> Result<Thm> {
        let level = cx.ctx.level();
        let copy = self.segments(self.original.vals);
        let (sum, other) = match from {
            From::Entries => (&self.original, &copy),
            From::Places => (&copy, &self.original),
        };
        let segment = index[other.outer].clone();
        let spread = cx.inside(e, Child::Body, |cx, inner| {
            let Node::Guard(p, value) = &**inner else { return no_match("repack", "an entry", inner) };
            let at = sum.at(Ix::free(level), &index[sum.outer]);
            let wanted = match from {
                From::Entries => self.place(&at),
                From::Places => self.order(&at),
            };
            let k = cx.ctx.level();
            let equal = Pred::eq(Ix::free(k), wanted - read(other.pos, segment.clone()));
            let value = match from {
                From::Entries => value.clone(),
                From::Places => get(self.original.vals, other.at(Ix::free(k), &segment)),
            };
            let body = guard(Pred::and(equal, p.clone()), &value);
            let one: Expr =
                Arc::new(Node::Sum(Label::new("k"), other.length(&segment), subst::close(&body, k)));
            let only = cx.rule(Rule::OneHot, &one)?;
            let same = cx.rule(Rule::ArithEq(inner.clone()), &only.rhs().clone())?;
            Ok(only.trans(same)?.sym())
        })?;
        let spread = match from {
            From::Entries => cx.then(spread, |cx, e| cx.rule(Rule::SumSwap, e))?,
            From::Places => spread,
        };
        // Where one side's equations hold, so do the other's: both sums have all of them.
        let q = level;
        cx.then(spread, |cx, e| {
            cx.inside(e, Child::Body, |cx, e| {
                let p = cx.ctx.level();
                cx.inside(e, Child::Body, |cx, e| {
                    let at = self.original.at(Ix::free(p), &index[self.original.outer]);
                    let place = copy.at(Ix::free(q), &index[copy.outer]);
                    let others = match from {
                        From::Entries => [
                            copy.is_at(&index[self.original.outer], &place),
                            Pred::eq(at.clone(), self.order(&place)),
                        ],
                        From::Places => [
                            self.original.is_at(&index[copy.outer], &at),
                            Pred::eq(place.clone(), self.place(&at)),
                        ],
                    };
                    // Each is shown where the others are not in sight.
                    let shown = others.into_iter().try_fold(cx.refl(e)?, |done, p| {
                        cx.then(done, |cx, e| {
                            cx.inside(e, Child::Body, |cx, value| {
                                cx.rule(Rule::GuardTrue, &guard(p.clone(), value)).map(Thm::sym)
                            })
                        })
                    })?;
                    let merge = |cx: &mut Cx<'_>, e: &Expr| cx.rule(Rule::GuardAnd, e);
                    let once = cx.then(shown, merge)?;
                    cx.then(once, merge)
                })
            })
        })
    }
}

/// What a sum runs over.
#[derive(Clone, Copy, PartialEq)]
enum From {
    /// The entries of a segment of the original.
    Entries,
    /// The places of a segment of the copy.
    Places,
}

fn level(v: Var) -> u32 {
    match v {
        Var::Free(level) | Var::Bound(level) => level,
    }
}

fn read(array: Var, at: Ix) -> Ix {
    Ix::Read(array, Arc::from([at]))
}

fn get(array: Var, at: Ix) -> Expr {
    Arc::new(Node::Get(Arc::new(Node::Var(array)), at))
}

/// `for all these within these ranges: holds`, the first variable being `Bound(0)`.
fn all(variables: &[(&str, (Ix, Ix))], holds: Pred) -> ForAll {
    let variables = variables.iter().map(|(name, (lo, hi))| Variable {
        label: Label::new(name),
        lo: lo.clone(),
        hi: hi.clone(),
    });
    ForAll { variables: variables.collect(), holds, span: Span::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cx;
    use atl_kernel::Scalar;

    /// A matrix of `N` rows, and of `M` columns or as many.
    fn matrix(outer: usize, is_square: bool) -> (Ctx, Segments) {
        let mut ctx = Ctx::new();
        let [n, m, len] = ["N", "M", "len"].map(|name| Ix::free(ctx.push_size(Label::new(name))));
        let elem = |scalar| atl_semirings::elem(scalar, "plus_times").expect("ordinary numbers");
        let extents = [n.clone(), if is_square { n } else { m }];
        let mut push = |name: &str, scalar, extent: &Ix| {
            Var::Free(
                ctx.push_tensor(Label::new(name), Type { elem: elem(scalar), shape: vec![extent.clone()] }),
            )
        };
        let pos = push("pos", Scalar::I64, &(extents[outer].clone() + Ix::ONE));
        let crd = push("crd", Scalar::I32, &len);
        let vals = push("vals", Scalar::F64, &len);
        let of = Segments { outer, extents, pos, crd, vals };
        let at = |k| read(pos, Ix::Var(Var::Bound(k)));
        let next = read(pos, Ix::Var(Var::Bound(0)) + Ix::ONE);
        let within = Pred::and(Pred::le(Ix::ZERO, at(0)), Pred::le(at(0), len.clone()));
        all(&[("q", (Ix::ZERO, of.segments().clone() + Ix::ONE))], within).assume(&mut ctx);
        all(&[("q", (Ix::ZERO, of.segments().clone()))], Pred::le(at(0), next)).assume(&mut ctx);
        let inside = Pred::in_range(&read(crd, Ix::Var(Var::Bound(0))), &of.extents[1 - outer]);
        all(&[("p", (Ix::ZERO, len))], inside).assume(&mut ctx);
        (ctx, of)
    }

    /// The theorem holds, and replays.
    fn check(outer: usize, is_square: bool) {
        let (mut ctx, of) = matrix(outer, is_square);
        let copy = Repacked::declare(&mut ctx, "T", &of).expect("its arrays are there");
        assert_eq!(Repacked::find(&ctx, "T", &of).as_ref(), Some(&copy));
        let e = of.term(ctx.level(), "p");
        let mut arith = Arith::default();
        let mut cx = Cx::new(Arc::new(ctx), &mut arith);
        let thm = copy.theorem(&mut cx, &e, "T_vals", "pT").unwrap_or_else(|e| match e {
            atl_kernel::Error::Unproved(e) => panic!("{:?}", e.goal),
            e => panic!("{e:?}"),
        });
        assert_eq!(*thm.lhs(), e);
        let again = Thm::replay(&cx.ctx, thm.proof()).expect("the record replays");
        assert_eq!((again.lhs(), again.rhs()), (thm.lhs(), thm.rhs()));
    }

    #[test]
    fn rows_are_columns() {
        check(0, false);
    }

    #[test]
    fn so_are_those_of_a_square() {
        check(0, true);
        check(1, true);
    }

    #[test]
    fn columns_are_rows() {
        check(1, false);
    }
}
