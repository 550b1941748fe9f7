//! How large a term is, as a tree.
//!
//! Terms share their parts, but inference, printing and lowering walk them as trees, so the tree's size is what a step
//! costs. Counting it takes one visit a shared part, and keeps nothing of others; the count saturates.

use atl_arith::Map;
use atl_arith::size::Sizes;
use atl_kernel::{Expr, Ix, Node, Pred, Var};
use std::sync::Arc;

/// A step may leave a program of at most so many nodes, index terms and predicates included: several hundred times the
/// literature's largest derivation, and still seconds to check.
pub const MAX_NODES: u64 = 1 << 17;

/// A step may leave terms that stand so much deeper in each other than those of the program as it was written.
pub const MAX_LEVELS: u32 = 1 << 7;

/// How deep the terms of a term stand in each other.
pub fn levels(e: &Expr) -> u32 {
    fn of(e: &Expr, known: &mut Map<*const Node, u32>) -> u32 {
        let is_shared = Arc::strong_count(e) > 1;
        if is_shared && let Some(known) = known.get(&Arc::as_ptr(e)) {
            return *known;
        }
        let below = e.children().filter_map(|at| e.child(at));
        let all = below.map(|child| of(child, known)).max().unwrap_or(0) + 1;
        if is_shared {
            known.insert(Arc::as_ptr(e), all);
        }
        all
    }
    of(e, &mut Map::default())
}

/// The number of nodes of a term, its index terms and predicates included.
pub fn nodes(e: &Expr) -> u64 {
    Count::default().expr(e)
}

/// Are there at most this number of nodes, and terms at most this deep in each other? Counting ends where not.
pub fn fits(e: &Expr, nodes: u64, levels: u32) -> bool {
    fn expr(e: &Expr, left: &mut u64, levels: u32) -> bool {
        levels > 0
            && spend(left)
            && match &**e {
                Node::Index(_, i) | Node::Gen(_, i, _) | Node::Sum(_, i, _) | Node::Get(_, i) => ix(i, left),
                Node::Guard(p, _) | Node::Select(p, ..) => pred(p, left),
                Node::Iterate(it) => ix(&it.extent, left),
                Node::Op(_, ixs, _) => ixs.iter().all(|i| ix(i, left)),
                Node::Var(_) | Node::Lit(..) | Node::Let(..) => true,
                Node::Prim(..) | Node::View(..) | Node::Bundle(..) => true,
            }
            && e.children().filter_map(|at| e.child(at)).all(|child| expr(child, left, levels - 1))
    }
    fn ix(i: &Ix, left: &mut u64) -> bool {
        spend(left)
            && match i {
                Ix::Lit(_) | Ix::Var(_) => true,
                Ix::Bin(_, ab) => ix(&ab.0, left) && ix(&ab.1, left),
                Ix::Read(_, at) => at.iter().all(|i| ix(i, left)),
            }
    }
    fn pred(p: &Pred, left: &mut u64) -> bool {
        spend(left)
            && match p {
                Pred::True | Pred::False => true,
                Pred::Cmp(_, a, b) => ix(a, left) && ix(b, left),
                Pred::Not(p) => pred(p, left),
                Pred::And(ab) | Pred::Or(ab) => pred(&ab.0, left) && pred(&ab.1, left),
            }
    }
    fn spend(left: &mut u64) -> bool {
        let enough = *left > 0;
        *left = left.saturating_sub(1);
        enough
    }
    expr(e, &mut { nodes }, levels)
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
        let key = (Arc::as_ptr(e), binder);
        if let Some(known) = self.0.get(&key) {
            return *known;
        }
        let own = u64::from(matches!(&**e, Node::Var(Var::Bound(b)) if *b == binder));
        let below = e.children().filter_map(|at| Some((e.child(at)?, e.binds(at))));
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
        let is_shared = Arc::strong_count(e) > 1;
        if is_shared && let Some(known) = self.exprs.get(&Arc::as_ptr(e)) {
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
        let below = e.children().filter_map(|at| e.child(at));
        let all = below.fold(own.saturating_add(1), |sum, child| sum.saturating_add(self.expr(child)));
        if is_shared {
            self.exprs.insert(Arc::as_ptr(e), all);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::Label;

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
        assert_eq!(nodes(&(read.clone() as Expr)), 5);
        let within = |nodes, levels| fits(&(read.clone() as Expr), nodes, levels);
        assert_eq!([within(4, 2), within(5, 2), within(5, 1)], [false, true, false]);
        assert!(!fits(&e, MAX_NODES, 71));
    }
}
