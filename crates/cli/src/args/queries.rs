//! The command that answers queries.

use super::Place;
use super::values::pair;
use std::path::PathBuf;

const QUERY: &str = "Examples:
  atl query \"select b, sum(a) from R group by b\" R=r.csv
  atl query --explain \"select count(*) from R, S where R.b = S.b\" R=r.csv S=s.csv
  atl query --file q5.sql --tables tpch";

#[derive(clap::Args, Debug)]
#[command(after_help = QUERY)]
pub(crate) struct Query {
    /// The query, unless `--file` gives it; then the tables: `NAME=FILE.csv` or `NAME=FILE.parquet`
    #[arg(value_name = "SQL | NAME=FILE.csv")]
    pub(crate) words: Vec<String>,
    /// The query, from a file
    #[arg(long, value_name = "FILE.sql")]
    pub(crate) file: Option<PathBuf>,
    /// A folder that has, for each table without a file of its own, `NAME.csv` or `NAME.parquet`
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Show the contraction, the order of tables, and the program with its schedule, in place of an answer
    #[arg(long)]
    pub(crate) explain: bool,
    /// Run it repeatedly, and report times on standard error: of reading, preparing, compiling and checking once, and the median of runs
    #[arg(long)]
    pub(crate) time: bool,
}

impl Query {
    /// The tables that are named with their files.
    pub(crate) fn files(&self) -> Result<Vec<(String, String)>, String> {
        let tables =
            if self.file.is_some() { &self.words[..] } else { self.words.get(1..).unwrap_or_default() };
        tables.iter().map(|word| pair(word).map_err(|why| format!("`{word}`: {why}"))).collect()
    }
}
