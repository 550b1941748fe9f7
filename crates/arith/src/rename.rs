//! Variables under other levels, and terms for others: in terms, in predicates, and in what they speak of.

use atl_kernel::{Ix, Pred, Type, Var};
use std::sync::Arc;

/// The level of each variable there, by its level here, and what terms are there that are replaced as a whole.
#[derive(Default)]
pub(crate) struct Renaming {
    levels: Vec<Option<u32>>,
    replaced: Vec<(Ix, Ix)>,
}

impl Renaming {
    /// This variable has that level there.
    pub(crate) fn set(&mut self, level: u32, there: u32) {
        let at = level as usize;
        if self.levels.len() <= at {
            self.levels.resize(at + 1, None);
        }
        self.levels[at] = Some(there);
    }

    /// This term is that one there.
    pub(crate) fn replace(&mut self, term: Ix, there: Ix) {
        self.replaced.push((term, there));
    }

    /// The level there; that here, where no other is known.
    pub(crate) fn level(&self, level: u32) -> u32 {
        self.levels.get(level as usize).copied().flatten().unwrap_or(level)
    }

    fn var(&self, var: Var) -> Var {
        match var {
            Var::Free(level) => Var::Free(self.level(level)),
            Var::Bound(_) => var,
        }
    }

    /// A term there.
    pub(crate) fn ix(&self, ix: &Ix) -> Ix {
        if let Some((_, there)) = self.replaced.iter().find(|(term, _)| term == ix) {
            return there.clone();
        }
        match ix {
            Ix::Lit(_) => ix.clone(),
            Ix::Var(var) => Ix::Var(self.var(*var)),
            Ix::Bin(op, ab) => Ix::Bin(*op, Arc::new((self.ix(&ab.0), self.ix(&ab.1)))),
            Ix::Read(array, at) => Ix::Read(self.var(*array), at.iter().map(|i| self.ix(i)).collect()),
        }
    }

    /// A type there.
    pub(crate) fn ty(&self, ty: &Type) -> Type {
        Type { elem: ty.elem, shape: ty.shape.iter().map(|n| self.ix(n)).collect() }
    }

    /// A predicate there.
    pub(crate) fn pred(&self, p: &Pred) -> Pred {
        let both = |ab: &(Pred, Pred)| Arc::new((self.pred(&ab.0), self.pred(&ab.1)));
        match p {
            Pred::True | Pred::False => p.clone(),
            Pred::Cmp(cmp, a, b) => Pred::Cmp(*cmp, self.ix(a), self.ix(b)),
            Pred::Not(q) => Pred::Not(Arc::new(self.pred(q))),
            Pred::And(ab) => Pred::And(both(ab)),
            Pred::Or(ab) => Pred::Or(both(ab)),
        }
    }
}

/// What a walk over a predicate meets.
pub(crate) enum Met {
    /// A variable of the context, or an array.
    Free(u32),
    /// Anything else, by a number.
    Other(u64),
}

/// Walk over a predicate: what is met says which it is, up to the levels of its variables.
pub(crate) fn walk(p: &Pred, meet: &mut dyn FnMut(Met)) {
    let (number, parts): (u64, [Option<&Pred>; 2]) = match p {
        Pred::True => (0, [None, None]),
        Pred::False => (1, [None, None]),
        Pred::Cmp(cmp, a, b) => {
            meet(Met::Other(16 + *cmp as u64));
            walk_ix(a, meet);
            return walk_ix(b, meet);
        }
        Pred::Not(q) => (2, [Some(&**q), None]),
        Pred::And(ab) => (3, [Some(&ab.0), Some(&ab.1)]),
        Pred::Or(ab) => (4, [Some(&ab.0), Some(&ab.1)]),
    };
    meet(Met::Other(number));
    parts.into_iter().flatten().for_each(|part| walk(part, meet));
}

/// The same over a term.
pub(crate) fn walk_ix(ix: &Ix, meet: &mut dyn FnMut(Met)) {
    match ix {
        Ix::Lit(n) => {
            meet(Met::Other(5));
            meet(Met::Other(n.cast_unsigned()));
        }
        Ix::Var(var) => walk_var(*var, meet),
        Ix::Bin(op, ab) => {
            meet(Met::Other(32 + *op as u64));
            walk_ix(&ab.0, meet);
            walk_ix(&ab.1, meet);
        }
        Ix::Read(array, at) => {
            meet(Met::Other(6));
            walk_var(*array, meet);
            meet(Met::Other(at.len() as u64));
            at.iter().for_each(|i| walk_ix(i, meet));
        }
    }
}

fn walk_var(var: Var, meet: &mut dyn FnMut(Met)) {
    match var {
        Var::Free(level) => meet(Met::Free(level)),
        Var::Bound(k) => {
            meet(Met::Other(7));
            meet(Met::Other(u64::from(k)));
        }
    }
}

/// The levels that a walk meets, each once, in order.
pub(crate) fn spoken(walk: impl FnOnce(&mut dyn FnMut(Met))) -> Vec<u32> {
    let mut levels: Vec<u32> = Vec::new();
    walk(&mut |met| match met {
        Met::Free(level) if !levels.contains(&level) => levels.push(level),
        Met::Free(_) | Met::Other(_) => {}
    });
    levels
}
