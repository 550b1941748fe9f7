//! What hypotheses speak of, once for each.
//!
//! A context of a sparse program has a hundred hypotheses, of long terms, and every question goes over all of them. They are shared by
//! the contexts that grow from where they were made; so what was found is kept by the address, and with it the hypothesis, so that no
//! other has that address.

use crate::intern::Map;
use crate::memo::Wide;
use crate::rename::{Met, spoken, walk};
use atl_kernel::{Entry, Pred};
use std::cell::RefCell;
use std::sync::Arc;

/// How many are remembered; beyond that all are forgotten.
const CAPACITY: usize = 1 << 13;

/// What is known of a hypothesis.
#[derive(Clone)]
pub(crate) struct Said {
    /// A hash of what it says.
    pub(crate) hash: u128,
    /// The variables of the context that it speaks of, by level, each once.
    pub(crate) levels: Arc<[u32]>,
}

thread_local! {
    static KNOWN: RefCell<Map<usize, (Entry, Said)>> = RefCell::default();
}

impl Said {
    /// What is known of this entry; nothing where it is no hypothesis.
    pub(crate) fn by(entry: &Entry) -> Option<Said> {
        let (p, variables, address) = match entry {
            Entry::Hyp(p, _) => (p, 0, std::ptr::from_ref(entry.facts()?).addr()),
            Entry::All(labels, p) => (&**p, labels.len(), Arc::as_ptr(p).addr()),
            Entry::Index(_) | Entry::Tensor(..) => return None,
        };
        if let Some(known) = KNOWN.with_borrow(|known| known.get(&address).map(|(_, known)| known.clone())) {
            return Some(known);
        }
        let found = Said::of(p, variables);
        KNOWN.with_borrow_mut(|known| {
            if known.len() >= CAPACITY {
                known.clear();
            }
            known.insert(address, (entry.clone(), found.clone()));
        });
        Some(found)
    }

    fn of(p: &Pred, variables: usize) -> Said {
        let mut wide = Wide::default();
        wide.word(variables as u64);
        walk(p, &mut |met| match met {
            Met::Free(level) => wide.word(u64::from(level) | 1 << 40),
            Met::Other(n) => wide.word(n),
        });
        Said { hash: wide.number(), levels: spoken(|meet| walk(p, meet)).into() }
    }
}
