//! Names and types: from clauses to a [`Query`].
//!
//! Each name is a column of one table, or of the query in `from`, whose columns are expressions and are put
//! in their place. Types are settled here: exact numbers get as many digits after the point as the operation
//! needs, and a text beside a date is a date.

mod chains;
mod conditions;
mod groups;
mod seen;
mod sums;
mod values;

use crate::date;
use crate::query::{Aggregate, ColumnOf, Direction, Operation, Outcome, Output, Part, Query, Scalar, Source};
use crate::sql::{Clauses, TWO_QUERIES, aggregate, aggregates, instead, last_name, unsupported};
use crate::table::{Table, Type, Value, Values};
use crate::text::{Refusal, Text};
use atl_diag::spelling::closest;
use atl_diag::{Diagnostic, Span, err};
use seen::Seen;
use sqlparser::ast::{BinaryOperator, CaseWhen, DateTimeField, Expr, Ident, UnaryOperator, Value as Literal};
use std::sync::Arc;
use values::{
    alike, arithmetic, as_date, constant, day, mismatch, number, number_of, operation, part_function,
    part_of, shifted,
};

/// Where names are looked up.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    /// Among the columns of tables.
    Tables,
    /// Among the columns of the query in `from`.
    Derived,
}

pub(crate) struct Resolver<'a> {
    text: &'a Text,
    tables: &'a [Table],
    clauses: &'a Clauses,
    sources: Vec<Source>,
    aggregates: Vec<(Aggregate, Span)>,
    keys: Vec<(Scalar, Span)>,
    seen: &'a Seen,
}

/// The query that clauses say, over these tables; and the tables, whose columns without any value have the
/// types that it says.
pub(crate) fn resolve(
    text: &Text,
    clauses: &Clauses,
    tables: &[Table],
) -> Result<(Query, Vec<Table>), Refusal> {
    let mut tables = tables.to_vec();
    loop {
        let seen = Seen::default();
        match attempt(text, clauses, &tables, &seen) {
            Ok(query) => return Ok((query, tables)),
            Err(why) => match seen.meant.take() {
                Some((table, column, values)) => tables[table].columns[column].values = values,
                None => return Err(Box::new(seen.explained(*why, &tables))),
            },
        }
    }
}

