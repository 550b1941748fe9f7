//! Ours and one of others, each doing the whole of a task: a query, or an iteration until nothing changes.
//!
//! One idea: as between kernels, both run in turn, each after a run that does not count, and a ratio is the
//! median over rounds of two times of one round. What is done once before is reported beside, and does not
//! count.

use super::{REST, undisturbed};
use crate::json::{number, object};
use crate::statistics::{fastest_ms, median_ms, speedup};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A run, and how long it took.
type Run<'a> = &'a mut dyn FnMut() -> Result<Duration, String>;

/// What was done before, and for how many milliseconds.
pub(crate) type Before = Vec<(String, f64)>;

/// A task, and who does it.
pub(crate) struct Rivals<'a> {
    /// The fields with which its JSON begins.
    pub(crate) head: Vec<(&'a str, Value)>,
    /// Our run, and what came before.
    pub(crate) ours: (Run<'a>, Before),
    /// Who else it is, the run, and what came before.
    pub(crate) theirs: (String, Run<'a>, Before),
    /// The greatest number of rounds.
    pub(crate) rounds: usize,
    /// When this is over, no further round begins beyond the least number.
    pub(crate) patience: Duration,
}

/// The least number of rounds that count.
const LEAST: usize = 5;

impl Rivals<'_> {
    /// Runs both, prints what was found, and gives it as JSON.
    pub(crate) fn race(self) -> Result<Value, String> {
        let Rivals { head, ours: (ours, before), theirs: (name, theirs, others_before), rounds, patience } =
            self;
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let start = Instant::now();
        while own.len() < rounds && (own.len() < LEAST || start.elapsed() < patience) {
            for (run, times) in [(&mut *ours, &mut own), (&mut *theirs, &mut other)] {
                std::thread::sleep(REST);
                run()?;
                times.push(undisturbed(&mut *run)?);
            }
        }
        let (ratio, undisturbed) = (speedup(&own, &other), fastest_ms(&other) / fastest_ms(&own));
        println!(
            "  atl {:.3} ms, {name} {:.3} ms: {ratio:.2} times as fast; by the fastest runs, {undisturbed:.2}",
            median_ms(&own),
            median_ms(&other)
        );
        let row = |author: &str, times: &[Duration], before: Before| {
            let before =
                before.into_iter().map(|(what, time)| object([("what", json!(what)), ("ms", number(time))]));
            object([
                ("author", json!(author)),
                ("median", number(median_ms(times))),
                ("fastest", number(fastest_ms(times))),
                ("rounds", json!(times.len())),
                ("before", Value::Array(before.collect())),
            ])
        };
        let mut fields = head;
        fields.extend([
            ("times", Value::Array(vec![row("atl", &own, before), row(&name, &other, others_before)])),
            ("times_as_fast", number(ratio)),
            ("by_fastest_runs", number(undisturbed)),
        ]);
        Ok(object(fields))
    }
}
