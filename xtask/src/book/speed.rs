//! The pages on the speed of kernels: what the last measurement found, with the schedule beside each number.
//!
//! The one idea: the page is made from the files of results alone, one for each race, which keep the text of
//! every schedule that they timed, so a schedule that has changed since does not stand beside a number that
//! is not its own.

use super::{head, items, read_json};
use crate::tree::Tree;
use serde_json::Value;
use std::fmt::Write;

/// A page of races.
pub(super) struct Races {
    title: &'static str,
    /// The folder of the files of results.
    results: &'static str,
    intro: &'static str,
    /// What times are stated in.
    unit: &'static str,
}

/// The page on dense kernels.
pub(super) const DENSE: Races = Races {
    title: "Dense kernels",
    results: "benches/results/dense/",
    intro: DENSE_INTRO,
    unit: "median ms",
};

/// The page on sparse kernels.
pub(super) const SPARSE: Races = Races {
    title: "Sparse kernels",
    results: "benches/results/sparse/",
    intro: SPARSE_INTRO,
    unit: "median ns an entry",
};

const DENSE_INTRO: &str = "What schedules reach, measured beside plain C, other compilers, and what the machine could do at best. \
`cargo run --release -p atl-benches -- dense` measures it on your machine, and `benches/README.md` says how to read it; \
`atl bench --roofline` does the same for a program of yours.\n\n\
*Of bound*: how much is reached of the time in which this machine moves the arrays, each once, or does the products and \
sums in registers, whichever takes longer. *Times as fast*: by the median of paired rounds; in brackets by the fastest \
runs. Where the two differ much, the machine was busy.\n\n\
A step that is no directive, as `lanes`, is a tactic of the example's file or of what that imports; for sums along rows see \
[Reductions in lanes](scheduling.md#reductions-in-lanes).\n";

const SPARSE_INTRO: &str = "What the schedules of `examples/sparse.atl` reach on made-up tensors, and those of \
`examples/contractions.atl`, whose operands are compressed at every level, measured beside the \
literature's loops for each format in C, SciPy, and what the machine could do at best. `cargo run --release -p atl-benches -- \
sparse` measures it on your machine; with `--quick` on small tensors, for a look.\n\n\
Times are nanoseconds for each entry of the tensor. *Of bound*: how much is reached of the time in which this machine moves \
the format's arrays and the result, each once. *Times as fast*: by the median of paired rounds; in brackets by the \
fastest runs.\n";

impl Races {
    /// The page.
    pub(super) fn render(&self, tree: &Tree) -> Result<String, String> {
        let files = tree.files.iter().filter(|file| file.path.starts_with(self.results));
        let races: Result<Vec<Value>, String> = files.map(|file| read_json(&file.text)).collect();
        Ok(self.page(&races?))
    }

