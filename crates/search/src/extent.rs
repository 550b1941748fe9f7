//! How often loops run at the sizes at hand, and what a script has to promise so that it is a number.

use atl_kernel::{Ix, Var, eval_op};
use std::collections::{BTreeMap, BTreeSet};

/// The names and values of the sizes, by their levels.
pub type Sizes = BTreeMap<u32, (String, i64)>;

/// How often a loop runs, or how many rows a tensor has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// So often.
    Literal(i64),
    /// As often as a size says, which now is this.
    Size(String, i64),
    /// What is computed from sizes is now this, unless it depends on more than sizes.
    Computed(Option<i64>),
}

impl Extent {
    pub(crate) fn of(ix: &Ix, sizes: &Sizes) -> Extent {
        match ix {
            Ix::Lit(n) => Extent::Literal(*n),
            Ix::Var(Var::Free(level)) if sizes.contains_key(level) => {
                let (name, n) = &sizes[level];
                Extent::Size(name.clone(), *n)
            }
            _ => Extent::Computed(value(ix, sizes)),
        }
    }

    /// The number at the sizes at hand.
    pub(crate) fn value(&self) -> Option<i64> {
        match self {
            Extent::Literal(n) | Extent::Size(_, n) => Some(*n),
            Extent::Computed(n) => *n,
        }
    }

    /// The number, if it is the same at all sizes.
    pub(crate) fn literal(&self) -> Option<i64> {
        match self {
            Extent::Literal(n) => Some(*n),
            Extent::Size(..) | Extent::Computed(_) => None,
        }
    }

    /// The number, if it is one or a script can promise it.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Extent::Literal(n) | Extent::Size(_, n) => Some(*n),
            Extent::Computed(_) => None,
        }
    }

    /// The same; what has to be promised is noted.
    pub(crate) fn promised(&self, promises: &mut BTreeSet<(String, i64)>) -> Option<i64> {
        if let Extent::Size(name, n) = self {
            promises.insert((name.clone(), *n));
        }
        self.number()
    }
}

/// The steps that promise sizes.
pub(crate) fn assumptions(promises: &BTreeSet<(String, i64)>) -> impl Iterator<Item = String> {
    promises.iter().map(|(name, n)| format!("assume {name} == {n}"))
}

fn value(ix: &Ix, sizes: &Sizes) -> Option<i64> {
    match ix {
        Ix::Lit(n) => Some(*n),
        Ix::Var(Var::Free(level)) => sizes.get(level).map(|(_, n)| *n),
        Ix::Var(Var::Bound(_)) | Ix::Read(..) => None,
        Ix::Bin(op, ab) => {
            let found = eval_op(*op, value(&ab.0, sizes)?.into(), value(&ab.1, sizes)?.into())?;
            i64::try_from(found).ok()
        }
    }
}
