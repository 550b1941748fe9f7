//! `atl build`: artefacts for other programs.

use super::{load, validation};
use crate::args::{Build, Target};
use crate::json::Json;
use crate::output::{Output, Result};
use atl_driver::build::{build, cuda};

pub(super) fn run(args: &Build, out: &mut Output) -> Result {
    let program = load(&args.file, out)?;
    let schedule = args.schedule.as_deref();
    let function = program.function(args.function.as_deref(), schedule)?;
    let scheduled = program.scheduled(&function.name, schedule)?;
    out.progress(&format!("building `{}`", function.name));
    if args.backend == Target::Cuda {
        cuda::build(&scheduled, &args.output)?;
        let file = args.output.display().to_string();
        return match args.json {
            true => out.print(&Json::Object(vec![("files", Json::texts([file]))]).line()),
            false => out.print(&format!("{file}\n")),
        };
    }
    let built = build(&scheduled, &args.output, validation(args.no_validate))?;
    out.diagnostics(program.sources(), &built.remarks);
    for note in &built.notes {
        out.remark(&format!("note: {note}"));
    }
    let files = built.files.iter().map(|file| file.display().to_string());
    if args.json {
        let report = Json::Object(vec![
            ("files", Json::texts(files)),
            ("link", Json::optional(built.link)),
            ("code", Json::text(built.verdict.name())),
        ]);
        return out.print(&report.line());
    }
    out.print(&files.map(|file| file + "\n").collect::<String>())
}
