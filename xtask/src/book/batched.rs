//! The page on the speed of operators of fluid dynamics: what the last measurement found, a table.
//!
//! The one idea: a row is one operator with this number of nodes along each axis, and all rows are of one
//! file of results.

use super::{head, items, read_json};
use crate::tree::Tree;
use serde_json::Value;
use std::fmt::Write;

/// The file of results.
const RESULTS: &str = "benches/results/operators.json";

const INTRO: &str = "Interpolation, the gradient and the inverse Helmholtz operator of the [TeIL chapter](teil.md), of doubles, under the schedule \
`batched`, beside `opt_einsum`, on one thread. `benches/operators/race.py` measures it on your machine, after it has compared all \
results.\n\n*Times as fast*: by the median of paired rounds; in brackets by the fastest runs. Where the two differ much, the machine was \
busy. *Of the roof*: what the same arrays cost when they are read and written past the caches and nothing is computed \
(`benches/operators/moves.c`), measured between the other two, as a part of what the operator took. An operation is a product or a sum \
of the factored formula, so lanes that idle do not count.\n\nWhat binds: from 9 nodes on the gradient takes twice what memory asks. \
By hand at 19 nodes, on one thread: 108 ms to move the data, 122 ms for the arithmetic on data in the caches, 254 ms for both, since \
results are put together in the second cache before they go out in whole lines, and the two hardly overlap. The same tiles stored \
straight from registers take 282 ms: rows of 19 doubles begin within lines, which are then read before they are written. With 5 \
nodes three eighths of a row's lanes idle; with 2 and 3 an element is in each lane. Times of `opt_einsum` differ by half from run \
to run.\n";

/// The page.
pub(super) fn render(tree: &Tree) -> Result<String, String> {
    let text = tree.text(RESULTS).ok_or_else(|| format!("there is no {RESULTS}"))?;
    Ok(page(&read_json(text)?))
}

fn page(file: &Value) -> String {
    let said = |field: &str| file["machine"][field].as_str().unwrap_or("unknown").to_owned();
    let results = &file["results"];
    let mut out = head("Operators on elements", RESULTS);
    let _ = write!(
        out,
        "{INTRO}\nOn {}, by {}, with NumPy {} and `opt_einsum` {}, at a load of {}, at commit `{}`; {} elements.\n\n",
        said("processor"),
        said("compiler"),
        said("numpy"),
        said("opt_einsum"),
        said("load"),
        said("commit"),
        number(&results["elements"], 0)
    );
    out += "| operator | nodes | ms | `opt_einsum`, ms | times as fast | of the roof | operations a ns |\n|---|---|---|---|---|---|---|\n";
    for row in items(&results["rows"]) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} ({}) | {} | {} |",
            row["operator"].as_str().unwrap_or("?"),
            number(&row["nodes"], 0),
            number(&row["ours"], 2),
            number(&row["theirs"], 2),
            number(&row["times_as_fast"], 1),
            number(&row["by_fastest_runs"], 1),
            part(&row["of_the_roof"]),
            number(&row["operations_a_nanosecond"], 1),
        );
    }
    out
}

/// A part of a whole, in hundredths.
fn part(value: &Value) -> String {
    value.as_f64().map_or_else(|| "?".to_owned(), |n| format!("{:.0} %", n * 100.0))
}

fn number(value: &Value, digits: usize) -> String {
    value.as_f64().map_or_else(|| "?".to_owned(), |n| format!("{n:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_its_numbers() {
        let file = "{\"machine\": {\"load\": \"none\"}, \"results\": {\"elements\": 7, \"rows\": [{\"operator\": \"o\", \"nodes\": 3, \
                    \"ours\": 1.5, \"theirs\": 9, \"times_as_fast\": 6, \"by_fastest_runs\": 6.25, \"of_the_roof\": 0.5, \"operations_a_nanosecond\": 20}]}}";
        let page = page(&read_json(file).unwrap());
        assert!(page.contains("at a load of none, at commit `unknown`; 7 elements"), "{page}");
        assert!(page.ends_with("| o | 3 | 1.50 | 9.00 | 6.0 (6.2) | 50 % | 20.0 |\n"), "{page}");
    }
}
