//! `tile_to_shape(block, shape[, order])`: a block repeated until it fills a shape.
//!
//! **Definition.** The `blocked_product` of the block and the compact layout of the quotients, whose modes run fastest in the order of
//! the numbers given, the least first; from the left, if none are. A swizzle stays behind what is repeated.
//! **Laws.** The result has the shape's extents, and its values are those of the block and its shifts.
//! **Fails when.** The block's extents do not divide the shape's, or `blocked_product` is refused.
//! **Example.** `tile_to_shape((2,3), (4,9))` is `((2,2),(3,3)):((1,6),(2,12))`;
//! `tile_to_shape((2,3), (4,9), (1,0))` is `((2,2),(3,3)):((1,18),(2,6))`;
//! `tile_to_shape(Sw<1,0,1> o (2,2):(2,1), (4,2))` is `Sw<1,0,1> o 0 o ((2,2),(2,1)):((2,4),(1,0))`
//! **See also.** `blocked_product`

use super::blocked_product::blocked_product;
use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::swizzle::Composed;
use crate::tree::{Shape, Tree};
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "tile_to_shape",
    aliases: &[],
    parameters: Parameters { names: "block, shape, order", optional: 1 },
    summary: "a block repeated until it fills a shape",
    apply: |args, _| {
        let shape = args.shape(1)?;
        let order = match args.value(2) {
            Some(_) => args.tuple(2)?.leaves().into_iter().copied().collect(),
            None => (0..shape.rank() as i64).collect::<Vec<i64>>(),
        };
        match args.value(0) {
            Some(Value::Composed(block)) => {
                Ok(Composed { layout: tile_to_shape(&block.layout, &shape, &order)?, ..block.clone() }.into())
            }
            _ => Ok(tile_to_shape(&args.layout(0)?, &shape, &order)?.into()),
        }
    },
};

/// The block repeated.
///
/// # Errors
/// The block does not divide the shape, the order has another length, or the product is refused.
pub fn tile_to_shape(block: &Layout, shape: &Shape, order: &[i64]) -> Result<Layout> {
    shape.check_extents()?;
    if block.rank() != shape.rank() || order.len() != shape.rank() {
        let message = format!("{block} is repeated to {shape} in the order of {} numbers", order.len());
        return Err(Refusal::new(Kind::Trees, message).note("block, shape and order have one rank"));
    }
    let mut modes = Vec::new();
    for (k, (mode, n)) in block.modes().zip(shape.modes()).enumerate() {
        let (tile, whole) = (mode.size(), n.size()?);
        if whole % tile != 0 {
            return Err(Refusal::new(Kind::Divisibility, format!("{block} does not fill {shape}"))
                .note(format!("in mode {k}, {tile} does not divide {whole}")));
        }
        modes.push((order[k], k, whole / tile));
    }
    modes.sort_unstable();
    let (mut next, mut strides) = (1, vec![0; modes.len()]);
    for (_, k, n) in &modes {
        strides[*k] = next;
        next *= n;
    }
    modes.sort_unstable_by_key(|(_, k, _)| *k);
    let leaf = |n: i64| Tree::Leaf(n);
    let shape = modes.into_iter().map(|(.., n)| leaf(n)).collect();
    blocked_product(
        block,
        &Layout::try_new(Tree::Node(shape), Tree::Node(strides.into_iter().map(leaf).collect()))?,
    )
}
