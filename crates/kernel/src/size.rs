//! How large a term may be. The kernel's functions recurse over terms, so each term is measured before it is worked on.
//!
//! Terms share their parts, and most functions visit a shared part once for each use; so what counts is
//! the number of nodes of the term written out as a tree. Measuring stops at the limit, so it ends soon.

use crate::ix::{Ix, Pred};
use crate::memo::Memo;
use crate::term::{Expr, Node, State};

thread_local! {
    /// The nodes of what stands below a `let`, and how deep they nest.
    static SIZES: Memo<(usize, usize)> = Memo::default();
}

/// Terms, and records of inferences, nest at most this deep.
pub const MAX_DEPTH: usize = 1 << 12;
/// A term, or a record of inferences, has at most so many nodes, written out as a tree.
pub const MAX_NODES: usize = 1 << 20;
/// Bytes of a stack on which every function of the kernel returns, also without optimisation.
pub const STACK: usize = 128 << 20;

/// What may still be visited.
pub(crate) struct Room {
    nodes: usize,
    depth: usize,
    /// The least depth that was left.
    deepest: usize,
}

impl Room {
    /// Does a part fit that is one level further in?
    pub(crate) fn inside(&mut self, visit: impl FnOnce(&mut Room) -> bool) -> bool {
        if self.nodes == 0 || self.depth == 0 {
            return false;
        }
        self.nodes -= 1;
        self.depth -= 1;
        self.deepest = self.deepest.min(self.depth);
        let fits = visit(self);
        self.depth += 1;
        fits
    }

    fn expr(&mut self, e: &Expr) -> bool {
        self.inside(|room| match &**e {
            Node::Var(_) | Node::Lit(..) => true,
            Node::Index(_, i) => room.ix(i),
            Node::Gen(_, i, e) | Node::Sum(_, i, e) | Node::Get(e, i) => room.ix(i) && room.expr(e),
            Node::Guard(p, e) => room.pred(p) && room.expr(e),
            Node::Select(p, a, b) => room.pred(p) && room.expr(a) && room.expr(b),
            Node::Let(_, x, e) => room.expr(x) && room.below_let(e),
            Node::Iterate(it) => {
                let state = |s: &State, room: &mut Room| room.expr(&s.init) && room.expr(&s.step);
                // Rules make nested `let`s of the states, the new ones below the old.
                it.states.len() <= MAX_DEPTH / 4
                    && room.ix(&it.extent)
                    && it.states.iter().all(|s| state(s, room))
                    && room.expr(&it.body)
            }
            Node::View(_, e) => room.expr(e),
            Node::Prim(_, es) | Node::Bundle(_, es) => es.iter().all(|e| room.expr(e)),
            Node::Op(def, is, es) => {
                room.expr(&def.body) && is.iter().all(|i| room.ix(i)) && es.iter().all(|e| room.expr(e))
            }
        })
    }

    /// A chain of `let`s is as long as a program, and most of it is met again.
    fn below_let(&mut self, e: &Expr) -> bool {
        if let Some((nodes, depth)) = SIZES.try_with(|sizes| sizes.get(e)).ok().flatten() {
            let fits = nodes <= self.nodes && depth <= self.depth;
            self.nodes = self.nodes.saturating_sub(nodes);
            self.deepest = self.deepest.min(self.depth.saturating_sub(depth));
            return fits;
        }
        let (nodes, deepest) = (self.nodes, std::mem::replace(&mut self.deepest, self.depth));
        let fits = self.expr(e);
        if fits {
            let _ = SIZES.try_with(|sizes| sizes.insert(e, (nodes - self.nodes, self.depth - self.deepest)));
        }
        self.deepest = self.deepest.min(deepest);
        fits
    }

    fn ix(&mut self, ix: &Ix) -> bool {
        self.inside(|room| match ix {
            Ix::Lit(_) | Ix::Var(_) => true,
            Ix::Bin(_, ab) => room.ix(&ab.0) && room.ix(&ab.1),
            Ix::Read(_, at) => at.iter().all(|i| room.ix(i)),
        })
    }

    fn pred(&mut self, p: &Pred) -> bool {
        self.inside(|room| match p {
            Pred::True | Pred::False => true,
            Pred::Cmp(_, a, b) => room.ix(a) && room.ix(b),
            Pred::Not(q) => room.pred(q),
            Pred::And(ab) | Pred::Or(ab) => room.pred(&ab.0) && room.pred(&ab.1),
        })
    }
}

pub(crate) fn room() -> Room {
    Room { nodes: MAX_NODES, depth: MAX_DEPTH, deepest: MAX_DEPTH }
}

/// Is the term small enough to be worked on? The bodies of operators that it uses count.
pub(crate) fn expr_fits(e: &Expr) -> bool {
    room().expr(e)
}

/// Is the index term small enough?
pub(crate) fn ix_fits(ix: &Ix) -> bool {
    room().ix(ix)
}

/// Is the predicate small enough?
pub(crate) fn pred_fits(p: &Pred) -> bool {
    room().pred(p)
}
