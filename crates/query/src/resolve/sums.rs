//! What is added up: calls of `count`, `sum`, `avg`, `min` and `max`.

use super::values::mismatch;
use super::{Resolver, Scope};
use crate::query::{Aggregate, Operation, Outcome};
use crate::sql::{instead, unsupported};
use crate::text::Refusal;
use atl_diag::Span;
use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

impl Resolver<'_> {
    /// A sum, or what is made of sums.
    pub(super) fn aggregated(&mut self, name: &str, expr: &Expr, scope: Scope) -> Result<Outcome, Refusal> {
        let span = self.span(expr);
        let Expr::Function(function) = expr else { return Err(unsupported(span, "this")) };
        let list = match &function.args {
            FunctionArguments::List(list)
                if list.duplicate_treatment.is_none() && list.clauses.is_empty() =>
            {
                list
            }
            _ => {
                let rewrite = "ask for `select distinct a, c from R` with `--out D.csv`; then `count(*)` and other sums of `D`";
                return Err(instead(span, "`distinct` or a clause in a sum", rewrite));
            }
        };
        let is_plain = function.filter.is_none()
            && function.null_treatment.is_none()
            && function.within_group.is_empty()
            && matches!(function.parameters, FunctionArguments::None);
        if !is_plain {
            let rewrite =
                format!("write the condition into the sum: `{name}(case when … then … else 0 end)`");
            return Err(instead(span, "`filter` in a sum", &rewrite));
        }
        let [FunctionArg::Unnamed(argument)] = list.args.as_slice() else {
            return Err(unsupported(span, &format!("`{name}` of several arguments or none")));
        };
        if name == "count" {
            // Nothing is null, so every row counts.
            if let FunctionArgExpr::Expr(inner) = argument {
                self.scalar(inner, scope)?;
            }
            return Ok(self.added(Aggregate::Count, span));
        }
        let FunctionArgExpr::Expr(inner) = argument else {
            return Err(unsupported(span, &format!("`{name}(*)`")));
        };
        let value = self.scalar(inner, scope)?;
        let ty = value.ty();
        match name {
            "sum" | "avg" if ty.is_number() => {
                let sum = self.added(Aggregate::Sum(value), span);
                if name == "sum" {
                    return Ok(sum);
                }
                let count = self.added(Aggregate::Count, span);
                Ok(Outcome::Binary(Operation::Div, Box::new(sum), Box::new(count)))
            }
            "min" => Ok(self.added(Aggregate::Min(value), span)),
            "max" => Ok(self.added(Aggregate::Max(value), span)),
            _ => Err(Box::new(mismatch(span, &format!("`{name}` of {ty}"), "numbers"))),
        }
    }

    /// What is added up, once.
    fn added(&mut self, aggregate: Aggregate, span: Span) -> Outcome {
        let known = self.aggregates.iter().position(|(known, _)| *known == aggregate);
        Outcome::Aggregate(known.unwrap_or_else(|| {
            self.aggregates.push((aggregate, span));
            self.aggregates.len() - 1
        }))
    }
}
