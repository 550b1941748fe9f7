//! The pages on the speed of whole tasks, queries and iterations on graphs, beside one of others.
//!
//! The one idea: as for kernels, a page is made from the files of results alone, one for each race.

use super::{head, items, read_json};
use crate::tree::Tree;
use serde_json::Value;
use std::fmt::Write;

/// A page of races between two.
pub(super) struct Rivals {
    title: &'static str,
    /// The folder of the files of results.
    results: &'static str,
    intro: &'static str,
}

/// The page on queries.
pub(super) const QUERIES: Rivals =
    Rivals { title: "Queries, measured", results: "benches/results/queries/", intro: QUERIES_INTRO };

/// The page on graphs.
pub(super) const GRAPHS: Rivals =
    Rivals { title: "Graphs, measured", results: "benches/results/graphs/", intro: GRAPHS_INTRO };

const GRAPHS_INTRO: &str = "Functions of `examples/graphs.atl` on a skewed graph of 2^17 vertices and 1.9 million edges, beside SuiteSparse:GraphBLAS with one thread, and \
the triangles beside DuckDB with one. A run of an iteration is all rounds from the first vertex to what does not change any more; levels are the rounds in which `reach` \
reaches vertices. Each has the graph in memory as suits it: for triangles, edges lead from vertices with fewer neighbours to those with more. The others run what is the quickest \
of several ways to write the algorithm with them. Results are compared before.\n\n\
*Before* is what each does once: we check that the arrays are a matrix in its format. `cargo run --release -p atl-benches -- graphs` measures it on your machine.\n";

const QUERIES_INTRO: &str = "Queries of TPC-H, beside a database with one thread. Both have the tables in memory: the database in the \
order in which `atl` stores them for the query, and with their primary keys declared. A run is everything from there to the answer's rows; \
ours compares texts with the patterns of `like` each time, though they are known when a query is prepared. Answers are compared before.\n\n\
*Before* is what each does once. `atl` reads just the columns that the query names, from CSV, into arrays; preparing gives keys their codes and sorts \
rows. The database loads all columns of all tables, sorted. `cargo run --release -p atl-benches -- queries` measures it on your machine.\n";

impl Rivals {
    /// The page.
    pub(super) fn render(&self, tree: &Tree) -> Result<String, String> {
        let files = tree.files.iter().filter(|file| file.path.starts_with(self.results));
        let races: Result<Vec<Value>, String> = files.map(|file| read_json(&file.text)).collect();
        Ok(self.page(&races?))
    }

    fn page(&self, files: &[Value]) -> String {
        let mut out = head(self.title, self.results);
        out += self.intro;
        out += "\n| task | data | atl, median ms | the other | its median ms | times as fast |\n|---|---|---|---|---|---|\n";
        for file in files {
            let race = &file["results"];
            let [ours, theirs] = items(&race["times"]) else { continue };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} ({}) |",
                text(race, "case"),
                text(race, "data"),
                number(&ours["median"], 2),
                text(theirs, "author"),
                number(&theirs["median"], 2),
                number(&race["times_as_fast"], 2),
                number(&race["by_fastest_runs"], 2),
            );
        }
        out += "\n*Times as fast*: by the median of paired rounds; in brackets by the fastest runs.\n\n## Before\n\n\
                In milliseconds, each done once.\n\n| task | data | atl | the other |\n|---|---|---|---|\n";
        for race in files.iter().map(|file| &file["results"]) {
            let before = |k: usize| -> String {
                let rows = items(&race["times"]);
                let parts = rows.get(k).map_or(&[][..], |row| items(&row["before"])).iter();
                let parts = parts.map(|part| format!("{} {}", text(part, "what"), number(&part["ms"], 0)));
                parts.collect::<Vec<_>>().join(", ")
            };
            let (ours, theirs) = (before(0), before(1));
            let _ = writeln!(out, "| {} | {} | {ours} | {theirs} |", text(race, "case"), text(race, "data"));
        }
        out += "\n## Where\n\n";
        let mut places: Vec<String> = files.iter().map(|file| place(&file["machine"])).collect();
        places.sort_unstable();
        places.dedup();
        places.iter().for_each(|place| out += place);
        out
    }
}

/// On what it was measured.
fn place(machine: &Value) -> String {
    format!(
        "* On {} with {} cores, by {}, at commit `{}`.\n",
        text(machine, "processor"),
        number(&machine["cores"], 0),
        text(machine, "compiler"),
        text(machine, "commit")
    )
}

fn text<'j>(value: &'j Value, field: &str) -> &'j str {
    value[field].as_str().unwrap_or("unknown")
}

fn number(value: &Value, digits: usize) -> String {
    value.as_f64().map_or_else(|| "?".to_owned(), |n| format!("{n:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_stand_in_one_row_with_what_came_before() {
        let file = "{\"machine\": {\"processor\": \"p\", \"cores\": 2, \"compiler\": \"cc\", \"commit\": \"c\"}, \"results\": {\"case\": \"Q5\", \
                    \"data\": \"scale 1\", \"times\": [{\"author\": \"atl\", \"median\": 2, \"before\": [{\"what\": \"reading\", \"ms\": 70.2}]}, \
                    {\"author\": \"D\", \"median\": 9, \"before\": []}], \"times_as_fast\": 4.5, \"by_fastest_runs\": 4}}";
        let page = QUERIES.page(&[read_json(file).unwrap()]);
        assert!(page.contains("\n| Q5 | scale 1 | 2.00 | D | 9.00 | 4.50 (4.00) |\n"), "{page}");
        assert!(page.contains("\n| Q5 | scale 1 | reading 70 |  |\n"), "{page}");
        assert!(page.ends_with("* On p with 2 cores, by cc, at commit `c`.\n"), "{page}");
    }
}
