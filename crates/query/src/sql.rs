//! SQL text to its clauses, and refusals of what is not among them.
//!
//! The parser is another crate's and reads much more than is carried out here. So every part of its tree is
//! either taken over or refused by name: what nobody looked at must not be left out in silence.

use crate::text::{Refusal, Text};
use atl_diag::{Diagnostic, Span, err};
use sqlparser::ast::{
    self, Expr, GroupByExpr, JoinConstraint, JoinOperator, LimitClause, ObjectName, OrderByKind, SelectItem,
    SetExpr, TableFactor,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer};

/// The longest query, in bytes.
const MAX_BYTES: usize = 1 << 16;

/// How deep expressions may be nested.
const MAX_DEPTH: usize = 64;

/// What is carried out, for refusals.
const SUPPORTED: &str = "a query is `select … from … where … group by … having … order by … limit …` over inner joins; `atl explain E0543` says what may stand in it";

/// A table that is named.
#[derive(Clone, Debug)]
pub(crate) struct From {
    pub(crate) table: String,
    pub(crate) alias: String,
    pub(crate) span: Span,
}

/// The clauses of a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clauses {
    pub(crate) is_distinct: bool,
    /// Expressions and their names.
    pub(crate) outputs: Vec<(Expr, Option<String>)>,
    pub(crate) from: Vec<From>,
    /// What `where` and `on` say, all of it.
    pub(crate) conditions: Vec<Expr>,
    /// The same of a query in `from`, which speaks of the tables.
    pub(crate) inner: Vec<Expr>,
    pub(crate) keys: Vec<Expr>,
    pub(crate) having: Option<Expr>,
    pub(crate) order: Vec<(Expr, bool)>,
    pub(crate) limit: Option<Expr>,
    pub(crate) offset: Option<Expr>,
    /// Names of expressions over the tables: the columns of a query in `from`.
    pub(crate) names: Vec<(String, Expr)>,
    /// What the query in `from` is called.
    pub(crate) derived: Option<String>,
}

/// The clauses of a text.
pub(crate) fn parse(text: &Text) -> Result<Clauses, Refusal> {
    if text.text.len() > MAX_BYTES {
        let message = err!(E0542, "the query has {} bytes, and {MAX_BYTES} are the most", text.text.len());
        return Err(Box::new(message.help("split it up")));
    }
    crate::nesting::bounded(text)?;
    let whole = text.span(sqlparser::tokenizer::Span::empty());
    let no_sql = |why: ParserError| Box::new(malformed(text, whole, &why.to_string()));
    let parser = Parser::new(&GenericDialect {}).with_recursion_limit(MAX_DEPTH);
    let mut parser = parser.try_with_sql(&text.text).map_err(no_sql)?;
    let skip = |parser: &mut Parser<'_>| while parser.consume_token(&Token::SemiColon) {};
    skip(&mut parser);
    match parser.peek_token().token {
        Token::EOF => {
            return Err(Box::new(
                err!(E0542, whole, "there is no query").label("nothing here").help("write `select … from …`"),
            ));
        }
        Token::LParen => {}
        Token::Word(word) if BEGINS.contains(&word.keyword) => {}
        Token::Word(word) if OTHERS.contains(&word.keyword) => {
            return Err(unsupported(whole, "a statement that is no query"));
        }
        _ => return Err(no_sql(expected(&parser, "an SQL statement"))),
    }
    let query = parser.parse_query().map_err(no_sql)?;
    let is_ended = parser.peek_token().token == Token::SemiColon;
    skip(&mut parser);
    match parser.peek_token().token {
        Token::EOF => query_of(text, &query),
        _ if is_ended => Err(unsupported(whole, "several statements")),
        _ => Err(no_sql(expected(&parser, "end of statement"))),
    }
}

/// With what a query begins, but for a bracket. The parser reads queries alone, for that is a quarter of its code.
const BEGINS: [Keyword; 4] = [Keyword::SELECT, Keyword::WITH, Keyword::VALUES, Keyword::FROM];

/// With what other statements begin.
const OTHERS: [Keyword; 22] = [
    Keyword::ALTER,
    Keyword::ANALYZE,
    Keyword::ATTACH,
    Keyword::BEGIN,
    Keyword::CALL,
    Keyword::COMMIT,
    Keyword::COPY,
    Keyword::CREATE,
    Keyword::DELETE,
    Keyword::DESCRIBE,
    Keyword::DROP,
    Keyword::EXPLAIN,
    Keyword::GRANT,
    Keyword::INSERT,
    Keyword::MERGE,
    Keyword::PRAGMA,
    Keyword::ROLLBACK,
    Keyword::SET,
    Keyword::SHOW,
    Keyword::TRUNCATE,
    Keyword::UPDATE,
    Keyword::USE,
];

