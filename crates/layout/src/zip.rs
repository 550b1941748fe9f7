//! Divisions and products by a tiler, with their modes sorted: what comes first of every mode, and what comes second.

use crate::functions::composition::check_rank;
use crate::layout::Layout;
use crate::refusal::Result;
use crate::stride::Stride;
use crate::value::Tiler;

/// First modes and second modes.
pub(crate) struct Zipped<D> {
    pub(crate) first: Layout<D>,
    pub(crate) second: Layout<D>,
}

/// Applies an operation that yields pairs to the modes that a tiler has layouts for. A mode that is left alone is second,
/// beside a first mode of extent 1; so are the modes beyond the tiler.
pub(crate) fn unzip<D: Stride>(
    layout: &Layout<D>,
    tiler: &Tiler,
    operation: &mut impl FnMut(&Layout<D>, &Layout) -> Result<Layout<D>>,
) -> Result<Zipped<D>> {
    match tiler {
        Tiler::Keep => Ok(Zipped { first: Layout::mode(1, D::zero())?, second: layout.clone() }),
        Tiler::Layout(tile) => {
            let pair = operation(layout, tile)?;
            Ok(Zipped { first: pair.sub(&[0])?, second: pair.sub(&[1])? })
        }
        Tiler::Modes(tiles) => {
            check_rank(layout, tiles)?;
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for (k, mode) in layout.modes().enumerate() {
                match tiles.get(k) {
                    Some(tile) => {
                        let zipped = unzip(&mode, tile, operation)?;
                        first.push(zipped.first);
                        second.push(zipped.second);
                    }
                    None => second.push(mode),
                }
            }
            Ok(Zipped { first: Layout::concat(first)?, second: Layout::concat(second)? })
        }
    }
}
