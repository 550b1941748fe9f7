//! The algebra with names for sizes: `(M,4):(4,1) o 4:M`, where the conditions are proved for every size.
//!
//! **The one idea.** The rules are those of numbers. Each asks whether something divides, or is at most something else; here a prover
//! is asked, and what it does not show is refused, with sizes at which it is false if there are some. An answer holds at all sizes, so
//! in numbers it is the function that the operation gives there. It may have more modes: neighbours are joined, and modes of
//! one entry left out, where that is right at all sizes.
//!
//! A name is a size of at least 1. What else is known of sizes stands after `where`: `coalesce((M/4,4):(4,1)) where M % 4 == 0`.
//! There are composition, coalescing, complement, divisions and products in all forms, size and cosize; whatever enumerates takes
//! numbers.

mod operations;
mod read;
mod show;
mod sizes;
mod tiles;

#[cfg(test)]
mod tests;

use crate::cute;
use crate::functions;
use crate::layout::Layout;
use crate::refusal::{Kind, Refusal, Result};
use crate::text::{Evaluation, MAX_BYTES};
use crate::tree::Tree;
use crate::value::Value;
use atl_kernel::Ix;
use sizes::Sizes;
use std::fmt;

/// A layout whose extents and strides are terms of sizes; each extent is at least 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbolic {
    shape: Tree<Ix>,
    stride: Option<Tree<Ix>>,
    names: Vec<String>,
}

/// What an expression with names is worth: a layout, or without strides a tuple of terms.
#[derive(Clone, Debug)]
struct Term {
    shape: Tree<Ix>,
    stride: Option<Tree<Ix>>,
}

/// A flattened mode.
type Mode = (Ix, Ix);

impl Term {
    /// The flattened modes of a layout; of a shape, the left one is fastest.
    fn modes(&self, sizes: &Sizes) -> Vec<Mode> {
        let extents = self.shape.leaves().into_iter().cloned();
        match &self.stride {
            Some(stride) => extents.zip(stride.leaves().into_iter().cloned()).collect(),
            None => {
                let mut next = Ix::ONE;
                let compact = |n: Ix| {
                    let stride = next.clone();
                    next = sizes.short(next.clone() * n.clone());
                    (n, stride)
                };
                extents.map(compact).collect()
            }
        }
    }

    /// The layout of flattened modes.
    fn flat(modes: Vec<Mode>) -> Term {
        let (mut shapes, mut strides): (Vec<_>, Vec<_>) =
            modes.into_iter().map(|(n, d)| (Tree::Leaf(n), Tree::Leaf(d))).unzip();
        let (shape, stride) = match shapes.len() {
            0 => (Tree::Leaf(Ix::ONE), Tree::Leaf(Ix::ZERO)),
            1 => (shapes.remove(0), strides.remove(0)),
            _ => (Tree::Node(shapes), Tree::Node(strides)),
        };
        Term { shape, stride: Some(stride) }
    }
}

impl Symbolic {
    /// The layout where each name is this number.
    ///
    /// # Errors
    /// A name has no number, or there is no such layout.
    pub fn at(&self, sizes: &[(&str, i64)]) -> Result<Layout> {
        let value = |level: u32| {
            let name = self.names.get(usize::try_from(level).ok()?)?;
            sizes.iter().find(|(known, _)| known == name).map(|(_, n)| *n)
        };
        let number = |ix: &Ix| {
            // Names and what is known of them take turns in the context.
            atl_arith::eval_ix(ix, &|level| value(level / 2))
                .ok_or_else(|| Refusal::new(Kind::Arguments, format!("{self} needs a number for each name")))
        };
        let shape = self.shape.try_map(&mut |ix| number(ix))?;
        match &self.stride {
            Some(stride) => Layout::try_new(shape, stride.try_map(&mut |ix| number(ix))?),
            None => Layout::column_major(shape),
        }
    }

    /// What is true of a layout.
    pub fn facts(&self) -> Option<String> {
        self.stride.as_ref()?;
        let (rank, depth) = (self.shape.rank(), self.shape.depth());
        Some(format!("rank {rank}, depth {depth}, for all sizes of at least 1 for which the conditions hold"))
    }
}

impl fmt::Display for Symbolic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |ix: &Ix| show::ix(ix, &self.names);
        write!(f, "{}", self.shape.map(&mut |ix| shown(ix)))?;
        match &self.stride {
            Some(stride) => write!(f, ":{}", stride.map(&mut |ix| shown(ix))),
            None => Ok(()),
        }
    }
}

/// May this word be the name of a size? It is none of the notation's own.
fn is_name(word: &str) -> bool {
    let own = matches!(word, "o" | "where" | "true" | "false" | "Sw" | "Swizzle" | "Layout" | "Int" | "Tile");
    let known = own || functions::by_name(word).is_some() || cute::spelling(word).is_some();
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && !known
}

/// Does a name of a size stand in this expression?
pub(crate) fn has_names(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        let word = &rest[at..];
        let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let called = after.trim_start().starts_with(['(', '<', '{']);
        let known = word.starts_with("SW_") || cute::spelling(word).is_some();
        if is_name(word) && !called && !known {
            return true;
        }
        rest = after;
    }
    false
}

/// The value of an expression with names.
///
/// # Errors
/// It is none, or a condition of an operation is not shown.
pub(crate) fn evaluate(text: &str) -> Result<Evaluation> {
    debug_assert!(text.len() <= MAX_BYTES, "the length was looked at");
    let (term, operands, sizes) = read::whole(text)?;
    let (names, notes) = sizes.into_parts();
    let value = |Term { shape, stride }| Value::Symbolic(Symbolic { shape, stride, names: names.clone() });
    let operands = operands.into_iter().map(&value).collect();
    Ok(Evaluation { value: value(term), notes, operands })
}