/// What the parser says where something else stands next.
fn expected(parser: &Parser<'_>, what: &str) -> ParserError {
    let found = parser.expected::<()>(what, parser.peek_token()).err();
    found.unwrap_or_else(|| ParserError::ParserError(format!("Expected: {what}")))
}

/// The words of a query, quoted or not; none where it is no SQL.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    let tokens = Tokenizer::new(&GenericDialect {}, text).tokenize().ok()?;
    let word = |token| if let Token::Word(word) = token { Some(word.value) } else { None };
    Some(tokens.into_iter().filter_map(word).collect())
}

/// What the parser says, at the place that it says.
fn malformed(text: &Text, whole: Span, why: &str) -> Diagnostic {
    let why = why.trim_start_matches("sql parser error: ").trim_start_matches("Parser error: ");
    let (message, at) = why.split_once(" at Line: ").unwrap_or((why, ""));
    let numbers: Vec<u64> =
        at.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    let span = match numbers.as_slice() {
        [line, column, ..] => {
            let start = sqlparser::tokenizer::Location { line: *line, column: *column };
            let end = sqlparser::tokenizer::Location { line: *line, column: column + 1 };
            text.span(sqlparser::tokenizer::Span { start, end })
        }
        _ => whole,
    };
    err!(E0542, span, "this is no SQL: {}", message.trim())
        .label("here")
        .help("check the words around this place")
}

/// A refusal of something that SQL has.
pub(crate) fn unsupported(span: Span, what: &str) -> Refusal {
    Box::new(err!(E0543, span, "{what} is not supported").label("this").help(SUPPORTED))
}

/// A refusal of something that can be said in another way.
pub(crate) fn instead(span: Span, what: &str, rewrite: &str) -> Refusal {
    Box::new(err!(E0543, span, "{what} is not supported").label("this").help(rewrite).help(SUPPORTED))
}

/// What a query in a query is written as.
pub(crate) const TWO_QUERIES: &str = "ask the inner query first, with `--out T.csv`; then ask the outer one, which reads `T` in its place, with `T=T.csv`";

