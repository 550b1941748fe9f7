//! `atl verify`: a proof file, its theorem checked with the kernel alone, its loops and the C text beside it by the second
//! checker.
//!
//! What was proved stands first. The names of the function and the schedule, which nothing checks, stand
//! apart from it.

use super::{refuse, verify_folder};
use crate::args::Verify;
use crate::json::{diagnostics_json, json_line};
use crate::output::{Exit, Output, Result, Stop};
use atl_driver::Failure;
use atl_driver::claims::{Claimed, Field};
use atl_driver::explain::counted;
use atl_driver::proof::{Verified, unreadable, verify_with_text};
use atl_driver::read_proof;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// What is in a file.
pub(super) struct Seen {
    pub(super) verified: Verified,
    /// How long the check took.
    pub(super) took: Duration,
    bytes: usize,
}

/// The same, or why it is no proof.
pub(super) type Found = std::result::Result<Seen, Failure>;

/// A file that cannot be read, and why.
type Unread = (String, std::io::Error);

/// What is in the file, beside this C text.
pub(super) fn found(file: &Path, c: Option<&(String, String)>) -> std::result::Result<Found, Unread> {
    let name = file.display().to_string();
    let text = match read_proof(file) {
        Ok(text) => text,
        Err(why) => return Err((name, why)),
    };
    let c = c.map(|(name, text)| (name.as_str(), text.as_str()));
    let start = Instant::now();
    let seen = |verified| Seen { verified, took: start.elapsed(), bytes: text.len() };
    Ok(verify_with_text(&name, &text, c).map(seen))
}

pub(super) fn run(args: &Verify, out: &mut Output) -> Result {
    if args.file.is_dir() && args.text.is_none() {
        return verify_folder::run(&args.file, args.json, out);
    }
    let unread = |(name, why): Unread| refuse(unreadable(&name, &why));
    let c = c_text(&args.file, args.text.as_deref()).map_err(unread)?;
    let found = found(&args.file, c.as_ref()).map_err(unread)?;
    let c = c.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
    if args.json {
        return json(&found, out);
    }
    let Seen { verified, took, bytes } = found?;
    let (claim, counts, thm) = (&verified.claim, verified.counts, &verified.theorem);
    let name = args.file.display();
    let mut report = format!("{name} proves\n");
    let parts = [("given", &claim.given), ("source", &claim.source), ("equals", &claim.result)];
    for (heading, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        report += &format!("\n{heading}\n{}", indented(text));
    }
    for claimed in &verified.claims {
        let Claimed { name, laws, .. } = claimed;
        report += &format!("\nif the monoid {name:?} has the laws {laws}, which nothing here checks\n");
        for Field { ty, zero, sum } in &claimed.fields {
            report += &format!("    {ty}: zero {zero}, sum {sum}\n");
        }
    }
    let loops = match (verified.has_loops, &verified.loop_laws) {
        (true, None) => "leave the result in the output and never trap (second checker)".to_owned(),
        (true, Some(laws)) => {
            format!("leave the result in the output, up to the laws {laws}, and never trap (second checker)")
        }
        (false, _) => "no evidence".to_owned(),
    };
    let c = match (&verified.text, c) {
        (Some(Ok(function)), Some((name, _))) => {
            format!("{name} is these loops, as {function} (second checker)")
        }
        (Some(Err(why)), Some((name, _))) => format!("no evidence that {name} is these loops: {why}"),
        _ => "none beside it".to_owned(),
    };
    report += &format!(
        "\nloops     {loops}\nC text    {c}\nlaws      {}\nrounding  {}\nproof     {}, {}, {}; {}\nchecked   in {:.1} ms\n",
        thm.laws(),
        thm.rounding(),
        counted(counts.inferences, "inference"),
        counted(counts.certificates, "certificate"),
        counted(counts.terms, "term"),
        counted(bytes, "byte"),
        took.as_secs_f64() * 1e3,
    );
    let schedule = if claim.schedule.is_empty() { "none" } else { claim.schedule.as_str() };
    report += &format!(
        "\nnot checked: the file says that this is of the function `{}`, by the schedule\n{}",
        claim.function,
        indented(schedule)
    );
    out.print(&report)
}

/// The laws of monoids on which a theorem rests.
pub(super) fn claims(verified: &Verified) -> Vec<Value> {
    let field = |Field { ty, zero, sum }: &Field| json!({ "type": ty, "zero": zero, "sum": sum });
    let claim = |claimed: &Claimed| {
        let fields: Vec<_> = claimed.fields.iter().map(field).collect();
        json!({ "monoid": claimed.name, "laws": claimed.laws.names(), "fields": fields })
    };
    verified.claims.iter().map(claim).collect()
}

/// The C text that is named, or that stands beside the proof file.
pub(super) fn c_text(
    file: &Path,
    named: Option<&Path>,
) -> std::result::Result<Option<(String, String)>, Unread> {
    let beside = file.with_extension("c");
    let path = match named {
        Some(path) => path,
        None if beside.is_file() => beside.as_path(),
        None => return Ok(None),
    };
    let name = path.display().to_string();
    match read_proof(path) {
        Ok(text) => Ok(Some((name, text))),
        Err(why) => Err((name, why)),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

fn json(found: &Found, out: &mut Output) -> Result {
    let report = match found {
        Ok(Seen { verified, took, .. }) => {
            let (claim, counts, thm) = (&verified.claim, verified.counts, &verified.theorem);
            json!({
                "ok": true,
                "given": claim.given.lines().collect::<Vec<_>>(),
                "source": claim.source,
                "result": claim.result,
                "laws": thm.laws().names(),
                "claims": claims(verified),
                "rounding": thm.rounding().name(),
                "loops": verified.has_loops,
                "loop_laws": verified.loop_laws.as_deref().map_or_else(Vec::new, |laws| laws.split(' ').collect()),
                "text": verified.text.as_ref().map(std::result::Result::is_ok),
                "inferences": counts.inferences,
                "certificates": counts.certificates,
                "seconds": took.as_secs_f64(),
                "not_checked": {
                    "function": claim.function,
                    "schedule": claim.schedule.lines().collect::<Vec<_>>(),
                },
            })
        }
        Err(failure) => json!({
            "ok": false,
            "diagnostics": diagnostics_json(&failure.sources, &failure.diagnostics),
        }),
    };
    out.print(&json_line(&report))?;
    if found.is_ok() { Ok(()) } else { Err(Stop::Said(Exit::Refused)) }
}
