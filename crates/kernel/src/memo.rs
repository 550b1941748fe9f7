//! What is known of nodes, by their addresses.
//!
//! A node never changes, and no other node gets its address while a weak reference to it is kept. So what was
//! computed of a node once is true of what is met at that address. Nothing here says what a term means.

use crate::term::{Expr, Node};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The most nodes that are known; beyond that, all are forgotten.
const CAPACITY: usize = 1 << 16;

/// A value for each node of some.
pub(crate) struct Memo<T>(RefCell<HashMap<*const Node, (Weak<Node>, T)>>);

impl<T> Default for Memo<T> {
    fn default() -> Memo<T> {
        Memo(RefCell::default())
    }
}

impl<T: Clone> Memo<T> {
    /// What is known of a node.
    pub(crate) fn get(&self, e: &Expr) -> Option<T> {
        self.0.borrow().get(&Arc::as_ptr(e)).map(|(_, value)| value.clone())
    }

    /// Know this of a node.
    pub(crate) fn insert(&self, e: &Expr, value: T) {
        let mut known = self.0.borrow_mut();
        if known.len() >= CAPACITY {
            known.clear();
        }
        known.insert(Arc::as_ptr(e), (Arc::downgrade(e), value));
    }
}
