//! Pictures as text, as CuTe's `print_layout` has them.

use super::Picture;
use std::fmt::Write;

/// Wider pictures are left to files.
const MOST_COLUMNS: usize = 64;
/// So are higher ones.
const MOST_ROWS: usize = 128;

impl Picture {
    /// The grid as text; of a large one, the part that fits, with a line that says so.
    pub fn to_text(&self) -> String {
        let (rows, columns) = (self.rows.min(MOST_ROWS), self.columns.min(MOST_COLUMNS));
        let text = |row: usize, column: usize| {
            let cell = &self.cells[row * self.columns + column];
            cell.lines.join(" ")
        };
        let shown: Vec<Vec<String>> = (0..rows).map(|m| (0..columns).map(|n| text(m, n)).collect()).collect();
        let width = shown.iter().flatten().map(|text| text.chars().count()).chain([2]).max().unwrap_or(2);
        let left = rows.saturating_sub(1).to_string().len();
        let rule = format!("{:left$}  +{}\n", "", format!("{}+", "-".repeat(width + 2)).repeat(columns));
        let numbers: String = (0..columns).map(|n| format!("  {n:>width$} ")).collect();
        let mut out = format!("{:left$}  {}\n{rule}", "", numbers.trim_end());
        for (m, cells) in shown.iter().enumerate() {
            let cells: String = cells.iter().map(|text| format!(" {text:>width$} |")).collect();
            // Writing to a string does not fail.
            let _ = write!(out, "{m:>left$}  |{cells}\n{rule}");
        }
        if (rows, columns) != (self.rows, self.columns) {
            let _ = writeln!(
                out,
                "the first {rows} of {} rows, {columns} of {} columns",
                self.rows, self.columns
            );
        }
        out
    }
}
