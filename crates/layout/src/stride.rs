//! What a stride may be: an integer, or a vector of a coordinate space.
//!
//! A layout multiplies strides by integers and adds the products, and does nothing else with them. So the strides of a layout,
//! and of the left operand of a composition, may come from any module over the integers. [`Vector`] is the other one here: sums of
//! `k@p`, that is `k` times the basis vector at the path `p`; `1@0@2` belongs to child 2 of child 0.

use crate::refusal::{Result, too_large};
use crate::tree::{LIMIT, Tree};
use std::fmt::{self, Debug, Display};

/// A module over the integers.
pub trait Stride: Clone + Eq + Debug + Display {
    /// Adds nothing.
    fn zero() -> Self;

    /// Does it add nothing?
    fn is_zero(&self) -> bool {
        *self == Self::zero()
    }

    /// `k` times this.
    ///
    /// # Errors
    /// It is too large.
    fn times(&self, k: i64) -> Result<Self>;

    /// The sum.
    ///
    /// # Errors
    /// It is too large.
    fn plus(&self, other: &Self) -> Result<Self>;

    /// The largest absolute value in it.
    fn magnitude(&self) -> u64;
}

fn checked(n: Option<i64>) -> Result<i64> {
    n.filter(|n| n.unsigned_abs() < LIMIT.unsigned_abs()).ok_or_else(|| too_large("a stride or a value"))
}

impl Stride for i64 {
    fn zero() -> i64 {
        0
    }

    fn times(&self, k: i64) -> Result<i64> {
        checked(self.checked_mul(k))
    }

    fn plus(&self, other: &i64) -> Result<i64> {
        checked(self.checked_add(*other))
    }

    fn magnitude(&self) -> u64 {
        self.unsigned_abs()
    }
}

/// A vector: terms `k@p`, sorted by path, none with `k = 0`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Vector(Vec<(Vec<usize>, i64)>);

impl Vector {
    /// `k@p`.
    pub fn basis(k: i64, path: Vec<usize>) -> Vector {
        Vector(if k == 0 { Vec::new() } else { vec![(path, k)] })
    }

    /// The terms.
    pub fn terms(&self) -> &[(Vec<usize>, i64)] {
        &self.0
    }

    /// The coordinate in a space with this tree; none if a term's path ends elsewhere than at a leaf.
    pub fn coordinate<T>(&self, space: &Tree<T>) -> Option<Tree<i64>> {
        let leaf = |path: &[usize]| matches!(space.at(path), Some(Tree::Leaf(_)));
        let known = self.0.iter().all(|(path, _)| leaf(path));
        known.then(|| self.part(space, &mut Vec::new()))
    }

    fn part<T>(&self, space: &Tree<T>, path: &mut Vec<usize>) -> Tree<i64> {
        match space {
            Tree::Leaf(_) => Tree::Leaf(self.0.iter().find(|(at, _)| at == path).map_or(0, |(_, k)| *k)),
            Tree::Node(children) => {
                let part = |(k, child)| {
                    path.push(k);
                    let part = self.part(child, path);
                    path.pop();
                    part
                };
                Tree::Node(children.iter().enumerate().map(part).collect())
            }
        }
    }
}

impl Stride for Vector {
    fn zero() -> Vector {
        Vector::default()
    }

    fn times(&self, k: i64) -> Result<Vector> {
        if k == 0 {
            return Ok(Vector::zero());
        }
        let terms = self.0.iter().map(|(path, n)| Ok((path.clone(), n.times(k)?)));
        Ok(Vector(terms.collect::<Result<_>>()?))
    }

    fn plus(&self, other: &Vector) -> Result<Vector> {
        let mut terms = self.0.clone();
        for (path, n) in &other.0 {
            match terms.binary_search_by(|(at, _)| at.cmp(path)) {
                Ok(k) => terms[k].1 = terms[k].1.plus(n)?,
                Err(k) => terms.insert(k, (path.clone(), *n)),
            }
        }
        terms.retain(|(_, n)| *n != 0);
        Ok(Vector(terms))
    }

    fn magnitude(&self) -> u64 {
        self.0.iter().map(|(_, n)| n.unsigned_abs()).max().unwrap_or(0)
    }
}

/// `1@0+2@1@0`; `0` if there is no term.
impl Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0");
        }
        for (k, (path, n)) in self.0.iter().enumerate() {
            write!(f, "{}{n}", if k > 0 { "+" } else { "" })?;
            path.iter().try_for_each(|p| write!(f, "@{p}"))?;
        }
        Ok(())
    }
}
