//! `zipped_divide(A, <T0;T1>)`: all tiles' modes together, then all modes that count tiles.
//!
//! **Definition.** The `logical_divide` by the tiler, with its modes sorted: `((T0,T1),(R0,R1,…))`. Modes beyond the tiler count tiles.
//! **Laws.** Mode 0 is the tile; mode 1 is where each tile begins.
//! **Fails when.** As `logical_divide`.
//! **Example.** `zipped_divide((8,6):(1,8), <4,3>)` is `((4,3),(2,2)):((1,8),(4,24))`
//! **See also.** `tiled_divide`, `flat_divide`, `partition`

use super::logical_divide::logical_divide;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::shifted::within;
use crate::stride::Stride;
use crate::value::Tiler;
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "zipped_divide",
    aliases: &[],
    parameters: Parameters { names: "A, T", optional: 0 },
    summary: "(tile, tiles), each with all modes",
    apply: |args, notes| {
        let tiler = args.tiler(1)?;
        Ok(within!(args.domain(0)?, a => zipped_divide(&a, &tiler, notes)?))
    },
};

/// The tile, and the tiles.
///
/// # Errors
/// As for `logical_divide`.
pub fn zipped_divide<D: Stride>(
    layout: &Layout<D>,
    tiler: &Tiler,
    notes: &mut Vec<String>,
) -> Result<Layout<D>> {
    let Zipped { first, second } = unzip(layout, tiler, &mut |mode, tile| logical_divide(mode, tile, notes))?;
    Layout::concat([first, second])
}
