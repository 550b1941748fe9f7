//! Values of rows that stand together, a column at a time, before anything is compiled.
//!
//! What groups rows, and what a least or greatest value is taken of, may be any value of a row. Of such a
//! value the program has the place among all that there are, as it has of a text: so the values are computed
//! here, once, when a query is prepared.

use crate::date;
use crate::like::matching;
use crate::order::order;
use crate::query::{Among, ColumnOf, Condition, Operation, Query, Scalar};
use crate::table::{Table, Type, Value, Values, power};
use std::sync::Arc;

/// There is no such row.
pub(crate) const NONE: u32 = u32::MAX;

/// Rows that stand together: at each place one of each source.
pub(crate) struct Rows<'a> {
    pub(crate) query: &'a Query,
    pub(crate) tables: &'a [Table],
    /// How many places there are.
    pub(crate) len: usize,
    /// For each source its rows in order; none where it is not there. A row may be [`NONE`], whose values are
    /// any.
    pub(crate) of: Vec<Option<Arc<Vec<u32>>>>,
}

impl Rows<'_> {
    fn column(&self, of: ColumnOf) -> Values {
        let values = &self.tables[self.query.sources[of.source].table].columns[of.column].values;
        match &self.of[of.source] {
            Some(rows) => values.take_or(rows),
            None => values.take_or(&vec![NONE; self.len]),
        }
    }

    /// The values at each place.
    pub(crate) fn values(&self, scalar: &Scalar) -> Values {
        match scalar {
            Scalar::Column(of, _) => self.column(*of),
            Scalar::Constant(value, ty) => constant(value, *ty, self.len),
            Scalar::Convert(inner, ty) => converted(&self.values(inner), *ty),
            Scalar::Part(part, of) => match self.column(*of) {
                Values::Date(days) => Values::Int(Arc::new(
                    days.iter().map(|days| i64::from(date::part(*part, *days))).collect(),
                )),
                other => other,
            },
            Scalar::Binary(operation, a, b, ty) => {
                computed(*operation, &self.values(a), &self.values(b), *ty)
            }
            Scalar::Case(condition, a, b, _) => {
                chosen(&self.hold(condition), &self.values(a), &self.values(b))
            }
        }
    }

    /// Whether a condition holds at each place.
    pub(crate) fn hold(&self, condition: &Condition) -> Vec<bool> {
        match condition {
            Condition::Compare(comparison, a, b) => {
                let (a, b) = (self.values(a), self.values(b));
                let holds = |order: std::cmp::Ordering| comparison.holds(order);
                match (&a, &b) {
                    (Values::Int(a), Values::Int(b)) => pairs(a, b, |a, b| holds(a.cmp(&b))),
                    (Values::Decimal(s, a), Values::Decimal(t, b)) if s == t => {
                        pairs(a, b, |a, b| holds(a.cmp(&b)))
                    }
                    (Values::Date(a), Values::Date(b)) => pairs(a, b, |a, b| holds(a.cmp(&b))),
                    (Values::Float(a), Values::Float(b)) => {
                        pairs(a, b, |a: f64, b| a.partial_cmp(&b).is_some_and(holds))
                    }
                    _ => {
                        let at = |row| order(&a.get(row)?, &b.get(row)?);
                        (0..self.len).map(|row| at(row).is_some_and(holds)).collect()
                    }
                }
            }
            Condition::Like(of, pattern) => match self.column(*of) {
                Values::Text(texts, codes) => {
                    let matches = matching(pattern, &texts);
                    codes.iter().map(|code| matches[usize::try_from(*code).unwrap_or(0)]).collect()
                }
                _ => vec![false; self.len],
            },
            Condition::Among(of, among) => members(&self.column(*of), among),
            Condition::And(parts) => self.joined(parts, true),
            Condition::Or(parts) => self.joined(parts, false),
            Condition::Not(inner) => self.hold(inner).into_iter().map(|holds| !holds).collect(),
        }
    }

    fn joined(&self, parts: &[Condition], all: bool) -> Vec<bool> {
        parts.iter().fold(vec![all; self.len], |found, part| {
            let hold = self.hold(part);
            found.into_iter().zip(hold).map(|(a, b)| if all { a && b } else { a || b }).collect()
        })
    }
}

fn pairs<T: Copy, U>(a: &[T], b: &[T], of: impl Fn(T, T) -> U) -> Vec<U> {
    a.iter().zip(b).map(|(a, b)| of(*a, *b)).collect()
}

fn constant(value: &Value, ty: Type, len: usize) -> Values {
    match (value, ty) {
        (Value::Decimal(value, scale), Type::Decimal(_)) => {
            Values::Decimal(*scale, Arc::new(vec![i64::try_from(*value).unwrap_or(0); len]))
        }
        (Value::Decimal(value, _), _) => Values::Int(Arc::new(vec![i64::try_from(*value).unwrap_or(0); len])),
        (Value::Int(value), _) => Values::Int(Arc::new(vec![*value; len])),
        (Value::Float(value), _) => Values::Float(Arc::new(vec![*value; len])),
        (Value::Date(days), _) => Values::Date(Arc::new(vec![*days; len])),
        (Value::Text(text), _) => Values::Text(Arc::new(vec![text.clone()]), Arc::new(vec![0; len])),
        (Value::Null, _) => Values::Int(Arc::new(vec![0; len])),
    }
}

