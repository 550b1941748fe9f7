//! `a: f32[M, K] in (M, K):(1, M)`, and a result likewise: a dense tensor in the order of a layout, which is a format.
//!
//! A layout whose modes lie side by side, each stride the product of the extents below it, is a list of dense levels: outermost the mode of
//! the largest stride. A dimension is one mode, or two of which the inner one is a number: `(4, ceil_div(M, 4))` stores `i / 4` and
//! `i % 4`. What has gaps, or is cut further, is no such list.

use super::Elab;
use atl_diag::{Span, err};
use atl_kernel::{Ix, Pred};
use atl_ops::relayout::Mode;
use atl_syntax::ast::{Expr, ExprKind};

/// What is stored in the order of a layout.
#[derive(Clone, Copy)]
pub(super) enum Ordered {
    Parameter,
    Result,
}

/// A block and the number of blocks that are not those of the dimension.
const BLOCKS: &str = "the modes do not make up this extent";

/// What dimensions are called in formats.
const NAMES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

impl Elab<'_> {
    /// The list of levels that stores a tensor of these extents in the order of a layout.
    pub(super) fn levels_in_order(
        &mut self,
        what: Ordered,
        layout: &Expr,
        extents: &[Expr],
    ) -> Option<String> {
        let dimensions = self.modes_of(what, layout, extents)?;
        let mut levels: Vec<(Mode, String)> = Vec::new();
        for ((modes, extent), name) in dimensions.into_iter().zip(extents).zip(NAMES) {
            let whole = self.index(extent)?;
            match modes.as_slice() {
                [mode] if self.is_same(&mode.extent, &whole) => levels.push((mode.clone(), name.to_owned())),
                [inner, outer] => {
                    let Ix::Lit(block @ 2..) = inner.extent else {
                        let why = "the inner mode of a dimension is a number from 2 up";
                        return self.no_order(what, layout.span, why);
                    };
                    let blocks = Ix::ceil_div(whole.clone(), Ix::Lit(block));
                    let covered = outer.extent.clone() * Ix::Lit(block);
                    if !self.is_same(&outer.extent, &blocks) && !self.is_same(&covered, &whole) {
                        return self.no_order(what, extent.span, BLOCKS);
                    }
                    levels.push((outer.clone(), format!("{name} / {block}")));
                    levels.push((inner.clone(), format!("{name} % {block}")));
                }
                [_] => return self.no_order(what, extent.span, "the mode has another extent than this"),
                _ => {
                    return self.no_order(
                        what,
                        layout.span,
                        "a dimension is one mode, or a number and another",
                    );
                }
            }
        }
        let (mut order, mut below) = (Vec::new(), Ix::ONE);
        while !levels.is_empty() {
            let next = levels.iter().position(|(mode, _)| mode.stride == below);
            let next = next
                .or_else(|| (0..levels.len()).find(|at| self.is_same(&levels[*at].0.stride.clone(), &below)));
            let Some(next) = next else {
                let why = format!(
                    "no mode has the stride `{}`, where those below end",
                    crate::show::ix(&self.ctx, &below)
                );
                return self.no_order(what, layout.span, &why);
            };
            let (mode, level) = levels.remove(next);
            below = below * mode.extent;
            order.insert(0, format!("dense of {level}"));
        }
        Some(format!("[{}]", order.join(", ")))
    }

    /// The modes of each dimension, fastest first.
    fn modes_of(&mut self, what: Ordered, layout: &Expr, extents: &[Expr]) -> Option<Vec<Vec<Mode>>> {
        let ExprKind::Layout { shape, stride } = &layout.kind else {
            self.flat_layout(layout)?;
            return None;
        };
        let parts = |e: &Expr| match &e.kind {
            ExprKind::Tuple(parts) if extents.len() != 1 => parts.clone(),
            _ => vec![e.clone()],
        };
        let (shapes, strides) = (parts(shape), parts(stride));
        if shapes.len() != extents.len() || strides.len() != extents.len() || extents.len() > NAMES.len() {
            return self.no_order(
                what,
                layout.span,
                "a layout has a mode for each dimension, of which there are at most 6",
            );
        }
        let modes = shapes.iter().zip(&strides).map(|(shape, stride)| {
            let kind = ExprKind::Layout { shape: Box::new(shape.clone()), stride: Box::new(stride.clone()) };
            self.flat_layout(&Expr::new(kind, layout.span))
        });
        modes.collect()
    }

    fn is_same(&mut self, a: &Ix, b: &Ix) -> bool {
        a == b || self.proves(&Pred::eq(a.clone(), b.clone()))
    }

    fn no_order<T>(&mut self, what: Ordered, span: Span, why: &str) -> Option<T> {
        let (what, instead) = match what {
            Ordered::Parameter => ("parameter", "`relayout(L, e)` in the body, or as a step, has gaps, too"),
            Ordered::Result => ("result", "a result of one dimension, `relayout(L, e)`, has gaps, too"),
        };
        let columns = "the columns of a matrix of M by N one after another are `(M, N):(1, M)`";
        let d = err!(E0240, span, "a {what} is not stored in this order: {why}").label("here");
        let d = match why {
            BLOCKS => d.note("of a dimension `M` in blocks of 4 there are `ceil_div(M, 4)`; a parameter's layout is read before `where`, and `M / 4` is as many only then"),
            _ => d,
        };
        self.report(d.help(format!("{columns}; {instead}")))
    }
}
