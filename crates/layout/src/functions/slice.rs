//! `slice(L, c)`: the modes that a coordinate leaves open.
//!
//! **Definition.** The modes that `c` leaves open with `_`. A mode that is open as a whole keeps its tuple.
//! **Laws.** `L(c) = slice_offset(L, c) + slice(L, c)(open part)`; behind a swizzle, the offset stays inside
//! it.
//! **Fails when.** The tree of `c` does not fit the shape, or a part lies outside its mode.
//! **Example.** `slice((4,(2,3)):(1,(4,8)), (2,(_,1)))` is `(2):(4)`
//! **See also.** `slice_offset`, `dice`

use super::{Function, Parameters};
use crate::coordinate::{Part, offset, slice};
use crate::refusal::Result;
use crate::stride::Stride;
use crate::swizzle::Composed;
use crate::tree::Tree;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "slice",
    aliases: &[],
    parameters: Parameters { names: "L, c", optional: 0 },
    summary: "the modes that a coordinate leaves open",
    apply: |args, notes| {
        let coordinate = args.open(1)?;
        match args.value(0) {
            Some(Value::Composed(composed)) => Ok(behind(composed, &coordinate)?.into()),
            Some(Value::Coordinates(layout)) => {
                notes.push(format!("the fixed part adds {}", offset(layout, &coordinate)?));
                Ok(slice(layout, &coordinate, Part::Open)?.into())
            }
            _ => {
                let layout = args.layout(0)?;
                notes.push(format!("the fixed part adds {}", offset(&layout, &coordinate)?));
                Ok(slice(&layout, &coordinate, Part::Open)?.into())
            }
        }
    },
};

/// The slice of a swizzled layout: the fixed part is added before the swizzle.
fn behind(composed: &Composed, coordinate: &Tree<Option<i64>>) -> Result<Composed> {
    Ok(Composed {
        swizzle: composed.swizzle,
        offset: composed.offset.plus(&offset(&composed.layout, coordinate)?)?,
        layout: slice(&composed.layout, coordinate, Part::Open)?,
    })
}
