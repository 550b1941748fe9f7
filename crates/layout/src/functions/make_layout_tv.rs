//! `make_layout_tv(T, V)`: (thread, value) to the index in a tile.
//!
//! **Definition.** From a layout of threads and a layout of each thread's values over a tile: (thread, value)
//! to the index in the tile. It is the right inverse of `raked_product(T, V)`, in the shape (threads, values).
//! **Laws.** A bijection onto the tile.
//! **Fails when.** The raked product reaches some place twice or leaves one out.
//! **Example.** `make_layout_tv((2,2):(2,1), (1,2))` is `((2,2),2):((4,1),2)`
//! **See also.** `partition`, `raked_product`

use super::composition::compose;
use super::raked_product::raked_product;
use super::right_inverse::right_inverse;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::tree::Tree;

pub(super) const FUNCTION: Function = Function {
    name: "make_layout_tv",
    aliases: &[],
    parameters: Parameters { names: "T, V", optional: 0 },
    summary: "(thread, value) to the index in a tile",
    apply: |args, _| Ok(make_layout_tv(&args.layout(0)?, &args.layout(1)?)?.into()),
};

/// The thread-value layout.
///
/// # Errors
/// Threads and values do not fill a tile.
pub fn make_layout_tv(threads: &Layout, values: &Layout) -> Result<Layout> {
    let tile = raked_product(threads, values)?;
    let inverse = right_inverse(&tile)?;
    if inverse.size() != tile.size() {
        return Err(Refusal::new(Kind::Inverse, format!("{threads} and {values} do not fill a tile")).note(
            format!(
                "their raked product {tile} has {} entries, and 0 .. {} are reached",
                tile.size(),
                inverse.size()
            ),
        ));
    }
    let shape = Tree::Node(vec![Tree::Leaf(threads.size()), Tree::Leaf(values.size())]);
    compose(&inverse, &Layout::column_major(shape)?)
}
