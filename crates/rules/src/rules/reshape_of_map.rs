//! `reshape_of_map`: a reshape operator of a pointwise function is the function of the reshaped operands.
//!
//! **Statement.** `op(f(a, ..)) = f(op(a), ..)` for a reshape operator `op` of one operand and a pointwise function `f`.
//! **Requires.** Where `op` pads, that `f` of zeros is zero: `0 + 0 = 0` for `+`, and a product with zero for `*`.
//! **Fails when.** `op` pads and `f` is another function, or the algebra lacks the law.
//! **Example.** `transpose(a + b)` becomes `transpose(a) + transpose(b)`.
//! **See also.** `reshape_of_sum`, `gen_of_map`, `guard_inward`.

use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::schema::automatic;
use atl_kernel::{Error, Expr, Node, Prim, Result, Thm};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "reshape_of_map",
    statement: "op(f(a, ..))  =  f(op(a), ..),  op a reshape operator, f pointwise",
    requires: "where op pads, that f of zeros is zero",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N, M], b: f32[N, M]) -> f32[M, N] { transpose(a + b) }",
        args: &[],
    },
    rewrite: |cx, e, _| match &**e {
        Node::Op(def, ixs, args) => match args.as_slice() {
            [arg] => match &**arg {
                Node::Prim(f, operands) => {
                    let op = |e: Expr| Arc::new(Node::Op(def.clone(), ixs.clone(), vec![e])) as Expr;
                    moved(cx, *f, operands, &op, Vec::new())
                }
                _ => no_match(RULE.name, "a pointwise function below the operator", e),
            },
            _ => no_match(RULE.name, "an operator of one operand", e),
        },
        _ => no_match(RULE.name, "a reshape operator", e),
    },
    inverse: Some(Inverse::plain(|cx, e, _| {
        let Node::Prim(f, args) = &**e else { return no_match(RULE.name, "a pointwise function", e) };
        let Some(Node::Op(def, ixs, _)) = args.first().map(|arg| &**arg) else {
            return no_match(RULE.name, "reshaped operands", e);
        };
        let operands = args.iter().map(|arg| match &**arg {
            Node::Op(d, is, below) if d == def && is == ixs && below.len() == 1 => Ok(below[0].clone()),
            _ => no_match(RULE.name, "operands that are reshaped alike", e),
        });
        let operands = operands.collect::<Result<Vec<Expr>>>()?;
        let op = |e: Expr| Arc::new(Node::Op(def.clone(), ixs.clone(), vec![e])) as Expr;
        Ok(moved(cx, *f, &operands, &op, Vec::new())?.sym())
    })),
};

/// The equation for these operands, of which the ones in `known` are variables already.
fn moved(
    cx: &mut Cx<'_>,
    f: Prim,
    operands: &[Expr],
    op: &dyn Fn(Expr) -> Expr,
    known: Vec<Expr>,
) -> Result<Thm> {
    let sides = |operands: &[Expr]| -> (Expr, Expr) {
        let inside = op(Arc::new(Node::Prim(f, operands.to_vec())));
        (inside, Arc::new(Node::Prim(f, operands.iter().cloned().map(op).collect())))
    };
    let at = known.len();
    let Some(operand) = operands.get(at) else {
        let (lhs, rhs) = sides(&known);
        return automatic(cx, &lhs, &rhs);
    };
    let with = |t: &Expr| {
        let mut all = operands.to_vec();
        all[..at].clone_from_slice(&known);
        all[at] = t.clone();
        sides(&all)
    };
    let variable = Arc::new(Node::Var(atl_kernel::Var::Free(cx.ctx.level())));
    let mut next = known.clone();
    next.push(variable);
    cx.instance(operand, with, |cx, lhs, _| {
        let thm = moved(cx, f, operands, op, next)?;
        if thm.lhs() == lhs { Ok(thm) } else { Err(Error::Mismatch("a lemma about other operands")) }
    })
}
