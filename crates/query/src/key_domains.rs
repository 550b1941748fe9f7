//! Key domains: the equivalence classes of columns that a query compares by `=`, each with one dictionary.
//!
//! The columns that conditions equate, directly or through other columns, form a domain. Its dictionary holds
//! the distinct values of its columns in order, and the texts that are compared with them; a column becomes
//! an array of codes, the places of its values in the dictionary. Values of any type are equal if their codes
//! are, and a code is an index into an array of the rows that have it.

use crate::query::{Aggregate, ColumnOf, Comparison, Condition, Query, Scalar};
use crate::table::{Table, Type, Values, power};
use crate::text::Refusal;
use atl_diag::{Span, err};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Columns with one dictionary.
#[derive(Clone, Debug)]
pub(crate) struct KeyDomain {
    /// How many distinct values there are.
    pub(crate) size: usize,
    /// The codes of each column, row by row.
    pub(crate) codes: BTreeMap<ColumnOf, Arc<Vec<i32>>>,
}

/// A plain column.
fn plain(scalar: &Scalar) -> Option<ColumnOf> {
    match scalar {
        Scalar::Column(column, _) => Some(*column),
        // Decimals of another scale are put into the dictionary by their values.
        Scalar::Convert(inner, ty) if ty.scale().is_some() => plain(inner),
        _ => None,
    }
}

/// The two columns that a condition says are equal.
pub(crate) fn equation(condition: &Condition) -> Option<(ColumnOf, ColumnOf)> {
    match condition {
        Condition::Compare(Comparison::Eq, a, b) => {
            let float = |scalar: &Scalar| scalar.ty().scale().is_none() && scalar.ty().is_number();
            plain(a).zip(plain(b)).filter(|(x, y)| x != y && !float(a) && !float(b))
        }
        _ => None,
    }
}

/// Columns in groups that what is joined shares, each with a place where two of them are compared.
#[derive(Clone, Default)]
struct Groups(Vec<(Vec<ColumnOf>, Span)>);

impl Groups {
    fn join(&mut self, a: ColumnOf, b: ColumnOf, span: Span) {
        let mut joined = vec![a, b];
        self.0.retain(|(group, _)| {
            let meets = group.contains(&a) || group.contains(&b);
            if meets {
                joined.extend(group.iter().copied());
            }
            !meets
        });
        joined.sort_unstable();
        joined.dedup();
        self.0.push((joined, span));
    }
}

/// Classes that a query makes: of columns that its equations make equal, and of each column of texts that is
/// only compared. Texts that are compared at all have one dictionary, so that codes have their order; that
/// does not make them equal.
pub(crate) fn key_domains(query: &Query, tables: &[Table]) -> Result<Vec<KeyDomain>, Refusal> {
    let (mut equal, mut ordered) = (Groups::default(), Groups::default());
    for (condition, span) in &query.conditions {
        if let Some((a, b)) = equation(condition) {
            equal.join(a, b, *span);
            ordered.join(a, b, *span);
        }
        texts(condition, &mut |a, b| ordered.join(a, b, *span));
    }
    let aggregates = query.aggregates.iter().filter_map(|(aggregate, span)| match aggregate {
        Aggregate::Count => None,
        Aggregate::Sum(scalar) | Aggregate::Min(scalar) | Aggregate::Max(scalar) => Some((scalar, span)),
    });
    for (scalar, span) in query.keys.iter().map(|(key, span)| (key, span)).chain(aggregates) {
        texts_within(scalar, &mut |a, b| ordered.join(a, b, *span));
    }
    let column = |of: &ColumnOf| &tables[query.sources[of.source].table].columns[of.column].values;
    let mut domains = Vec::new();
    for (members, span) in ordered.0 {
        let values: Vec<&Values> = members.iter().map(column).collect();
        let (size, codes) = encode(&values, span)?;
        let codes: BTreeMap<ColumnOf, Arc<Vec<i32>>> =
            members.into_iter().zip(codes.into_iter().map(Arc::new)).collect();
        let (parts, rest): (Vec<_>, Vec<_>) = codes
            .keys()
            .map(|of| equal.0.iter().position(|(group, _)| group.contains(of)).ok_or(*of))
            .partition(Result::is_ok);
        let parts: BTreeSet<usize> = parts.into_iter().flatten().collect();
        let named = parts.into_iter().map(|k| equal.0[k].0.clone());
        let alone = rest.into_iter().filter_map(Result::err).map(|of| vec![of]);
        domains.extend(named.chain(alone).map(|members| {
            let of = |member: ColumnOf| Some((member, codes.get(&member)?.clone()));
            KeyDomain { size, codes: members.into_iter().filter_map(of).collect() }
        }));
    }
    Ok(domains)
}

