//! `why`: which sets of inputs suffice for a result.
//!
//! **Carrier.** Sets of sets of numbered inputs. **Zero, one.** No set; the empty set alone. **Addition.** Union.
//! **Multiplication.** The unions of a set of either.
//! **Laws.** An idempotent commutative semiring.

use crate::Arithmetic;
use atl_kernel::Laws;
use std::collections::BTreeSet;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Why;

impl Arithmetic for Why {
    type Element = BTreeSet<BTreeSet<u32>>;

    fn name(&self) -> String {
        "why".to_owned()
    }

    fn laws(&self) -> Laws {
        Laws::COMM_SEMIRING.and(Laws::ADD_IDEM)
    }

    fn zero(&self) -> Self::Element {
        BTreeSet::new()
    }

    fn one(&self) -> Self::Element {
        BTreeSet::from([BTreeSet::new()])
    }

    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        a | b
    }

    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        a.iter().flat_map(|x| b.iter().map(move |y| x | y)).collect()
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> Self::Element {
        let mut set = |size| (0..size).map(|_| below(4) as u32).collect();
        let sets = [set(0), set(1), set(2)];
        let wanted = below(8);
        sets.into_iter().enumerate().filter(|(k, _)| wanted >> k & 1 == 1).map(|(_, set)| set).collect()
    }
}
