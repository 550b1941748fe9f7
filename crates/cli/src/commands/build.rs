//! `atl build`: artefacts for other programs.

use super::{Default, load, meant, validation};
use crate::args::{Build, Target};
use crate::json::json_line;
use crate::output::{Output, Result};
use atl_driver::build::{build, cuda};
use serde_json::json;

pub(super) fn run(args: &Build, out: &mut Output) -> Result {
    let program = load(&args.file, (args.function.as_deref(), args.schedule.as_deref()), out)?;
    let asked = args.schedule.as_deref();
    let function = program.function(args.function.as_deref(), asked)?;
    let rounding = args.rounding.map(Into::into);
    let default = if args.backend == Target::Cuda { Default::Written } else { Default::Chosen };
    let schedule = meant(&program, function, asked, rounding, default);
    let scheduled = program.scheduled(&function.name, schedule)?;
    if let Some(class) = rounding {
        scheduled.require_rounding(class)?;
    }
    out.progress(&format!("building `{}`", function.name));
    if args.backend == Target::Cuda {
        cuda::build(&scheduled, &args.output)?;
        let file = args.output.display().to_string();
        return match args.json {
            true => out.print(&json_line(&json!({ "files": [file] }))),
            false => out.print(&format!("{file}\n")),
        };
    }
    let built = build(&scheduled, &args.output, validation(args.no_validate))?;
    out.diagnostics(program.sources(), &built.remarks);
    for note in &built.notes {
        out.remark(&format!("note: {note}"));
    }
    match (&built.evidence.loops, &built.evidence.text) {
        (Ok(()), Ok(())) => {}
        (Err(why), _) => out.remark(&format!("note: the second checker has no evidence of the loops: {why}")),
        (_, Err(why)) => {
            out.remark(&format!("note: the second checker has no evidence of the C text: {why}"))
        }
    }
    let files = built.files.iter().map(|file| file.display().to_string());
    if args.json {
        return out.print(&json_line(&json!({
            "signature": built.signature,
            "files": files.collect::<Vec<_>>(),
            "link": built.link,
            "code": built.verdict.name(),
            "loops": seen(&built.evidence.loops, "replayed"),
            "text": seen(&built.evidence.text, "the loops"),
        })));
    }
    out.print(&files.map(|file| file + "\n").collect::<String>())
}

/// What the second checker has seen, or why it has not.
fn seen(evidence: &std::result::Result<(), String>, what: &str) -> String {
    evidence.as_ref().map_or_else(|why| format!("no evidence: {why}"), |()| what.to_owned())
}
