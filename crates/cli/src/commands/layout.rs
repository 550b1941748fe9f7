//! `atl layout`: an expression of layouts, printed or drawn; or a file of requests.

use super::refuse;
use crate::args::{By as Colour, Layouts};
use crate::json::json_line;
use crate::output::{Output, Result};
use atl_diag::err;
use atl_driver::layout::{Answer, By, Request, Shown, answer_numbered, operations, value_json};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

pub(super) fn run(args: &Layouts, out: &mut Output) -> Result {
    if let Some(file) = &args.batch {
        return batch(file, out);
    }
    let expression = args.expression.as_deref().unwrap_or_default();
    if expression == "operations" {
        return list(out);
    }
    let by = match (args.by, &args.tile) {
        (Colour::Value, _) => By::Value,
        (Colour::Bank, _) => By::Bank(args.bytes),
        (Colour::Thread, None) => By::Thread(None),
        (Colour::Thread, Some(tile)) => By::Thread(Some(Request::new(tile).shape()?)),
    };
    let answer = Request::new(expression).answer()?;
    let shown = if args.before { Shown::Operands } else { Shown::Result };
    if let Some(file) = &args.svg {
        let drawing = if args.before { answer.to_svg_with_operands(&by)? } else { answer.to_svg(&by)? };
        write(file, &drawing, "--svg")?;
    }
    if let Some(file) = &args.html {
        write(file, &answer.to_html(&by, shown)?, "--html")?;
    }
    if args.json {
        return out.print(&json_line(&object(&answer)));
    }
    out.print(&answer.to_text(&by, shown)?)
}

fn object(answer: &Answer) -> Value {
    json!({
        "result": value_json(&answer.value),
        "facts": answer.facts(),
        "notes": answer.notes,
        "operands": answer.operands.iter().map(value_json).collect::<Value>(),
    })
}

fn list(out: &mut Output) -> Result {
    let operations = operations();
    let width = operations.iter().map(|(signature, _)| signature.len()).max().unwrap_or(0);
    let lines = operations.iter().map(|(signature, summary)| format!("{signature:<width$}  {summary}\n"));
    out.print(&lines.collect::<String>())
}

/// Each line of a file, or of standard input, is answered before the next one is read: whoever asks by a pipe can wait for the answer.
fn batch(file: &Path, out: &mut Output) -> Result {
    let unread = |why: io::Error| {
        let message = err!(E0601, "cannot read `{}`: {why}", file.display());
        refuse(message.help("`--batch` takes a file with one request a line"))
    };
    let mut lines: Box<dyn BufRead> = match file == Path::new("-") {
        true => Box::new(io::stdin().lock()),
        false => Box::new(BufReader::new(File::open(file).map_err(unread)?)),
    };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(unread)? == 0 {
            break;
        }
        let asked = line.strip_suffix(b"\n").unwrap_or(&line);
        out.print(&(answer_numbered(asked, number) + "\n"))?;
    }
    Ok(())
}

fn write(file: &Path, text: &str, option: &str) -> Result {
    std::fs::write(file, text).map_err(|why| {
        let message = err!(E0610, "cannot write `{}`: {why}", file.display());
        refuse(message.help(format!("choose another path after `{option}`")))
    })
}
