//! Expressions that are made here, and what they look like.

use super::Value;
use atl_diag::Span;
use atl_syntax::ast::{BinaryOp, CompareOp, ElementType, Expr, ExprKind, Name, UnaryOp};

pub(super) fn name(text: impl Into<String>, span: Span) -> Expr {
    Expr::new(ExprKind::Name(text.into()), span)
}

pub(super) fn int(n: u64, span: Span) -> Expr {
    Expr::new(ExprKind::Int(n), span)
}

pub(super) fn float(text: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Float(text.to_owned()), span)
}

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
}

pub(super) fn neg(a: Expr, span: Span) -> Expr {
    Expr::new(ExprKind::Unary(UnaryOp::Neg, Box::new(a)), span)
}

pub(super) fn compare(op: CompareOp, a: Expr, b: Expr, span: Span) -> Expr {
    Expr::new(ExprKind::Compare(Box::new(a), vec![(op, b)]), span)
}

pub(super) fn call<const N: usize>(callee: &str, args: [Expr; N], span: Span) -> Expr {
    let callee = Name::new(callee, span);
    Expr::new(ExprKind::Call { callee, args: args.into() }, span)
}

/// Do rounds run in it?
pub(super) fn has_rounds(e: &Expr) -> bool {
    fn below(e: &mut Expr) -> bool {
        matches!(e.kind, ExprKind::Iterate { .. } | ExprKind::Scan { .. })
            || e.children_mut().into_iter().any(below)
    }
    below(&mut e.clone())
}

pub(super) fn convert(to: &str, value: Expr, span: Span) -> Expr {
    let to = ElementType { semiring: None, scalar: Name::new(to, span), span };
    Expr::new(ExprKind::Convert { to, value: Box::new(value) }, span)
}

/// What an expression looks like in a message.
pub(super) fn written(e: &Expr) -> String {
    atl_syntax::print_expr(e, atl_syntax::Style::LINE)
}

/// May it be written twice? A name, a literal, an element, and the opposite of such.
pub(super) fn is_cheap(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) => true,
        ExprKind::Unary(UnaryOp::Neg, a) => is_cheap(a),
        ExprKind::Access { base, .. } => matches!(base.kind, ExprKind::Name(_)),
        ExprKind::Convert { value, .. } => {
            matches!(value.kind, ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Float(_))
        }
        _ => false,
    }
}

/// How many nodes it has.
pub(super) fn size(e: &Expr) -> usize {
    fn below(e: &mut Expr) -> usize {
        1 + e.children_mut().into_iter().map(below).sum::<usize>()
    }
    below(&mut e.clone())
}

impl Value {
    /// The same of each part.
    pub(super) fn map(self, each: impl Fn(Expr) -> Expr) -> Value {
        match self {
            Value::Plain(e) => Value::Plain(each(e)),
            Value::Complex(width, parts) => Value::Complex(width, Box::new(parts.map(each))),
        }
    }
}
