//! A whole file: header, tables, context, claim and end; and whether its proof proves its claim.

use crate::context::{Context, Entry, Type};
use crate::inference::Replay;
use crate::monoids::MonoidLine;
use crate::prelude::*;
use crate::program::{Filling, Program, Run};
use crate::report::Claim;
use crate::tables::Tables;
use crate::text::{Text, compare};
use crate::typing::Judge;
use crate::words::{Lines, Words, unescaped};
use std::collections::BTreeMap;
use std::io::BufRead;

/// What a file says.
struct File {
    laws: Laws,
    rounding: Rounding,
    tables: Tables,
    context: Context,
    /// The labels of the context's entries, as the file spells them.
    names: Vec<String>,
    /// The lines of the claim's sides, and the inference.
    claim: [usize; 3],
    /// The line that says so.
    line: u64,
    loops: Option<(Program, Run)>,
}

/// Read a file and replay its proof; what C texts are beside its loops.
pub(crate) fn check(input: impl BufRead, texts: &[&str]) -> Checked<(Claim, Vec<Text>)> {
    let mut lines = Lines::new(input);
    let file = read(&mut lines).map_err(|refusal| refusal.at(lines.number))?;
    let File { laws, rounding, tables, context, names, claim: [left, right, proof], line, loops } = file;
    let Tables { store, written, certificates, inferences, monoids, .. } = tables;
    let entries = context.entries().to_vec();
    let judge = Judge { store, context, certificates: &certificates, evidence: &[] };
    let (written, inferences, monoids) = (&written[..], &inferences[..], &monoids[..]);
    let claims = BTreeMap::new();
    let mut replay =
        Replay { judge, written, inferences, monoids, claims, premises: BTreeMap::new(), count: 0, depth: 0 };
    for MonoidLine { monoid, line, .. } in monoids {
        replay.judge.admit_monoid(monoid).map_err(|refusal| refusal.at(*line))?;
    }
    let proved = replay.replay(proof)?;
    let sides = [written[left].term, written[right].term];
    let claimed = if [proved.left, proved.right] != sides {
        refuse("the proof proves another equation than the file claims")
    } else if proved.laws != laws {
        refuse("the proof uses other laws than the file claims")
    } else {
        require(proved.rounding == rounding, "the proof has another rounding class than the file claims")
    };
    claimed.map_err(|refusal| refusal.at(line))?;
    let claims = replay.claimed();
    let Judge { mut store, context, .. } = replay.judge;
    let unknown = Text::Unknown("the proof file has no loops".into());
    let mut seen = vec![unknown; texts.len()];
    if let Some((program, run)) = &loops {
        let (checked, results) =
            Filling::check((store, context), &certificates, program, (run, proved.right))?;
        let of = |text: &&str| compare((&checked, &entries), (program, run), &results, text);
        seen = texts.iter().map(of).collect();
        store = checked;
    }
    Ok((Claim::new(&store, &entries, &names, (&proved, &claims, loops.as_ref())), seen))
}

fn read(lines: &mut Lines<impl BufRead>) -> Checked<File> {
    let (laws, rounding) = header(lines)?;
    let mut tables = Tables::default();
    let mut line = lines.expect()?;
    while !line.starts_with('x') && !line.starts_with("claim ") {
        tables.define(&line, lines.number, None)?;
        line = lines.expect()?;
    }
    let (mut context, mut names, mut nodes) = (Context::default(), Vec::new(), 0u32);
    while line.starts_with('x') {
        let entry = entry(&tables, &mut context, &mut names, &line)?;
        nodes = nodes.saturating_add(entry_nodes(&tables.store, &entry));
        require(nodes <= limits::ENTRY_NODES, "the context is larger than the limits allow")?;
        context.push(entry)?;
        line = lines.expect()?;
    }
    let mut words = Words::of(&line);
    words.keyword("claim")?;
    let (left, right) = (tables.read_line(&mut words)?, tables.read_line(&mut words)?);
    let claim = [left, right, words.reference('s', tables.inferences.len())?];
    words.end()?;
    let claim_line = lines.number;
    line = lines.expect()?;
    let mut loops = None;
    if line == "loops" {
        loops = Some(program(lines, &mut tables)?);
        line = lines.expect()?;
    }
    // The last line counts those before it.
    let count = lines.number - 1;
    require(line == format!("end {count}"), "the end is missing, or counts other lines")?;
    require(lines.read()?.is_none(), "something follows the end")?;
    Ok(File { laws, rounding, tables, context, names, claim, line: claim_line, loops })
}

