//! `flat_product(A, <B0;B1>)`: every mode alone: tile, then copies.
//!
//! **Definition.** `(A0,A1,B0,B1,…)`: as `zipped_product`, with all modes one by one.
//! **Laws.** The first modes are those of `A` that the tiler has layouts for.
//! **Fails when.** As `logical_product`.
//! **Example.** `flat_product((2,3):(1,2), <4:1>)` is `(2,4,3):(1,2,2)`
//! **See also.** `logical_product`, `zipped_product`, `tiled_product`

use super::logical_product::logical_product;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::value::Tiler;
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "flat_product",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "every mode alone: tile, then copies",
    apply: |args, _| Ok(flat_product(&args.layout(0)?, &args.tiler(1)?)?.into()),
};

/// The product in this form.
///
/// # Errors
/// As for `logical_product`.
pub fn flat_product(tile: &Layout, tiler: &Tiler) -> Result<Layout> {
    let Zipped { first, second } = unzip(tile, tiler, &mut logical_product)?;
    Layout::concat(first.modes().chain(second.modes()))
}
