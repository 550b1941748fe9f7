//! A derivation for the terminal and for certificate files.

use super::{DiffLine, Explanation, Shown, Statement};
use std::fmt::Write;

/// Of each kind of condition, so many are written out.
const MOST_CONDITIONS: usize = 6;

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
            if !step.equation.is_empty() {
                writeln!(out, "    by     {}", step.equation)?;
            }
            statement(out, &step.theorem, "    ")?;
            for line in step.changes() {
                match line {
                    DiffLine::Same(text) => writeln!(out, "      {text}")?,
                    DiffLine::Removed(text) => writeln!(out, "    - {text}")?,
                    DiffLine::Added(text) => writeln!(out, "    + {text}")?,
                }
            }
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
