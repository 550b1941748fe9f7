//! `logical_product(A, B)`: a tile, repeated as a layout says.
//!
//! **Definition.** `(A, complement(A, size(A) * cosize(B)) o B)`: mode 0 is `A`, mode 1 has the shape of `B` and says where each copy
//! begins. With a tiler each mode is multiplied alone.
//! **Laws.** The copies do not overlap; injective if both are and `B` stays inside the complement.
//! **Fails when.** `A` has no complement, `B` counts below 0, or the composition with it is not admissible.
//! **Example.** `logical_product((2,2):(4,1), 6:1)` is `((2,2),(2,3)):((4,1),(2,8))`;
//! `logical_product(4:1, 3)` is `(4,3):(1,4)`
//! **See also.** `blocked_product`, `raked_product`, `complement`

use super::complement::complement;
use super::composition::{by_mode, compose};
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result, too_large};
use crate::value::Tiler;

pub(super) const FUNCTION: Function = Function {
    name: "logical_product",
    aliases: &["logical_product_by"],
    parameters: Parameters { names: "A, B", optional: 0 },
    summary: "a tile, repeated as a layout says",
    apply: |args, _| Ok(logical_product_by(&args.layout(0)?, &args.tiler(1)?)?.into()),
};

/// The tile and its copies.
///
/// # Errors
/// The tile has no complement, or the composition with it is not admissible.
pub fn logical_product(tile: &Layout, copies: &Layout) -> Result<Layout> {
    let (least, _) = copies.range();
    if least < 0 {
        return Err(Refusal::new(Kind::Range, format!("{copies} places a copy at {least}"))
            .note("copies are placed from 0 up"));
    }
    let target = tile.size().checked_mul(copies.cosize()).ok_or_else(|| too_large("size times cosize"))?;
    let (complement, _) = complement(tile, target)?;
    Layout::concat([tile.clone(), compose(&complement, copies)?])
}

/// The same, mode by mode.
///
/// # Errors
/// The tiler is longer than the layout, or one of the products is refused.
pub fn logical_product_by(tile: &Layout, tiler: &Tiler) -> Result<Layout> {
    by_mode(tile, tiler, &mut logical_product)
}
