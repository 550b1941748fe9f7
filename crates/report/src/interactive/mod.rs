//! Deriving a schedule step by step: the state of a prompt, without the prompt.
//!
//! **The one idea.** The state is a script. A line that is added makes a longer script, and that is derived;
//! if it is refused, the state is what it was. So a saved script has the theorem that was seen, and undoing
//! is taking a line off. [`Interactive::rules`] and [`Interactive::sites`] say what could be done next,
//! [`Interactive::complete`] which words could come next. Nothing here reads or prints; the command line
//! does.

mod candidates;
mod complete;
mod save;

pub use candidates::{Applicable, Site};

use crate::explain::{ExplainedStep, Statement};
use crate::show::{Notation, Stage, show_scheduled};
use atl_diag::{FileId, SourceMap};
use atl_lang::Function;
use atl_schedule::Applied;
use atl_session::Failure;
use atl_session::Program;
use atl_session::Scheduled;
use atl_syntax::{TokenKind, lex};
use std::cell::OnceCell;
use std::sync::Arc;

/// The name of the script while it has none.
const DRAFT: &str = "draft";

/// A derivation under way.
pub struct Interactive {
    program: Program,
    function: Function,
    /// What has been derived, the newest last; the first has no steps.
    done: Vec<State>,
    /// What was undone, the newest last.
    undone: Vec<State>,
    /// The names under which scripts were saved.
    saved: Vec<String>,
}

/// A script and what it derives.
struct State {
    /// A line that was typed, each with a `;` at its end.
    lines: Vec<String>,
    /// What led here from the state before, on one line.
    entry: String,
    scheduled: Scheduled,
    /// The rules that apply, once they were asked for.
    applicable: OnceCell<Vec<Applicable>>,
}

impl State {
    fn new(lines: Vec<String>, entry: String, scheduled: Scheduled) -> State {
        State { lines, entry, scheduled, applicable: OnceCell::new() }
    }
}

impl Interactive {
    /// Begin with a function as it is written.
    ///
    /// # Errors
    /// There is no such function, or it is not safe.
    pub fn new(program: Program, function: Option<&str>) -> Result<Interactive, Failure> {
        let function = program.function(function, None)?.clone();
        let scheduled = program.scheduled(&function.name, None)?;
        let first = State::new(Vec::new(), String::new(), scheduled);
        Ok(Interactive { program, function, done: vec![first], undone: Vec::new(), saved: Vec::new() })
    }

    fn state(&self) -> &State {
        // Undoing leaves the first.
        &self.done[self.done.len() - 1]
    }

    /// The function.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The lines of the script.
    pub fn lines(&self) -> &[String] {
        &self.state().lines
    }

    /// What has been derived.
    pub fn scheduled(&self) -> &Scheduled {
        &self.state().scheduled
    }

    /// What `function as written = function as it stands` relies on.
    pub fn theorem(&self) -> Statement {
        self.scheduled().theorem().map_or_else(Statement::trivial, Statement::of)
    }

    /// The script as a schedule with this name, in the layout of the formatter.
    pub fn script(&self, name: &str) -> String {
        script(name, &self.function.name, self.lines())
    }

    /// Carry out a line of one or more steps; what they proved.
    ///
    /// # Errors
    /// The line is no steps, or one was refused; then the state is as before.
    pub fn apply(&mut self, line: &str) -> Result<Vec<ExplainedStep>, Failure> {
        let line = terminated(line);
        parse_steps(&line)?;
        let mut lines = self.lines().to_vec();
        let entry = line.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.push(line);
        self.enter(lines, entry)
    }

    /// Replace the script by that of a schedule of the program; undoing takes all of it back.
    ///
    /// # Errors
    /// There is no such schedule of the function, or it is refused.
    pub fn load(&mut self, name: &str) -> Result<Vec<ExplainedStep>, Failure> {
        let schedule = self.program.schedule(&self.function, name)?;
        let text = |step: &atl_syntax::ast::Step| terminated(self.program.sources().slice(step.span));
        let lines: Vec<String> = schedule.steps.iter().map(text).collect();
        self.enter(lines, format!(":load {name}"))
    }

    /// Derive a script, and make it the state; the steps by which it is longer than the state before.
    fn enter(&mut self, lines: Vec<String>, entry: String) -> Result<Vec<ExplainedStep>, Failure> {
        let common =
            self.lines().iter().zip(&lines).take_while(|(a, b)| a == b).count() == self.lines().len();
        let known = if common { steps(self.scheduled()).len() } else { 0 };
        let scheduled = self.derive(&lines)?;
        let new = steps(&scheduled).iter().skip(known);
        let explained = new.map(|step| ExplainedStep::of(&scheduled, step)).collect();
        self.done.push(State::new(lines, entry, scheduled));
        self.undone.clear();
        Ok(explained)
    }

    fn derive(&self, lines: &[String]) -> Result<Scheduled, Failure> {
        let text = script(DRAFT, &self.function.name, lines);
        self.program.scripted(&self.function, "the script", &text)
    }

    /// Take the last line off, or the whole schedule that was loaded; what it was, if there was anything.
    pub fn undo(&mut self) -> Option<String> {
        if self.done.len() == 1 {
            return None;
        }
        let state = self.done.pop()?;
        let entry = state.entry.clone();
        self.undone.push(state);
        Some(entry)
    }

    /// Carry out again what was undone last; it, if there was anything.
    pub fn redo(&mut self) -> Option<String> {
        let state = self.undone.pop()?;
        let entry = state.entry.clone();
        self.done.push(state);
        Some(entry)
    }

    /// The function as it stands, at a stage.
    ///
    /// # Errors
    /// It cannot be lowered.
    pub fn show(&self, stage: Stage) -> Result<String, Failure> {
        show_scheduled(self.scheduled(), stage, Notation::Ascii, &[])
    }

    /// The last step of the script.
    pub fn last_step(&self) -> Option<ExplainedStep> {
        let scheduled = self.scheduled();
        steps(scheduled).last().map(|step| ExplainedStep::of(scheduled, step))
    }

    /// Is this text as much as a line can be, or are brackets of it still open?
    pub fn is_complete(text: &str) -> bool {
        let depth = |depth: i32, kind: TokenKind| match kind {
            TokenKind::OpenBrace | TokenKind::OpenParen | TokenKind::OpenBracket => depth + 1,
            TokenKind::CloseBrace | TokenKind::CloseParen | TokenKind::CloseBracket => depth - 1,
            _ => depth,
        };
        lex(FileId(0), text).0.iter().map(|token| token.kind).fold(0, depth) <= 0
    }
}

/// A line with a `;` at its end.
fn terminated(line: &str) -> String {
    let line = line.trim().trim_end_matches(';').trim_end();
    if line.ends_with('}') { line.to_owned() } else { format!("{line};") }
}

/// Is this a list of steps?
fn parse_steps(line: &str) -> Result<(), Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add("the line", line);
    match atl_syntax::parse_steps(file, line).into_result() {
        Ok(_) => Ok(()),
        Err(diagnostics) => Err(Failure { sources: Arc::new(sources), diagnostics }),
    }
}

fn script(name: &str, function: &str, lines: &[String]) -> String {
    let text = format!("schedule {name} of {function} {{\n{}\n}}\n", lines.join("\n"));
    atl_syntax::format(FileId(0), &text).unwrap_or(text)
}

fn steps(scheduled: &Scheduled) -> &[Applied] {
    scheduled.derivation.as_ref().map_or(&[], |derivation| &derivation.steps)
}

#[cfg(test)]
mod tests;
