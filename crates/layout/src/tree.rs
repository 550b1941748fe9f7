//! Tuple trees: a leaf, or a tuple of any number of trees.
//!
//! Shapes, strides, coordinates and profiles are all trees. `(4)`, a tuple of one, is another tree than `4`, and `()` is a
//! tree. Three relations are told apart: *congruent* (the same tree, whatever the leaves), *weakly congruent* (the same tree
//! after some subtrees are pruned to leaves), and *compatible* (weakly congruent, and a leaf is the size of what it faces).

use crate::refusal::{Kind, Refusal, Result, too_large};
use std::fmt;

/// No size, stride or value reaches this, so sums of two never overflow.
pub const LIMIT: i64 = 1 << 62;

/// A tuple tree.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tree<T> {
    /// A leaf.
    Leaf(T),
    /// A tuple.
    Node(Vec<Tree<T>>),
}

/// A shape: a tree of extents.
pub type Shape = Tree<i64>;

impl<T> Tree<T> {
    /// The children of a tuple; a leaf is its own only child.
    pub fn modes(&self) -> &[Tree<T>] {
        match self {
            Tree::Leaf(_) => std::slice::from_ref(self),
            Tree::Node(children) => children,
        }
    }

    /// The number of children; of a leaf, 1.
    pub fn rank(&self) -> usize {
        self.modes().len()
    }

    /// How deep tuples nest; of a leaf, 0.
    pub fn depth(&self) -> usize {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Node(children) => 1 + children.iter().map(Tree::depth).max().unwrap_or(0),
        }
    }

    /// The leaves, from left to right.
    pub fn leaves(&self) -> Vec<&T> {
        fn collect<'t, T>(tree: &'t Tree<T>, into: &mut Vec<&'t T>) {
            match tree {
                Tree::Leaf(leaf) => into.push(leaf),
                Tree::Node(children) => children.iter().for_each(|child| collect(child, into)),
            }
        }
        let mut leaves = Vec::new();
        collect(self, &mut leaves);
        leaves
    }

    /// The same tree with other leaves.
    pub fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> Tree<U> {
        match self {
            Tree::Leaf(leaf) => Tree::Leaf(f(leaf)),
            Tree::Node(children) => Tree::Node(children.iter().map(|child| child.map(f)).collect()),
        }
    }

    /// The same with leaves that may be refused.
    ///
    /// # Errors
    /// The first refusal.
    pub fn try_map<U>(&self, f: &mut impl FnMut(&T) -> Result<U>) -> Result<Tree<U>> {
        Ok(match self {
            Tree::Leaf(leaf) => Tree::Leaf(f(leaf)?),
            Tree::Node(children) => {
                Tree::Node(children.iter().map(|child| child.try_map(f)).collect::<Result<_>>()?)
            }
        })
    }

    /// The subtree at a path of children.
    pub fn at(&self, path: &[usize]) -> Option<&Tree<T>> {
        path.iter().try_fold(self, |tree, k| match tree {
            Tree::Leaf(_) => None,
            Tree::Node(children) => children.get(*k),
        })
    }

    /// The same tree, whatever the leaves?
    pub fn is_congruent<U>(&self, other: &Tree<U>) -> bool {
        match (self, other) {
            (Tree::Leaf(_), Tree::Leaf(_)) => true,
            (Tree::Node(a), Tree::Node(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_congruent(b))
            }
            _ => false,
        }
    }

    /// The same tree but for tuples of one, which stand in one of them only?
    pub(crate) fn differs_by_tuples_of_one<U>(&self, other: &Tree<U>) -> bool {
        fn bare<T>(tree: &Tree<T>) -> Tree<()> {
            match tree {
                Tree::Leaf(_) => Tree::Leaf(()),
                Tree::Node(children) => match children.as_slice() {
                    [child] => bare(child),
                    children => Tree::Node(children.iter().map(bare).collect()),
                },
            }
        }
        !self.is_congruent(other) && bare(self) == bare(other)
    }

    /// The same tree as the other after some of its subtrees are pruned to leaves?
    pub fn is_weakly_congruent<U>(&self, other: &Tree<U>) -> bool {
        match (self, other) {
            (Tree::Leaf(_), _) => true,
            (Tree::Node(a), Tree::Node(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_weakly_congruent(b))
            }
            (Tree::Node(_), Tree::Leaf(_)) => false,
        }
    }
}

impl Shape {
    /// The product of the extents, of which none is negative.
    ///
    /// # Errors
    /// It is too large.
    pub fn size(&self) -> Result<i64> {
        let product = self.leaves().into_iter().try_fold(1_i64, |product, n| product.checked_mul(*n));
        product.filter(|size| *size < LIMIT).ok_or_else(|| too_large("the size of the shape"))
    }

    /// Is every coordinate of this shape one of the other? A leaf faces a subtree of its size.
    ///
    /// # Errors
    /// A size is too large.
    pub fn is_compatible(&self, other: &Shape) -> Result<bool> {
        match (self, other) {
            (Tree::Leaf(n), other) => Ok(*n == other.size()?),
            (Tree::Node(a), Tree::Node(b)) if a.len() == b.len() => {
                a.iter().zip(b).try_fold(true, |all, (a, b)| Ok(all && a.is_compatible(b)?))
            }
            _ => Ok(false),
        }
    }

    /// Refuses an extent that is no positive number: an extent of 0 has no coordinate, and nothing is divisible by it.
    ///
    /// # Errors
    /// The first such extent.
    pub fn check_extents(&self) -> Result<()> {
        match self.leaves().into_iter().find(|n| **n < 1) {
            Some(n) => Err(Refusal::new(Kind::Range, format!("the shape {self} has the extent {n}")).note(
                "extents are at least 1: an extent of 0 has no coordinate, and nothing is divisible by it",
            )),
            None => self.size().map(drop),
        }
    }
}

/// `(4,(2,2))`
impl<T: fmt::Display> fmt::Display for Tree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Leaf(leaf) => leaf.fmt(f),
            Tree::Node(children) => {
                f.write_str("(")?;
                for (k, child) in children.iter().enumerate() {
                    write!(f, "{}{child}", if k > 0 { "," } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}
