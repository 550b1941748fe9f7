//! `local_partition(A, T, i)`: one thread's entries, with their offset.
//!
//! **Definition.** What thread `i` holds when the threads are laid over `A`, one entry for each, again and again. `T` is the layout of the
//! threads: the tile has its shape, each mode as a whole, and thread `i` stands at the coordinate where `T` is `i`. The `zipped_divide` by the
//! tile, sliced in the tile's mode at that coordinate. If `T` is a tiler, `i` counts its entries, the left mode fastest.
//! **Laws.** An offset and the layout of the entries; the threads together hold the values of `A`.
//! **Fails when.** The division is refused, or there is no such thread.
//! **Example.** `local_partition((32,32):(32,1), (8,4):(4,1), 5)` is `33 + (4,8):(256,4)`;
//! `local_partition((8,6):(1,8), <4,3>, 5)` is `9 + (2,2):(4,24)`;
//! `local_partition(identity((32,32)), (8,4):(4,1), 5)` is `1@0+1@1 + (4,8):(8@0,4@1)`
//! **See also.** `local_tile`, `partition`

use super::idx2crd::idx2crd;
use super::logical_divide::logical_divide;
use super::{Function, MOST_VALUES, Parameters};
use crate::coordinate::{Open, inside, offset};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::shifted::beginning;
use crate::stride::Stride;
use crate::tree::Tree;
use crate::value::{Tiler, Value};
use crate::zip::{Zipped, unzip};

pub(super) const FUNCTION: Function = Function {
    name: "local_partition",
    aliases: &[],
    parameters: Parameters { names: "A, T, i", optional: 0 },
    summary: "one thread's entries, with their offset",
    apply: |args, notes| {
        let (tiler, at) = match args.value(1) {
            Some(Value::Layout(threads)) => thread(threads, args.int(2)?)?,
            _ => (args.tiler(1)?, args.coordinate(2)?),
        };
        Ok(beginning!(args.domain(0)?, a => local_partition(&a, &tiler, at, notes)?))
    },
};

/// The tile of the threads' extents, and the coordinate at which a thread stands in it.
///
/// # Errors
/// There is no such thread.
pub fn thread(threads: &Layout, index: i64) -> Result<(Tiler, Open)> {
    let modes: Vec<Layout> = threads.modes().collect();
    let tile = modes.iter().map(|mode| Ok(Tiler::Layout(Layout::mode(mode.size(), 1)?)));
    let tile = Tiler::Modes(tile.collect::<Result<_>>()?);
    // The digits of compact strides; where the strides are others, the values are looked at.
    let digits = threads.flatten().into_iter().map(|(n, d)| if d > 0 { index / d % n } else { 0 });
    let digits: Vec<i64> = digits.collect();
    let value = threads.flatten().iter().zip(&digits).map(|((_, d), digit)| d * digit).sum::<i64>();
    let place = if value == index && index >= 0 {
        let mut digits = digits.into_iter();
        threads.shape().map(&mut |_| digits.next().unwrap_or(0))
    } else {
        let at = threads.table(MOST_VALUES)?.iter().position(|value| *value == index);
        let none = || {
            Refusal::new(Kind::Range, format!("there is no thread {index} in {threads}"))
                .note("the threads are the values of their layout")
        };
        idx2crd(threads.shape(), at.ok_or_else(none)? as i64)?
    };
    let parts = modes.iter().zip(place.modes()).map(|(mode, part)| {
        let compact = Layout::column_major(mode.shape().clone())?;
        Ok(Tree::Leaf(Some(offset(&compact, &part.map(&mut |n| Some(*n)))?)))
    });
    Ok((tile, Tree::Node(parts.collect::<Result<_>>()?)))
}

/// Where the entries of one place of the tile begin, and their layout.
fn local_partition<D: Stride>(
    layout: &Layout<D>,
    tiler: &Tiler,
    at: Open,
    notes: &mut Vec<String>,
) -> Result<(D, Layout<D>)> {
    let Zipped { first, second } = unzip(layout, tiler, &mut |a, t| logical_divide(a, t, notes))?;
    Ok((offset(&first, &inside(&first, at)?)?, second))
}
