//! Which loops a device's blocks and threads are, and what its threads share: marks, by the names that loops and `let`s have.
//!
//! A mark changes no cell's number and no operation. What it asks for, that iterations store different cells, holds of `gen`, whose
//! results are at different places; so a sum that is marked is refused, as is a mark that no loop has.

use crate::error::LowerError;
use crate::scope::Scope;
use atl_kernel::Label;
use atl_loops::{Int, LoopKind, Swizzle};

/// Refuses a `let` whose cells are no whole blocks of those that its swizzle exchanges cells in.
pub(crate) fn fits(label: &Label, swizzle: Swizzle, extents: &[Int]) -> Result<(), LowerError> {
    let (cells, period) = (Int::product(extents).constant(), swizzle.period());
    if swizzle.is_none() || cells.is_some_and(|cells| cells % period == 0) {
        return Ok(());
    }
    let cells =
        cells.map_or_else(|| "a number of cells that depends on sizes".to_owned(), |n| format!("{n} cells"));
    // A swizzle that reaches further than any tile stands here as one that reaches just so far.
    let more = if period >= 1 << 30 { " or more" } else { "" };
    let why = format!(
        "its swizzle exchanges cells within blocks of {period}{more}, and this has {cells}, which is no multiple of that"
    );
    Err(LowerError::NotMapped(label.name.to_string(), why.into()))
}

/// A mark that some loop or `let` has had: its number among the marks of loops, or the `let`'s name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Mark {
    Loop(usize),
    Let(String),
}

impl Scope<'_> {
    /// What the loop is on a device, if it is marked.
    pub(crate) fn on_device(&mut self, label: &Label) -> Option<LoopKind> {
        let name = self.loop_name(label)?;
        let mark = self.device.loops.iter().position(|(names, _)| names.contains(&name))?;
        self.mapped.insert(Mark::Loop(mark));
        Some(self.device.loops[mark].1.clone())
    }

    /// Refuses a loop that is marked, for this reason.
    pub(crate) fn not_on_device(&mut self, label: &Label, why: &'static str) -> Result<(), LowerError> {
        match self.on_device(label) {
            None => Ok(()),
            Some(_) => Err(LowerError::NotMapped(label.name.to_string(), why.into())),
        }
    }

    /// Where the cells lie of a `let` in the memory that a block's threads share, if it is there.
    pub(crate) fn shared(&mut self, label: &Label) -> Option<Swizzle> {
        let swizzle = *self.device.shared.get(&*label.name).filter(|_| self.written.contains(&label.name))?;
        self.mapped.insert(Mark::Let(label.name.to_string()));
        Some(swizzle)
    }

    /// Has every mark been found?
    pub(crate) fn all_mapped(&self) -> Result<(), LowerError> {
        for (number, (names, _)) in self.device.loops.iter().enumerate() {
            if !self.mapped.contains(&Mark::Loop(number)) {
                let name = names.iter().next().map(|(within, name)| match within {
                    Some(x) => format!("{x}/{name}"),
                    None => name.clone(),
                });
                return Err(LowerError::NotMapped(
                    name.unwrap_or_default(),
                    "no loop has this name in the end".into(),
                ));
            }
        }
        let shared = |name: &&String| !self.mapped.contains(&Mark::Let((*name).clone()));
        match self.device.shared.keys().find(shared) {
            None => Ok(()),
            Some(name) => {
                Err(LowerError::NotMapped(name.clone(), "no `let` has this name in the end".into()))
            }
        }
    }
}
