//! `crd2idx(L, c)`: the value at a coordinate.
//!
//! **Definition.** The value at a coordinate: digits times strides. A number in place of a subtree is taken
//! apart in it, the left mode fastest.
//! **Laws.** `crd2idx(L, idx2crd(L, i)) = L(i)`.
//! **Fails when.** The coordinate's tree does not fit, or a part lies outside its mode; a number for the whole
//! layout may lie past the size.
//! **Example.** `crd2idx((4,(2,3)):(1,(4,8)), (3,(1,2)))` is `23`;
//! `crd2idx((4,(2,3)):(1,(4,8)), (3,5))` is `23`
//! **See also.** `idx2crd`, `slice_offset`

use super::{Function, Parameters};
use crate::coordinate::offset;
use crate::shifted::Domain;
use crate::stride::Stride;
use crate::tree::Tree;
use crate::value::{Item, Value};

pub(super) const FUNCTION: Function = Function {
    name: "crd2idx",
    aliases: &[],
    parameters: Parameters { names: "L, c", optional: 0 },
    summary: "the value at a coordinate",
    apply: |args, _| {
        let coordinate = args.coordinate(1)?;
        match args.domain(0)? {
            Domain::Vectors(shifted) => {
                let value = shifted.offset.plus(&offset(&shifted.layout, &coordinate)?)?;
                Ok(Value::Tuple(Tree::Leaf(Item::Vector(value))))
            }
            Domain::Integers(composed) => {
                Ok(Value::int(composed.swizzled(offset(&composed.layout, &coordinate)?)?))
            }
        }
    },
};
