//! What a level is: metadata with a monoid, and the maps between positions and coordinates.
//!
//! **The one idea.** A level cuts a tensor along one dimension (or several, flattened) into slices and stores
//! some of them; their numbers are *positions*. It says, for each parent position, which positions belong to
//! it, and which coordinate each of them is. Appending metadata puts the slices of two stacks of parents one
//! after the other. Positions count through the whole level, over all parents, so the position of a
//! slice is the parent position of the level below.
//!
//! Positions that are not valid have slices too, and those are zero: every entry of the level below has a
//! place in the arrays. The laws that make all this a representation of tensors stand in
//! [`laws`](crate::laws).

use crate::levels::{Array, Common, Kind};
use crate::{Capabilities, Damage, Dimensions, EntryPositions, Metadata, Refusal, prefix};
use std::fmt::Debug;
use std::ops::Range;

/// The class of a slice that is all zero. Other equal slices share another number.
pub const ZERO: usize = 0;

/// What [`Level::encode`] returns: metadata, and for each position the slice that it stores, `None` for
/// zeros.
pub type Encoded = (Metadata, Vec<Option<usize>>);

/// A level with its extents and parameters.
///
/// All functions but [`well_formed`](Level::well_formed) rely on well-formed metadata, on parents below
/// `metadata.parents`, and on positions below [`npos`](Level::npos).
pub trait Level: Debug + Send + Sync {
    /// What every level has.
    fn common(&self) -> &Common;

    /// The table's entry.
    fn kind(&self) -> &'static Kind {
        self.common().kind
    }

    /// The name in formats.
    fn name(&self) -> &'static str {
        self.kind().name
    }

    /// What it can do.
    fn capabilities(&self) -> Capabilities {
        self.kind().capabilities
    }

    /// Its coordinates.
    fn dimensions(&self) -> &Dimensions {
        &self.common().dimensions
    }

    /// How many positions each parent has, or places for them, if that is the same for all; else 0.
    fn each(&self) -> usize {
        self.common().each
    }

    /// The names of arrays of entries that it has besides those of its kind: one for each dimension of its
    /// grid.
    fn tuple(&self) -> Vec<String> {
        Vec::new()
    }

    /// The names of its arrays.
    fn arrays(&self) -> Vec<String> {
        let fixed = self.kind().arrays.iter().map(|array| array.name().to_owned());
        fixed.chain(self.tuple()).collect()
    }

    /// The metadata and stored slices of one parent. A slice is given by its class: [`ZERO`], or a number
    /// that equal slices share. Refused if the level has no space for them.
    fn encode(&self, slices: &[usize]) -> Result<Encoded, Refusal>;

    /// The metadata of no parents: the unit of [`append`](Level::append).
    fn empty(&self) -> Metadata {
        let fixed = self.kind().arrays.iter().map(|array| array.empty());
        Metadata::new(0, fixed.chain(self.tuple().iter().map(|_| Vec::new())).collect())
    }

    /// The metadata of the left's parents, then the right's.
    fn append(&self, mut left: Metadata, right: &Metadata) -> Result<Metadata, Refusal> {
        let parents = left.parents.checked_add(right.parents);
        let parents =
            parents.ok_or_else(|| Refusal::TooLarge { what: "the number of parents".to_owned() })?;
        positions(parents, self.each())?;
        positions(self.npos(&left).saturating_add(self.npos(right)), 1)?;
        for (at, (left, right)) in left.arrays.iter_mut().zip(&right.arrays).enumerate() {
            match self.kind().arrays.get(at) {
                Some(Array::Totals(_)) => prefix::append(left, right),
                _ => left.extend_from_slice(right),
            }
        }
        Ok(Metadata { parents, ..left })
    }

    /// Whether this is metadata of this level: the validator, which must not panic on anything.
    fn well_formed(&self, metadata: &Metadata) -> Result<(), Damage>;

    /// How many positions there are. A level whose parents have different numbers of positions counts them
    /// itself.
    fn npos(&self, metadata: &Metadata) -> usize {
        metadata.parents * self.each()
    }

    /// The positions of a parent; again for a level whose parents have equally many.
    fn pos_bounds(&self, _: &Metadata, parent: usize) -> Range<usize> {
        block(parent, self.each())
    }

    /// The coordinates of a position: one, or an interval where a position stands for a run, or none if it is
    /// not valid.
    fn pos_crd(&self, metadata: &Metadata, parent: usize, position: usize) -> Range<i128>;

    /// The position of a coordinate, if it has one.
    fn crd_pos(&self, metadata: &Metadata, parent: usize, coordinate: i128) -> Option<usize>;

    /// Whether the position belongs to the parent and holds a slice. In a compact level, each within the
    /// bounds does.
    fn valid(&self, metadata: &Metadata, parent: usize, position: usize) -> bool {
        self.pos_bounds(metadata, parent).contains(&position)
    }

    /// The parent position of the level below.
    fn pos_pos(&self, position: usize) -> usize {
        position
    }

    /// Whether a position stands for a run of equal slices. Then [`pack`](Level::pack) is given two columns,
    /// whatever the grid: the first coordinate of each run and the one after its last, flattened.
    fn in_runs(&self) -> bool {
        false
    }

    /// A writer of this level.
    fn builder(&self) -> Box<dyn Builder + '_>;

    /// Writes entries. A level does this by [`fill`] with its own builder, or quicker.
    fn pack(&self, entries: SortedEntries) -> Result<PackedLevel, Refusal>;

    /// The valid positions below these parents, in order, with their coordinates. Refused if memory does not
    /// suffice, for runs may be long.
    fn expand(&self, metadata: Metadata, parents: &EntryPositions) -> Result<Expansion, Refusal> {
        let arity = self.dimensions().arity();
        let mut crd = vec![Vec::new(); arity];
        let (mut counts, mut positions) = (Vec::new(), Vec::new());
        for parent in (0..parents.len()).map(|entry| parents.of(entry)) {
            let before = positions.len();
            for position in self.pos_bounds(&metadata, parent) {
                if !self.valid(&metadata, parent, position) {
                    continue;
                }
                let run = self.pos_crd(&metadata, parent, position);
                let what = || Refusal::TooLarge { what: format!("the run {run:?}") };
                let len = usize::try_from(run.end - run.start).map_err(|_| what())?;
                positions.try_reserve(len).map_err(|_| what())?;
                for coordinate in run {
                    positions.push(position);
                    if arity == 1 {
                        crd[0].push(coordinate as i64);
                    } else {
                        let point = self.dimensions().unflatten(coordinate);
                        crd.iter_mut().zip(point).for_each(|(column, c)| column.push(c));
                    }
                }
            }
            counts.push(positions.len() - before);
        }
        Ok(Expansion { counts, positions: EntryPositions::List(positions), crd })
    }
}

