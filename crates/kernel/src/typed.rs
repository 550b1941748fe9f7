//! Types of what stands below a `let`, remembered.
//!
//! A chain of `let`s is as long as a program, and an inference about one of them states all that follow, most
//! of which was typed before. Only a type that asks for no certificate is remembered, so no assumption
//! matters: it depends on the term, and on the entries that the term's variables are.

use crate::ctx::{Ctx, Entry, Recorder, Type};
use crate::error::Result;
use crate::infer::{Infer, Scope};
use crate::ix::Ix;
use crate::memo::Memo;
use crate::subst::reach;
use crate::term::Expr;

thread_local! {
    static TYPES: Memo<Typed> = Memo::default();
}

/// A type, and what it depends on beside the term.
#[derive(Clone)]
struct Typed {
    /// The entries up to the last one that is a free variable of the term.
    free: Ctx,
    /// Those that its bound variables may be, the innermost first.
    bound: Vec<Entry>,
    ty: Type,
}

/// A type is remembered where the term's bound variables count at most this number of binders around it.
const AROUND: u64 = 8;

impl Scope {
    /// The type of what stands below a `let`.
    ///
    /// Levels of the binders around it differ from place to place. So a type is remembered, and one that is
    /// remembered is taken, only where nothing speaks of these levels: neither the types of the bound
    /// variables nor, therefore, the term's.
    pub(crate) fn below_let(&mut self, e: &Expr, rec: &mut Recorder<'_>, body_type: Infer) -> Result<Type> {
        let Some((free, bound)) = self.spoken_of(e) else { return body_type(self, e, rec) };
        let is_same = |known: &Typed| known.bound == bound && self.ctx.begins_as(&known.free);
        if let Some(known) = TYPES.try_with(|types| types.get(e)).ok().flatten().filter(is_same) {
            return Ok(known.ty);
        }
        let ty = body_type(self, e, rec)?;
        if self.known.is_none() && !self.speaks_of_binders(&ty.shape, bound.len()) {
            let mut before = self.ctx.clone();
            before.truncate(free);
            let known = Typed { free: before, bound, ty: ty.clone() };
            let _ = TYPES.try_with(|types| types.insert(e, known));
        }
        Ok(ty)
    }

    /// The first level above a term's free variables, and the entries of its bound ones, if its type depends
    /// on nothing else.
    fn spoken_of(&self, e: &Expr) -> Option<(u32, Vec<Entry>)> {
        let (binders, free) = reach(e);
        if !self.plain || binders > AROUND || free > u64::from(self.base) {
            return None;
        }
        let first = self.stack.len().checked_sub(binders as usize)?;
        let entry = |level: &u32| self.ctx.entry(*level).cloned();
        let bound = self.stack[first..].iter().rev().map(entry).collect::<Option<Vec<_>>>()?;
        let speaks = bound.iter().any(|entry| match entry {
            Entry::Tensor(_, ty) => self.speaks_of_binders(&ty.shape, bound.len()),
            _ => false,
        });
        (!speaks).then_some((free as u32, bound))
    }

    /// Does an index term speak of one of the innermost binders, or of an entry after the outermost of them?
    fn speaks_of_binders(&self, terms: &[Ix], binders: usize) -> bool {
        let outermost = self.stack[self.stack.len() - binders..].first();
        let mut levels = outermost.map_or(0..0, |level| *level..self.ctx.level());
        levels.any(|level| terms.iter().any(|ix| ix.mentions(level)))
    }
}
