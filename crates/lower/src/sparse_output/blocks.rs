//! Blocks of a result in a format: the dimensions of which every element is stored, below those with
//! coordinates.
//!
//! ```text
//! A(e) at c = alloc w; L(e) into w
//!             any = false; for each element: any ||= w[..] != 0        where there are coordinates
//!             if any: push c; for each element: push its value         and whether it is zero, where there are flags
//! ```
//!
//! A block that is zero has no coordinate, unless the places of an operand are kept. Without coordinates
//! above, as in a tensor with a flag for each element, all are stored.

use crate::cx::LowerCx;
use crate::emit::computed;
use crate::error::LowerError;
use crate::lets::bound;
use crate::loop_around::looped;
use crate::scalar::zero;
use crate::sparse_output::assemble::{Output, elements, register};
use atl_kernel::{Expr, Label, Node};
use atl_loops::{Bool, CmpOp, Init, Int, Literal, ReduceOp, Scalar, Stmt, Val};

/// What is done with an element.
type EachElement<'a> = &'a dyn Fn(Val) -> Stmt;

impl Output {
    /// The block at these coordinates of the last level.
    pub(crate) fn dense_block(
        &self,
        cx: &mut LowerCx<'_>,
        e: &Expr,
        crd: &[Int],
    ) -> Result<Stmt, LowerError> {
        let every = !self.is_compressed() || self.same_pattern.is_some();
        if let (Node::Guard(p, body), false) = (&**e, every) {
            let cond = cx.translate_pred(p)?;
            let then = cx.within_branch(p.clone(), &cond, |cx| self.dense_block(cx, body, crd))?;
            return Ok(Stmt::guard(cond, then));
        }
        let ty = cx.type_of(e)?;
        let zero = zero(ty.elem)?;
        bound(cx, &Label::new("block"), e, &elements(&ty), |cx, block| {
            let differs = |value: &Val| Val::cmp(CmpOp::Ne, value.clone(), zero.clone());
            let push = |value: Val| {
                let flag = self.flags.iter().map(|flags| Stmt::push(flags.clone(), differs(&value)));
                Stmt::seq(
                    flag.collect::<Vec<_>>()
                        .into_iter()
                        .chain([Stmt::push(self.values.clone(), value.clone())]),
                )
            };
            let stored = Stmt::seq([self.last_entry(crd), each_element(cx, block, &push)?]);
            if every {
                return Ok(stored);
            }
            let any = cx.names.buffer("any");
            let note = |value: Val| Stmt::reduce(ReduceOp::Or, any.clone(), Int::Lit(0), differs(&value));
            let noted = each_element(cx, block, &note)?;
            let is_stored = Bool::eq(Int::load(any.clone(), Int::Lit(0)), Int::Lit(1));
            let init = Init::Value(Val::Lit(Literal::Bool(false)));
            Ok(register(&any, Scalar::Bool, init, Stmt::seq([noted, Stmt::guard(is_stored, stored)])))
        })
    }
}

/// The loops over elements, in order.
fn each_element(cx: &mut LowerCx<'_>, e: &Expr, each: EachElement<'_>) -> Result<Stmt, LowerError> {
    match &**e {
        Node::Gen(label, n, body) => looped(cx, label, n, body, |cx, body, _| each_element(cx, body, each)),
        _ => computed(cx, e, |_, value| Ok(each(value))),
    }
}
