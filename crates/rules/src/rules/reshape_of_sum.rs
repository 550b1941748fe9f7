//! `reshape_of_sum`: a reshape operator of a sum is the sum of what it makes of each term.
//!
//! **Statement.** `op(sum i < n { e(i) }) = sum i < n { op(e(i)) }` for a reshape operator `op` of one operand.
//! **Requires.** `0 + a = a`: a sum of tensors is added up element by element.
//! **Fails when.** Below the operator, or the sum, stands something else; read backwards, when the operator's arguments
//! depend on the sum's index.
//! **Example.** `transpose(sum i < N { a[i] })` becomes `sum i < N { transpose(a[i]) }`.
//! **See also.** `reshape_of_map`, `get_sum`, `guard_sum`.

use crate::beta::reduce;
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::schema::automatic;
use atl_kernel::{Definition, Expr, Ix, Label, Node, Result, Thm, subst};
use std::sync::Arc;

/// See the module.
pub static RULE: Derived = Derived {
    name: "reshape_of_sum",
    statement: "op(sum i<n. e(i))  =  sum i<n. op(e(i)),  op a reshape operator",
    requires: "0 + a = a",
    args: &[],
    example: Example {
        program: "fn f(a: f32[K, N, M]) -> f32[M, N] { transpose(sum k < K { a[k] }) }",
        args: &[],
    },
    rewrite: |cx, e, _| match &**e {
        Node::Op(def, ixs, args) => match args.first().map(|arg| &**arg) {
            Some(Node::Sum(label, n, body)) if args.len() == 1 => moved(cx, (def, ixs), (label, n), body),
            _ => no_match(RULE.name, "a sum below the operator", e),
        },
        _ => no_match(RULE.name, "a reshape operator", e),
    },
    inverse: Some(Inverse::plain(|cx, e, _| match &**e {
        Node::Sum(label, n, body) => {
            let level = cx.ctx.level();
            match &*subst::open(body, level) {
                Node::Op(def, ixs, args) if args.len() == 1 && !ixs.iter().any(|i| i.mentions(level)) => {
                    let body = subst::close(&args[0], level);
                    Ok(moved(cx, (def, ixs), (label, n), &body)?.sym())
                }
                _ => no_match(RULE.name, "a reshape operator below the sum", e),
            }
        }
        _ => no_match(RULE.name, "a sum", e),
    })),
};

/// The equation for an operator, a sum's label and extent, and its body.
fn moved(
    cx: &mut Cx<'_>,
    (def, ixs): (&Arc<Definition>, &[Ix]),
    (label, n): (&Label, &Ix),
    body: &Expr,
) -> Result<Thm> {
    let op = |e: Expr| Arc::new(Node::Op(def.clone(), ixs.to_vec(), vec![e])) as Expr;
    let sum = |e: Expr| Arc::new(Node::Sum(label.clone(), n.clone(), e)) as Expr;
    // The terms as a table, over which the equation is one of arrangement.
    let table: Expr = Arc::new(Node::Gen(label.clone(), n.clone(), body.clone()));
    let sides = |t: &Expr| {
        let term = || Arc::new(Node::Get(t.clone(), Ix::Var(atl_kernel::Var::Bound(0)))) as Expr;
        (op(sum(term())), sum(op(term())))
    };
    let thm = cx.instance(&table, sides, automatic)?;
    let tables = std::slice::from_ref(&table);
    let before = cx.converted(&thm.lhs().clone(), |cx, e| reduce(cx, e, tables))?;
    cx.then(before.sym().trans(thm)?, |cx, e| reduce(cx, e, tables))
}
