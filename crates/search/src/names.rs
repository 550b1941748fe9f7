//! Names for what scripts make.

use std::collections::BTreeSet;

/// A name that is not taken, which it is from then on.
pub(crate) fn fresh(taken: &mut BTreeSet<String>, name: &str) -> String {
    let mut name = name.to_owned();
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}
