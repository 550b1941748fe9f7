//! Proofs: how long the literature's derivations take to check, and their proof files to check again.
//!
//! `check` is what `atl check` does for one schedule: read the file, derive the theorem, derive the lowering,
//! show every access safe. `file` is the size of the `.atlp` with both theorems; `verify` checks it with the
//! kernel alone, and `recheck` with the second checker, which shares no code with the first. One thread, from
//! text in memory to the verdict. `processor` is the mean time for which the thread really ran during
//! `check`; the target is judged by it.

use crate::json::{number, object};
use crate::programs::{Target, example, targets_in};
use crate::statistics::{median_ms, processor_time, timed};
use atl_driver::{Failure, proof};
use serde_json::{Value, json};
use std::time::Duration;

/// How often each is measured.
const RUNS: usize = 11;

/// The derivation whose times have targets, and the targets in milliseconds: of `check`, and of `recheck`.
const TARGET: (&str, f64, f64) = ("blur.atl blur_tiles staged", 100.0, 200.0);

/// The three times of one run.
type Times = [Duration; 3];

/// See the module.
pub(crate) fn run() -> Result<Value, String> {
    println!("proofs, medians of {RUNS} runs in ms");
    println!("{:<42}{:>8}{:>11}{:>10}{:>8}{:>9}", "", "check", "processor", "file kB", "verify", "recheck");
    let mut rows = Vec::new();
    for target in targets_in(&example("derivations"))?.into_iter().filter(|t| t.schedule.is_some()) {
        let name = target.name();
        let (size, processor, runs) = measure(&target).map_err(|why| format!("{name}: {why}"))?;
        let column = |k: usize| median_ms(&runs.iter().map(|times| times[k]).collect::<Vec<_>>());
        let [check, verify, recheck] = [0, 1, 2].map(column);
        println!(
            "{name:<42}{check:>8.2}{processor:>11.2}{:>10.1}{verify:>8.2}{recheck:>9.2}",
            size as f64 / 1e3
        );
        let mut fields = vec![
            ("program", json!(&name)),
            ("check", number(check)),
            ("processor", number(processor)),
            ("bytes", json!(size)),
            ("verify", number(verify)),
            ("recheck", number(recheck)),
        ];
        let (judged, most, most_again) = TARGET;
        if name == judged {
            let met = processor <= most && recheck <= most_again;
            let verdict = if met { "met" } else { "missed" };
            println!("{:<42}targets {most} ms to check, {most_again} ms to recheck: {verdict}", "");
            fields.push(("met", json!(met)));
        }
        rows.push(object(fields));
    }
    Ok(object([("unit", json!("ms")), ("runs", json!(RUNS)), ("proofs", Value::Array(rows))]))
}

/// The size of the proof file, the processor's time for a check, and the times of every run.
fn measure(target: &Target) -> Result<(usize, f64, Vec<Times>), String> {
    let (mut size, mut processor, mut runs) = (0, 0.0, Vec::new());
    for _ in 0..RUNS {
        let before = processor_time();
        let words = |why: Failure| why.to_string();
        let (checked, check) = timed(|| -> Result<_, Failure> {
            let scheduled =
                atl_driver::load(&target.path)?.scheduled(&target.function, target.schedule.as_deref())?;
            let lowered = scheduled.lower()?;
            Ok((scheduled, lowered))
        });
        processor += (processor_time() - before) / RUNS as f64;
        let (scheduled, lowered) = checked.map_err(words)?;
        let text = proof::certificate(&scheduled, &lowered).map_err(words)?;
        let (verified, verify) = timed(|| proof::verify("measured.atlp", &text));
        verified.map_err(words)?;
        let (rechecked, recheck) = timed(|| atl_recheck::check(text.as_bytes()));
        rechecked.map_err(|why| why.to_string())?;
        size = text.len();
        runs.push([check, verify, recheck]);
    }
    Ok((size, processor, runs))
}
