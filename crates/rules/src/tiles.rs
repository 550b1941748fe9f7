//! Tiles of a recursive tensor, by fronts of tiles: all tiles of one rank at once, each in its own order.
//!
//! ```text
//! iterate f < F from y = zeros { gen io.., { select(rank(io..) == f, tile(io.., y), y[io..]) } }
//! tile(io.., y) = iterate ii < a from w = zeros { .. { w with e(i.., w, y) at ii.. } }
//! ```
//!
//! An index counts its tiles, and cells within one; a skew moves each index but the first by multiples of
//! that. Where an element reads one of its own tile, it is of `w`, else of `y`.
//!
//! The one idea: a tile that a front has set stays as it is, so after all fronts it is what its own front has
//! made of those before it; within it, it is a recursion by itself, whose elements are what their own terms
//! say. So each element is its term, of elements of `y` (`unfolded`).

use crate::cx::{Chain, Cx};
use crate::fronts::{Conflict, Fronts, before, carried_out, idle, one_round, written_as};
use crate::lets::meet;
use crate::occurrences::{replace, variable};
use crate::ranks::Ranks;
use crate::recursion::{Recursion, access, accessed, loops};
use crate::rounds::{as_written, iterated, split, state_after};
use crate::rules::wavefront::{Elements, computed, whole};
use atl_kernel::subst::{close, close_all};
use atl_kernel::{
    Child, Ctx, Error, Expr, Iterate, Ix, Label, Node, Number, Pred, Result, Rule, State, Thm, Type, Var,
};
use std::sync::Arc;

/// Levels that no context reaches: of the state, the front's number and a cell; of a tile and its cells.
const STATE: u32 = (1 << 30) + 12288;
const LOCAL: u32 = STATE + 256;

/// How the places of a tensor are put into tiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiling {
    /// The extents of a tile.
    pub sizes: Vec<i64>,
    /// How far each index is moved by one of the first; that of the first is 0.
    pub skews: Vec<i64>,
    /// What a tile is called.
    pub name: Arc<str>,
}

impl Tiling {
    /// The tile of an element.
    pub fn tile(&self, place: &[i128]) -> Vec<i128> {
        let moved = place.iter().zip(&self.skews).map(|(p, skew)| p + i128::from(*skew) * place[0]);
        moved.zip(&self.sizes).map(|(c, n)| c.div_euclid(i128::from(*n))).collect()
    }
}

/// Whether what an element reads is of a place inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Inside,
    /// It is, if it is of the element's own tile.
    InsideInOwnTile,
    Unknown,
}

/// The tiles of a recursion, by fronts.
pub(crate) struct Tiles {
    of: Recursion,
    tiling: Tiling,
    /// Of tiles.
    ranks: Ranks,
    /// How many tiles there are along each index.
    along: Vec<(Label, Ix)>,
    /// The number of fronts.
    count: Ix,
    /// Is each cell of a tile inside?
    is_whole: bool,
    /// What is known of each read.
    reads: Vec<Known>,
    /// What an element is before it is computed.
    zero: Expr,
    /// All fronts.
    pub(crate) term: Expr,
}

/// An index term, as short as it is anywhere.
fn shorter(ix: Ix) -> Ix {
    atl_arith::simplify(&Ctx::new(), &ix)
}

