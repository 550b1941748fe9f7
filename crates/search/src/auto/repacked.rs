//! A copy of an operand whose entries stand in the other order, where that spares searches.
//!
//! **The one idea.** A row that is stored by columns is found by a search of each column, and there are
//! as many columns as the matrix has. A copy by rows costs the entries and the rows once. What each
//! script would do is counted roughly, with long extents and short rows, as `sparsify` compares the
//! orders of operands: the copy is made where it spares the loops over an extent, and nowhere else.

use crate::{Judge, Request};
use atl_schedule::{elements, repackable, trip_count};
use std::collections::BTreeSet;

/// What a script is called that makes a copy.
pub(super) const WORDS: &str = "; a copy of an operand, in the other order";

/// By how much more iterations the copy has to be worth it: rows may be longer than they are thought to
/// be.
const MARGIN: f64 = 20.0;

/// The most copies that are tried, one at a time.
const TRIED: usize = 6;

/// The steps that make a copy and iterate over what is stored, for a program that these steps make
/// without one; none where no copy pays.
pub(super) fn repacked(
    request: &Request<'_>,
    judge: &mut dyn Judge,
    sparse: &[String],
) -> Option<Vec<String>> {
    let (class, rest) = sparse.split_first()?;
    let sizes = request.named_sizes.values().map(|(name, _)| name.clone());
    let taken: BTreeSet<String> = request.names.values().cloned().chain(sizes).collect();
    let copies = repackable(request.body, &taken);
    if copies.is_empty() {
        return None;
    }
    let written = trip_count(&judge.derive(sparse).ok()?);
    // Without a loop over an extent in another one there is nothing to spare.
    if written < elements(2) {
        return None;
    }
    let mut best: Option<(f64, Vec<String>)> = None;
    for copy in copies.into_iter().take(TRIED) {
        let steps = [std::slice::from_ref(class), &[copy], rest].concat();
        let Ok(body) = judge.derive(&steps) else { continue };
        let count = trip_count(&body);
        if count * MARGIN < best.as_ref().map_or(written, |(least, _)| *least * MARGIN) {
            best = Some((count, steps));
        }
    }
    best.map(|(_, steps)| steps)
}

/// The names of the copies that these steps make.
pub(super) fn copies(steps: &[String]) -> Vec<&str> {
    let made = steps.iter().filter(|step| step.starts_with("repack "));
    made.filter_map(|step| Some(step.rsplit_once(" as ")?.1)).collect()
}
