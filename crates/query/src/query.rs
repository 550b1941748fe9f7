//! What a query says, with names resolved and types known.
//!
//! A query is a sum over the rows of its tables: of all rows that stand together and satisfy its conditions,
//! grouped by some values. What comes after the sum (averages, order, limit) is about the small result.

use crate::table::{Type, Value};
use atl_diag::Span;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A table of a query, under a name of its own.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name by which the query calls it.
    pub alias: String,
    /// Which table it is.
    pub table: usize,
    /// Where it is named.
    pub span: Span,
}

/// A column of a source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ColumnOf {
    /// Which source.
    pub source: usize,
    /// Which column of its table.
    pub column: usize,
}

/// An operation on numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, of results only.
    Div,
}

impl Operation {
    /// The sign, in queries and in programs.
    pub fn sign(self) -> char {
        match self {
            Operation::Add => '+',
            Operation::Sub => '-',
            Operation::Mul => '*',
            Operation::Div => '/',
        }
    }
}

/// A part of a date.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The year.
    Year,
    /// The month, from 1.
    Month,
    /// The day of the month, from 1.
    Day,
}

/// A value of one row of each source.
#[derive(Clone, PartialEq, Debug)]
pub enum Scalar {
    /// A column's value there.
    Column(ColumnOf, Type),
    /// The same for all rows.
    Constant(Value, Type),
    /// An operation on two numbers of a type that both are.
    Binary(Operation, Box<Scalar>, Box<Scalar>, Type),
    /// An exact number with more digits after the point, or as floating point.
    Convert(Box<Scalar>, Type),
    /// A part of a date in a column.
    Part(Part, ColumnOf),
    /// The first value whose condition holds, else the last one.
    Case(Box<Condition>, Box<Scalar>, Box<Scalar>, Type),
}

impl Part {
    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Year => "year",
            Part::Month => "month",
            Part::Day => "day",
        }
    }
}

impl Scalar {
    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Scalar::Column(_, ty)
            | Scalar::Constant(_, ty)
            | Scalar::Binary(.., ty)
            | Scalar::Convert(_, ty)
            | Scalar::Case(.., ty) => *ty,
            Scalar::Part(..) => Type::Int,
        }
    }
}

/// A comparison of two values of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Comparison {
    /// Does it hold of two values in this order?
    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Eq => order.is_eq(),
            Comparison::Ne => order.is_ne(),
            Comparison::Lt => order.is_lt(),
            Comparison::Le => order.is_le(),
            Comparison::Gt => order.is_gt(),
            Comparison::Ge => order.is_ge(),
        }
    }
}

/// Many values, as a column has them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Among {
    /// Numbers without their point, with as many digits after it as the column has; or days.
    Numbers(BTreeSet<i64>),
    /// Texts.
    Texts(BTreeSet<String>),
}

/// What holds of one row of each source, or does not.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// A comparison.
    Compare(Comparison, Scalar, Scalar),
    /// The text of a column is one of those that match.
    Like(ColumnOf, String),
    /// The value of a column is one of many, which are looked up.
    Among(ColumnOf, Arc<Among>),
    /// All of them.
    And(Vec<Condition>),
    /// One of them.
    Or(Vec<Condition>),
    /// Not so.
    Not(Box<Condition>),
}

impl Scalar {
    /// Whatever it reads.
    pub(crate) fn columns(&self, each: &mut dyn FnMut(ColumnOf)) {
        match self {
            Scalar::Column(of, _) | Scalar::Part(_, of) => each(*of),
            Scalar::Constant(..) => {}
            Scalar::Convert(inner, _) => inner.columns(each),
            Scalar::Binary(_, a, b, _) => {
                a.columns(each);
                b.columns(each);
            }
            Scalar::Case(condition, a, b, _) => {
                condition.columns(each);
                a.columns(each);
                b.columns(each);
            }
        }
    }
}

impl Condition {
    /// Whatever it reads.
    pub(crate) fn columns(&self, each: &mut dyn FnMut(ColumnOf)) {
        match self {
            Condition::Compare(_, a, b) => {
                a.columns(each);
                b.columns(each);
            }
            Condition::Like(of, _) | Condition::Among(of, _) => each(*of),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| part.columns(each)),
            Condition::Not(inner) => inner.columns(each),
        }
    }
}

/// What is added up.
#[derive(Clone, PartialEq, Debug)]
pub enum Aggregate {
    /// How many rows there are.
    Count,
    /// The sum of numbers.
    Sum(Scalar),
    /// The least of exact numbers or dates.
    Min(Scalar),
    /// The greatest.
    Max(Scalar),
}

/// A value of a group, made of its key and of what was added up.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// A part of the group's key.
    Key(usize),
    /// What was added up.
    Aggregate(usize),
    /// The same for all groups.
    Constant(Value, Type),
    /// An operation: exact, but for a quotient, which is of floating-point numbers.
    Binary(Operation, Box<Outcome>, Box<Outcome>),
}

/// What holds of a group, or does not.
#[derive(Clone, PartialEq, Debug)]
pub enum Having {
    /// A comparison.
    Compare(Comparison, Outcome, Outcome),
    /// All of them.
    And(Vec<Having>),
    /// One of them.
    Or(Vec<Having>),
    /// Not so.
    Not(Box<Having>),
}

/// A column of the result.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its values.
    pub value: Outcome,
}

/// An order of groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From small to great.
    Ascending,
    /// From great to small.
    Descending,
}

/// A query.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its tables.
    pub sources: Vec<Source>,
    /// What must hold, all of it.
    pub conditions: Vec<(Condition, Span)>,
    /// The values by which rows are grouped.
    pub keys: Vec<(Scalar, Span)>,
    /// What is added up in each group.
    pub aggregates: Vec<(Aggregate, Span)>,
    /// The columns of the result.
    pub outputs: Vec<Output>,
    /// What must hold of a group.
    pub having: Option<Having>,
    /// By what the result is put in order.
    pub order: Vec<(Outcome, Direction)>,
    /// Rows that are left out first.
    pub offset: usize,
    /// The most rows of the result.
    pub limit: Option<usize>,
    /// Is there a line for each row, rather than for each group?
    pub lists_rows: bool,
    /// Is everything one group, which is there even where no row is?
    pub is_total: bool,
}
