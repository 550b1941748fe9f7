//! `atl show`: a program at a stage.

use super::load;
use crate::args::{self, Show};
use crate::json::json_line;
use crate::output::{Output, Result};
use atl_driver::Program;
use atl_driver::count::count;
use atl_driver::show::{Notation, Stage, show};
use serde_json::{Map, Value, json};

pub(super) fn run(args: &Show, out: &mut Output) -> Result {
    let program = load(&args.file, (args.function.as_deref(), args.schedule.as_deref()), out)?;
    let asked = args.stage.as_deref().and_then(Stage::parse);
    let stage = asked.unwrap_or(if args.schedule.is_some() { Stage::Scheduled } else { Stage::Source });
    let notation = match args.notation {
        args::Notation::Ascii => Notation::Ascii,
        args::Notation::Math => Notation::Math,
    };
    let functions: Vec<String> = match (&args.function, &args.schedule) {
        (None, None) => program.functions().iter().map(|f| f.name.clone()).collect(),
        (name, schedule) => vec![program.function(name.as_deref(), schedule.as_deref())?.name.clone()],
    };
    let schedule = args.schedule.as_deref();
    if args.count {
        return out.print(&counts(&program, &functions, args)?);
    }
    let shown = functions.iter().map(|f| show(&program, f, schedule, stage, notation, &args.sizes));
    let texts = shown.collect::<std::result::Result<Vec<String>, _>>()?;
    out.print(&texts.join("\n"))
}

/// How often each function uses each construct, as a line of words or as JSON.
fn counts(program: &Program, functions: &[String], args: &Show) -> Result<String> {
    let mut lines = String::new();
    let mut objects = Vec::new();
    for f in functions {
        let counts = count(program, f, args.schedule.as_deref())?;
        let words: Vec<String> = counts.iter().map(|(name, n)| format!("{n} {name}")).collect();
        lines.push_str(&format!("{f}: {}\n", words.join(", ")));
        let fields: Map<String, Value> =
            counts.iter().map(|(name, n)| (name.to_string(), json!(n))).collect();
        objects.push(json!({ "function": f, "schedule": args.schedule, "count": fields }));
    }
    Ok(if args.json { json_line(&json!({ "functions": objects })) } else { lines })
}
