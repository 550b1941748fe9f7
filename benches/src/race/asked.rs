//! A process that has somebody else's data and programs, and does what a line asks of it.
//!
//! One idea: nothing of another language runs while something else is timed. The process sleeps until a line
//! comes, does that once, and answers with a line: how many nanoseconds it took, or words.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Names the Python that has the others' libraries; the repository's own if it is not set.
const PYTHON: &str = "ATL_PEERS_PYTHON";

/// A waiting process. It ends when nothing can be asked any more.
pub(crate) struct Process {
    who: &'static str,
    child: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// The repository's folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Process {
    /// Starts a script of the folder `benches`, and gives what it says first. What is missing is printed.
    pub(crate) fn start(
        who: &'static str,
        script: &str,
        words: &[&OsStr],
    ) -> Result<Option<(Process, String)>, String> {
        let python = std::env::var_os(PYTHON).map_or_else(|| root().join(".venv/bin/python"), PathBuf::from);
        if !python.exists() {
            println!("  skipped: {who}, for there is no {PYTHON} and no .venv; see benches/README.md");
            return Ok(None);
        }
        let mut child = Command::new(&python)
            .arg(root().join("benches").join(script))
            .args(words)
            .env("OMP_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|why| format!("{}: {why}", python.display()))?;
        let ask = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("no answers")?);
        let mut process = Process { who, child, ask, answers };
        let said = process.answer()?;
        if let Some(why) = said.strip_prefix("skipped: ") {
            println!("  skipped: {who}: {why}");
            return Ok(None);
        }
        Ok(Some((process, said)))
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|why| format!("{} does not answer: {why}", self.who))?;
        match line.trim() {
            "" => Err(format!("{}'s process ended", self.who)),
            words => Ok(words.to_owned()),
        }
    }

    /// What it answers to a line.
    pub(crate) fn ask(&mut self, line: &str) -> Result<String, String> {
        let ask = self.ask.as_mut().ok_or("nobody to ask")?;
        writeln!(ask, "{line}").map_err(|why| format!("{} cannot be asked: {why}", self.who))?;
        self.answer()
    }

    /// How long it took to do what a line says.
    pub(crate) fn run(&mut self, line: &str) -> Result<Duration, String> {
        let nanoseconds = self.ask(line)?;
        let time = nanoseconds.parse().map(Duration::from_nanos);
        time.map_err(|_| format!("{} answered `{nanoseconds}`", self.who))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.ask = None;
        // It has nothing to save: whether it ends well does not matter.
        let _ = self.child.wait();
    }
}
