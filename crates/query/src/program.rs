//! From a query and its plan to a program of the language, a schedule, and the arrays for its parameters.
//!
//! The program is the contraction: a sum over the rows of all tables, of what is added up, where the conditions hold, at the place
//! that the group's key says. What the plan says of lookups is its schedule: `onehot_sum_and` ends a loop over a table
//! by the equation that says which row it is, and each use of it is a theorem. What may have several rows for a key is gone over from
//! where those begin to where they end.
//!
//! All exact sums and the count are one function. Sums of floating-point numbers, minima and maxima live in other algebras, and
//! are functions of their own.

mod params;
mod reads;
mod terms;

use crate::answer::Domain;
use crate::bounds::{condition_fits, ends, interval, sum_fits};
use crate::classes::{Class, equation};
use crate::date;
use crate::like::matching;
use crate::names::Names;
use crate::plan::{Access, Reached};
use crate::query::{Aggregate, ColumnOf, Part, Query, Scalar};
use crate::sql::{Refusal, unsupported};
use crate::table::{Table, Type, Values};
use atl_diag::err;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// The most cells that a result may have.
const MOST_CELLS: usize = 1 << 27;

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

/// A loop, the lookups that its rows allow, and the conditions that can be looked at then.
#[derive(Default)]
struct Level {
    loops: Vec<String>,
    conditions: Vec<String>,
    has_lookups: bool,
}

