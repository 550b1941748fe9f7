//! Names for loops and buffers: the labels of the term, made well formed and distinct.

use atl_loops::{Name, RESERVED};
use std::collections::BTreeSet;

/// The names given so far.
#[derive(Default)]
pub(crate) struct Names {
    /// Sizes and buffers: distinct over the whole kernel.
    global: BTreeSet<String>,
    /// Every loop variable there has been: no buffer has its name.
    loops: BTreeSet<String>,
    /// The loop variables in scope.
    scope: Vec<String>,
}

impl Names {
    /// A size or buffer that must have this name; false if it is taken.
    pub(crate) fn reserve(&mut self, name: &str) -> bool {
        self.global.insert(name.to_owned())
    }

    /// A buffer, called like its label if it can be.
    pub(crate) fn buffer(&mut self, label: &str) -> Name {
        let name = vary(&sanitise(label, "t"), |n| self.global.contains(n) || self.loops.contains(n));
        self.global.insert(name.clone());
        Name::from(name)
    }

    /// A loop variable, in scope until [`Names::leave`]. Loops one after the other may share a name.
    pub(crate) fn enter(&mut self, label: &str) -> Name {
        let taken = |n: &str| self.global.contains(n) || self.scope.iter().any(|s| s == n);
        let name = vary(&sanitise(label, "i"), taken);
        self.loops.insert(name.clone());
        self.scope.push(name.clone());
        Name::from(name)
    }

    /// Leave the innermost loop.
    pub(crate) fn leave(&mut self) {
        self.scope.pop();
    }
}

/// The name, or the first of `name_1`, `name_2`, .. that is free.
fn vary(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let free = |n: &String| !taken(n) && !RESERVED.contains(&n.as_str());
    let mut candidates = std::iter::once(name.to_owned()).chain((1u64..).map(|k| format!("{name}_{k}")));
    candidates.find(free).unwrap_or_default()
}

/// Only letters, digits and `_`, not beginning with a digit; `default` for nothing.
pub fn sanitise(label: &str, default: &str) -> String {
    let kept: String = label.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    match kept.chars().next() {
        None => default.to_owned(),
        Some(c) if c.is_ascii_digit() => format!("{default}{kept}"),
        Some(_) => kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_where_they_must_be() {
        let mut names = Names::default();
        assert!(names.reserve("i") && !names.reserve("i"));
        assert_eq!(names.enter("i").as_str(), "i_1");
        assert_eq!(names.enter("i").as_str(), "i_2");
        names.leave();
        assert_eq!(names.enter("i").as_str(), "i_2");
        assert_eq!(names.buffer("i").as_str(), "i_3");
        assert_eq!(names.buffer("tmp").as_str(), "tmp");
        assert_eq!(names.enter("tmp").as_str(), "tmp_1");
    }

    #[test]
    fn labels_become_well_formed() {
        let mut names = Names::default();
        for (label, name) in [("", "i"), ("x'", "x"), ("3d", "i3d"), ("true", "true_1"), ("λ", "i_1")] {
            assert_eq!(names.enter(label).as_str(), name);
        }
    }
}
