//! `atl tune`: schedules proposed for given sizes, and the best of them measured.

use super::{backend, load};
use crate::args::Tune;
use crate::json::{json_line, nanoseconds};
use crate::output::{Output, Result};
use atl_driver::bench::Measured;
use atl_driver::data::Structure;
use atl_driver::tune::{
    Found, Machine, Proposal, Remark, Wanted, measure, propose, schedule_file, schedule_name, schedule_text,
};
use atl_driver::{Failure, Program, backends::Backend, check_place};
use serde_json::{Value, json};
use std::path::Path;

/// What was measured: the function as written, then proposals, the best by the model first.
struct Outcome<'o> {
    found: &'o Found,
    proposals: &'o [Proposal],
    measured: &'o [Measured],
    /// What the schedule is called.
    name: String,
    /// Which proposal was the quickest; none where nothing was quicker than the function as written.
    winner: Option<usize>,
}

/// How many times as fast as the function as written a schedule must be to count as quicker: by less than this, two
/// measurements of the same code differ.
const QUICKER: f64 = 1.03;

pub(super) fn run(args: &Tune, out: &mut Output) -> Result {
    let program = load(&args.file, (args.function.as_deref(), None), out)?;
    let function = program.function(args.function.as_deref(), None)?;
    let (backend, options) = backend(&args.call.place);
    let mut arguments = atl_driver::read_arguments(
        &program,
        function,
        &args.call.inputs,
        &args.call.numbers,
        Structure::Check,
    )?;
    for note in &arguments.notes {
        out.remark(&format!("note: {note}"));
    }
    arguments.complete(&program, function, args.size)?;
    let sizes: Vec<(String, i64)> =
        arguments.sizes().iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
    let remark = Remark { sizes, ratio: 1.0, backend: backend.name, rounding: args.rounding.into() };
    if let Some(path) = &args.output {
        // Refused before the work rather than after it.
        schedule_file(&program, (&args.file, path), &function.name, &[], &remark)?;
        check_place(path).map_err(|why| unwritten(&program, path, &why))?;
    }
    let machine = options.threads.map_or(Machine::detect(), |threads| Machine::detect().with_cores(threads));
    let wanted = Wanted {
        rounding: args.rounding.into(),
        budget: usize::try_from(args.budget).unwrap_or(usize::MAX),
        machine,
    };
    out.progress(&format!("proposing schedules of `{}`", function.name));
    let values: Vec<i64> = remark.sizes.iter().map(|(_, n)| *n).collect();
    let found = propose(&program, function, &values, &wanted, &mut |line| out.progress(line))?;
    let proposals = found.best(usize::try_from(args.best).unwrap_or(usize::MAX));
    out.progress(&format!("measuring {} of {}", proposals.len(), found.proposals.len()));
    let rounds = usize::try_from(args.rounds).unwrap_or(usize::MAX);
    let mut tell = |line: &str| out.progress(line);
    let measured = measure(&program, function, &proposals, &arguments, (backend, options), rounds, &mut tell);
    let measured = measured.map_err(|why| arguments.explain(why))?;
    let winner = (0..proposals.len())
        .filter(|k| measured[k + 1].ratio >= QUICKER)
        // What else the machine does makes a run longer, never shorter.
        .min_by_key(|k| measured[k + 1].fastest);
    let name = schedule_name(&program, &function.name);
    let outcome = Outcome { found: &found, proposals: &proposals, measured: &measured, name, winner };
    let steps = winner.map_or(&[][..], |k| &proposals[k].steps);
    // What an earlier search found there is better than nothing.
    let kept = args.output.as_ref().filter(|path| winner.is_none() && path.exists());
    if let Some(path) = kept {
        out.remark(&format!(
            "note: nothing was quicker than the function as written; `{}` is left as it is",
            path.display()
        ));
    }
    let output = args.output.as_ref().filter(|_| kept.is_none());
    let written = output.map_or(Ok(()), |path| {
        let remark = Remark {
            ratio: winner.map_or(1.0, |k| measured[k + 1].ratio),
            rounding: winner.map_or(atl_driver::Rounding::Bitwise, |k| proposals[k].rounding),
            ..remark.clone()
        };
        let text = schedule_file(&program, (&args.file, path), &function.name, steps, &remark)?;
        std::fs::write(path, text).map_err(|why| unwritten(&program, path, &why))
    });
    // What was found is told also where it could not be written.
    match args.json {
        true => out.print(&json_line(&report(&function.name, backend, &remark.sizes, &outcome)))?,
        false => out.print(&table(&function.name, backend, &remark.sizes, &outcome))?,
    }
    Ok(written?)
}

