//! Windows that move: of what one iteration of a loop computes, the next one computes the most again.
//!
//! **The one idea.** A `let` in the body of a loop over `y` binds a window, `gen k < w { e(y, k) }`. If `e(y + 1, k)` equals
//! `e(y, k + s)`, as terms, the window moves by `s`: the next iteration has `w - s` of its elements from this one. That equation is
//! proved for all `y` and `k`, by the kernel, as one between terms that differ in index terms only. Other `let`s of the iteration
//! that `e` reads are windows that move as well (`below_windows`), or both sides are compared in gather form, without them.
//!
//! The rows may be those of an inner dimension: of a window of 3 by 3, which moves from column to column, the columns.
//!
//! What is made of it is for whoever lowers the term: the window may be kept from one iteration to the next.

use crate::below_windows::{below_windows, indices, moved_by};
use crate::cx::Cx;
use crate::gather::{by_gather, gather};
use crate::occurrences::{index_with, mentions};
use atl_kernel::{Child, Ctx, Error, Expr, Ix, Label, Node, Pred, Rounding, Rule, Thm, subst};
use std::fmt;
use std::sync::Arc;

/// A `let` between the loop and the window.
#[derive(Clone, Debug)]
pub struct Between {
    /// The level of its tensor.
    pub level: u32,
    /// Its label.
    pub label: Label,
    /// What it binds.
    pub bound: Expr,
}

/// A `let` in the body of a loop.
pub struct Window<'a> {
    /// Where the loop stands.
    pub outside: &'a Ctx,
    /// The loop's name, for people.
    pub name: &'a str,
    /// The loop's extent; its variable is the first thing after what is outside.
    pub extent: &'a Ix,
    /// The `let`s around the window in the loop's body, outermost first.
    pub between: &'a [Between],
    /// What the window's `let` binds.
    pub term: &'a Expr,
}

/// A window that moves, and why.
#[derive(Clone, Debug)]
pub struct Moving {
    /// The dimension in which it does, that of its rows.
    pub dimension: usize,
    /// How many rows it has.
    pub rows: i64,
    /// How many of them are new in each iteration.
    pub by: i64,
    /// A row of the next iteration equals one of this.
    pub theorem: Thm,
}

/// Why a window is not known to move.
#[derive(Clone, Debug)]
pub enum Still {
    /// Its term is no nest of `gen`s of which one is of 2 to [`MOST_ROWS`] rows.
    Rows,
    /// Its extents depend on the loop, or on what is bound in it.
    Extents,
    /// No index term says how far it moves, or it leaves all of itself behind.
    Apart,
    /// It moves the other way: rows of the next iteration are before those of this one.
    Back,
    /// The kernel does not find a row again, so many rows on.
    Differs(i64, Error),
}

/// The most rows of a window.
pub const MOST_ROWS: i64 = 64;

