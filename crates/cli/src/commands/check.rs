//! `atl check`: everything in a file, as written and under each schedule.

use super::load;
use crate::args::Check;
use crate::json::Json;
use crate::output::{Exit, Output, Result, Stop};
use atl_diag::Diagnostic;
use atl_driver::explain::counted;
use atl_driver::pads::{PadRow, PadTypes};
use atl_driver::{Failure, Program};
use std::time::{Duration, Instant};

pub(super) fn run(args: &Check, out: &mut Output) -> Result {
    if args.json {
        return json(args, out);
    }
    let program = load(&args.file, out)?;
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
    let remarks = program.check()?;
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

fn json(args: &Check, out: &mut Output) -> Result {
    let checked =
        Program::load(&args.file).and_then(|program| checked(&program, args).map(|pads| (program, pads)));
    let (ok, functions, schedules, diagnostics) = match &checked {
        Ok((program, (remarks, _))) => (
            true,
            Json::texts(program.functions().iter().map(|f| f.name.as_str())),
            Json::texts(program.schedules().iter().map(|s| s.name.text.as_str())),
            Json::diagnostics(program.sources(), &[program.warnings(), remarks].concat()),
        ),
        Err(Failure { sources, diagnostics }) => {
            (false, Json::Null, Json::Null, Json::diagnostics(sources, diagnostics))
        }
    };
    let mut report = vec![
        ("ok", Json::Bool(ok)),
        ("functions", functions),
        ("schedules", schedules),
        ("diagnostics", diagnostics),
    ];
    if args.pads {
        let pads = checked.iter().flat_map(|(_, (_, pads))| pads);
        report.push(("pads", Json::List(pads.map(|(types, took)| pad_types(types, *took, args)).collect())));
    }
    out.print(&Json::Object(report).line())?;
    if ok { Ok(()) } else { Err(Stop::Said(Exit::Refused)) }
}

fn pad_types(types: &PadTypes, took: Duration, args: &Check) -> Json {
    let mut fields = vec![
        ("function", Json::text(&types.function)),
        ("schedule", Json::optional(types.schedule.as_ref())),
        ("terms", Json::List(types.rows.iter().map(pad_row).collect())),
    ];
    if args.time {
        fields.push(("seconds", Json::Number(took.as_secs_f64())));
    }
    Json::Object(fields)
}

fn pad_row(row: &PadRow) -> Json {
    let index = row.index.iter().map(|(name, extent)| {
        Json::Object(vec![("index", Json::text(name)), ("extent", Json::text(extent))])
    });
    Json::Object(vec![
        ("depth", Json::count(row.depth)),
        ("term", Json::text(&row.term)),
        ("shape", Json::List(index.collect())),
        ("padding", Json::text(row.padding.predicate())),
    ])
}
