//! Conditions of rows: comparisons of values of one type, patterns, lists, and columns of truth values.

use super::values::mismatch;
use super::{Resolver, Scope, chains};
use crate::query::{Comparison, Condition, Scalar};
use crate::sql::{TWO_QUERIES, instead, unsupported};
use crate::table::{Type, Value, Values};
use crate::text::Refusal;
use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};
use std::sync::Arc;

impl Resolver<'_> {
    /// What an expression says of each row.
    pub(super) fn condition(&self, expr: &Expr, scope: Scope) -> Result<Condition, Refusal> {
        let span = self.span(expr);
        let negated =
            |condition, negated: bool| if negated { Condition::Not(Box::new(condition)) } else { condition };
        match expr {
            Expr::Nested(inner) => self.condition(inner, scope),
            Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => {
                Ok(Condition::Not(Box::new(self.condition(inner, scope)?)))
            }
            Expr::BinaryOp { op: op @ (BinaryOperator::And | BinaryOperator::Or), .. } => {
                let parts = chains::parts(expr, op).into_iter().map(|part| self.condition(part, scope));
                let parts = parts.collect::<Result<Vec<_>, Refusal>>()?;
                Ok(if *op == BinaryOperator::And { Condition::And(parts) } else { Condition::Or(parts) })
            }
            Expr::BinaryOp { left, op, right } => {
                let comparison = match op {
                    BinaryOperator::Eq => Comparison::Eq,
                    BinaryOperator::NotEq => Comparison::Ne,
                    BinaryOperator::Lt => Comparison::Lt,
                    BinaryOperator::LtEq => Comparison::Le,
                    BinaryOperator::Gt => Comparison::Gt,
                    BinaryOperator::GtEq => Comparison::Ge,
                    _ => return Err(unsupported(span, &format!("`{op}` as a condition"))),
                };
                let (a, b) = self.alike(self.scalar(left, scope)?, self.scalar(right, scope)?, span)?;
                Ok(Condition::Compare(comparison, a, b))
            }
            Expr::Between { expr: inner, negated: is_negated, low, high } => {
                let value = self.scalar(inner, scope)?;
                let (a, low) = self.alike(value.clone(), self.scalar(low, scope)?, span)?;
                let (b, high) = self.alike(value, self.scalar(high, scope)?, span)?;
                let low = Condition::Compare(Comparison::Ge, a, low);
                let high = Condition::Compare(Comparison::Le, b, high);
                Ok(negated(Condition::And(vec![low, high]), *is_negated))
            }
            Expr::InList { expr: inner, list, negated: is_negated } => {
                let value = self.scalar(inner, scope)?;
                if list.len() > chains::SHORT
                    && let Scalar::Column(of, ty) = value
                {
                    let items = list.iter().map(|item| self.scalar(item, scope));
                    let items = items.collect::<Result<Vec<_>, Refusal>>()?;
                    items.iter().for_each(|item| self.means_like(&value, item));
                    if let Some(among) = chains::among(ty, &items) {
                        return Ok(negated(Condition::Among(of, Arc::new(among)), *is_negated));
                    }
                }
                let one = |item: &Expr| {
                    let (a, b) = self.alike(value.clone(), self.scalar(item, scope)?, span)?;
                    Ok(Condition::Compare(Comparison::Eq, a, b))
                };
                let any = list.iter().map(one).collect::<Result<Vec<_>, Refusal>>()?;
                Ok(negated(Condition::Or(any), *is_negated))
            }
            Expr::Like { negated: is_negated, any: false, expr: inner, pattern, escape_char: None } => {
                let pattern = match self.scalar(pattern, scope)? {
                    Scalar::Constant(Value::Text(pattern), _) => pattern,
                    _ => return Err(unsupported(span, "`like` of a pattern that is no constant")),
                };
                let value = self.scalar(inner, scope)?;
                self.means(&value, Type::Text);
                match value {
                    Scalar::Column(column, Type::Text) => {
                        Ok(negated(Condition::Like(column, pattern), *is_negated))
                    }
                    other => Err(Box::new(mismatch(
                        span,
                        &format!("`like` of {}", other.ty()),
                        "a column of texts",
                    ))),
                }
            }
            Expr::InSubquery { .. } | Expr::Exists { .. } => {
                Err(instead(span, "a query in a condition", TWO_QUERIES))
            }
            Expr::IsNull(_) | Expr::IsNotNull(_) => {
                let rewrite = "compare with what `--empty TABLE.COLUMN=VALUE` reads an empty field as; without it there is none";
                Err(instead(span, "`is null`, where there are no nulls,", rewrite))
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) => self.truth(expr, scope),
            _ => Err(unsupported(span, "this condition")),
        }
    }

    /// A truth value, which is one of two texts.
    fn truth(&self, expr: &Expr, scope: Scope) -> Result<Condition, Refusal> {
        let (value, span) = (self.scalar(expr, scope)?, self.span(expr));
        self.means(&value, Type::Text);
        let is_truth = |text: &String| text == "true" || text == "false";
        let fits = match &value {
            Scalar::Column(of, Type::Text) => {
                let values = &self.tables[self.sources[of.source].table].columns[of.column].values;
                matches!(values, Values::Text(texts, _) if texts.iter().all(is_truth))
            }
            Scalar::Constant(Value::Text(text), _) => is_truth(text),
            _ => false,
        };
        if !fits {
            let found = format!("a value of the type {}", value.ty());
            return Err(Box::new(mismatch(span, &found, "a condition, or a column of `true` and `false`,")));
        }
        let holds = Scalar::Constant(Value::Text("true".to_owned()), Type::Text);
        Ok(Condition::Compare(Comparison::Eq, value, holds))
    }
}
