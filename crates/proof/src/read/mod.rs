//! From a text to a [`ProofFile`]: every line well-formed, every reference backward, nothing twice,
//! nothing after the end.
//!
//! The lines are taken one after the other and never again. `tables`, `monoids` and `inferences` read what
//! a line defines.

mod inferences;
mod loops;
mod monoids;
mod tables;

pub(crate) use tables::{CMPS, IX_OPS, PRIMS};

use crate::error::ReadError;
use crate::file::{Header, ProofFile};
use crate::words::{Read, Words, number, read_laws, read_rounding};
use crate::{limits, on_large_stack};
use atl_kernel::{Ctx, Label, Laws, Rounding, Type};
use std::collections::HashSet;
use std::sync::Arc;
use tables::Reader;

/// Read a proof file. It is well-formed then; [`check`](crate::check) says whether it proves its claim.
///
/// # Errors
/// The first line that is not as the format wants it.
pub fn read(text: &str) -> Result<ProofFile, ReadError> {
    on_large_stack(|| read_here(text))
}

/// [`read`], on this thread's stack.
pub(crate) fn read_here(text: &str) -> Result<ProofFile, ReadError> {
    let mut lines = Lines { rest: text, number: 0 };
    file(text, &mut lines).map_err(|why| ReadError { line: lines.number, why })
}

/// The lines of a file, counted.
struct Lines<'a> {
    rest: &'a str,
    /// The number of the line read last, from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Read<&'a str> {
        self.number += 1;
        let (line, rest) = self.rest.split_once('\n').ok_or("the file ends here, without its last line")?;
        if line.len() > limits::LINE || self.number > limits::LINES {
            return Err("the line is too long, or there are too many".to_owned());
        }
        if line.chars().any(char::is_control) {
            return Err("the line holds a control character".to_owned());
        }
        self.rest = rest;
        Ok(line)
    }

    /// A line that is this word.
    fn exactly(&mut self, wanted: &str) -> Read<()> {
        let found = self.next()?;
        if found == wanted { Ok(()) } else { Err(format!("`{wanted}` is wanted here")) }
    }

    /// A line of this word and another part.
    fn field(&mut self, name: &str) -> Read<&'a str> {
        let found = self.next()?;
        let value = found.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
        value.ok_or_else(|| format!("`{name} ..` is wanted here"))
    }

    /// Lines for people under a heading.
    fn text(&mut self, heading: &str) -> Read<String> {
        self.exactly(heading)?;
        let mut text = Vec::new();
        while self.rest.starts_with('|') {
            let line = self.next()?;
            let inside = if line == "|" { Some("") } else { line.strip_prefix("| ") };
            text.push(inside.filter(|t| line == "|" || !t.is_empty()).ok_or("`| ` and text is wanted here")?);
        }
        Ok(text.join("\n"))
    }
}

fn file(text: &str, lines: &mut Lines<'_>) -> Read<ProofFile> {
    if text.len() > limits::BYTES {
        return Err("the file is too long".to_owned());
    }
    lines.exactly("atlp 1")?;
    let function = Words::of(lines.field("function")?).string()?;
    if function.chars().any(char::is_control) {
        return Err("a function's name holds no control character".to_owned());
    }
    let given = lines.text("given")?;
    let source = lines.text("source")?;
    let schedule = lines.text("schedule")?;
    let result = lines.text("result")?;
    let laws: Laws = read_laws(lines.field("laws")?)?;
    let rounding: Rounding = read_rounding(lines.field("rounding")?)?;
    lines.exactly("proof")?;

    let mut reader = Reader::default();
    let mut seen = HashSet::new();
    let mut line = lines.next()?;
    while !line.starts_with('x') && !line.starts_with("claim ") {
        let (name, content) = line.split_once(' ').ok_or("a line of a table is wanted here")?;
        let letter = name.chars().next().ok_or("a line starts with a word")?;
        if !seen.insert((letter, content)) {
            return Err(format!("an earlier line `{letter}` is the same"));
        }
        numbered(name, letter, reader.known(letter))?;
        reader.line(letter, &mut Words::of(content))?;
        line = lines.next()?;
    }
    let (mut ctx, mut nodes) = (Ctx::new(), 0);
    while line.starts_with('x') {
        let (name, content) = line.split_once(' ').ok_or("an entry of the context is wanted here")?;
        numbered(name, 'x', ctx.entries().len())?;
        nodes += entry(&reader, &mut Words::of(content), &mut ctx)?;
        if nodes > limits::ENTRY_NODES {
            return Err("the context is larger than the limits allow".to_owned());
        }
        line = lines.next()?;
    }
    let mut words = Words::of(line);
    if words.word()? != "claim" {
        return Err("`claim ..` is wanted here".to_owned());
    }
    let claim = (reader.term(&mut words)?, reader.term(&mut words)?);
    let root = words.reference('s', reader.tables.steps.len())?;
    words.end()?;
    let has_loops = loops::section(lines, &mut reader, &mut seen)?;
    let before = lines.number;
    let count: usize = number(lines.field("end")?)?;
    if count != before {
        return Err(format!("there are {before} lines before the end, not {count}"));
    }
    if !lines.rest.is_empty() {
        return Err("something follows the end".to_owned());
    }
    let header = Header { function, given, source, schedule, result };
    let tables = reader.tables;
    let (ctx, lines) = (Arc::new(ctx), lines.number);
    Ok(ProofFile { header, laws, rounding, tables, ctx, claim, root, has_loops, lines })
}

/// A line's name is its letter and the count of those before.
fn numbered(name: &str, letter: char, before: usize) -> Read<()> {
    let k: usize = number(name.strip_prefix(letter).unwrap_or_default())?;
    if k == before { Ok(()) } else { Err(format!("`{letter}{before}` is next, not `{name}`")) }
}

/// An entry of the context; the nodes of its extents or its predicate.
fn entry(reader: &Reader, words: &mut Words<'_>, ctx: &mut Ctx) -> Read<u64> {
    if ctx.entries().len() >= limits::ENTRIES {
        return Err("the context has too many entries".to_owned());
    }
    let mut nodes = 0;
    match words.word()? {
        "index" => {
            let label: Label = reader.label(words)?;
            ctx.push_index(label);
        }
        "tensor" => {
            let (label, elem) = (reader.label(words)?, reader.elem(words)?);
            let mut shape = Vec::new();
            while let Some(word) = words.more() {
                let (extent, size) = reader.ix_named(word)?;
                nodes += size.nodes;
                shape.push(extent);
            }
            if shape.len() > limits::RANK {
                return Err(format!("a tensor has {} extents", shape.len()));
            }
            ctx.push_tensor(label, Type { elem, shape });
        }
        "hyp" => {
            let (hypothesis, size) = reader.pred(words)?;
            nodes = size.nodes;
            ctx.push_hyp(hypothesis);
        }
        "all" => {
            let count = words.number::<u32>()?;
            let labels = (0..count).map(|_| reader.label(words)).collect::<Read<Vec<_>>>()?;
            let (general, size) = reader.pred(words)?;
            nodes = size.nodes;
            ctx.push_all(labels, general);
        }
        other => return Err(format!("`{other}` is no kind of entry")),
    }
    words.end()?;
    Ok(nodes)
}
