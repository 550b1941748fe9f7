//! `local_tile(A, T, c)`: one tile, with its offset.
//!
//! **Definition.** The tile number `c`: the `zipped_divide` by the tiler, sliced in the mode that counts tiles.
//! **Laws.** An offset and the tile's layout; the tiles together have the values of `A`.
//! **Fails when.** The division is refused, or there is no such tile.
//! **Example.** `local_tile((8,6):(1,8), <4,3>, (1,1))` is `Sw<0,0,0> o 28 o (4,3):(1,8)`
//! **See also.** `zipped_divide`, `local_partition`

use super::logical_divide::logical_divide;
use super::{Function, Parameters};
use crate::coordinate::{inside, offset};
use crate::swizzle::{Composed, Swizzle};
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "local_tile",
    aliases: &[],
    parameters: Parameters { names: "A, T, c", optional: 0 },
    summary: "one tile, with its offset",
    apply: |args, notes| {
        let Zipped { first, second } =
            unzip(&args.layout(0)?, &args.tiler(1)?, &mut |a, t| logical_divide(a, t, notes))?;
        let offset = offset(&second, &inside(&second, args.coordinate(2)?)?)?;
        Ok(Composed { swizzle: Swizzle::IDENTITY, offset, layout: first }.into())
    },
};
