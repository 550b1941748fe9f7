//! `logical_divide(A, T)`: a tile, and the tiles.
//!
//! **Definition.** `A o (T, complement(T, size(A)))`: mode 0 is one tile, mode 1 counts tiles. With a tiler each mode is divided alone.
//! **Laws.** Mode 0 is `A o T`. If the tile's end divides the size, the values of `A` are permuted; otherwise the last tile
//! reaches past the end, which a remark says, and is guarded by `predicate`. A tile with gaps leaves entries out, which is remarked too.
//! **Fails when.** The tile has no complement, or the composition is not admissible.
//! **Example.** `logical_divide((4,2,3):(2,1,8), 4:2)` is `((2,2),(2,3)):((4,1),(2,8))`;
//! `logical_divide(10:1, 4:1)` is `(4,3):(1,4)`
//! **See also.** `zipped_divide`, `tiled_divide`, `flat_divide`, `complement`

use super::complement::complement;
use super::composition::{by_mode, compose};
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::shifted::within;
use crate::stride::Stride;
use crate::value::Tiler;

pub(super) const FUNCTION: Function = Function {
    name: "logical_divide",
    aliases: &["logical_divide_by"],
    parameters: Parameters { names: "A, T", optional: 0 },
    summary: "a tile, and the tiles",
    apply: |args, notes| {
        let tiler = args.tiler(1)?;
        Ok(within!(args.domain(0)?, a => logical_divide_by(&a, &tiler, notes)?))
    },
};

/// A tile and the tiles. It is remarked where entries are left out, and where tiles reach past the end.
///
/// # Errors
/// The tile has no complement, or the composition is not admissible.
pub fn logical_divide<D: Stride>(
    layout: &Layout<D>,
    tile: &Layout,
    notes: &mut Vec<String>,
) -> Result<Layout<D>> {
    let (rest, gaps) = complement(tile, layout.size())?;
    let pair = Layout::concat([tile.clone(), rest])?;
    let divided = compose(layout, &pair)?;
    let (size, tiled) = (layout.size(), pair.size());
    if tiled > size {
        notes.push(format!("tiles of {tile} have {tiled} entries, and {layout} {size}: guard the surplus"));
    }
    notes.extend(gaps.map(|gap| format!("tiles of {tile} leave entries out: {gap}")));
    Ok(divided)
}

/// The same, mode by mode.
///
/// # Errors
/// The tiler is longer than the layout, or one of the divisions is refused.
pub fn logical_divide_by<D: Stride>(
    layout: &Layout<D>,
    tiler: &Tiler,
    notes: &mut Vec<String>,
) -> Result<Layout<D>> {
    by_mode(layout, tiler, &mut |mode, tile| logical_divide(mode, tile, notes))
}
