//! What a kernel is to save when it runs: marks, by the names that loops and `let`s have in the end.
//!
//! One idea: neither changes a value. A tensor with a record of what was stored to begins anew at the cost of that; a sum whose register
//! holds what nothing changes leaves the rest out. What they ask for is the loops' to check, and a mark that nothing has is refused.

use crate::error::LowerError;
use crate::kernel::LoopName;
use crate::scope::{Buffer, Scope};
use atl_kernel::Label;
use atl_loops::{LoopKind, Stmt};
use std::collections::BTreeSet;

/// See the module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Savings {
    /// The names of the `let`s that have a record of the cells stored to.
    pub touched: BTreeSet<String>,
    /// The sums that end early, by all names that each mark means.
    pub stops: Vec<BTreeSet<LoopName>>,
}

/// A mark that some loop or `let` has had.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Saved {
    Let(String),
    Sum(usize),
}

impl Scope<'_> {
    /// Is the `let` to have a record?
    pub(crate) fn is_touched(&mut self, label: &Label) -> bool {
        let is_meant = self.savings.touched.contains(&*label.name) && self.written.contains(&label.name);
        if is_meant {
            self.saved.insert(Saved::Let(label.name.to_string()));
        }
        is_meant
    }

    /// Is the sum to end early?
    pub(crate) fn stops(&mut self, label: &Label) -> bool {
        let Some(name) = self.loop_name(label) else { return false };
        let found = self.savings.stops.iter().position(|names| names.contains(&name));
        self.saved.extend(found.map(Saved::Sum));
        found.is_some()
    }

    /// Has every mark been found?
    pub(crate) fn all_saved(&self) -> Result<(), LowerError> {
        let why = "nothing has this name in the end, or nothing needs it";
        let is_left = |name: &&String| !self.saved.contains(&Saved::Let((*name).clone()));
        if let Some(name) = self.savings.touched.iter().find(is_left) {
            return Err(LowerError::NotSaved(name.clone(), why.to_owned()));
        }
        for (number, names) in self.savings.stops.iter().enumerate() {
            if !self.saved.contains(&Saved::Sum(number)) {
                let name = names.iter().next().map(|(_, name)| name.clone());
                return Err(LowerError::NotSaved(name.unwrap_or_default(), why.to_owned()));
            }
        }
        Ok(())
    }
}

/// The loop that ends once nothing changes the register that it combines into.
pub(crate) fn stopping(label: &Label, looped: Stmt, into: Option<&Buffer>) -> Result<Stmt, LowerError> {
    match (looped, into) {
        (Stmt::For { var, lo, hi, kind: LoopKind::Serial, body }, Some(into)) if into.extents.is_empty() => {
            // Nothing is combined where nothing is computed.
            let kind = match body.reduction_into(&into.name) {
                Some(_) => LoopKind::Until(into.name.clone()),
                None => LoopKind::Serial,
            };
            Ok(Stmt::For { var, lo, hi, kind, body })
        }
        (skip, _) if skip == Stmt::skip() => Ok(skip),
        _ => Err(LowerError::NotSaved(
            label.name.to_string(),
            "its terms are not added up one after the other in a register of their own".to_owned(),
        )),
    }
}
