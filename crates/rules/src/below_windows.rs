//! Equations of terms below windows that move: proved one window at a time, with none of them inlined.
//!
//! ```text
//! let x = gen k < w { e(y + 1, k) }; f(x)  =  let x = gen k < w { e(y, k) }; g(x)
//! ```
//! If `e(y + 1, k) = e(y, k + s)`, both sides read the rows of one window, `let x = gen k < w + s { e(y, k) }`: the left one
//! reads `x[k + s]` where it read `x[k]`. So the windows are the same, and the rest is compared, below the next `let`. A chain of
//! windows, each of which reads the one before several times, takes an effort in proportion to its length; what its last
//! element is in terms of the first one would be exponential.

use crate::cx::{Cx, Step};
use crate::gather::access;
use crate::lets::let_of;
use crate::occurrences::{index_with, variable};
use atl_kernel::{Child, Error, Expr, Ix, Label, Node, Pred, Result, Rule, Thm, subst};
use std::sync::Arc;

/// Proves that what is left of two terms is equal, where their windows are the same.
type Rest<'r> = &'r mut dyn FnMut(&mut Cx<'_>, &Expr, &Expr) -> Result<Thm>;

/// `next = now`, for terms below `let`s that bind windows of two iterations.
pub(crate) fn below_windows(cx: &mut Cx<'_>, next: &Expr, now: &Expr, rest: Rest<'_>) -> Result<Thm> {
    let (Node::Let(label, new, _), Node::Let(_, old, inside)) = (&**next, &**now) else {
        return rest(cx, next, now);
    };
    if new == old {
        let now = subst::open(inside, cx.ctx.level());
        return cx.inside(next, Child::Body, |cx, next| below_windows(cx, next, &now, rest));
    }
    match Wider::of(cx, label, new, old) {
        Some(wider) => {
            let (left, right) = (wider.beside(cx, next, wider.by)?, wider.beside(cx, now, 0)?);
            let same = below_windows(cx, &left.rhs().clone(), &right.rhs().clone(), rest)?;
            left.trans(same)?.trans(right.sym())
        }
        None => {
            let (left, right) = (cx.rule(Rule::LetInline, next)?, cx.rule(Rule::LetInline, now)?);
            let same = below_windows(cx, &left.rhs().clone(), &right.rhs().clone(), rest)?;
            left.trans(same)?.trans(right.sym())
        }
    }
}

/// By how many rows one has moved in the other: the least number with which the first index term that differs, and
/// mentions the row `k`, is the same again.
pub(crate) fn moved_by(cx: &mut Cx<'_>, next: &Expr, now: &Expr, k: u32, rows: i64) -> Option<i64> {
    let pairs = indices(next).into_iter().zip(indices(now));
    for (new, old) in pairs.filter(|(new, old)| old.mentions(k) && new != old) {
        let by =
            (1..rows).find(|by| cx.equal(new, &index_with(old, &Ix::free(k), &(Ix::free(k) + Ix::Lit(*by)))));
        if by.is_some() {
            return by;
        }
    }
    now.children().find_map(|at| {
        let (_, old) = cx.enter(now, at).ok()?;
        let (mut inside, new) = cx.enter(next, at).ok()?;
        moved_by(&mut inside, &new, &old, k, rows)
    })
}

/// The index terms of a node.
pub(crate) fn indices(e: &Expr) -> Vec<&Ix> {
    match &**e {
        Node::Get(_, ix) | Node::Index(_, ix) => vec![ix],
        Node::Op(_, ixs, _) => ixs.iter().collect(),
        Node::Guard(p, _) | Node::Select(p, ..) => sides(p),
        _ => Vec::new(),
    }
}

/// The index terms that a predicate compares.
fn sides(p: &Pred) -> Vec<&Ix> {
    match p {
        Pred::True | Pred::False => Vec::new(),
        Pred::Cmp(_, a, b) => vec![a, b],
        Pred::Not(p) => sides(p),
        Pred::And(ab) | Pred::Or(ab) => [sides(&ab.0), sides(&ab.1)].concat(),
    }
}

/// A window with the rows of two iterations.
struct Wider {
    label: Label,
    /// The loops of the window of one iteration, outermost first; the last one is over its rows.
    loops: Vec<(Label, Ix)>,
    /// By how many rows it moves.
    by: i64,
    whole: Expr,
}

impl Wider {
    /// The window with the rows of both, if one has moved in the other.
    fn of(cx: &mut Cx<'_>, label: &Label, new: &Expr, old: &Expr) -> Option<Wider> {
        (0..).map_while(|depth| Wider::along(cx, label, (new, old), depth)).flatten().next()
    }

    /// The same along the dimension at this depth, if there is one.
    fn along(
        cx: &mut Cx<'_>,
        label: &Label,
        (new, old): (&Expr, &Expr),
        depth: usize,
    ) -> Option<Option<Wider>> {
        let mut ctx = (*cx.ctx).clone();
        let (mut new, mut old) = (new.clone(), old.clone());
        let mut loops: Vec<(Label, Ix, u32)> = Vec::new();
        while loops.len() <= depth {
            let (Node::Gen(index, n, below), Node::Gen(_, m, other)) = (&*old, &*new) else { return None };
            if n != m {
                return None;
            }
            let level = ctx.push_loop(index.clone(), n);
            loops.push((index.clone(), n.clone(), level));
            (new, old) = (subst::open(other, level), subst::open(below, level));
        }
        let (_, Ix::Lit(rows), k) = loops[depth] else { return Some(None) };
        let Some(by) = moved_by(&mut cx.within(Arc::new(ctx)), &new, &old, k, rows) else {
            return Some(None);
        };
        let whole = loops.iter().rev().fold(old, |e, (index, n, level)| {
            let n = if *level == k { Ix::Lit(rows + by) } else { n.clone() };
            Arc::new(Node::Gen(index.clone(), n, subst::close(&e, *level)))
        });
        let loops = loops.into_iter().map(|(index, n, _)| (index, n)).collect();
        Some(Some(Wider { label: label.clone(), loops, by, whole }))
    }

    /// Rows of what the variable at `level` has, from this one on.
    fn rows(&self, level: u32, from: i64) -> Expr {
        let indices: Vec<u32> = (level + 1..).take(self.loops.len()).collect();
        let last = self.loops.len() - 1;
        let entry = indices.iter().enumerate().fold(variable(level), |e, (at, index)| {
            let index = Ix::free(*index);
            Arc::new(Node::Get(e, if at == last && from != 0 { index + Ix::Lit(from) } else { index }))
        });
        indices.iter().zip(&self.loops).rev().fold(entry, |e, (index, (label, n))| {
            Arc::new(Node::Gen(label.clone(), n.clone(), subst::close(&e, *index)))
        })
    }

    /// `let x = e; f(x)  =  let x = wider; f(x[k + from])`, where `e` has the wider window's rows from this one on.
    fn beside(&self, cx: &mut Cx<'_>, term: &Expr, from: i64) -> Result<Thm> {
        let Node::Let(label, bound, body) = &**term else {
            return Err(Error::Mismatch("no `let`"));
        };
        let level = cx.ctx.level();
        let inner: Expr = Arc::new(Node::Let(label.clone(), self.rows(level, from), body.clone()));
        let beside = let_of(&self.label, self.whole.clone(), &inner, level);
        let inlined = cx.rule(Rule::LetInline, &beside)?;
        let entries = cx.then(inlined, |cx, e| {
            cx.child(e, Child::Bound, |cx, e| {
                let path = vec![Child::Body; self.loops.len()];
                let read = cx.at(e, &path, &mut |cx, e| reads(cx, e))?;
                let read = cx.total(e, read)?;
                cx.then(read, |cx, e| cx.rule(Rule::ArithEq(bound.clone()), e))
            })
        })?;
        cx.then(entries.sym(), |cx, e| {
            cx.child(e, Child::Body, |cx, e| {
                let inlined = cx.rule(Rule::LetInline, e)?;
                cx.then(inlined, |cx, e| cx.once(e, &mut |cx, e| read(cx, e)))
            })
        })
    }
}

/// All accesses at the head of a term, carried out.
fn reads(cx: &mut Cx<'_>, e: &Expr) -> Step {
    cx.once(e, &mut |cx, e| read(cx, e))
}

/// An access to a tensor that is spelt out, carried out.
fn read(cx: &mut Cx<'_>, e: &Expr) -> Step {
    match &**e {
        Node::Get(array, _) if matches!(**array, Node::Gen(..)) => access(cx, e),
        _ => Ok(None),
    }
}
