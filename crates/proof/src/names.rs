//! Names of definitions, which the kernel wants for as long as the process lives.
//!
//! A name is kept once, and there may be only so many, so reading files cannot fill the memory.

use crate::limits;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// This name, kept; `None` if it is too long, or there are too many.
pub(crate) fn keep(name: &str) -> Option<&'static str> {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return Some(known);
    }
    if name.len() > limits::NAME || names.len() >= limits::NAMES {
        return None;
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    Some(kept)
}
