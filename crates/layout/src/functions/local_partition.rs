//! `local_partition(A, T, i)`: one thread's entries, with their offset.
//!
//! **Definition.** What thread `i` holds when the tile `T` is laid over `A`, one entry for each thread: the
//! `zipped_divide` by the tiler, sliced in the tile's mode.
//! **Laws.** An offset and the layout of the entries; the threads together hold the values of `A`.
//! **Fails when.** The division is refused, or there is no such thread.
//! **Example.** `local_partition((8,6):(1,8), <4,3>, 5)` is `Sw<0,0,0> o 9 o (2,2):(4,24)`
//! **See also.** `local_tile`, `partition`

use super::logical_divide::logical_divide;
use super::{Function, Parameters};
use crate::coordinate::{inside, offset};
use crate::swizzle::{Composed, Swizzle};
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "local_partition",
    aliases: &[],
    parameters: Parameters { names: "A, T, i", optional: 0 },
    summary: "one thread's entries, with their offset",
    apply: |args, notes| {
        let Zipped { first, second } =
            unzip(&args.layout(0)?, &args.tiler(1)?, &mut |a, t| logical_divide(a, t, notes))?;
        let offset = offset(&first, &inside(&first, args.coordinate(2)?)?)?;
        Ok(Composed { swizzle: Swizzle::IDENTITY, offset, layout: second }.into())
    },
};
