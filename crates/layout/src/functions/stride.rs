//! `stride(L)`: the strides of a layout.
//!
//! **Definition.** The strides of a layout.
//! **Laws.** Congruent to the shape.
//! **Fails when.** Never.
//! **Example.** `stride((4,(2,3)):(1,(4,8)))` is `(1,(4,8))`
//! **See also.** `shape`

use super::{Function, Parameters};
use crate::value::{Either, Item, Value};

pub(super) const FUNCTION: Function = Function {
    name: "stride",
    aliases: &[],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "the strides of a layout",
    apply: |args, _| match args.either(0)? {
        Either::Integers(layout) => Ok(layout.stride().clone().into()),
        Either::Vectors(layout) => Ok(Value::Tuple(layout.stride().map(&mut |d| Item::Vector(d.clone())))),
    },
};
