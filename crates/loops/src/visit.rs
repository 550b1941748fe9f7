//! Traversals of statements: what stands inside, what they read, what they write.
//!
//! One idea: [`Stmt::parts`] and [`Stmt::map_parts`] know where statements stand in statements; whatever
//! treats most of them alike is made of these two, and names only the statements that it treats otherwise.

use crate::intersection::{Intersection, Partner};
use crate::lanes::Vectors;
use crate::{Init, Int, Name, Stmt, Val};
use std::collections::BTreeSet;

impl Stmt {
    /// The same statement of other parts: of what `f` makes of each statement directly inside.
    pub fn map_parts(&self, f: &mut impl FnMut(&Stmt) -> Stmt) -> Stmt {
        match self {
            Stmt::Seq(stmts) => Stmt::seq(stmts.iter().map(f)),
            Stmt::For { var, lo, hi, kind, body } => {
                Stmt::for_loop(var.clone(), lo.clone(), hi.clone(), kind.clone(), f(body))
            }
            Stmt::If { cond, then, otherwise } => Stmt::If {
                cond: cond.clone(),
                then: Box::new(f(then)),
                otherwise: otherwise.as_ref().map(|otherwise| Box::new(f(otherwise))),
            },
            Stmt::Alloc { buf, scalar, extents, storage, init, body } => Stmt::Alloc {
                buf: buf.clone(),
                scalar: *scalar,
                extents: extents.clone(),
                storage: *storage,
                init: init.clone(),
                body: Box::new(f(body)),
            },
            Stmt::Visit { var, buf, body } => {
                Stmt::Visit { var: var.clone(), buf: buf.clone(), body: Box::new(f(body)) }
            }
            Stmt::Vectors { vectors, body } => {
                Stmt::Vectors { vectors: vectors.clone(), body: Box::new(f(body)) }
            }
            Stmt::Search { search, body } => Stmt::Search { search: search.clone(), body: Box::new(f(body)) },
            Stmt::Intersection { intersection, body } => {
                Stmt::Intersection { intersection: intersection.clone(), body: Box::new(f(body)) }
            }
            Stmt::Merge { keys, runs, body } => {
                Stmt::Merge { keys: keys.clone(), runs: runs.clone(), body: Box::new(f(body)) }
            }
            Stmt::Reset { .. }
            | Stmt::Forget { .. }
            | Stmt::Store { .. }
            | Stmt::Push { .. }
            | Stmt::Prefetch { .. } => self.clone(),
        }
    }

    /// The loops that a search, an intersection or whole vectors mean; any other statement as it is.
    pub fn plain(&self) -> Stmt {
        match self {
            Stmt::Vectors { vectors, body } => vectors.plain((**body).clone()),
            Stmt::Search { search, body } => search.plain((**body).clone()),
            Stmt::Intersection { intersection, body } => intersection.loops((**body).clone()),
            stmt => stmt.clone(),
        }
    }

    /// The same statement, with such loops everywhere inside.
    pub fn plain_loops(&self) -> Stmt {
        match self {
            Stmt::Vectors { .. } | Stmt::Search { .. } | Stmt::Intersection { .. } => {
                self.plain().map_parts(&mut Stmt::plain_loops)
            }
            stmt => stmt.map_parts(&mut Stmt::plain_loops),
        }
    }

    /// The statements directly inside, in order.
    pub fn parts(&self) -> impl Iterator<Item = &Stmt> {
        let (stmts, first, second): (&[Stmt], _, _) = match self {
            Stmt::Seq(stmts) => (stmts, None, None),
            Stmt::For { body, .. }
            | Stmt::Alloc { body, .. }
            | Stmt::Visit { body, .. }
            | Stmt::Vectors { body, .. }
            | Stmt::Search { body, .. }
            | Stmt::Intersection { body, .. }
            | Stmt::Merge { body, .. } => (&[], Some(body), None),
            Stmt::If { then, otherwise, .. } => (&[], Some(then), otherwise.as_ref()),
            Stmt::Reset { .. }
            | Stmt::Forget { .. }
            | Stmt::Store { .. }
            | Stmt::Push { .. }
            | Stmt::Prefetch { .. } => (&[], None, None),
        };
        stmts.iter().chain([first, second].into_iter().flatten().map(Box::as_ref))
    }

    /// Calls `f` on this statement and on every statement inside it, outer ones first.
    pub fn for_each<'a>(&'a self, f: &mut impl FnMut(&'a Stmt)) {
        f(self);
        self.parts().for_each(|part| part.for_each(f));
    }

    /// Does `is_one` hold of this statement, or of one inside it?
    pub fn any<'a>(&'a self, mut is_one: impl FnMut(&'a Stmt) -> bool) -> bool {
        let mut found = false;
        self.for_each(&mut |stmt| found = found || is_one(stmt));
        found
    }

    /// The buffers that this statement, and those inside it, store to.
    pub fn stored(&self) -> Vec<&Name> {
        let mut found = Vec::new();
        self.for_each(&mut |stmt| {
            if let Stmt::Store { buf, .. } = stmt {
                found.push(buf);
            }
        });
        found
    }

