//! `local_tile(A, T, c)`: one tile, with its offset.
//!
//! **Definition.** The tile number `c`: the `zipped_divide` by the tiler, sliced in the mode that counts tiles. The modes of that one which `c`
//! leaves open with `_` follow those of the tile.
//! **Laws.** An offset and the tile's layout; the tiles together have the values of `A`. Of `identity` it says where the tile's entries come from.
//! **Fails when.** The division is refused, or there is no such tile.
//! **Example.** `local_tile((8,6):(1,8), <4,3>, (1,1))` is `28 + (4,3):(1,8)`;
//! `local_tile((8,6):(1,8), <4,3>, (1,_))` is `4 + (4,3,2):(1,8,24)`;
//! `local_tile(identity((8,6)), <4,3>, (1,1))` is `4@0+3@1 + (4,3):(1@0,1@1)`
//! **See also.** `zipped_divide`, `local_partition`

use super::logical_divide::logical_divide;
use super::{Function, Parameters};
use crate::coordinate::{Open, Part, inside, offset, slice};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::shifted::beginning;
use crate::stride::Stride;
use crate::value::Tiler;
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "local_tile",
    aliases: &[],
    parameters: Parameters { names: "A, T, c", optional: 0 },
    summary: "one tile, with its offset",
    apply: |args, notes| {
        let (tiler, open) = (args.tiler(1)?, args.open(2)?);
        Ok(beginning!(args.domain(0)?, a => local_tile(&a, &tiler, open, notes)?))
    },
};

/// Where the tile begins, and its layout.
fn local_tile<D: Stride>(
    layout: &Layout<D>,
    tiler: &Tiler,
    open: Open,
    notes: &mut Vec<String>,
) -> Result<(D, Layout<D>)> {
    let Zipped { mut first, second } = unzip(layout, tiler, &mut |a, t| logical_divide(a, t, notes))?;
    let coordinate = inside(&second, open)?;
    let offset = offset(&second, &coordinate)?;
    if coordinate.leaves().contains(&&None) {
        let open = slice(&second, &coordinate, Part::Open)?;
        first = Layout::concat(first.modes().chain(open.modes()))?;
    }
    Ok((offset, first))
}
