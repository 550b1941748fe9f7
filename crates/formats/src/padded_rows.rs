//! Padded rows: levels that give each parent the same number of slots, and store the coordinate of each slot
//! in one array (`ell`, `hash`).
//!
//! A program does not know the slot of a coordinate: it scans all slots of the parent.

use crate::level::Expansion;
use crate::symbolic::{Declared, Fact, Found, Goal, Level};
use crate::{Dimensions, EntryPositions, Metadata};
use atl_kernel::{Ix, Pred, Scalar};

/// What an empty slot holds in place of a coordinate.
pub(crate) const NONE: i64 = -1;
/// The array, the only one of its level.
const COORDINATES: usize = 0;

/// How many slots a parent has: the parameter, or a size of its own.
fn width(level: &Level) -> Ix {
    level.parameters.first().map_or_else(|| level.length(0), |w| Ix::Lit(*w))
}

/// The array, by its name and type, and what is in it: coordinates, or [`NONE`].
pub(crate) fn declare(level: &Level, name: &str, scalar: Scalar) -> Declared {
    let positions = level.parents.clone() * width(level);
    Declared { arrays: vec![(name.to_owned(), scalar, positions.clone())], facts, positions, counted: &[] }
}

fn facts(level: &Level) -> Vec<Fact> {
    let slots = level.parents.clone() * width(level);
    vec![Fact::below("p", slots, |p| {
        let coordinate = level.read(COORDINATES, p);
        Pred::and(Pred::le(Ix::Lit(NONE), coordinate.clone()), Pred::lt(coordinate, level.size()))
    })]
}

/// A coordinate, where it is: among the parent's slots, in the one that holds it.
pub(crate) fn find(level: &Level, goal: &Goal<'_>) -> Found {
    let lo = goal.parent.clone() * width(level);
    let (array, wanted) = (level.arrays[COORDINATES], level.flatten(goal.coordinates));
    let is = move |p: &Ix| Pred::eq(wanted.clone(), Ix::Read(array, [p.clone()].into()));
    Found::Among(lo, width(level), Box::new(is))
}

/// The slots below these parents that hold a coordinate, in order.
pub(crate) fn expand(
    mut metadata: Metadata,
    width: usize,
    dimensions: &Dimensions,
    parents: &EntryPositions,
) -> Expansion {
    // Coordinates move to the front of the table's own memory, if its buckets are gone through in order.
    let in_place = parents.increase();
    let mut stored = std::mem::take(&mut metadata.arrays[COORDINATES]);
    if !in_place {
        let buckets = (0..parents.len()).map(|entry| parents.of(entry) * width);
        stored = buckets.flat_map(|start| &stored[start..start + width]).copied().collect();
    }
    let (mut counts, mut positions) = (Vec::with_capacity(parents.len()), Vec::new());
    let mut next = 0;
    for entry in 0..parents.len() {
        let (before, position) = (next, parents.of(entry) * width);
        let from = if in_place { position } else { entry * width };
        // Every slot is written, and stays if it holds a coordinate: which do, no processor foresees.
        positions.resize(before + width, 0);
        for slot in 0..width {
            let c = stored[from + slot];
            (positions[next], stored[next]) = (position + slot, c);
            next += usize::from(c != NONE);
        }
        counts.push(next - before);
    }
    positions.truncate(next);
    stored.truncate(next);
    // A table may be much larger than what it holds.
    positions.shrink_to_fit();
    stored.shrink_to_fit();
    let crd = match dimensions.arity() {
        1 => vec![stored],
        arity => {
            let mut columns = vec![Vec::with_capacity(next); arity];
            for coordinate in stored {
                let point = dimensions.unflatten(coordinate.into());
                columns.iter_mut().zip(point).for_each(|(column, c)| column.push(c));
            }
            columns
        }
    };
    Expansion { counts, positions: EntryPositions::List(positions), crd }
}

#[cfg(test)]
mod tests {
    use super::{NONE, expand};
    use crate::level::Expansion;
    use crate::{Dimensions, EntryPositions, Metadata};

    /// Expands a table of three parents with three slots each.
    fn check(parents: EntryPositions, positions: &[usize]) {
        let table = vec![4, NONE, 2, NONE, NONE, NONE, 7, 5, NONE];
        let of = |entry: usize| positions.iter().filter(|p| *p / 3 == parents.of(entry)).count();
        let repeats =
            |entry: usize| (0..parents.len()).filter(|e| parents.of(*e) == parents.of(entry)).count();
        let expected = Expansion {
            counts: (0..parents.len()).map(|entry| of(entry) / repeats(entry)).collect(),
            positions: EntryPositions::List(positions.to_vec()),
            crd: vec![positions.iter().map(|p| table[*p]).collect()],
        };
        let found = expand(Metadata::new(3, vec![table.clone()]), 3, &Dimensions::line(9), &parents);
        assert_eq!(found, expected, "{parents:?}");
    }

    #[test]
    fn slots_that_hold_a_coordinate_are_found_below_any_parents() {
        check(EntryPositions::Each(3), &[0, 2, 6, 7]);
        check(EntryPositions::List(vec![0, 2]), &[0, 2, 6, 7]);
        check(EntryPositions::List(vec![2]), &[6, 7]);
        check(EntryPositions::List(vec![2, 1, 0]), &[6, 7, 0, 2]);
        check(EntryPositions::List(vec![0, 0, 2]), &[0, 2, 0, 2, 6, 7]);
        check(EntryPositions::Root(1), &[0, 2]);
        check(EntryPositions::Root(2), &[0, 2, 0, 2]);
        check(EntryPositions::List(vec![]), &[]);
    }
}
