//! What is known of size variables: differences, `n + c <= m`, closed under addition.
//!
//! The one idea: equality and order of sizes, numbers among them, are bounds on differences of two variables,
//! where 0 is one. The shortest paths of their graph answer every question exactly, and the longest ones from
//! 0 are the smallest sizes for which everything holds: that is where counterexamples come from.

use crate::language::{Fact, Placed, Relation, Size};
use std::cell::RefCell;

/// The most size variables of a program.
pub(crate) const MAX_VARIABLES: usize = 48;

/// Facts of sizes, each of which is at least 1.
#[derive(Clone, Debug)]
pub struct Sizes {
    names: Vec<String>,
    /// `bound[a][b] = Some(c)`: node `b` is at most node `a` plus `c`; node 0 is the number 0.
    bound: Vec<Vec<Option<i128>>>,
    /// The first thing that was asked for and does not hold for all sizes.
    missing: RefCell<Option<Fact>>,
}

impl Sizes {
    /// Nothing but these variables, which are distinct.
    pub fn new(names: Vec<String>) -> Sizes {
        let nodes = names.len() + 1;
        let mut sizes = Sizes { names, bound: vec![vec![None; nodes]; nodes], missing: RefCell::default() };
        for node in 0..nodes {
            sizes.bound[node][node] = Some(0);
        }
        for node in 1..nodes {
            sizes.add(node, 0, -1);
        }
        sizes
    }

    /// The variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A size as a node and a number more.
    fn node(&self, size: &Size) -> (usize, i128) {
        match size {
            Size::Number(n) => (0, i128::from(*n)),
            // Typing lets no other variables pass.
            Size::Variable(name) => (1 + self.names.iter().position(|n| n == name).unwrap_or(0), 0),
        }
    }

    /// States that node `b` is at most node `a` plus `c`, and what follows.
    fn add(&mut self, a: usize, b: usize, c: i128) {
        for from in 0..self.bound.len() {
            for to in 0..self.bound.len() {
                let (Some(before), Some(after)) = (self.bound[from][a], self.bound[b][to]) else { continue };
                let path = before + c + after;
                let known = &mut self.bound[from][to];
                *known = Some(known.map_or(path, |known| known.min(path)));
            }
        }
    }

    /// States that `left + more <= right`.
    fn state(&mut self, left: &Size, more: i128, right: &Size) {
        let ((l, i), (r, k)) = (self.node(left), self.node(right));
        self.add(r, l, k - i - more);
    }

    /// States a fact; false if it contradicts what is known.
    pub fn assume(&mut self, fact: &Fact) -> bool {
        let (left, right) = (&fact.left.value, &fact.right.value);
        match fact.relation {
            Relation::AtMost => self.state(left, 0, right),
            Relation::Less => self.state(left, 1, right),
            Relation::Equal => {
                self.state(left, 0, right);
                self.state(right, 0, left);
            }
        }
        self.is_consistent()
    }

    fn is_consistent(&self) -> bool {
        (0..self.bound.len()).all(|node| self.bound[node][node] == Some(0))
    }

    fn known(&self, left: &Size, right: &Size) -> bool {
        let ((l, i), (r, k)) = (self.node(left), self.node(right));
        self.bound[r][l].is_some_and(|c| c <= k - i)
    }

    /// Whether `left <= right` for all sizes.
    pub fn at_most(&self, left: &Size, right: &Size) -> bool {
        self.known(left, right) || self.misses(left, Relation::AtMost, right)
    }

    /// Whether two sizes are equal for all sizes.
    pub fn equal(&self, left: &Size, right: &Size) -> bool {
        left == right
            || (self.known(left, right) && self.known(right, left))
            || self.misses(left, Relation::Equal, right)
    }

    /// Takes note of what does not hold.
    fn misses(&self, left: &Size, relation: Relation, right: &Size) -> bool {
        let [left, right] = [left, right].map(|size| Placed::unplaced(size.clone()));
        self.missing.borrow_mut().get_or_insert(Fact { left, relation, right });
        false
    }

    /// The first thing that was asked for and does not hold for all sizes.
    pub(super) fn missing(&self) -> Option<Fact> {
        self.missing.borrow().clone()
    }

    /// The smallest sizes for which everything known holds.
    fn least(&self) -> Vec<(String, u64)> {
        let value = |node: usize| {
            let bound = self.bound[node][0].map_or(1, |c| -c);
            u64::try_from(bound).unwrap_or(1)
        };
        self.names.iter().enumerate().map(|(k, name)| (name.clone(), value(k + 1))).collect()
    }

    /// Small sizes with which `left <= right` fails.
    pub fn not_at_most(&self, left: &Size, right: &Size) -> Option<Vec<(String, u64)>> {
        let mut with = self.clone();
        with.state(right, 1, left);
        with.is_consistent().then(|| with.least())
    }

    /// Small sizes with which two sizes differ.
    pub fn different(&self, left: &Size, right: &Size) -> Option<Vec<(String, u64)>> {
        let total = |sizes: &Vec<(String, u64)>| sizes.iter().map(|(_, n)| n).sum::<u64>();
        [self.not_at_most(right, left), self.not_at_most(left, right)].into_iter().flatten().min_by_key(total)
    }
}

/// `m = 1, n = 2`, of those variables that matter.
pub(crate) fn worded(witness: &[(String, u64)], matter: &[&Size]) -> String {
    let named = |name: &String| matter.iter().any(|size| matches!(size, Size::Variable(n) if n == name));
    let each: Vec<String> =
        witness.iter().filter(|(name, _)| named(name)).map(|(name, n)| format!("{name} = {n}")).collect();
    each.join(", ")
}
