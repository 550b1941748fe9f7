//! Statements about groups: values that are made of a key, and `having`.

use super::values::no_arithmetic;
use super::{Resolver, Scope, mismatch, number};
use crate::date;
use crate::query::{Aggregate, Comparison, Having, Operation, Outcome, Scalar};
use crate::sql::unsupported;
use crate::table::{Type, Value};
use crate::text::Refusal;
use atl_diag::Span;
use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

/// The columns and parts of dates of which a value is made; a choice is one part.
pub(super) fn parts(scalar: &Scalar, each: &mut dyn FnMut(&Scalar)) {
    match scalar {
        Scalar::Column(..) | Scalar::Part(..) | Scalar::Case(..) => each(scalar),
        Scalar::Constant(..) => {}
        Scalar::Convert(inner, _) => parts(inner, each),
        Scalar::Binary(_, a, b, _) => {
            parts(a, each);
            parts(b, each);
        }
    }
}

/// Is a value arithmetic with exact columns?
pub(super) fn is_arithmetic(scalar: &Scalar) -> bool {
    matches!(scalar, Scalar::Binary(.., ty) if *ty != Type::Float)
}

/// Comparisons that `having` has.
fn comparison(op: &BinaryOperator) -> Option<Comparison> {
    match op {
        BinaryOperator::Eq => Some(Comparison::Eq),
        BinaryOperator::NotEq => Some(Comparison::Ne),
        BinaryOperator::Lt => Some(Comparison::Lt),
        BinaryOperator::LtEq => Some(Comparison::Le),
        BinaryOperator::Gt => Some(Comparison::Gt),
        BinaryOperator::GtEq => Some(Comparison::Ge),
        _ => None,
    }
}

