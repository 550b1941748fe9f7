//! `atl verify`: a proof file, checked with the kernel alone.

use super::refuse;
use crate::args::Verify;
use crate::json::Json;
use crate::output::{Exit, Output, Result, Stop};
use atl_driver::Failure;
use atl_driver::proof::{Verified, unreadable, verify};
use atl_driver::read_proof;
use std::time::{Duration, Instant};

/// What is in the file, and how long the check took.
type Found = std::result::Result<(Verified, Duration), Failure>;

pub(super) fn run(args: &Verify, out: &mut Output) -> Result {
    let name = args.file.display().to_string();
    let text = read_proof(&args.file).map_err(|why| refuse(unreadable(&name, &why)))?;
    let start = Instant::now();
    let found = verify(&name, &text).map(|verified| (verified, start.elapsed()));
    if args.json {
        return json(&found, out);
    }
    let (verified, took) = found?;
    let (claim, counts, thm) = (&verified.claim, verified.counts, &verified.theorem);
    let mut report = format!("{name} proves of `{}`\n", claim.function);
    let parts = [
        ("given", &claim.given),
        ("source", &claim.source),
        ("by the schedule", &claim.schedule),
        ("equals", &claim.result),
    ];
    for (heading, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        report += &format!("\n{heading}\n");
        report.extend(text.lines().map(|line| format!("    {line}\n")));
    }
    report += &format!(
        "\nlaws      {}\nrounding  {}\nproof     {} inferences, {} certificates, {} terms; {} bytes\nchecked   in {:.1} ms\n",
        thm.laws(),
        thm.rounding(),
        counts.inferences,
        counts.certificates,
        counts.terms,
        text.len(),
        took.as_secs_f64() * 1e3,
    );
    out.print(&report)
}

fn json(found: &Found, out: &mut Output) -> Result {
    let report = match found {
        Ok((verified, took)) => {
            let (claim, counts, thm) = (&verified.claim, verified.counts, &verified.theorem);
            vec![
                ("ok", Json::Bool(true)),
                ("function", Json::text(&claim.function)),
                ("given", Json::texts(claim.given.lines())),
                ("source", Json::text(&claim.source)),
                ("schedule", Json::texts(claim.schedule.lines())),
                ("result", Json::text(&claim.result)),
                ("laws", Json::texts(thm.laws().names())),
                ("rounding", Json::text(thm.rounding().name())),
                ("inferences", Json::count(counts.inferences)),
                ("certificates", Json::count(counts.certificates)),
                ("seconds", Json::Number(took.as_secs_f64())),
            ]
        }
        Err(failure) => vec![
            ("ok", Json::Bool(false)),
            ("diagnostics", Json::diagnostics(&failure.sources, &failure.diagnostics)),
        ],
    };
    out.print(&Json::Object(report).line())?;
    if found.is_ok() { Ok(()) } else { Err(Stop::Said(Exit::Refused)) }
}
