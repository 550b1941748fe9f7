//! What a kernel does with its buffers, so far as C compilers look at it.
//!
//! A buffer that nothing reads is marked as such, lest the compiler warn of it. A local that is filled in the scope of a
//! heap buffer stays without a value where memory is short, for that scope is left out then; the kernel goes on and
//! returns its status, so such a local begins as zero. What reads its indices from a buffer that may be so is left out too.
//! A heap buffer that is filled and read in the same scopes, each entered at most once, is read only where
//! it was filled.

use atl_loops::intersection::Intersection;
use atl_loops::{Bool, Init, Kernel, Name, Stmt, Storage, Val};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of the buffers of a kernel.
#[derive(Default)]
pub(crate) struct Uses {
    read: BTreeSet<Name>,
    written: BTreeSet<Name>,
    /// Those written in the scope of a heap buffer within their own.
    may_stay_empty: BTreeSet<Name>,
    /// The scopes of heap buffers around each output and scratch buffer, its own with them.
    homes: BTreeMap<Name, Vec<Scope>>,
    /// The scratch on the heap.
    on_heap: BTreeSet<Name>,
    /// The scopes around each place that reads a buffer.
    reads: BTreeMap<Name, BTreeSet<Vec<Scope>>>,
    /// The scopes around each place that stores to a buffer.
    stores: BTreeMap<Name, BTreeSet<Vec<Scope>>>,
    /// The scopes around the statement at hand.
    around: Vec<Scope>,
    /// How many loops stand around it.
    loops: usize,
    /// How many scopes there were so far.
    scopes: usize,
}

/// The scope of a heap buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scope {
    number: usize,
    /// Does no loop stand around it?
    is_entered_once: bool,
}

impl Uses {
    pub(crate) fn of(kernel: &Kernel) -> Uses {
        let mut uses = Uses::default();
        uses.homes.extend(kernel.params.iter().map(|param| (param.name.clone(), Vec::new())));
        uses.stmt(&kernel.body);
        uses.may_stay_empty = uses.stores.keys().filter(|buf| uses.is_left_empty(buf)).cloned().collect();
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
            Stmt::Search { search, .. } => {
                for term in search.terms() {
                    term.for_each_read(&mut |buf, _| found |= self.may_stay_empty(buf));
                }
            }
            Stmt::Intersection { intersection: Intersection { first, partners, .. }, .. } => {
                let all = [first].into_iter().chain(partners.iter().map(|partner| &partner.sequence));
                for term in all.flat_map(|sequence| [&sequence.lo, &sequence.hi, &sequence.key]) {
                    term.for_each_read(&mut |buf, _| found |= self.may_stay_empty(buf));
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

    /// Is there a place that may read the buffer though a scope in which it is filled was left out?
    fn is_left_empty(&self, buf: &Name) -> bool {
        let Some(home) = self.homes.get(buf) else { return false };
        let reads = self.reads.get(buf);
        let is_filled_for = |scopes: &Vec<Scope>| {
            let own = scopes.get(home.len()..).unwrap_or_default();
            let is_alike = || {
                own.iter().all(|scope| scope.is_entered_once)
                    && reads.is_none_or(|reads| reads.iter().all(|read| read.starts_with(scopes)))
            };
            own.is_empty() || (self.on_heap.contains(buf) && is_alike())
        };
        self.stores.get(buf).is_some_and(|stores| !stores.iter().all(is_filled_for))
    }

    fn stmt(&mut self, stmt: &Stmt) {
        stmt.for_each_read(&mut |buf, _| self.see(buf));
        match stmt {
            Stmt::Visit { buf, body, .. } => {
                self.see(buf);
                self.write(buf);
                self.inside(body);
            }
            Stmt::Alloc { buf, storage, init, body, .. } => {
                self.begin(init);
                let is_on_heap = matches!(storage, Storage::Heap | Storage::Touched);
                if *storage == Storage::Heap {
                    self.on_heap.insert(buf.clone());
                }
                if is_on_heap {
                    self.around.push(Scope { number: self.scopes, is_entered_once: self.loops == 0 });
                    self.scopes += 1;
                }
                self.homes.insert(buf.clone(), self.around.clone());
                self.stmt(body);
                if is_on_heap {
                    self.around.pop();
                }
            }
            Stmt::Reset { buf, init } => {
                self.begin(init);
                self.write(buf);
            }
            Stmt::Prefetch { buf, .. } => self.see(buf),
            Stmt::Store { buf, value, .. } => {
                self.write(buf);
                self.value(value);
            }
            Stmt::Push { buf, value } => {
                self.written.insert(buf.clone());
                self.value(value);
            }
            Stmt::Seq(parts) => parts.iter().for_each(|part| self.stmt(part)),
            stmt => stmt.parts().for_each(|part| self.inside(part)),
        }
    }

    /// A part that may run several times.
    fn inside(&mut self, part: &Stmt) {
        self.loops += 1;
        self.stmt(part);
        self.loops -= 1;
    }

    /// What cells hold at first.
    fn begin(&mut self, init: &Init) {
        if let Init::Value(value) = init {
            self.value(value);
        }
    }

    fn value(&mut self, value: &Val) {
        value.for_each(&mut |val| {
            if let Val::Load { buf, .. } = val {
                self.see(buf);
            }
        });
    }

    /// The buffer is read here.
    fn see(&mut self, buf: &Name) {
        self.read.insert(buf.clone());
        self.reads.entry(buf.clone()).or_default().insert(self.around.clone());
    }

    fn write(&mut self, buf: &Name) {
        self.written.insert(buf.clone());
        self.stores.entry(buf.clone()).or_default().insert(self.around.clone());
    }
}
