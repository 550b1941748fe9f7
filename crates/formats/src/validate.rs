//! The boundary: whether arrays from outside are a tensor in a format.
//!
//! Levels are checked from the outermost, each for its number of parents, then by
//! [`Level::well_formed`](crate::Level::well_formed), which indexes only by what was checked before; at last
//! the number of values. What is accepted satisfies every law, and reads of it are in range. Nothing is
//! repaired.

use crate::{Damage, Instance, Metadata};

/// Refuses arrays that are not a tensor in this format, with the first entry that is wrong.
pub fn validate(instance: &Instance, metadata: &[Metadata], values: usize) -> Result<(), Damage> {
    let levels = instance.levels();
    if metadata.len() != levels.len() {
        return Err(Damage::length("format", "levels", metadata.len(), levels.len().to_string()));
    }
    let mut positions = 1;
    for (depth, (level, metadata)) in levels.iter().zip(metadata).enumerate() {
        if metadata.parents != positions {
            let above = if depth == 0 { "for the root" } else { "as many as positions above" };
            let expected = format!("{positions}, {above}");
            return Err(Damage::length(level.name(), "parents", metadata.parents, expected).at_depth(depth));
        }
        level.well_formed(metadata).map_err(|damage| damage.at_depth(depth))?;
        positions = level.npos(metadata);
    }
    if values != positions {
        let (depth, level) = (levels.len(), "values");
        let expected = format!("{positions}, as many as positions of the last level");
        return Err(Damage::length(level, "values", values, expected).at_depth(depth));
    }
    Ok(())
}
