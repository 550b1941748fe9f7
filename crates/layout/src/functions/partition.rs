//! `partition(A, T, TV)`: ((thread, value), tiles).
//!
//! **Definition.** `((thread, value), tiles)`: the data in tiles, and each tile as a thread-value layout says.
//! **Laws.** `zipped_divide(A, T) o <TV>`. Sliced at a thread, it is what that thread holds.
//! **Fails when.** The division or the composition is refused.
//! **Example.** `partition((4,4):(1,4), <2,2>, (2,2):(2,1))` is `((2,2),(2,2)):((4,1),(2,8))`
//! **See also.** `make_layout_tv`, `local_partition`

use super::composition::compose;
use super::logical_divide::logical_divide;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::within;
use crate::stride::Stride;
use crate::value::Tiler;
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "partition",
    aliases: &[],
    parameters: Parameters { names: "A, T, TV", optional: 0 },
    summary: "((thread, value), tiles)",
    apply: |args, notes| {
        let (tiler, tv) = (args.tiler(1)?, args.layout(2)?);
        Ok(within!(args.domain(0)?, a => partition(&a, &tiler, &tv, notes)?))
    },
};

/// The data by thread, value and tile.
///
/// # Errors
/// The division or the composition is refused, or the thread-value layout reaches out of the tile.
pub fn partition<D: Stride>(
    layout: &Layout<D>,
    tiler: &Tiler,
    tv: &Layout,
    notes: &mut Vec<String>,
) -> Result<Layout<D>> {
    let Zipped { first, second } = unzip(layout, tiler, &mut |mode, tile| logical_divide(mode, tile, notes))?;
    let (least, most) = tv.range();
    if least < 0 || most >= first.size() {
        return Err(Refusal::new(
            Kind::Range,
            format!("{tv} reaches out of the tile of {} entries", first.size()),
        )
        .note(format!("its values go from {least} to {most}")));
    }
    Layout::concat([compose(&first, tv)?, second])
}