impl Resolver<'_> {
    /// A value that the key says: a part of it, or exact arithmetic with its parts.
    pub(super) fn of_key(&self, value: &Scalar) -> Option<Outcome> {
        if let Some(at) = self.keys.iter().position(|(key, _)| key == value) {
            return Some(Outcome::Key(at));
        }
        match value {
            Scalar::Constant(value, ty) => Some(Outcome::Constant(value.clone(), *ty)),
            Scalar::Convert(inner, ty) if *ty != Type::Float => self.of_key(inner),
            Scalar::Binary(operation, a, b, ty) if *ty != Type::Float => {
                Some(Outcome::Binary(*operation, Box::new(self.of_key(a)?), Box::new(self.of_key(b)?)))
            }
            _ => None,
        }
    }

    /// Is a value settled by the key, as the year of a date that is grouped by?
    pub(super) fn follows(&self, value: &Scalar) -> bool {
        let (mut is_settled, mut reads) = (true, false);
        value.columns(&mut |of| {
            reads = true;
            is_settled &=
                self.keys.iter().any(|(key, _)| matches!(key, Scalar::Column(key, _) if *key == of));
        });
        reads && is_settled
    }

    /// A group's value that is one of a column without any value gets this type.
    fn means_of_group(&self, outcome: &Outcome, ty: Type) {
        match outcome {
            Outcome::Key(at) => self.keys.get(*at).iter().for_each(|(key, _)| self.means(key, ty)),
            Outcome::Aggregate(at) => {
                if let Some((Aggregate::Min(value) | Aggregate::Max(value), _)) = self.aggregates.get(*at) {
                    self.means(value, ty);
                }
            }
            Outcome::Constant(..) | Outcome::Binary(..) => {}
        }
    }

    /// An operation on values of a group: on numbers, or the days between two dates.
    pub(super) fn combined(
        &self,
        operation: Operation,
        a: Outcome,
        b: Outcome,
        span: Span,
    ) -> Result<Outcome, Refusal> {
        let (left, right) = (self.outcome_ty(&a), self.outcome_ty(&b));
        self.means_of_group(&a, right);
        self.means_of_group(&b, left);
        let are_dates = operation == Operation::Sub && left == Type::Date && right == Type::Date;
        if are_dates || left.is_number() && right.is_number() {
            return Ok(Outcome::Binary(operation, Box::new(a), Box::new(b)));
        }
        Err(no_arithmetic(operation, left, right, span))
    }

    /// The type of a group's value; of arithmetic any number's.
    fn outcome_ty(&self, outcome: &Outcome) -> Type {
        match outcome {
            Outcome::Key(at) => self.keys.get(*at).map_or(Type::Int, |(key, _)| key.ty()),
            Outcome::Aggregate(at) => match self.aggregates.get(*at) {
                Some((Aggregate::Sum(value) | Aggregate::Min(value) | Aggregate::Max(value), _)) => {
                    value.ty()
                }
                _ => Type::Int,
            },
            Outcome::Constant(_, ty) => *ty,
            Outcome::Binary(Operation::Div, ..) => Type::Float,
            Outcome::Binary(..) => Type::Int,
        }
    }

    /// A condition of groups.
    pub(super) fn having(&mut self, expr: &Expr, scope: Scope) -> Result<Having, Refusal> {
        let span = self.text.of(expr);
        match expr {
            Expr::Nested(inner) => self.having(inner, scope),
            Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => {
                Ok(Having::Not(Box::new(self.having(inner, scope)?)))
            }
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                Ok(Having::And(vec![self.having(left, scope)?, self.having(right, scope)?]))
            }
            Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
                Ok(Having::Or(vec![self.having(left, scope)?, self.having(right, scope)?]))
            }
            Expr::BinaryOp { left, op, right } => {
                let Some(comparison) = comparison(op) else {
                    return Err(unsupported(span, &format!("`{op}` as a condition")));
                };
                let (a, b) = (self.of_group(left, scope)?, self.of_group(right, scope)?);
                self.compared(comparison, a, b, span)
            }
            Expr::Between { expr: inner, negated, low, high } => {
                let value = self.of_group(inner, scope)?;
                let (low, high) = (self.of_group(low, scope)?, self.of_group(high, scope)?);
                let low = self.compared(Comparison::Ge, value.clone(), low, span)?;
                let both = Having::And(vec![low, self.compared(Comparison::Le, value, high, span)?]);
                Ok(if *negated { Having::Not(Box::new(both)) } else { both })
            }
            Expr::InList { expr: inner, list, negated } => {
                let value = self.of_group(inner, scope)?;
                let one = |item: &Expr| {
                    let item = self.of_group(item, scope)?;
                    self.compared(Comparison::Eq, value.clone(), item, span)
                };
                let any = Having::Or(list.iter().map(one).collect::<Result<_, Refusal>>()?);
                Ok(if *negated { Having::Not(Box::new(any)) } else { any })
            }
            _ => Err(unsupported(span, "this condition of groups")),
        }
    }

    /// A value of a group; a name may be that of a column of the result. A number is no column's place here.
    fn of_group(&mut self, expr: &Expr, scope: Scope) -> Result<Outcome, Refusal> {
        let expr = if number(expr).is_some() { expr.clone() } else { self.named(expr).clone() };
        self.outcome(&expr, scope)
    }

    fn compared(
        &self,
        comparison: Comparison,
        a: Outcome,
        b: Outcome,
        span: Span,
    ) -> Result<Having, Refusal> {
        let dated = |constant: Outcome, other: Type| match constant {
            Outcome::Constant(Value::Text(text), _) if other == Type::Date => match date::parse(&text) {
                Some(days) => Ok(Outcome::Constant(Value::Date(days), Type::Date)),
                None => Err(Box::new(mismatch(span, &format!("the text `{text}`"), "a date"))),
            },
            outcome => Ok(outcome),
        };
        let (left, right) = (self.outcome_ty(&a), self.outcome_ty(&b));
        self.means_of_group(&a, right);
        self.means_of_group(&b, left);
        let (a, b) = (dated(a, right)?, dated(b, left)?);
        let (left, right) = (self.outcome_ty(&a), self.outcome_ty(&b));
        if left != right && !(left.is_number() && right.is_number()) {
            return Err(Box::new(mismatch(span, &right.to_string(), &left.to_string())));
        }
        Ok(Having::Compare(comparison, a, b))
    }
}
