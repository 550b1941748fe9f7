//! What the program reads: rows in the order in which they are stored, sizes, and elements of its parameters.

use super::{Role, Writer};
use crate::date;
use crate::plan::Access;
use crate::query::{ColumnOf, Part};
use crate::table::Values;
use std::sync::Arc;

impl Writer<'_> {
    /// Sources that are reached by a key are stored by it.
    pub(super) fn order_rows(&mut self) {
        for reached in self.plan {
            let (key, closing) = match reached.access {
                Access::Loop => continue,
                Access::Lookup { key, .. } => (key, None),
                Access::Index { key, closing, .. } => (key, closing),
            };
            let Some((domain, codes)) = self.codes(key) else { continue };
            let size = self.domains[domain].size;
            // Rows of one key stand in the order of the column that is searched among them.
            let second = closing.and_then(|closing| self.codes(closing.key));
            let pair = |row: usize| (codes[row], second.as_ref().map_or(0, |(_, second)| second[row]));
            if (0..codes.len()).is_sorted_by_key(pair) {
                continue;
            }
            self.orders[reached.source] = Some(match &second {
                None => by_codes(&codes, size),
                Some((domain, second)) => {
                    let first = by_codes(second, self.domains[*domain].size);
                    let codes: Vec<i32> = first.iter().map(|row| codes[*row as usize]).collect();
                    by_codes(&codes, size).into_iter().map(|at| first[at as usize]).collect()
                }
            });
        }
    }

    pub(super) fn stored<T: Copy>(&self, source: usize, values: &Arc<Vec<T>>) -> Arc<Vec<T>> {
        match &self.orders[source] {
            Some(order) => Arc::new(order.iter().map(|row| values[*row as usize]).collect()),
            None => values.clone(),
        }
    }

    pub(super) fn stored_values(&self, of: ColumnOf) -> Values {
        match &self.orders[of.source] {
            Some(order) => self.values(of).take(order),
            None => self.values(of).clone(),
        }
    }

    /// A size of this name, which the function has from now on.
    pub(super) fn size(&mut self, name: &str, value: usize) -> String {
        self.sizes.insert(name.to_owned(), i64::try_from(value).unwrap_or(i64::MAX));
        self.mark(name)
    }

    pub(super) fn mark(&mut self, name: &str) -> String {
        if !self.used.iter().any(|used| used == name) {
            self.used.push(name.to_owned());
        }
        name.to_owned()
    }

    pub(super) fn row_count(&mut self, source: usize) -> String {
        let (name, rows) = (self.rows[source].1.clone(), self.table(source).rows);
        self.size(&name, rows)
    }

    /// How many keys a class has.
    pub(super) fn class_size(&mut self, domain: usize) -> String {
        let size = self.domains[domain].size;
        self.size(&format!("keys_{}", domain + 1), size)
    }

    /// How many texts a column's dictionary has.
    pub(super) fn text_size(&mut self, of: ColumnOf) -> String {
        let size = match self.values(of) {
            Values::Text(dictionary, _) => dictionary.len(),
            _ => 0,
        };
        let (source, column) = (self.rows[of.source].0.clone(), of.column);
        self.size(&format!("{source}_texts_{column}"), size)
    }

    /// How many distinct values a column has that is no text.
    pub(super) fn value_count(&mut self, of: ColumnOf) -> String {
        let count = self.values(of).distinct().len();
        let (source, column) = (self.rows[of.source].0.clone(), of.column);
        self.size(&format!("{source}_values_{column}"), count)
    }

    pub(super) fn day_count(&mut self, of: ColumnOf) -> usize {
        self.ends(of).and_then(|(first, last)| usize::try_from(last - first + 1).ok()).unwrap_or(0)
    }

    /// How many days lie between a column's first and last.
    pub(super) fn days(&mut self, of: ColumnOf) -> String {
        let (source, column, count) = (self.rows[of.source].0.clone(), of.column, self.day_count(of));
        self.size(&format!("{source}_days_{column}"), count)
    }

    /// The least value of a part, and how many there are.
    pub(super) fn part_range(&mut self, of: ColumnOf, part: Part) -> (i32, usize) {
        match (part, self.ends(of)) {
            (_, None) => (0, 0),
            (Part::Year, Some((first, last))) => {
                let year = |days: i64| i32::try_from(days).map_or(0, |days| date::date(days).0);
                (year(first), usize::try_from(year(last) - year(first) + 1).unwrap_or(0))
            }
            (Part::Month, _) => (1, 12),
            _ => (1, 31),
        }
    }

    /// A statement about all elements of an array, once.
    pub(super) fn holds(&mut self, role: &Role, holds: String) {
        if let Some(param) = self.params.get_mut(role)
            && !param.holds.contains(&holds)
        {
            param.holds.push(holds);
        }
    }

    /// A column's element in the row that the loops are at.
    pub(super) fn read(&mut self, role: &Role, source: usize) -> String {
        format!("{}[{}]", self.param(role), self.rows[source].0)
    }

    /// An array whose elements are codes below a bound.
    pub(super) fn code(&mut self, role: &Role, source: usize, bound: &str) -> String {
        let (name, row, rows) = (self.param(role), self.rows[source].0.clone(), self.row_count(source));
        self.holds(role, format!("all {row} < {rows} {{ 0 <= {name}[{row}] < {bound} }}"));
        format!("{name}[{row}]")
    }

    /// The code of a part of a date: its distance from the least.
    pub(super) fn part(&mut self, part: Part, of: ColumnOf) -> (String, i32) {
        let (table, days) = (self.param(&Role::Part(of, part)), self.days(of));
        let first = self.ends(of).map_or(0, |(first, _)| first);
        let (date, row, rows) =
            (self.param(&Role::Raw(of)), self.rows[of.source].0.clone(), self.row_count(of.source));
        let bounds = format!("all {row} < {rows} {{ 0 <= {date}[{row}] - {first} < {days} }}");
        self.holds(&Role::Raw(of), bounds.replace("- -", "+ "));
        let place = format!("{table}[{date}[{row}] - {first}]").replace("- -", "+ ");
        (place, self.part_range(of, part).0)
    }
}

/// Where the rows of each code begin, and where the last ones end.
pub(crate) fn beginnings(codes: &[i32], size: usize) -> Vec<i32> {
    let mut first = vec![0i32; size + 1];
    for code in codes {
        first[usize::try_from(*code).unwrap_or(0) + 1] += 1;
    }
    let mut end = 0;
    for begin in &mut first {
        end += *begin;
        *begin = end;
    }
    first
}

/// The rows by their codes, those of one code in the file's order: each code is counted, so there is nothing
/// to compare.
pub(crate) fn by_codes(codes: &[i32], size: usize) -> Vec<u32> {
    let mut next = beginnings(codes, size);
    let mut order = vec![0u32; codes.len()];
    for (row, code) in (0u32..).zip(codes) {
        let place = &mut next[usize::try_from(*code).unwrap_or(0)];
        order[usize::try_from(*place).unwrap_or(0)] = row;
        *place += 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_code_keep_their_order() {
        let check = |codes: &[i32], size: usize, first: &[i32], order: &[u32]| {
            assert_eq!((beginnings(codes, size), by_codes(codes, size)), (first.to_vec(), order.to_vec()));
        };
        check(&[], 0, &[0], &[]);
        check(&[2, 0, 2, 0, 3], 5, &[0, 2, 2, 4, 5, 5], &[1, 3, 0, 2, 4]);
    }
}
