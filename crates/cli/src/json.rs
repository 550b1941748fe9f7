//! Machine-readable output: what all commands with `--json` share.

use atl_diag::{Diagnostic, SourceMap};
use serde_json::Value;
use std::time::Duration;

/// The value on a line of its own.
pub(crate) fn json_line(value: &Value) -> String {
    format!("{value}\n")
}

/// Diagnostics in their own form.
pub(crate) fn diagnostics_json(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Value {
    diagnostics.iter().map(|diagnostic| diagnostic.to_json(sources)).collect()
}

/// A time in nanoseconds.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