impl Tiles {
    /// The tiles of a recursion, if its own order and theirs agree on each read.
    pub(crate) fn new(
        cx: &mut Cx<'_>,
        of: Recursion,
        (weights, tiling): (&[i64], &Tiling),
        left_out: Option<usize>,
        name: &str,
    ) -> Result<std::result::Result<Tiles, Box<Conflict>>> {
        let start = cx.type_of(&of.start)?;
        let extent = |k: usize| {
            let (size, skew) = (tiling.sizes[k], tiling.skews[k]);
            let cells = match skew {
                0 => of.along[k].1.clone(),
                _ => of.along[k].1.clone() + Ix::Lit(skew) * of.along[0].1.clone(),
            };
            atl_arith::simplify(&cx.ctx, &((cells + Ix::Lit(size - 1)) / Ix::Lit(size)))
        };
        let along: Vec<(Label, Ix)> =
            of.along.iter().enumerate().map(|(k, (label, _))| (part(label, "o"), extent(k))).collect();
        let ranks = Ranks::new(weights, left_out);
        let total = |less: i64| ranks.total(&|k| along[k].1.clone() - Ix::Lit(less));
        let exact = atl_arith::simplify(&cx.ctx, &(total(1) + Ix::ONE));
        let is_natural = cx.proves(&Pred::le(Ix::ZERO, exact.clone()));
        let count = if is_natural { exact } else { atl_arith::simplify(&cx.ctx, &total(0)) };
        let zero = Arc::new(Node::Lit(start.elem, Number::Zero));
        let term = of.start.clone();
        let (tiling, reads) = (tiling.clone(), Vec::new());
        let is_whole = false;
        let mut tiles = Tiles { of, tiling, ranks, along, count, is_whole, reads, zero, term };
        if let Some(conflict) = tiles.read(cx, start)? {
            return Ok(Err(conflict));
        }
        tiles.is_whole = tiles.whole(cx);
        tiles.term = tiles.iteration(name)?;
        Ok(Ok(tiles))
    }

    /// Learn of each read whether it is inside; the first that is not known to be computed before.
    fn read(&mut self, cx: &mut Cx<'_>, start: Type) -> Result<Option<Box<Conflict>>> {
        let mut ctx = (*cx.ctx).clone();
        let tensor = variable(ctx.push_tensor(self.of.label.clone(), start));
        let along = self.of.along.iter();
        let place: Vec<Ix> = along.map(|(l, n)| Ix::free(ctx.push_loop(l.clone(), n))).collect();
        let element = self.of.element_of(&tensor, &place);
        let mut there = cx.within(Arc::new(ctx));
        for read in &self.of.reads {
            let mut found = None;
            there.at(&element, &read.path, &mut |cx, e| {
                found = Some(self.known(cx, &accessed(e).1, &place));
                cx.refl(e)
            })?;
            match found {
                Some(Ok(known)) => self.reads.push(known),
                Some(Err(conflict)) => return Ok(Some(conflict)),
                None => {}
            }
        }
        Ok(None)
    }

    /// What is known of a read at these indices, by the element of a place.
    fn known(&self, cx: &mut Cx<'_>, at: &[Ix], place: &[Ix]) -> std::result::Result<Known, Box<Conflict>> {
        let (inside, own) = (self.of.inside(at), self.own(at, &self.tile(place)));
        let known = if cx.proves(&inside) {
            Known::Inside
        } else if cx.assuming(own.clone()).proves(&inside) {
            Known::InsideInOwnTile
        } else {
            Known::Unknown
        };
        let mut there = cx.assuming(inside);
        for goal in [before(at, place), self.earlier(at, place)] {
            if !there.proves(&goal) {
                let (place, read) = (place.to_vec(), at.to_vec());
                return Err(Box::new(Conflict { ctx: (*there.ctx).clone(), place, read, goal }));
            }
        }
        Ok(known)
    }

    /// That the tiles have this place before the other, or in its own tile.
    fn earlier(&self, at: &[Ix], place: &[Ix]) -> Pred {
        Pred::or(self.own(at, &self.tile(place)), Pred::lt(self.rank(at), self.rank(place)))
    }

    /// Is each cell of each tile inside?
    fn whole(&self, cx: &mut Cx<'_>) -> bool {
        let mut ctx = (*cx.ctx).clone();
        let mut all = |extents: Vec<Ix>| -> Vec<Ix> {
            extents.iter().map(|n| Ix::free(ctx.push_loop(Label::new("t"), n))).collect()
        };
        let tile = all(self.along.iter().map(|(_, n)| n.clone()).collect());
        let local = all(self.tiling.sizes.iter().map(|n| Ix::Lit(*n)).collect());
        let inside = self.of.inside(&self.place_of(&tile, &local));
        cx.within(Arc::new(ctx)).proves(&inside)
    }

    /// The indices of a place, moved.
    fn moved(&self, place: &[Ix]) -> Vec<Ix> {
        let moved = place.iter().zip(&self.tiling.skews);
        moved
            .map(|(p, skew)| match skew {
                0 => p.clone(),
                skew => p.clone() + Ix::Lit(*skew) * place[0].clone(),
            })
            .collect()
    }