/// Entries in the order of their parents and coordinates, to be written to a level.
#[derive(Clone, Debug)]
pub struct SortedEntries {
    /// How many parents there are.
    pub parents: usize,
    /// The coordinates, a column for each dimension of the grid.
    pub crd: Vec<Vec<i64>>,
    /// The parent of each entry.
    pub at: EntryPositions,
}

/// A level that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedLevel {
    /// Its metadata.
    pub metadata: Metadata,
    /// The position of each entry.
    pub positions: EntryPositions,
}

/// What stands below a list of parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// How many positions each parent of the list has.
    pub counts: Vec<usize>,
    /// The positions.
    pub positions: EntryPositions,
    /// Their coordinates, a column for each dimension of the level.
    pub crd: Vec<Vec<i64>>,
}

/// A writer of one level: the coordinates of the first parent, its end, the coordinates of the second, …
pub trait Builder {
    /// Stores a coordinate of the current parent and returns its position. Ordered levels take coordinates in
    /// increasing order only.
    fn push(&mut self, crd: &[i64]) -> Result<usize, Refusal>;

    /// Ends the current parent; called once for each parent, also for one without coordinates.
    fn finish(&mut self) -> Result<(), Refusal>;

    /// What was written. Every parent is finished.
    fn close(self: Box<Self>) -> Metadata;
}

/// Writes sorted entries with a builder: see [`Level::pack`]. Entries with equal parents and coordinates
/// share a position.
pub fn fill<B: Builder>(mut builder: B, entries: SortedEntries) -> Result<PackedLevel, Refusal> {
    let SortedEntries { parents, crd, at } = entries;
    let mut at = at.into_list();
    match &crd[..] {
        [only] => fill_by(&mut builder, parents, &mut at, |entry| [only[entry]])?,
        [first, second] => fill_by(&mut builder, parents, &mut at, |entry| [first[entry], second[entry]])?,
        _ => {
            let point = |entry: usize| crd.iter().map(|column| column[entry]).collect::<Vec<i64>>();
            fill_by(&mut builder, parents, &mut at, point)?;
        }
    }
    Ok(PackedLevel { metadata: Box::new(builder).close(), positions: EntryPositions::List(at) })
}

/// The loop of [`fill`], for points of any arity.
fn fill_by<P: AsRef<[i64]> + PartialEq>(
    builder: &mut impl Builder,
    parents: usize,
    at: &mut [usize],
    point: impl Fn(usize) -> P,
) -> Result<(), Refusal> {
    let mut parent = 0;
    let mut last: Option<(P, usize)> = None;
    for (entry, slot) in at.iter_mut().enumerate() {
        if *slot < parent || *slot >= parents {
            return Err(Refusal::Unsorted { entry });
        }
        while parent < *slot {
            builder.finish()?;
            parent += 1;
            last = None;
        }
        let point = point(entry);
        match &last {
            Some((same, position)) if *same == point => *slot = *position,
            _ => {
                *slot = builder.push(point.as_ref())?;
                last = Some((point, *slot));
            }
        }
    }
    for _ in parent..parents {
        builder.finish()?;
    }
    Ok(())
}

/// The refusal of a coordinate that is outside of the level's extents, or not above the one before it.
#[cold]
pub(crate) fn misplaced(level: &'static str, parent: usize, crd: &[i64]) -> Refusal {
    let why = "coordinates are inside the extent, in increasing order".to_owned();
    Refusal::NoSpace { level, parent, coordinate: crd.to_vec(), why }
}

/// Makes an array longer; refused if memory does not suffice.
pub(crate) fn grow<V: Clone>(array: &mut Vec<V>, len: usize, with: V) -> Result<(), Refusal> {
    let more = len.saturating_sub(array.len());
    array.try_reserve(more).map_err(|_| Refusal::TooLarge { what: format!("an array of {len} entries") })?;
    array.resize(len, with);
    Ok(())
}

/// The positions of a parent where each has equally many.
pub(crate) fn block(parent: usize, each: usize) -> Range<usize> {
    parent * each..(parent + 1) * each
}

/// A number of positions, `parents * each`; refused if it does not fit.
pub(crate) fn positions(parents: usize, each: usize) -> Result<usize, Refusal> {
    fits(parents, each)
        .ok_or_else(|| Refusal::TooLarge { what: format!("{parents} parents with {each} positions each") })
}

/// `parents * each`, if positions can number so many.
pub(crate) fn fits(parents: usize, each: usize) -> Option<usize> {
    parents.checked_mul(each).filter(|all| i64::try_from(*all).is_ok())
}
