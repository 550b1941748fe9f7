//! Compile time: from the program's text to C text, by stage, for every example under every schedule.
//!
//! The stages are those of the command line: `load` reads, parses and elaborates the file; `schedule` checks the function
//! as written and derives the schedule; `lower` derives the normal form, shows it safe and makes loops; `print` writes C.
//! The C compiler is not part of it. `processor` is the mean time for which the thread really ran, which other programs on
//! the machine lengthen less than the clock's; the target is judged by it.

use crate::json::Json;
use crate::programs::{Target, targets};
use crate::statistics::{fastest_ms, median_ms, processor_time, timed};
use atl_driver::backends::c;
use atl_driver::{Failure, Program};
use std::time::Duration;

/// How often each is compiled.
const RUNS: usize = 21;

/// The program whose compile time has a target, and the target in milliseconds.
const TARGET: (&str, f64) = ("blur.atl blur tiled", 50.0);

/// The stages, in order.
const STAGES: [&str; 4] = ["load", "schedule", "lower", "print"];

/// See the module.
pub(crate) fn run() -> Result<Json, String> {
    println!("compile time, medians of {RUNS} runs in ms");
    println!(
        "{:<38}{:>8}{:>10}{:>8}{:>8}{:>9}{:>11}",
        "", "load", "schedule", "lower", "print", "total", "processor"
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
        println!(
            "{name:<38}{:>8.2}{:>10.2}{:>8.2}{:>8.2}{total:>9.2}{used:>11.2}",
            stage(0),
            stage(1),
            stage(2),
            stage(3)
        );
        let mut fields = vec![("program", Json::text(&name))];
        fields.extend(STAGES.iter().enumerate().map(|(k, stage_name)| (*stage_name, Json::Number(stage(k)))));
        fields.push(("total", Json::Number(total)));
        fields.push(("processor", Json::Number(used)));
        fields.push(("fastest", Json::Number(fastest_ms(&totals))));
        if name == TARGET.0 {
            let met = used <= TARGET.1;
            println!("{:<38}target {} ms: {}", "", TARGET.1, if met { "met" } else { "missed" });
            fields.extend([("target", Json::Number(TARGET.1)), ("met", Json::Bool(met))]);
        }
        rows.push(Json::object(fields));
    }
    Ok(Json::object([("unit", Json::text("ms")), ("runs", Json::Count(RUNS)), ("compile", Json::List(rows))]))
}

/// The time of each stage.
fn compile(target: &Target) -> Result<[Duration; 4], String> {
    let words = |why: Failure| why.to_string();
    let (program, load) = timed(|| Program::load(&target.path));
    let program = program.map_err(words)?;
    let (scheduled, schedule) = timed(|| program.scheduled(&target.function, target.schedule.as_deref()));
    let scheduled = scheduled.map_err(words)?;
    let (lowered, lower) = timed(|| scheduled.lower());
    let lowered = lowered.map_err(words)?;
    let (source, print) = timed(|| c::source(&lowered, &c::printer_options(lowered.rounding, true)));
    source?;
    Ok([load, schedule, lower, print])
}
