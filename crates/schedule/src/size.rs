//! How large a term is, as a tree.
//!
//! Terms share their parts, but inference, printing and lowering walk them as trees, so the tree's size is what a step
//! costs. Counting it takes one visit a shared part; the count saturates.

use atl_arith::Map;
use atl_arith::size::Sizes;
use atl_kernel::{Expr, Node, Var};

/// A step may leave a program of at most so many nodes, index terms and predicates included: several hundred times the
/// literature's largest derivation, and still seconds to check.
pub const MAX_NODES: u64 = 1 << 17;

/// A step may leave terms that stand so much deeper in each other than those of the program as it was written.
pub const MAX_LEVELS: u32 = 1 << 7;

/// How deep the terms of a term stand in each other.
pub fn levels(e: &Expr) -> u32 {
    fn of(e: &Expr, known: &mut Map<*const Node, u32>) -> u32 {
        let key = std::sync::Arc::as_ptr(e);
        if let Some(known) = known.get(&key) {
            return *known;
        }
        let below = e.children().into_iter().filter_map(|at| e.child(at));
        let all = below.map(|child| of(child, known)).max().unwrap_or(0) + 1;
        known.insert(key, all);
        all
    }
    of(e, &mut Map::default())
}

/// The number of nodes of a term, its index terms and predicates included.
pub fn nodes(e: &Expr) -> u64 {
    Count::default().expr(e)
}

/// The number of nodes that a `let`, inlined, leaves.
pub fn inlined(bound: &Expr, body: &Expr) -> u64 {
    let uses = Uses::default().of(body, 0);
    nodes(body).saturating_add(uses.saturating_mul(nodes(bound)))
}

/// How often a bound variable stands below a shared part, by the part's address and the binders between.
#[derive(Default)]
struct Uses(Map<(*const Node, u32), u64>);

impl Uses {
    fn of(&mut self, e: &Expr, binder: u32) -> u64 {
        let key = (std::sync::Arc::as_ptr(e), binder);
        if let Some(known) = self.0.get(&key) {
            return *known;
        }
        let own = u64::from(matches!(&**e, Node::Var(Var::Bound(b)) if *b == binder));
        let below = e.children().into_iter().filter_map(|at| Some((e.child(at)?, e.binds(at))));
        let all = below.fold(own, |sum, (child, binds)| sum.saturating_add(self.of(child, binder + binds)));
        self.0.insert(key, all);
        all
    }
}

/// Sizes by the address of a shared part. The term that is counted keeps every part alive.
#[derive(Default)]
struct Count {
    exprs: Map<*const Node, u64>,
    indices: Sizes,
}

impl Count {
    fn expr(&mut self, e: &Expr) -> u64 {
        let key = std::sync::Arc::as_ptr(e);
        if let Some(known) = self.exprs.get(&key) {
            return *known;
        }
        let own = match &**e {
            Node::Var(_) | Node::Lit(..) | Node::Let(..) => 0,
            Node::Prim(..) | Node::View(..) | Node::Bundle(..) => 0,
            Node::Index(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) => {
                self.indices.ix(i)
            }
            Node::Guard(p, _) | Node::Select(p, ..) => self.indices.pred(p),
            Node::Iterate(it) => self.indices.ix(&it.extent),
            Node::Op(_, ixs, _) => ixs.iter().fold(0, |sum: u64, i| sum.saturating_add(self.indices.ix(i))),
        };
        let below = e.children().into_iter().filter_map(|at| e.child(at));
        let all = below.fold(own.saturating_add(1), |sum, child| sum.saturating_add(self.expr(child)));
        self.exprs.insert(key, all);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{Ix, Label};
    use std::sync::Arc;

    #[test]
    fn shared_parts_count_each_time_they_stand() {
        let mut e: Expr = Arc::new(Node::Var(Var::Free(0)));
        for _ in 0..70 {
            e = Arc::new(Node::Let(Label::new("x"), e.clone(), e));
        }
        assert_eq!((nodes(&e), levels(&e)), (u64::MAX, 71));
        let Node::Let(_, bound, body) = &*e else { panic!("a let") };
        assert_eq!(inlined(bound, body), u64::MAX);
        let read = Arc::new(Node::Get(Arc::new(Node::Var(Var::Free(0))), Ix::free(1) + Ix::ONE));
        assert_eq!(nodes(&(read as Expr)), 5);
    }
}
