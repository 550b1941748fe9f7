//! Opening and closing of binders, and substitution for context variables.
//!
//! Terms at the kernel's interface are locally closed: no bound variable points outside. So what is put
//! in place of a variable needs no shifting, and cannot capture. Every function keeps the sharing of
//! parts that do not change.

use crate::ix::{Ix, Pred, Var};
use crate::memo::Memo;
use crate::term::{Expr, Iterate, Node, State};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// The [`reach`] of what stands below a `let`.
    static REACHES: Memo<(u64, u64)> = Memo::default();
}

/// What to put in place of variables. `depth` is the number of binders entered.
pub trait VarMap {
    /// Instead of an index variable; `None` leaves it.
    fn index(&self, v: Var, depth: u32) -> Option<Ix>;
    /// Instead of a tensor variable; `None` leaves it.
    fn tensor(&self, v: Var, depth: u32) -> Option<Expr>;
    /// Is it known to leave a term alone whose bound variables count at most the first number of binders
    /// around it, and whose free ones have levels below the second?
    fn leaves(&self, _bound: u64, _free: u64, _depth: u32) -> bool {
        false
    }
}

/// How many binders around a term its bound variables may count, and the first level above its free ones.
pub(crate) fn reach(e: &Expr) -> (u64, u64) {
    REACHES.try_with(|known| known.get(e)).ok().flatten().unwrap_or_else(|| {
        let seen = Seen(Cell::new((0, 0)));
        map_expr(e, 0, &seen);
        let _ = REACHES.try_with(|known| known.insert(e, seen.0.get()));
        seen.0.get()
    })
}

/// Leaves every variable, and keeps the reach of all.
struct Seen(Cell<(u64, u64)>);

impl Seen {
    fn see(&self, bound: u64, free: u64) {
        let (most, highest) = self.0.get();
        self.0.set((most.max(bound), highest.max(free)));
    }

    fn variable(&self, v: Var, depth: u32) {
        match v {
            Var::Bound(k) => self.see((u64::from(k) + 1).saturating_sub(u64::from(depth)), 0),
            Var::Free(level) => self.see(0, u64::from(level) + 1),
        }
    }
}

impl VarMap for Seen {
    fn index(&self, v: Var, depth: u32) -> Option<Ix> {
        self.variable(v, depth);
        None
    }
    fn tensor(&self, v: Var, depth: u32) -> Option<Expr> {
        self.variable(v, depth);
        None
    }
    fn leaves(&self, bound: u64, free: u64, depth: u32) -> bool {
        self.see(bound.saturating_sub(u64::from(depth)), free);
        true
    }
}

/// Replace variables in an index term; `None` when nothing changed.
pub(crate) fn map_ix(ix: &Ix, depth: u32, m: &(impl VarMap + ?Sized)) -> Option<Ix> {
    match ix {
        Ix::Lit(_) => None,
        Ix::Var(v) => m.index(*v, depth),
        Ix::Bin(op, ab) => match (map_ix(&ab.0, depth, m), map_ix(&ab.1, depth, m)) {
            (None, None) => None,
            (a, b) => {
                Some(Ix::bin(*op, a.unwrap_or_else(|| ab.0.clone()), b.unwrap_or_else(|| ab.1.clone())))
            }
        },
        Ix::Read(v, at) => {
            let array = m.tensor(*v, depth);
            let new: Vec<_> = at.iter().map(|i| map_ix(i, depth, m)).collect();
            if array.is_none() && new.iter().all(Option::is_none) {
                return None;
            }
            let array = array.map_or(*v, |e| if let Node::Var(w) = *e { w } else { INVALID });
            Some(Ix::Read(
                array,
                new.into_iter().zip(&**at).map(|(n, o)| n.unwrap_or_else(|| o.clone())).collect(),
            ))
        }
    }
}

/// Only variables can be read in an index. A read of any other tensor has this for its array, and no type.
const INVALID: Var = Var::Bound(u32::MAX);

