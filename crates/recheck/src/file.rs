//! A whole file: header, tables, context, claim and end; and whether its proof proves its claim.

use crate::context::{Context, Entry, Type};
use crate::inference::Replay;
use crate::prelude::*;
use crate::report::{Claim, Statement};
use crate::tables::Tables;
use crate::typing::Judge;
use crate::words::{Lines, Words, unescaped};
use std::io::BufRead;

/// Read a file and replay its proof.
pub(crate) fn check(input: impl BufRead) -> Result<Claim, Refusal> {
    let mut lines = Lines::new(input);
    let (laws, rounding) = header(&mut lines)?;
    let mut tables = Tables::default();
    let mut line = lines.expect()?;
    while !line.starts_with('x') && !line.starts_with("claim ") {
        tables.define(&line, lines.number).map_err(|why| lines.refusal(why))?;
        line = lines.expect()?;
    }
    let (mut context, mut names) = (Context::default(), Vec::new());
    while line.starts_with('x') {
        let entry = entry(&tables, &mut context, &mut names, &line).and_then(|entry| context.push(entry));
        entry.map_err(|why| lines.refusal(why))?;
        line = lines.expect()?;
    }
    let (left, right, proof) = claim(&tables, &line).map_err(|why| lines.refusal(why))?;
    let claim_line = lines.number;
    let last = lines.expect()?;
    end(&last, lines.number).map_err(|why| lines.refusal(why))?;
    if lines.read()?.is_some() {
        return Err(lines.refusal("something follows the end"));
    }

    let Tables { store, written, certificates, inferences, .. } = tables;
    let entries = context.entries().to_vec();
    let judge = Judge { store, context, certificates: &certificates, evidence: &[] };
    let mut replay = Replay { judge, written: &written, inferences: &inferences };
    let proved = replay.replay(proof)?;
    let differs = |why: &str| Err(Refusal { line: claim_line, why: why.to_owned() });
    if proved.left != written[left].term || proved.right != written[right].term {
        return differs("the proof proves another equation than the file claims");
    }
    if proved.laws != laws {
        return differs("the proof uses other laws than the file claims");
    }
    if proved.rounding != rounding {
        return differs("the proof has another rounding class than the file claims");
    }
    let statement = Statement { entries, names, sides: [proved.left, proved.right], laws, rounding };
    Ok(Claim::new(&replay.judge.store, &statement))
}

/// The header: laws and rounding are part of the claim, the rest is for people.
fn header(lines: &mut Lines<impl BufRead>) -> Result<(Laws, Rounding), Refusal> {
    let first = lines.expect()?;
    if first != "atlp 1" {
        return Err(lines.refusal("the file does not begin with `atlp 1`"));
    }
    let function = lines.expect()?;
    function_name(&function).map_err(|why| lines.refusal(why))?;
    let mut line = lines.expect()?;
    for section in ["given", "source", "schedule", "result"] {
        if line != section {
            return Err(lines.refusal(format!("the header lacks `{section}`")));
        }
        line = lines.expect()?;
        while let Some(text) = line.strip_prefix('|') {
            if !text.is_empty() && (!text.starts_with(' ') || text.len() == 1) {
                return Err(lines.refusal("a line of text is neither `|` nor `| ` and text"));
            }
            line = lines.expect()?;
        }
    }
    let laws = laws(&line).map_err(|why| lines.refusal(why))?;
    line = lines.expect()?;
    let rounding = line.strip_prefix("rounding ").and_then(Rounding::named);
    let rounding = rounding.ok_or_else(|| lines.refusal("the header lacks a rounding class"))?;
    line = lines.expect()?;
    if line != "proof" {
        return Err(lines.refusal("the header does not end with `proof`"));
    }
    Ok((laws, rounding))
}

fn function_name(line: &str) -> Checked<()> {
    let mut words = Words::of(line);
    words.keyword("function")?;
    let name = unescaped(words.next()?)?;
    require(!name.contains(char::is_control), "the function's name holds a control character")?;
    words.end()
}

fn laws(line: &str) -> Checked<Laws> {
    let mut words = Words::of(line);
    words.keyword("laws")?;
    let mut names = Vec::new();
    while !words.is_at_end() {
        names.push(words.next()?);
    }
    Laws::listed(&names).ok_or("the laws are not in the form of the format".into())
}

/// An entry of the claim's context, well-formed in the entries before it.
fn entry(tables: &Tables, context: &mut Context, names: &mut Vec<String>, line: &str) -> Checked<Entry> {
    let mut words = Words::of(line);
    let level = words.next()?;
    require(level == format!("x{}", context.len()), "the entry's number is not the next one")?;
    context.at_top();
    let mut name = String::new();
    let entry = match words.next()? {
        "index" => {
            name.clone_from(&tables.labels[tables.read_label(&mut words)?]);
            Entry::Index
        }
        "tensor" => {
            name.clone_from(&tables.labels[tables.read_label(&mut words)?]);
            let element = tables.read_element(&mut words)?;
            let mut shape = Vec::new();
            while !words.is_at_end() {
                let extent = tables.read_ix(&mut words)?;
                shape.push(context.resolve(&tables.store, extent)?);
            }
            Entry::Tensor(Type { element, shape: tables.store.ixs(&shape)? })
        }
        "hyp" => {
            let hypothesis = tables.read_pred(&mut words)?;
            Entry::Hypothesis(context.resolve_pred(&tables.store, hypothesis)?)
        }
        _ => return refuse("an unknown kind of entry"),
    };
    words.end()?;
    names.push(name);
    Ok(entry)
}

/// The lines of the two sides, and the inference, which must be within the limits.
fn claim(tables: &Tables, line: &str) -> Checked<(usize, usize, usize)> {
    let mut words = Words::of(line);
    words.keyword("claim")?;
    let (left, right) = (tables.read_line(&mut words)?, tables.read_line(&mut words)?);
    let proof = words.reference('s', tables.inferences.len())?;
    words.end()?;
    let inference = &tables.inferences[proof];
    let small = inference.nodes <= limits::INFERENCES && inference.depth <= limits::INFERENCE_DEPTH;
    require(small, "the proof has more inferences than the limits allow")?;
    Ok((left, right, proof))
}

/// The last line counts those before it.
fn end(line: &str, number: u64) -> Checked<()> {
    let mut words = Words::of(line);
    words.keyword("end")?;
    let count: u64 = words.integer()?;
    require(count == number - 1, "the end counts another number of lines")?;
    words.end()
}