fn query_of(text: &Text, query: &ast::Query) -> Result<Clauses, Refusal> {
    let whole = text.of(query);
    let refuse = |what: &str| Err(unsupported(whole, what));
    let ast::Query {
        with,
        body,
        order_by,
        limit_clause,
        fetch,
        locks,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = query;
    if with.is_some() {
        return Err(instead(whole, "`with`", TWO_QUERIES));
    }
    if fetch.is_some()
        || !locks.is_empty()
        || for_clause.is_some()
        || settings.is_some()
        || format_clause.is_some()
    {
        let what = "a clause after `order by` that is not `limit` or `offset`";
        return Err(instead(whole, what, "of `fetch first 3 rows only` write `limit 3`"));
    }
    if !pipe_operators.is_empty() {
        return refuse("`|>`");
    }
    let mut clauses = match &**body {
        SetExpr::Select(select) => select_of(text, select)?,
        SetExpr::SetOperation { op, .. } => {
            let what = format!("`{}`", op.to_string().to_lowercase());
            let rewrite = "ask each query by itself, with `--out`, and put the files together";
            return Err(instead(whole, &what, rewrite));
        }
        SetExpr::Query(inner) => query_of(text, inner)?,
        _ => return refuse("a query that is no `select`"),
    };
    if let Some(order) = order_by {
        if order.interpolate.is_some() {
            return refuse("`interpolate`");
        }
        let OrderByKind::Expressions(keys) = &order.kind else { return refuse("`order by all`") };
        for key in keys {
            if key.with_fill.is_some() || key.options.nulls_first.is_some() {
                return Err(unsupported(text.of(key), "`nulls first`, `nulls last` or `with fill`"));
            }
            clauses.order.push((key.expr.clone(), key.options.asc == Some(false)));
        }
    }
    match limit_clause {
        None => {}
        Some(LimitClause::LimitOffset { limit, offset, limit_by }) if limit_by.is_empty() => {
            clauses.limit.clone_from(limit);
            clauses.offset = offset.as_ref().map(|offset| offset.value.clone());
        }
        Some(_) => return refuse("this form of `limit`"),
    }
    Ok(clauses)
}

fn select_of(text: &Text, select: &ast::Select) -> Result<Clauses, Refusal> {
    let whole = text.of(select);
    let mut clauses = Clauses {
        is_distinct: match &select.distinct {
            None => false,
            Some(ast::Distinct::Distinct) => true,
            Some(_) => {
                let rewrite = "of `select distinct on (a) a, b` write `select a, min(b) … group by a`";
                return Err(instead(whole, "`distinct on`", rewrite));
            }
        },
        having: select.having.clone(),
        ..Clauses::default()
    };
    if let Some(qualify) = &select.qualify {
        return Err(unsupported(text.of(qualify), "`qualify`"));
    }
    // What the rest of the tree holds is nothing, or the query is refused.
    let plain = ast::Select {
        distinct: None,
        projection: select.projection.clone(),
        from: select.from.clone(),
        selection: select.selection.clone(),
        group_by: select.group_by.clone(),
        select_token: select.select_token.clone(),
        top: None,
        top_before_distinct: select.top_before_distinct,
        exclude: None,
        into: None,
        lateral_views: Vec::new(),
        prewhere: None,
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: select.window_before_qualify,
        value_table_mode: None,
        connect_by: None,
        flavor: select.flavor.clone(),
    };
    if plain != (ast::Select { distinct: None, having: None, ..select.clone() }) {
        return Err(unsupported(whole, "a clause of this `select`"));
    }
    for item in &select.projection {
        clauses.outputs.push(match item {
            SelectItem::UnnamedExpr(expr) => (expr.clone(), None),
            SelectItem::ExprWithAlias { expr, alias } => (expr.clone(), Some(alias.value.clone())),
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
                let what = "`*`, which leaves the columns unnamed,";
                return Err(instead(text.of(item), what, "name the columns: `select a, b from …`"));
            }
        });
    }
    match &select.group_by {
        GroupByExpr::Expressions(keys, modifiers) if modifiers.is_empty() => clauses.keys.clone_from(keys),
        _ => return Err(unsupported(whole, "this form of `group by`")),
    }
    for item in &select.from {
        factor(text, &item.relation, &mut clauses)?;
        for join in &item.joins {
            factor(text, &join.relation, &mut clauses)?;
            let at = text.of(&join.relation);
            let constraint = match &join.join_operator {
                JoinOperator::Join(constraint)
                | JoinOperator::Inner(constraint)
                | JoinOperator::CrossJoin(constraint)
                    if !join.global =>
                {
                    constraint
                }
                _ => {
                    let rewrite = "write `join … on …`, which has the rows that meet, and ask for the others by a query of their own";
                    return Err(instead(at, "a join that is not an inner one", rewrite));
                }
            };
            match constraint {
                JoinConstraint::On(condition) => clauses.conditions.push(condition.clone()),
                JoinConstraint::None => {}
                JoinConstraint::Using(columns) => {
                    return Err(instead(at, "a join by `using`", &on(columns, &clauses.from)));
                }
                JoinConstraint::Natural => {
                    let rewrite = "say which columns are equal: `on S.a = T.a`";
                    return Err(instead(at, "a join by `natural`", rewrite));
                }
            }
        }
    }
    clauses.conditions.extend(select.selection.clone());
    if let (Some(_), 2..) = (&clauses.derived, clauses.from.len() + select.from.len()) {
        // A query among other tables would need names of its own for its tables.
        if select.from.len() > 1 || select.from.iter().any(|item| !item.joins.is_empty()) {
            return Err(instead(whole, "a query in `from` beside other tables", TWO_QUERIES));
        }
    }
    Ok(clauses)
}

/// What `using` says of the last two tables, as `on` says it.
fn on(columns: &[ObjectName], from: &[From]) -> String {
    let [.., left, right] = from else { return "write `on S.a = T.a`".to_owned() };
    let equal = columns.iter().map(|column| format!("{}.{column} = {}.{column}", left.alias, right.alias));
    format!("write `on {}`", equal.collect::<Vec<_>>().join(" and "))
}

