//! Hash-consing: equal values have one number.
//!
//! Everything the checker computes with is kept once and named by its number, so "the same term" is equality of two
//! integers and a shared part costs nothing. Numbers are never taken back; an arena that would grow past its bound
//! refuses the file. Arenas only grow, so they may be added to while others read them.

use crate::refusal::{Checked, refuse};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// Values of one kind, each kept once, with what is known about it.
pub(crate) struct Interner<T, About = ()> {
    items: RefCell<Vec<(T, About)>>,
    numbers: RefCell<HashMap<T, u32>>,
}

impl<T, About> Default for Interner<T, About> {
    fn default() -> Self {
        Interner { items: RefCell::default(), numbers: RefCell::default() }
    }
}

/// The most values of a kind: what keeps memory bounded, whatever the file.
const MOST: usize = 1 << 23;

impl<T: Clone + Eq + Hash, About: Copy> Interner<T, About> {
    /// The number of a value. If it is new, `about` says what is to be known about it.
    pub(crate) fn add(&self, item: T, about: impl FnOnce(&T) -> Checked<About>) -> Checked<u32> {
        let known = self.numbers.borrow().get(&item).copied();
        if let Some(number) = known {
            return Ok(number);
        }
        let about = about(&item)?;
        let mut items = self.items.borrow_mut();
        let number = items.len() as u32;
        if items.len() >= MOST {
            return refuse("the proof makes more terms than this checker keeps");
        }
        items.push((item.clone(), about));
        self.numbers.borrow_mut().insert(item, number);
        Ok(number)
    }

    /// The value with a number that [`Interner::add`] gave.
    pub(crate) fn at(&self, number: u32) -> T {
        self.items.borrow()[number as usize].0.clone()
    }

    /// What is known about the value with a number.
    pub(crate) fn about(&self, number: u32) -> About {
        self.items.borrow()[number as usize].1
    }
}