fn unwritten(program: &Program, path: &Path, why: &std::io::Error) -> Failure {
    let refusal = atl_diag::err!(E0610, "cannot write `{}`: {why}", path.display());
    Failure::new(program.sources(), refusal.help("choose another place with `-o`"))
}

/// The function as written and the proposals, each with its measurement.
fn rows<'o>(outcome: &'o Outcome<'o>) -> impl Iterator<Item = (Option<&'o Proposal>, &'o Measured)> {
    let source = outcome.found.source();
    std::iter::once(source).chain(outcome.proposals.iter().map(Some)).zip(outcome.measured)
}

/// How many times less the model thinks a proposal costs than the function as written.
fn predicted(outcome: &Outcome<'_>, proposal: Option<&Proposal>) -> f64 {
    let cycles = |p: Option<&Proposal>| p.map_or(f64::NAN, |p| p.estimate.cycles());
    let source = cycles(outcome.found.source());
    if source == 0.0 { 1.0 } else { source / cycles(proposal) }
}

fn table(function: &str, backend: &Backend, sizes: &[(String, i64)], outcome: &Outcome<'_>) -> String {
    let Found { judged, proposals, refused, .. } = outcome.found;
    let refusals: usize = refused.values().sum();
    let sizes = sizes.iter().map(|(name, n)| format!(", {name} = {n}")).collect::<String>();
    let mut text = format!("{function} on {}{sizes}\n", backend.name);
    text.push_str(&format!("{judged} schedules tried, {} proved, {refusals} refused", proposals.len()));
    let reasons: Vec<String> = refused.iter().map(|(why, n)| format!("{n} by {why}")).collect();
    if !reasons.is_empty() {
        text.push_str(&format!(": {}", reasons.join(", ")));
    }
    text.push_str(&format!(
        "\n\n{:>9}  {:>12}  {:>12}  {:>9}  schedule\n",
        "predicted", "fastest", "median", "measured"
    ));
    for (proposal, m) in rows(outcome) {
        let steps = match proposal {
            Some(p) if !p.steps.is_empty() => p.steps.join("; "),
            _ => "as written".to_owned(),
        };
        let [fastest, median] = [m.fastest, m.median].map(|time| format!("{time:.3?}"));
        // The model knows nothing of a function whose loops depend on what arrays hold.
        let expected = match predicted(outcome, proposal) {
            unknown if unknown.is_nan() => "-".to_owned(),
            known => format!("{known:.2}x"),
        };
        text.push_str(&format!("{expected:>9}  {fastest:>12}  {median:>12}  {:>8.2}x  {steps}\n", m.ratio));
    }
    match outcome.winner {
        None => text.push_str("\nnothing measured was quicker than the function as written\n"),
        Some(k) => {
            let steps = &outcome.proposals[k].steps;
            text.push_str(&format!(
                "\nthe shortest run of those that are quicker than the function as written:\n{}",
                schedule_text(&outcome.name, function, steps)
            ));
        }
    }
    text
}

fn report(function: &str, backend: &Backend, sizes: &[(String, i64)], outcome: &Outcome<'_>) -> Value {
    let sizes = sizes.iter().map(|(name, n)| json!({ "name": name, "value": n }));
    let schedules = rows(outcome).map(|(proposal, m)| {
        json!({
            "steps": proposal.map_or(&[][..], |p| &p.steps),
            "rounding": proposal.map_or("bitwise", |p| p.rounding.name()),
            "predicted": predicted(outcome, proposal),
            "fastest_ns": nanoseconds(m.fastest),
            "median_ns": nanoseconds(m.median),
            "ratio": m.ratio,
        })
    });
    let refused = outcome.found.refused.iter().map(|(why, n)| json!({ "reason": why, "count": n }));
    let winner = outcome.winner.map(|k| schedule_text(&outcome.name, function, &outcome.proposals[k].steps));
    json!({
        "function": function,
        "backend": backend.name,
        "sizes": sizes.collect::<Value>(),
        "tried": outcome.found.judged,
        "proved": outcome.found.proposals.len(),
        "refused": refused.collect::<Value>(),
        "schedules": schedules.collect::<Value>(),
        "schedule": outcome.name,
        "winner": winner,
    })
}
