//! Compile time: from the program's text to a loaded kernel, by stage, for every example under every
//! schedule.
//!
//! The stages are those of the command line: `load` reads, parses and elaborates the file; `schedule` checks
//! the function as written and derives the schedule; `lower` derives the normal form, shows it safe and makes
//! loops; `print` writes C. The total ends there. `cold` is what follows with an empty cache, the C
//! compiler's work above all; `warm` the same where the cache has the library: print, find and load.
//! `processor` is the mean time for which the thread really ran, which other programs on the machine lengthen
//! less than the clock's; the target is judged by it.

use crate::json::{number, object};
use crate::programs::{Target, targets};
use crate::statistics::{fastest_ms, median_ms, processor_time, timed};
use atl_driver::backends::{Options, c};
use atl_driver::{Compile, Failure};
use atl_runtime::cc::{compile_shared, default_cache};
use serde_json::{Value, json};
use std::time::Duration;

/// How often each is compiled.
const RUNS: usize = 21;

/// How often each is compiled by the C compiler.
const COLD_RUNS: usize = 3;

/// The program whose compile time has a target, and the target in milliseconds.
const TARGET: (&str, f64) = ("blur.atl blur tiled", 50.0);

/// The stages, in order.
const STAGES: [&str; 4] = ["load", "schedule", "lower", "print"];

/// See the module.
pub(crate) fn run() -> Result<Value, String> {
    println!("compile time, medians of {RUNS} runs in ms");
    println!(
        "{:<38}{:>8}{:>10}{:>8}{:>8}{:>9}{:>11}{:>8}{:>8}",
        "", "load", "schedule", "lower", "print", "total", "processor", "cold", "warm"
    );
    let mut rows = Vec::new();
    for target in targets()? {
        let name = target.name();
        let mut runs = Vec::new();
        let before = processor_time();
        for _ in 0..RUNS {
            runs.push(compile(&target).map_err(|why| format!("{name}: {why}"))?);
        }
        let used = (processor_time() - before) / RUNS as f64;
        let totals: Vec<Duration> = runs.iter().map(|stages| stages.iter().sum()).collect();
        let stage = |k: usize| median_ms(&runs.iter().map(|stages| stages[k]).collect::<Vec<_>>());
        let total = median_ms(&totals);
        let [cold, warm] = emitting(&target).map_err(|why| format!("{name}: {why}"))?;
        println!(
            "{name:<38}{:>8.2}{:>10.2}{:>8.2}{:>8.2}{total:>9.2}{used:>11.2}{cold:>8.0}{warm:>8.2}",
            stage(0),
            stage(1),
            stage(2),
            stage(3)
        );
        let mut fields = vec![("program", json!(&name))];
        fields.extend(STAGES.iter().enumerate().map(|(k, stage_name)| (*stage_name, number(stage(k)))));
        fields.push(("total", number(total)));
        fields.push(("processor", number(used)));
        fields.push(("fastest", number(fastest_ms(&totals))));
        fields.extend([("cold", number(cold)), ("warm", number(warm))]);
        if name == TARGET.0 {
            let met = used <= TARGET.1;
            println!("{:<38}target {} ms: {}", "", TARGET.1, if met { "met" } else { "missed" });
            fields.extend([("target", number(TARGET.1)), ("met", json!(met))]);
        }
        rows.push(object(fields));
    }
    Ok(object([("unit", json!("ms")), ("runs", json!(RUNS)), ("compile", Value::Array(rows))]))
}

/// The time of each stage.
fn compile(target: &Target) -> Result<[Duration; 4], String> {
    let words = |why: Failure| why.to_string();
    let (program, load) = timed(|| atl_driver::load(&target.path));
    let program = program.map_err(words)?;
    let (scheduled, schedule) = timed(|| program.scheduled(&target.function, target.schedule.as_deref()));
    let scheduled = scheduled.map_err(words)?;
    let (lowered, lower) = timed(|| scheduled.lower());
    let lowered = lowered.map_err(words)?;
    let (source, print) = timed(|| c::source(&lowered, &c::printer_options(lowered.rounding, true)));
    source?;
    Ok([load, schedule, lower, print])
}

/// The shortest times from loops to a loaded kernel: with an empty cache, and with one that has the library.
fn emitting(target: &Target) -> Result<[f64; 2], String> {
    let words = |why: Failure| why.to_string();
    let program = atl_driver::load(&target.path).map_err(words)?;
    let scheduled = program.scheduled(&target.function, target.schedule.as_deref()).map_err(words)?;
    let lowered = scheduled.lower().map_err(words)?;
    let load = || lowered.compile(&c::BACKEND, Options::default()).map(|_| ()).map_err(words);
    load()?;
    let mut cold = Vec::new();
    for run in 0..COLD_RUNS {
        let folder = std::env::temp_dir().join(format!("atl-benches-{}-{run}", std::process::id()));
        let (made, time) = timed(|| {
            let openmp = c::wants_openmp(&lowered, &default_cache());
            let source = c::source(&lowered, &c::printer_options(lowered.rounding, openmp))?;
            let flags: Vec<String> = source.flags.iter().copied().map(str::to_owned).collect();
            compile_shared(&source.c, &flags, &folder).map_err(|why| why.to_string())
        });
        // What cannot be removed is in the system's folder for such things.
        let _ = std::fs::remove_dir_all(&folder);
        made?;
        cold.push(time);
    }
    let mut warm = Vec::new();
    for _ in 0..RUNS {
        let (loaded, time) = timed(load);
        loaded?;
        warm.push(time);
    }
    Ok([fastest_ms(&cold) + fastest_ms(&warm), fastest_ms(&warm)])
}
