//! The shape of one nest of loops: its tiles, its blocks, and where its sums stand; and the names that its
//! loops then have.

use crate::extent::Extent;
use crate::reuse::Reuse;
use crate::structure::Nest;

/// Where the sums stand among the loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Inside all loops, as written.
    Inside,
    /// Around the loops of a tile; without tiles, around the innermost loop.
    AroundTile,
    /// The same, with the last dimension's tiles and the blocks of the sums outermost: a panel stays in the
    /// cache.
    Panel,
    /// Around a tile of the rows that use an operand again, which stand innermost of the outer loops: all
    /// tiles of rows pass one strip of that operand.
    Strip,
    /// Around all loops, for a window that is as small as a tile.
    AroundAll,
}

/// Every decision about one nest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// For each `gen`, the size of its tiles.
    pub(crate) tiles: Vec<Option<i64>>,
    /// For each sum, the size of its blocks.
    pub(crate) blocks: Vec<Option<i64>>,
    /// Where the sums stand.
    pub(crate) order: Order,
    /// Is the operand along the last loop copied, a strip for each of its tiles?
    pub(crate) copied: bool,
    /// How many tiles of the last loop such a strip is wide.
    pub(crate) wide: i64,
    /// Does what each tile of rows reads lie side by side, in the order in which it is read?
    pub(crate) table: bool,
    /// Are sums of few terms written out?
    pub(crate) written: bool,
}

/// How many terms all sums that are written out have together at most.
pub(crate) const WRITTEN: i64 = 16;

impl Shape {
    /// The loops as they are.
    pub(crate) fn plain(nest: &Nest) -> Shape {
        let (tiles, blocks) = (vec![None; nest.gens.len()], vec![None; nest.sums.len()]);
        Shape { tiles, blocks, order: Order::Inside, copied: false, wide: 1, table: false, written: false }
    }

    /// The last loops tiled by these sizes.
    pub(crate) fn tiled(mut self, sizes: &[i64]) -> Shape {
        for (tile, size) in self.tiles.iter_mut().rev().zip(sizes.iter().rev()) {
            *tile = Some(*size);
        }
        self
    }

    /// Tiles of this number of rows, each along a strip of this width; the sums around them.
    pub(crate) fn strips(mut self, rows: usize, (height, width): (i64, i64)) -> Shape {
        self.order = Order::Strip;
        self.tiles.fill(None);
        self.tiles[rows] = Some(height);
        if let Some(last) = self.tiles.last_mut() {
            *last = Some(width);
        }
        self
    }
}

/// A nest in a shape. Names are those of its loops, without that of the `let` in which they stand.
#[derive(Clone, Copy)]
pub(crate) struct Shaped<'p> {
    pub(crate) nest: &'p Nest,
    pub(crate) shape: &'p Shape,
}

