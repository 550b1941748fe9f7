//! Contexts: what is known where an inference stands.

use crate::prelude::*;

/// The type of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Type {
    pub(crate) element: Element,
    /// The extents, outermost first.
    pub(crate) shape: Ixs,
}

/// An entry, labels apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Entry {
    Index,
    Tensor(Type),
    Hypothesis(Pred),
    /// A predicate that holds for all integers in place of so many variables, which are bound in it.
    General(u32, Pred),
}

/// A list of entries, worked on like a stack, and where variables are looked up in it.
#[derive(Default)]
pub(crate) struct Context {
    entries: Vec<Entry>,
    /// The levels of the binders entered, the innermost last.
    pub(crate) stack: Vec<u32>,
    /// Levels below it may be named as `free`.
    pub(crate) base: u32,
}

impl Context {
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of entries, which is the level of the next.
    pub(crate) fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    pub(crate) fn push(&mut self, entry: Entry) -> Checked<()> {
        require(self.entries.len() < limits::CONTEXT, "a context has more entries than the limits allow")?;
        self.entries.push(entry);
        Ok(())
    }

    /// Add what is known inside a loop: an index, and that it is in range.
    pub(crate) fn push_index(&mut self, store: &Store, extent: Ix) -> Checked<()> {
        let index = store.free_ix(self.len())?;
        self.push(Entry::Index)?;
        self.push(Entry::Hypothesis(store.compare(Relation::Le, store.literal(0)?, index)?))?;
        self.push(Entry::Hypothesis(store.compare(Relation::Lt, index, extent)?))
    }

    /// Leave the scopes entered since the context had `len` entries.
    pub(crate) fn leave(&mut self, len: u32) {
        self.entries.truncate(len as usize);
    }

    /// Stand at the top of a term in the context.
    pub(crate) fn at_top(&mut self) {
        self.stack.clear();
        self.base = self.len();
    }

    /// The level that `bound` means.
    fn bound(&self, binder: u32) -> Checked<u32> {
        let place = self.stack.len().checked_sub(binder as usize + 1);
        place.map(|place| self.stack[place]).ok_or("a bound variable points outside of the term".into())
    }

    /// The level that `free` means.
    fn free(&self, level: u32) -> Checked<u32> {
        require(level < self.base, "a free variable is not in the context")?;
        Ok(level)
    }

    /// An index term with its bound variables resolved; every variable must be allowed, and an index.
    pub(crate) fn resolve(&self, store: &Store, ix: Ix) -> Checked<Ix> {
        let level = match store.ix_node(ix) {
            IxNode::Literal(_) => return Ok(ix),
            IxNode::Bound(binder) => self.bound(binder)?,
            IxNode::Free(level) => self.free(level)?,
            IxNode::Op(op, a, b) => {
                store.work(1)?;
                let (a, b) = (self.resolve(store, a)?, self.resolve(store, b)?);
                return if store.ix_measure(ix).loose == 0 { Ok(ix) } else { store.mk(op, a, b) };
            }
            IxNode::Read(array, at) => {
                let ((level, ty), at) = (self.tensor(store.node(array))?, store.ix_list(at));
                let fits = ty.element.scalar.is_index() && store.ix_list(ty.shape).len() == at.len();
                require(fits, "an index reads a tensor that has no integer there")?;
                store.work(at.len() as u64)?;
                let at = at.into_iter().map(|i| self.resolve(store, i)).collect::<Checked<Vec<Ix>>>()?;
                return store.ix(IxNode::Read(store.term(TermNode::Free(level))?, store.ixs(&at)?));
            }
        };
        let is_index = self.entries.get(level as usize) == Some(&Entry::Index);
        require(is_index, "a variable is used as an index, and is none")?;
        store.free_ix(level)
    }

    /// [`Context::resolve`] in a predicate.
    pub(crate) fn resolve_pred(&self, store: &Store, pred: Pred) -> Checked<Pred> {
        store.map_pred(pred, &|ix| self.resolve(store, ix))
    }

    /// The level and the type of a tensor variable.
    pub(crate) fn tensor(&self, variable: TermNode) -> Checked<(u32, Type)> {
        let level = match variable {
            TermNode::Bound(binder) => self.bound(binder)?,
            TermNode::Free(level) => self.free(level)?,
            _ => return refuse("a term is no variable"),
        };
        match self.entries.get(level as usize) {
            Some(Entry::Tensor(ty)) => Ok((level, *ty)),
            _ => refuse("a variable is used as a tensor, and is none"),
        }
    }
}
