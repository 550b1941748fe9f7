//! From a query and its plan to a program of the language, a schedule, and the arrays for its parameters.
//!
//! The program is the contraction: a sum over the rows of all tables, of what is added up, where the
//! conditions hold, at the place that the group's key says. What the plan says of lookups is its schedule:
//! `onehot_sum_and` ends a loop over a table by the equation that says which row it is, and each use of it is
//! a theorem. A table that may have several rows for a key is read from where those begin to where they end.
//!
//! All exact sums and the count are one function. Sums of floating-point numbers, minima and maxima live in
//! other algebras, and are functions of their own.

mod functions;
mod params;
mod plans;
mod reads;
mod terms;

pub(crate) use plans::planned;
pub(crate) use reads::{beginnings, by_codes};

use crate::bounds::{ends, interval, sum_fits};
use crate::domain::Domain;
use crate::groups::{Groups, too_many};
use crate::key_domains::KeyDomain;
use crate::like::matching;
use crate::names::Names;
use crate::plan::{Access, Reached};
use crate::query::{Aggregate, Among, ColumnOf, Part, Query, Scalar};
use crate::sql::unsupported;
use crate::table::{Table, Type, Values};
use crate::text::Refusal;
use atl_diag::Span;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// The most cells that a result may have.
const MOST_CELLS: usize = 1 << 27;

/// The most numbers in all of them: a count, and one for each sum.
const MOST_NUMBERS: usize = 1 << 28;

/// An array for a parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Array {
    /// Of 32-bit integers.
    I32(Arc<Vec<i32>>),
    /// Of 64-bit integers.
    I64(Arc<Vec<i64>>),
    /// Of floating-point numbers.
    F64(Arc<Vec<f64>>),
    /// Of truth values.
    Bool(Arc<Vec<bool>>),
}

/// What a function adds up.
#[derive(Clone, PartialEq, Debug)]
pub enum Adds {
    /// For each cell, how many rows it has and these aggregates, one after the other.
    Exact(Vec<usize>),
    /// One aggregate of floating-point numbers.
    Float(usize),
    /// One least or greatest integer.
    Extreme(usize),
}

/// A function of the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its schedule, where it has one.
    pub schedule: Option<String>,
    /// Its parameters that are arrays.
    pub arrays: Vec<String>,
    /// Its parameters that are sizes.
    pub sizes: Vec<String>,
    /// What it adds up.
    pub adds: Adds,
}

/// A query as a program, with its data.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text.
    pub text: String,
    /// The functions of it.
    pub functions: Vec<Function>,
    /// Arrays by the names of parameters.
    pub arrays: BTreeMap<String, Array>,
    /// Sizes by their names.
    pub sizes: BTreeMap<String, i64>,
    /// The values of the codes of the group's key.
    pub domains: Vec<Domain>,
    /// For each least or greatest of values that are no integers, all of them in order: the kernel has their
    /// places.
    pub places: BTreeMap<usize, Values>,
    /// What `like` has looked for, in which texts.
    pub patterns: Vec<Pattern>,
}

/// A pattern, and the distinct texts of the column that is compared with it.
#[derive(Clone, Debug)]
pub struct Pattern {
    pattern: String,
    texts: Arc<Vec<String>>,
}

impl Pattern {
    /// Which texts match.
    pub fn matching(&self) -> Vec<bool> {
        matching(&self.pattern, &self.texts)
    }
}

