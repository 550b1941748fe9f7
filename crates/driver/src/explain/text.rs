//! A derivation for the terminal and for certificate files.

use super::{DiffLine, ExplainedStep, Explanation, Shown, Statement};
use std::fmt::Write;

/// Of each kind of condition, so many are written out.
const MOST_CONDITIONS: usize = 6;
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
        writeln!(out, "\nshown of the normal form before any loop was made")?;
        self.obligations.iter().try_for_each(|group| conditions(out, group))
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
        statement(out, &self.theorem, "    ")?;
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
        let changed = |at: usize| lines.get(at).is_some_and(|line| !matches!(line, DiffLine::Same(_)));
        let near = |at: usize| (at.saturating_sub(CONTEXT)..=at + CONTEXT).any(changed);
        let mut out = String::new();
        let mut skipping = false;
        for (at, line) in lines.iter().enumerate() {
            if near(at) {
                // Writing to a string cannot fail.
                let _ = diff_line(&mut out, line);
            } else if !skipping {
                out.push_str("      ...\n");
            }
            skipping = !near(at);
        }
        out
    }
}

fn diff_line(out: &mut String, line: &DiffLine) -> std::fmt::Result {
    match line {
        DiffLine::Same(text) => writeln!(out, "      {text}"),
        DiffLine::Removed(text) => writeln!(out, "    - {text}"),
        DiffLine::Added(text) => writeln!(out, "    + {text}"),
    }
}

fn statement(out: &mut String, statement: &Statement, indent: &str) -> std::fmt::Result {
    writeln!(out, "{indent}laws   {};  rounding {}", statement.laws_in_words(), statement.rounding)?;
    let rules: Vec<String> = statement.rules.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    let (n, m) = (statement.inferences, statement.certificates);
    writeln!(out, "{indent}proof  {}, {}", counted(n, "inference"), counted(m, "certificate"))?;
    if rules.is_empty() { Ok(()) } else { writeln!(out, "{indent}rules  {}", rules.join(", ")) }
}

fn conditions(out: &mut String, group: &Shown) -> std::fmt::Result {
    writeln!(out, "    {}: {}", group.kind, counted(group.places, "place"))?;
    for condition in group.conditions.iter().take(MOST_CONDITIONS) {
        writeln!(out, "        {condition}")?;
    }
    match group.conditions.len().checked_sub(MOST_CONDITIONS) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(out, "        and {more} more"),
    }
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}
