//! `raked_product(A, B)`: a tile repeated in a grid, its entries spread among the copies.
//!
//! **Definition.** As `blocked_product`, with the copies' mode first in every mode.
//! **Laws.** It has the values of `blocked_product`, at other places.
//! **Fails when.** As `logical_product`.
//! **Example.** `raked_product((2,5):(5,1), (3,4))` is `((3,2),(4,5)):((10,5),(30,1))`
//! **See also.** `blocked_product`, `make_layout_tv`

use super::blocked_product::paired;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;

pub(super) const FUNCTION: Function = Function {
    name: "raked_product",
    aliases: &[],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "a tile repeated in a grid, its entries spread out",
    apply: |args, _| Ok(raked_product(&args.layout(0)?, &args.layout(1)?)?.into()),
};

/// The grid of spread copies.
///
/// # Errors
/// As for `logical_product`.
pub fn raked_product(tile: &Layout, copies: &Layout) -> Result<Layout> {
    let pairs = paired(tile, copies)?.into_iter().map(|[a, b]| Layout::concat([b, a]));
    Layout::concat(pairs.collect::<Result<Vec<_>>>()?)
}
