//! Which columns a query may read: the others of a file need not be looked at, whatever stands in them.
//!
//! The one idea: a name is that of a column only where one may stand. What a column of the result is called,
//! what a table is called, and texts are none; and a name with a table before it is a column of that table
//! alone.

use crate::sql::{Clauses, last_name, words};
use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident};

/// The columns that a query may read.
#[derive(Clone, Debug)]
pub struct Mentions {
    /// What tables are called in the query, and their own names.
    sources: Vec<(String, String)>,
    /// Names, and what the table before each is called.
    names: Vec<(Option<String>, String)>,
}

impl Mentions {
    /// May this column of this table be read?
    pub fn has(&self, table: &str, column: &str) -> bool {
        let is_of = |alias: &str| {
            let named = |(known, own): &(String, String)| {
                known.eq_ignore_ascii_case(alias) && own.eq_ignore_ascii_case(table)
            };
            self.sources.iter().any(named)
        };
        self.names
            .iter()
            .any(|(alias, name)| name.eq_ignore_ascii_case(column) && alias.as_deref().is_none_or(is_of))
    }
}

/// The columns that these clauses may read.
pub(crate) fn mentions(clauses: &Clauses) -> Mentions {
    let mut outer = Vec::new();
    let outputs = clauses.outputs.iter().map(|(expr, _)| expr);
    for expr in outputs.chain(&clauses.conditions).chain(&clauses.keys).chain(&clauses.having) {
        names(expr, &mut outer);
    }
    for (expr, _) in &clauses.order {
        // A column of the result comes first here.
        let is_output = |(output, name): &(Expr, Option<String>)| {
            let name = name.clone().or_else(|| last_name(output));
            matches!((expr, name), (Expr::Identifier(ident), Some(name)) if name.eq_ignore_ascii_case(&ident.value))
        };
        if !clauses.outputs.iter().any(is_output) {
            names(expr, &mut outer);
        }
    }
    let mut found = outer;
    if clauses.derived.is_some() {
        let of_outer = |name: &str| found.iter().any(|(_, known)| known.eq_ignore_ascii_case(name));
        let mut inner = Vec::new();
        clauses.names.iter().filter(|(name, _)| of_outer(name)).for_each(|(_, expr)| names(expr, &mut inner));
        clauses.inner.iter().for_each(|expr| names(expr, &mut inner));
        found = inner;
    }
    let sources = clauses.from.iter().map(|from| (from.alias.clone(), from.table.clone()));
    Mentions { sources: sources.collect(), names: found }
}

/// The names in an expression; of one that is not looked into, its words.
fn names(expr: &Expr, found: &mut Vec<(Option<String>, String)>) {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::Identifier(name) => found.push((None, name.value.clone())),
            Expr::CompoundIdentifier(parts) => found.extend(match parts.as_slice() {
                [Ident { value: alias, .. }, name] => Some((Some(alias.clone()), name.value.clone())),
                parts => parts.last().map(|name| (None, name.value.clone())),
            }),
            Expr::Value(_) | Expr::TypedString(_) | Expr::Interval(_) => {}
            Expr::Nested(inner)
            | Expr::UnaryOp { expr: inner, .. }
            | Expr::Extract { expr: inner, .. }
            | Expr::Cast { expr: inner, .. }
            | Expr::IsNull(inner)
            | Expr::IsNotNull(inner) => open.push(inner),
            Expr::BinaryOp { left, right, .. } => open.extend([&**left, &**right]),
            Expr::Between { expr, low, high, .. } => open.extend([&**expr, &**low, &**high]),
            Expr::Like { expr, pattern, .. } => open.extend([&**expr, &**pattern]),
            Expr::InList { expr, list, .. } => {
                open.push(expr);
                open.extend(list);
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                open.extend(operand.iter().chain(else_result).map(|part| &**part));
                open.extend(conditions.iter().flat_map(|case| [&case.condition, &case.result]));
            }
            Expr::Function(function) if is_plain(&function.args) => {
                if let FunctionArguments::List(list) = &function.args {
                    open.extend(list.args.iter().filter_map(argument));
                }
            }
            other => {
                let words = words(&other.to_string()).unwrap_or_default();
                found.extend(words.into_iter().map(|word| (None, word)));
            }
        }
    }
}

fn argument(argument: &FunctionArg) -> Option<&Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}

/// Are the arguments expressions and stars, and nothing else?
fn is_plain(arguments: &FunctionArguments) -> bool {
    match arguments {
        FunctionArguments::List(list) => {
            let known = |arg: &FunctionArg| {
                matches!(arg, FunctionArg::Unnamed(FunctionArgExpr::Expr(_) | FunctionArgExpr::Wildcard))
            };
            list.clauses.is_empty() && list.args.iter().all(known)
        }
        FunctionArguments::None => true,
        FunctionArguments::Subquery(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::mentions_of;

    #[test]
    fn names_are_those_of_columns() {
        let check = |sql: &str, expected: &[&str]| {
            let mentions = mentions_of(sql).expect("a query");
            let columns = ["a", "b", "s", "t", "x"];
            let found = ["t", "u"].iter().flat_map(|table| columns.map(|column| (*table, column)));
            let found = found.filter(|(table, column)| mentions.has(table, column));
            let found: Vec<String> = found.map(|(table, column)| format!("{table}.{column}")).collect();
            assert_eq!(found, expected, "{sql}");
        };
        // What results, tables and texts are called is no column.
        check("select sum(a) as s from t x where b < 's'", &["t.a", "t.b", "u.a", "u.b"]);
        check("select sum(x.a) as s, count(*) from t x, u as t where t.b = 1", &["t.a", "u.b"]);
        check("select a as s from t order by s, x", &["t.a", "t.x", "u.a", "u.x"]);
        check("select a as s from t order by s * 2", &["t.a", "t.s", "u.a", "u.s"]);
        // A column comes before a column of the result where rows are grouped.
        check("select t.a as s from t group by s having S > 1", &["t.a", "t.s", "u.s"]);
        check("select t.\"A\" from t where t.x in (t.b, 2) or year(t.s) = 1", &["t.a", "t.b", "t.s", "t.x"]);
        check("select case t.a when 1 then t.b end, extract(day from t.x) from t", &["t.a", "t.b", "t.x"]);
        check("select sum(s) from (select t.a as s, t.b as x from t where t.t = 1) u", &["t.a", "t.t"]);
        check("select sum(a) filter (where b = 1) from u", &["t.a", "u.a"]);
        check("select position(a in b) from u", &["t.a", "t.b", "u.a", "u.b"]);
    }
}
