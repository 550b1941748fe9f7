//! Which register buffers become named vectors.
//!
//! A register has no address. So a register buffer is a set of named vectors if every loop that touches it is over one
//! vector of one type, from zero (the pass `unroll` makes such loops), at literal multiples of the lanes: cell
//! `16 * k + lane` of `t` is a lane of `t_k`. Lanes may also be read one by one, at literal cells, as at the end of a sum
//! that was accumulated in lanes. Any other buffer is an array.

use crate::vectors::{Lanes, Over, first, over, stores};
use atl_loops::{Int, Kernel, Name, Scalar, Stmt, Storage, Val};
use std::collections::BTreeMap;

/// The register buffers of a kernel that are named vectors, and how many vectors each is.
pub(crate) fn registers(kernel: &Kernel, types: &BTreeMap<Name, Scalar>) -> BTreeMap<Name, (Lanes, i64)> {
    let mut search = Registers { types, found: BTreeMap::new() };
    kernel.body.for_each(&mut |stmt| {
        if let Stmt::Alloc { buf, extents, storage: Storage::Register, .. } = stmt
            && let (false, Some(cells)) = (extents.is_empty(), Int::product(extents).constant())
        {
            search.found.insert(buf.clone(), Use { cells, lanes: None, is_vectors: true });
        }
    });
    search.stmt(&kernel.body);
    let vectors = search.found.into_iter().filter_map(|(buf, used)| {
        let lanes = used.lanes.filter(|_| used.is_vectors)?;
        let count = i64::from(lanes.count);
        (used.cells % count == 0).then_some((buf, (lanes, used.cells / count)))
    });
    vectors.collect()
}

/// How a register buffer is used.
struct Use {
    cells: i64,
    lanes: Option<Lanes>,
    is_vectors: bool,
}

struct Registers<'a> {
    types: &'a BTreeMap<Name, Scalar>,
    found: BTreeMap<Name, Use>,
}

impl Registers<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::For { var, lo, hi, kind, body } => match over(self.types, var, (lo, hi), *kind, body) {
                Some(over) => stores(body, &mut |store| {
                    let Some((buf, index, value, _)) = store else { return };
                    let within = Some(over).filter(|over| over.is_one);
                    self.touch(buf, index, within);
                    self.loads(value, within);
                }),
                None => self.stmt(body),
            },
            Stmt::If { then, otherwise, .. } => {
                self.stmt(then);
                otherwise.iter().for_each(|otherwise| self.stmt(otherwise));
            }
            Stmt::Alloc { body, .. } => self.stmt(body),
            Stmt::Reset { .. } => {}
            Stmt::Store { buf, index, value, .. } => {
                self.touch(buf, index, None);
                self.loads(value, None);
            }
        }
    }

    fn loads(&mut self, value: &Val, within: Option<Over<'_>>) {
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
    fn touch(&mut self, buf: &Name, index: &Int, within: Option<Over<'_>>) {
        let Some(used) = self.found.get_mut(buf) else { return };
        let lanes = within.filter(|over| {
            let first = first(index, over.var).and_then(|first| first.constant());
            let is_part = first.is_some_and(|first| {
                first % i64::from(over.lanes.count) == 0 && (0..used.cells).contains(&first)
            });
            is_part && self.types.get(buf) == Some(&over.lanes.scalar)
        });
        used.is_vectors &= lanes.is_some_and(|over| *used.lanes.get_or_insert(over.lanes) == over.lanes);
    }
}
