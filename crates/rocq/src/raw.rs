//! Substitution that simplifies nothing.
//!
//! The kernel's own rebuilds the index terms that it changes (`x + 0` becomes `x`). A lemma of Rocq
//! substitutes literally. So the export substitutes literally too, and proves apart that the kernel's simpler
//! term is equal.

use atl_kernel::{Expr, Iterate, Ix, Node, Pred, State, Var};
use std::sync::Arc;

/// What to put for a variable; the number is that of binders entered.
pub(crate) struct Map<'a> {
    pub(crate) index: &'a dyn Fn(Var, u32) -> Option<Ix>,
    pub(crate) tensor: &'a dyn Fn(Var, u32) -> Option<Expr>,
}

/// Only variables are read in index terms; an array that is none cannot be written there.
const NOWHERE: Var = Var::Bound(u32::MAX);

impl Map<'_> {
    pub(crate) fn ix(&self, ix: &Ix, depth: u32) -> Ix {
        match ix {
            Ix::Lit(_) => ix.clone(),
            Ix::Var(v) => (self.index)(*v, depth).unwrap_or_else(|| ix.clone()),
            Ix::Bin(op, ab) => Ix::Bin(*op, Arc::new((self.ix(&ab.0, depth), self.ix(&ab.1, depth)))),
            Ix::Read(v, at) => {
                let array = match (self.tensor)(*v, depth).as_deref() {
                    None => *v,
                    Some(Node::Var(w)) => *w,
                    Some(_) => NOWHERE,
                };
                Ix::Read(array, at.iter().map(|i| self.ix(i, depth)).collect())
            }
        }
    }

    pub(crate) fn pred(&self, p: &Pred, depth: u32) -> Pred {
        let both = |pq: &(Pred, Pred)| Arc::new((self.pred(&pq.0, depth), self.pred(&pq.1, depth)));
        match p {
            Pred::True | Pred::False => p.clone(),
            Pred::Cmp(c, a, b) => Pred::Cmp(*c, self.ix(a, depth), self.ix(b, depth)),
            Pred::Not(q) => Pred::Not(Arc::new(self.pred(q, depth))),
            Pred::And(pq) => Pred::And(both(pq)),
            Pred::Or(pq) => Pred::Or(both(pq)),
        }
    }

    pub(crate) fn expr(&self, e: &Expr, depth: u32) -> Expr {
        let sub = |e: &Expr| self.expr(e, depth);
        let under = |e: &Expr| self.expr(e, depth + 1);
        let ix = |i: &Ix| self.ix(i, depth);
        Arc::new(match &**e {
            Node::Lit(..) => return e.clone(),
            Node::Var(v) => return (self.tensor)(*v, depth).unwrap_or_else(|| e.clone()),
            Node::Index(elem, i) => Node::Index(*elem, ix(i)),
            Node::Gen(l, n, body) => Node::Gen(l.clone(), ix(n), under(body)),
            Node::Sum(l, n, body) => Node::Sum(l.clone(), ix(n), under(body)),
            Node::Guard(p, body) => Node::Guard(self.pred(p, depth), sub(body)),
            Node::Select(p, a, b) => Node::Select(self.pred(p, depth), sub(a), sub(b)),
            Node::Let(l, bound, body) => Node::Let(l.clone(), sub(bound), under(body)),
            Node::Iterate(it) => {
                let below = |e: &Expr, binders: u32| self.expr(e, depth + binders);
                let count = it.states.len() as u32;
                let state = |(k, s): (u32, &State)| State {
                    label: s.label.clone(),
                    init: sub(&s.init),
                    step: below(&s.step, count + k + 1),
                };
                let states = (0..).zip(&it.states).map(state).collect();
                let (label, extent, body) = (it.label.clone(), ix(&it.extent), below(&it.body, count));
                Node::Iterate(Arc::new(Iterate { label, extent, states, body }))
            }
            Node::Get(a, i) => Node::Get(sub(a), ix(i)),
            Node::Prim(f, args) => Node::Prim(*f, args.iter().map(sub).collect()),
            Node::View(algebra, a) => Node::View(*algebra, sub(a)),
            Node::Bundle(labels, parts) => Node::Bundle(labels.clone(), parts.iter().map(sub).collect()),
            Node::Op(def, ixs, args) => {
                Node::Op(def.clone(), ixs.iter().map(ix).collect(), args.iter().map(sub).collect())
            }
        })
    }
}

fn none<T>(_: Var, _: u32) -> Option<T> {
    None
}

/// The body of a binder, with the context's variable at `level` for its own.
pub(crate) fn open(body: &Expr, level: u32) -> Expr {
    let index = |v, depth| (v == Var::Bound(depth)).then(|| Ix::free(level));
    let tensor = |v, depth| (v == Var::Bound(depth)).then(|| Arc::new(Node::Var(Var::Free(level))) as Expr);
    Map { index: &index, tensor: &tensor }.expr(body, 0)
}

