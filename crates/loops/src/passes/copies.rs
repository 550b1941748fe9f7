//! Copies of statements, for passes that write one out several times: every buffer of a kernel has a
//! name of its own.

use super::rewrite::{Rewrite, rewrite_stmt};
use crate::{Int, Kernel, LoopKind, Name, Stmt, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Makes copies within a kernel.
pub(super) struct Copies {
    /// Names that a new buffer may not have.
    taken: BTreeSet<Name>,
}

impl Copies {
    pub(super) fn of(kernel: &Kernel) -> Copies {
        Copies { taken: kernel.sizes.iter().cloned().chain(kernel.buffer_types().into_keys()).collect() }
    }

    /// A copy whose buffers have names of their own.
    pub(super) fn copy(&mut self, body: &Stmt) -> Stmt {
        let mut names = BTreeMap::new();
        body.for_each(&mut |stmt| {
            if let Stmt::Alloc { buf, .. } = stmt {
                let spellings = (1..).map(|k| Name::from(format!("{buf}_{k}")));
                names.extend(self.first_free(spellings).map(|fresh| (buf.clone(), fresh)));
            }
        });
        if names.is_empty() { body.clone() } else { rewrite_stmt(&Rename(names), body) }
    }

    /// A name for a new buffer: this one, or it with a number.
    pub(super) fn fresh(&mut self, name: &str) -> Name {
        let numbered = (1..).map(|k| Name::from(format!("{name}_{k}")));
        self.first_free([Name::new(name)].into_iter().chain(numbered)).unwrap_or_else(|| Name::new(name))
    }

    fn first_free(&mut self, mut spellings: impl Iterator<Item = Name>) -> Option<Name> {
        let free = spellings.find(|name| !self.taken.contains(name))?;
        self.taken.insert(free.clone());
        Some(free)
    }
}

/// Other names for buffers.
struct Rename(BTreeMap<Name, Name>);

impl Rename {
    fn name(&self, buf: Name) -> Name {
        self.0.get(&buf).cloned().unwrap_or(buf)
    }
}

impl Rewrite for Rename {
    fn int(&self, int: Int) -> Int {
        match int {
            Int::Load(buf, cell) => Int::Load(self.name(buf), cell),
            int => int,
        }
    }

    fn val(&self, val: Val) -> Val {
        match val {
            Val::Load { buf, index } => Val::Load { buf: self.name(buf), index },
            val => val,
        }
    }

    fn stmt(&self, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::Alloc { buf, scalar, extents, storage, init, body } => {
                Stmt::Alloc { buf: self.name(buf), scalar, extents, storage, init, body }
            }
            Stmt::Reset { buf, init } => Stmt::Reset { buf: self.name(buf), init },
            Stmt::Forget { buf, lo, hi } => Stmt::Forget { buf: self.name(buf), lo, hi },
            Stmt::Store { buf, index, value, mode } => {
                Stmt::Store { buf: self.name(buf), index, value, mode }
            }
            Stmt::Push { buf, value } => Stmt::Push { buf: self.name(buf), value },
            Stmt::Visit { var, buf, body } => Stmt::Visit { var, buf: self.name(buf), body },
            Stmt::For { var, lo, hi, kind: LoopKind::EarlyExit(buf), body } => {
                Stmt::For { var, lo, hi, kind: LoopKind::EarlyExit(self.name(buf)), body }
            }
            Stmt::For { var, lo, hi, kind: LoopKind::Unless(buf), body } => {
                Stmt::For { var, lo, hi, kind: LoopKind::Unless(self.name(buf)), body }
            }
            stmt => stmt,
        }
    }
}
