//! How large numbers become, so that nothing wraps.
//!
//! The kernels add up integers of 64 bits. What the least and greatest value of each column are is known when
//! a query meets its data; by interval arithmetic follows how large each expression may be, and times the
//! number of rows, each sum. What may leave 64 bits is refused before anything runs.

use crate::date;
use crate::query::{ColumnOf, Condition, Operation, Part, Scalar};
use crate::table::{Type, Value, Values, power};
use crate::text::Refusal;
use atl_diag::{Span, err};

/// The least and the greatest that a number may be.
type Interval = (i128, i128);

/// The least and the greatest of a column, exact numbers and dates.
pub(crate) fn ends(values: &Values) -> Option<(i64, i64)> {
    match values {
        Values::Int(values) | Values::Decimal(_, values) => {
            values.iter().copied().min().zip(values.iter().copied().max())
        }
        Values::Date(values) | Values::Text(_, values) => {
            values.iter().copied().min().map(i64::from).zip(values.iter().copied().max().map(i64::from))
        }
        Values::Float(_) => None,
    }
}

/// How large an exact expression may be, and each of its parts, which all fit 64 bits.
pub(crate) fn interval(
    scalar: &Scalar,
    column: &dyn Fn(ColumnOf) -> Option<(i64, i64)>,
    span: Span,
) -> Result<Interval, Refusal> {
    let within = |scalar: &Scalar| interval(scalar, column, span);
    let found = match scalar {
        Scalar::Column(of, _) => column(*of).map(|(a, b)| (i128::from(a), i128::from(b))).or(Some((0, 0))),
        Scalar::Constant(Value::Decimal(value, _), _) => Some((*value, *value)),
        Scalar::Constant(Value::Date(days), _) => Some((i128::from(*days), i128::from(*days))),
        Scalar::Constant(..) => Some((0, 0)),
        Scalar::Convert(inner, ty) => {
            let (a, b) = within(inner)?;
            if *ty == Type::Float {
                return Ok((0, 0));
            }
            let digits = ty.scale().zip(inner.ty().scale()).and_then(|(to, from)| to.checked_sub(from));
            digits.and_then(power).and_then(|power| a.checked_mul(power).zip(b.checked_mul(power)))
        }
        Scalar::Binary(operation, x, y, _) => {
            let ((a, b), (c, d)) = (within(x)?, within(y)?);
            match operation {
                Operation::Add => a.checked_add(c).zip(b.checked_add(d)),
                Operation::Sub => a.checked_sub(d).zip(b.checked_sub(c)),
                Operation::Mul | Operation::Div => {
                    let products = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.checked_mul(y));
                    let all = products.into_iter().collect::<Option<Vec<i128>>>();
                    all.and_then(|all| all.iter().copied().min().zip(all.iter().copied().max()))
                }
            }
        }
        Scalar::Part(part, of) => Some(match part {
            Part::Year => {
                let (first, last) = column(*of).unwrap_or((0, 0));
                let year = |days: i64| i32::try_from(days).map_or(0, |days| i128::from(date::date(days).0));
                (year(first), year(last))
            }
            Part::Month => (1, 12),
            Part::Day => (1, 31),
        }),
        Scalar::Case(condition, x, y, _) => {
            condition_fits(condition, column, span)?;
            let ((a, b), (c, d)) = (within(x)?, within(y)?);
            Some((a.min(c), b.max(d)))
        }
    };
    let fits = |(a, b): &Interval| i64::try_from(*a).is_ok() && i64::try_from(*b).is_ok();
    match found {
        Some(found) if scalar.ty() == Type::Float || fits(&found) => Ok(found),
        _ => Err(too_large(span, "a value")),
    }
}

/// What a condition compares fits 64 bits.
pub(crate) fn condition_fits(
    condition: &Condition,
    column: &dyn Fn(ColumnOf) -> Option<(i64, i64)>,
    span: Span,
) -> Result<(), Refusal> {
    match condition {
        Condition::Compare(_, a, b) => {
            [a, b].into_iter().try_for_each(|part| interval(part, column, span).map(drop))
        }
        Condition::Like(..) | Condition::Among(..) => Ok(()),
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().try_for_each(|part| condition_fits(part, column, span))
        }
        Condition::Not(inner) => condition_fits(inner, column, span),
    }
}

/// The number of rows whose sum fits 64 bits.
pub(crate) fn sum_fits((least, most): Interval, rows: u128, span: Span) -> Result<(), Refusal> {
    let size = least.unsigned_abs().max(most.unsigned_abs());
    match size.checked_mul(rows) {
        Some(sum) if sum <= i64::MAX.unsigned_abs().into() => Ok(()),
        _ => Err(too_large(span, &format!("the sum of {rows} rows with values from {least} to {most}"))),
    }
}

fn too_large(span: Span, what: &str) -> Refusal {
    Box::new(
        err!(E0547, span, "{what} may leave 64 bits")
            .label("this is exact, and would wrap around")
            .note("numbers are counted without their points; the bound follows from the least and the greatest value of each column")
            .help("use fewer digits after the point, or take a part of the rows"),
    )
}