pub(crate) fn map_pred(p: &Pred, depth: u32, m: &(impl VarMap + ?Sized)) -> Option<Pred> {
    let both = |ab: &(Pred, Pred)| match (map_pred(&ab.0, depth, m), map_pred(&ab.1, depth, m)) {
        (None, None) => None,
        (a, b) => Some(Arc::new((a.unwrap_or_else(|| ab.0.clone()), b.unwrap_or_else(|| ab.1.clone())))),
    };
    match p {
        Pred::True | Pred::False => None,
        Pred::Cmp(c, a, b) => match (map_ix(a, depth, m), map_ix(b, depth, m)) {
            (None, None) => None,
            (x, y) => Some(Pred::Cmp(*c, x.unwrap_or_else(|| a.clone()), y.unwrap_or_else(|| b.clone()))),
        },
        Pred::Not(q) => map_pred(q, depth, m).map(|q| Pred::Not(Arc::new(q))),
        Pred::And(ab) => both(ab).map(Pred::And),
        Pred::Or(ab) => both(ab).map(Pred::Or),
    }
}

pub(crate) fn map_expr(e: &Expr, depth: u32, m: &impl VarMap) -> Option<Expr> {
    let ix = |i: &Ix| map_ix(i, depth, m);
    let sub = |e: &Expr| map_expr(e, depth, m);
    let under = |e: &Expr| map_expr(e, depth + 1, m);
    /// The changed value, or a copy of the old one.
    fn or<T: Clone>(new: Option<T>, old: &T) -> T {
        new.unwrap_or_else(|| old.clone())
    }
    let many = |es: &[Expr]| {
        let new: Vec<_> = es.iter().map(sub).collect();
        let changed = new.iter().any(Option::is_some);
        changed.then(|| new.into_iter().zip(es).map(|(n, o)| or(n, o)).collect::<Vec<_>>())
    };
    let node = match &**e {
        Node::Lit(..) => return None,
        Node::Var(v) => return m.tensor(*v, depth),
        Node::Index(elem, i) => Node::Index(*elem, ix(i)?),
        Node::Gen(l, n, body) | Node::Sum(l, n, body) => {
            let (n, body) = match (ix(n), under(body)) {
                (None, None) => return None,
                (n2, b2) => (or(n2, n), or(b2, body)),
            };
            let is_gen = matches!(**e, Node::Gen(..));
            if is_gen { Node::Gen(l.clone(), n, body) } else { Node::Sum(l.clone(), n, body) }
        }
        Node::Guard(p, body) => match (map_pred(p, depth, m), sub(body)) {
            (None, None) => return None,
            (p2, b2) => Node::Guard(or(p2, p), or(b2, body)),
        },
        Node::Select(p, a, b) => match (map_pred(p, depth, m), sub(a), sub(b)) {
            (None, None, None) => return None,
            (p2, a2, b2) => Node::Select(or(p2, p), or(a2, a), or(b2, b)),
        },
        Node::Let(l, bound, body) => {
            let (most, highest) = reach(body);
            let new = if m.leaves(most, highest, depth + 1) { None } else { under(body) };
            match (sub(bound), new) {
                (None, None) => return None,
                (x, b2) => Node::Let(l.clone(), or(x, bound), or(b2, body)),
            }
        }
        Node::Iterate(it) => {
            let (states, mut changed) = (it.states.len() as u32, false);
            let mut part = |e: &Expr, more: u32| {
                let new = map_expr(e, depth + more, m);
                changed |= new.is_some();
                or(new, e)
            };
            let state = |(k, s): (u32, &State)| State {
                label: s.label.clone(),
                init: part(&s.init, 0),
                step: part(&s.step, 1 + states + k),
            };
            let new_states = (0..).zip(&it.states).map(state).collect();
            let (extent, body) = (ix(&it.extent), part(&it.body, states));
            if !changed && extent.is_none() {
                return None;
            }
            let (label, extent) = (it.label.clone(), or(extent, &it.extent));
            Node::Iterate(Arc::new(Iterate { label, extent, states: new_states, body }))
        }
        Node::Get(a, i) => match (sub(a), ix(i)) {
            (None, None) => return None,
            (a2, i2) => Node::Get(or(a2, a), or(i2, i)),
        },
        Node::Prim(p, es) => Node::Prim(*p, many(es)?),
        Node::Bundle(labels, es) => Node::Bundle(labels.clone(), many(es)?),
        Node::View(alg, a) => Node::View(*alg, sub(a)?),
        Node::Op(def, ixs, es) => {
            let new: Vec<_> = ixs.iter().map(ix).collect();
            match (new.iter().any(Option::is_some), many(es)) {
                (false, None) => return None,
                (_, es2) => {
                    let ixs = new.into_iter().zip(ixs).map(|(n, o)| or(n, o)).collect();
                    Node::Op(def.clone(), ixs, es2.unwrap_or_else(|| es.clone()))
                }
            }
        }
    };
    Some(Arc::new(node))
}