impl Level {
    /// The sum of a term over its rows.
    fn around(&self, term: &str, depth: usize) -> String {
        let margin = "    ".repeat(depth + 1);
        let inside = match self.conditions.as_slice() {
            [] => term.to_owned(),
            [one] => format!("[{one}] * {}", factor(term)),
            all => {
                let all = all.join(&format!("\n{margin}        && "));
                format!("[\n{margin}        {all}\n{margin}    ] * {}", factor(term))
            }
        };
        format!("sum {} {{\n{margin}    {inside}\n{margin}}}", self.loops.join(", "))
    }
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
                _ => return Err(unsupported(*span, "a key that is no column and no part of a date,")),
            };
            cells = cells.saturating_mul(domain.len());
            if cells > MOST_CELLS {
                let message = err!(E0548, *span, "there may be more than {MOST_CELLS} groups");
                return Err(Box::new(
                    message
                        .label("with the values of this key")
                        .note("a result has a cell for each combination of the keys' values")
                        .help("group by fewer keys, or by such with fewer values"),
                ));
            }
            places.push((size_name, code));
            if is_first {
                domains.push(domain);
            }
        }
        Ok(places)
    }

    /// A function, as text.
    fn function(
        &mut self,
        name: String,
        adds: Adds,
        places: &[(String, String)],
    ) -> Result<(Function, String), Refusal> {
        let (element, value, is_vector) = self.value_of(&adds)?;
        let (conditions, choices) = self.conditions()?;
        let mut value = value;
        if !choices.is_empty() {
            // What depends on values cannot stand in a bracket: there it is chosen.
            let chosen = |part: &String| format!("select({}, {part}, zero)", choices.join(" && "));
            value = value.iter().map(chosen).collect();
        }
        let entry = if is_vector {
            value.iter().map(|part| format!("(gen u < 1 {{ {part} }})")).collect::<Vec<_>>().join(" ++ ")
        } else {
            value.concat()
        };
        let scattered = places
            .iter()
            .rev()
            .fold(entry, |inner, (size, code)| format!("one_hot({size}, {code}, {inner})"));
        let levels = self.levels(conditions);
        let has_lookups = levels.iter().any(|level| level.has_lookups);
        let term = levels
            .iter()
            .enumerate()
            .rev()
            .fold(scattered, |term, (depth, level)| level.around(&term, depth));
        let mut extents: Vec<String> = places.iter().map(|(size, _)| size.clone()).collect();
        if is_vector {
            extents.push(value.len().to_string());
        }
        let shape = if extents.is_empty() { String::new() } else { format!("[{}]", extents.join(", ")) };
        let sizes: Vec<String> =
            self.used.iter().filter(|name| self.sizes.contains_key(*name)).cloned().collect();
        let params: Vec<&Param> =
            self.params.values().filter(|param| self.used.contains(&param.name)).collect();
        let mut declared: Vec<String> = sizes.iter().map(|size| format!("{size}: size")).collect();
        let arrays: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
        declared.extend(params.iter().map(|param| format!("{}: {}", param.name, param.ty)));
        // What is said of an array may name sizes of other functions only.
        let holds: Vec<&String> = params
            .iter()
            .flat_map(|param| &param.holds)
            .filter(|holds| {
                words(holds).all(|word| !self.sizes.contains_key(word) || sizes.iter().any(|s| s == word))
            })
            .collect();
        let holds = holds.iter().map(|holds| (*holds).clone()).collect::<Vec<_>>().join(",\n        ");
        let holds = if holds.is_empty() { String::new() } else { format!("\n    where {holds}") };
        let mut text = format!(
            "fn {name}(\n    {}\n) -> {element}{shape}{holds}\n{{\n    {term}\n}}\n",
            declared.join(",\n    "),
        );
        let mut steps = String::new();
        if levels.len() > 1 {
            // A sum within a sum adds straight into the result.
            steps.push_str("    rounding real;\n");
        }
        if has_lookups {
            let lookups = "rw onehot_sum_and everywhere;";
            // Where a condition never holds, nothing is left to look up.
            let never = words(&term).any(|word| word == "false");
            steps += &if never { format!("    try {{ {lookups} }}\n") } else { format!("    {lookups}\n") };
            steps.push_str("    simplify guards;\n");
        }
        let schedule = (!steps.is_empty()).then(|| format!("lookups_of_{name}"));
        if let Some(schedule) = &schedule {
            let _ = write!(text, "\nschedule {schedule} of {name} {{\n{steps}}}\n");
        }
        Ok((Function { name, schedule, arrays, sizes, adds }, text))
    }

    /// The loops, each with the lookups and the conditions that follow from it.
    fn levels(&mut self, conditions: Vec<(String, Vec<usize>)>) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        let mut reached_by: Vec<Option<usize>> = vec![None; self.query.sources.len()];
        for reached in self.plan {
            let (row, rows) = (self.rows[reached.source].0.clone(), self.row_count(reached.source));
            let (own, equation) = match reached.access {
                Access::Loop => (format!("{row} < {rows}"), None),
                Access::Lookup { class, key, from } => {
                    (format!("{row} < {rows}"), Some(format!("{row} == {}", self.found(class, key, from))))
                }
                Access::Index { class, key, from } => {
                    let keys = self.class_size(class);
                    let code = self.code(&Role::Key(from), from.source, &keys);
                    let first = self.param(&Role::First(key));
                    (format!("{row} in {first}[{code}]..{first}[{code} + 1]"), None)
                }
            };
            if equation.is_none() {
                levels.push(Level::default());
            }
            reached_by[reached.source] = levels.len().checked_sub(1);
            if let Some(level) = levels.last_mut() {
                level.has_lookups |= equation.is_some();
                level.loops.push(own);
                level.conditions.extend(equation);
            }
        }
        for (condition, sources) in conditions {
            let at = sources.iter().filter_map(|source| reached_by[*source]).max().unwrap_or(0);
            if let Some(level) = levels.get_mut(at) {
                level.conditions.push(condition);
            }
        }
        levels
    }

    /// The row of a lookup: the code itself where the rows are the keys, one for each.
    fn found(&mut self, class: usize, key: ColumnOf, from: ColumnOf) -> String {
        let is_each = self.classes[class].size == self.table(key.source).rows;
        if is_each {
            let rows = self.row_count(key.source);
            return self.code(&Role::Key(from), from.source, &rows);
        }
        let keys = self.class_size(class);
        let code = self.code(&Role::Key(from), from.source, &keys);
        format!("{}[{code}]", self.param(&Role::At(key)))
    }

    /// The element type of a function's result, what it adds up, and whether that is a vector.
    fn value_of(&mut self, adds: &Adds) -> Result<(String, Vec<String>, bool), Refusal> {
        let query = self.query;
        match adds {
            Adds::Exact(parts) => {
                let mut values = vec!["1".to_owned()];
                for at in parts {
                    if let Aggregate::Sum(scalar) = &query.aggregates[*at].0 {
                        values.push(self.scalar(scalar, Mode::Value)?);
                    }
                }
                Ok(("i64".to_owned(), values, !parts.is_empty()))
            }
            Adds::Float(at) => match &query.aggregates[*at].0 {
                Aggregate::Sum(scalar) => {
                    Ok(("f64".to_owned(), vec![self.scalar(scalar, Mode::Value)?], false))
                }
                _ => Err(unsupported(query.aggregates[*at].1, "this sum")),
            },
            Adds::Extreme(at) => {
                let (aggregate, span) = &query.aggregates[*at];
                let (algebra, scalar) = match aggregate {
                    Aggregate::Min(scalar) => ("min_max", scalar),
                    Aggregate::Max(scalar) => ("max_min", scalar),
                    _ => return Err(unsupported(*span, "this sum")),
                };
                match scalar {
                    Scalar::Column(of, ty) if *ty != Type::Float => {
                        if let Values::Text(texts, _) = self.values(*of) {
                            let texts = texts.clone();
                            self.texts.insert(*at, texts);
                        }
                        let read = self.read(&Role::Ordered(*of, algebra), of.source);
                        Ok((format!("{algebra}<i64>"), vec![read], false))
                    }
                    _ => Err(unsupported(
                        *span,
                        "`min` or `max` of anything but a column of exact numbers, dates or texts",
                    )),
                }
            }
        }
    }

    /// The conditions that no access path has taken care of: of indices, and of values.
    #[expect(clippy::type_complexity, reason = "two lists, the first with the sources of each")]
    fn conditions(&mut self) -> Result<(Vec<(String, Vec<usize>)>, Vec<String>), Refusal> {
        let (mut indices, mut choices) = (Vec::new(), Vec::new());
        let query = self.query;
        for (condition, span) in &query.conditions {
            condition_fits(condition, &|of| self.ends(of), *span)?;
            if equation(condition).is_some() {
                continue;
            }
            if terms::of_values(condition) {
                choices.push(self.condition(condition, Mode::Value)?);
            } else {
                let mut sources = Vec::new();
                condition.columns(&mut |of| sources.push(of.source));
                indices.push((self.condition(condition, Mode::Index)?, sources));
            }
        }
        // Members of a class are equal to the one by which the class was first reached.
        for class in 0..self.classes.len() {
            let equal: Vec<ColumnOf> = self.equal_members(class);
            let taken = |of: &ColumnOf| {
                self.plan.iter().any(|reached| match reached.access {
                    Access::Lookup { class: of_class, key, .. }
                    | Access::Index { class: of_class, key, .. } => of_class == class && key == *of,
                    Access::Loop => false,
                })
            };
            let place = |of: &ColumnOf| self.plan.iter().position(|reached| reached.source == of.source);
            let rest: Vec<ColumnOf> = equal.iter().filter(|of| !taken(of)).copied().collect();
            // Those that are taken were equal to one of the others.
            let Some(first) = rest.iter().min_by_key(|of| place(of)).copied() else { continue };
            for other in rest.iter().filter(|of| **of != first) {
                let a = self.read(&Role::Key(first), first.source);
                let b = self.read(&Role::Key(*other), other.source);
                indices.push((format!("{b} == {a}"), vec![first.source, other.source]));
            }
        }
        Ok((indices, choices))
    }

    /// The columns of a class that equations name.
    fn equal_members(&self, class: usize) -> Vec<ColumnOf> {
        let members = self.classes[class].codes.keys().copied();
        let pairs = || self.query.conditions.iter().filter_map(|(condition, _)| equation(condition));
        members.filter(|of| pairs().any(|(a, b)| a == *of || b == *of)).collect()
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
