//! How large index terms and predicates are, as trees.
//!
//! They share their parts, but what walks them walks trees, and what is printed of them is text. Counting takes one visit a
//! shared part; the count saturates.

use crate::intern::Map;
use atl_kernel::{Ix, Pred};
use std::sync::Arc;

/// The number of nodes of an index term, what is shared counted wherever it is read.
pub fn nodes(ix: &Ix) -> u64 {
    Sizes::default().ix(ix)
}

/// Counts that were made, by the address of a shared part. The terms that are counted must outlive it.
#[derive(Default)]
pub struct Sizes {
    ixs: Map<*const (Ix, Ix), u64>,
}

impl Sizes {
    /// The number of nodes of an index term.
    pub fn ix(&mut self, ix: &Ix) -> u64 {
        match ix {
            Ix::Lit(_) | Ix::Var(_) => 1,
            Ix::Read(_, at) => at.iter().fold(1, |sum: u64, i| sum.saturating_add(self.ix(i))),
            Ix::Bin(_, ab) if Arc::strong_count(ab) == 1 => self.both(ab),
            Ix::Bin(_, ab) => {
                let key = Arc::as_ptr(ab);
                if let Some(known) = self.ixs.get(&key) {
                    return *known;
                }
                let all = self.both(ab);
                self.ixs.insert(key, all);
                all
            }
        }
    }

    fn both(&mut self, (a, b): &(Ix, Ix)) -> u64 {
        self.ix(a).saturating_add(self.ix(b)).saturating_add(1)
    }

    /// The number of nodes of a predicate, its index terms included.
    pub fn pred(&mut self, p: &Pred) -> u64 {
        match p {
            Pred::True | Pred::False => 1,
            Pred::Cmp(_, a, b) => self.ix(a).saturating_add(self.ix(b)).saturating_add(1),
            Pred::Not(p) => self.pred(p).saturating_add(1),
            Pred::And(ab) | Pred::Or(ab) => {
                self.pred(&ab.0).saturating_add(self.pred(&ab.1)).saturating_add(1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_count_each_time_they_stand() {
        let mut ix = Ix::free(0);
        assert_eq!(nodes(&ix), 1);
        for level in 1..=20 {
            ix = Ix::min(ix.clone(), ix);
            assert_eq!(nodes(&ix), (2 << level) - 1);
        }
        for _ in 0..50 {
            ix = Ix::max(ix.clone() + Ix::ONE, ix);
        }
        assert_eq!(nodes(&ix), u64::MAX);
        assert_eq!(Sizes::default().pred(&Pred::not(Pred::lt(Ix::free(0), Ix::ONE))), 4);
    }
}