impl Shaped<'_> {
    /// A loop's name in a schedule.
    pub(crate) fn qualified(&self, name: &str) -> String {
        match &self.nest.within {
            Some(within) => format!("{within}/{name}"),
            None => name.to_owned(),
        }
    }

    /// Do the sums stand around other loops?
    pub(crate) fn moves_sums(&self) -> bool {
        self.shape.order != Order::Inside && !self.nest.sums.is_empty() && !self.nest.gens.is_empty()
    }

    /// The operand of which a strip is copied, and the loop that it is copied for.
    pub(crate) fn strip(&self) -> Option<(&Reuse, String)> {
        let reuse = self.reuse().filter(|_| self.shape.copied)?;
        Some((reuse, format!("{}.o", self.nest.gens.last()?)))
    }

    /// The operand that is made a table, and the loop of the tiles of rows.
    pub(crate) fn table(&self) -> Option<(&String, String)> {
        let reuse = self.reuse().filter(|_| self.shape.table)?;
        Some((reuse.table.as_ref()?, format!("{}.o", self.nest.gens.get(reuse.rows)?)))
    }

    /// What serves several results, where tiles are made for that.
    fn reuse(&self) -> Option<&Reuse> {
        self.nest.reuse.as_ref().filter(|_| self.shape.order == Order::Strip)
    }

    /// The sums of few terms, innermost first, as long as they have few together: where these are written
    /// out.
    pub(crate) fn written(&self) -> Vec<(&String, &Extent)> {
        let sums = self.nest.sums.iter().zip(&self.nest.terms).zip(&self.shape.blocks).rev();
        let mut all = 1;
        let few = sums.take_while(|((_, terms), block)| {
            all = terms.number().filter(|n| *n > 0).map_or(i64::MAX, |n| n.saturating_mul(all));
            all <= WRITTEN && block.is_none() && self.shape.written
        });
        few.map(|(sum, _)| sum).collect()
    }

    /// Are several tiles in one strip?
    fn is_wide(&self) -> bool {
        self.shape.wide > 1 && self.shape.order == Order::Strip
    }

    /// What a loop inside a tile is called; in a wide strip the last one is cut twice.
    fn inside(&self, name: &str) -> String {
        let twice = self.is_wide() && self.nest.gens.last().is_some_and(|last| last == name);
        if twice { format!("{name}.i.i") } else { format!("{name}.i") }
    }

    /// The loop of a wide strip that is cut again, and the size of its tiles.
    pub(crate) fn cut_again(&self) -> Option<(String, i64)> {
        let (name, size) = self.nest.gens.last().zip(self.shape.tiles.last().copied().flatten())?;
        self.is_wide().then(|| (format!("{name}.i"), size))
    }

    /// Loops after that.
    fn after_cutting_again(&self, loops: Vec<String>) -> Vec<String> {
        let Some((cut, _)) = self.cut_again() else { return loops };
        let parts = |name: String| match name == cut {
            true => vec![format!("{name}.o"), format!("{name}.i")],
            false => vec![name],
        };
        loops.into_iter().flat_map(parts).collect()
    }

    /// The loops that are cut, with the sizes of their parts: `gen`s, then sums.
    pub(crate) fn cuts(&self) -> Vec<(&str, i64)> {
        let gens = self.nest.gens.iter().zip(&self.shape.tiles);
        let all = gens.chain(self.nest.sums.iter().zip(&self.shape.blocks));
        let mut cuts: Vec<(&str, i64)> =
            all.filter_map(|(name, cut)| Some((name.as_str(), (*cut)?))).collect();
        if let (true, Some(last)) = (self.is_wide(), self.nest.gens.last()) {
            let strips = cuts.iter_mut().filter(|(name, _)| name == last);
            strips.for_each(|(_, size)| *size = size.saturating_mul(self.shape.wide));
        }
        cuts
    }

    /// The loops that are tiled, with the sizes of the tiles.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = (&String, i64)> {
        self.nest.gens.iter().zip(&self.shape.tiles).filter_map(|(name, tile)| Some((name, (*tile)?)))
    }

    /// The loop of a `gen` that stands innermost.
    pub(crate) fn within_tile(&self, name: &str) -> String {
        match self.tiles().any(|(tiled, _)| tiled == name) {
            true => self.inside(name),
            false => name.to_owned(),
        }
    }

    /// The loops as splitting leaves them.
    pub(crate) fn as_written(&self) -> Vec<String> {
        let parts = |names: &[String], cuts: &[Option<i64>]| {
            let both = names.iter().zip(cuts).flat_map(|(name, cut)| match cut {
                Some(_) => vec![format!("{name}.o"), format!("{name}.i")],
                None => vec![name.clone()],
            });
            both.collect::<Vec<_>>()
        };
        let mut loops = parts(&self.nest.gens, &self.shape.tiles);
        if !self.nest.epilogue {
            loops.extend(parts(&self.nest.sums, &self.shape.blocks));
        }
        self.after_cutting_again(loops)
    }

    /// The loops as `tile` leaves them, where the last two `gen`s are all that is cut.
    pub(crate) fn as_tiled(&self) -> Option<Vec<String>> {
        let (others, [a, b]) = self.nest.gens.split_last_chunk()?;
        let cut: Vec<&str> = self.cuts().iter().map(|(name, _)| *name).collect();
        if cut != [a, b] {
            return None;
        }
        let parts = [format!("{a}.o"), format!("{b}.o"), format!("{a}.i"), format!("{b}.i")];
        let sums = self.nest.sums.iter().filter(|_| !self.nest.epilogue);
        Some(self.after_cutting_again(others.iter().cloned().chain(parts).chain(sums.cloned()).collect()))
    }

    /// The `gen`s outside a tile.
    pub(crate) fn outer(&self) -> Vec<String> {
        let cuts = self.nest.gens.iter().zip(&self.shape.tiles).enumerate();
        let outer = cuts.filter_map(|(k, (name, tile))| match tile {
            Some(_) => Some(format!("{name}.o")),
            None if self.is_inside(k) => None,
            None => Some(name.clone()),
        });
        let mut outer: Vec<String> = outer.collect();
        if let (Order::Strip, Some(reuse)) = (self.shape.order, &self.nest.reuse) {
            let rows = outer.remove(reuse.rows);
            outer.push(rows);
            outer.extend(self.cut_again().map(|(cut, _)| format!("{cut}.o")));
        }
        outer
    }

    /// The `gen`s inside a tile.
    pub(crate) fn inner(&self) -> Vec<String> {
        let cuts = self.nest.gens.iter().zip(&self.shape.tiles).enumerate();
        let inner = cuts.filter_map(|(k, (name, tile))| match tile {
            Some(_) => Some(self.inside(name)),
            None if self.is_inside(k) => Some(name.clone()),
            None => None,
        });
        inner.collect()
    }

    /// Does a `gen` without tiles run inside a tile: because one around it is tiled, or because the sums go
    /// around it?
    fn is_inside(&self, k: usize) -> bool {
        let sums_around = match self.shape.order {
            Order::Inside => false,
            Order::Strip => return false,
            Order::AroundTile | Order::Panel => k + 1 == self.nest.gens.len(),
            Order::AroundAll => true,
        };
        (sums_around && self.moves_sums()) || self.shape.tiles[..k].iter().any(Option::is_some)
    }

    /// The sums, of blocks their insides.
    pub(crate) fn sums(&self) -> impl Iterator<Item = String> {
        self.nest.sums.iter().zip(&self.shape.blocks).map(|(name, block)| match block {
            Some(_) => format!("{name}.i"),
            None => name.clone(),
        })
    }

    /// The loops in the order that is planned; without the sums where an epilogue stands between.
    pub(crate) fn loops(&self) -> Vec<String> {
        let (mut outer, inner) = (self.outer(), self.inner());
        if self.nest.epilogue {
            outer.extend(inner);
            return outer;
        }
        let cut = self.nest.sums.iter().zip(&self.shape.blocks).filter(|(_, block)| block.is_some());
        let blocks = cut.map(|(name, _)| format!("{name}.o"));
        match self.shape.order {
            Order::Inside => {
                outer.extend(inner);
                outer.extend(blocks);
                outer.extend(self.sums());
                outer
            }
            Order::AroundTile | Order::AroundAll | Order::Strip => {
                outer.extend(blocks);
                outer.extend(self.sums());
                outer.extend(inner);
                outer
            }
            Order::Panel => {
                let mut loops: Vec<String> = outer.pop().into_iter().collect();
                loops.extend(blocks);
                loops.extend(outer);
                loops.extend(self.sums());
                loops.extend(inner);
                loops
            }
        }
    }
}
