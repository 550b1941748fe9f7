//! Reads, plain and guarded.

use super::{Elab, Val};
use crate::show;
use atl_diag::err;
use atl_kernel::{Child, Ix, Node, Pred};
use atl_syntax::ast::{AccessKind, Expr, ExprKind, Name};
use std::sync::Arc;

/// That indices are in the range of the leading extents: what `x?[…]` guards.
pub(crate) fn in_range(ixs: &[Ix], shape: &[Ix]) -> Pred {
    ixs.iter().zip(shape).fold(Pred::True, |p, (i, n)| Pred::and(p, Pred::in_range(i, n)))
}

impl Elab<'_> {
    /// `x[select(p, i, j)]` as `select(p, x[i], x[j])`, of a tensor that has a name: there each index is in range where it is read.
    fn read_by_cases(&mut self, e: &Expr, kind: AccessKind, base: &Expr, indices: &[Expr]) -> Option<Expr> {
        if !matches!(base.kind, ExprKind::Name(_)) {
            return None;
        }
        let (place, [condition, a, b]) =
            indices.iter().enumerate().find_map(|(k, index)| Some((k, self.cases(index)?)))?;
        let read = |index: &Expr| {
            let mut indices = indices.to_vec();
            indices[place] = index.clone();
            Expr::new(ExprKind::Access { kind, base: Box::new(base.clone()), indices }, e.span)
        };
        let args = vec![condition.clone(), read(a), read(b)];
        Some(Expr::new(ExprKind::Call { callee: Name::new("select", e.span), args }, e.span))
    }

    /// `x[i, j]`, `x?[i, j]`.
    pub(super) fn access(
        &mut self,
        e: &Expr,
        kind: AccessKind,
        base: &Expr,
        indices: &[Expr],
    ) -> Option<Val> {
        if let Some(lacks) = self.lacks(base, indices) {
            return self.report(lacks);
        }
        if let Some(chosen) = self.read_by_cases(e, kind, base, indices) {
            return self.value(&chosen, None);
        }
        let array = self.value(base, None);
        let ixs: Vec<Option<Ix>> = indices.iter().map(|i| self.index(i)).collect();
        let (array, ixs) = (array?, ixs.into_iter().collect::<Option<Vec<Ix>>>()?);
        let rank = array.ty.shape.len();
        if ixs.len() > rank {
            let ty = show::ty(&self.ctx, &array.ty);
            let span = array.spans.span();
            return self.report(if rank == 0 {
                err!(E0219, e.span, "a scalar has no elements to read")
                    .also(span, format!("this is of type `{ty}`"))
            } else {
                let (s, given) = (if rank == 1 { "" } else { "s" }, ixs.len());
                let extra = indices[rank].span.to(indices[given - 1].span);
                err!(E0218, extra, "{given} indices, and the tensor has {rank} dimension{s}")
                    .also(span, format!("this is of type `{ty}`"))
            });
        }
        let mut ty = array.ty.clone();
        let shape: Vec<Ix> = ty.shape.drain(..ixs.len()).collect();
        let term = ixs.iter().fold(array.expr.clone(), |term, i| Arc::new(Node::Get(term, i.clone())));
        let mut path = vec![Child::Body; ixs.len()];
        let node = match kind {
            AccessKind::Plain => Node::clone(&term),
            AccessKind::Guarded => {
                path.push(Child::Body);
                Node::Guard(in_range(&ixs, &shape), term)
            }
        };
        self.build(node, ty, e.span, &[(&path, &array)])
    }
}
