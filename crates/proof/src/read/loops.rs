//! The section about loops. The kernel knows nothing of loops, so their lines are counted, and what they
//! say is left to a checker that replays them.

use super::tables::Reader;
use super::{Lines, numbered};
use crate::words::{Read, Words};
use std::collections::{HashMap, HashSet};

/// The letters of lines about loops, and of those that may stand between.
const LOOPS: &str = "bvwrh";
const BETWEEN: &str = "ipc";

/// Read the section, if there is one.
pub(super) fn section<'a>(
    lines: &mut Lines<'a>,
    reader: &mut Reader,
    seen: &mut HashSet<(char, &'a str)>,
) -> Read<bool> {
    if !lines.rest.starts_with("loops\n") {
        return Ok(false);
    }
    lines.exactly("loops")?;
    let mut counts: HashMap<char, usize> = HashMap::new();
    loop {
        let line = lines.next()?;
        let (name, content) = line.split_once(' ').ok_or("a line of a table is wanted here")?;
        if content.split(' ').any(str::is_empty) {
            return Err("words are separated by one space".to_owned());
        }
        if name == "run" {
            return Ok(true);
        }
        let letter = name.chars().next().ok_or("a line starts with a word")?;
        if !seen.insert((letter, content)) {
            return Err(format!("an earlier line `{letter}` is the same"));
        }
        if LOOPS.contains(letter) {
            let count = counts.entry(letter).or_default();
            numbered(name, letter, *count)?;
            *count += 1;
        } else if BETWEEN.contains(letter) {
            numbered(name, letter, reader.known(letter))?;
            reader.line(letter, &mut Words::of(content))?;
        } else {
            return Err(format!("a line `{letter}` does not stand among loops"));
        }
    }
}
