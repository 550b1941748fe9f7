//! `identity(S)`: every coordinate to itself.
//!
//! **Definition.** The layout whose strides are the basis vectors: it maps a coordinate to itself.
//! **Laws.** `identity(S)(c) = c`. Divided and sliced as the data is, it says where each entry comes from.
//! **Fails when.** Never.
//! **Example.** `identity((4,3))` is `(4,3):(1@0,1@1)`;
//! `identity((4,(2,3)))` is `(4,(2,3)):(1@0,(1@1@0,1@1@1))`
//! **See also.** `predicate`, `partition`

use super::{Function, Parameters};
use crate::layout::Layout;
use crate::refusal::Result;
use crate::stride::Vector;
use crate::tree::{Shape, Tree};

pub(super) const FUNCTION: Function = Function {
    name: "identity",
    aliases: &[],
    parameters: Parameters { names: "S", optional: 0 },
    summary: "every coordinate to itself",
    apply: |args, _| Ok(identity(&args.shape(0)?)?.into()),
};

/// The layout of coordinates.
///
/// # Errors
/// An extent is below 1, or the size is too large.
pub fn identity(shape: &Shape) -> Result<Layout<Vector>> {
    fn basis(shape: &Shape, path: &mut Vec<usize>) -> Tree<Vector> {
        match shape {
            Tree::Leaf(_) => Tree::Leaf(Vector::basis(1, path.clone())),
            Tree::Node(children) => {
                let child = |(k, child)| {
                    path.push(k);
                    let stride = basis(child, path);
                    path.pop();
                    stride
                };
                Tree::Node(children.iter().enumerate().map(child).collect())
            }
        }
    }
    Layout::try_new(shape.clone(), basis(shape, &mut Vec::new()))
}