    /// The tile of a place.
    fn tile(&self, place: &[Ix]) -> Vec<Ix> {
        self.moved(place).into_iter().zip(&self.tiling.sizes).map(|(c, n)| c / Ix::Lit(*n)).collect()
    }

    /// Where a place is within its tile.
    fn local(&self, place: &[Ix]) -> Vec<Ix> {
        self.moved(place).into_iter().zip(&self.tiling.sizes).map(|(c, n)| c % Ix::Lit(*n)).collect()
    }

    /// Where a place is relative to the first cell of a tile.
    fn relative(&self, place: &[Ix], tile: &[Ix]) -> Vec<Ix> {
        let moved = self.moved(place).into_iter().zip(tile.iter().zip(&self.tiling.sizes));
        moved.map(|(c, (t, n))| shorter(c - t.clone() * Ix::Lit(*n))).collect()
    }

    /// Where the element of a place is, from a cell of a tile.
    fn relative_home(&self, place: &[Ix], tile: &[Ix], local: &[Ix]) -> Vec<Ix> {
        let (mut there, mut cell) = (Vec::new(), Vec::new());
        for (k, from) in self.relative(place, tile).into_iter().enumerate() {
            let (size, is_same) = (Ix::Lit(self.tiling.sizes[k]), from == local[k]);
            there.push(if is_same { tile[k].clone() } else { tile[k].clone() + from.clone() / size.clone() });
            cell.push(if is_same { from } else { from % size });
        }
        [self.ranks.home(&there), cell].concat().into_iter().map(shorter).collect()
    }

    /// That a place is in a tile.
    fn own(&self, place: &[Ix], tile: &[Ix]) -> Pred {
        let sides = self.relative(place, tile).into_iter().zip(&self.tiling.sizes);
        sides.fold(Pred::True, |p, (c, n)| Pred::and(p, Pred::in_range(&c, &Ix::Lit(*n))))
    }

    /// The place of a cell of a tile.
    fn place_of(&self, tile: &[Ix], local: &[Ix]) -> Vec<Ix> {
        let cell = |k: usize| tile[k].clone() * Ix::Lit(self.tiling.sizes[k]) + local[k].clone();
        let all = (0..tile.len()).map(|k| match self.tiling.skews[k] {
            0 => cell(k),
            skew => cell(k) - Ix::Lit(skew) * cell(0),
        });
        all.collect()
    }

    /// The front of a place.
    fn rank(&self, place: &[Ix]) -> Ix {
        self.ranks.rank(&self.tile(place))
    }

    /// The loops over where tiles are.
    fn homes(&self) -> Vec<(Label, Ix)> {
        self.ranks.homes(&self.count, &self.along)
    }

    /// The loops over a tile.
    fn cells(&self) -> Vec<(Label, Ix)> {
        let along = self.of.along.iter().zip(&self.tiling.sizes);
        along.map(|((label, _), n)| (part(label, "i"), Ix::Lit(*n))).collect()
    }

    /// A tile before it is computed.
    fn blank(&self) -> Expr {
        loops(&self.zero, LOCAL, &self.cells())
    }

    /// The iteration over fronts.
    fn iteration(&self, name: &str) -> Result<Expr> {
        let (y, front, homes) = (variable(STATE), Ix::free(STATE + 1), self.homes());
        let home: Vec<Ix> = (STATE + 2..).take(homes.len()).map(Ix::free).collect();
        let tile = self.ranks.place_at(&home);
        let now = self.ranks.is_of(front, (&home, &tile), &self.along);
        let made = Arc::new(Node::Select(now, self.made(&y, &tile)?, access(&y, &home)));
        let step = close_all(&loops(&made, STATE + 2, &homes), STATE, 2);
        let init = loops(&self.blank(), STATE + 2, &homes);
        let states = vec![State { label: self.of.label.clone(), init, step }];
        let body = Arc::new(Node::Var(Var::Bound(0)));
        let (label, extent) = (Label::new(name), self.count.clone());
        Ok(Arc::new(Node::Iterate(Arc::new(Iterate { label, extent, states, body }))))
    }

