//! Long sums, long conditions, long cases and long lists, which programs write.
//!
//! A text that is long is not deep, but a parser's tree of it is: `a + b + c` nests as deep as it is long. So
//! chains are visited, and become a tree as flat as it can be where that changes nothing,
//! which is so of exact numbers and of conditions; floating-point numbers are added from left to right. A
//! long list of constants becomes a set, in which the value of a row is looked up.

use super::values::{alike, arithmetic};
use crate::date;
use crate::query::{Among, Condition, Operation, Scalar};
use crate::table::{Type, Value, power};
use crate::text::Refusal;
use atl_diag::Span;
use sqlparser::ast::{BinaryOperator, Expr};

/// Up to this length a chain, a list or a case is taken as it is written.
pub(super) const SHORT: usize = 16;

/// The parts that this operator joins, in order, whatever their parentheses.
pub(super) fn parts<'e>(expr: &'e Expr, joined: &BinaryOperator) -> Vec<&'e Expr> {
    let (mut parts, mut open) = (Vec::new(), vec![expr]);
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryOp { left, op, right } if op == joined => open.extend([&**right, &**left]),
            Expr::Nested(inner) => open.push(inner),
            part => parts.push(part),
        }
    }
    parts
}

/// The terms of a sum, each with the operation before it: that of the first is an addition.
pub(super) fn terms(expr: &Expr) -> Vec<(Operation, &Expr)> {
    let (mut terms, mut rest) = (Vec::new(), expr);
    while let Expr::BinaryOp { left, op: op @ (BinaryOperator::Plus | BinaryOperator::Minus), right } = rest {
        let sign = if *op == BinaryOperator::Plus { Operation::Add } else { Operation::Sub };
        // A date is shifted by intervals one after the other, and a chain of these is short.
        if matches!(**right, Expr::Interval(_)) {
            return Vec::new();
        }
        terms.push((sign, &**right));
        rest = left;
    }
    terms.push((Operation::Add, rest));
    terms.reverse();
    terms
}

/// The sum of terms.
pub(super) fn sum(terms: Vec<(Operation, Scalar)>, span: Span) -> Result<Scalar, Refusal> {
    let zero = Scalar::Constant(Value::Decimal(0, 0), Type::Int);
    if terms.iter().all(|(_, term)| term.ty().scale().is_some()) {
        let (added, taken): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|(sign, _)| *sign == Operation::Add);
        let side = |terms: Vec<(Operation, Scalar)>| {
            balanced(terms.into_iter().map(|(_, term)| term).collect(), zero.clone(), span)
        };
        let added = side(added)?;
        return if taken.is_empty() {
            Ok(added)
        } else {
            arithmetic(Operation::Sub, added, side(taken)?, span)
        };
    }
    let mut terms = terms.into_iter();
    let first = terms.next().map_or(zero, |(_, first)| first);
    terms.try_fold(first, |sum, (sign, term)| arithmetic(sign, sum, term, span))
}

fn balanced(mut terms: Vec<Scalar>, zero: Scalar, span: Span) -> Result<Scalar, Refusal> {
    while terms.len() > 1 {
        let mut pairs = terms.into_iter();
        terms = Vec::new();
        while let Some(first) = pairs.next() {
            terms.push(match pairs.next() {
                Some(second) => arithmetic(Operation::Add, first, second, span)?,
                None => first,
            });
        }
    }
    Ok(terms.pop().unwrap_or(zero))
}

/// The value of the first case whose condition holds, or else this one.
pub(super) fn cases(
    mut cases: Vec<(Condition, Scalar)>,
    last: Scalar,
    span: Span,
) -> Result<Scalar, Refusal> {
    let choice = |condition, then, rest| {
        let (then, rest) = alike(then, rest, span)?;
        let ty = then.ty();
        Ok(Scalar::Case(Box::new(condition), Box::new(then), Box::new(rest), ty))
    };
    if cases.len() <= SHORT {
        return cases
            .into_iter()
            .rev()
            .try_fold(last, |rest, (condition, then)| choice(condition, then, rest));
    }
    let second = self::cases(cases.split_off(cases.len() / 2), last, span)?;
    let any = Condition::Or(cases.iter().map(|(condition, _)| condition.clone()).collect());
    // Where one of the first holds, and no other does, it is their last.
    match cases.pop() {
        Some((_, then)) => choice(any, self::cases(cases, then, span)?, second),
        None => Ok(second),
    }
}

/// Constants as values that a column of this type may have; none if one of them is no constant, or is to be
/// converted otherwise.
pub(super) fn among(ty: Type, items: &[Scalar]) -> Option<Among> {
    let constants =
        items.iter().map(|item| if let Scalar::Constant(value, _) = item { Some(value) } else { None });
    match (ty, ty.scale()) {
        (Type::Text, _) => {
            let text = |value: Option<&Value>| {
                if let Some(Value::Text(text)) = value { Some(text.clone()) } else { None }
            };
            Some(Among::Texts(constants.map(text).collect::<Option<_>>()?))
        }
        (Type::Date, _) => {
            let day = |value: Option<&Value>| match value {
                Some(Value::Date(days)) => Some(i64::from(*days)),
                Some(Value::Text(text)) => date::parse(text).map(i64::from),
                _ => None,
            };
            Some(Among::Numbers(constants.map(day).collect::<Option<_>>()?))
        }
        (_, Some(scale)) => {
            let number = |value: Option<&Value>| {
                let Some(Value::Decimal(digits, after)) = value else { return None };
                let (more, fewer) =
                    (power(scale.saturating_sub(*after))?, power(after.saturating_sub(scale))?);
                // A number with digits that the column has not is not one of its values, as is what is too
                // large for it.
                let whole = (digits % fewer == 0).then(|| (digits / fewer).checked_mul(more)).flatten();
                Some(whole.and_then(|number| i64::try_from(number).ok()))
            };
            let numbers = constants.map(number).collect::<Option<Vec<_>>>()?;
            Some(Among::Numbers(numbers.into_iter().flatten().collect()))
        }
        _ => None,
    }
}
