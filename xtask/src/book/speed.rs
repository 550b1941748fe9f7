//! The pages on the speed of kernels: what the last measurement found, with the schedule beside each number.
//!
//! The one idea: the page is made from the files of results alone, one for each race, which keep the text of every schedule
//! that they timed, so a schedule that has changed since does not stand beside a number that is not its own.

use super::head;
use crate::json::Json;
use crate::tree::Tree;
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
        let races: Result<Vec<Json>, String> = files.map(|file| Json::parse(&file.text)).collect();
        Ok(self.page(&races?))
    }

    fn page(&self, files: &[Json]) -> String {
        let mut out = head(self.title, self.results);
        out += self.intro;
        out.push('\n');
        out += "| kernel | threads | best schedule | of bound | as fast as C | as fast as others |\n|---|---|---|---|---|---|\n";
        for file in files {
            let race = file.field("results");
            let best = best(race);
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                title(race),
                number(race.field("threads"), 0),
                best.map_or("", |row| row.field("name").text().unwrap_or_default()),
                best.map_or_else(String::new, |row| percent(row.field("percent_of_bound"))),
                against(race.field("against_c")),
                against(race.field("against_peers")),
            );
        }
        for file in files {
            self.section(&mut out, file);
        }
        out
    }

    /// All times of a race, and the quickest schedule.
    fn section(&self, out: &mut String, file: &Json) {
        let race = file.field("results");
        let said = |field: &str| file.field("machine").field(field).text().unwrap_or("unknown").to_owned();
        let _ = write!(
            out,
            "\n## {}, threads: {}\n\nOn {} with {} cores, by {}, at a load of {}, at commit `{}`.\n\n",
            title(race),
            number(race.field("threads"), 0),
            said("processor"),
            number(file.field("machine").field("cores"), 0),
            said("compiler"),
            said("load"),
            said("commit")
        );
        if let Some(target) = race.field("target").text().filter(|target| *target != "none") {
            let _ = write!(out, "Wanted: {target}.\n\n");
        }
        for bound in race.field("bounds").list() {
            let rate = ["GB/s", "GFLOP/s"].iter().find_map(|unit| Some((unit, bound.field(unit).number()?)));
            let name = bound.field("name").text().unwrap_or_default();
            let rate = rate.map_or_else(String::new, |(unit, rate)| format!(" at {rate:.1} {unit}"));
            let _ = writeln!(
                out,
                "* {name}: {} {}{rate}",
                number(bound.field("median"), 3),
                self.unit.trim_start_matches("median ")
            );
        }
        let _ = write!(
            out,
            "\n| by | what | {} | fastest | of bound | C compiled, ms |\n|---|---|---|---|---|---|\n",
            self.unit
        );
        for row in race.field("times").list() {
            let text = |field: &str| row.field(field).text().unwrap_or_default();
            let emitted =
                row.field("emitted_cold").number().map_or_else(String::new, |cold| format!("{cold:.0}"));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {emitted} |",
                text("author"),
                text("name"),
                number(row.field("median"), 3),
                number(row.field("fastest"), 3),
                percent(row.field("percent_of_bound"))
            );
        }
        if let Some(schedule) = best(race).and_then(|row| row.field("schedule").text()) {
            let _ = write!(out, "\n```text\n{}\n```\n", schedule.trim());
        }
        let alone = race.field("against_one_thread");
        if alone.field("times_as_fast").number().is_some() {
            let [median, fastest] = ["times_as_fast", "by_fastest_runs"].map(|by| number(alone.field(by), 2));
            let _ = writeln!(out, "\nIt is {median} ({fastest}) times as fast as with one thread.");
        }
    }
}

fn title(race: &Json) -> String {
    let text = |field: &str| race.field(field).text().unwrap_or_default();
    match race.field("tensor").text() {
        Some(tensor) => format!("{}, {tensor}", text("case")),
        None => format!("{}, {}", text("case"), text("sizes")),
    }
}

/// The row of ours with the shortest median.
fn best(race: &Json) -> Option<&Json> {
    let median = |row: &Json| row.field("median").number().unwrap_or(f64::INFINITY);
    let ours = race.field("times").list().iter().filter(|row| row.field("author").text() == Some("atl"));
    ours.min_by(|a, b| median(a).total_cmp(&median(b)))
}

fn against(rival: &Json) -> String {
    match rival.field("rival").text() {
        Some(name) => format!(
            "{} ({}) of {name}",
            number(rival.field("times_as_fast"), 2),
            number(rival.field("by_fastest_runs"), 2)
        ),
        None => String::new(),
    }
}

fn number(value: &Json, digits: usize) -> String {
    value.number().map_or_else(|| "?".to_owned(), |n| format!("{n:.digits$}"))
}

fn percent(value: &Json) -> String {
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
        let page = DENSE.page(&[Json::parse(&file(rows)).unwrap()]);
        assert!(page.contains("| blur, N = 2 | 1 | quick | 50 % |"), "{page}");
        assert!(
            page.ends_with("```text\nschedule quick\n```\n") && !page.contains("schedule slow"),
            "{page}"
        );
    }
}
