//! Queries as contractions, for people: one equation with named indices, and in which order a plan reads the
//! tables.

use crate::plan::{Access, Reached};
use crate::query::{Aggregate, Among, ColumnOf, Comparison, Condition, Query, Scalar};
use crate::table::{Table, Type, Value};
use std::fmt::Write as _;

/// The number of values of a long list that are written out.
const SHOWN: usize = 8;

/// Writes columns by the names of the query.
struct Names<'a> {
    query: &'a Query,
    tables: &'a [Table],
}

/// The query as an equation.
pub(crate) fn contraction(query: &Query, tables: &[Table]) -> String {
    let names = Names { query, tables };
    let keys: Vec<String> = query.keys.iter().map(|(key, _)| names.scalar(key)).collect();
    let sources = query.sources.iter().map(|at| {
        let table = &tables[at.table];
        let renamed = if at.alias.eq_ignore_ascii_case(&table.name) { "" } else { &at.alias };
        format!("{}{}{renamed}", table.name, if renamed.is_empty() { "" } else { " " })
    });
    let sources: Vec<String> = sources.collect();
    let mut factors: Vec<String> =
        query.conditions.iter().map(|(c, _)| format!("[{}]", names.condition(c))).collect();
    let entry = |aggregate: Option<&Aggregate>| match aggregate {
        None | Some(Aggregate::Count) => ("count", "sum", "1".to_owned()),
        Some(Aggregate::Sum(scalar)) => ("sum", "sum", names.scalar(scalar)),
        Some(Aggregate::Min(scalar)) => ("min", "min", names.scalar(scalar)),
        Some(Aggregate::Max(scalar)) => ("max", "max", names.scalar(scalar)),
    };
    let mut aggregates: Vec<Option<&Aggregate>> = query.aggregates.iter().map(|(a, _)| Some(a)).collect();
    if aggregates.is_empty() {
        aggregates.push(None);
    }
    let mut text = String::new();
    for (at, aggregate) in aggregates.into_iter().enumerate() {
        let (name, sum, value) = entry(aggregate);
        factors.push(value);
        let result = if at == 0 { name.to_owned() } else { format!("{name}_{}", at + 1) };
        let index = if keys.is_empty() { String::new() } else { format!("[{}]", keys.join(", ")) };
        let product = factors.join("\n    * ");
        let _ = writeln!(text, "{result}{index} = {sum} over rows of {}:\n    {product}", sources.join(", "));
        factors.pop();
    }
    text
}

/// In which order the tables are read.
pub(crate) fn order(query: &Query, tables: &[Table], plan: &[Reached]) -> String {
    let names = Names { query, tables };
    let mut text = String::new();
    for reached in plan {
        let at = &query.sources[reached.source];
        let how = match reached.access {
            Access::Loop => format!("each of {} rows", tables[at.table].rows),
            Access::Lookup { key, from, .. } => {
                format!("the row where {} = {}", names.column(key), names.column(from))
            }
            Access::Index { key, from, closing, .. } => {
                let (key, from) = (names.column(key), names.column(from));
                let searched = closing.map(|closing| {
                    let (key, from) = (names.column(closing.key), names.column(closing.from));
                    format!(", and among which {key} = {from} is searched")
                });
                format!("the rows where {key} = {from}, which stand together{}", searched.unwrap_or_default())
            }
        };
        let _ = writeln!(
            text,
            "{}: {how}; about {:.0}, of which {:.0} are left",
            at.alias, reached.met, reached.rows
        );
    }
    text
}

impl Names<'_> {
    fn column(&self, of: ColumnOf) -> String {
        let at = &self.query.sources[of.source];
        let name = &self.tables[at.table].columns[of.column].name;
        let has = |s: &&crate::query::Source| self.tables[s.table].column(name).is_some();
        if self.query.sources.iter().filter(has).count() == 1 {
            name.clone()
        } else {
            format!("{}.{name}", at.alias)
        }
    }

    fn scalar(&self, scalar: &Scalar) -> String {
        match scalar {
            Scalar::Column(of, _) => self.column(*of),
            Scalar::Constant(Value::Text(text), _) => quoted(text),
            Scalar::Constant(value, _) => value.to_string(),
            Scalar::Convert(inner, _) => self.scalar(inner),
            Scalar::Binary(operation, a, b, _) => {
                let sign = operation.sign();
                format!("({} {sign} {})", self.scalar(a), self.scalar(b))
            }
            Scalar::Part(part, of) => {
                format!("{}({})", part.name(), self.column(*of))
            }
            Scalar::Case(condition, a, b, _) => {
                format!("({} if {} else {})", self.scalar(a), self.condition(condition), self.scalar(b))
            }
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        let join = |parts: &[Condition], word: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.condition(part)).collect();
            format!("({})", parts.join(word))
        };
        match condition {
            Condition::Compare(comparison, a, b) => {
                let sign = match comparison {
                    Comparison::Eq => "=",
                    Comparison::Ne => "<>",
                    Comparison::Lt => "<",
                    Comparison::Le => "<=",
                    Comparison::Gt => ">",
                    Comparison::Ge => ">=",
                };
                format!("{} {sign} {}", self.scalar(a), self.scalar(b))
            }
            Condition::Like(of, pattern) => {
                format!("{} like {}", self.column(*of), quoted(pattern))
            }
            Condition::Among(of, values) => {
                let ty = self.tables[self.query.sources[of.source].table].columns[of.column].values.ty();
                let number = |n: &i64| match ty {
                    Type::Decimal(scale) => Value::Decimal(i128::from(*n), scale).to_string(),
                    Type::Date => Value::Date(i32::try_from(*n).unwrap_or(0)).to_string(),
                    _ => n.to_string(),
                };
                let (count, shown): (usize, Vec<String>) = match &**values {
                    Among::Numbers(all) => (all.len(), all.iter().take(SHOWN).map(number).collect()),
                    Among::Texts(all) => {
                        (all.len(), all.iter().take(SHOWN).map(|text| quoted(text)).collect())
                    }
                };
                let rest =
                    if count > SHOWN { format!(", and {} more", count - SHOWN) } else { String::new() };
                format!("{} in ({}{rest})", self.column(*of), shown.join(", "))
            }
            Condition::And(parts) => join(parts, " and "),
            Condition::Or(parts) => join(parts, " or "),
            Condition::Not(inner) => format!("not {}", self.condition(inner)),
        }
    }
}

/// A text as SQL has it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
