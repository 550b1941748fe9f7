//! `dice(L, c)`: the modes that a coordinate fixes.
//!
//! **Definition.** The modes that `c` fixes: those that `slice` leaves out.
//! **Laws.** `size(dice(L, c)) * size(slice(L, c)) = size(L)`.
//! **Fails when.** As `slice`.
//! **Example.** `dice((4,(2,3)):(1,(4,8)), (2,(_,1)))` is `(4,3):(1,8)`
//! **See also.** `slice`

use super::{Function, Parameters};
use crate::coordinate::{Part, slice};
use crate::value::either;

pub(super) const FUNCTION: Function = Function {
    name: "dice",
    aliases: &[],
    parameters: Parameters { names: "L, c", optional: 0 },
    summary: "the modes that a coordinate fixes",
    apply: |args, _| {
        let coordinate = args.open(1)?;
        Ok(either!(args.either(0)?, a => slice(&a, &coordinate, Part::Fixed)?))
    },
};
