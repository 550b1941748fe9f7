//! Applications of the operators, and the definition that a gather view is.

use crate::operator::Operator;
use crate::ops;
use atl_kernel::{Definition, Expr, Ix, Label, Node, Pred, Var, subst};
use std::sync::Arc;

/// The definition of an operator: `gen` over the result's extents of the element it gathers. With two
/// operands the first's condition selects between them; with one, a condition that can fail guards it.
pub(crate) fn define(op: &Operator) -> Arc<Definition> {
    let index_params = level(op.index_params.len());
    let mut next = index_params;
    let (mut extents, mut tensors) = (Vec::new(), Vec::new());
    for names in op.tensor_params {
        extents.extend(names.iter().map(|_| {
            next += 1;
            Ix::free(next - 1)
        }));
        tensors.push(next);
        next += 1;
    }
    let ixs: Vec<Ix> = (0..index_params).map(Ix::free).collect();
    let out = (op.extents)(&ixs, &extents);
    let first = next;
    let loops: Vec<Ix> = (first..first + level(out.len())).map(Ix::free).collect();
    let element = |k: usize| {
        let gather = (op.gather)(&ixs, &extents, &loops, k);
        let var: Expr = Arc::new(Node::Var(Var::Free(tensors[k])));
        let read = gather.rho.into_iter().fold(var, |e, i| Arc::new(Node::Get(e, i)));
        (gather.cond, read)
    };
    let (cond, read) = element(0);
    let mut body = match (tensors.len(), cond) {
        (2, cond) => Arc::new(Node::Select(cond, read, element(1).1)),
        (_, Pred::True) => read,
        (_, cond) => Arc::new(Node::Guard(cond, read)),
    };
    for (k, extent) in out.into_iter().enumerate().rev() {
        let label = Label::new(["i", "j", "k", "l", "p", "q"][k.min(5)]);
        body = Arc::new(Node::Gen(label, extent, subst::close(&body, first + level(k))));
    }
    Arc::new(Definition {
        name: op.name,
        index_params,
        tensor_params: op.tensor_params.iter().map(|names| level(names.len())).collect(),
        body,
    })
}

fn level(n: usize) -> u32 {
    u32::try_from(n).expect("an operator has few parameters")
}

/// An operator applied to index arguments and operands.
pub fn app(op: &Operator, ixs: Vec<Ix>, args: Vec<Expr>) -> Expr {
    Arc::new(Node::Op((op.definition)(), ixs, args))
}

/// `transpose(e)`.
pub fn transpose(e: Expr) -> Expr {
    app(&ops::transpose::OPERATOR, vec![], vec![e])
}

/// `e` with the dimension number `d` (from 1) brought to the front; `None` beyond the family's end.
pub fn rotate(d: usize, e: Expr) -> Option<Expr> {
    match d {
        1 => Some(e),
        2 => Some(transpose(e)),
        d => ops::by_name(&format!("rotate_{d}")).map(|op| app(op, vec![], vec![e])),
    }
}

/// `e` with its front dimension taken behind the next `d - 1`; `None` beyond the family's end.
pub fn unrotate(d: usize, e: Expr) -> Option<Expr> {
    match d {
        1 => Some(e),
        2 => Some(transpose(e)),
        d => ops::by_name(&format!("unrotate_{d}")).map(|op| app(op, vec![], vec![e])),
    }
}

/// `flatten(e)`.
pub fn flatten(e: Expr) -> Expr {
    app(&ops::flatten::OPERATOR, vec![], vec![e])
}

/// `split(k, e)`.
pub fn split(k: Ix, e: Expr) -> Expr {
    app(&ops::split::OPERATOR, vec![k], vec![e])
}

/// `pad_l(k, e)`.
pub fn pad_l(k: Ix, e: Expr) -> Expr {
    app(&ops::pad_l::OPERATOR, vec![k], vec![e])
}

/// `pad_r(k, e)`.
pub fn pad_r(k: Ix, e: Expr) -> Expr {
    app(&ops::pad_r::OPERATOR, vec![k], vec![e])
}

/// `trunc_l(k, e)`: drops the first `k`.
pub fn trunc_l(k: Ix, e: Expr) -> Expr {
    app(&ops::trunc_l::OPERATOR, vec![k], vec![e])
}

/// `trunc_r(k, e)`: drops the last `k`.
pub fn trunc_r(k: Ix, e: Expr) -> Expr {
    app(&ops::trunc_r::OPERATOR, vec![k], vec![e])
}

/// `one_hot(n, i, e)`.
pub fn one_hot(n: Ix, i: Ix, e: Expr) -> Expr {
    app(&ops::one_hot::OPERATOR, vec![n, i], vec![e])
}

/// `a ++ b`.
pub fn concat(a: Expr, b: Expr) -> Expr {
    app(&ops::concat::OPERATOR, vec![], vec![a, b])
}

/// `shear(e)`.
pub fn shear(e: Expr) -> Expr {
    app(&ops::shear::OPERATOR, vec![], vec![e])
}

/// `unshear(n, m, e)`.
pub fn unshear(n: Ix, m: Ix, e: Expr) -> Expr {
    app(&ops::unshear::OPERATOR, vec![n, m], vec![e])
}
