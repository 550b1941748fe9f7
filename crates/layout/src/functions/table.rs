//! `table(L)`: all values, in order.
//!
//! **Definition.** The values at the indices `0 .. size(L)`, in order.
//! **Laws.** `recognise(table(L)) = coalesce(L)`.
//! **Fails when.** There are more than 2^20.
//! **Example.** `table((2,3):(3,1))` is `[0,3,1,4,2,5]`; `table(Sw<1,0,1> o 0 o 4:1)` is `[0,1,3,2]`; `table(5 + 3:2)` is `[5,7,9]`
//! **See also.** `recognise`, `crd2idx`

use super::{Function, MOST_VALUES, Parameters};
use crate::tree::Tree;
use crate::value::{Item, Value};

pub(super) const FUNCTION: Function = Function {
    name: "table",
    aliases: &["composed"],
    parameters: Parameters { names: "L", optional: 0 },
    summary: "all values, in order",
    apply: |args, _| match args.value(0) {
        Some(Value::Coordinates(shifted)) => {
            let values =
                shifted.table(MOST_VALUES)?.into_iter().map(|v| Value::Tuple(Tree::Leaf(Item::Vector(v))));
            Ok(Value::List(values.collect()))
        }
        _ => Ok(Value::ints(args.composed(0)?.table(MOST_VALUES)?)),
    },
};