/// The loops, and why they compute the claim's right side.
fn program(lines: &mut Lines<impl BufRead>, tables: &mut Tables) -> Checked<(Program, Run)> {
    let mut program = Program::default();
    let mut line = lines.expect()?;
    while !line.starts_with("run ") {
        tables.define(&line, lines.number, Some(&mut program))?;
        line = lines.expect()?;
    }
    let run = program.run(&mut Words::of(&line))?;
    Ok((program, run))
}

/// The header: laws and rounding are part of the claim, the rest is for people.
fn header(lines: &mut Lines<impl BufRead>) -> Checked<(Laws, Rounding)> {
    require(lines.expect()? == "atlp 1", "the file does not begin with `atlp 1`")?;
    let function = lines.expect()?;
    let name = function.strip_prefix("function ").ok_or("the header lacks `function`")?;
    let printable = !unescaped(name)?.contains(char::is_control);
    require(printable, "the function's name holds a control character")?;
    let mut line = lines.expect()?;
    for section in ["given", "source", "schedule", "result"] {
        if line != section {
            return refuse(format!("the header lacks `{section}`"));
        }
        line = lines.expect()?;
        while let Some(text) = line.strip_prefix('|') {
            let spaced = text.is_empty() || (text.starts_with(' ') && text.len() > 1);
            require(spaced, "a line of text is neither `|` nor `| ` and text")?;
            line = lines.expect()?;
        }
    }
    let laws = line.strip_prefix("laws ").map(|names| names.split(' ').collect::<Vec<_>>());
    let laws = laws.and_then(|names| Laws::listed(&names)).ok_or("the header does not list laws")?;
    line = lines.expect()?;
    let rounding = line.strip_prefix("rounding ").and_then(Rounding::named);
    let rounding = rounding.ok_or("the header lacks a rounding class")?;
    require(lines.expect()? == "proof", "the header does not end with `proof`")?;
    Ok((laws, rounding))
}

/// The nodes of an entry's extents or its predicate, as trees.
fn entry_nodes(store: &Store, entry: &Entry) -> u32 {
    let nodes = |extent| store.ix_measure(extent).nodes;
    match entry {
        Entry::Index => 0,
        Entry::Tensor(ty) => store.ix_list(ty.shape).into_iter().map(nodes).fold(0, u32::saturating_add),
        Entry::Hypothesis(pred) | Entry::General(_, pred) => store.pred_measure(*pred).nodes,
    }
}

/// An entry of the claim's context, well-formed in the entries before it.
fn entry(tables: &Tables, context: &mut Context, names: &mut Vec<String>, line: &str) -> Checked<Entry> {
    let mut words = Words::of(line);
    words.keyword(&format!("x{}", context.len()))?;
    context.at_top();
    let kind = words.next()?;
    if kind == "hyp" {
        names.push(String::new());
        let hypothesis = tables.read_pred(&mut words)?;
        words.end()?;
        return Ok(Entry::Hypothesis(context.resolve_pred(&tables.store, hypothesis)?));
    }
    if kind == "all" {
        names.push(String::new());
        let count: u32 = words.integer()?;
        let level = context.len();
        // The variables are indices here, and nothing else is known of them.
        for _ in 0..count {
            tables.read_label(&mut words)?;
            context.stack.push(context.len());
            context.push(Entry::Index)?;
        }
        let pred = tables.read_pred(&mut words)?;
        words.end()?;
        context.resolve_pred(&tables.store, pred)?;
        context.leave(level);
        return Ok(Entry::General(count, pred));
    }
    require(kind == "index" || kind == "tensor", "an unknown kind of entry")?;
    names.push(tables.labels[tables.read_label(&mut words)?].clone());
    if kind == "index" {
        words.end()?;
        return Ok(Entry::Index);
    }
    let element = tables.read_element(&mut words)?;
    let mut shape = Vec::new();
    while !words.is_at_end() {
        require(shape.len() < limits::RANK, "a tensor has more extents than the limits allow")?;
        shape.push(context.resolve(&tables.store, tables.read_ix(&mut words)?)?);
    }
    Ok(Entry::Tensor(Type { element, shape: tables.store.ixs(&shape)? }))
}
