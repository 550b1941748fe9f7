//! `atl verify DIR`: each proof file of a folder, what was checked of it and by whom, and what remains to be believed.

use super::refuse;
use super::verify::{Found, Seen, c_text, claims, found};
use crate::json::json_line;
use crate::output::{Exit, Output, Result, Stop};
use atl_driver::proof::unreadable;
use serde_json::{Value, json};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// What no checker here looks at.
const ASSUMED: &[&str] = &[
    "each claim is the one you mean: `atl verify FILE` prints it",
    "the laws of the algebras and monoids named above hold; of floats they do up to the class of rounding",
    "no index leaves 64 bits, and arrays are as the C header says",
    "C means what the page on C texts says, and the compiler keeps to it: `atl build` compared what it compiled",
    "one of the two checkers has no fault that the other shares; `atl certify` asks Rocq instead",
];

/// The proof files of a folder, in order.
fn proof_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "atlp") {
            files.push(path);
        }
    }
    files.sort();
    match files.is_empty() {
        true => Err(Error::new(ErrorKind::NotFound, "no file there ends in `.atlp`")),
        false => Ok(files),
    }
}

pub(super) fn run(folder: &Path, as_json: bool, out: &mut Output) -> Result {
    let name = folder.display().to_string();
    let files = proof_files(folder).map_err(|why| refuse(unreadable(&name, &why)))?;
    let (mut report, mut lines, mut refused) = (String::new(), Vec::new(), 0);
    // Those without evidence of their loops, and those with that of loops alone.
    let (mut bare, mut unread) = (0, 0);
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let seen = c_text(path, None).and_then(|c| found(path, c.as_ref()).map(|found| (c, found)));
        let (c, found) = match seen {
            Ok(seen) => seen,
            Err((name, why)) => return Err(refuse(unreadable(&name, &why))),
        };
        refused += usize::from(found.is_err());
        if let Ok(Seen { verified, .. }) = &found {
            bare += usize::from(!verified.has_loops);
            unread += usize::from(verified.has_loops && !matches!(verified.text, Some(Ok(_))));
        }
        match as_json {
            true => lines.push(line(&name, &found)),
            false => report += &rows(&name, c.as_ref().map(|(name, _)| name.as_str()), &found),
        }
    }
    if as_json {
        let all = json!({ "ok": refused == 0, "files": lines, "assumed": ASSUMED });
        out.print(&json_line(&all))?;
    } else {
        report += &format!("{} of {} hold\n\nnot checked\n", files.len() - refused, files.len());
        if bare > 0 {
            report += &format!(
                "    that the loops and the C compute what was proved, of {bare} without evidence of it\n"
            );
        }
        if unread > 0 {
            report += &format!("    that the C text is the loops, of {unread} without evidence of it\n");
        }
        ASSUMED.iter().for_each(|line| report += &format!("    {line}\n"));
        out.print(&report)?;
    }
    if refused == 0 { Ok(()) } else { Err(Stop::Said(Exit::Refused)) }
}

/// What is printed of a file.
fn rows(name: &str, c: Option<&str>, found: &Found) -> String {
    let row = |what: &str, says: &str| format!("    {what:<9} {says}\n");
    let Seen { verified, took, .. } = match found {
        Ok(seen) => seen,
        Err(failure) => {
            let why = failure.diagnostics.first().map_or("no reason is known", |why| why.message.as_str());
            return format!("{name}\n{}\n", row("REFUSED", &format!("{why}; `atl verify FILE` says more")));
        }
    };
    let loops = match (verified.has_loops, &verified.loop_laws) {
        (true, None) => "compute it for all sizes, and never trap (second checker)".to_owned(),
        (true, Some(laws)) => {
            format!("compute it for all sizes, up to the laws {laws}, and never trap (second checker)")
        }
        (false, _) => "no evidence".to_owned(),
    };
    let text = match (&verified.text, c) {
        (Some(Ok(_)), Some(c)) => format!("{c} is these loops (second checker)"),
        (Some(Err(why)), _) => format!("no evidence: {why}"),
        _ => "none beside it".to_owned(),
    };
    let (thm, function) = (&verified.theorem, &verified.claim.function);
    let theorem = format!(
        "{function} equals what was compiled, {}, laws {} (kernel, second checker)",
        thm.rounding(),
        thm.laws()
    );
    let time = format!("in {:.1} ms", took.as_secs_f64() * 1e3);
    [
        format!("{name}\n"),
        row("theorem", &theorem),
        verified
            .claims
            .iter()
            .map(|c| row("if", &format!("the monoid {:?} has the laws {}", c.name, c.laws)))
            .collect(),
        row("loops", &loops),
        row("C text", &text),
        row("checked", &time),
        "\n".into(),
    ]
    .concat()
}

fn line(name: &str, found: &Found) -> Value {
    match found {
        Ok(Seen { verified, took, .. }) => json!({
            "file": name,
            "ok": true,
            "function": verified.claim.function,
            "laws": verified.theorem.laws().names(),
            "claims": claims(verified),
            "rounding": verified.theorem.rounding().name(),
            "loops": verified.has_loops,
            "loop_laws": verified.loop_laws.as_deref().map_or_else(Vec::new, |laws| laws.split(' ').collect()),
            "text": verified.text.as_ref().map(std::result::Result::is_ok),
            "seconds": took.as_secs_f64(),
        }),
        Err(failure) => json!({
            "file": name,
            "ok": false,
            "diagnostics": crate::json::diagnostics_json(&failure.sources, &failure.diagnostics),
        }),
    }
}
