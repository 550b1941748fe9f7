//! Constants, and operations on values: exact numbers get as many digits after the point as they need, dates
//! are shifted.

use crate::date;
use crate::query::{Operation, Part, Scalar};
use crate::sql::{plain_name, unsupported};
use crate::table::{Type, Value, power};
use crate::text::Refusal;
use atl_diag::{Diagnostic, Span, err};
use sqlparser::ast::{
    BinaryOperator, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Value as Literal,
};

pub(super) fn mismatch(span: Span, found: &str, expected: &str) -> Diagnostic {
    err!(E0546, span, "{found}, where {expected} would be expected")
        .label("this")
        .help("compare and add up values of one type")
}

/// A whole number that stands alone.
pub(super) fn number(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Value(literal) => match &literal.value {
            Literal::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn operation(op: &BinaryOperator) -> Option<Operation> {
    match op {
        BinaryOperator::Plus => Some(Operation::Add),
        BinaryOperator::Minus => Some(Operation::Sub),
        BinaryOperator::Multiply => Some(Operation::Mul),
        BinaryOperator::Divide => Some(Operation::Div),
        _ => None,
    }
}

/// A number, with the minus before it: there is one more negative integer than positive ones.
pub(super) fn number_of(digits: &str, sign: &str, span: Span) -> Result<Scalar, Refusal> {
    let exact = || {
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let value: i128 = format!("{sign}{whole}{part}").parse().ok()?;
        let scale = u8::try_from(part.len()).ok().filter(|scale| *scale <= 18)?;
        i64::try_from(value).is_ok().then_some((value, scale))
    };
    match exact() {
        Some((value, 0)) => Ok(Scalar::Constant(Value::Decimal(value, 0), Type::Int)),
        Some((value, scale)) => Ok(Scalar::Constant(Value::Decimal(value, scale), Type::Decimal(scale))),
        None => match format!("{sign}{digits}").parse::<f64>() {
            Ok(value) if value.is_finite() && digits.contains(['e', 'E']) => {
                Ok(Scalar::Constant(Value::Float(value), Type::Float))
            }
            _ => Err(Box::new(mismatch(span, "a number of more than 64 bits", "a smaller one"))),
        },
    }
}

/// A literal.
pub(super) fn constant(literal: &Literal, span: Span) -> Result<Scalar, Refusal> {
    match literal {
        Literal::Number(digits, _) => number_of(digits, "", span),
        Literal::SingleQuotedString(text) => Ok(Scalar::Constant(Value::Text(text.clone()), Type::Text)),
        Literal::Boolean(truth) => Ok(Scalar::Constant(Value::Text(truth.to_string()), Type::Text)),
        Literal::Null => Err(unsupported(span, "`null`")),
        other => Err(unsupported(span, &format!("the literal `{other}`"))),
    }
}

pub(super) fn day(text: &str, span: Span) -> Result<Scalar, Refusal> {
    match date::parse(text) {
        Some(days) => Ok(Scalar::Constant(Value::Date(days), Type::Date)),
        None => {
            let message = err!(E0546, span, "`{text}` is no date").label("not a date");
            Err(Box::new(match date::is_written(text) {
                true => message.note("the calendar has no such day").help("write a day that there is"),
                false => message.help("dates are written as 1994-01-31"),
            }))
        }
    }
}

pub(super) fn as_date(value: Scalar, span: Span) -> Result<Scalar, Refusal> {
    match value {
        Scalar::Constant(Value::Text(text), _) => day(&text, span),
        value if value.ty() == Type::Date => Ok(value),
        value => Err(Box::new(mismatch(span, &value.ty().to_string(), "a date"))),
    }
}

/// A constant date, so much later.
pub(super) fn shifted(
    value: Scalar,
    operation: Operation,
    interval: &sqlparser::ast::Interval,
    span: Span,
) -> Result<Scalar, Refusal> {
    let Scalar::Constant(Value::Date(days), _) = value else {
        return Err(unsupported(span, "an interval added to what is no constant date"));
    };
    let plain = interval.leading_precision.is_none()
        && interval.last_field.is_none()
        && interval.fractional_seconds_precision.is_none();
    let count = match &*interval.value {
        Expr::Value(literal) => match &literal.value {
            Literal::Number(digits, _) | Literal::SingleQuotedString(digits) => {
                digits.trim().parse::<i32>().ok()
            }
            _ => None,
        },
        _ => None,
    };
    let count = match operation {
        Operation::Add => count,
        Operation::Sub => count.and_then(i32::checked_neg),
        Operation::Mul | Operation::Div => None,
    };
    let later = count.filter(|_| plain).and_then(|count| match interval.leading_field {
        Some(DateTimeField::Year | DateTimeField::Years) => date::later(days, count.checked_mul(12)?),
        Some(DateTimeField::Month | DateTimeField::Months) => date::later(days, count),
        Some(DateTimeField::Day | DateTimeField::Days) => {
            let days = days.checked_add(count)?;
            // It is a date of four digits again.
            date::parse(&date::text(days)).filter(|again| *again == days)
        }
        _ => None,
    });
    match later {
        Some(days) => Ok(Scalar::Constant(Value::Date(days), Type::Date)),
        None => Err(unsupported(
            span,
            "an interval other than `interval '3' month`, of a whole number of days, months or years,",
        )),
    }
}

/// Two values of one type, so that they can be compared.
pub(super) fn alike(a: Scalar, b: Scalar, span: Span) -> Result<(Scalar, Scalar), Refusal> {
    let (left, right) = (a.ty(), b.ty());
    match (left, right) {
        _ if left == right => Ok((a, b)),
        (Type::Date, Type::Text) => Ok((a, as_date(b, span)?)),
        (Type::Text, Type::Date) => Ok((as_date(a, span)?, b)),
        _ if left.is_number() && right.is_number() => {
            let common = match (left.scale(), right.scale()) {
                (Some(left), Some(right)) => Type::Decimal(left.max(right)),
                _ => Type::Float,
            };
            Ok((convert(a, common, span)?, convert(b, common, span)?))
        }
        _ => Err(Box::new(
            err!(E0546, span, "{left} beside {right}")
                .label("these have no order or sum")
                .help("compare and add up values of one type"),
        )),
    }
}

/// A number as another type of numbers, which has all its digits.
pub(super) fn convert(value: Scalar, ty: Type, span: Span) -> Result<Scalar, Refusal> {
    if value.ty() == ty {
        return Ok(value);
    }
    let Scalar::Constant(Value::Decimal(digits, scale), _) = value else {
        return Ok(Scalar::Convert(Box::new(value), ty));
    };
    match ty.scale() {
        Some(wanted) => {
            let scaled =
                wanted.checked_sub(scale).and_then(power).and_then(|power| digits.checked_mul(power));
            let scaled = scaled.filter(|scaled| i64::try_from(*scaled).is_ok());
            let scaled = scaled.ok_or_else(|| too_many_digits(span))?;
            Ok(Scalar::Constant(Value::Decimal(scaled, wanted), ty))
        }
        None => {
            let text = Value::Decimal(digits, scale).to_string();
            Ok(Scalar::Constant(Value::Float(text.parse().map_err(|_| too_many_digits(span))?), ty))
        }
    }
}

pub(super) fn too_many_digits(span: Span) -> Refusal {
    let message = err!(E0546, span, "this needs more digits than exact numbers have");
    Box::new(message.label("18 after the point are the most").help("use fewer digits after the point"))
}

/// A refusal of an operation on values of these types.
pub(super) fn no_arithmetic(operation: Operation, left: Type, right: Type, span: Span) -> Refusal {
    Box::new(
        err!(E0546, span, "{left} `{}` {right} has no value", operation.sign())
            .label("this")
            .note("arithmetic is of numbers; the difference of two dates is the number of days between them")
            .help("take numbers, or the difference of two dates: `d - date '2024-01-31'`"),
    )
}

/// A part of a date: of a column, or of a constant, which is one, too.
pub(super) fn part_of(part: Part, value: Scalar, span: Span) -> Result<Scalar, Refusal> {
    match value {
        Scalar::Column(column, Type::Date) => Ok(Scalar::Part(part, column)),
        Scalar::Constant(Value::Date(days), _) => {
            Ok(Scalar::Constant(Value::Decimal(i128::from(date::part(part, days)), 0), Type::Int))
        }
        other => {
            Err(Box::new(mismatch(span, &format!("a part of {}", other.ty()), "one of a column of dates")))
        }
    }
}

/// The part of a date that a function is, `year(d)`, and of what.
pub(super) fn part_function(function: &Function) -> Option<(Part, &Expr)> {
    let parts = [("year", Part::Year), ("month", Part::Month), ("day", Part::Day)];
    let name = plain_name(&function.name)?;
    let (_, part) = parts.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known))?;
    let is_plain = function.filter.is_none()
        && function.over.is_none()
        && function.null_treatment.is_none()
        && function.within_group.is_empty()
        && matches!(function.parameters, FunctionArguments::None);
    match &function.args {
        FunctionArguments::List(list)
            if is_plain && list.duplicate_treatment.is_none() && list.clauses.is_empty() =>
        {
            match list.args.as_slice() {
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] => Some((part, inner)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A sum, difference or product of numbers, or the days between two dates.
pub(super) fn arithmetic(operation: Operation, a: Scalar, b: Scalar, span: Span) -> Result<Scalar, Refusal> {
    let (left, right) = (a.ty(), b.ty());
    if (operation, left, right) == (Operation::Sub, Type::Date, Type::Date) {
        return Ok(match (&a, &b) {
            (Scalar::Constant(Value::Date(a), _), Scalar::Constant(Value::Date(b), _)) => {
                Scalar::Constant(Value::Decimal(i128::from(*a) - i128::from(*b), 0), Type::Int)
            }
            _ => Scalar::Binary(operation, Box::new(a), Box::new(b), Type::Int),
        });
    }
    if !left.is_number() || !right.is_number() {
        return Err(no_arithmetic(operation, left, right, span));
    }
    let (a, b, ty) = match (operation, left.scale(), right.scale()) {
        (Operation::Mul, Some(left), Some(right)) => {
            let scale =
                left.checked_add(right).filter(|scale| *scale <= 18).ok_or_else(|| too_many_digits(span))?;
            (a, b, if scale == 0 { Type::Int } else { Type::Decimal(scale) })
        }
        _ => {
            let (a, b) = match (left.scale(), right.scale()) {
                (Some(_), Some(_)) => alike(a, b, span)?,
                _ => (convert(a, Type::Float, span)?, convert(b, Type::Float, span)?),
            };
            let ty = a.ty();
            (a, b, ty)
        }
    };
    // Constants are worked out.
    if let (Scalar::Constant(Value::Decimal(x, _), _), Scalar::Constant(Value::Decimal(y, _), _)) = (&a, &b) {
        let value = match operation {
            Operation::Add => x.checked_add(*y),
            Operation::Sub => x.checked_sub(*y),
            Operation::Mul => x.checked_mul(*y),
            Operation::Div => None,
        };
        let value =
            value.filter(|value| i64::try_from(*value).is_ok()).ok_or_else(|| too_many_digits(span))?;
        return Ok(Scalar::Constant(Value::Decimal(value, ty.scale().unwrap_or(0)), ty));
    }
    Ok(Scalar::Binary(operation, Box::new(a), Box::new(b), ty))
}
