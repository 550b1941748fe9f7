//! `tilings(L, most[, vector, bytes])`: the tilers that meet constraints.
//!
//! **Definition.** The tilers `<t0;t1;…>` of a layout in memory, each extent a divisor of its mode's, with at
//! most `most` entries: the tile's entries in the order of memory come in aligned runs of `vector`, and 32
//! threads that take one run each meet no bank conflict. The largest come first.
//! **Laws.** Every tiler divides evenly: `size(tile) * size(tiles) = size(L)`.
//! **Fails when.** There are more than 4096 to look at, or they have more than 2^23 entries.
//! **Example.** `tilings((4,4):(1,4), 4, 4)` is `[<4:1;1:1>]`;
//! `tilings((2,2):(2,1), 2)` is `[<1:1;2:1>,<2:1;1:1>,<1:1;1:1>]`
//! **See also.** `zipped_divide`, `bank_conflicts`, `vector_width`

use super::coalesce::{Tail, merge};
use super::composition::compose;
use super::logical_divide::logical_divide;
use super::vector_width::vector_width;
use super::{Function, Parameters};
use crate::access::{Access, Request};
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::swizzle::Composed;
use crate::value::{Tiler, Value};

pub(super) const FUNCTION: Function = Function {
    name: "tilings",
    aliases: &[],
    parameters: Parameters { names: "L, most, vector, bytes", optional: 2 },
    summary: "the tilers that meet constraints",
    apply: |args, _| {
        let constraints = Constraints {
            most: args.positive_or(1, 1)?,
            vector: args.positive_or(2, 1)?,
            bytes: args.positive_or(3, 4)?,
        };
        let tilings = tilings(&args.layout(0)?, &constraints)?;
        let tiler = |tile: Vec<i64>| {
            let modes = tile.into_iter().map(|t| Ok(Tiler::Layout(Layout::mode(t, 1)?)));
            Ok(Value::Tiler(Tiler::Modes(modes.collect::<Result<_>>()?)))
        };
        Ok(Value::List(tilings.into_iter().map(tiler).collect::<Result<_>>()?))
    },
};

/// What a tile must be.
#[derive(Clone, Copy, Debug)]
pub struct Constraints {
    /// At most so many entries.
    pub most: i64,
    /// Aligned runs of so many.
    pub vector: i64,
    /// The bytes of an entry.
    pub bytes: i64,
}

/// How many tiles are looked at.
const MOST_TILES: usize = 4096;
/// How many entries the tiles have together.
const MOST_ENTRIES: i64 = 1 << 23;

/// The extents of the tiles that meet the constraints, the largest first.
///
/// # Errors
/// There are too many to look at.
pub fn tilings(layout: &Layout, constraints: &Constraints) -> Result<Vec<Vec<i64>>> {
    let too_many = |what: String| {
        Err(Refusal::new(Kind::TooLarge, format!("{layout} has more tilings than are looked at: {what}"))
            .help("ask for smaller tiles"))
    };
    let mut tiles: Vec<Vec<i64>> = vec![Vec::new()];
    for mode in layout.modes() {
        let divisors = divisors(mode.size())?;
        let small = |tile: &Vec<i64>| tile.iter().product::<i64>() <= constraints.most;
        let longer = |tile: &Vec<i64>| -> Vec<Vec<i64>> {
            divisors.iter().map(|t| tile.iter().copied().chain([*t]).collect()).filter(small).collect()
        };
        tiles = tiles.iter().flat_map(longer).take(MOST_TILES + 1).collect();
        if tiles.len() > MOST_TILES {
            return too_many(format!("more than {MOST_TILES}"));
        }
    }
    let entries = tiles.iter().map(|tile| tile.iter().product::<i64>()).fold(0_i64, i64::saturating_add);
    if entries > MOST_ENTRIES {
        return too_many(format!("their tiles have {entries} entries, of at most {MOST_ENTRIES}"));
    }
    tiles.sort_by_key(|tile| std::cmp::Reverse(tile.iter().product::<i64>()));
    let mut found = Vec::new();
    for tile in tiles {
        if meets(layout, &tile, constraints)? {
            found.push(tile);
        }
    }
    Ok(found)
}

/// The divisors of a number, the least first.
fn divisors(n: i64) -> Result<Vec<i64>> {
    if n > 1 << 40 {
        return Err(Refusal::new(
            Kind::TooLarge,
            format!("the extent {n} has too many candidates for a divisor"),
        ));
    }
    let root = n.isqrt();
    let small: Vec<i64> = (1..=root).filter(|t| n % t == 0).collect();
    // The partner of a root is the root itself.
    let large = small.iter().rev().map(|t| n / t).filter(|t| *t > root);
    Ok(small.iter().copied().chain(large).collect())
}

/// Does a tile meet the constraints? A tile that cuts a mode where it has no boundary does not.
fn meets(layout: &Layout, tile: &[i64], constraints: &Constraints) -> Result<bool> {
    let mut modes = Vec::new();
    for (mode, t) in layout.modes().zip(tile) {
        match compose(&mode, &Layout::mode(*t, 1)?) {
            Ok(part) => modes.extend(part.live()),
            Err(_) => return Ok(false),
        }
    }
    modes.sort_unstable_by_key(|(_, d)| *d);
    let ordered = Layout::flat(merge(modes, Tail::Drop))?;
    let Ok(pair) = logical_divide(&ordered, &Layout::mode(constraints.vector, 1)?, &mut Vec::new()) else {
        return Ok(false);
    };
    if pair.size() != ordered.size() {
        return Ok(false);
    }
    let threads_first: Composed = Layout::concat([pair.sub(&[1])?, pair.sub(&[0])?])?.into();
    let aligned = constraints.vector == 1 || vector_width(&threads_first)? % constraints.vector == 0;
    let access = Access::try_new(&threads_first, constraints.bytes, constraints.vector)?;
    Ok(aligned && access.worst(Request::Banks).0 == 1)
}
