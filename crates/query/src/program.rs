//! From a query and its plan to a program of the language, a schedule, and the arrays for its parameters.
//!
//! The program is the contraction: a sum over the rows of all tables, of what is added up, where the conditions hold, at the place
//! that the group's key says. What the plan says of lookups is its schedule: `onehot_sum_and` ends a loop over a table
//! by the equation that says which row it is, and each use of it is a theorem. What may have several rows for a key is gone over from
//! where those begin to where they end.
//!
//! All exact sums and the count are one function. Sums of floating-point numbers, minima and maxima live in other algebras, and
//! are functions of their own.

mod functions;
mod params;
mod reads;
mod terms;

use crate::answer::Domain;
use crate::bounds::{ends, interval, sum_fits};
use crate::classes::Class;
use crate::date;
use crate::like::matching;
use crate::names::Names;
use crate::plan::{Access, Reached};
use crate::query::{Aggregate, Among, ColumnOf, Part, Query, Scalar};
use crate::sql::{Refusal, unsupported};
use crate::table::{Table, Type, Values};
use atl_diag::err;
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
    /// What the codes of the group's key stand for.
    pub domains: Vec<Domain>,
    /// For each least or greatest text, those of its column in order: the kernel has their places.
    pub texts: BTreeMap<usize, Arc<Vec<String>>>,
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
    /// Where the rows of each key begin.
    First(ColumnOf),
    /// Which row has a key.
    At(ColumnOf),
    /// Which texts match.
    Like(ColumnOf, String),
    /// Which of a column's distinct values are among these.
    Among(ColumnOf, Arc<Among>),
    /// A part of each day.
    Part(ColumnOf, &'static str),
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
    classes: &'a [Class],
    plan: &'a [Reached],
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
    texts: BTreeMap<usize, Arc<Vec<String>>>,
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
    classes: &[Class],
    plan: &[Reached],
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
        classes,
        plan,
        names,
        rows,
        orders: vec![None; query.sources.len()],
        params: BTreeMap::new(),
        arrays: BTreeMap::new(),
        sizes: BTreeMap::new(),
        used: Vec::new(),
        ends: RefCell::default(),
        texts: BTreeMap::new(),
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
        let found = |(at, class): (usize, &Class)| Some((at, class.codes.get(&of)?.clone()));
        self.classes.iter().enumerate().find_map(found)
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
        let Writer { arrays, sizes, texts, patterns, .. } = self;
        Ok(Program { text, functions, arrays, sizes, domains, texts, patterns })
    }

    /// The most rows that stand together.
    fn most_rows(&self) -> u128 {
        let each = self.plan.iter().map(|reached| match reached.access {
            Access::Loop => self.table(reached.source).rows as u128,
            Access::Lookup { .. } => 1,
            Access::Index { key, .. } => {
                let (class, codes) = self.codes(key).unwrap_or_default();
                let mut count = vec![0u128; self.classes[class].size];
                codes.iter().for_each(|code| count[usize::try_from(*code).unwrap_or(0)] += 1);
                count.into_iter().max().unwrap_or(0)
            }
        });
        each.fold(1, u128::saturating_mul)
    }

    /// For each part of the key how many values it has, and its code; on the first visit the domains.
    fn places(&mut self, domains: &mut Vec<Domain>) -> Result<Vec<(String, String)>, Refusal> {
        let is_first = domains.is_empty();
        let mut places = Vec::new();
        let mut cells = 1usize;
        for (at, (key, span)) in self.query.keys.iter().enumerate() {
            let size_name = format!("groups_{}", at + 1);
            let (domain, code) = match key {
                Scalar::Column(of, Type::Text) => {
                    let Values::Text(dictionary, _) = self.values(*of) else {
                        return Err(unsupported(*span, "this key"));
                    };
                    let len = i32::try_from(dictionary.len()).unwrap_or(i32::MAX);
                    let domain =
                        Domain::Values(Values::Text(dictionary.clone(), Arc::new((0..len).collect())));
                    let size = self.size(&size_name, domain.len());
                    (domain, self.code(&Role::Raw(*of), of.source, &size))
                }
                Scalar::Column(of, ty) if *ty != Type::Float => {
                    let domain = Domain::Values(distinct(self.values(*of)));
                    let size = self.size(&size_name, domain.len());
                    (domain, self.code(&Role::Group(*of), of.source, &size))
                }
                Scalar::Part(part, of) => {
                    let (least, count) = self.part_range(*of, part_name(*part));
                    let size = self.size(&size_name, count);
                    let (code, _) = self.part(*part, *of);
                    let (name, days) = (self.param(&Role::Part(*of, part_name(*part))), self.days(*of));
                    let bounds = format!("all d < {days} {{ 0 <= {name}[d] < {size} }}");
                    self.holds(&Role::Part(*of, part_name(*part)), bounds);
                    (Domain::From(i64::from(least), count), code)
                }
                Scalar::Column(..) => {
                    return Err(unsupported(*span, "a key, or a listed column, of floating-point numbers"));
                }
                _ => return Err(unsupported(*span, "a key that is no column and no part of a date,")),
            };
            cells = cells.saturating_mul(domain.len());
            let most = MOST_CELLS.min(MOST_NUMBERS / (1 + self.query.aggregates.len()));
            if cells > most {
                let message = err!(E0548, *span, "there may be more than {most} groups");
                return Err(Box::new(
                    message
                        .label("with the values of this key")
                        .note("a result has a cell for each combination of the keys' values, those that `where` leaves out too; of a list of rows each column is a key")
                        .help("group by fewer keys, list fewer columns, or take such with fewer values"),
                ));
            }
            places.push((size_name, code));
            if is_first {
                domains.push(domain);
            }
        }
        Ok(places)
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

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Year => "year",
        Part::Month => "month",
        Part::Day => "day",
    }
}

fn part_of(part: &str, days: i32) -> i32 {
    let (year, month, day) = date::date(days);
    let small = |number: u32| i32::try_from(number).unwrap_or(0);
    match part {
        "year" => year,
        "month" => small(month),
        _ => small(day),
    }
}

/// The distinct values of a column, in order.
fn distinct(values: &Values) -> Values {
    fn sorted<T: Copy + Ord>(values: &[T]) -> Arc<Vec<T>> {
        let mut values = values.to_vec();
        values.sort_unstable();
        values.dedup();
        Arc::new(values)
    }
    match values {
        Values::Int(values) => Values::Int(sorted(values)),
        Values::Decimal(scale, values) => Values::Decimal(*scale, sorted(values)),
        Values::Date(values) => Values::Date(sorted(values)),
        other => other.clone(),
    }
}
