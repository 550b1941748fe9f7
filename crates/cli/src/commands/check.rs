//! `atl check`: everything in a file, as written and under each schedule.

use super::load;
use crate::args::Check;
use crate::json::Json;
use crate::output::{Exit, Output, Result, Stop};
use atl_driver::{Failure, Program};

pub(super) fn run(args: &Check, out: &mut Output) -> Result {
    if args.json {
        return json(args, out);
    }
    let program = load(&args.file, out)?;
    program.check()?;
    let (functions, schedules) = (program.functions().len(), program.schedules().len());
    out.print(&format!(
        "{}: {}, {}: checked\n",
        args.file.display(),
        counted(functions, "function"),
        counted(schedules, "schedule")
    ))
}

fn json(args: &Check, out: &mut Output) -> Result {
    let checked = Program::load(&args.file).and_then(|program| program.check().map(|()| program));
    let (ok, functions, schedules, diagnostics) = match &checked {
        Ok(program) => (
            true,
            Json::texts(program.functions().iter().map(|f| f.name.as_str())),
            Json::texts(program.schedules().iter().map(|s| s.name.text.as_str())),
            Json::diagnostics(program.sources(), program.warnings()),
        ),
        Err(Failure { sources, diagnostics }) => {
            (false, Json::Null, Json::Null, Json::diagnostics(sources, diagnostics))
        }
    };
    let report = Json::Object(vec![
        ("ok", Json::Bool(ok)),
        ("functions", functions),
        ("schedules", schedules),
        ("diagnostics", diagnostics),
    ]);
    out.print(&report.line())?;
    if ok { Ok(()) } else { Err(Stop::Said(Exit::Refused)) }
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
