//! Contexts: what is known where an inference stands.

use crate::algebra::Element;
use crate::index::{Ix, IxNode, Pred, PredNode, Relation};
use crate::limits;
use crate::refusal::{Checked, refuse, require};
use crate::store::Store;
use crate::terms::Ixs;

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
}

/// A list of entries, worked on like a stack.
#[derive(Default)]
pub(crate) struct Context {
    entries: Vec<Entry>,
}

impl Context {
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of entries, which is the level of the next.
    pub(crate) fn len(&self) -> u32 {
        // The limit is far below.
        self.entries.len() as u32
    }

    pub(crate) fn push(&mut self, entry: Entry) -> Checked<()> {
        require(self.entries.len() < limits::CONTEXT, "a context has more entries than the limits allow")?;
        self.entries.push(entry);
        Ok(())
    }

    /// Add what is known inside a loop: an index, and that it is in range.
    pub(crate) fn push_index(&mut self, store: &mut Store, extent: Ix) -> Checked<()> {
        let index = store.free_ix(self.len())?;
        let zero = store.literal(0)?;
        let low = store.compare(Relation::Le, zero, index)?;
        let high = store.compare(Relation::Lt, index, extent)?;
        self.push(Entry::Index)?;
        self.push(Entry::Hypothesis(low))?;
        self.push(Entry::Hypothesis(high))
    }

    /// Leave the scopes entered since the context had `len` entries.
    pub(crate) fn leave(&mut self, len: u32) {
        self.entries.truncate(len as usize);
    }

    pub(crate) fn is_index(&self, level: u32) -> bool {
        self.entries.get(level as usize) == Some(&Entry::Index)
    }

    pub(crate) fn tensor(&self, level: u32) -> Checked<Type> {
        match self.entries.get(level as usize) {
            Some(Entry::Tensor(ty)) => Ok(*ty),
            _ => refuse("a variable is used as a tensor, and is none"),
        }
    }
}

/// Where bound variables are looked up: the binders entered, and how much of the context may be named.
pub(crate) struct Scope {
    /// The levels of the binders entered, the innermost last.
    pub(crate) stack: Vec<u32>,
    /// Levels below it may be named as `free`.
    pub(crate) base: u32,
}

impl Scope {
    /// At the top of a term in a context.
    pub(crate) fn top(context: &Context) -> Scope {
        Scope { stack: Vec::new(), base: context.len() }
    }

    /// The level that `bound` means.
    pub(crate) fn level(&self, binder: u32) -> Checked<u32> {
        let place = self.stack.len().checked_sub(1).and_then(|top| top.checked_sub(binder as usize));
        let level = place.and_then(|place| self.stack.get(place));
        level.copied().ok_or("a bound variable points outside of the term".into())
    }

    /// The level that `free` means.
    pub(crate) fn free(&self, level: u32) -> Checked<u32> {
        require(level < self.base, "a free variable is not in the context")?;
        Ok(level)
    }

    /// Every variable of an index term is allowed, and an index.
    pub(crate) fn check_ix(&self, store: &mut Store, context: &Context, ix: Ix) -> Checked<()> {
        let level = match store.ix_node(ix) {
            IxNode::Literal(_) => return Ok(()),
            IxNode::Op(_, a, b) => {
                store.work(1)?;
                self.check_ix(store, context, a)?;
                return self.check_ix(store, context, b);
            }
            IxNode::Bound(binder) => self.level(binder)?,
            IxNode::Free(level) => self.free(level)?,
        };
        require(context.is_index(level), "a variable is used as an index, and is none")
    }

    /// Every variable of a predicate is allowed, and an index.
    pub(crate) fn check_pred(&self, store: &mut Store, context: &Context, pred: Pred) -> Checked<()> {
        store.work(1)?;
        match store.pred_node(pred) {
            PredNode::True | PredNode::False => Ok(()),
            PredNode::Not(p) => self.check_pred(store, context, p),
            PredNode::Compare(_, a, b) => {
                self.check_ix(store, context, a)?;
                self.check_ix(store, context, b)
            }
            PredNode::And(p, q) | PredNode::Or(p, q) => {
                self.check_pred(store, context, p)?;
                self.check_pred(store, context, q)
            }
        }
    }
}
