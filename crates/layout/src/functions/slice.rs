//! `slice(L, c)`: the modes that a coordinate leaves open.
//!
//! **Definition.** The modes that `c` leaves open with `_`, after the offset that the fixed part adds. A mode that is open as a whole
//! keeps its tuple.
//! **Laws.** `slice(L, c)(open part) = L(c)`; behind a swizzle, the offset stays inside it. An operation takes the offset into account, or
//! is refused a layout that has one.
//! **Fails when.** The tree of `c` does not fit the shape, or a part lies outside its mode.
//! **Example.** `slice((4,(2,3)):(1,(4,8)), (2,(_,1)))` is `10 + (2):(4)`; `slice((4,(2,3)):(1,(4,8)), (_,0))` is `(4):(1)`;
//! `slice(identity((10,6)), (9,_))` is `9@0 + (6):(1@1)`
//! **See also.** `slice_offset`, `dice`

use super::{Function, Parameters};
use crate::coordinate::{Part, offset, slice};
use crate::shifted::beginning;

pub(super) const FUNCTION: Function = Function {
    name: "slice",
    aliases: &[],
    parameters: Parameters { names: "L, c", optional: 0 },
    summary: "the modes that a coordinate leaves open",
    apply: |args, _| {
        let open = args.open(1)?;
        Ok(beginning!(args.domain(0)?, a => (offset(&a, &open)?, slice(&a, &open, Part::Open)?)))
    },
};