/// Pairs of columns of texts that a condition compares, or one within it.
fn texts(condition: &Condition, each: &mut dyn FnMut(ColumnOf, ColumnOf)) {
    match condition {
        Condition::Compare(_, Scalar::Column(a, Type::Text), Scalar::Column(b, _)) => each(*a, *b),
        Condition::Compare(_, a, b) => {
            texts_within(a, each);
            texts_within(b, each);
        }
        Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| texts(part, each)),
        Condition::Not(inner) => texts(inner, each),
        Condition::Like(..) | Condition::Among(..) => {}
    }
}

/// Pairs of columns of texts that a choice in a scalar compares.
fn texts_within(scalar: &Scalar, each: &mut dyn FnMut(ColumnOf, ColumnOf)) {
    match scalar {
        Scalar::Case(condition, a, b, _) => {
            texts(condition, each);
            texts_within(a, each);
            texts_within(b, each);
        }
        Scalar::Binary(_, a, b, _) => {
            texts_within(a, each);
            texts_within(b, each);
        }
        Scalar::Convert(inner, _) => texts_within(inner, each),
        Scalar::Column(..) | Scalar::Constant(..) | Scalar::Part(..) => {}
    }
}

/// How many distinct values columns have, and the codes of each.
pub(crate) fn encode(columns: &[&Values], span: Span) -> Result<(usize, Vec<Vec<i32>>), Refusal> {
    if columns.iter().all(|values| matches!(values, Values::Text(..))) {
        return Ok(encode_texts(columns));
    }
    let scale = columns.iter().filter_map(|values| values.ty().scale()).max().unwrap_or(0);
    let numbers = columns.iter().map(|values| numbers(values, scale));
    let Some(numbers) = numbers.collect::<Option<Vec<Vec<i64>>>>() else {
        let message = err!(E0547, span, "with all their digits, these values do not fit 64 bits");
        return Err(Box::new(
            message.label("compared here").help("store them with as many digits after the point"),
        ));
    };
    Ok(encode_numbers(&numbers))
}

/// How many distinct values a column has, and the place of each among them.
pub(crate) fn ranked(values: &Values) -> (usize, Vec<i32>) {
    let mut encoded = match values {
        Values::Text(..) => encode_texts(&[values]),
        Values::Int(values) | Values::Decimal(_, values) => encode_numbers(&[values.to_vec()]),
        Values::Date(days) => encode_numbers(&[days.iter().map(|days| i64::from(*days)).collect()]),
        Values::Float(values) => {
            // As integers in the same order; zero has no sign.
            let place = |value: &f64| {
                let bits = (value + 0.0).to_bits().cast_signed();
                bits ^ (bits >> 63).cast_unsigned().wrapping_shr(1).cast_signed()
            };
            encode_numbers(&[values.iter().map(place).collect()])
        }
    };
    (encoded.0, encoded.1.pop().unwrap_or_default())
}

/// Exact numbers and dates as integers with this number of digits after the point.
fn numbers(values: &Values, scale: u8) -> Option<Vec<i64>> {
    let own = values.ty().scale().unwrap_or(scale);
    let factor = i64::try_from(power(scale.checked_sub(own)?)?).ok()?;
    match values {
        Values::Int(values) | Values::Decimal(_, values) if factor == 1 => Some(values.to_vec()),
        Values::Int(values) | Values::Decimal(_, values) => {
            values.iter().map(|v| v.checked_mul(factor)).collect()
        }
        Values::Date(values) => Some(values.iter().map(|days| i64::from(*days)).collect()),
        Values::Float(_) | Values::Text(..) => None,
    }
}

