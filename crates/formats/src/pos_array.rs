//! The `pos` array of a level: the children of parent `q` are the positions from `pos[q]` to `pos[q + 1]`.

use crate::symbolic::{Fact, Level};
use atl_kernel::{Ix, Pred};

/// What is known of an array of running totals: `n + 1` of them, that never fall, from 0 to `total`.
pub(crate) fn facts(level: &Level, array: usize, n: &Ix, total: &Ix) -> Vec<Fact> {
    let at = |q: Ix| level.read(array, q);
    let within = |p: Ix| Pred::and(Pred::le(Ix::ZERO, p.clone()), Pred::le(p, total.clone()));
    vec![
        Fact::below("q", n.clone() + Ix::ONE, |q| within(at(q))),
        Fact::below("q", n.clone(), |q| Pred::le(at(q.clone()), at(q + Ix::ONE))),
    ]
}

/// The segment of a parent, or of whatever else is numbered so: its first, and one past its last.
pub(crate) fn bounds(level: &Level, array: usize, of: &Ix) -> (Ix, Ix) {
    (level.read(array, of.clone()), level.read(array, of.clone() + Ix::ONE))
}