fn attempt(text: &Text, clauses: &Clauses, tables: &[Table], seen: &Seen) -> Result<Query, Refusal> {
    let sources = sources(clauses, tables)?;
    let mut r = Resolver { text, tables, clauses, sources, aggregates: Vec::new(), keys: Vec::new(), seen };
    let outer = if clauses.derived.is_some() { Scope::Derived } else { Scope::Tables };
    let mut conditions = Vec::new();
    let inner = clauses.inner.iter().map(|expr| (expr, Scope::Tables));
    for (expr, scope) in inner.chain(clauses.conditions.iter().map(|expr| (expr, outer))) {
        conjuncts(expr, &mut |part| {
            conditions.push((r.condition(part, scope)?, text.of(part)));
            Ok(())
        })?;
    }
    let lists = clauses.keys.is_empty()
        && clauses.having.is_none()
        && !clauses.outputs.iter().any(|(expr, _)| aggregates(expr));
    let keys: Vec<&Expr> = if lists || clauses.is_distinct && clauses.keys.is_empty() {
        clauses.outputs.iter().map(|(expr, _)| expr).collect()
    } else {
        clauses.keys.iter().collect()
    };
    for expr in keys {
        let expr = r.named(expr);
        let key = r.scalar(expr, outer)?;
        // A constant is the same for all rows.
        if matches!(key, Scalar::Constant(..)) {
            continue;
        }
        let span = text.of(expr);
        if lists && !clauses.is_distinct && groups::is_arithmetic(&key) {
            // A line for each row: what it is made of is a key, and the rest is done with the result.
            groups::parts(&key, &mut |part| r.add_key(part.clone(), span));
        } else {
            r.add_key(key, span);
        }
    }
    if lists && !clauses.is_distinct {
        // A number or a name may be that of a column of the result, which is there already.
        let is_output = |expr: &Expr| number(expr).is_some() || output_of(expr, &clauses.outputs).is_some();
        for (expr, _) in clauses.order.iter().filter(|(expr, _)| !is_output(expr)) {
            let key = r.scalar(r.named(expr), outer)?;
            groups::parts(&key, &mut |part| r.add_key(part.clone(), text.of(expr)));
        }
    }
    let mut outputs: Vec<Output> = Vec::new();
    for ((expr, _), name) in clauses.outputs.iter().zip(output_names(&clauses.outputs)) {
        let value = r.outcome(expr, outer)?;
        if outputs.iter().any(|other| other.name.eq_ignore_ascii_case(&name)) {
            let message = err!(E0545, text.of(expr), "two columns of the result are called `{name}`");
            return Err(Box::new(
                message.label("the second one").help("call it something else: `… as NAME`"),
            ));
        }
        outputs.push(Output { name, value });
    }
    let having = clauses.having.as_ref().map(|expr| r.having(expr, outer)).transpose()?;
    let mut order = Vec::new();
    for (expr, is_descending) in &clauses.order {
        let direction = if *is_descending { Direction::Descending } else { Direction::Ascending };
        order.push((r.order_key(expr, outer, &outputs)?, direction));
    }
    let limit = clauses.limit.as_ref().map(|expr| r.count(expr)).transpose()?;
    let offset = clauses.offset.as_ref().map(|expr| r.count(expr)).transpose()?.unwrap_or(0);
    let is_total = r.keys.is_empty() && !lists && !clauses.is_distinct && clauses.keys.is_empty();
    if clauses.is_distinct && !lists {
        return Err(unsupported(
            text.span(sqlparser::tokenizer::Span::empty()),
            "`distinct` beside sums or `group by`",
        ));
    }
    let Resolver { sources, aggregates, keys, .. } = r;
    let lists_rows = lists && !clauses.is_distinct;
    Ok(Query {
        sources,
        conditions,
        keys,
        aggregates,
        outputs,
        having,
        order,
        offset,
        limit,
        lists_rows,
        is_total,
    })
}

/// The tables that are named, each under its own name.
fn sources(clauses: &Clauses, tables: &[Table]) -> Result<Vec<Source>, Refusal> {
    let mut sources: Vec<Source> = Vec::new();
    for from in &clauses.from {
        let Some(table) = tables.iter().position(|table| table.name.eq_ignore_ascii_case(&from.table)) else {
            let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
            return Err(Box::new(unknown_table(&from.table, from.span, &names)));
        };
        if sources.iter().any(|source| source.alias.eq_ignore_ascii_case(&from.alias)) {
            let message = err!(E0545, from.span, "two tables are called `{}`", from.alias);
            return Err(Box::new(
                message.label("the second one").help("give one another name: `from R as S`"),
            ));
        }
        sources.push(Source { alias: from.alias.clone(), table, span: from.span });
    }
    Ok(sources)
}

/// A table for which no file was given.
pub(crate) fn unknown_table(name: &str, span: Span, known: &[&str]) -> Diagnostic {
    let message = err!(E0544, span, "no table is called `{name}`").label("not a table");
    let message = match closest(name, known.iter().copied()) {
        Some(near) => message.help(format!("there is one called `{near}`")),
        None => message,
    };
    message.help(format!("give its file: `{name}=FILE.csv`"))
}