    /// Does this statement, or one inside it, store to the buffer of this name, or to a copy of it?
    pub fn stores_to(&self, buf: &str) -> bool {
        self.stored().into_iter().any(|to| to.as_str() == buf || to.original() == buf)
    }

    /// The variables that it gives to its body: of a loop, and of a merge those of its key.
    pub fn variables(&self) -> impl Iterator<Item = &Name> {
        let (first, partners, keys): (_, &[Partner], &[Name]) = match self {
            Stmt::For { var, .. } | Stmt::Visit { var, .. } => (Some(var), &[], &[]),
            Stmt::Vectors { vectors, .. } => (Some(&vectors.var), &[], &[]),
            Stmt::Search { search, .. } => (Some(&search.var), &[], &[]),
            Stmt::Intersection { intersection: Intersection { first, partners, .. }, .. } => {
                (Some(&first.var), partners, &[])
            }
            Stmt::Merge { keys, .. } => (None, &[], keys),
            _ => (None, &[], &[]),
        };
        first.into_iter().chain(partners.iter().map(|partner| &partner.sequence.var)).chain(keys)
    }

    /// May it run its body several times?
    pub fn is_loop(&self) -> bool {
        match self {
            Stmt::For { .. }
            | Stmt::Visit { .. }
            | Stmt::Vectors { .. }
            | Stmt::Search { .. }
            | Stmt::Intersection { .. }
            | Stmt::Merge { .. } => true,
            Stmt::Seq(_)
            | Stmt::If { .. }
            | Stmt::Alloc { .. }
            | Stmt::Reset { .. }
            | Stmt::Forget { .. }
            | Stmt::Store { .. }
            | Stmt::Push { .. }
            | Stmt::Prefetch { .. } => false,
        }
    }
}

impl Stmt {
    /// Calls `f` on each buffer that index terms and predicates of this statement read, with the cell; not
    /// on what the statements inside it read.
    pub fn for_each_read<'a>(&'a self, f: &mut impl FnMut(&'a Name, &'a Int)) {
        let init = |init: &'a Init, f: &mut _| match init {
            Init::Uninit => {}
            Init::Value(value) => value.for_each_read(f),
        };
        match self {
            Stmt::Seq(_) | Stmt::Visit { .. } => {}
            Stmt::For { lo, hi, .. }
            | Stmt::Vectors { vectors: Vectors { lo, hi, .. }, .. }
            | Stmt::Forget { lo, hi, .. } => {
                lo.for_each_read(f);
                hi.for_each_read(f);
            }
            Stmt::If { cond, .. } => cond.for_each_read(f),
            Stmt::Alloc { extents, init: first, .. } => {
                extents.iter().for_each(|extent| extent.for_each_read(f));
                init(first, f);
            }
            Stmt::Reset { init: first, .. } => init(first, f),
            Stmt::Store { index, value, .. } => {
                index.for_each_read(f);
                value.for_each_read(f);
            }
            Stmt::Push { value, .. } => value.for_each_read(f),
            Stmt::Prefetch { index, .. } => index.for_each_read(f),
            Stmt::Search { search, .. } => search.for_each_read(f),
            Stmt::Intersection { intersection, .. } => intersection.for_each_read(f),
            Stmt::Merge { runs, .. } => runs.iter().for_each(|run| run.for_each_read(f)),
        }
    }

    /// Does this statement, or one inside it, read the buffer, as a value or in an index term?
    pub fn reads(&self, buf: &Name) -> bool {
        self.reads_where(buf, &|_| true)
    }

    /// Does this statement, or one inside it, read another cell of the buffer than this one?
    pub fn reads_elsewhere(&self, buf: &Name, cell: &Int) -> bool {
        self.reads_where(buf, &|index| index != cell)
    }

    fn reads_where(&self, buf: &Name, is_meant: &dyn Fn(&Int) -> bool) -> bool {
        let mut found = false;
        self.for_each(&mut |stmt| {
            stmt.for_each_read(&mut |read, index| found |= read == buf && is_meant(index));
            let (Stmt::Alloc { init: Init::Value(value), .. }
            | Stmt::Reset { init: Init::Value(value), .. }
            | Stmt::Store { value, .. }
            | Stmt::Push { value, .. }) = stmt
            else {
                return;
            };
            value.for_each(&mut |part| {
                found |= matches!(part, Val::Load { buf: read, index } if read == buf && is_meant(index));
            });
        });
        found
    }

    /// The buffers that this statement and those inside it store to, push to, reset, visit or forget cells
    /// of.
    pub fn written(&self) -> BTreeSet<&Name> {
        let mut written = BTreeSet::new();
        self.for_each(&mut |stmt| {
            if let Stmt::Store { buf, .. }
            | Stmt::Push { buf, .. }
            | Stmt::Reset { buf, .. }
            | Stmt::Visit { buf, .. }
            | Stmt::Forget { buf, .. } = stmt
            {
                written.insert(buf);
            }
        });
        written
    }
}