    /// The tile, as its front makes it of the state before.
    fn made(&self, y: &Expr, tile: &[Ix]) -> Result<Expr> {
        let (w, local) = (variable(LOCAL), (LOCAL + 1..).take(tile.len()).map(Ix::free));
        let element = self.cell(&w, y, tile, &local.collect::<Vec<_>>());
        let label = Label::new(&self.tiling.name);
        let of = Recursion::new(label, self.blank(), self.cells(), &element, LOCAL);
        Ok(of.ok_or(Error::Mismatch("a tile is read by single elements"))?.term())
    }

    /// A cell of a tile, of those of the tile and of the state.
    fn cell(&self, w: &Expr, y: &Expr, tile: &[Ix], local: &[Ix]) -> Expr {
        let place = self.place_of(tile, local);
        let element = self.of.element_at(&place, &|n, at| {
            let own = (self.own(at, tile), access(w, &self.relative(at, tile)));
            self.read_of(n, at, own, access(y, &self.relative_home(at, tile, local)))
        });
        if self.is_whole { element } else { Arc::new(Node::Guard(self.of.inside(&place), element)) }
    }

    /// What is read: of its own tile, if it is there, or of the state.
    fn read_of(&self, n: usize, at: &[Ix], (own, cell): (Pred, Expr), before: Expr) -> Expr {
        let inside = |read: Expr| Arc::new(Node::Guard(self.of.inside(at), read));
        match self.reads[n] {
            Known::Inside => Arc::new(Node::Select(own, cell, before)),
            Known::InsideInOwnTile => Arc::new(Node::Select(own, cell, inside(before))),
            Known::Unknown => inside(Arc::new(Node::Select(own, cell, before))),
        }
    }

    /// The state after this many fronts.
    fn after(&self, fronts: &Ix) -> Result<Expr> {
        Ok(state_after(iterated(&self.term)?, fronts.clone(), 0))
    }

    /// The way to the tile in an access to a cell.
    fn to_tile(&self) -> Vec<Child> {
        vec![Child::Body; self.of.rank()]
    }

    /// After all fronts, a tile is the one after this many, of which its own was one.
    fn stays(&self, cx: &mut Cx<'_>, fronts: &Ix, tile: &[Ix]) -> Result<Thm> {
        let (home, way) = (self.ranks.home(tile), vec![Child::Body; self.homes().len()]);
        let mut chain = Chain::of(&access(&self.term, &home));
        chain.apply(cx, |cx, e| cx.at(e, &way, &mut |cx, e| split(cx, e, fronts)))?;
        chain.apply(cx, idle)?;
        let wanted = access(&self.after(fronts)?, &home);
        chain.apply(cx, |cx, e| written_as(cx, e, &wanted))?;
        chain.total(cx)
    }

    /// After all fronts, a tile is what its own has made of those before.
    fn is_made(&self, cx: &mut Cx<'_>, tile: &[Ix]) -> Result<Thm> {
        let (rank, way) = (self.ranks.rank(tile), vec![Child::Body; self.homes().len()]);
        let kept = self.stays(cx, &(rank.clone() + Ix::ONE), tile)?;
        let mut chain = Chain::of(kept.lhs());
        chain.push(kept)?;
        chain.apply(cx, |cx, e| cx.at(e, &way, &mut one_round))?;
        chain.apply(cx, carried_out)?;
        chain.apply(cx, |cx, e| cx.rule(Rule::SelectTrue, e))?;
        let made = self.made(&self.after(&rank)?, tile)?;
        chain.apply(cx, |cx, e| written_as(cx, e, &made))?;
        chain.total(cx)
    }

    /// A cell of the tile that a state makes, as its term says it of the tile: `let w = tile(y); cell(w, y)`.
    fn cell_of_tile(&self, y: &Expr, tile: &[Ix], local: &[Ix]) -> Result<Expr> {
        let cell = close(&self.cell(&variable(LOCAL), y, tile, local), LOCAL);
        Ok(Arc::new(Node::Let(Label::new(&self.tiling.name), self.made(y, tile)?, cell)))
    }

