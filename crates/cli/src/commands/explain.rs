//! `atl explain`: a derivation, an error code, or anything that has a name.

use super::{load, refuse};
use crate::args::Explain;
use crate::json::json_line;
use crate::output::{Output, Result};
use atl_diag::err;
use atl_driver::Program;
use atl_driver::catalogue::{self, Entry, Kind};
use atl_driver::explain::{Condition, DiffLine, ExplainedStep, Explanation, Statement, explain, page};
use atl_driver::proof::prove;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn run(args: &Explain, out: &mut Output) -> Result {
    let path = args.what.as_path();
    let of_a_file =
        args.schedule.is_some() || args.function.is_some() || args.html.is_some() || args.proof.is_some();
    let of_the_library = args.what.to_string_lossy().starts_with("std.");
    if of_a_file || (path.extension().is_some() && !of_the_library) || path.exists() {
        return derivation(args, path, out);
    }
    let what = args.what.to_string_lossy();
    if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.plural() == what) {
        return entries(&catalogue::list(kind), args.json, out);
    }
    let mut found = catalogue::lookup(&what);
    if found.is_empty() {
        found = catalogue::step(&what);
    }
    if found.is_empty() {
        let similar = catalogue::similar(&what);
        let help = match similar.as_slice() {
            [] => "`atl explain forms`, `rules`, `operators`, `directives`, `semirings`, `formats`, `modules` and `errors` are lists of what there is".to_owned(),
            [one] => format!("did you mean `{one}`?"),
            names => format!("there are `{}`", names.join("`, `")),
        };
        return Err(refuse(err!(E0611, "there is nothing called `{what}` to explain").help(help)));
    }
    if args.json {
        return out.print(&json_line(&found.iter().map(entry_json).collect()));
    }
    let texts: Vec<String> = found.iter().map(in_full).collect();
    out.print(&texts.join("\n"))
}

fn derivation(args: &Explain, path: &Path, out: &mut Output) -> Result {
    let program = load(path, (args.function.as_deref(), args.schedule.as_deref()), out)?;
    let (function, schedule) = (args.function.as_deref(), args.schedule.as_deref());
    let schedule = match args.rounding.map(Into::into) {
        Some(class) => {
            let of = program.function(function, schedule)?;
            let meant = program.meant(of, schedule, Some(class));
            program.scheduled(&of.name, meant)?.require_rounding(class)?;
            meant
        }
        None => schedule,
    };
    if let (Some(page), Some(proof)) = (&args.html, &args.proof)
        && std::path::absolute(page).ok() == std::path::absolute(proof).ok()
    {
        let message = err!(E0610, "`--html` and `--proof` name one file, `{}`", page.display());
        return Err(refuse(message.help("choose two paths")));
    }
    if let Some(file) = &args.html {
        write(&program, file, &page(&program, function, schedule, &args.sizes)?, "--html")?;
    }
    if let Some(file) = &args.proof {
        write(&program, file, &prove(&program, function, schedule)?, "--proof")?;
    }
    if (args.html.is_some() || args.proof.is_some()) && !args.json {
        return Ok(());
    }
    let explanation = match (explain(&program, function, schedule), schedule) {
        (Ok(explanation), _) => explanation,
        (Err(refused), Some(schedule)) if !args.json => {
            // What was carried out shows the program that the refused step was given.
            let done = program.partial_derivation(function, schedule).ok();
            if let Some(done) = done.filter(|done| done.refusal.is_some()) {
                out.print(&done.to_text())?;
            }
            return Err(refused.into());
        }
        (Err(refused), _) => return Err(refused.into()),
    };
    if args.json {
        return out.print(&json_line(&explanation_json(&explanation)));
    }
    out.print(&explanation.to_text())
}

/// Writes the file that was named after an option, unless it holds the program.
fn write(program: &Program, file: &Path, text: &str, option: &str) -> Result {
    if program.is_source(file) {
        let message = err!(E0902, "`{option}` would replace the program `{}`", file.display());
        return Err(refuse(message.help(format!("choose another path after `{option}`"))));
    }
    std::fs::write(file, text).map_err(|why| {
        let message = err!(E0610, "cannot write `{}`: {why}", file.display());
        refuse(message.help(format!("choose another path after `{option}`")))
    })
}

/// A list, a line an entry.
fn entries(entries: &[Entry], json: bool, out: &mut Output) -> Result {
    if json {
        return out.print(&json_line(&entries.iter().map(entry_json).collect()));
    }
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    out.print(
        &entries
            .iter()
            .map(|entry| format!("{:<width$}  {}\n", entry.name, entry.summary))
            .collect::<String>(),
    )
}

fn in_full(entry: &Entry) -> String {
    if let Some(page) = entry.page {
        return page.to_owned();
    }
    let mut text = format!("{} `{}`\n\n    {}\n", entry.kind.singular(), entry.name, entry.summary);
    if !entry.fields.is_empty() {
        text.push('\n');
    }
    let width = entry.fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in &entry.fields {
        let value = value.replace('\n', &format!("\n{:width$}  ", ""));
        text.push_str(&format!("{name:<width$}  {value}\n"));
    }
    text
}

fn entry_json(entry: &Entry) -> Value {
    let fields = entry.fields.iter().map(|(name, value)| json!({ "field": name, "text": value }));
    json!({
        "kind": entry.kind.singular(),
        "name": entry.name,
        "summary": entry.summary,
        "fields": fields.collect::<Value>(),
        "page": entry.page,
    })
}

fn explanation_json(e: &Explanation) -> Value {
    let obligations = e.obligations.iter().map(|group| {
        json!({
            "kind": group.kind.as_str(),
            "places": group.places,
            "conditions": group.conditions.iter().map(condition_json).collect::<Value>(),
        })
    });
    json!({
        "function": e.function,
        "schedule": e.schedule,
        "source": e.source,
        "steps": e.steps.iter().map(step_json).collect::<Value>(),
        "scheduled": e.scheduled,
        "conclusion": e.conclusion(),
        "theorem": statement_json(&e.theorem),
        "lowering": statement_json(&e.lowering),
        "obligations": obligations.collect::<Value>(),
        "carried": e.carried,
    })
}

fn step_json(step: &ExplainedStep) -> Value {
    let changes = step.changes().into_iter().filter_map(|marked| match marked.line {
        DiffLine::Same(_) => None,
        DiffLine::Removed(text) => Some(format!("-{text}")),
        DiffLine::Added(text) => Some(format!("+{text}")),
    });
    json!({
        "directive": step.directive,
        "line": step.line,
        "equation": step.equation,
        "places": step.places,
        "theorem": statement_json(&step.theorem),
        "conditions": step.conditions.iter().map(condition_json).collect::<Value>(),
        "changes": changes.collect::<Value>(),
        "after": step.after,
    })
}

fn condition_json(condition: &Condition) -> Value {
    json!({
        "goal": condition.goal,
        "from": condition.from,
        "by": condition.by,
        "times": condition.times,
    })
}

fn statement_json(statement: &Statement) -> Value {
    let rules = statement.rules.iter().map(|(rule, n)| json!({ "rule": rule, "count": n }));
    json!({
        "laws": statement.laws,
        "rounding": statement.rounding.name(),
        "inferences": statement.inferences,
        "certificates": statement.certificates,
        "rules": rules.collect::<Value>(),
    })
}