/// By a table of all numbers between the least and the greatest where that is not much larger than the
/// columns; else by sorting.
pub(crate) fn encode_numbers(columns: &[Vec<i64>]) -> (usize, Vec<Vec<i32>>) {
    let all = || columns.iter().flatten().copied();
    let (Some(least), Some(most)) = (all().min(), all().max()) else {
        return (0, vec![Vec::new(); columns.len()]);
    };
    let rows: usize = columns.iter().map(Vec::len).sum();
    let span = i128::from(most) - i128::from(least) + 1;
    let code = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    if let Some(span) = usize::try_from(span).ok().filter(|span| *span <= rows.saturating_mul(8).max(1 << 16))
    {
        let place = |value: i64| usize::try_from(i128::from(value) - i128::from(least)).unwrap_or(0);
        let mut codes = vec![-1; span];
        all().for_each(|value| codes[place(value)] = 0);
        let mut size = 0;
        for there in codes.iter_mut().filter(|there| **there == 0) {
            *there = code(size);
            size += 1;
        }
        return (
            size,
            columns.iter().map(|c| c.iter().map(|value| codes[place(*value)]).collect()).collect(),
        );
    }
    let mut places: Vec<(i64, usize)> = all().zip(0..).collect();
    places.sort_unstable();
    let mut codes = vec![0; places.len()];
    let mut size = 0;
    for same in places.chunk_by(|(a, _), (b, _)| a == b) {
        same.iter().for_each(|(_, place)| codes[*place] = code(size));
        size += 1;
    }
    let mut rest = codes.as_slice();
    let parts = columns.iter().map(|column| {
        let (part, others) = rest.split_at(column.len());
        rest = others;
        part.to_vec()
    });
    (size, parts.collect())
}

/// The columns' dictionaries become one.
fn encode_texts(columns: &[&Values]) -> (usize, Vec<Vec<i32>>) {
    let parts = columns.iter().filter_map(|values| match values {
        Values::Text(dictionary, codes) => Some((dictionary, codes)),
        _ => None,
    });
    let parts: Vec<_> = parts.collect();
    let mut all: Vec<&String> = parts.iter().flat_map(|(dictionary, _)| dictionary.iter()).collect();
    all.sort_unstable();
    all.dedup();
    let codes = parts.iter().map(|(dictionary, codes)| {
        let place =
            |text: &String| i32::try_from(all.partition_point(|other| *other < text)).unwrap_or(i32::MAX);
        let places: Vec<i32> = dictionary.iter().map(place).collect();
        codes.iter().map(|code| places[usize::try_from(*code).unwrap_or(0)]).collect()
    });
    (all.len(), codes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(values: &[i64]) -> Values {
        Values::Int(Arc::new(values.to_vec()))
    }

    #[test]
    fn codes_are_places_among_all_values() {
        let check = |columns: &[&Values], expected: (usize, &[&[i32]])| {
            let (size, codes) = encode(columns, Span::default()).expect("they fit");
            assert_eq!((size, codes), (expected.0, expected.1.iter().map(|c| c.to_vec()).collect()));
        };
        check(&[&ints(&[30, 10, 30]), &ints(&[20])], (3, &[&[2, 0, 2], &[1]]));
        check(&[&ints(&[i64::MAX, i64::MIN]), &ints(&[0])], (3, &[&[2, 0], &[1]]));
        check(&[&ints(&[]), &ints(&[])], (0, &[&[], &[]]));
        check(&[&ints(&[2]), &Values::Decimal(1, Arc::new(vec![20, 25]))], (2, &[&[0], &[0, 1]]));
        let texts = |dictionary: &[&str], codes: &[i32]| {
            let dictionary = dictionary.iter().map(|text| (*text).to_owned()).collect();
            Values::Text(Arc::new(dictionary), Arc::new(codes.to_vec()))
        };
        check(&[&texts(&["a", "c"], &[1, 0]), &texts(&["b", "c"], &[0, 1])], (3, &[&[2, 0], &[1, 2]]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let wide = Values::Decimal(18, Arc::new(vec![1]));
        assert!(encode(&[&ints(&[1 << 60]), &wide], Span::default()).is_err());
    }
}