/// Bound variables of a predicate become these index terms, the first for `Bound(0)`.
impl VarMap for [Ix] {
    fn index(&self, v: Var, _: u32) -> Option<Ix> {
        if let Var::Bound(k) = v { self.get(k as usize).cloned() } else { None }
    }
    fn tensor(&self, _: Var, _: u32) -> Option<Expr> {
        None
    }
}

/// Bound variable 0 becomes an index term or a tensor; neither has bound variables itself.
struct Fill<'a> {
    ix: Option<&'a Ix>,
    expr: Option<&'a Expr>,
}

impl VarMap for Fill<'_> {
    fn index(&self, v: Var, depth: u32) -> Option<Ix> {
        if v == Var::Bound(depth) { self.ix.cloned() } else { None }
    }
    fn tensor(&self, v: Var, depth: u32) -> Option<Expr> {
        if v == Var::Bound(depth) { self.expr.cloned() } else { None }
    }
    fn leaves(&self, bound: u64, _: u64, depth: u32) -> bool {
        bound <= u64::from(depth)
    }
}

/// Context variables from a level on become bound variables, the last one 0.
struct Close(u32, u32);

impl Close {
    fn bound(&self, v: Var, depth: u32) -> Option<Var> {
        let Var::Free(level) = v else { return None };
        let at = level.checked_sub(self.0).filter(|at| *at < self.1)?;
        depth.checked_add(self.1 - 1 - at).map(Var::Bound)
    }
}

impl VarMap for Close {
    fn index(&self, v: Var, depth: u32) -> Option<Ix> {
        self.bound(v, depth).map(Ix::Var)
    }
    fn tensor(&self, v: Var, depth: u32) -> Option<Expr> {
        self.bound(v, depth).map(|v| Arc::new(Node::Var(v)))
    }
    fn leaves(&self, _: u64, free: u64, _: u32) -> bool {
        free <= u64::from(self.0)
    }
}

/// Bound variables become context variables from a level on, 0 the last one.
struct Open(u32, u32);

impl Open {
    fn free(&self, v: Var, depth: u32) -> Option<Var> {
        let Var::Bound(k) = v else { return None };
        let at = k.checked_sub(depth).filter(|at| *at < self.1)?;
        self.0.checked_add(self.1 - 1 - at).map(Var::Free)
    }
}

impl VarMap for Open {
    fn index(&self, v: Var, depth: u32) -> Option<Ix> {
        self.free(v, depth).map(Ix::Var)
    }
    fn tensor(&self, v: Var, depth: u32) -> Option<Expr> {
        self.free(v, depth).map(|v| Arc::new(Node::Var(v)))
    }
    fn leaves(&self, bound: u64, _: u64, depth: u32) -> bool {
        bound <= u64::from(depth)
    }
}

/// Context variables become terms; those not listed stay.
#[derive(Default)]
pub struct Subst {
    /// Index terms, by level.
    pub index: Vec<(u32, Ix)>,
    /// Tensors, by level.
    pub tensor: Vec<(u32, Expr)>,
}

