//! `flat_divide(A, <T0;T1>)`: every mode alone: tile, then tiles.
//!
//! **Definition.** `(T0,T1,R0,R1,…)`: as `zipped_divide`, with all modes one by one.
//! **Laws.** It has the values of `zipped_divide`, at the same indices.
//! **Fails when.** As `logical_divide`.
//! **Example.** `flat_divide((8,6):(1,8), <4,3>)` is `(4,3,2,2):(1,8,4,24)`
//! **See also.** `zipped_divide`, `tiled_divide`

use super::logical_divide::logical_divide;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::shifted::within;
use crate::stride::Stride;
use crate::value::Tiler;
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "flat_divide",
    aliases: &[],
    parameters: Parameters { names: "A, T", optional: 0 },
    summary: "every mode alone: tile, then tiles",
    apply: |args, notes| {
        let tiler = args.tiler(1)?;
        Ok(within!(args.domain(0)?, a => flat_divide(&a, &tiler, notes)?))
    },
};

/// The division in this form.
///
/// # Errors
/// As for `logical_divide`.
pub fn flat_divide<D: Stride>(
    layout: &Layout<D>,
    tiler: &Tiler,
    notes: &mut Vec<String>,
) -> Result<Layout<D>> {
    let Zipped { first, second } = unzip(layout, tiler, &mut |mode, tile| logical_divide(mode, tile, notes))?;
    Layout::concat(first.modes().chain(second.modes()))
}
