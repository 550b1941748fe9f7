//! Parameters: which arrays a program takes, and what they hold.

use super::reads::beginnings;
use super::{Array, Param, Pattern, Role, Writer, words};
use crate::date;
use crate::key_domains::encode;
use crate::query::ColumnOf;
use crate::rows::members;
use crate::table::Values;
use atl_diag::Span;
use std::sync::Arc;

impl Writer<'_> {
    /// A name for a parameter of a column.
    pub(super) fn column_name(&mut self, of: ColumnOf, suffix: &str) -> String {
        let name = self.table(of.source).columns[of.column].name.clone();
        let same = |source: usize| self.table(source).column(&name).is_some();
        let is_unique = (0..self.query.sources.len()).filter(|source| same(*source)).count() == 1;
        let alias = &self.query.sources[of.source].alias;
        let name = if is_unique { format!("{name}{suffix}") } else { format!("{alias}_{name}{suffix}") };
        self.names.fresh(&name)
    }

    /// The parameter in this role; it and the sizes of which its extent is made are the function's from now
    /// on.
    pub(super) fn param(&mut self, role: &Role) -> String {
        if let Some(param) = self.params.get(role) {
            let (name, ty, holds) = (param.name.clone(), param.ty.clone(), param.holds.concat());
            let sizes: Vec<String> = self.sizes.keys().cloned().collect();
            for size in sizes {
                let of_name = |text: &str| words(text).any(|word| word == size);
                if of_name(&ty) || of_name(&holds) {
                    self.mark(&size);
                }
            }
            return self.mark(&name);
        }
        let (name, ty, holds, array) = self.described(role);
        self.arrays.insert(name.clone(), array);
        self.params.insert(role.clone(), Param { name: name.clone(), ty, holds });
        self.mark(&name)
    }

    /// What is there for no role.
    fn nothing(&mut self) -> (String, String, Vec<String>, Array) {
        (self.names.fresh("nothing"), "i32[0]".to_owned(), Vec::new(), Array::I32(Arc::default()))
    }

    pub(super) fn described(&mut self, role: &Role) -> (String, String, Vec<String>, Array) {
        match role {
            Role::Raw(of) => {
                let (name, rows) = (self.column_name(*of, ""), self.row_count(of.source));
                match self.stored_values(*of) {
                    Values::Int(values) | Values::Decimal(_, values) => {
                        (name, format!("i64[{rows}]"), Vec::new(), Array::I64(values))
                    }
                    Values::Float(values) => (name, format!("f64[{rows}]"), Vec::new(), Array::F64(values)),
                    Values::Date(values) | Values::Text(_, values) => {
                        (name, format!("i32[{rows}]"), Vec::new(), Array::I32(values))
                    }
                }
            }
            Role::Ordered(of, algebra) => {
                let (name, rows) = (self.column_name(*of, &format!("_{algebra}")), self.row_count(of.source));
                let values = match self.stored_values(*of) {
                    Values::Int(values) | Values::Decimal(_, values) => values,
                    Values::Date(values) | Values::Text(_, values) => {
                        Arc::new(values.iter().map(|value| i64::from(*value)).collect())
                    }
                    // Refused before.
                    Values::Float(_) => Arc::default(),
                };
                (name, format!("{algebra}<i64>[{rows}]"), Vec::new(), Array::I64(values))
            }
            Role::Key(of) => {
                let (name, rows) = (self.column_name(*of, "_key"), self.row_count(of.source));
                let codes = self.codes(*of).map(|(_, codes)| codes).unwrap_or_default();
                (name, format!("i32[{rows}]"), Vec::new(), Array::I32(self.stored(of.source, &codes)))
            }
            Role::Group(of) => {
                let (name, rows) = (self.column_name(*of, "_group"), self.row_count(of.source));
                let codes = encode(&[self.values(*of)], Span::default());
                let codes = codes.ok().and_then(|(_, codes)| codes.into_iter().next()).unwrap_or_default();
                let array = self.stored(of.source, &Arc::new(codes));
                (name, format!("i32[{rows}]"), Vec::new(), Array::I32(array))
            }
            Role::Tuple(at) => {
                let Some(tuple) = self.groups.tuples.as_ref().and_then(|tuples| tuples.get(*at)) else {
                    return self.nothing();
                };
                let (name, rows) = (self.names.fresh("group"), self.row_count(tuple.source));
                let array = self.stored(tuple.source, &tuple.codes);
                (name, format!("i32[{rows}]"), Vec::new(), Array::I32(array))
            }
            Role::Ranked(at, algebra) => {
                let Some(extreme) = self.groups.extremes.get(at) else { return self.nothing() };
                let (name, rows) = (self.names.fresh("place"), self.row_count(extreme.source));
                let places = self.stored(extreme.source, &extreme.codes);
                let places = places.iter().map(|place| i64::from(*place)).collect();
                (name, format!("{algebra}<i64>[{rows}]"), Vec::new(), Array::I64(Arc::new(places)))
            }
            Role::First(of) => {
                let name = self.column_name(*of, "_first");
                let (domain, codes) = self.codes(*of).unwrap_or_default();
                let size = self.domains[domain].size;
                let keys = self.class_size(domain);
                let first = beginnings(&codes, size);
                let rows = self.row_count(of.source);
                let holds = format!("all k < {keys} + 1 {{ 0 <= {name}[k] <= {rows} }}");
                (name, format!("i32[{keys} + 1]"), vec![holds], Array::I32(Arc::new(first)))
            }
            Role::At(of) => {
                let name = self.column_name(*of, "_at");
                let (domain, codes) = self.codes(*of).unwrap_or_default();
                let keys = self.class_size(domain);
                let mut at = vec![-1i32; self.domains[domain].size];
                for (row, code) in self.stored(of.source, &codes).iter().enumerate() {
                    at[usize::try_from(*code).unwrap_or(0)] = i32::try_from(row).unwrap_or(i32::MAX);
                }
                (name, format!("i32[{keys}]"), Vec::new(), Array::I32(Arc::new(at)))
            }
            Role::Like(of, pattern) => {
                let name = self.column_name(*of, "_like");
                let texts = match self.values(*of) {
                    Values::Text(dictionary, _) => dictionary.clone(),
                    _ => Arc::default(),
                };
                let size = self.text_size(*of);
                let pattern = Pattern { pattern: pattern.clone(), texts };
                let matching = pattern.matching();
                self.patterns.push(pattern);
                (name, format!("bool[{size}]"), Vec::new(), Array::Bool(Arc::new(matching)))
            }
            Role::Among(of, among) => {
                let name = self.column_name(*of, "_among");
                let size = match self.values(*of) {
                    Values::Text(..) => self.text_size(*of),
                    _ => self.value_count(*of),
                };
                let values = self.values(*of).distinct();
                (name, format!("bool[{size}]"), Vec::new(), Array::Bool(Arc::new(members(&values, among))))
            }
            Role::Part(of, part) => {
                let name = self.column_name(*of, &format!("_{}", part.name()));
                let days = self.days(*of);
                let (first, count) = (self.ends(*of).map_or(0, |(first, _)| first), self.day_count(*of));
                let least = self.part_range(*of, *part).0;
                let day = |day: usize| i32::try_from(first + i64::try_from(day).unwrap_or(0)).unwrap_or(0);
                let values = (0..count).map(|at| date::part(*part, day(at)) - least);
                let array = Array::I32(Arc::new(values.collect()));
                (name, format!("i32[{days}]"), Vec::new(), array)
            }
        }
    }
}
