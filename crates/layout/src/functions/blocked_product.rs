//! `blocked_product(A, B)`: a tile repeated in a grid, copies side by side.
//!
//! **Definition.** Both get equal rank by modes `1:0`; of the `logical_product`, mode `i` of the tile and mode `i` of the copies
//! become one mode, the tile's first.
//! **Laws.** Mode `i` has the extent of both together, and within a block the tile's coordinates run faster.
//! **Fails when.** As `logical_product`.
//! **Example.** `blocked_product((2,5):(5,1), (3,4))` is `((2,3),(5,4)):((5,10),(1,30))`
//! **See also.** `raked_product`, `tile_to_shape`

use super::logical_product::logical_product;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;

pub(super) const FUNCTION: Function = Function {
    name: "blocked_product",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "a tile repeated in a grid, copies side by side",
    apply: |args, _| Ok(blocked_product(&args.layout(0)?, &args.layout(1)?)?.into()),
};

/// The grid of copies.
///
/// # Errors
/// As for `logical_product`.
pub fn blocked_product(tile: &Layout, copies: &Layout) -> Result<Layout> {
    let pairs = paired(tile, copies)?;
    Layout::concat(pairs.into_iter().map(Layout::concat).collect::<Result<Vec<_>>>()?)
}

/// Each mode of the tile with the mode of the copies.
pub(super) fn paired(tile: &Layout, copies: &Layout) -> Result<Vec<[Layout; 2]>> {
    let rank = tile.rank().max(copies.rank());
    let padded = |layout: &Layout| {
        let ones = (layout.rank()..rank).map(|_| Layout::mode(1, 0));
        Layout::concat(layout.modes().map(Ok).chain(ones).collect::<Result<Vec<_>>>()?)
    };
    let product = logical_product(&padded(tile)?, &padded(copies)?)?;
    let (tile, copies) = (product.sub(&[0])?, product.sub(&[1])?);
    Ok(tile.modes().zip(copies.modes()).map(|(a, b)| [a, b]).collect())
}
