//! `slice_offset(L, c)`: what the fixed parts of a coordinate add.
//!
//! **Definition.** The sum of what the fixed parts of a coordinate contribute, and of the offset that `L` has.
//! **Laws.** `slice(L, c)` is this, plus the layout of the open modes.
//! **Fails when.** As `slice`; behind a swizzle.
//! **Example.** `slice_offset((4,(2,3)):(1,(4,8)), (2,(_,1)))` is `10`; `slice_offset(identity((10,6)), (9,_))` is `9@0`
//! **See also.** `slice`, `crd2idx`

use super::{Function, Parameters};
use crate::coordinate::offset;
use crate::shifted::Domain;
use crate::stride::Stride;
use crate::swizzle::{Composed, Swizzle};
use crate::tree::Tree;
use crate::value::{Item, Value};

pub(super) const FUNCTION: Function = Function {
    name: "slice_offset",
    aliases: &[],
    parameters: Parameters { names: "L, c", optional: 0 },
    summary: "what the fixed parts of a coordinate add",
    apply: |args, _| {
        let open = args.open(1)?;
        match args.domain(0)? {
            Domain::Vectors(shifted) => {
                let sum = shifted.offset.plus(&offset(&shifted.layout, &open)?)?;
                Ok(Value::Tuple(Tree::Leaf(Item::Vector(sum))))
            }
            Domain::Integers(Composed { swizzle: Swizzle::IDENTITY, offset: before, layout }) => {
                Ok(Value::int(before.plus(&offset(&layout, &open)?)?))
            }
            // Behind a swizzle it adds up to nothing.
            Domain::Integers(_) => Ok(Value::int(offset(&args.layout(0)?, &open)?)),
        }
    },
};