    fn page(&self, files: &[Value]) -> String {
        let mut out = head(self.title, self.results);
        out += self.intro;
        out.push('\n');
        out += "| kernel | threads | best schedule | of bound | as fast as C | as fast as others |\n|---|---|---|---|---|---|\n";
        for file in files {
            let race = &file["results"];
            let best = best(race);
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                title(race),
                number(&race["threads"], 0),
                best.map_or("", |row| row["name"].as_str().unwrap_or_default()),
                best.map_or_else(String::new, |row| percent(&row["percent_of_bound"])),
                against(&race["against_c"]),
                against(&race["against_peers"]),
            );
        }
        for file in files {
            self.section(&mut out, file);
        }
        out
    }

    /// All times of a race, and the quickest schedule.
    fn section(&self, out: &mut String, file: &Value) {
        let race = &file["results"];
        let said = |field: &str| file["machine"][field].as_str().unwrap_or("unknown").to_owned();
        let _ = write!(
            out,
            "\n## {}, threads: {}\n\nOn {} with {} cores, by {}, at a load of {}, at commit `{}`.\n\n",
            title(race),
            number(&race["threads"], 0),
            said("processor"),
            number(&file["machine"]["cores"], 0),
            said("compiler"),
            said("load"),
            said("commit")
        );
        if let Some(target) = race["target"].as_str().filter(|target| *target != "none") {
            let _ = write!(out, "Wanted: {target}.\n\n");
        }
        for bound in items(&race["bounds"]) {
            let rate = ["GB/s", "GFLOP/s"].iter().find_map(|unit| Some((unit, bound[unit].as_f64()?)));
            let name = bound["name"].as_str().unwrap_or_default();
            let rate = rate.map_or_else(String::new, |(unit, rate)| format!(" at {rate:.1} {unit}"));
            let _ = writeln!(
                out,
                "* {name}: {} {}{rate}",
                number(&bound["median"], 3),
                self.unit.trim_start_matches("median ")
            );
        }
        let _ = write!(
            out,
            "\n| by | what | {} | fastest | of bound | C compiled, ms |\n|---|---|---|---|---|---|\n",
            self.unit
        );
        for row in items(&race["times"]) {
            let text = |field: &str| row[field].as_str().unwrap_or_default();
            let emitted = row["emitted_cold"].as_f64().map_or_else(String::new, |cold| format!("{cold:.0}"));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {emitted} |",
                text("author"),
                text("name"),
                number(&row["median"], 3),
                number(&row["fastest"], 3),
                percent(&row["percent_of_bound"])
            );
        }
        if let Some(schedule) = best(race).and_then(|row| row["schedule"].as_str()) {
            let _ = write!(out, "\n```text\n{}\n```\n", schedule.trim());
        }
        let alone = &race["against_one_thread"];
        if alone["times_as_fast"].as_f64().is_some() {
            let [median, fastest] = ["times_as_fast", "by_fastest_runs"].map(|by| number(&alone[by], 2));
            let _ = writeln!(out, "\nIt is {median} ({fastest}) times as fast as with one thread.");
        }
    }
}

fn title(race: &Value) -> String {
    let text = |field: &str| race[field].as_str().unwrap_or_default();
    match race["tensor"].as_str() {
        Some(tensor) => format!("{}, {tensor}", text("case")),
        None => format!("{}, {}", text("case"), text("sizes")),
    }
}

/// The row of ours with the shortest median.
fn best(race: &Value) -> Option<&Value> {
    let median = |row: &Value| row["median"].as_f64().unwrap_or(f64::INFINITY);
    let ours = items(&race["times"]).iter().filter(|row| row["author"].as_str() == Some("atl"));
    ours.min_by(|a, b| median(a).total_cmp(&median(b)))
}

fn against(rival: &Value) -> String {
    match rival["rival"].as_str() {
        Some(name) => format!(
            "{} ({}) of {name}",
            number(&rival["times_as_fast"], 2),
            number(&rival["by_fastest_runs"], 2)
        ),
        None => String::new(),
    }
}

fn number(value: &Value, digits: usize) -> String {
    value.as_f64().map_or_else(|| "?".to_owned(), |n| format!("{n:.digits$}"))
}

fn percent(value: &Value) -> String {
    format!("{} %", number(value, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quickest_schedule_stands_beside_its_number() {
        let file = |ours: &str| {
            format!(
                "{{\"machine\": {{\"cores\": 2}}, \"results\": {{\"case\": \"blur\", \"sizes\": \"N = 2\", \"threads\": 1, \
                 \"bounds\": [], \"times\": [{{\"author\": \"C\", \"name\": \"c\", \"median\": 1}}, {ours}]}}}}"
            )
        };
        let rows = "{\"author\": \"atl\", \"name\": \"slow\", \"median\": 9, \"schedule\": \"schedule slow\"}, \
                    {\"author\": \"atl\", \"name\": \"quick\", \"median\": 3, \"percent_of_bound\": 50, \
                    \"schedule\": \"schedule quick\"}";
        let page = DENSE.page(&[read_json(&file(rows)).unwrap()]);
        assert!(page.contains("| blur, N = 2 | 1 | quick | 50 % |"), "{page}");
        assert!(
            page.ends_with("```text\nschedule quick\n```\n") && !page.contains("schedule slow"),
            "{page}"
        );
    }
}
