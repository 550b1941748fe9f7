//! Arrays of running totals: `0 = s[0] <= s[1] <= … <= s[n]`, of which two neighbours bound one segment.

use crate::{Damage, Metadata};

/// Checks that an array has `count + 1` totals that start at 0, never fall and end at `last`. It must come
/// before whatever slices by them.
pub(crate) fn check(
    level: &'static str,
    name: &str,
    totals: &[i64],
    count: usize,
    last: Option<usize>,
) -> Result<(), Damage> {
    if Some(totals.len()) != count.checked_add(1) {
        let expected = format!("{}, one more than segments", count as i128 + 1);
        return Err(Damage::length(level, name, totals.len(), expected));
    }
    if totals[0] != 0 {
        return Err(Damage::entry(level, name, 0, totals[0], "0"));
    }
    for (at, pair) in totals.windows(2).enumerate() {
        if pair[1] < pair[0] {
            return Err(Damage::entry(level, name, at + 1, pair[1], format!("at least {}", pair[0])));
        }
    }
    match last {
        Some(last) if totals[count] as i128 != last as i128 => {
            let expected = format!("{last}, as many as there are entries");
            Err(Damage::entry(level, name, count, totals[count], expected))
        }
        _ => Ok(()),
    }
}

/// Appends totals: those of the right, without its first, each shifted by the left's last.
pub(crate) fn append(left: &mut Vec<i64>, right: &[i64]) {
    let shift = left[left.len() - 1];
    left.extend(right[1..].iter().map(|total| total + shift));
}

/// The segment of the totals in an array that an entry belongs to.
pub(crate) fn segment_of(metadata: &Metadata, array: usize, at: usize) -> usize {
    metadata.arrays[array].partition_point(|total| *total as usize <= at) - 1
}
