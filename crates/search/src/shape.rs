//! The shape of one nest of loops: its tiles, its blocks, and where its sums stand; and the names that its loops then have.

use crate::structure::Nest;

/// Where the sums stand among the loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Inside all loops, as written.
    Inside,
    /// Around the loops of a tile; without tiles, around the innermost loop.
    AroundTile,
    /// The same, with the last dimension's tiles and the blocks of the sums outermost: a panel stays in the cache.
    Panel,
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
}

impl Shape {
    /// The loops as they are.
    pub(crate) fn plain(nest: &Nest) -> Shape {
        let (tiles, blocks) = (vec![None; nest.gens.len()], vec![None; nest.sums.len()]);
        Shape { tiles, blocks, order: Order::Inside }
    }

    /// The last loops tiled by these sizes.
    pub(crate) fn tiled(mut self, sizes: &[i64]) -> Shape {
        for (tile, size) in self.tiles.iter_mut().rev().zip(sizes.iter().rev()) {
            *tile = Some(*size);
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

    /// The loops that are cut, with the sizes of their parts: `gen`s, then sums.
    pub(crate) fn cuts(&self) -> Vec<(&str, i64)> {
        let gens = self.nest.gens.iter().zip(&self.shape.tiles);
        let all = gens.chain(self.nest.sums.iter().zip(&self.shape.blocks));
        all.filter_map(|(name, cut)| Some((name.as_str(), (*cut)?))).collect()
    }

    /// The loops that are tiled, with the sizes of the tiles.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = (&String, i64)> {
        self.nest.gens.iter().zip(&self.shape.tiles).filter_map(|(name, tile)| Some((name, (*tile)?)))
    }

    /// The loop of a `gen` that stands innermost.
    pub(crate) fn within_tile(&self, name: &str) -> String {
        match self.tiles().any(|(tiled, _)| tiled == name) {
            true => format!("{name}.i"),
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
        loops
    }

    /// The `gen`s outside a tile.
    pub(crate) fn outer(&self) -> Vec<String> {
        let cuts = self.nest.gens.iter().zip(&self.shape.tiles).enumerate();
        let outer = cuts.filter_map(|(k, (name, tile))| match tile {
            Some(_) => Some(format!("{name}.o")),
            None if self.is_inside(k) => None,
            None => Some(name.clone()),
        });
        outer.collect()
    }

    /// The `gen`s inside a tile.
    pub(crate) fn inner(&self) -> Vec<String> {
        let cuts = self.nest.gens.iter().zip(&self.shape.tiles).enumerate();
        let inner = cuts.filter_map(|(k, (name, tile))| match tile {
            Some(_) => Some(format!("{name}.i")),
            None if self.is_inside(k) => Some(name.clone()),
            None => None,
        });
        inner.collect()
    }

    /// Does a `gen` without tiles run inside a tile: because one around it is tiled, or because the sums go around it?
    fn is_inside(&self, k: usize) -> bool {
        let sums_around = match self.shape.order {
            Order::Inside => false,
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
            Order::AroundTile | Order::AroundAll => {
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
