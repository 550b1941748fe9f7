//! Children that stand where their parent stands.
//!
//! To enter a child, the kernel measures the parent and copies its context. Where nothing is bound or assumed
//! on the way, both are as they were, and who only looks at the child needs neither.

use atl_kernel::{Child, Expr, Node};

/// The child at a place below which the context is the parent's own; none where something is bound or
/// assumed on the way.
pub fn as_it_stands(parent: &Node, at: Child) -> Option<&Expr> {
    let assumes = matches!(parent, Node::Guard(..) | Node::Select(..));
    if parent.binds(at) > 0 || assumes { None } else { parent.child(at) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_kernel::{
        Algebra, AlgebraRef, Ctx, Elem, Iterate, Ix, Label, Laws, Number, Pred, Prim, Replay, Scalar, State,
        Type, Var, enter,
    };
    use std::sync::Arc;

    static PLUS_TIMES: Algebra =
        Algebra { name: "plus_times", scalars: &Scalar::ALL, laws: Laws::NONE, formula: false };

    /// What the kernel enters is the context as it was, and the child as it stands, at these places alone.
    #[test]
    fn the_kernel_enters_the_same() {
        let elem = Elem { scalar: Scalar::F32, algebra: &PLUS_TIMES };
        let mut ctx = Ctx::new();
        let n = Ix::free(ctx.push_size(Label::new("n")));
        let tensor = ctx.push_tensor(Label::new("x"), Type { elem, shape: vec![n.clone()] });
        let x: Expr = Arc::new(Node::Var(Var::Free(tensor)));
        let (label, half) = (Label::new("i"), Pred::le(n.clone(), Ix::ONE));
        let zero: Expr = Arc::new(Node::Lit(elem, Number::Zero));
        let state = State { label: label.clone(), init: x.clone(), step: x.clone() };
        let rounds = |states| Iterate { label: label.clone(), extent: n.clone(), states, body: x.clone() };
        let nodes = [
            (Node::Gen(label.clone(), n.clone(), zero.clone()), 0),
            (Node::Sum(label.clone(), n.clone(), x.clone()), 0),
            (Node::Guard(half.clone(), x.clone()), 0),
            (Node::Select(half, x.clone(), x.clone()), 0),
            (Node::Let(label.clone(), x.clone(), x.clone()), 1),
            (Node::Get(x.clone(), Ix::ZERO), 1),
            (Node::Prim(Prim::Add, vec![x.clone(), x.clone()]), 2),
            (Node::View(AlgebraRef(&PLUS_TIMES), x.clone()), 1),
            (Node::Bundle([label.clone(), label.clone()].into(), vec![x.clone(), zero]), 2),
            (Node::Iterate(Arc::new(rounds(vec![state.clone(), state]))), 2),
            (Node::Iterate(Arc::new(rounds(Vec::new()))), 1),
            ((*crate::flatten(x.clone())).clone(), 1),
        ];
        for (node, expected) in nodes {
            let node = Arc::new(node);
            let mut same = 0;
            for at in node.children() {
                let entered = enter(&ctx, &node, at, &mut Replay([].iter())).expect("a typed term");
                match as_it_stands(&node, at) {
                    Some(child) => {
                        assert!(entered.0 == ctx && Arc::ptr_eq(&entered.1, child), "{node:?} {at:?}");
                        same += 1;
                    }
                    None => assert_ne!(entered.0, ctx, "{node:?} {at:?}"),
                }
            }
            assert_eq!(same, expected, "{node:?}");
        }
    }
}