impl VarMap for Subst {
    fn index(&self, v: Var, _: u32) -> Option<Ix> {
        self.index.iter().find(|(l, _)| v == Var::Free(*l)).map(|(_, ix)| ix.clone())
    }
    fn tensor(&self, v: Var, _: u32) -> Option<Expr> {
        self.tensor.iter().find(|(l, _)| v == Var::Free(*l)).map(|(_, e)| e.clone())
    }
}

/// A substitution in a term, and the least level that it replaces.
struct Within<'s>(&'s Subst, u64);

impl VarMap for Within<'_> {
    fn index(&self, v: Var, depth: u32) -> Option<Ix> {
        self.0.index(v, depth)
    }
    fn tensor(&self, v: Var, depth: u32) -> Option<Expr> {
        self.0.tensor(v, depth)
    }
    fn leaves(&self, _: u64, free: u64, _: u32) -> bool {
        free <= self.1
    }
}

impl Subst {
    /// Apply to an index term.
    pub fn ix(&self, ix: &Ix) -> Ix {
        map_ix(ix, 0, self).unwrap_or_else(|| ix.clone())
    }

    /// Apply to a predicate.
    pub fn pred(&self, p: &Pred) -> Pred {
        map_pred(p, 0, self).unwrap_or_else(|| p.clone())
    }

    /// Apply to an expression.
    pub fn expr(&self, e: &Expr) -> Expr {
        let levels = self.index.iter().map(|(l, _)| *l).chain(self.tensor.iter().map(|(l, _)| *l));
        let least = levels.min().map_or(u64::MAX, u64::from);
        map_expr(e, 0, &Within(self, least)).unwrap_or_else(|| e.clone())
    }
}

/// The body of a `gen` or `sum` at this index.
pub fn instantiate(body: &Expr, ix: &Ix) -> Expr {
    map_expr(body, 0, &Fill { ix: Some(ix), expr: None }).unwrap_or_else(|| body.clone())
}

/// The body of a `let` with this tensor.
pub fn instantiate_tensor(body: &Expr, e: &Expr) -> Expr {
    map_expr(body, 0, &Fill { ix: None, expr: Some(e) }).unwrap_or_else(|| body.clone())
}

/// The body of any binder, with the context variable at `level` for its own.
pub fn open(body: &Expr, level: u32) -> Expr {
    open_all(body, level, 1)
}

/// The body of several binders, with the context variables from `level` on for their own, outermost first.
pub fn open_all(body: &Expr, level: u32, binders: u32) -> Expr {
    if binders == 0 {
        return body.clone();
    }
    map_expr(body, 0, &Open(level, binders)).unwrap_or_else(|| body.clone())
}

/// A binder's body from an expression that has the context variable at `level` for its own; the same, if it has not.
pub fn close(e: &Expr, level: u32) -> Expr {
    close_all(e, level, 1)
}

/// [`close`] for several binders, the outermost first.
pub fn close_all(e: &Expr, level: u32, binders: u32) -> Expr {
    if binders == 0 {
        return e.clone();
    }
    map_expr(e, 0, &Close(level, binders)).unwrap_or_else(|| e.clone())
}

/// [`instantiate`] for an index term below a binder.
pub fn instantiate_ix(ix: &Ix, with: &Ix) -> Ix {
    map_ix(ix, 0, &Fill { ix: Some(with), expr: None }).unwrap_or_else(|| ix.clone())
}

/// [`instantiate`] for a predicate below a binder.
pub fn instantiate_pred(p: &Pred, with: &Ix) -> Pred {
    map_pred(p, 0, &Fill { ix: Some(with), expr: None }).unwrap_or_else(|| p.clone())
}

/// A predicate for all integers at these, the first for `Bound(0)`.
pub fn instantiate_all(p: &Pred, at: &[Ix]) -> Pred {
    map_pred(p, 0, at).unwrap_or_else(|| p.clone())
}