/// What a parameter is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// A column as it is: texts are codes.
    Raw(ColumnOf),
    /// A column as 64-bit numbers of another algebra.
    Ordered(ColumnOf, &'static str),
    /// The code of a class.
    Key(ColumnOf),
    /// The code among the column's own distinct values.
    Group(ColumnOf),
    /// The place of a row's tuple of keys.
    Tuple(usize),
    /// The place of an aggregate's value, as a number of another algebra.
    Ranked(usize, &'static str),
    /// Where the rows of each key begin.
    First(ColumnOf),
    /// Which row has a key.
    At(ColumnOf),
    /// Which texts match.
    Like(ColumnOf, String),
    /// Which of a column's distinct values are among these.
    Among(ColumnOf, Arc<Among>),
    /// A part of each day.
    Part(ColumnOf, Part),
}

struct Param {
    name: String,
    ty: String,
    /// What holds of its elements.
    holds: Vec<String>,
}

struct Writer<'a> {
    query: &'a Query,
    tables: &'a [Table],
    domains: &'a [KeyDomain],
    plan: &'a [Reached],
    groups: &'a Groups,
    names: Names,
    /// The loop over a source's rows, and the number of them.
    rows: Vec<(String, String)>,
    /// In which order a source's rows are stored.
    orders: Vec<Option<Vec<u32>>>,
    params: BTreeMap<Role, Param>,
    arrays: BTreeMap<String, Array>,
    sizes: BTreeMap<String, i64>,
    /// Parameters and sizes that the function has.
    used: Vec<String>,
    ends: RefCell<BTreeMap<ColumnOf, Option<(i64, i64)>>>,
    patterns: Vec<Pattern>,
}

/// How a condition is written: as one of indices, or as a value.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Index,
    Value,
}

/// The program of a query.
pub(crate) fn program(
    query: &Query,
    tables: &[Table],
    domains: &[KeyDomain],
    plan: &[Reached],
    groups: &Groups,
) -> Result<Program, Refusal> {
    let mut names = Names::default();
    let rows = query.sources.iter().map(|source| {
        let row = names.fresh(&source.alias);
        let size = names.fresh(&format!("{row}_rows"));
        (row, size)
    });
    let rows = rows.collect();
    let mut writer = Writer {
        query,
        tables,
        domains,
        plan,
        groups,
        names,
        rows,
        orders: vec![None; query.sources.len()],
        params: BTreeMap::new(),
        arrays: BTreeMap::new(),
        sizes: BTreeMap::new(),
        used: Vec::new(),
        ends: RefCell::default(),
        patterns: Vec::new(),
    };
    writer.order_rows();
    writer.write()
}

