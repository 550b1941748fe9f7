//! What the guard looks at: tensors with sizes, and assignments of sums of products of reads.

use crate::language::{Placed, Shape, Size};
use atl_diag::Span;

/// A kernel, whatever it was written in.
#[derive(Clone, Debug, Default)]
pub(super) struct Kernel {
    /// The tensors that are declared, with their sizes.
    pub(super) declared: Vec<(Placed<String>, Shape)>,
    /// The assignments, in order.
    pub(super) statements: Vec<Statement>,
    /// Whether the language takes the smallest size where an index meets several.
    pub(super) smallest: bool,
}

/// `A(i, j) = ..`, or `+=`.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// What is assigned.
    pub(super) target: Access,
    /// Whether it is added to what was there.
    pub(super) adds: bool,
    /// The terms of the right side.
    pub(super) terms: Vec<Term>,
    /// Ranges that are stated: an index runs from 0 below its size.
    pub(super) ranges: Vec<(Placed<String>, Size)>,
}

/// A product, added or taken away.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// Whether it is taken away.
    pub(super) negative: bool,
    /// Its factors, of which there is at least one.
    pub(super) factors: Vec<Factor>,
}

/// A factor of a product.
#[derive(Clone, Debug)]
pub(super) enum Factor {
    /// A literal.
    Number(String),
    /// An element.
    Read(Access),
}

/// `A(i, j + 1)`
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// The tensor.
    pub(super) tensor: Placed<String>,
    /// Its indices.
    pub(super) indices: Vec<Affine>,
    /// All of it.
    pub(super) span: Span,
}

/// `2 * i + j + 1`
#[derive(Clone, Debug)]
pub(super) struct Affine {
    /// Indices with what they are multiplied by.
    pub(super) terms: Vec<(i64, String)>,
    /// What is added.
    pub(super) constant: i64,
    /// Where it is written.
    pub(super) span: Span,
}

impl Affine {
    /// The index that this is, if it is nothing more.
    pub(super) fn plain(&self) -> Option<&str> {
        match (self.terms.as_slice(), self.constant) {
            ([(1, index)], 0) => Some(index),
            _ => None,
        }
    }

    /// As it is written, about.
    pub(super) fn text(&self) -> String {
        let term =
            |(by, index): &(i64, String)| if *by == 1 { index.clone() } else { format!("{by} * {index}") };
        let mut parts: Vec<String> = self.terms.iter().map(term).collect();
        if self.constant != 0 || parts.is_empty() {
            parts.push(self.constant.to_string());
        }
        parts.join(" + ")
    }
}

impl Access {
    /// As it is written, about.
    pub(super) fn text(&self) -> String {
        let indices: Vec<String> = self.indices.iter().map(Affine::text).collect();
        format!("{}[{}]", self.tensor.value, indices.join(", "))
    }
}

impl Statement {
    /// The reads of the right side, in order.
    pub(super) fn reads(&self) -> impl Iterator<Item = &Access> {
        self.terms.iter().flat_map(Term::reads)
    }
}

impl Term {
    /// The reads of the product, in order.
    pub(super) fn reads(&self) -> impl Iterator<Item = &Access> {
        self.factors.iter().filter_map(|factor| match factor {
            Factor::Read(access) => Some(access),
            Factor::Number(_) => None,
        })
    }
}

impl Kernel {
    /// The sizes of a tensor, if they are known.
    pub(super) fn shape(&self, tensor: &str) -> Option<&Shape> {
        self.declared.iter().find(|(name, _)| name.value == tensor).map(|(_, shape)| shape)
    }
}
