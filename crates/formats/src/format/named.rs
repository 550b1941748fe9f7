//! The formats that have names.
//!
//! A name with parameters in parentheses is a format for each rank that the name is for. Other formats are
//! written as lists of levels.

use super::{Axis, Entry, Format, axis::MAX_RANK};
use crate::{Refusal, levels};

/// A format with a name.
#[derive(Debug)]
pub struct Named {
    /// The name.
    pub name: &'static str,
    /// What it is, in words.
    pub about: &'static str,
    /// The ranks that it is for.
    pub ranks: std::ops::RangeInclusive<usize>,
    /// The names of its parameters; the last ones may be left out if they have a question mark.
    pub parameters: &'static [&'static str],
    /// The levels at a rank, with parameters that are as many as they should be.
    levels: fn(usize, &[i64]) -> Vec<Entry>,
}

/// Every name, sorted.
pub static NAMES: &[Named] = &[
    Named {
        name: "bcsr",
        about: "compressed rows of dense blocks",
        ranks: 2..=2,
        parameters: &["rows", "columns"],
        levels: |_, p| {
            let mut entries = blocks(p);
            entries.insert(0, entry("dense", &[], &[block(0, p[0])]));
            entries.insert(1, entry("compressed", &[], &[block(1, p[1])]));
            entries
        },
    },
    Named {
        name: "bitmask",
        about: "dense, with a flag for each place of the last dimension",
        ranks: 1..=MAX_RANK,
        parameters: &[],
        levels: |rank, _| chain("dense", rank, "bitmask"),
    },
    Named {
        name: "coo",
        about: "a sorted list of coordinates",
        ranks: 1..=MAX_RANK,
        parameters: &[],
        levels: |rank, _| vec![entry("compressed", &[], &plain(rank))],
    },
    Named {
        name: "csb",
        about: "dense blocks, each a sorted list of coordinates",
        ranks: 2..=2,
        parameters: &["rows", "columns"],
        levels: |_, p| {
            vec![
                entry("dense", &[], &[block(0, p[0])]),
                entry("dense", &[], &[block(1, p[1])]),
                entry("compressed", &[], &[within(0, p[0]), within(1, p[1])]),
            ]
        },
    },
    Named {
        name: "csc",
        about: "compressed columns",
        ranks: 2..=2,
        parameters: &[],
        levels: |_, _| vec![entry("dense", &[], &[dim(1)]), entry("compressed", &[], &[dim(0)])],
    },
    Named {
        name: "csf",
        about: "compressed in every dimension",
        ranks: 1..=MAX_RANK,
        parameters: &[],
        levels: |rank, _| chain("compressed", rank, "compressed"),
    },
    Named {
        name: "csr",
        about: "compressed rows",
        ranks: 2..=2,
        parameters: &[],
        levels: |rank, _| chain("dense", rank, "compressed"),
    },
    Named {
        name: "dcsc",
        about: "compressed columns, of which empty ones are not stored",
        ranks: 2..=2,
        parameters: &[],
        levels: |_, _| vec![entry("compressed", &[], &[dim(1)]), entry("compressed", &[], &[dim(0)])],
    },
    Named {
        name: "dcsr",
        about: "compressed rows, of which empty ones are not stored",
        ranks: 2..=2,
        parameters: &[],
        levels: |rank, _| chain("compressed", rank, "compressed"),
    },
    Named {
        name: "dense",
        about: "every element",
        ranks: 0..=MAX_RANK,
        parameters: &[],
        levels: |rank, _| chain("dense", rank, "dense"),
    },
    Named {
        name: "dia",
        about: "the diagonals that are not zero",
        ranks: 2..=2,
        parameters: &[],
        levels: |_, _| {
            vec![
                entry("compressed", &[], &[Axis::Diagonal { row: 0, column: 1 }]),
                entry("dense", &[], &[Axis::Along { row: 0, column: 1 }]),
            ]
        },
    },
    Named {
        name: "ell",
        about: "rows of one width",
        ranks: 2..=2,
        parameters: &["width?"],
        levels: |_, p| vec![entry("dense", &[], &[dim(0)]), entry("ell", p, &[dim(1)])],
    },
    Named {
        name: "hash",
        about: "a hash table of coordinates",
        ranks: 1..=MAX_RANK,
        parameters: &["width?", "factor?", "shift?"],
        levels: |rank, p| vec![entry("hash", p, &plain(rank))],
    },
    Named {
        name: "mode_generic",
        about: "a sorted list of coordinates of the first and last dimension, with dense rows in between",
        ranks: 3..=3,
        parameters: &[],
        levels: |_, _| vec![entry("compressed", &[], &[dim(0), dim(2)]), entry("dense", &[], &[dim(1)])],
    },
];

/// The format with this name for tensors of a rank.
pub fn by_name(name: &str, parameters: &[i64], rank: usize) -> Result<Format, Refusal> {
    let Some(named) = NAMES.iter().find(|named| named.name == name) else {
        let names: Vec<&str> = NAMES.iter().map(|named| named.name).collect();
        let why = match levels::by_name(name) {
            Some(_) => format!(
                "`{name}` is a level, which stands in a list of levels, a level for each dimension: `[dense, {name}]`"
            ),
            None => format!("there is no format `{name}`; there are {}", names.join(", ")),
        };
        return Err(Refusal::Format { why });
    };
    if !named.ranks.contains(&rank) {
        let (low, high) = (named.ranks.start(), named.ranks.end());
        let expected = if low == high { format!("rank {low}") } else { format!("rank {low} to {high}") };
        return Err(Refusal::Rank { format: name.to_owned(), expected, found: rank });
    }
    let needed = named.parameters.iter().filter(|p| !p.ends_with('?')).count();
    if !(needed..=named.parameters.len()).contains(&parameters.len()) {
        let why = match named.parameters {
            [] => format!("`{name}` takes no parameters"),
            some => format!("`{name}` takes {}", some.join(", ").replace('?', " (or none)")),
        };
        return Err(Refusal::Format { why });
    }
    if needed > 0 && parameters.iter().any(|size| *size <= 0) {
        return Err(Refusal::Format { why: format!("the blocks of `{name}` are not empty") });
    }
    Format::try_new((named.levels)(rank, parameters))
}

fn entry(level: &str, parameters: &[i64], axes: &[Axis]) -> Entry {
    let kind = levels::by_name(level).expect("formats are made of levels that exist");
    Entry { kind, parameters: parameters.to_vec(), axes: axes.to_vec() }
}

/// A level for each dimension: of one kind, and the last one of another.
fn chain(first: &str, rank: usize, last: &str) -> Vec<Entry> {
    let kind = |d: usize| if d + 1 == rank { last } else { first };
    (0..rank).map(|d| entry(kind(d), &[], &[dim(d)])).collect()
}

fn dim(d: usize) -> Axis {
    Axis::Dimension(d)
}

fn plain(rank: usize) -> Vec<Axis> {
    (0..rank).map(Axis::Dimension).collect()
}

fn block(of: usize, size: i64) -> Axis {
    Axis::Block { of, size: size as usize }
}

fn within(of: usize, size: i64) -> Axis {
    Axis::Within { of, size: size as usize }
}

/// The dense levels of blocks.
fn blocks(p: &[i64]) -> Vec<Entry> {
    vec![entry("dense", &[], &[within(0, p[0])]), entry("dense", &[], &[within(1, p[1])])]
}
