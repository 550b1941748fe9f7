//! `atl check`: everything in a file, as written and under each schedule.

use crate::args::Check;
use crate::json::{diagnostics_json, json_line};
use crate::output::{Exit, Output, Result, Stop};
use atl_diag::Diagnostic;
use atl_driver::explain::counted;
use atl_driver::pads::{PadRow, PadTypes};
use atl_driver::{Failure, Program};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(super) fn run(args: &Check, out: &mut Output) -> Result {
    if args.json {
        return run_json(args, out);
    }
    let program = atl_driver::load(&args.file)?;
    out.diagnostics(program.sources(), program.warnings());
    let (remarks, pads) = checked(&program, args)?;
    out.diagnostics(program.sources(), &remarks);
    let (functions, schedules) = (program.functions().len(), program.schedules().len());
    for (types, took) in &pads {
        out.print(&types.to_text())?;
        if args.time {
            out.remark(&format!("{}: typed in {took:?}", types.heading()));
        }
    }
    out.print(&format!(
        "{}: {}, {}: checked\n",
        args.file.display(),
        counted(functions, "function"),
        counted(schedules, "schedule")
    ))
}

/// Warnings, and pad types with the time that each took.
type Checked = (Vec<Diagnostic>, Vec<(PadTypes, Duration)>);

/// Everything that was asked for is shown; the pad types, if they were asked for.
fn checked(program: &Program, args: &Check) -> std::result::Result<Checked, Failure> {
    let remarks = atl_driver::check(program)?;
    if let Some(class) = args.rounding {
        program.require_rounding(class.into())?;
    }
    let mut pads = Vec::new();
    if args.pads {
        for scheduled in program.all_scheduled() {
            let (scheduled, start) = (scheduled?, Instant::now());
            pads.push((scheduled.pads()?, start.elapsed()));
        }
    }
    Ok((remarks, pads))
}

fn run_json(args: &Check, out: &mut Output) -> Result {
    let checked =
        atl_driver::load(&args.file).and_then(|program| checked(&program, args).map(|pads| (program, pads)));
    let (ok, functions, schedules, diagnostics) = match &checked {
        Ok((program, (remarks, _))) => (
            true,
            program.functions().iter().map(|f| f.name.as_str()).collect(),
            program.schedules().iter().map(|s| s.name.text.as_str()).collect(),
            diagnostics_json(program.sources(), &[program.warnings(), remarks].concat()),
        ),
        Err(Failure { sources, diagnostics }) => {
            (false, Value::Null, Value::Null, diagnostics_json(sources, diagnostics))
        }
    };
    let mut report = json!({
        "ok": ok,
        "functions": functions,
        "schedules": schedules,
        "diagnostics": diagnostics,
    });
    if args.pads {
        let pads = checked.iter().flat_map(|(_, (_, pads))| pads);
        report["pads"] = pads.map(|(types, took)| pad_types(types, *took, args)).collect();
    }
    out.print(&json_line(&report))?;
    if ok { Ok(()) } else { Err(Stop::Said(Exit::Refused)) }
}

fn pad_types(types: &PadTypes, took: Duration, args: &Check) -> Value {
    let mut fields = json!({
        "function": types.function,
        "schedule": types.schedule,
        "terms": types.rows.iter().map(pad_row).collect::<Value>(),
    });
    if args.time {
        fields["seconds"] = json!(took.as_secs_f64());
    }
    fields
}

fn pad_row(row: &PadRow) -> Value {
    let index = row.index.iter().map(|(name, extent)| json!({ "index": name, "extent": extent }));
    json!({
        "depth": row.depth,
        "term": row.term,
        "shape": index.collect::<Value>(),
        "padding": row.padding.predicate(),
    })
}
