//! A derivation for the terminal and for certificate files.

use super::{Condition, DiffLine, ExplainedStep, Explanation, Marked, Statement, near_changes};
use atl_session::display::counted;
use std::fmt::Write;

/// Of each kind of condition, so many are written out.
const MOST_CONDITIONS: usize = 6;
/// Of the places of a step, so many are written out.
const MOST_PLACES: usize = 4;
/// So many unchanged lines are printed beside a changed one.
const CONTEXT: usize = 1;

impl Explanation {
    /// The derivation as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        match &self.schedule {
            Some(schedule) => writeln!(out, "schedule {schedule} of {}\n", self.function)?,
            None => writeln!(out, "{} as it is written\n", self.function)?,
        }
        for line in &self.chosen {
            writeln!(out, "{line}")?;
        }
        if !self.chosen.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "source\n{}", indented(&self.source))?;
        for (number, step) in self.steps.iter().enumerate() {
            writeln!(out, "step {}, line {}:  {};", number + 1, step.line, step.directive)?;
            step.write(out)?;
            writeln!(out)?;
        }
        writeln!(out, "theorem  {}", self.conclusion())?;
        statement(out, &self.theorem, "    ")?;
        writeln!(out, "\nlowering  the loops are the translation of a normal form, which equals the source")?;
        statement(out, &self.lowering, "    ")?;
        if let Some(fused) = self.fused() {
            writeln!(out, "    code   {fused}")?;
        }
        writeln!(out, "\nshown of the normal form before any loop was made")?;
        self.obligations.iter().try_for_each(|group| {
            writeln!(out, "    {}: {}", group.kind, counted(group.places, "place"))?;
            conditions(out, &group.conditions)
        })?;
        if !self.carried.is_empty() {
            writeln!(out, "\nproved of the windows that are carried along loops")?;
        }
        self.carried.iter().try_for_each(|window| writeln!(out, "    {window}"))
    }
}

impl ExplainedStep {
    /// The step as text.
    pub fn to_text(&self) -> String {
        let mut out = format!("{};\n", self.directive);
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        if !self.equation.is_empty() {
            writeln!(out, "    by     {}", self.equation)?;
        }
        for (what, notes) in &self.notes {
            writeln!(out, "    {what:6} {notes}")?;
        }
        if !self.places.is_empty() {
            writeln!(out, "    where  {}", shortened(&self.places, MOST_PLACES, "; "))?;
        }
        statement(out, &self.theorem, "    ")?;
        if !self.conditions.is_empty() {
            writeln!(out, "    side conditions")?;
            conditions(out, &self.conditions)?;
        }
        self.changes().iter().try_for_each(|line| diff_line(out, line))
    }

    /// The theorem on one line.
    pub fn theorem_in_words(&self) -> String {
        let Statement { rounding, inferences, .. } = &self.theorem;
        let laws = self.theorem.laws_in_words();
        format!(
            "  proved: before ≡ after;  laws {laws};  rounding {rounding};  {}\n",
            counted(*inferences, "inference")
        )
    }

    /// The lines that it changed; of the others, those next to them.
    pub fn changed_lines(&self) -> String {
        let lines = self.changes();
        let near = near_changes(&lines, CONTEXT);
        let mut out = String::new();
        let mut skipping = false;
        for (at, line) in lines.iter().enumerate() {
            if near[at] {
                // Writing to a string cannot fail.
                let _ = diff_line(&mut out, line);
            } else if !skipping {
                out.push_str("      ...\n");
            }
            skipping = !near[at];
        }
        out
    }
}

/// A line of a difference; below it, strokes under what is new or gone in it.
fn diff_line(out: &mut String, marked: &Marked) -> std::fmt::Result {
    let sign = match &marked.line {
        DiffLine::Same(_) => ' ',
        DiffLine::Removed(_) => '-',
        DiffLine::Added(_) => '+',
    };
    let text = marked.line.text();
    writeln!(out, "    {sign} {text}")?;
    if !marked.is_partial() {
        return Ok(());
    }
    let is_in = |at: usize| marked.parts.iter().any(|part| part.contains(&at));
    let strokes: String = text.char_indices().map(|(at, _)| if is_in(at) { '~' } else { ' ' }).collect();
    writeln!(out, "      {}", strokes.trim_end())
}

/// The first of several, and how many more there are.
fn shortened(all: &[String], most: usize, separator: &str) -> String {
    let shown = all[..all.len().min(most)].join(separator);
    if all.len() > most { format!("{shown}{separator}and {} more", all.len() - most) } else { shown }
}

fn statement(out: &mut String, statement: &Statement, indent: &str) -> std::fmt::Result {
    writeln!(out, "{indent}laws   {};  rounding {}", statement.laws_in_words(), statement.rounding)?;
    let rules: Vec<String> = statement.rules.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    let (n, m) = (statement.inferences, statement.certificates);
    writeln!(out, "{indent}proof  {}, {}", counted(n, "inference"), counted(m, "certificate"))?;
    if rules.is_empty() { Ok(()) } else { writeln!(out, "{indent}rules  {}", rules.join(", ")) }
}

fn conditions(out: &mut String, conditions: &[Condition]) -> std::fmt::Result {
    for condition in conditions.iter().take(MOST_CONDITIONS) {
        writeln!(out, "        {}", condition.in_words())?;
    }
    match conditions.len().checked_sub(MOST_CONDITIONS) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(out, "        and {more} more"),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}
