//! Queries of TPC-H, beside DuckDB with one thread.
//!
//! One idea: both have the tables in memory, stored in the same order and with their keys declared, and a run
//! is everything from there to the answer's rows. Texts are compared with patterns in each run on both sides,
//! though we know them when a query is prepared. Answers are compared first.

use crate::race::Wanted;
use crate::race::asked::{Process, root};
use crate::race::rivals::Rivals;
use crate::statistics::{milliseconds, timed};
use atl_driver::backends::{Options, c};
use atl_tables::query::{Loaded, Prepared, TableFile, tables_of};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::time::Duration;

/// The queries, in `tests/query`.
const QUERIES: [&str; 7] = ["q1", "q5", "q6", "q9", "q12", "q14", "q19"];

/// How many rows: 60 thousand of `lineitem` at 0.01, 6 million at 1.
const SCALES: [&str; 2] = ["0.1", "1"];

/// After this long no further round begins.
const PATIENCE: Duration = Duration::from_secs(3);

/// See the module.
pub(crate) fn run(wanted: &Wanted) -> Result<(), String> {
    let mut races = 0;
    for scale in SCALES {
        let titled = QUERIES.map(|query| (query, format!("{query} at scale {scale}")));
        let asked: Vec<_> = titled.iter().filter(|(_, title)| title.contains(&wanted.only)).collect();
        if asked.is_empty() {
            continue;
        }
        let words = [OsStr::new(scale)];
        let Some((mut database, name)) = Process::start("DuckDB", "queries/with_duckdb.py", &words)? else {
            return Ok(());
        };
        for (query, title) in asked {
            println!("{title}");
            let found = race(&mut database, &name, (query, scale), wanted);
            let found = found.map_err(|why| format!("{title}: {why}"))?;
            (wanted.keep)(&format!("queries/{query}-{scale}"), found)?;
            races += 1;
        }
    }
    if races == 0 { Err(format!("no query contains `{}`", wanted.only)) } else { Ok(()) }
}

fn race(
    database: &mut Process,
    name: &str,
    (query, scale): (&str, &str),
    wanted: &Wanted,
) -> Result<Value, String> {
    let words = |why: atl_driver::Failure| why.to_string();
    let path = root().join(format!("tests/query/{query}.sql"));
    let sql = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let folder = root().join(format!("target/query/tpch-{scale}"));
    let file = |table: String| {
        let path = folder.join(format!("{table}.csv")).display().to_string();
        TableFile::new(table, path)
    };
    let files: Vec<TableFile> = tables_of(&sql).map_err(words)?.into_iter().map(file).collect();

    let (loaded, reading) = timed(|| Loaded::read(&sql, &files));
    let loaded = loaded.map_err(words)?;
    let (prepared, preparing) = timed(|| Prepared::new(&sql, &loaded));
    let prepared = prepared.map_err(words)?;
    let rows: usize = loaded.tables().iter().map(|table| table.rows).sum();
    let (compiled, compiling) =
        timed(|| prepared.compile(&c::BACKEND, Options { threads: Some(1), ..Options::default() }));
    let compiled = compiled.map_err(words)?;
    let (bound, checking) = timed(|| compiled.bound());
    let bound = bound.map_err(words)?;

    let loading = database.run(&format!("store {query}"))?;
    let answer = folder.join(format!("{query}.answer"));
    let text = bound.answer().map_err(words)?.to_csv();
    std::fs::write(&answer, text).map_err(|why| format!("{}: {why}", answer.display()))?;
    match database.ask(&format!("compare {query}"))?.as_str() {
        "same" => {}
        why => return Err(why.to_owned()),
    }
    let mut ours = || {
        let (answer, time) = timed(|| {
            std::hint::black_box(compiled.match_texts());
            bound.answer()
        });
        answer.map(|_| time).map_err(words)
    };
    let mut theirs = || database.run(&format!("run {query}"));
    let before =
        [("reading", reading), ("preparing", preparing), ("compiling", compiling), ("checking", checking)];
    let rivals = Rivals {
        head: vec![
            ("case", json!(format!("TPC-H {}", query.to_uppercase()))),
            ("data", json!(format!("scale {scale}"))),
            ("size", json!(rows)),
            ("threads", json!(1)),
        ],
        ours: (&mut ours, before.map(|(what, time)| (what.to_owned(), milliseconds(time))).to_vec()),
        theirs: (name.to_owned(), &mut theirs, vec![("loading".to_owned(), milliseconds(loading))]),
        rounds: wanted.rounds,
        patience: PATIENCE,
    };
    rivals.race()
}
