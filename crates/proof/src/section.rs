//! Lines after the claim: those of loops, and the index terms, predicates and certificates that they name.

use crate::words::laws;
use crate::write::Writer;
use atl_kernel::{Cert, Ix, Laws, Pred};
use std::fmt::Write;

pub use crate::words::quoted;

/// The section about loops of a proof file, while it is written. Equal lines are written once, and lines of
/// the theorem are not written again.
pub struct Section {
    writer: Writer,
}

impl Section {
    /// After the theorem of a file that was [written](crate::write()).
    pub fn after(file: &str) -> Section {
        let theorem = file.rsplit_once("\nend ").map_or(file, |(theorem, _)| theorem);
        let mut writer = Writer::default();
        writer.out = format!("{theorem}\nloops\n");
        let tables = theorem.lines().skip_while(|line| *line != "proof").skip(1);
        for line in tables.take_while(|line| !line.starts_with('x') && !line.starts_with("claim ")) {
            writer.note(line);
        }
        Section { writer }
    }

    /// The name of the line of a letter with this text, new or known.
    pub fn line(&mut self, letter: char, text: String) -> String {
        self.writer.line(letter, text).to_string()
    }

    /// The line of an index term.
    pub fn ix(&mut self, ix: &Ix) -> String {
        self.writer.ix(ix).to_string()
    }

    /// The line of a predicate.
    pub fn pred(&mut self, p: &Pred) -> String {
        self.writer.pred(p).to_string()
    }

    /// The line of a certificate.
    pub fn cert(&mut self, cert: &Cert) -> String {
        self.writer.cert(cert).to_string()
    }

    /// The file, in which this statement is run, and this step says why; by these laws.
    pub fn file(self, statement: &str, step: &str, used: Laws) -> String {
        let mut out = self.writer.out;
        let _ = writeln!(out, "run {statement} {step} laws {}", laws(used));
        let lines = out.lines().count();
        let _ = writeln!(out, "end {lines}");
        out
    }
}
