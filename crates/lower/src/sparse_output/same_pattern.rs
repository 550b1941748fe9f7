//! Results with the sparsity pattern of an operand: an entry wherever the operand has one, even a zero.
//!
//! The one idea: the loops that assemble the result are proved to iterate over the operand's entries, each
//! once and in order: every sum over positions runs from `pos[q]` to `pos[q + 1]`, and every coordinate is
//! the one that the operand stores there. So the term is zero elsewhere, and an entry is stored for each
//! position without a test of its value. If the proof fails, the step is refused.

use crate::cx::LowerCx;
use crate::error::LowerError;
use atl_kernel::{Ix, Pred, Var};
use std::sync::Arc;

/// The arrays of an operand in the result's format.
#[derive(Clone, Debug)]
pub struct SamePattern {
    /// The operand's name.
    pub name: String,
    /// The arrays of each compressed level: of positions, and of coordinates.
    pub levels: Vec<(Var, Vec<Var>)>,
}

/// Where the operand is while the result is assembled.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The position at the level above.
    parent: Ix,
    /// The position at the level over which the loop iterates.
    here: Option<Ix>,
}

impl Entry {
    /// Before all levels.
    pub(crate) const ROOT: Entry = Entry { parent: Ix::ZERO, here: None };

    /// At this coordinate of a dense dimension.
    pub(crate) fn dense(&self, extent: &Ix, i: &Ix) -> Entry {
        let parent = match &self.parent {
            Ix::Lit(0) => i.clone(),
            parent => parent.clone() * extent.clone() + i.clone(),
        };
        Entry { parent, here: None }
    }

    /// Below the position.
    pub(crate) fn below(&self) -> Entry {
        Entry { parent: self.here.clone().unwrap_or(Ix::ZERO), here: None }
    }
}

impl SamePattern {
    pub(crate) fn refused(&self, why: &str) -> LowerError {
        LowerError::NotSamePattern(self.name.clone(), why.to_owned())
    }

    /// The entry that the next loop, of this extent, is at: they are to be all entries below one of
    /// the level above.
    pub(crate) fn entries(
        &self,
        cx: &mut LowerCx<'_>,
        level: usize,
        entry: &Entry,
        n: &Ix,
    ) -> Result<Entry, LowerError> {
        let Some((pos, _)) = self.levels.get(level).filter(|_| entry.here.is_none()) else {
            return Err(self.refused("a loop does not iterate over its entries"));
        };
        let end = |at: Ix| Ix::Read(*pos, Arc::from([at]));
        let from = end(entry.parent.clone());
        let count = end(entry.parent.clone() + Ix::ONE) - from.clone();
        if !cx.proves(&Pred::eq(n.clone(), count)) {
            return Err(self.refused("a loop does not iterate over all entries of a row"));
        }
        let here = Ix::free(cx.ctx.level()) + from;
        Ok(Entry { parent: entry.parent.clone(), here: Some(here) })
    }

    /// Is this the coordinate of the entry, of this dimension of the level?
    pub(crate) fn is_there(
        &self,
        cx: &mut LowerCx<'_>,
        (level, dimension): (usize, usize),
        entry: &Entry,
        coordinate: &Ix,
    ) -> Result<(), LowerError> {
        let stored = self.levels.get(level).and_then(|(_, crd)| crd.get(dimension));
        let (Some(stored), Some(here)) = (stored, &entry.here) else {
            return Err(self.refused("a coordinate is not one of its entries'"));
        };
        let its = Ix::Read(*stored, Arc::from([here.clone()]));
        match cx.proves(&Pred::eq(coordinate.clone(), its)) {
            true => Ok(()),
            false => Err(self.refused("a coordinate differs from its entry's")),
        }
    }
}