/// What is below this number of binders, with variables of the context from this level on for theirs.
pub(crate) fn open_all(body: &Expr, level: u32, binders: u32) -> Expr {
    let free = |v, depth| match v {
        Var::Bound(k) if (depth..depth + binders).contains(&k) => Some(level + binders - 1 - (k - depth)),
        _ => None,
    };
    let index = |v, depth| free(v, depth).map(Ix::free);
    let tensor = |v, depth| free(v, depth).map(|level| Arc::new(Node::Var(Var::Free(level))) as Expr);
    Map { index: &index, tensor: &tensor }.expr(body, 0)
}

/// The other way round.
pub(crate) fn close_all(e: &Expr, level: u32, binders: u32) -> Expr {
    let bound = |v, depth| match v {
        Var::Free(l) if (level..level + binders).contains(&l) => {
            Some(Var::Bound(depth + binders - 1 - (l - level)))
        }
        _ => None,
    };
    let index = |v, depth| bound(v, depth).map(Ix::Var);
    let tensor = |v, depth| bound(v, depth).map(|v| Arc::new(Node::Var(v)) as Expr);
    Map { index: &index, tensor: &tensor }.expr(e, 0)
}

/// A term with an index term for a variable of the context.
pub(crate) fn put_index(e: &Expr, level: u32, ix: &Ix) -> Expr {
    let index = |v, _| (v == Var::Free(level)).then(|| ix.clone());
    Map { index: &index, tensor: &none }.expr(e, 0)
}

/// The body of a loop, with an index term made of the number of binders entered, for its variable.
pub(crate) fn shift(body: &Expr, index: &dyn Fn(u32) -> Ix) -> Expr {
    let index = |v, depth| (v == Var::Bound(depth)).then(|| index(depth));
    Map { index: &index, tensor: &none }.expr(body, 0)
}

/// The body of a loop at an index.
pub(crate) fn at(body: &Expr, k: &Ix) -> Expr {
    shift(body, &|_| k.clone())
}

/// A predicate below a loop at an index.
pub(crate) fn pred_at(p: &Pred, k: &Ix) -> Pred {
    let index = |v, depth| (v == Var::Bound(depth)).then(|| k.clone());
    Map { index: &index, tensor: &none }.pred(p, 0)
}

/// The body of a `let` with this tensor.
pub(crate) fn put(body: &Expr, e: &Expr) -> Expr {
    let tensor = |v, depth| (v == Var::Bound(depth)).then(|| e.clone());
    Map { index: &none, tensor: &tensor }.expr(body, 0)
}

/// The body of two nested loops with their variables exchanged.
pub(crate) fn exchange(body: &Expr) -> Expr {
    let index = |v, depth| match v {
        Var::Bound(k) if k == depth => Some(Ix::Var(Var::Bound(depth + 1))),
        Var::Bound(k) if k == depth + 1 => Some(Ix::Var(Var::Bound(depth))),
        _ => None,
    };
    Map { index: &index, tensor: &none }.expr(body, 0)
}

/// A definition's body with terms for its parameters, by level.
pub(crate) fn unfold(body: &Expr, indices: &[(u32, Ix)], tensors: &[(u32, Expr)]) -> Expr {
    let index = |v, _| indices.iter().find(|(l, _)| v == Var::Free(*l)).map(|(_, ix)| ix.clone());
    let tensor = |v, _| tensors.iter().find(|(l, _)| v == Var::Free(*l)).map(|(_, e)| e.clone());
    Map { index: &index, tensor: &tensor }.expr(body, 0)
}

/// The index term as the kernel would build it.
pub(crate) fn simplified(ix: &Ix) -> Ix {
    match ix {
        Ix::Bin(op, ab) => Ix::bin(*op, simplified(&ab.0), simplified(&ab.1)),
        Ix::Read(v, at) => Ix::Read(*v, at.iter().map(simplified).collect()),
        Ix::Lit(_) | Ix::Var(_) => ix.clone(),
    }
}

/// `a op b`, as it is.
pub(crate) fn bin(op: atl_kernel::IxOp, a: Ix, b: Ix) -> Ix {
    Ix::Bin(op, Arc::new((a, b)))
}

/// `p && q`, as it is.
pub(crate) fn and(p: Pred, q: Pred) -> Pred {
    Pred::And(Arc::new((p, q)))
}

/// `0 <= i && i < n`, as it is.
pub(crate) fn in_range(i: &Ix, n: &Ix) -> Pred {
    and(Pred::le(Ix::ZERO, i.clone()), Pred::lt(i.clone(), n.clone()))
}

/// `!p`, as it is.
pub(crate) fn not(p: &Pred) -> Pred {
    Pred::Not(Arc::new(p.clone()))
}

/// `p` and `q` have one truth value, with nothing absorbed.
pub(crate) fn iff(p: &Pred, q: &Pred) -> Pred {
    Pred::Or(Arc::new((and(p.clone(), q.clone()), and(not(p), not(q)))))
}

/// Does the term speak of the tensor variable at this level?
pub(crate) fn mentions(e: &Expr, level: u32) -> bool {
    let found = std::cell::Cell::new(false);
    let tensor = |v, _| {
        found.set(found.get() || v == Var::Free(level));
        None
    };
    Map { index: &none, tensor: &tensor }.expr(e, 0);
    found.get()
}