/// A table, or a query that only selects and names.
fn factor(text: &Text, factor: &TableFactor, clauses: &mut Clauses) -> Result<(), Refusal> {
    let span = text.of(factor);
    match factor {
        TableFactor::Table { name, alias, .. } => {
            let plain = TableFactor::Table {
                name: name.clone(),
                alias: alias.clone(),
                args: None,
                with_hints: Vec::new(),
                version: None,
                with_ordinality: false,
                partitions: Vec::new(),
                json_path: None,
                sample: None,
                index_hints: Vec::new(),
            };
            let table = plain_name(name);
            let (Some(table), true) = (table, plain == *factor) else {
                return Err(unsupported(span, "this form of a table's name"));
            };
            let renamed = alias.as_ref().map(|alias| alias.name.value.clone());
            if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
                return Err(unsupported(span, "new names of a table's columns"));
            }
            clauses.from.push(From { alias: renamed.unwrap_or_else(|| table.clone()), table, span });
            Ok(())
        }
        TableFactor::Derived { lateral: false, subquery, alias } => {
            let inner = query_of(text, subquery)?;
            let is_plain = !inner.is_distinct
                && inner.keys.is_empty()
                && inner.having.is_none()
                && inner.order.is_empty()
                && inner.limit.is_none()
                && inner.offset.is_none()
                && inner.derived.is_none();
            if !is_plain || inner.outputs.iter().any(|(expr, _)| aggregates(expr)) {
                return Err(instead(
                    span,
                    "a query in `from` that does more than select and name",
                    TWO_QUERIES,
                ));
            }
            if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
                return Err(unsupported(span, "new names of a query's columns"));
            }
            for (expr, name) in inner.outputs {
                let Some(name) = name.or_else(|| last_name(&expr)) else {
                    return Err(unsupported(span, "a column of a query in `from` that has no name"));
                };
                clauses.names.push((name, expr));
            }
            clauses.derived = Some(alias.as_ref().map(|alias| alias.name.value.clone()).unwrap_or_default());
            clauses.from.extend(inner.from);
            clauses.inner.extend(inner.conditions);
            Ok(())
        }
        TableFactor::NestedJoin { table_with_joins, alias: None } if table_with_joins.joins.is_empty() => {
            self::factor(text, &table_with_joins.relation, clauses)
        }
        _ => Err(unsupported(span, "this in `from`")),
    }
}

/// A name of one part.
pub(crate) fn plain_name(name: &ObjectName) -> Option<String> {
    match name.0.as_slice() {
        [part] => part.as_ident().map(|ident| ident.value.clone()),
        _ => None,
    }
}

/// The name of a column that is one.
pub(crate) fn last_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(ident) => Some(ident.value.clone()),
        Expr::CompoundIdentifier(parts) => parts.last().map(|ident| ident.value.clone()),
        _ => None,
    }
}

/// The name of a function that adds up, where the expression is a call of one.
pub(crate) fn aggregate(expr: &Expr) -> Option<&'static str> {
    let Expr::Function(function) = expr else { return None };
    let name = plain_name(&function.name).filter(|_| function.over.is_none())?;
    ["avg", "count", "max", "min", "sum"].into_iter().find(|known| name.eq_ignore_ascii_case(known))
}

/// Is something added up in an expression?
pub(crate) fn aggregates(expr: &Expr) -> bool {
    aggregate(expr).is_some()
        || match expr {
            Expr::Nested(inner) | Expr::UnaryOp { expr: inner, .. } => aggregates(inner),
            Expr::BinaryOp { left, right, .. } => aggregates(left) || aggregates(right),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::{Text, parse};
    use atl_diag::SourceMap;

    /// The code of a refusal, and what it says; none of a query.
    fn refused(text: &str) -> Option<String> {
        let refused = parse(&Text::new(&mut SourceMap::default(), text)).err()?;
        Some(format!("{}: {}", refused.code, refused.message))
    }

    #[test]
    fn one_query_is_read_and_nothing_else() {
        for text in ["select a from t", ";; SELECT a FROM t ;;", "(select a from t)"] {
            assert!(refused(text).is_none_or(|why| !why.contains("statement")), "{text}");
        }
        for (text, expected) in [
            ("", "E0542: there is no query"),
            (" ; ", "E0542: there is no query"),
            ("insert into t values (1)", "E0543: a statement that is no query is not supported"),
            ("Explain select a from t", "E0543: a statement that is no query is not supported"),
            ("select a from t; select a from t", "E0543: several statements is not supported"),
            ("selct a from t", "E0542: this is no SQL: Expected: an SQL statement, found: selct"),
            ("1", "E0542: this is no SQL: Expected: an SQL statement, found: 1"),
            ("select a from t limit 1 2", "E0542: this is no SQL: Expected: end of statement, found: 2"),
        ] {
            assert_eq!(refused(text).as_deref(), Some(expected), "{text}");
        }
    }
}