/// What the columns of the result are called: as they say, or as what they are. Those of several tables with
/// one name have the table's in front, `a_id` and `b_id`.
fn output_names(outputs: &[(Expr, Option<String>)]) -> Vec<String> {
    let name = |(at, (expr, name)): (usize, &(Expr, Option<String>))| {
        name.clone().or_else(|| last_name(expr)).unwrap_or_else(|| format!("column{}", at + 1))
    };
    let names: Vec<String> = outputs.iter().enumerate().map(name).collect();
    let is_shared = |name: &str| names.iter().filter(|other| other.eq_ignore_ascii_case(name)).count() > 1;
    let own = |((expr, given), name): (&(Expr, Option<String>), &String)| match (expr, given) {
        (Expr::CompoundIdentifier(parts), None) if is_shared(name) => {
            parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join("_")
        }
        _ => name.clone(),
    };
    // What has no name of its own gives way to what has one, and to what stands before it.
    let given = outputs.iter().filter_map(|(_, given)| given.clone());
    let mut taken: Vec<String> = given.collect();
    let mut found = Vec::new();
    for (output, name) in outputs.iter().zip(&names) {
        let name = own((output, name));
        let is_free = |name: &String| !taken.iter().any(|other| other.eq_ignore_ascii_case(name));
        let numbered = (2..).map(|k| format!("{name}_{k}"));
        let name = match output.1.is_some() {
            true => name,
            false => std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name),
        };
        taken.push(name.clone());
        found.push(name);
    }
    found
}

/// Which column of the result has this name.
fn output_of(expr: &Expr, outputs: &[(Expr, Option<String>)]) -> Option<usize> {
    let Expr::Identifier(ident) = expr else { return None };
    output_names(outputs).iter().position(|name| name.eq_ignore_ascii_case(&ident.value))
}

/// Each part of a conjunction.
fn conjuncts(expr: &Expr, each: &mut dyn FnMut(&Expr) -> Result<(), Refusal>) -> Result<(), Refusal> {
    chains::parts(expr, &BinaryOperator::And).into_iter().try_for_each(each)
}

