//! Pointwise operations of tensors and scalars: a scalar goes with every element.
//!
//! The kernel's operations are on operands of one shape, so a scalar and a tensor are loops. If the tensor is
//! written with `gen`, the operation goes into its innermost body: nothing is stored that the source does not
//! store.

use super::{Elab, Val};
use crate::module::Extent;
use crate::spans::SpanTable;
use crate::synth::synth;
use atl_kernel::{Child, Elem, Expr as Term, Ix, Label, Node, Prim, Var, subst};
use atl_syntax::ast::Expr;
use std::sync::Arc;

/// What a variable is called that is bound to a value here.
const SCALAR: &str = "factor";
const TENSOR: &str = "scaled";

impl Elab<'_> {
    /// A pointwise operation of scalars and tensors of one shape.
    pub(super) fn lifted(&mut self, e: &Expr, prim: Prim, elem: Elem, args: &[Val]) -> Option<Val> {
        self.with_every_element(e, args, |elab, elements| {
            elab.prim(e, prim, Self::scalar_type(elem), &elements.iter().collect::<Vec<_>>())
        })
    }

    /// What is computed of each element of the tensors, which have one shape, and the scalars. One tensor's
    /// `let`s and loops are around it if the tensor is written with `gen`, else there are loops around the
    /// elements.
    pub(super) fn with_every_element(
        &mut self,
        e: &Expr,
        args: &[Val],
        compute: impl FnOnce(&mut Self, &[Val]) -> Option<Val>,
    ) -> Option<Val> {
        let at = self.enter();
        let (mut args, mut bound) = (args.to_vec(), Vec::new());
        let ranks: Vec<usize> = args.iter().map(|arg| arg.ty.shape.len()).collect();
        let is_only = ranks.iter().filter(|rank| **rank > 0).count() == 1;
        let mut under = false;
        for (arg, rank) in args.iter_mut().zip(&ranks) {
            if *rank > 0 && is_only {
                *arg = self.below_lets(arg, &mut bound)?;
                under = loops(&arg.expr) >= *rank;
            }
            let is_entered = *rank > 0 && under;
            if !is_entered && !simple(&arg.expr) {
                *arg = self.named(if *rank > 0 { TENSOR } else { SCALAR }, arg, &mut bound);
            }
        }
        let first = args.iter().position(|arg| !arg.ty.shape.is_empty())?;
        let mut levels = Vec::new();
        for (axis, extent) in args[first].ty.shape.clone().into_iter().enumerate() {
            let label = match &*args[first].expr {
                Node::Gen(label, ..) if under => label.clone(),
                _ => Label::new(["i", "j", "k", "l"][axis.min(3)]),
            };
            let level = self.ctx.push_loop(label.clone(), &extent);
            for (arg, _) in args.iter_mut().zip(&ranks).filter(|(_, rank)| **rank > 0) {
                let (expr, spans) = match &*arg.expr {
                    Node::Gen(_, _, body) if under => {
                        (subst::open(body, level), Arc::new(arg.spans.sub(&[Child::Body])))
                    }
                    _ => (Arc::new(Node::Get(arg.expr.clone(), Ix::free(level))), arg.spans.clone()),
                };
                *arg = Val { expr, spans, ..arg.clone() };
            }
            levels.push((level, label, extent));
        }
        args.iter_mut().for_each(|arg| arg.ty.shape.clear());
        let element = compute(self, &args);
        self.leave(at);
        let tensor = levels.into_iter().rev().try_fold(element?, |body, (level, label, extent)| {
            let mut ty = body.ty.clone();
            ty.shape.insert(0, extent.clone());
            let node = Node::Gen(label, extent, subst::close(&body.expr, level));
            self.build(node, ty, e.span, &[(&[Child::Body], &body)])
        });
        let around = |body: Val, (level, label, value)| self.bind_value(e, label, level, &value, &body);
        bound.into_iter().rev().try_fold(tensor?, around)
    }

    /// What stands below the `let`s of a value; these are to be bound later.
    fn below_lets(&mut self, val: &Val, bound: &mut Vec<(u32, Label, Val)>) -> Option<Val> {
        let mut inner = val.clone();
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
        Some(inner)
    }

    /// A variable for a value, to be bound later.
    fn named(&mut self, name: &str, val: &Val, bound: &mut Vec<(u32, Label, Val)>) -> Val {
        let level = self.ctx.push_tensor(Label::new(name), val.ty.clone());
        bound.push((level, Label::new(name), val.clone()));
        let spans = Arc::new(SpanTable::leaf(val.spans.span()));
        let extent = Extent::LEAF;
        Val { expr: Arc::new(Node::Var(Var::Free(level))), ty: val.ty.clone(), spans, extent }
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
