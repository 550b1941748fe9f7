//! Entries as a text has them, with their lines, so that a refusal of two of them can say where they stand.
//!
//! One idea: what is wrong with a single entry is known where it is read; what is wrong with two, only when
//! all are sorted. Until then each entry's line is remembered, at no cost where a line follows a line.

use super::super::Reason;
use super::super::refusal::{Fault, Place, Refusal};
use atl_runtime::{Arranged, Coordinates, CoordinatesError, Parts, Wish};

/// The entries of a text.
pub(super) struct Entries {
    pub(super) parts: Parts,
    /// How many of the entries stand in the text.
    pub(super) stored: usize,
    /// Of which of these the others are made, by symmetry.
    pub(super) mirrored: Vec<usize>,
    pub(super) lines: LineMap,
}

impl Entries {
    /// The entries in order. Their coordinates were compared with the extents as they were read.
    pub(super) fn arranged(self, wish: Wish) -> Result<Arranged, Reason> {
        let Entries { parts, stored, mirrored, lines } = self;
        let line = |entry: usize| match entry.checked_sub(stored) {
            None => lines.line(entry),
            Some(made) => mirrored.get(made).map_or(0, |&of| lines.line(of)),
        };
        Coordinates::in_range(parts).and_then(|coordinates| coordinates.arranged(wish)).map_err(|error| {
            match error {
                CoordinatesError::Duplicate { first, second, place } => {
                    let made = (first >= stored) != (second >= stored);
                    let (first, second) = (line(first).min(line(second)), line(first).max(line(second)));
                    let found = format!("a second entry at {}", in_text(&place));
                    let expected = format!("one, which is in line {first}");
                    let refusal = Refusal::new(Fault::Duplicate, Place::Line(second), found, expected);
                    let pair = "one of a pair stands for both, as the first line says; with both written it says `general`";
                    if made { refusal.hint(pair) } else { refusal }.into()
                }
                error => error.into(),
            }
        })
    }
}

/// A place as texts write it, counted from 1.
fn in_text(place: &[usize]) -> String {
    let crds: Vec<String> = place.iter().map(|crd| (crd + 1).to_string()).collect();
    format!("({})", crds.join(", "))
}

/// In which line each entry stands: only where entries and lines do not go on together is written down.
#[derive(Default)]
pub(super) struct LineMap(Vec<(usize, u64)>);

impl LineMap {
    /// The entry stands in this line; entries come in order.
    pub(super) fn push(&mut self, entry: usize, line: u64) {
        let follows = self.0.last().is_some_and(|&(first, at)| line - at == (entry - first) as u64);
        if !follows {
            self.0.push((entry, line));
        }
    }

    /// The line of an entry.
    pub(super) fn line(&self, entry: usize) -> u64 {
        let after = self.0.partition_point(|&(first, _)| first <= entry);
        match after.checked_sub(1).and_then(|at| self.0.get(at)) {
            Some(&(first, line)) => line + (entry - first) as u64,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_entries_are_found() {
        let lines = [3, 4, 5, 9, 10, 12, 13];
        let mut map = LineMap::default();
        for (entry, line) in lines.into_iter().enumerate() {
            map.push(entry, line);
        }
        assert_eq!(map.0.len(), 3);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|entry| map.line(entry)), lines);
    }
}
