//! Names of a function: what each tensor is called at a place, and fresh ones for loops.
//!
//! An assignment makes a `let`. The first of a name is called so, the next `C_2`, so nothing is shadowed, and
//! schedules can name each.

use crate::typing::Checked;
use std::collections::{BTreeMap, BTreeSet};

/// What loops are called, in this order.
const LOOPS: [&str; 12] = ["i", "j", "k", "l", "p", "q", "r", "s", "t", "u", "v", "w"];

#[derive(Clone)]
pub(super) struct Names {
    /// What parameters, sizes and `let`s are called.
    taken: BTreeSet<String>,
    /// What loops are not called: what some tensor is called somewhere.
    tensors: BTreeSet<String>,
    /// The name of a tensor's present value.
    now: BTreeMap<String, String>,
    /// How many loops there are.
    loops: usize,
}

impl Names {
    pub(super) fn of(checked: &Checked<'_>) -> Names {
        let given = checked.given().map(|d| d.name.value.clone());
        let now: BTreeMap<String, String> = given.map(|name| (name.clone(), name)).collect();
        let mut taken: BTreeSet<String> = now.keys().cloned().collect();
        taken.extend(checked.context.sizes.names().iter().cloned());
        let tensors = checked.context.declarations.iter().map(|d| d.name.value.clone()).collect();
        Names { taken, tensors, now, loops: 0 }
    }

    /// What a tensor's present value is called.
    pub(super) fn value(&self, tensor: &str) -> String {
        self.now.get(tensor).cloned().unwrap_or_else(|| tensor.to_owned())
    }

    /// The name of a tensor's next value.
    pub(super) fn assign(&mut self, tensor: &str) -> String {
        let name = self.fresh(tensor);
        self.now.insert(tensor.to_owned(), name.clone());
        name
    }

    /// This name, or this name and a number.
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        let numbered = (2..).map(|n| format!("{stem}_{n}"));
        let found = std::iter::once(stem.to_owned()).chain(numbered).find(|name| !self.taken.contains(name));
        let name = found.unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// A loop's name, which no other loop of the function has: steps may bring loops together, and name them
    /// without more.
    pub(super) fn index(&mut self) -> String {
        loop {
            let (round, letter) = (self.loops / LOOPS.len(), LOOPS[self.loops % LOOPS.len()]);
            self.loops += 1;
            let name = if round == 0 { letter.to_owned() } else { format!("{letter}{round}") };
            if !self.taken.contains(&name) && !self.tensors.contains(&name) {
                return name;
            }
        }
    }
}