    /// A cell of a tile is what its term says: a lemma about any state, so that no term has the state's own
    /// rounds as often as the tile reads it, at this one.
    fn unfolded_tile(&self, cx: &mut Cx<'_>, state: &Expr, (tile, local): (&[Ix], &[Ix])) -> Result<Thm> {
        let level = cx.ctx.level();
        let y = variable(level);
        let (made, said) = (self.made(&y, tile)?, self.cell_of_tile(&y, tile, local)?);
        let sides = |_: &Expr| (access(&made, local), said.clone());
        cx.instance(state, sides, |cx, lhs, rhs| {
            let after = Error::Mismatch("a tile reads elements of its own before they are computed");
            let sizes = &self.tiling.sizes;
            let in_rows: Vec<i64> = (0..sizes.len()).map(|k| sizes[k + 1..].iter().product()).collect();
            let of = Recursion::of(&made).ok_or(after.clone())?;
            let found = computed(cx, &made, of, |cx, of| Fronts::new(cx, of, &in_rows, None, "row"))?;
            let (rows, by_rows) = found.map_err(|_| after)?;
            let whole = whole(cx, &rows.term, &rows.of.along)?;
            let by_rows = meet(cx, by_rows, whole)?;
            let mut chain = Chain::of(lhs);
            chain.apply(cx, |cx, e| cx.at(e, &self.to_tile(), &mut |_, _| Ok(by_rows.clone())))?;
            chain.apply(cx, |cx, _| rows.unfolded(cx, local))?;
            // The rows, as the tile.
            let name = variable(cx.ctx.level());
            let open = replace(chain.now(), &mut |e| (*e == rows.term).then(|| name.clone()));
            let Node::Let(label, ..) = &**rhs else { return Err(Error::Mismatch("no tile")) };
            let body = close(&open, cx.ctx.level());
            let kept: Expr = Arc::new(Node::Let(label.clone(), rows.term.clone(), body));
            chain.push(cx.rule(Rule::LetInline, &kept)?.sym())?;
            chain.apply(cx, |cx, e| cx.lift(e, Child::Bound, by_rows.sym()).map(Some))?;
            chain.apply(cx, |cx, e| written_as(cx, e, rhs))?;
            chain.total(cx)
        })
    }

    /// What an element reads, of its own tile or of the fronts before, is what all fronts leave there.
    fn found(&self, cx: &mut Cx<'_>, n: usize, e: &Expr, (place, at): (&[Ix], &[Ix])) -> Result<Thm> {
        if self.reads[n] == Known::Unknown && matches!(&**e, Node::Guard(..)) {
            return cx.inside(e, Child::Body, |cx, e| self.chosen(cx, e, None, (place, at)));
        }
        let guard = (self.reads[n] == Known::InsideInOwnTile).then(|| self.of.inside(at));
        self.chosen(cx, e, guard, (place, at))
    }

    /// The same, below a guard that it is inside, if there is one.
    fn chosen(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        guard: Option<Pred>,
        (place, at): (&[Ix], &[Ix]),
    ) -> Result<Thm> {
        let Node::Select(own, ..) = &**e else { return Err(Error::Mismatch("no read of a tile")) };
        let read = self.get(&self.term, at);
        cx.distinguish(own, |cx, holds| {
            if holds {
                let own = cx.rule(Rule::SelectTrue, e)?;
                let own = cx.then(own, |cx, e| written_as(cx, e, &read))?;
                return match &guard {
                    None => Ok(own),
                    Some(p) => {
                        let guarded = Arc::new(Node::Guard(p.clone(), read.clone()));
                        own.trans(cx.rule(Rule::GuardTrue, &guarded)?.sym())
                    }
                };
            }
            let before = cx.rule(Rule::SelectFalse, e)?;
            cx.then(before, |cx, e| match &guard {
                None => self.left(cx, e, (place, at)).map(Some),
                Some(_) => cx.child(e, Child::Body, |cx, e| self.left(cx, e, (place, at))),
            })
        })
    }

