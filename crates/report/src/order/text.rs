//! Orders as grids of numbers.

use super::{Numbering, Order, Picture, Slice};
use std::fmt::Write;

/// Rows of more letters than this are cut,
const MOST_LETTERS: usize = 110;
/// and so many rows of a grid are printed.
const MOST_ROWS: usize = 40;

impl Order {
    /// Every picture, with a heading each.
    pub fn to_text(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
        let with = if sizes.is_empty() { String::new() } else { format!(", {}", sizes.join(", ")) };
        let mut out = format!("the order of stores{with}\n");
        for picture in &self.pictures {
            let _ = writeln!(out, "\n{}", picture.heading());
            if picture.is_drawn() {
                out.push_str(&picture.to_text(Numbering::Compute));
            }
        }
        out
    }
}

impl Picture {
    /// The numbers as a grid, slices one below the other; `.` for a cell that is not stored to.
    pub fn to_text(&self, numbering: Numbering) -> String {
        let width = self.cells().saturating_sub(1).to_string().len();
        self.slices().iter().map(|slice| self.grid(slice, width, numbering)).collect()
    }

    fn grid(&self, slice: &Slice, width: usize, numbering: Numbering) -> String {
        let mut out = String::new();
        if !slice.index.is_empty() {
            let index: Vec<String> = slice.index.iter().map(usize::to_string).collect();
            let _ = writeln!(out, "  at [{}, _, _]", index.join(", "));
        }
        let columns = slice.columns.min(MOST_LETTERS / (width + 1));
        for row in 0..slice.rows.min(MOST_ROWS) {
            out.push(' ');
            for column in 0..columns {
                let number = self.number(slice.first + row * slice.columns + column, numbering);
                let number = number.map_or(".".to_owned(), |n| n.to_string());
                let _ = write!(out, " {number:>width$}");
            }
            out.push_str(if slice.columns > columns { " …\n" } else { "\n" });
        }
        if slice.rows > MOST_ROWS {
            out.push_str("  …\n");
        }
        out
    }
}
