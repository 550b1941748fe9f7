//! A certificate in a part of a context, as one in the whole.
//!
//! The kernel numbers the facts of hypotheses in the order of a context, then those of the denied goal, then what is derived. A part
//! has fewer, in another order, and its variables have other levels; what follows from them follows in the same steps.

use crate::relevant::Place;
use crate::rename::Renaming;
use crate::renumber::{Count, Renumber};
use atl_kernel::{Cert, Ctx, Entry, Ix, Pred};

/// The certificate in the whole context, of a part that has these of its entries; none where one of them is not there.
pub(crate) fn transferred(cert: &Cert, part: &[Place], whole: &Ctx) -> Option<Cert> {
    let (mut starts, mut end, mut general) = (Vec::new(), Count::default(), 0);
    for entry in whole.entries() {
        starts.push((end, general));
        let known =
            entry.facts().map(|known| Count { facts: known.polys.len(), pending: known.pending.len() });
        end = end.and(known.unwrap_or_default());
        general += usize::from(matches!(entry, Entry::All(..)));
    }
    let mut there = Transfer { end, ..Transfer::default() };
    for (k, place) in (0..).zip(part) {
        there.renamed.set(k, place.level);
        let (mut start, general) = *starts.get(place.level as usize)?;
        match (whole.entry(place.level)?, place.piece()) {
            (Entry::All(..), _) => there.general.push(general),
            (Entry::Hyp(..), Some(piece)) => {
                for before in place.before() {
                    start = start.and(before.count?);
                }
                let after = start.and(piece.count?);
                there.facts.extend(start.facts..after.facts);
                there.pending.extend(start.pending..after.pending);
            }
            _ => {}
        }
    }
    Some(there.cert(cert))
}

/// Where things of a part are in the whole.
#[derive(Default)]
struct Transfer {
    facts: Vec<usize>,
    pending: Vec<usize>,
    general: Vec<usize>,
    renamed: Renaming,
    /// What all hypotheses of the whole make.
    end: Count,
}

impl Renumber for Transfer {
    fn fact(&self, k: usize) -> usize {
        self.facts.get(k).copied().unwrap_or_else(|| k - self.facts.len() + self.end.facts)
    }

    fn pending(&self, k: usize) -> usize {
        self.pending.get(k).copied().unwrap_or_else(|| k - self.pending.len() + self.end.pending)
    }

    fn general(&self, k: usize) -> usize {
        self.general.get(k).copied().unwrap_or(usize::MAX)
    }

    fn ix(&self, ix: &Ix) -> Ix {
        self.renamed.ix(ix)
    }

    fn pred(&self, p: &Pred) -> Pred {
        self.renamed.pred(p)
    }
}
