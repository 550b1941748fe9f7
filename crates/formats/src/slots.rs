//! Levels in programs that give each parent equally many slots, and say in one array which coordinate is in each.
//!
//! Where in its parent's slots a coordinate is, a program does not know: it looks at all of them.

use crate::symbolic::{Declared, Fact, Found, Goal, Level};
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
