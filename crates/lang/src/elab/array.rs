//! Arrays by their elements: `[1.0, 2.0, 1.0]`, and rows of them for matrices.
//!
//! An array is `++` of its elements, as one half and the other: so it is stored element by element, and needs no construct of its own
//! anywhere below.

use super::{Elab, Val};
use atl_diag::err;
use atl_kernel::{Child, Elem, Ix, Label, Node, Scalar};
use atl_syntax::ast::{Expr, ExprKind, UnaryOp};

impl Elab<'_> {
    /// `[a, b, c]`; at least one element.
    pub(super) fn array(&mut self, e: &Expr, elements: &[Expr], want: Option<Elem>) -> Option<Val> {
        let undecided = elements.iter().all(|element| self.undecided(element));
        let want = want.or_else(|| undecided.then(|| self.usual_element(e)).flatten());
        let vals = self.operands(&elements.iter().collect::<Vec<_>>(), want, "an array")?;
        let (first, others) = vals.split_first()?;
        for other in others {
            if other.ty.shape.len() != first.ty.shape.len() {
                let (a, b) = (first.ty.shape.len(), other.ty.shape.len());
                return self.report(
                    err!(E0232, e.span, "the rows of an array have different shapes")
                        .also(first.spans.span(), format!("of rank {a}"))
                        .also(other.spans.span(), format!("of rank {b}"))
                        .help("give every row as many elements: `[[1, 2], [3, 4]]`"),
                );
            }
            self.same_shape(first, other, "an array")?;
        }
        let mut rows = Vec::new();
        for val in vals {
            let mut ty = val.ty.clone();
            ty.shape.insert(0, Ix::ONE);
            let node = Node::Gen(Label::new("i"), Ix::ONE, val.expr.clone());
            let span = if elements.len() == 1 { e.span } else { val.spans.span() };
            rows.push(self.build(node, ty, span, &[(&[Child::Body], &val)])?);
        }
        self.joined(e, rows)
    }

    fn joined(&mut self, e: &Expr, mut rows: Vec<Val>) -> Option<Val> {
        if rows.len() == 1 {
            return rows.pop();
        }
        let second = rows.split_off(rows.len().div_ceil(2));
        let halves = vec![self.joined(e, rows)?, self.joined(e, second)?];
        self.operator(e, atl_ops::by_name("concat")?, Vec::new(), halves)
    }

    /// The element type of an array that nothing decides: that of the function's result, if it has such numbers, or that of
    /// the first tensor around that has.
    fn usual_element(&self, e: &Expr) -> Option<Elem> {
        let kinds = kinds(e);
        let truth = crate::algebra::ordinary(Scalar::Bool);
        if kinds.truth {
            return Some(truth);
        }
        let fits = |elem: &Elem| elem.scalar.is_float() || (!kinds.fraction && elem.scalar != Scalar::Bool);
        let around = self.ctx.entries().filter_map(|entry| match entry {
            atl_kernel::Entry::Tensor(_, ty) => Some(ty.elem),
            _ => None,
        });
        self.result.into_iter().chain(around).find(fits)
    }
}

/// What the literals of an array are.
#[derive(Default)]
struct Kinds {
    truth: bool,
    fraction: bool,
}

fn kinds(e: &Expr) -> Kinds {
    match &e.kind {
        ExprKind::Bool(_) => Kinds { truth: true, ..Kinds::default() },
        ExprKind::Float(_) => Kinds { fraction: true, ..Kinds::default() },
        ExprKind::Unary(UnaryOp::Neg, a) => kinds(a),
        ExprKind::List(elements) => elements.iter().map(kinds).fold(Kinds::default(), |all, one| Kinds {
            truth: all.truth || one.truth,
            fraction: all.fraction || one.fraction,
        }),
        _ => Kinds::default(),
    }
}
