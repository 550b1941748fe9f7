//! `local_tile(A, T, c)`: one tile, with its offset.
//!
//! **Definition.** The tile number `c`: the `zipped_divide` by the tiler, sliced in the mode that counts tiles. The modes of that one which `c`
//! leaves open with `_` follow those of the tile.
//! **Laws.** An offset and the tile's layout; the tiles together have the values of `A`.
//! **Fails when.** The division is refused, or there is no such tile.
//! **Example.** `local_tile((8,6):(1,8), <4,3>, (1,1))` is `Sw<0,0,0> o 28 o (4,3):(1,8)`;
//! `local_tile((8,6):(1,8), <4,3>, (1,_))` is `Sw<0,0,0> o 4 o (4,3,2):(1,8,24)`
//! **See also.** `zipped_divide`, `local_partition`

use super::logical_divide::logical_divide;
use super::{Function, Parameters};
use crate::coordinate::{Part, inside, offset, slice};
use crate::layout::Layout;
use crate::swizzle::{Composed, Swizzle};
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "local_tile",
    aliases: &[],
    parameters: Parameters { names: "A, T, c", optional: 0 },
    summary: "one tile, with its offset",
    apply: |args, notes| {
        let Zipped { mut first, second } =
            unzip(&args.layout(0)?, &args.tiler(1)?, &mut |a, t| logical_divide(a, t, notes))?;
        let coordinate = inside(&second, args.open(2)?)?;
        let offset = offset(&second, &coordinate)?;
        if coordinate.leaves().contains(&&None) {
            let open = slice(&second, &coordinate, Part::Open)?;
            first = Layout::concat(first.modes().chain(open.modes()))?;
        }
        Ok(Composed { swizzle: Swizzle::IDENTITY, offset, layout: first }.into())
    },
};
