//! Which register buffers become named vectors.
//!
//! A register has no address. So a register buffer is a set of named vectors if every loop that touches it is over one
//! vector of one type, from zero (the pass `unroll` makes such loops), at literal multiples of the lanes: cell
//! `16 * k + lane` of `t` is a lane of `t_k`. Lanes may also be read one by one, at literal cells, as at the end of a sum
//! that was accumulated in lanes. Any other buffer is an array.

use crate::vector_type::Vector;
use atl_loops::lanes::Lanes;
use atl_loops::{Int, Kernel, Name, Scalar, Stmt, Storage, Val};
use std::collections::BTreeMap;

/// The named vectors that a register buffer is.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    pub(crate) vector: Vector,
    pub(crate) count: i64,
    /// Are some lanes of a vector stored before others?
    pub(crate) in_parts: bool,
}

/// The register buffers of a kernel that are named vectors.
pub(crate) fn registers(kernel: &Kernel, types: &BTreeMap<Name, Scalar>) -> BTreeMap<Name, Tile> {
    let mut search = Registers { types, found: BTreeMap::new() };
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, extents, storage: Storage::Register, .. } = stmt
            && let (false, Some(cells)) = (extents.is_empty(), Int::product(extents).constant())
        {
            search.found.insert(buf.clone(), Use { cells, vector: None, is_vectors: true, in_parts: false });
        }
    });
    search.stmt(&kernel.body, None);
    let tiles = search.found.into_iter().filter_map(|(buf, used)| {
        let vector = used.vector.filter(|_| used.is_vectors)?;
        let lanes = i64::from(vector.count);
        let tile = Tile { vector, count: used.cells / lanes, in_parts: used.in_parts };
        (used.cells % lanes == 0).then_some((buf, tile))
    });
    tiles.collect()
}

/// The register buffers of a kernel, other than single numbers, that are arrays in C.
pub fn register_arrays(kernel: &Kernel) -> Vec<Name> {
    let named = registers(kernel, &kernel.buffer_types());
    let mut arrays = Vec::new();
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, extents, storage: Storage::Register, .. } = stmt
            && !extents.is_empty()
            && !named.contains_key(buf)
        {
            arrays.push(buf.clone());
        }
    });
    arrays
}

/// How a register buffer is used.
struct Use {
    cells: i64,
    vector: Option<Vector>,
    is_vectors: bool,
    in_parts: bool,
}

/// A loop over one vector from zero.
struct Within<'a> {
    lanes: &'a Lanes<'a>,
    /// Do conditions on the lane stand around?
    in_parts: bool,
}

struct Registers<'a> {
    types: &'a BTreeMap<Name, Scalar>,
    found: BTreeMap<Name, Use>,
}

impl Registers<'_> {
    fn stmt(&mut self, stmt: &Stmt, within: Option<&Within<'_>>) {
        // What index terms read is in memory.
        stmt.for_each_read(&mut |buf, _| {
            self.found.remove(buf);
        });
        match stmt {
            Stmt::Vectors { vectors, body } => {
                let lanes = Lanes::new(vectors, body);
                let is_from_zero = vectors.are_one() && vectors.lo.constant() == Some(0);
                let within = is_from_zero.then_some(Within { lanes: &lanes, in_parts: false });
                self.stmt(body, within.as_ref());
            }
            Stmt::If { cond, then, otherwise } => {
                let within = within.map(|within| Within {
                    in_parts: within.in_parts || within.lanes.varies_where(cond),
                    ..*within
                });
                self.stmt(then, within.as_ref());
                otherwise.iter().for_each(|otherwise| self.stmt(otherwise, within.as_ref()));
            }
            Stmt::Push { value, .. } => self.value(value, within),
            Stmt::Store { buf, index, value, .. } => {
                self.touch(buf, index, within);
                if let Some(used) = self.found.get_mut(buf) {
                    used.in_parts |= within.is_some_and(|within| within.in_parts);
                }
                self.value(value, within);
            }
            stmt => stmt.parts().for_each(|part| self.stmt(part, within)),
        }
    }

    /// The accesses of a value.
    fn value(&mut self, value: &Val, within: Option<&Within<'_>>) {
        value.for_each(&mut |part| {
            if let Val::Load { buf, index } = part
                && !self.is_lane(buf, index)
            {
                self.touch(buf, index, within);
            }
        });
    }

    /// Is the cell a literal one?
    fn is_lane(&self, buf: &Name, index: &Int) -> bool {
        let Some(used) = self.found.get(buf) else { return false };
        index.constant().is_some_and(|cell| (0..used.cells).contains(&cell))
    }

    /// An access, in a loop over lanes or not.
    fn touch(&mut self, buf: &Name, index: &Int, within: Option<&Within<'_>>) {
        let Some(used) = self.found.get_mut(buf) else { return };
        let vector = within.and_then(|within| {
            let lanes = within.lanes;
            let first = lanes.first(index)?.constant()?;
            let is_part = first % i64::from(lanes.count) == 0 && (0..used.cells).contains(&first);
            let scalar = *self.types.get(buf)?;
            is_part.then_some(Vector { scalar, count: lanes.count })
        });
        used.is_vectors &= vector.is_some_and(|vector| *used.vector.get_or_insert(vector) == vector);
    }
}