/// Exact numbers without their points; days are exact, too.
fn exact(values: &Values) -> Arc<Vec<i64>> {
    match values {
        Values::Int(values) | Values::Decimal(_, values) => values.clone(),
        Values::Date(values) | Values::Text(_, values) => {
            Arc::new(values.iter().map(|v| i64::from(*v)).collect())
        }
        Values::Float(values) => Arc::new(vec![0; values.len()]),
    }
}

fn floats(values: &Values) -> Arc<Vec<f64>> {
    match values {
        Values::Float(values) => values.clone(),
        other => {
            let power = power(other.ty().scale().unwrap_or(0)).unwrap_or(1) as f64;
            Arc::new(exact(other).iter().map(|value| *value as f64 / power).collect())
        }
    }
}

/// Exact numbers as values of an exact type.
fn typed(values: Vec<i64>, ty: Type) -> Values {
    match ty {
        Type::Decimal(scale) => Values::Decimal(scale, Arc::new(values)),
        _ => Values::Int(Arc::new(values)),
    }
}

fn converted(values: &Values, ty: Type) -> Values {
    let (Some(from), Some(to)) = (values.ty().scale(), ty.scale()) else {
        return Values::Float(floats(values));
    };
    let factor = power(to.saturating_sub(from)).and_then(|power| i64::try_from(power).ok()).unwrap_or(1);
    typed(exact(values).iter().map(|value| value.wrapping_mul(factor)).collect(), ty)
}

/// What the rows have fits 64 bits, which is known before; that of no row is any.
fn computed(operation: Operation, a: &Values, b: &Values, ty: Type) -> Values {
    if ty == Type::Float {
        let of = |a: f64, b: f64| match operation {
            Operation::Add => a + b,
            Operation::Sub => a - b,
            Operation::Mul => a * b,
            Operation::Div => a / b,
        };
        return Values::Float(Arc::new(pairs(&floats(a), &floats(b), of)));
    }
    let of = |a: i64, b: i64| match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Sub => a.wrapping_sub(b),
        Operation::Mul => a.wrapping_mul(b),
        Operation::Div => a.checked_div(b).unwrap_or(0),
    };
    typed(pairs(&exact(a), &exact(b), of), ty)
}

/// The first where it holds, else the second.
fn chosen(hold: &[bool], a: &Values, b: &Values) -> Values {
    fn each<T: Copy>(hold: &[bool], a: &[T], b: &[T]) -> Arc<Vec<T>> {
        Arc::new(
            hold.iter().zip(a.iter().zip(b)).map(|(holds, (a, b))| if *holds { *a } else { *b }).collect(),
        )
    }
    match (a, b) {
        (Values::Int(a), Values::Int(b)) => Values::Int(each(hold, a, b)),
        (Values::Decimal(scale, a), Values::Decimal(_, b)) => Values::Decimal(*scale, each(hold, a, b)),
        (Values::Float(a), Values::Float(b)) => Values::Float(each(hold, a, b)),
        (Values::Date(a), Values::Date(b)) => Values::Date(each(hold, a, b)),
        (Values::Text(texts, a), Values::Text(others, b)) => {
            let mut all: Vec<String> = texts.iter().chain(others.iter()).cloned().collect();
            all.sort_unstable();
            all.dedup();
            let place = |text: &String| i32::try_from(all.partition_point(|known| known < text)).unwrap_or(0);
            let places = |texts: &[String]| texts.iter().map(place).collect::<Vec<i32>>();
            let (first, second) = (places(texts), places(others));
            let at = |places: &[i32], code: i32| places[usize::try_from(code).unwrap_or(0)];
            let each = hold.iter().zip(a.iter().zip(b.iter()));
            let codes = each.map(|(holds, (a, b))| if *holds { at(&first, *a) } else { at(&second, *b) });
            let codes = codes.collect();
            Values::Text(Arc::new(all), Arc::new(codes))
        }
        _ => a.clone(),
    }
}

/// Which values are among these.
pub(crate) fn members(values: &Values, among: &Among) -> Vec<bool> {
    match (values, among) {
        (Values::Int(all) | Values::Decimal(_, all), Among::Numbers(among)) => {
            all.iter().map(|value| among.contains(value)).collect()
        }
        (Values::Date(all), Among::Numbers(among)) => {
            all.iter().map(|day| among.contains(&i64::from(*day))).collect()
        }
        (Values::Text(all, codes), Among::Texts(among)) => {
            let known: Vec<bool> = all.iter().map(|text| among.contains(text)).collect();
            codes.iter().map(|code| known[usize::try_from(*code).unwrap_or(0)]).collect()
        }
        _ => vec![false; values.len()],
    }
}
