//! Lines: from a terminal with editing, history and completion, or plainly from a pipe.

use super::commands;
use crate::commands::refuse;
use crate::output::{Output, Result, Stop};
use atl_diag::err;
use atl_driver::interactive::Interactive;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal};
use std::rc::Rc;

/// What stands before a line.
const PROMPT: &str = "atl> ";

/// Where lines come from.
pub(super) enum Input {
    Terminal(Box<Editor<Words, DefaultHistory>>),
    Pipe,
}

impl Input {
    /// A terminal with completion if there is one on both ends.
    pub(super) fn new(session: &Rc<RefCell<Interactive>>, out: &mut Output) -> Input {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Input::Pipe;
        }
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
        match Editor::with_config(config) {
            Ok(mut editor) => {
                editor.set_helper(Some(Words(session.clone())));
                Input::Terminal(Box::new(editor))
            }
            Err(why) => {
                out.remark(&format!("note: lines cannot be edited here: {why}"));
                Input::Pipe
            }
        }
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Input::Terminal(_))
    }

    /// The next line; none at the end. Lines of which brackets are open are joined.
    pub(super) fn line(&mut self, out: &mut Output) -> Result<Option<String>> {
        match self {
            Input::Terminal(editor) => match editor.readline(PROMPT) {
                Ok(line) => Ok(Some(line)),
                Err(ReadlineError::Eof) => Ok(None),
                // The line is given up, not the derivation.
                Err(ReadlineError::Interrupted) => Ok(Some(String::new())),
                Err(why) => Err(unreadable(&why)),
            },
            Input::Pipe => {
                let line = piped()?;
                if let Some(line) = &line {
                    out.print(&format!("{PROMPT}{line}\n"))?;
                }
                Ok(line)
            }
        }
    }
}

/// Reads lines from standard input until brackets are closed.
fn piped() -> Result<Option<String>> {
    let mut text = String::new();
    let mut lines = io::stdin().lock().lines();
    loop {
        match lines.next().transpose().map_err(|why| unreadable(&why))? {
            None if text.is_empty() => return Ok(None),
            None => return Ok(Some(text)),
            Some(line) => {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(line.trim_end());
            }
        }
        if Interactive::is_complete(&text) {
            return Ok(Some(text));
        }
    }
}

/// What follows is not known, so the session ends.
fn unreadable(why: &dyn Display) -> Stop {
    refuse(err!(E0623, "standard input cannot be read: {why}").help("give lines of UTF-8"))
}

/// Completes words from the derivation, and asks for more lines while brackets are open.
pub(super) struct Words(Rc<RefCell<Interactive>>);

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..position).unwrap_or(line);
        Ok(match before.starts_with(':') && !before.contains(char::is_whitespace) {
            true => {
                (0, commands::names().filter(|name| name.starts_with(before)).map(String::from).collect())
            }
            false => self.0.borrow().complete(line, position),
        })
    }
}

impl Validator for Words {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match Interactive::is_complete(context.input()) {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Helper for Words {}
