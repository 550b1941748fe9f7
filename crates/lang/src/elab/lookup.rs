//! Elements that a function computes and reads in indices, `lut[q[i]]`: each by a name of its own.
//!
//! **The one idea.** In an index a variable is read, and no term can stand for it there: a `let` that is read so could be neither
//! inlined nor computed elsewhere. So `lut[q[i]]` means `let q_at = q[i]; lut[q_at]`, where only the scalar is read in an index, and `q`
//! like any tensor. The scalar is bound where all terms that read this element are, so that what a guard says of it holds of it
//! in an access, too; and not within an operation, for nothing could move it out. Outside of the tensor it is zero, as an element
//! read in an index is.
//!
//! Parameters are read as they are: nothing moves them. So are operands in formats, and what is written as they are, sums of entries at their
//! coordinates: `sparsify` takes the entries where they are read.

use super::access::in_range;
use super::{Elab, Val};
use atl_kernel::{Child, Cmp, Entry, Expr, Ix, Label, Node, Pred, Var, subst};
use std::sync::Arc;

impl Elab<'_> {
    /// The value with a name for each element that is read in its indices, as soon as the binder at this level is there.
    pub(super) fn named_reads(&mut self, level: u32, mut val: Val) -> Option<Val> {
        while let Some(read) = self.unnamed(level, &val) {
            let Ix::Read(Var::Free(array), at) = &read else { return Some(val) };
            let Some(Entry::Tensor(label, ty)) = self.ctx.entry(*array).cloned() else { return Some(val) };
            let tensor: Expr = Arc::new(Node::Var(Var::Free(*array)));
            let element = at.iter().fold(tensor, |e, i| Arc::new(Node::Get(e, i.clone())));
            let inside = in_range(at, &ty.shape);
            let bound = if self.proves(&inside) { element } else { Arc::new(Node::Guard(inside, element)) };
            let (name, nodes) = (Label::new(&format!("{}_at", label.name)), 3 + at.len() as u64);
            let (expr, path) = Lookup { read, name, bound }.within(&val.expr, self.ctx.level());
            let mut extent = val.extent;
            extent.nodes = extent.nodes.saturating_add(nodes);
            extent.depth = extent.depth.saturating_add(1);
            val = self.sized(Val { expr, spans: Arc::new(val.spans.below_let(&path)), extent, ..val })?;
        }
        Some(val)
    }

    /// An element of a tensor of the function's own that the value reads in an index, and that is known as soon as this binder is.
    fn unnamed(&self, level: u32, val: &Val) -> Option<Ix> {
        let is_read = |level: u32| match self.ctx.entry(level) {
            Some(Entry::Tensor(_, ty)) => ty.elem.scalar.is_index(),
            _ => false,
        };
        if !(self.own..=level).any(is_read) {
            return None;
        }
        let is_meant = |ix: &Ix| {
            let Ix::Read(Var::Free(array), at) = ix else { return false };
            let of_shape = val.ty.shape.iter().any(|n| has(n, &|part| part == ix));
            *array >= self.own
                && !self.scattered.contains(array)
                && !at.is_empty()
                && last_level(ix) == Some(level)
                && !of_shape
        };
        first_in(&val.expr, &is_meant)
    }
}

/// Is the tensor a sum of entries at coordinates that an array holds, `gen i < N { sum p < P { [i == crd[p]] * vals[p] } }`?
pub(super) fn is_scattered(e: &Expr) -> bool {
    fn compares_with_an_element(p: &Pred) -> bool {
        match p {
            Pred::Cmp(Cmp::Eq, a, b) => [a, b].into_iter().any(|ix| matches!(ix, Ix::Read(..))),
            Pred::And(ab) => compares_with_an_element(&ab.0) || compares_with_an_element(&ab.1),
            _ => false,
        }
    }
    match &**e {
        Node::Gen(_, _, body) => is_scattered(body),
        Node::Sum(_, _, body) => match &**body {
            Node::Guard(p, _) => compares_with_an_element(p),
            _ => is_scattered(body),
        },
        _ => false,
    }
}

/// Is the term an element of a tensor, where a condition holds?
fn is_element(e: &Expr) -> bool {
    match &**e {
        Node::Guard(_, e) => matches!(**e, Node::Get(..)) && is_element(e),
        Node::Get(array, _) => matches!(**array, Node::Var(_)) || is_element(array),
        _ => false,
    }
}

/// The last level that an index term mentions; none where it mentions what is bound inside the value.
fn last_level(ix: &Ix) -> Option<u32> {
    match ix {
        Ix::Lit(_) => Some(0),
        Ix::Var(Var::Free(level)) => Some(*level),
        Ix::Bin(_, ab) => Some(last_level(&ab.0)?.max(last_level(&ab.1)?)),
        Ix::Read(Var::Free(level), at) => {
            at.iter().try_fold(*level, |level, ix| Some(level.max(last_level(ix)?)))
        }
        Ix::Var(Var::Bound(_)) | Ix::Read(Var::Bound(_), _) => None,
    }
}

/// Does a part of the term satisfy this?
fn has(ix: &Ix, holds: &dyn Fn(&Ix) -> bool) -> bool {
    first(ix, holds).is_some()
}

