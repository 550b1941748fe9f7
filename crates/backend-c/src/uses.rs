//! What a kernel does with its buffers, so far as C compilers look at it.
//!
//! A buffer that nothing reads is marked as such, lest the compiler warn of it. A local that is filled in the scope of a
//! heap buffer stays without a value where memory is short, for that scope is left out then; the kernel goes on and
//! returns its status, so such a local begins as zero. What reads its indices from a buffer that may be so is left out too.

use atl_loops::intersection::Intersection;
use atl_loops::{Bool, Kernel, Name, Stmt, Storage, Val};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of the buffers of a kernel.
#[derive(Default)]
pub(crate) struct Uses {
    read: BTreeSet<Name>,
    written: BTreeSet<Name>,
    /// Those written in the scope of a heap buffer within their own.
    may_stay_empty: BTreeSet<Name>,
    /// How many scopes of heap buffers stand around each output and scratch buffer, its own with them.
    depths: BTreeMap<Name, usize>,
}

impl Uses {
    pub(crate) fn of(kernel: &Kernel) -> Uses {
        let mut uses = Uses::default();
        uses.depths.extend(kernel.params.iter().map(|param| (param.name.clone(), 0)));
        uses.stmt(&kernel.body, 0);
        uses
    }

    /// Does no value depend on the buffer?
    pub(crate) fn is_unread(&self, buf: &Name) -> bool {
        !self.read.contains(buf)
    }

    /// Is the buffer not even stored to?
    pub(crate) fn is_untouched(&self, buf: &Name) -> bool {
        self.is_unread(buf) && !self.written.contains(buf)
    }

    /// May the buffer be read before it is written, if memory is short?
    pub(crate) fn may_stay_empty(&self, buf: &Name) -> bool {
        self.may_stay_empty.contains(buf)
    }

    /// If memory is short, may index terms of the statement itself read what was not written?
    pub(crate) fn reads_uninitialised_after_oom(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        match stmt {
            // Its condition is looked at where it stands, and its other terms read inputs.
            Stmt::Search { .. } => {}
            Stmt::Intersection { intersection: Intersection { first, .. }, .. } => {
                for bound in [&first.lo, &first.hi] {
                    bound.for_each_read(&mut |buf, _| found |= self.may_stay_empty(buf));
                }
            }
            stmt => stmt.for_each_read(&mut |buf, _| found |= self.may_stay_empty(buf)),
        }
        found
    }

    /// The same of a condition.
    pub(crate) fn condition_reads_uninitialised_after_oom(&self, cond: &Bool) -> bool {
        let mut found = false;
        cond.for_each_read(&mut |buf, _| found |= self.may_stay_empty(buf));
        found
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        stmt.for_each_read(&mut |buf, _| {
            self.read.insert(buf.clone());
        });
        match stmt {
            Stmt::Visit { buf, body, .. } => {
                self.read.insert(buf.clone());
                self.write(buf, depth);
                self.stmt(body, depth);
            }
            Stmt::Alloc { buf, storage, body, .. } => {
                let inside = depth + usize::from(matches!(storage, Storage::Heap | Storage::Touched));
                self.depths.insert(buf.clone(), inside);
                self.stmt(body, inside);
            }
            Stmt::Reset { buf, .. } => self.write(buf, depth),
            Stmt::Prefetch { buf, .. } => {
                self.read.insert(buf.clone());
            }
            Stmt::Store { buf, value, .. } => {
                self.write(buf, depth);
                self.value(value);
            }
            Stmt::Push { buf, value } => {
                self.written.insert(buf.clone());
                self.value(value);
            }
            stmt => stmt.parts().for_each(|part| self.stmt(part, depth)),
        }
    }

    fn value(&mut self, value: &Val) {
        value.for_each(&mut |val| {
            if let Val::Load { buf, .. } = val {
                self.read.insert(buf.clone());
            }
        });
    }

    fn write(&mut self, buf: &Name, depth: usize) {
        self.written.insert(buf.clone());
        if self.depths.get(buf).is_some_and(|at| *at < depth) {
            self.may_stay_empty.insert(buf.clone());
        }
    }
}