impl Writer<'_> {
    fn table(&self, source: usize) -> &Table {
        &self.tables[self.query.sources[source].table]
    }

    fn values(&self, of: ColumnOf) -> &Values {
        &self.table(of.source).columns[of.column].values
    }

    fn ends(&self, of: ColumnOf) -> Option<(i64, i64)> {
        *self.ends.borrow_mut().entry(of).or_insert_with(|| ends(self.values(of)))
    }

    /// The class of a column, and its codes in the file's order.
    fn codes(&self, of: ColumnOf) -> Option<(usize, Arc<Vec<i32>>)> {
        let found = |(at, domain): (usize, &KeyDomain)| Some((at, domain.codes.get(&of)?.clone()));
        self.domains.iter().enumerate().find_map(found)
    }

    fn write(mut self) -> Result<Program, Refusal> {
        let rows = self.most_rows();
        let span = self.query.sources.first().map(|source| source.span).unwrap_or_default();
        sum_fits((0, 1), rows, span)?;
        let mut exact = Vec::new();
        let mut jobs: Vec<Adds> = Vec::new();
        for (at, (aggregate, span)) in self.query.aggregates.iter().enumerate() {
            match aggregate {
                Aggregate::Count => {}
                Aggregate::Sum(scalar) if scalar.ty() == Type::Float => jobs.push(Adds::Float(at)),
                Aggregate::Sum(scalar) => {
                    let found = interval(scalar, &|of| self.ends(of), *span)?;
                    sum_fits(found, rows, *span)?;
                    exact.push(at);
                }
                Aggregate::Min(_) | Aggregate::Max(_) => jobs.push(Adds::Extreme(at)),
            }
        }
        jobs.insert(0, Adds::Exact(exact));
        let mut text = String::new();
        let mut functions = Vec::new();
        let mut domains = Vec::new();
        for adds in jobs {
            self.used.clear();
            let places = self.places(&mut domains)?;
            let name = match &adds {
                Adds::Exact(_) => "sums".to_owned(),
                Adds::Float(at) | Adds::Extreme(at) => format!("sum_{}", at + 1),
            };
            let (function, written) = self.function(name, adds, &places)?;
            let _ = write!(text, "{}{written}", if text.is_empty() { "" } else { "\n" });
            functions.push(function);
        }
        let Writer { arrays, sizes, patterns, groups, .. } = self;
        let places = groups.extremes.iter().map(|(at, extreme)| (*at, extreme.values.clone())).collect();
        Ok(Program { text, functions, arrays, sizes, domains, places, patterns })
    }

    /// The most rows that stand together.
    fn most_rows(&self) -> u128 {
        let each = self.plan.iter().map(|reached| match reached.access {
            Access::Loop => self.table(reached.source).rows as u128,
            Access::Lookup { .. } => 1,
            Access::Index { key, .. } => {
                let (domain, codes) = self.codes(key).unwrap_or_default();
                let mut count = vec![0u128; self.domains[domain].size];
                codes.iter().for_each(|code| count[usize::try_from(*code).unwrap_or(0)] += 1);
                count.into_iter().max().unwrap_or(0)
            }
        });
        each.fold(1, u128::saturating_mul)
    }

    /// For each part of the key how many values it has, and its code; on the first visit the domains.
    fn places(&mut self, domains: &mut Vec<Domain>) -> Result<Vec<(String, String)>, Refusal> {
        let mut found = Vec::new();
        match &self.groups.tuples {
            Some(tuples) => {
                for (at, tuple) in tuples.iter().enumerate() {
                    let domain = Domain::Tuples(tuple.keys.clone(), tuple.values.clone());
                    let size = self.size(&format!("groups_{}", at + 1), domain.len());
                    let code = self.code(&Role::Tuple(at), tuple.source, &size);
                    found.push((domain, size, code));
                }
            }
            None => {
                for (at, (key, span)) in self.query.keys.iter().enumerate() {
                    found.push(self.place(&format!("groups_{}", at + 1), key, *span)?);
                }
            }
        }
        let cells = found.iter().map(|(domain, ..)| domain.len()).fold(1, usize::saturating_mul);
        let most = MOST_CELLS.min(MOST_NUMBERS / (1 + self.query.aggregates.len()));
        if cells > most {
            let span = self.query.keys.last().map(|(_, span)| *span).unwrap_or_default();
            return Err(too_many(most, span));
        }
        if domains.is_empty() {
            domains.extend(found.iter().map(|(domain, ..)| domain.clone()));
        }
        Ok(found.into_iter().map(|(_, size, code)| (size, code)).collect())
    }

    /// A key each of whose values has a code.
    fn place(
        &mut self,
        size_name: &str,
        key: &Scalar,
        span: Span,
    ) -> Result<(Domain, String, String), Refusal> {
        match key {
            Scalar::Column(of, Type::Text) => {
                let domain = Domain::Values(self.values(*of).distinct());
                let size = self.size(size_name, domain.len());
                let code = self.code(&Role::Raw(*of), of.source, &size);
                Ok((domain, size, code))
            }
            Scalar::Column(of, ty) if *ty != Type::Float => {
                let domain = Domain::Values(self.values(*of).distinct());
                let size = self.size(size_name, domain.len());
                let code = self.code(&Role::Group(*of), of.source, &size);
                Ok((domain, size, code))
            }
            Scalar::Part(part, of) => {
                let (least, count) = self.part_range(*of, *part);
                let size = self.size(size_name, count);
                let (code, _) = self.part(*part, *of);
                let (name, days) = (self.param(&Role::Part(*of, *part)), self.days(*of));
                let bounds = format!("all d < {days} {{ 0 <= {name}[d] < {size} }}");
                self.holds(&Role::Part(*of, *part), bounds);
                Ok((Domain::From(i64::from(least), count), size, code))
            }
            _ => Err(unsupported(span, "this key")),
        }
    }
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// A term as a factor: a sum or a concatenation in parentheses.
fn factor(term: &str) -> String {
    if term.starts_with("one_hot(") || term.starts_with("sum ") {
        term.to_owned()
    } else {
        format!("({term})")
    }
}
