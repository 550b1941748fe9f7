//! `relayout(L, e)`: a tensor laid out by a layout `shape:stride`, as a chain of reshape operators.
//!
//! The layout's tuple has one mode for each dimension of the tensor, itself a number or a tuple, whose first number
//! is the fastest, as in CuTe: `((2, 4), 8):((1, 16), 2)` is of a tensor of 8 by 8. Extents and strides are index terms.

use super::{Elab, Val};
use crate::show;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Elem, Ix};
use atl_ops::Link;
use atl_ops::relayout::{Misfit, Mode, links};
use atl_syntax::ast::{Expr, ExprKind};

impl Elab<'_> {
    /// `relayout(L, e)`.
    pub(super) fn relayout(&mut self, e: &Expr, args: &[Expr], want: Option<Elem>) -> Option<Val> {
        let [layout, tensor] = args else { return self.wrong_arity("relayout", 2, args.len(), e.span) };
        let mut val = self.value(tensor, want)?;
        for (op, ixs) in self.layout(layout, &val.ty.shape.clone())? {
            val = self.operator(e, op, ixs, vec![val])?;
        }
        Some(val)
    }

    /// The operators that lay a tensor of this shape out.
    pub(super) fn layout(&mut self, layout: &Expr, shape: &[Ix]) -> Option<Vec<Link>> {
        let (extents, strides) = self.parts(layout)?;
        let modes: Vec<(&Expr, &Expr)> = match (&extents.kind, &strides.kind) {
            (ExprKind::Tuple(a), ExprKind::Tuple(b)) if shape.len() != 1 && a.len() == b.len() => {
                a.iter().zip(b).collect()
            }
            _ => vec![(extents, strides)],
        };
        if modes.len() != shape.len() {
            let s = if shape.len() == 1 { "" } else { "s" };
            return self.report(
                err!(E0240, layout.span, "this is no layout of a tensor of {} dimension{s}", shape.len())
                    .label(format!("{} here", modes.len()))
                    .help("a layout's tuple has a number, or a tuple in its place, for each dimension"),
            );
        }
        let modes: Vec<Option<Vec<Mode>>> = modes.into_iter().map(|(a, b)| self.modes(a, b)).collect();
        let modes: Vec<Vec<Mode>> = modes.into_iter().collect::<Option<_>>()?;
        match links(shape, &modes, &mut |p| self.proves(p)) {
            Ok(links) => Some(links),
            Err(why) => {
                let refusal = self.misfit(layout.span, shape, &why);
                self.report(refusal)
            }
        }
    }

    /// The numbers of a layout with their strides, fastest first.
    pub(super) fn flat_layout(&mut self, layout: &Expr) -> Option<Vec<Mode>> {
        let (extents, strides) = self.parts(layout)?;
        self.modes(extents, strides)
    }

    /// Shape and strides.
    fn parts<'e>(&mut self, layout: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
        match &layout.kind {
            ExprKind::Layout { shape, stride } => Some((shape, stride)),
            _ => self.report(
                err!(E0240, layout.span, "this is no layout")
                    .label("expected `shape:stride`")
                    .help("the columns of a matrix of M by N one after another are `(M, N):(1, M)`"),
            ),
        }
    }

    /// The numbers of a mode with their strides, fastest first.
    fn modes(&mut self, extents: &Expr, strides: &Expr) -> Option<Vec<Mode>> {
        match (&extents.kind, &strides.kind) {
            (ExprKind::Tuple(a), ExprKind::Tuple(b)) if a.len() == b.len() => {
                let parts: Vec<Option<Vec<Mode>>> = a.iter().zip(b).map(|(a, b)| self.modes(a, b)).collect();
                Some(parts.into_iter().collect::<Option<Vec<_>>>()?.concat())
            }
            (ExprKind::Tuple(_), _) | (_, ExprKind::Tuple(_)) => self.report(
                err!(E0240, strides.span, "shape and strides of a layout are not alike")
                    .also(extents.span, "the shape")
                    .help("write a stride for each number of the shape, in tuples of the same form"),
            ),
            _ => {
                let (extent, stride) = (self.index(extents), self.index(strides));
                Some(vec![Mode { extent: extent?, stride: stride? }])
            }
        }
    }

    fn misfit(&self, span: Span, shape: &[Ix], why: &Misfit) -> Diagnostic {
        let ix = |i: &Ix| show::ix(&self.ctx, i);
        let of = |m: &Mode| format!("`{}:{}`", ix(&m.extent), ix(&m.stride));
        match why {
            Misfit::Extent(axis, product) => {
                err!(E0240, span, "this is no layout of a tensor of {}", by(shape.iter().map(ix)))
                    .label(format!("its mode {axis} has `{}` entries", ix(product)))
                    .note(format!("dimension {axis} has `{}`", ix(&shape[*axis])))
            }
            Misfit::Overlap(mode, least) => err!(E0240, span, "the strides of this layout do not nest")
                .label(format!("the modes below {} reach further than its stride", of(mode)))
                .help(format!("a stride of at least `{}` leaves them room", ix(least))),
            Misfit::Nesting(mode, below) => err!(E0240, span, "the strides of this layout do not nest")
                .label(format!("{} over {}", of(mode), of(below)))
                .help("each stride has to be a multiple of the next smaller one"),
            Misfit::Dimensions(n) => err!(E0240, span, "this layout has too many modes")
                .label(format!("{n} or more, and 6 can be turned")),
        }
    }
}

fn by(extents: impl Iterator<Item = String>) -> String {
    extents.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" by ")
}
