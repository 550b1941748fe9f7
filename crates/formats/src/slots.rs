//! Levels in programs that give each parent equally many slots, and say in one array which coordinate is in each.
//!
//! Where in its parent's slots a coordinate is, a program does not know: it looks at all of them.

use crate::level::Expansion;
use crate::symbolic::{Declared, Fact, Found, Goal, Level};
use crate::{Grid, Metadata, Places};
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
pub(crate) fn expand(metadata: &Metadata, width: usize, grid: &Grid, parents: &Places) -> Expansion {
    let slots = &metadata.arrays[COORDINATES];
    let of = |entry: usize| parents.of(entry) * width..(parents.of(entry) + 1) * width;
    let counts: Vec<usize> =
        (0..parents.len()).map(|entry| slots[of(entry)].iter().filter(|c| **c != NONE).count()).collect();
    let total = counts.iter().sum();
    // Every slot is written, and stays if it holds a coordinate: which do, no processor foresees.
    let (mut positions, mut stored) = (vec![0usize; total + 1], vec![0i64; total + 1]);
    let mut next = 0;
    for bucket in (0..parents.len()).map(of) {
        for (position, c) in bucket.clone().zip(&slots[bucket]) {
            (positions[next], stored[next]) = (position, *c);
            next += usize::from(*c != NONE);
        }
    }
    positions.truncate(total);
    stored.truncate(total);
    let crd = match grid.arity() {
        1 => vec![stored],
        arity => {
            let mut columns = vec![Vec::with_capacity(total); arity];
            for coordinate in stored {
                let point = grid.unflatten(coordinate.into());
                columns.iter_mut().zip(point).for_each(|(column, c)| column.push(c));
            }
            columns
        }
    };
    Expansion { counts, positions: Places::List(positions), crd }
}