    /// A read of the state before the front of a place, of another tile, is of what all fronts leave.
    fn left(&self, cx: &mut Cx<'_>, e: &Expr, (place, at): (&[Ix], &[Ix])) -> Result<Thm> {
        let (rank, read) = (self.rank(place), self.get(&self.term, at));
        cx.distinguish(&Pred::lt(self.rank(at), rank.clone()), |cx, holds| match holds {
            true => {
                let stays = self.stays(cx, &rank, &self.tile(at))?.sym();
                let here = cx.converted(e, |cx, e| {
                    cx.at(e, &self.to_tile(), &mut |cx, e| written_as(cx, e, stays.lhs()))
                })?;
                let left = cx.then(here, |cx, e| cx.at(e, &self.to_tile(), &mut |_, _| Ok(stays.clone())))?;
                as_written(cx, left, &read)
            }
            false => absurd(cx, self.earlier(at, place), e, &read),
        })
    }
}

/// Two terms are equal where what is known refutes what holds everywhere.
fn absurd(cx: &mut Cx<'_>, holds: Pred, e: &Expr, other: &Expr) -> Result<Thm> {
    let either: Expr = Arc::new(Node::Select(holds, other.clone(), e.clone()));
    cx.rule(Rule::SelectFalse, &either)?.sym().trans(cx.rule(Rule::SelectTrue, &either)?)
}

/// The label of a part of a loop.
fn part(label: &Label, part: &str) -> Label {
    Label { name: format!("{}.{part}", label.name).into(), ..label.clone() }
}

impl Elements for Tiles {
    fn of(&self) -> &Recursion {
        &self.of
    }

    fn term(&self) -> &Expr {
        &self.term
    }

    fn get(&self, y: &Expr, place: &[Ix]) -> Expr {
        access(y, &[self.ranks.home(&self.tile(place)), self.local(place)].concat())
    }

    fn start(&self, place: &[Ix]) -> Expr {
        access(&self.of.start, place)
    }

    fn equation(&self, place: &[Ix]) -> Expr {
        self.of.element_at(place, &|n, at| {
            let read = self.get(&self.term, at);
            if self.is_inside(n) { read } else { Arc::new(Node::Guard(self.of.inside(at), read)) }
        })
    }

    fn unfolded(&self, cx: &mut Cx<'_>, place: &[Ix]) -> Result<Thm> {
        let (tile, local, rank) = (self.tile(place), self.local(place), self.rank(place));
        let (made, before) = (self.is_made(cx, &tile)?, self.after(&rank)?);
        let mut chain = Chain::of(&self.get(&self.term, place));
        chain.apply(cx, |cx, e| cx.at(e, &self.to_tile(), &mut |_, _| Ok(made.clone())))?;
        chain.apply(cx, |cx, _| self.unfolded_tile(cx, &before, (&tile, &local)))?;
        chain.apply(cx, |cx, e| cx.lift(e, Child::Bound, made.clone().sym()).map(Some))?;
        chain.apply(cx, |cx, e| cx.rule(Rule::LetInline, e))?;
        if !self.is_whole {
            chain.apply(cx, |cx, e| cx.rule(Rule::GuardTrue, e))?;
        }
        let (now, own) = (before, access(&self.term, &self.ranks.home(&tile)));
        let wanted = self.of.element_at(place, &|n, at| {
            let cell = (self.own(at, &tile), access(&own, &self.relative(at, &tile)));
            self.read_of(n, at, cell, self.get(&now, at))
        });
        chain.apply(cx, |cx, e| written_as(cx, e, &wanted))?;
        let plain = self.of.element_of(&self.of.start, place);
        for (n, read) in self.of.reads.iter().enumerate() {
            let mut at = Vec::new();
            cx.at(&plain, &read.path, &mut |cx, e| {
                let all = accessed(e).1;
                at = all[all.len() - self.of.rank()..].to_vec();
                cx.refl(e)
            })?;
            chain.apply(cx, |cx, e| cx.at(e, &read.path, &mut |cx, e| self.found(cx, n, e, (place, &at))))?;
        }
        chain.apply(cx, |cx, e| written_as(cx, e, &self.equation(place)))?;
        chain.total(cx)
    }

    fn is_inside(&self, n: usize) -> bool {
        self.reads[n] == Known::Inside
    }

    fn decided(&self, cx: &mut Cx<'_>, _: usize, e: &Expr) -> Result<Option<Thm>> {
        cx.rule(Rule::SelectTrue, e).map(Some)
    }
}
