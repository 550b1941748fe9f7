//! `zipped_product(A, <B0;B1>)`: (tile, copies), each with all modes.
//!
//! **Definition.** `((A0,A1),(B0,B1,…))`: the `logical_product` by the tiler, with its modes sorted. Modes beyond the tiler are second.
//! **Laws.** The first modes are those of `A` that the tiler has layouts for.
//! **Fails when.** As `logical_product`.
//! **Example.** `zipped_product((2,3):(1,2), <4:1>)` is `((2),(4,3)):((1),(2,2))`
//! **See also.** `logical_product`, `tiled_product`, `flat_product`

use super::logical_product::logical_product;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::value::Tiler;
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "zipped_product",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "(tile, copies), each with all modes",
    apply: |args, _| Ok(zipped_product(&args.layout(0)?, &args.tiler(1)?)?.into()),
};

/// The product in this form.
///
/// # Errors
/// As for `logical_product`.
pub fn zipped_product(tile: &Layout, tiler: &Tiler) -> Result<Layout> {
    let Zipped { first, second } = unzip(tile, tiler, &mut logical_product)?;
    Layout::concat([first, second])
}