impl Window<'_> {
    /// How the window moves, where its `let` stands.
    pub fn moving(&self, cx: &mut Cx<'_>) -> Result<Moving, Still> {
        if self.ragged(cx) {
            return Err(Still::Extents);
        }
        let mut why = Still::Rows;
        for dimension in 0.. {
            match self.moving_in(cx, dimension) {
                Some(Ok(moving)) => return Ok(moving),
                Some(Err(still)) if still.says_more_than(&why) => why = still,
                Some(Err(_)) => {}
                None => break,
            }
        }
        Err(why)
    }

    /// How it moves in this dimension; nothing where it has none in sight.
    fn moving_in(&self, cx: &mut Cx<'_>, dimension: usize) -> Option<Result<Moving, Still>> {
        let (mut ctx, y) = self.iteration();
        let mut term = self.term.clone();
        for _ in 0..dimension {
            let Node::Gen(label, n, body) = &*term else { return None };
            let level = ctx.push_loop(label.clone(), n);
            term = subst::open(body, level);
        }
        let Node::Gen(label, n, body) = &*term else { return None };
        let rows = match n {
            Ix::Lit(rows) if (2..=MOST_ROWS).contains(rows) => *rows,
            _ => return Some(Err(Still::Rows)),
        };
        Some(self.step(cx, &ctx, (label, body), rows).and_then(|by| {
            let k = ctx.push_loop(label.clone(), &Ix::Lit(rows - by));
            let here = self.row(body, &Ix::free(k));
            let next = subst::instantiate(&subst::close(&here, y), &(Ix::free(y) + Ix::ONE));
            let now = self.row(body, &(Ix::free(k) + Ix::Lit(by)));
            let mut inside = cx.within(Arc::new(ctx));
            match same(&mut inside, &next, &now) {
                Ok(theorem) if theorem.rounding() == Rounding::Bitwise => {
                    Ok(Moving { dimension, rows, by, theorem })
                }
                Ok(_) => Err(Still::Differs(by, Error::Mismatch("the rows agree up to rounding only"))),
                Err(why) => Err(Still::Differs(by, why)),
            }
        }))
    }

    /// The context of an iteration that has a next one, and its index. The levels of the `let`s between are taken, for these are
    /// bound in the rows that are compared, and no index of a row may be mistaken for one of them.
    fn iteration(&self) -> (Ctx, u32) {
        let mut ctx = self.outside.clone();
        let y = ctx.push_loop(Label::new(self.name), self.extent);
        ctx.push_hyp(Pred::lt(Ix::free(y) + Ix::ONE, self.extent.clone()));
        let beyond = self.between.iter().map(|a| a.level + 1).max().unwrap_or(0);
        while ctx.level() < beyond {
            ctx.push_hyp(Pred::True);
        }
        (ctx, y)
    }

    /// Does an extent depend on the loop, or on what is bound in it?
    fn ragged(&self, cx: &mut Cx<'_>) -> bool {
        let inside = self.outside.level()..cx.ctx.level();
        let depends = |n: &Ix| inside.clone().any(|level| n.mentions(level));
        cx.type_of(self.term).map_or(true, |ty| ty.shape.iter().any(depends))
    }

    /// A row of the window, within those `let`s that it reads.
    fn row(&self, body: &Expr, k: &Ix) -> Expr {
        self.between.iter().rev().fold(subst::instantiate(body, k), |row, a| match mentions(&row, a.level) {
            true => Arc::new(Node::Let(a.label.clone(), a.bound.clone(), subst::close(&row, a.level))),
            false => row,
        })
    }

    /// By how many rows an index term of a row moves that depends on both the iteration and the row.
    fn step(
        &self,
        cx: &mut Cx<'_>,
        ctx: &Ctx,
        (label, body): (&Label, &Expr),
        rows: i64,
    ) -> Result<i64, Still> {
        let (mut ctx, y) = (ctx.clone(), self.outside.level());
        let k = ctx.push_loop(label.clone(), &Ix::Lit(rows));
        let row = self.row(body, &Ix::free(k));
        let mut inside = cx.within(Arc::new(ctx));
        if matches!(*row, Node::Let(..)) {
            let next = subst::instantiate(&subst::close(&row, y), &(Ix::free(y) + Ix::ONE));
            let mut found = None;
            // Only the rows are looked at: what they would prove is proved where it is known how far they move.
            let _ = below_windows(&mut inside, &next, &row, &mut |cx, next, now| {
                found = moved_by(cx, next, now, k, rows);
                cx.refl(next)
            });
            if let Some(by) = found {
                return Ok(by);
            }
        }
        let row = match matches!(*row, Node::Let(..)) {
            true => gather(&mut inside, &row).ok().flatten().map_or(row, |thm| thm.rhs().clone()),
            false => row,
        };
        let mut moves = |way: i64| {
            let by = |cx: &mut Cx<'_>, ix: &Ix| {
                let next = index_with(ix, &Ix::free(y), &(Ix::free(y) + Ix::ONE));
                (1..rows).find(|by| {
                    let now = index_with(ix, &Ix::free(k), &(Ix::free(k) + Ix::Lit(way * by)));
                    cx.equal(&next, &now)
                })
            };
            first(&mut inside, &row, &|ix| ix.mentions(y) && ix.mentions(k), &by)
        };
        match moves(1) {
            Some(by) => Ok(by),
            None => Err(if moves(-1).is_some() { Still::Back } else { Still::Apart }),
        }
    }
}

impl Still {
    /// Is it a reason of a dimension that comes nearer to moving?
    fn says_more_than(&self, other: &Still) -> bool {
        let nearness = |still: &Still| match still {
            Still::Rows | Still::Extents => 0,
            Still::Apart | Still::Back => 1,
            Still::Differs(..) => 2,
        };
        nearness(self) > nearness(other)
    }
}

/// That a row of the next iteration is one of this: below windows that are the same in both, or element by element.
fn same(cx: &mut Cx<'_>, next: &Expr, now: &Expr) -> Result<Thm, Error> {
    let below = &mut |cx: &mut Cx<'_>, next: &Expr, now: &Expr| cx.rule(Rule::ArithEq(now.clone()), next);
    let same = below_windows(cx, next, now, below);
    same.or_else(|_| by_gather(cx, next, now))
}

/// What the first of these index terms gives of those in `e` for which it gives something.
fn first<T>(
    cx: &mut Cx<'_>,
    e: &Expr,
    wanted: &dyn Fn(&Ix) -> bool,
    f: &dyn Fn(&mut Cx<'_>, &Ix) -> Option<T>,
) -> Option<T> {
    if let Some(found) = indices(e).into_iter().filter(|ix| wanted(ix)).find_map(|ix| f(cx, ix)) {
        return Some(found);
    }
    e.children().find_map(|at: Child| {
        let (mut inside, child) = cx.enter(e, at).ok()?;
        first(&mut inside, &child, wanted, f)
    })
}

impl fmt::Display for Still {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Still::Rows => write!(f, "it is not a loop over 2 to {MOST_ROWS} rows, a literal number"),
            Still::Extents => f.write_str("its extents differ between iterations"),
            Still::Apart => f.write_str("no row of the next iteration is known to be a row of this one"),
            Still::Back => f.write_str("its rows move the other way, as where the loop runs from its end"),
            Still::Differs(by, _) => {
                write!(f, "row `k` of the next iteration is not provably row `k + {by}` of this one")
            }
        }
    }
}