impl Resolver<'_> {
    fn span(&self, expr: &Expr) -> Span {
        self.text.of(expr)
    }

    /// A column without any value was taken for integers: here it gets another type.
    fn means(&self, value: &Scalar, ty: Type) {
        let Scalar::Column(of, Type::Int) = value else { return };
        let table = self.sources[of.source].table;
        let values = match ty {
            Type::Text => Values::Text(Arc::default(), Arc::default()),
            Type::Date => Values::Date(Arc::default()),
            _ => return,
        };
        if self.tables[table].rows == 0 {
            self.seen.meant.borrow_mut().get_or_insert((table, of.column, values));
        }
    }

    /// The same, of the type that another value has; a text that is a date may be one.
    fn means_like(&self, value: &Scalar, other: &Scalar) {
        let is_date = matches!(other, Scalar::Constant(Value::Text(text), _) if date::parse(text).is_some());
        self.means(value, if is_date { Type::Date } else { other.ty() });
    }

    /// Two values of one type.
    fn alike(&self, a: Scalar, b: Scalar, span: Span) -> Result<(Scalar, Scalar), Refusal> {
        self.means_like(&a, &b);
        self.means_like(&b, &a);
        alike(a, b, span)
    }

    fn add_key(&mut self, key: Scalar, span: Span) {
        if !self.keys.iter().any(|(known, _)| *known == key) {
            self.keys.push((key, span));
        }
    }

    /// A key by the name or the number of a column of the result, or as it is.
    fn named<'e>(&'e self, expr: &'e Expr) -> &'e Expr {
        let outputs = &self.clauses.outputs;
        match expr {
            Expr::Identifier(ident) => {
                let renamed = |(_, name): &&(Expr, Option<String>)| {
                    name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(&ident.value))
                };
                // A column of that name comes first, as everywhere.
                let is_column =
                    self.clauses.names.iter().any(|(name, _)| name.eq_ignore_ascii_case(&ident.value))
                        || self.columns(None, &ident.value).next().is_some();
                if is_column { expr } else { outputs.iter().find(renamed).map_or(expr, |(expr, _)| expr) }
            }
            _ => number(expr)
                .and_then(|n| outputs.get(usize::try_from(n).ok()?.checked_sub(1)?))
                .map_or(expr, |(expr, _)| expr),
        }
    }

    fn order_key(&mut self, expr: &Expr, scope: Scope, outputs: &[Output]) -> Result<Outcome, Refusal> {
        if let Some(n) = number(expr) {
            let output = usize::try_from(n).ok().and_then(|n| outputs.get(n.checked_sub(1)?));
            return output.map(|output| output.value.clone()).ok_or_else(|| {
                let message = err!(E0546, self.span(expr), "the result has no column {n}");
                Box::new(message.label("ordered by this").help(format!("it has {}", outputs.len())))
            });
        }
        match output_of(expr, &self.clauses.outputs).and_then(|at| outputs.get(at)) {
            Some(output) => Ok(output.value.clone()),
            None => self.outcome(expr, scope),
        }
    }

    /// A natural number, for `limit` and `offset`.
    fn count(&self, expr: &Expr) -> Result<usize, Refusal> {
        number(expr).and_then(|n| usize::try_from(n).ok()).ok_or_else(|| {
            let message = err!(E0546, self.span(expr), "a number of rows is a natural number");
            Box::new(message.label("this").help("write a number"))
        })
    }

    /// The columns of this name, in one source or in all.
    fn columns<'s>(&'s self, alias: Option<&'s str>, name: &'s str) -> impl Iterator<Item = ColumnOf> + 's {
        let sources = self.sources.iter().enumerate();
        let wanted =
            sources.filter(move |(_, s)| alias.is_none_or(|alias| s.alias.eq_ignore_ascii_case(alias)));
        wanted.filter_map(move |(source, s)| {
            self.tables[s.table].column(name).map(|column| ColumnOf { source, column })
        })
    }

    fn column(&self, parts: &[Ident], span: Span) -> Result<Scalar, Refusal> {
        let (alias, name) = match parts {
            [name] => (None, name.value.as_str()),
            [alias, name] => (Some(alias.value.as_str()), name.value.as_str()),
            _ => return Err(unsupported(span, "a name of more than two parts")),
        };
        if let Some(alias) = alias
            && !self.sources.iter().any(|source| source.alias.eq_ignore_ascii_case(alias))
        {
            let known: Vec<&str> = self.sources.iter().map(|source| source.alias.as_str()).collect();
            let message =
                err!(E0544, span, "no table of this query is called `{alias}`").label("not a table here");
            return Err(Box::new(message.help(format!("its tables are `{}`", known.join("`, `")))));
        }
        let found: Vec<ColumnOf> = self.columns(alias, name).collect();
        match found.as_slice() {
            [one] => Ok(Scalar::Column(*one, self.values_type(*one))),
            [] => Err(Box::new(self.unknown_column(alias, name, span))),
            [first, second, ..] => {
                let alias = |column: &ColumnOf| self.sources[column.source].alias.as_str();
                let message = err!(E0545, span, "two tables have a column `{name}`").label("which one?");
                let (first, second) = (alias(first), alias(second));
                Err(Box::new(message.help(format!("write `{first}.{name}` or `{second}.{name}`"))))
            }
        }
    }

    fn values_type(&self, column: ColumnOf) -> Type {
        self.tables[self.sources[column.source].table].columns[column.column].values.ty()
    }

    fn unknown_column(&self, alias: Option<&str>, name: &str, span: Span) -> Diagnostic {
        let sources =
            self.sources.iter().filter(|s| alias.is_none_or(|alias| s.alias.eq_ignore_ascii_case(alias)));
        let tables: Vec<&Table> = sources.map(|at| &self.tables[at.table]).collect();
        let known = tables.iter().flat_map(|table| table.header.iter().map(String::as_str));
        let message = err!(E0544, span, "no column is called `{name}`").label("not a column");
        // The names of a file whose fields are separated by anything but commas are one.
        let merged = tables.iter().filter(|table| table.header.len() == 1);
        if let Some(names) =
            merged.map(|table| &table.header[0]).find(|names| names.contains([';', '\t', '|']))
        {
            let names = names.replace('\t', "\\t");
            return message.help(format!(
                "the only column is called `{names}`: write the file with commas between its fields"
            ));
        }
        if let Some(near) = closest(name, known) {
            return message.help(format!("there is one called `{near}`"));
        }
        let lists = tables.iter().map(|table| format!("`{}` has {}", table.name, table.header.join(", ")));
        message.help(lists.collect::<Vec<_>>().join("; "))
    }

    /// The expression that a name denotes, in a query over a query.
    fn derived(&self, parts: &[Ident], span: Span) -> Result<&Expr, Refusal> {
        let own = self.clauses.derived.as_deref().unwrap_or_default();
        let name = match parts {
            [name] => name,
            [alias, name] if alias.value.eq_ignore_ascii_case(own) => name,
            _ => {
                return Err(Box::new(
                    err!(E0544, span, "no such name here")
                        .label("not a column")
                        .help(format!("the query in `from` is called `{own}`")),
                ));
            }
        };
        let known = self.clauses.names.iter();
        let mut found = known.clone().filter(|(known, _)| known.eq_ignore_ascii_case(&name.value));
        match (found.next(), found.next()) {
            (Some((_, expr)), None) => Ok(expr),
            (Some(_), Some(_)) => {
                let message = err!(E0545, span, "the query in `from` has two columns `{}`", name.value);
                Err(Box::new(message.label("which one?").help("give one another name: `… as NAME`")))
            }
            (None, _) => {
                let names: Vec<&str> = known.map(|(name, _)| name.as_str()).collect();
                let message = err!(E0544, span, "no column is called `{}`", name.value).label("not a column");
                Err(Box::new(message.help(format!("the query in `from` has {}", names.join(", ")))))
            }
        }
    }

    fn scalar(&self, expr: &Expr, scope: Scope) -> Result<Scalar, Refusal> {
        let span = self.span(expr);
        let parts: Option<&[Ident]> = match expr {
            Expr::Identifier(ident) => Some(std::slice::from_ref(ident)),
            Expr::CompoundIdentifier(parts) => Some(parts),
            _ => None,
        };
        if let Some(parts) = parts {
            let value = match scope {
                Scope::Tables => self.column(parts, span),
                Scope::Derived => self.scalar(self.derived(parts, span)?, Scope::Tables),
            }?;
            if let Scalar::Column(of, Type::Text) = &value {
                self.seen.text(span, (self.sources[of.source].table, of.column));
            }
            return Ok(value);
        }
        match expr {
            Expr::Nested(inner) => self.scalar(inner, scope),
            Expr::Value(literal) => constant(&literal.value, span),
            Expr::TypedString(typed) if matches!(typed.data_type, sqlparser::ast::DataType::Date) => {
                let text = typed.value.value.clone().into_string().unwrap_or_default();
                day(&text, span)
            }
            Expr::Cast { expr: inner, data_type: sqlparser::ast::DataType::Date, format: None, .. } => {
                let value = self.scalar(inner, scope)?;
                self.means(&value, Type::Date);
                as_date(value, span)
            }
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
                if let Expr::Value(literal) = &**inner
                    && let Literal::Number(digits, _) = &literal.value
                {
                    return number_of(digits, "-", span);
                }
                let zero = Scalar::Constant(Value::Decimal(0, 0), Type::Int);
                arithmetic(Operation::Sub, zero, self.scalar(inner, scope)?, span)
            }
            Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } => self.scalar(inner, scope),
            Expr::BinaryOp { op: BinaryOperator::Plus | BinaryOperator::Minus, .. }
                if chains::terms(expr).len() > chains::SHORT =>
            {
                let terms = chains::terms(expr).into_iter();
                let terms = terms.map(|(sign, term)| Ok((sign, self.scalar(term, scope)?)));
                chains::sum(terms.collect::<Result<_, Refusal>>()?, span)
            }
            Expr::BinaryOp { left, op, right } => {
                let Some(operation) = operation(op) else {
                    return Err(unsupported(span, &format!("`{op}` as a value")));
                };
                if let Expr::Interval(interval) = &**right {
                    return shifted(self.scalar(left, scope)?, operation, interval, span);
                }
                if operation == Operation::Div {
                    let rewrite = "divide sums, `sum(a) / sum(b)`; or select both columns, and divide where the answer is read";
                    return Err(instead(span, "`/` of each row, where sums are exact,", rewrite));
                }
                let (a, b) = (self.scalar(left, scope)?, self.scalar(right, scope)?);
                self.means(&a, b.ty());
                self.means(&b, a.ty());
                arithmetic(operation, a, b, span)
            }
            Expr::Extract { field, expr: inner, .. } => {
                let part = match field {
                    DateTimeField::Year => Part::Year,
                    DateTimeField::Month => Part::Month,
                    DateTimeField::Day => Part::Day,
                    _ => return Err(unsupported(span, &format!("`extract({field} from …)`"))),
                };
                self.part(part, inner, scope, span)
            }
            Expr::Case { operand: None, conditions, else_result: Some(last), .. } => {
                let case = |case: &CaseWhen| {
                    Ok((self.condition(&case.condition, scope)?, self.scalar(&case.result, scope)?))
                };
                let cases = conditions.iter().map(case).collect::<Result<Vec<_>, Refusal>>()?;
                let last = self.scalar(last, scope)?;
                let results = || cases.iter().map(|(_, result)| result).chain([&last]);
                results().for_each(|result| results().for_each(|other| self.means(result, other.ty())));
                chains::cases(cases, last, span)
            }
            Expr::Case { .. } => {
                let rewrite = "write `case when x = 1 then a else b end`";
                Err(instead(span, "a `case` without `else`, or of an operand,", rewrite))
            }
            _ if aggregate(expr).is_some() => {
                let message =
                    err!(E0546, span, "a sum cannot stand here").label("it is of all rows of a group");
                Err(Box::new(message.help("conditions and keys are about single rows")))
            }
            Expr::Function(function) => match part_function(function) {
                Some((part, inner)) => self.part(part, inner, scope, span),
                None if function.over.is_some() => {
                    let rewrite = "sums of groups are `group by`; ranks and running sums of rows in order are made where the answer is read";
                    Err(instead(span, "a window, `over`,", rewrite))
                }
                None => Err(unsupported(span, &format!("the function `{}`", function.name))),
            },
            Expr::Subquery(_) => Err(instead(span, "a query as a value", TWO_QUERIES)),
            _ => Err(unsupported(span, "this expression")),
        }
    }

    /// A part of a date.
    fn part(&self, part: Part, inner: &Expr, scope: Scope, span: Span) -> Result<Scalar, Refusal> {
        let value = self.scalar(inner, scope)?;
        self.means(&value, Type::Date);
        part_of(part, value, span)
    }

    /// A value of a group.
    fn outcome(&mut self, expr: &Expr, scope: Scope) -> Result<Outcome, Refusal> {
        let span = self.span(expr);
        if let Some(name) = aggregate(expr) {
            return self.aggregated(name, expr, scope);
        }
        if !aggregates(expr) {
            let value = self.scalar(expr, scope)?;
            if let Some(known) = self.of_key(&value) {
                return Ok(known);
            }
            if self.follows(&value) {
                // The groups are the same with it as a key.
                self.keys.push((value, span));
                return Ok(Outcome::Key(self.keys.len() - 1));
            }
            return Err(Box::new(
                err!(E0549, span, "which row's value is this, of all that are added up?")
                    .label("not a key of `group by`")
                    .help("name it in `group by`, or add it up: `sum(…)`, `min(…)`, `max(…)`"),
            ));
        }
        match expr {
            Expr::Nested(inner) => self.outcome(inner, scope),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
                let zero = Outcome::Constant(Value::Decimal(0, 0), Type::Int);
                let inner = self.outcome(inner, scope)?;
                self.combined(Operation::Sub, zero, inner, span)
            }
            Expr::BinaryOp { left, op, right } => {
                let Some(operation) = operation(op) else {
                    return Err(unsupported(span, &format!("`{op}` of sums")));
                };
                let (left, right) = (self.outcome(left, scope)?, self.outcome(right, scope)?);
                self.combined(operation, left, right, span)
            }
            _ => Err(unsupported(span, "this expression of sums")),
        }
    }
}
