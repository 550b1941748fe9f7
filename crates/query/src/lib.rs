//! Relations and queries: SQL over tables of typed columns, as programs.
//!
//! A table is a function of its rows, and a query a **contraction**: a sum over the rows of all its tables of
//! what it adds up, times a bracket for each condition, at the place that the group's key says.
//!
//! ```text
//! select n_name, sum(price) from orders, nations where o_nation = n_key and day < 9 group by n_name
//! sum[n_name] = sum over rows of orders, nations: [o_nation = n_key] * [day < 9] * price
//! ```
//!
//! The one idea: nothing here adds anything up. [`prepare`] makes the text of a program in the language, a
//! schedule for it, and arrays for its parameters; it is then compiled like any other, and each step of the
//! schedule is a theorem. What this crate decides is how tables are stored (codes for keys and texts, rows by
//! the keys that reach them) and in which order they are read.
//!
//! * `table`, `file`, `csv`, `parquet`, `date`: values and columns; `like`: texts that match.
//! * `sql` reads text into clauses, `mentions` says which columns they may read, `resolve` settles names and types; `query` is what comes out.
//! * `fold` leaves out what is known of conditions; `pairs` makes one equation of several between two tables.
//! * `key_domains` gives columns that are compared one dictionary; `plan` chooses the order; `bounds` says that no sum leaves 64 bits.
//! * `groups` says by which places rows are put into groups, `joined` puts rows together first where it takes several tables, and `rows` has their values.
//! * `program` writes the program, `triangle_join` and `diamond` those of triangles and diamonds; `contraction` writes the equation for people.
//! * `having` says which groups are wanted; `answer` reads the result's cells back as rows; `order` is that of values.
//!
//! ```
//! use atl_query::{Declared, csv, prepare};
//!
//! let read = |name: &str, text: &'static str| csv::read(name, &|| Ok(text.as_bytes()), &|_| true, &Declared::default());
//! let tables = [read("R", "a,b\n1,2\n3,2\n").unwrap(), read("S", "b,c\n2,10\n3,20\n4,30\n").unwrap()];
//! let prepared = prepare("select sum(a * c) from R, S where R.b = S.b", &tables).unwrap();
//! assert_eq!(prepared.contraction, "sum = sum over rows of R, S:\n    [R.b = S.b]\n    * (a * c)\n");
//! assert!(prepared.program.text.contains("rw onehot_sum_and everywhere;"));
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod answer;
mod bounds;
mod contraction;
pub mod csv;
mod date;
mod diamond;
mod dictionary;
mod domain;
mod file;
mod fold;
mod groups;
mod having;
mod joined;
mod key_domains;
mod like;
mod mentions;
mod names;
mod nesting;
mod order;
mod pairs;
pub mod parquet;
mod plan;
mod program;
pub mod query;
mod resolve;
mod rows;
mod sql;
pub mod table;
mod text;
mod triangle_join;

use atl_diag::{Color, Diagnostic, SourceMap};
use std::fmt;
use text::Text;

pub use domain::Domain;
pub use file::{Declared, EXPECTED, TableFile};
pub use mentions::Mentions;
pub use program::{Adds, Array, Function, Pattern, Program};
pub use query::Query;
pub use table::Table;

/// A query that is refused.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The query's text.
    pub sources: SourceMap,
    /// Why.
    pub diagnostic: Diagnostic,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.render(&self.sources, Color::Never))
    }
}

impl std::error::Error for Refused {}

/// A query, ready to be compiled.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What it says.
    pub query: Query,
    /// The program that computes it.
    pub program: Program,
    /// The query as an equation with named indices.
    pub contraction: String,
    /// In which order its tables are read.
    pub plan: String,
}

/// The names of tables in a query, in order and each once.
///
/// # Errors
/// The text is no SQL, or has what is not supported.
pub fn tables_of(text: &str) -> Result<Vec<String>, Box<Refused>> {
    let mut sources = SourceMap::new();
    let text = Text::new(&mut sources, text);
    let clauses = sql::parse(&text).map_err(|diagnostic| refused(&sources, *diagnostic))?;
    let mut names: Vec<String> = Vec::new();
    for from in clauses.from {
        if !names.iter().any(|name| name.eq_ignore_ascii_case(&from.table)) {
            names.push(from.table);
        }
    }
    Ok(names)
}

/// The columns that a query may read: others need not be.
///
/// # Errors
/// The text is no SQL, or has what is not supported.
pub fn mentions_of(text: &str) -> Result<Mentions, Box<Refused>> {
    let mut sources = SourceMap::new();
    let text = Text::new(&mut sources, text);
    let clauses = sql::parse(&text).map_err(|diagnostic| refused(&sources, *diagnostic))?;
    Ok(mentions::mentions(&clauses))
}

/// A query over these tables as a program.
///
/// # Errors
/// The text is no SQL, names what is not there, compares what cannot be compared, or may add up to more than
/// 64 bits.
pub fn prepare(text: &str, tables: &[Table]) -> Result<Prepared, Box<Refused>> {
    let mut sources = SourceMap::new();
    let text = Text::new(&mut sources, text);
    let prepared = sql::parse(&text).and_then(|clauses| {
        let (query, tables) = resolve::resolve(&text, &clauses, tables)?;
        let contraction = contraction::contraction(&query, &tables);
        let (query, tables) = fold::folded(query, tables);
        let (query, tables) = pairs::paired(query, &tables)?;
        let (query, program, plan) = program::planned(query, tables)?;
        Ok(Prepared { query, program, contraction, plan })
    });
    prepared.map_err(|diagnostic| refused(&sources, *diagnostic))
}

fn refused(sources: &SourceMap, diagnostic: Diagnostic) -> Box<Refused> {
    Box::new(Refused { sources: sources.clone(), diagnostic })
}
