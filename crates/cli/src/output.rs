//! Where words go: results to standard output, everything else to standard error.
//!
//! A pipe that its reader has closed ends the command quietly. Diagnostics have colours on a terminal only.

use atl_diag::{Color, Diagnostic, SourceMap};
use atl_driver::Failure;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// How the command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done,
    /// The program or its data was refused.
    Refused,
    /// The command line was wrong.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::Usage => 2,
        })
    }
}

/// Why a command stops early.
pub(crate) enum Stop {
    /// A refusal, to be shown.
    Failed(Failure),
    /// Everything has been said.
    Said(Exit),
    /// Standard output cannot be written to.
    Output(io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Output(error)
    }
}

/// What a command yields.
pub(crate) type Result<T = ()> = std::result::Result<T, Stop>;

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The two streams.
pub(crate) struct Output {
    color: Color,
    /// Lines that are not said again.
    said: Vec<String>,
}

impl Output {
    /// Streams with colours as asked.
    pub(crate) fn new(when: When) -> Output {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let color = match when {
            When::Always => Color::Always,
            When::Auto if io::stderr().is_terminal() && !plain => Color::Always,
            When::Auto | When::Never => Color::Never,
        };
        Output { color, said: Vec::new() }
    }

    /// Text to standard output.
    pub(crate) fn print(&mut self, text: &str) -> Result {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// A line to standard error: what is not a result.
    pub(crate) fn remark(&mut self, line: &str) {
        // There is no stream left to complain on.
        let _ = writeln!(io::stderr().lock(), "{line}");
    }

    /// A line to standard error, unless it was there before.
    pub(crate) fn remark_once(&mut self, line: &str) {
        if !self.said.iter().any(|said| said == line) {
            self.remark(line);
            self.said.push(line.to_owned());
        }
    }

    /// A line about work under way, for a person who waits.
    pub(crate) fn progress(&mut self, line: &str) {
        if io::stderr().is_terminal() {
            self.remark(line);
        }
    }

    /// Diagnostics to standard error.
    pub(crate) fn diagnostics(&mut self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let _ = io::stderr().lock().write_all(diagnostic.render(sources, self.color).as_bytes());
        }
    }

    /// Ends a command.
    pub(crate) fn end(&mut self, result: Result) -> Exit {
        if let Some(note) = atl_driver::cache_note() {
            self.remark(&format!("note: {note}"));
            atl_driver::remove_own_cache();
        }
        match result {
            Ok(()) => Exit::Done,
            Err(Stop::Said(exit)) => exit,
            Err(Stop::Failed(failure)) => {
                self.diagnostics(&failure.sources, &failure.diagnostics);
                Exit::Refused
            }
            // The reader has seen enough.
            Err(Stop::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Exit::Done,
            Err(Stop::Output(error)) => {
                self.remark(&format!("error: standard output cannot be written to: {error}"));
                Exit::Refused
            }
        }
    }
}

/// Says that the machine, or a limit, gives no memory.
pub(crate) fn no_memory(what: &str) {
    let _ = writeln!(
        io::stderr().lock(),
        "error: {what}\n |\n = help: give the process more memory, as by `ulimit -v unlimited`"
    );
}

/// Asks for a report of a panic.
pub(crate) fn report_bug(what: &str) {
    let _ = writeln!(
        io::stderr().lock(),
        "atl has a bug: it stopped where it should have answered.\n\n    {}\n\n\
         Please report this with the command line, the program, and the version ({}).",
        what.replace('\n', "\n    "),
        env!("CARGO_PKG_VERSION")
    );
}
