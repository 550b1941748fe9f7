//! `paths`: the cost of a shortest path, and a path that has it.
//!
//! **Carrier.** No path, or a cost and a word, the edges' names in order. A cost beyond the largest number is no path.
//! **Zero, one.** No path; the path of no edges. **Addition.** The path of lower cost; of equal ones the shorter word; of
//! equally long ones the lexicographically smaller. **Multiplication.** One path after the other.
//! **Laws.** An idempotent semiring. Words of different length must be compared by length first: `a` stands before `ab` in a
//! dictionary, but `ac` after `abc`, so with that order products would not distribute.

use crate::{Arithmetic, SEMIRING};
use atl_kernel::Laws;
use std::cmp::Ordering;

/// A path. Greater is worse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The sum of its edges' costs.
    pub cost: u64,
    /// Its edges' names.
    pub word: Vec<u32>,
}

impl Ord for Path {
    fn cmp(&self, other: &Path) -> Ordering {
        let key = |path: &Path| (path.cost, path.word.len());
        key(self).cmp(&key(other)).then_with(|| self.word.cmp(&other.word))
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Path) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Paths;

impl Arithmetic for Paths {
    type Element = Option<Path>;

    fn name(&self) -> String {
        "paths".to_owned()
    }

    fn laws(&self) -> Laws {
        SEMIRING.and(Laws::ADD_IDEM)
    }

    fn zero(&self) -> Option<Path> {
        None
    }

    fn one(&self) -> Option<Path> {
        Some(Path { cost: 0, word: Vec::new() })
    }

    fn add(&self, a: &Option<Path>, b: &Option<Path>) -> Option<Path> {
        a.iter().chain(b).min().cloned()
    }

    fn mul(&self, a: &Option<Path>, b: &Option<Path>) -> Option<Path> {
        let (a, b) = (a.as_ref()?, b.as_ref()?);
        Some(Path { cost: a.cost.checked_add(b.cost)?, word: [&a.word[..], &b.word].concat() })
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> Option<Path> {
        let cost = [0, 1, 1, 2, u64::MAX - 1][below(6).checked_sub(1)?];
        let word = (0..below(3)).map(|_| below(3) as u32).collect();
        Some(Path { cost, word })
    }
}
