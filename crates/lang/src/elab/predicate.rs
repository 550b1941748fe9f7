//! Predicates: what guards, `where` and `select` ask of indices.

use super::Elab;
use super::index::Sort;
use atl_diag::err;
use atl_kernel::{Ix, Pred, Scalar};
use atl_syntax::ast::{BinaryOp, CompareOp, Expr, ExprKind, UnaryOp};

/// A comparison of index terms.
fn compare(op: CompareOp, a: Ix, b: Ix) -> Pred {
    match op {
        CompareOp::Eq => Pred::eq(a, b),
        CompareOp::Ne => Pred::not(Pred::eq(a, b)),
        CompareOp::Lt => Pred::lt(a, b),
        CompareOp::Le => Pred::le(a, b),
        CompareOp::Gt => Pred::lt(b, a),
        CompareOp::Ge => Pred::le(b, a),
    }
}

impl Elab<'_> {
    /// Is the expression a predicate on indices, rather than a computed truth value?
    pub(super) fn is_predicate(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Bool(_) => true,
            ExprKind::Unary(UnaryOp::Not, a) => self.is_predicate(a),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.is_predicate(a) && self.is_predicate(b)
            }
            ExprKind::Compare(first, rest) => {
                let sorts =
                    std::iter::once(&**first).chain(rest.iter().map(|(_, e)| e)).map(|e| self.sort(e));
                sorts.into_iter().all(|s| s != Sort::Value) || self.compares_truth(first, rest)
            }
            _ => false,
        }
    }

    /// Is a truth value with a name compared with a number, `b == 1`? In an index it is 0 or 1, and as a
    /// value no number.
    fn compares_truth(&self, first: &Expr, rest: &[(CompareOp, Expr)]) -> bool {
        let is_number = |e: &Expr| matches!(e.kind, ExprKind::Int(_));
        let is_truth = |e: &Expr| match &e.kind {
            ExprKind::Name(name) => {
                self.named_number(name).is_some()
                    && self.read_type(e).is_some_and(|ty| ty.elem.scalar == Scalar::Bool)
            }
            _ => false,
        };
        let sides = || std::iter::once(first).chain(rest.iter().map(|(_, e)| e));
        sides().any(is_number) && sides().all(|e| is_number(e) || is_truth(e))
    }

    /// A predicate.
    pub(super) fn predicate(&mut self, e: &Expr) -> Option<Pred> {
        match &e.kind {
            ExprKind::Bool(true) => Some(Pred::True),
            ExprKind::Bool(false) => Some(Pred::False),
            ExprKind::Unary(UnaryOp::Not, a) => self.predicate(a).map(Pred::not),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (p, q) = (self.predicate(a), self.predicate(b));
                Some(if *op == BinaryOp::And { Pred::and(p?, q?) } else { Pred::or(p?, q?) })
            }
            ExprKind::Compare(first, rest) => {
                let values = std::iter::once(&**first).chain(rest.iter().map(|(_, e)| e));
                if let Some(value) = values.into_iter().find(|e| self.reads_a_value(e)) {
                    return self.depends_on_values(value);
                }
                let mut left = self.index(first);
                let mut all = Some(Pred::True);
                for (op, right) in rest {
                    let right = self.index(right);
                    all = match (all, left, &right) {
                        (Some(p), Some(a), Some(b)) => Some(Pred::and(p, compare(*op, a, b.clone()))),
                        _ => None,
                    };
                    left = right;
                }
                all
            }
            ExprKind::Error => None,
            _ => match self.read_truth(e) {
                Some(holds) => holds,
                None if self.reads_a_value(e) => self.depends_on_values(e),
                None => self.report(
                    err!(E0236, e.span, "a predicate is expected here")
                        .label("this is neither true nor false")
                        .help("compare: `0 <= i`, `i < n && j < m`, `i % 2 == 0`"),
                ),
            },
        }
    }

    /// Is the expression made of elements that are no integers?
    fn reads_a_value(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => {
                let is_tensor = matches!(self.lookup(name), Some(super::Meaning::Tensor(_)));
                is_tensor && self.sort(e) == Sort::Value && self.named_number(name).is_none()
            }
            ExprKind::Access { base, .. } => self.read_type(base).is_none_or(|ty| !ty.elem.scalar.is_index()),
            ExprKind::Unary(_, a) => self.reads_a_value(a),
            ExprKind::Binary(_, a, b) => self.reads_a_value(a) || self.reads_a_value(b),
            ExprKind::Call { args, .. } => args.iter().any(|a| self.reads_a_value(a)),
            _ => false,
        }
    }

    fn depends_on_values<T>(&mut self, e: &Expr) -> Option<T> {
        self.report(
            err!(E0237, e.span, "a predicate speaks of integers, and this is a value")
                .label("a number that the program computes with")
                .help("guards speak of indices, and of elements of integer tensors; a choice by value is `select(x[i] > 0, a, b)`"),
        )
    }
}
