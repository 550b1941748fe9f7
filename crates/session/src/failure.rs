//! What a refusal looks like to a caller: diagnostics with the sources they point into.

use atl_diag::{Color, Diagnostic, SourceMap};
use std::fmt;
use std::sync::Arc;

/// One or more diagnostics, at least one of them an error. Displays as on a terminal without colours.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The texts that the diagnostics point into.
    pub sources: Arc<SourceMap>,
    /// What was refused, and remarks.
    pub diagnostics: Vec<Diagnostic>,
}

impl Failure {
    /// A failure of one diagnostic.
    pub fn new(sources: &Arc<SourceMap>, diagnostic: impl Into<Box<Diagnostic>>) -> Failure {
        Failure { sources: sources.clone(), diagnostics: vec![*diagnostic.into()] }
    }

    /// As text.
    pub fn render(&self, color: Color) -> String {
        let parts: Vec<String> = self.diagnostics.iter().map(|d| d.render(&self.sources, color)).collect();
        parts.join("\n")
    }

    /// The codes, in order.
    pub fn codes(&self) -> Vec<String> {
        self.diagnostics.iter().map(|d| d.code.to_string()).collect()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Color::Never))
    }
}

impl std::error::Error for Failure {}