/// The first part that satisfies this, a term before its parts.
fn first(ix: &Ix, holds: &dyn Fn(&Ix) -> bool) -> Option<Ix> {
    if holds(ix) {
        return Some(ix.clone());
    }
    match ix {
        Ix::Lit(_) | Ix::Var(_) => None,
        Ix::Bin(_, ab) => first(&ab.0, holds).or_else(|| first(&ab.1, holds)),
        Ix::Read(_, at) => at.iter().find_map(|i| first(i, holds)),
    }
}

/// The first index term in the term that satisfies this.
pub(super) fn first_in(e: &Expr, holds: &dyn Fn(&Ix) -> bool) -> Option<Ix> {
    let below = || e.children().find_map(|at| first_in(e.child(at)?, holds));
    own(e).into_iter().find_map(|ix| first(ix, holds)).or_else(below)
}

/// The index terms of the node itself.
pub(super) fn own(e: &Expr) -> Vec<&Ix> {
    let mut found = Vec::new();
    match &**e {
        Node::Index(_, i) | Node::Get(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) => found.push(i),
        Node::Op(_, ixs, _) => found.extend(ixs),
        Node::Guard(p, _) | Node::Select(p, ..) => sides(p, &mut found),
        Node::Iterate(it) => found.push(&it.extent),
        _ => {}
    }
    found
}

fn sides<'p>(p: &'p Pred, found: &mut Vec<&'p Ix>) {
    match p {
        Pred::True | Pred::False => {}
        Pred::Cmp(_, a, b) => found.extend([a, b]),
        Pred::Not(q) => sides(q, found),
        Pred::And(ab) | Pred::Or(ab) => {
            sides(&ab.0, found);
            sides(&ab.1, found);
        }
    }
}

/// An element that is to have a name.
struct Lookup {
    read: Ix,
    name: Label,
    bound: Expr,
}

impl Lookup {
    /// The term with the element bound around all that reads it, and where that is; `level` is the next one.
    fn within(&self, e: &Expr, level: u32) -> (Expr, Vec<Child>) {
        let reads = |ix: &Ix| *ix == self.read;
        let reads_inside = |at: &Child| e.child(*at).is_some_and(|child| first_in(child, &reads).is_some());
        let inside: Vec<Child> = e.children().filter(reads_inside).collect();
        let is_here = own(e).into_iter().any(|ix| has(ix, &reads));
        let is_operation = matches!(**e, Node::Prim(..) | Node::View(..) | Node::Get(..));
        // What is read to find an element that has a name has its own before it.
        let is_place =
            matches!(&**e, Node::Let(_, bound, _) if is_element(bound)) && inside == [Child::Bound];
        if let ([at], false) = (inside.as_slice(), is_here || is_operation || is_place)
            && let Some(child) = e.child(*at)
        {
            let binders = e.binds(*at);
            let opened = subst::open_all(child, level, binders);
            let (child, mut path) = self.within(&opened, level + binders);
            let child = subst::close_all(&child, level, binders);
            path.insert(0, *at);
            return (Arc::new(e.with_child(*at, child)), path);
        }
        let body = subst::close(&self.named(e, &Ix::Read(Var::Free(level), Arc::new([]))), level);
        (Arc::new(Node::Let(self.name.clone(), self.bound.clone(), body)), Vec::new())
    }

    /// The term with the name wherever the element is read in an index.
    fn named(&self, e: &Expr, name: &Ix) -> Expr {
        let mut node = (**e).clone();
        match &mut node {
            Node::Index(_, i) | Node::Get(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) => {
                *i = self.index(i, name);
            }
            Node::Op(_, ixs, _) => ixs.iter_mut().for_each(|i| *i = self.index(i, name)),
            Node::Guard(p, _) | Node::Select(p, ..) => *p = self.pred(p, name),
            Node::Iterate(it) => {
                let it = Arc::make_mut(it);
                it.extent = self.index(&it.extent, name);
            }
            _ => {}
        }
        for at in e.children() {
            if let Some(child) = e.child(at) {
                node = node.with_child(at, self.named(child, name));
            }
        }
        Arc::new(node)
    }

    fn index(&self, ix: &Ix, name: &Ix) -> Ix {
        if *ix == self.read {
            return name.clone();
        }
        match ix {
            Ix::Lit(_) | Ix::Var(_) => ix.clone(),
            Ix::Bin(op, ab) => Ix::bin(*op, self.index(&ab.0, name), self.index(&ab.1, name)),
            Ix::Read(array, at) => Ix::Read(*array, at.iter().map(|i| self.index(i, name)).collect()),
        }
    }

    fn pred(&self, p: &Pred, name: &Ix) -> Pred {
        let both = |ab: &(Pred, Pred)| Arc::new((self.pred(&ab.0, name), self.pred(&ab.1, name)));
        match p {
            Pred::True | Pred::False => p.clone(),
            Pred::Cmp(cmp, a, b) => Pred::Cmp(*cmp, self.index(a, name), self.index(b, name)),
            Pred::Not(q) => Pred::Not(Arc::new(self.pred(q, name))),
            Pred::And(ab) => Pred::And(both(ab)),
            Pred::Or(ab) => Pred::Or(both(ab)),
        }
    }
}
