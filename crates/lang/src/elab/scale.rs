//! A scalar times a tensor.
//!
//! The kernel multiplies operands of one shape, so scaling is loops. If the tensor is written with `gen`, the
//! product goes into its innermost body: nothing is stored that the source does not store.

use super::{Elab, Val};
use crate::module::Extent;
use crate::spans::SpanTable;
use crate::synth::synth;
use atl_kernel::{Child, Expr as Term, Ix, Label, Node, Prim, Type, Var, subst};
use atl_syntax::ast::Expr;
use std::sync::Arc;

impl Elab<'_> {
    /// A scalar times every element of a tensor: under the tensor's `let`s and loops if it is written with
    /// `gen`, else in loops around its elements.
    pub(super) fn scale(&mut self, e: &Expr, scalar: &Val, tensor: &Val, scalar_first: bool) -> Option<Val> {
        let at = self.enter();
        let (mut inner, mut bound) = (tensor.clone(), Vec::new());
        let scalar =
            if simple(&scalar.expr) { scalar.clone() } else { self.named("factor", scalar, &mut bound) };
        while let Node::Let(label, value, body) = &*inner.expr.clone() {
            let ty = synth(&mut self.ctx, value)?;
            let spans = Arc::new(inner.spans.sub(&[Child::Bound]));
            let level = self.ctx.push_tensor(label.clone(), ty.clone());
            bound.push((
                level,
                label.clone(),
                Val { expr: value.clone(), ty, spans, extent: Extent::default() },
            ));
            let spans = Arc::new(inner.spans.sub(&[Child::Body]));
            inner = Val { expr: subst::open(body, level), spans, ..inner };
        }
        let under = loops(&inner.expr) >= inner.ty.shape.len();
        if !under && !simple(&inner.expr) {
            inner = self.named("scaled", &inner, &mut bound);
        }
        let scaled = self.scale_elements(e, &scalar, &inner, scalar_first, under);
        self.leave(at);
        let around = |body: Val, (level, label, value)| self.bind_value(e, label, level, &value, &body);
        bound.into_iter().rev().try_fold(scaled?, around)
    }

    /// A variable for a value, to be bound later.
    fn named(&mut self, name: &str, val: &Val, bound: &mut Vec<(u32, Label, Val)>) -> Val {
        let level = self.ctx.push_tensor(Label::new(name), val.ty.clone());
        bound.push((level, Label::new(name), val.clone()));
        let spans = Arc::new(SpanTable::leaf(val.spans.span()));
        let extent = Extent { nodes: 1, depth: 1 };
        Val { expr: Arc::new(Node::Var(Var::Free(level))), ty: val.ty.clone(), spans, extent }
    }

    /// The loops over the product of the scalar and an element; `under` the tensor's own loops or new ones.
    fn scale_elements(
        &mut self,
        e: &Expr,
        scalar: &Val,
        tensor: &Val,
        first: bool,
        under: bool,
    ) -> Option<Val> {
        let ty = tensor.ty.clone();
        let (mut element, mut levels) = (tensor.clone(), Vec::new());
        for (axis, extent) in ty.shape.iter().enumerate() {
            let label = match &*element.expr {
                Node::Gen(label, ..) if under => label.clone(),
                _ => Label::new(["i", "j", "k", "l"][axis.min(3)]),
            };
            let level = self.ctx.push_loop(label.clone(), extent);
            let ix = Ix::free(level);
            let spans = if under { element.spans.sub(&[Child::Body]) } else { (*tensor.spans).clone() };
            let expr = match &*element.expr {
                Node::Gen(_, _, body) if under => subst::open(body, level),
                _ => Arc::new(Node::Get(element.expr.clone(), ix)),
            };
            element = Val { expr, spans: Arc::new(spans), ..element };
            levels.push((level, label, extent.clone()));
        }
        element.ty.shape.clear();
        let mut args = [scalar, &element];
        if !first {
            args.reverse();
        }
        let product = self.prim(e, Prim::Mul, Self::scalar_type(ty.elem), &args)?;
        levels.into_iter().rev().try_fold(product, |body, (level, label, extent)| {
            let mut shape = body.ty.shape.clone();
            shape.insert(0, extent.clone());
            let node = Node::Gen(label, extent, subst::close(&body.expr, level));
            self.build(node, Type { elem: ty.elem, shape }, e.span, &[(&[Child::Body], &body)])
        })
    }
}

/// May the term be repeated for every element?
fn simple(e: &Term) -> bool {
    matches!(&**e, Node::Var(_) | Node::Lit(..) | Node::Index(..))
}

/// How many `gen`s stand directly inside each other at the root.
fn loops(e: &Term) -> usize {
    let (mut e, mut count) = (e, 0);
    while let Node::Gen(_, _, body) = &**e {
        (e, count) = (body, count + 1);
    }
    count
}
