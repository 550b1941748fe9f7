//! Tables: what a place reads of a tensor, with an entry for each iteration of some of its loops.
//!
//! **The one idea.** Where every read `x[e(i, j)]` at a place is the same in terms of the loops `i` and `j`,
//! the place equals `let X = gen i < m, j < n { x[e(i, j)] }; ..` with `X[i, j]` for each read. A window
//! (`window.rs`) is a box of the tensor; a table may hold an element several times, as the columns of a
//! convolution do, and lies in memory as the loops are named. Each read is proved by comparing gather forms.

use crate::read_tensor::read_of;
use crate::read_window::abstracted;
use atl_kernel::{Child, Expr, Ix, Label, LoopKind, Node, Result as Kernel, Rule, Thm, subst};
use atl_rules::gather::by_gather;
use atl_rules::occurrences::mentions;
use atl_rules::{Chain, Cx, Step as Conversion};
use std::sync::Arc;

/// A table to be made.
pub(crate) struct Table<'a> {
    /// The level of the tensor that is read through it, and its rank.
    pub(crate) level: u32,
    pub(crate) rank: usize,
    /// Its name.
    pub(crate) name: &'a str,
    /// For each of its dimensions the loops that it may be, as paths from the place.
    pub(crate) along: &'a [Vec<Vec<Child>>],
}

/// Why there is no table.
pub(crate) enum Misfit {
    /// The tensor is not read inside all of the loops.
    Unread,
    /// Two reads differ in terms of the loops.
    Differs,
    /// A read, or an extent, depends on this loop besides.
    Depends(Label),
}

/// The loops around a term below the place: path to the loop, level, label and extent, outermost first.
type Loops = Vec<(Vec<Child>, u32, Label, Ix)>;

impl Table<'_> {
    /// The theorem for the place at hand, or why there is none.
    pub(crate) fn bind(&self, cx: &mut Cx<'_>, e: &Expr) -> Kernel<Result<Thm, Misfit>> {
        let mut found = Vec::new();
        self.collect(cx, e, &mut Vec::new(), &mut Vec::new(), &mut found)?;
        let mut found = found.into_iter();
        let Some(first) = found.next() else { return Ok(Err(Misfit::Unread)) };
        let copy = match first {
            Ok(copy) => copy,
            Err(misfit) => return Ok(Err(misfit)),
        };
        for other in found {
            match other {
                Ok(other) if other == copy => {}
                Ok(_) => return Ok(Err(Misfit::Differs)),
                Err(misfit) => return Ok(Err(misfit)),
            }
        }
        let moved = cx.converted(e, |cx, e| self.replace(cx, e, &mut Vec::new(), &mut Vec::new(), &copy))?;
        let home = cx.ctx.level();
        let body = subst::close(&abstracted(moved.rhs(), &copy, home), home);
        let bound: Expr = Arc::new(Node::Let(Label::new(self.name), copy, body));
        moved.trans(cx.rule(Rule::LetInline, &bound)?.sym()).map(Ok)
    }

    /// The table that each read asks for.
    fn collect(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        path: &mut Vec<Child>,
        loops: &mut Loops,
        out: &mut Vec<Result<Expr, Misfit>>,
    ) -> Kernel<()> {
        if self.is_read(e) {
            out.extend(self.own(loops).map(|own| table(e, &own, loops)));
            return Ok(());
        }
        for at in e.children() {
            let (mut inside, child) = enter(cx, e, at, path, loops)?;
            self.collect(&mut inside, &child, path, loops, out)?;
            leave(e, at, path, loops);
        }
        Ok(())
    }

    /// Every read inside all of the loops, as a read of the table.
    fn replace(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        path: &mut Vec<Child>,
        loops: &mut Loops,
        copy: &Expr,
    ) -> Conversion {
        if self.is_read(e) {
            let Some(own) = self.own(loops) else { return Ok(None) };
            let entry = own.iter().fold(copy.clone(), |e, k| Arc::new(Node::Get(e, Ix::free(loops[*k].1))));
            return by_gather(cx, e, &entry).map(Some);
        }
        let mut chain = Chain::of(e);
        for at in e.children() {
            let now = chain.now().clone();
            let level = cx.ctx.level();
            let step = cx.child(&now, at, |cx, child| {
                step_in(&now, at, level, path, loops);
                let step = self.replace(cx, child, path, loops, copy);
                leave(&now, at, path, loops);
                step
            })?;
            chain.push(step)?;
        }
        Ok(chain.done())
    }

    /// Is it a read of the tensor at its full rank, with what guards it?
    fn is_read(&self, e: &Expr) -> bool {
        let bare = match &**e {
            Node::Guard(_, inner) => inner,
            _ => e,
        };
        read_of(bare, self.level, self.rank).is_some()
    }

    /// Which of the loops around are the dimensions; nothing where one is missing.
    fn own(&self, loops: &Loops) -> Option<Vec<usize>> {
        self.along.iter().map(|paths| loops.iter().position(|(path, ..)| paths.contains(path))).collect()
    }
}

/// The table of a read, along these of the loops around it.
fn table(read: &Expr, own: &[usize], loops: &Loops) -> Result<Expr, Misfit> {
    let whole = own.iter().rev().fold(read.clone(), |e, k| {
        let (_, level, label, n) = &loops[*k];
        let label = Label { kind: LoopKind::Serial, ..label.clone() };
        Arc::new(Node::Gen(label, n.clone(), subst::close(&e, *level)))
    });
    match loops.iter().find(|(_, level, ..)| mentions(&whole, *level)) {
        Some((_, _, label, _)) => Err(Misfit::Depends(label.clone())),
        None => Ok(whole),
    }
}

/// A child, opened, noted on the way to it.
fn enter<'c>(
    cx: &'c mut Cx<'_>,
    e: &Expr,
    at: Child,
    path: &mut Vec<Child>,
    loops: &mut Loops,
) -> Kernel<(Cx<'c>, Expr)> {
    step_in(e, at, cx.ctx.level(), path, loops);
    cx.enter(e, at)
}

fn step_in(e: &Expr, at: Child, level: u32, path: &mut Vec<Child>, loops: &mut Loops) {
    if let (Node::Gen(label, n, _) | Node::Sum(label, n, _), Child::Body) = (&**e, at) {
        loops.push((path.clone(), level, label.clone(), n.clone()));
    }
    path.push(at);
}

fn leave(e: &Expr, at: Child, path: &mut Vec<Child>, loops: &mut Loops) {
    path.pop();
    if let (Node::Gen(..) | Node::Sum(..), Child::Body) = (&**e, at) {
        loops.pop();
    }
}
