//! A function of the program as text: its loops, the lookups that end them, its conditions, and what it adds
//! up.

use super::terms::balanced;
use super::{Adds, Function, Mode, Param, Role, Writer, factor, terms, words};
use crate::bounds::condition_fits;
use crate::key_domains::equation;
use crate::plan::{Access, Closing};
use crate::query::{Aggregate, ColumnOf, Scalar};
use crate::sql::unsupported;
use crate::text::Refusal;
use std::fmt::Write as _;

/// The number of parts in one row; a longer chain would nest as deep as it is long.
const FLAT: usize = 64;

/// A loop, the lookups that its rows allow, and the conditions that can be looked at then.
#[derive(Default)]
struct Level {
    loops: Vec<String>,
    conditions: Vec<String>,
    has_lookups: bool,
    /// Are its rows searched?
    is_search: bool,
}

impl Level {
    /// The sum of a term over its rows.
    fn around(&self, term: &str, depth: usize) -> String {
        let margin = "    ".repeat(depth + 1);
        let inside = match self.conditions.as_slice() {
            [] => term.to_owned(),
            [one] => format!("[{one}] * {}", factor(term)),
            all => {
                // The first are the lookups' equations, which stay where the schedule looks for them.
                let (first, rest) = all.split_at(all.len().min(FLAT));
                let rest = (!rest.is_empty()).then(|| balanced(rest, "&&"));
                let all: Vec<String> = first.iter().cloned().chain(rest).collect();
                let all = all.join(&format!("\n{margin}        && "));
                format!("[\n{margin}        {all}\n{margin}    ] * {}", factor(term))
            }
        };
        format!("sum {} {{\n{margin}    {inside}\n{margin}}}", self.loops.join(", "))
    }
}

impl Writer<'_> {
    /// A function, as text.
    pub(super) fn function(
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
            let parts: Vec<String> = value.iter().map(|part| format!("(gen u < 1 {{ {part} }})")).collect();
            if parts.len() > FLAT { balanced(&parts, "++") } else { parts.join(" ++ ") }
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
        // Conditions on an array may name sizes of other functions only.
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
            let mut closed = None;
            let (own, equation) = match reached.access {
                Access::Loop => (format!("{row} < {rows}"), None),
                Access::Lookup { domain, key, from } => {
                    (format!("{row} < {rows}"), Some(format!("{row} == {}", self.found(domain, key, from))))
                }
                Access::Index { domain, key, from, closing } => {
                    let keys = self.class_size(domain);
                    let code = self.code(&Role::Key(from), from.source, &keys);
                    let first = self.param(&Role::First(key));
                    let rows = format!("{row} in {first}[{code}]..{first}[{code} + 1]");
                    closed = closing.map(|Closing { key: found, from }| {
                        let column = self.param(&Role::Key(found));
                        let follow = format!(
                            "all k < {keys}, {row} in {first}[k]..{first}[k + 1] - 1 {{ {column}[{row}] <= {column}[{row} + 1] }}"
                        );
                        self.holds(&Role::First(key), follow);
                        format!("{column}[{row}] == {}", self.read(&Role::Key(from), from.source))
                    });
                    (if closed.is_some() { format!("{rows} @search") } else { rows }, None)
                }
            };
            // A search is a loop by itself.
            if equation.is_none() || levels.last().is_some_and(|level| level.is_search) {
                levels.push(Level { is_search: closed.is_some(), ..Level::default() });
            }
            reached_by[reached.source] = levels.len().checked_sub(1);
            if let Some(level) = levels.last_mut() {
                level.has_lookups |= equation.is_some();
                level.loops.push(own);
                level.conditions.extend(equation.or(closed));
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
    fn found(&mut self, domain: usize, key: ColumnOf, from: ColumnOf) -> String {
        let is_each = self.domains[domain].size == self.table(key.source).rows;
        if is_each {
            let rows = self.row_count(key.source);
            return self.code(&Role::Key(from), from.source, &rows);
        }
        let keys = self.class_size(domain);
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
                let read = match (self.groups.extremes.get(at), scalar) {
                    (Some(extreme), _) => self.read(&Role::Ranked(*at, algebra), extreme.source),
                    (None, Scalar::Column(of, _)) => self.read(&Role::Ordered(*of, algebra), of.source),
                    (None, _) => return Err(unsupported(*span, "this least or greatest value")),
                };
                Ok((format!("{algebra}<i64>"), vec![read], false))
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
        for domain in 0..self.domains.len() {
            let equal: Vec<ColumnOf> = self.equal_members(domain);
            let taken = |of: &ColumnOf| {
                self.plan.iter().any(|reached| match reached.access {
                    Access::Lookup { domain: of_class, key, .. } => of_class == domain && key == *of,
                    Access::Index { domain: of_class, key, closing, .. } => {
                        of_class == domain && key == *of || closing.is_some_and(|closing| closing.key == *of)
                    }
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
    fn equal_members(&self, domain: usize) -> Vec<ColumnOf> {
        let members = self.domains[domain].codes.keys().copied();
        let pairs = || self.query.conditions.iter().filter_map(|(condition, _)| equation(condition));
        members.filter(|of| pairs().any(|(a, b)| a == *of || b == *of)).collect()
    }
}
