//! The command that answers queries.

use super::{Place, pair, split_at};
use atl_tables::query::{EXPECTED, TableFile};
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const QUERY: &str = "Examples:
  atl query \"select b, sum(a) from R group by b\" R=r.csv
  atl query --explain \"select count(*) from R, S where R.b = S.b\" R=r.csv S=s.csv
  atl query --file q5.sql --tables tpch
  atl query paths.atl --fn paths R=r.csv S=s.csv";

#[derive(clap::Args, Debug)]
#[command(after_help = QUERY)]
pub(crate) struct Query {
    /// The query, unless `--file` gives it, or a program whose function is called with relations, `FILE.atl`; then the tables: `NAME=FILE.csv`, `NAME=FILE.parquet`, or `NAME(COLUMN, ..)=FILE.csv` where no line names the columns
    #[arg(value_name = "SQL | FILE.atl | NAME=FILE.csv")]
    pub(crate) words: Vec<OsString>,
    /// The query, from a file
    #[arg(long, value_name = "FILE.sql")]
    pub(crate) file: Option<PathBuf>,
    /// A folder that has, for each table without a file of its own, `NAME.csv` or `NAME.parquet`
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    /// What an empty field of a column, or a null, is read as, `t.name=` for an empty text; may be repeated
    #[arg(long, value_name = "TABLE.COLUMN=VALUE", value_parser = empty)]
    pub(crate) empty: Vec<Empty>,
    /// The function of a program; without it, the only one, or the one that the schedule is of
    #[arg(long = "fn", value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// The schedule of a program's function; without it, the function as written
    #[arg(long, value_name = "NAME")]
    pub(crate) schedule: Option<String>,
    /// A scalar argument of a program's function, or a size: where relations have it for an axis, its values are the integers below this
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) numbers: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Where the answer goes, a CSV file; `-` prints it
    #[arg(long, value_name = "FILE.csv", default_value = "-", conflicts_with = "explain", value_parser = OsStringValueParser::new().try_map(answer))]
    pub(crate) out: PathBuf,
    /// Call a program's function again and again, each time with the last result for this relation, until nothing changes
    #[arg(long, value_name = "X", conflicts_with_all = ["explain", "time"])]
    pub(crate) iterate: Option<String>,
    /// Iterate this number of times, stable or not
    #[arg(long, value_name = "N", requires = "iterate", conflicts_with_all = ["at_most", "until"])]
    pub(crate) times: Option<u64>,
    /// End an iteration when a call changes less than a bound, as for `atl run`: "max |x' - x| < 1e-8"
    #[arg(long, value_name = "BOUND", requires = "iterate")]
    pub(crate) until: Option<String>,
    /// Refuse an iteration that has not ended after so many calls
    #[arg(long, value_name = "N", requires = "iterate", default_value_t = 100_000)]
    pub(crate) at_most: u64,
    /// Show the contraction, the order of tables, and the program with its schedule, in place of an answer; of a program, its relations and loops
    #[arg(long)]
    pub(crate) explain: bool,
    /// Run it repeatedly, and report times on standard error: of reading, preparing, compiling and checking once, and the median of runs
    #[arg(long)]
    pub(crate) time: bool,
}

/// The path of an answer: `-`, or that of a CSV file.
fn answer(path: OsString) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    match is_csv || path == Path::new("-") {
        true => Ok(path),
        false => Err("an answer is written as `.csv`".to_owned()),
    }
}

/// What empty fields of a column are read as.
#[derive(Clone, Debug)]
pub(crate) struct Empty {
    pub(crate) table: String,
    pub(crate) column: String,
    pub(crate) value: String,
}

/// `TABLE.COLUMN=VALUE`
fn empty(text: &str) -> Result<Empty, String> {
    let parts = text.split_once('=').and_then(|(place, value)| Some((place.split_once('.')?, value)));
    match parts {
        Some(((table, column), value)) if !table.is_empty() && !column.is_empty() => {
            Ok(Empty { table: table.to_owned(), column: column.to_owned(), value: value.to_owned() })
        }
        _ => Err("expected a table, `.`, its column, `=`, and a value".to_owned()),
    }
}

impl Query {
    /// The program, where it is one and no SQL.
    pub(crate) fn program(&self) -> Option<&Path> {
        let first = self.words.first().filter(|_| self.file.is_none()).map(Path::new);
        first.filter(|path| path.extension().is_some_and(|e| e == "atl"))
    }

    /// The tables that are named with their files.
    pub(crate) fn files(&self) -> Result<Vec<TableFile>, String> {
        let tables =
            if self.file.is_some() { &self.words[..] } else { self.words.get(1..).unwrap_or_default() };
        let file = |word: &OsString| match split_at(word, "=") {
            Some((table, path)) => TableFile::named(table, path),
            None => Err(EXPECTED.to_owned()),
        };
        tables.iter().map(|word| file(word).map_err(|why| format!("`{}`: {why}", word.display()))).collect()
    }
}
