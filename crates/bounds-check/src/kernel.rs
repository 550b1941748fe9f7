//! What the guard looks at: tensors with sizes, and assignments of expressions that read at indices.

use atl_diag::Span;
use atl_teil::language::{Function, Placed, Pointwise, Reduction, Shape};
use std::collections::BTreeMap;

/// The values of size variables.
pub(super) type Sizes = BTreeMap<String, i64>;

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
    /// What joins it to what was there; nothing if that is forgotten.
    pub(super) onto: Option<Reduction>,
    /// The right side.
    pub(super) value: Value,
    /// Where indices that the target lacks are reduced.
    pub(super) reduced: Reduced,
    /// Ranges that are stated.
    pub(super) ranges: Vec<Stated>,
}

/// `i in 1:n`
#[derive(Clone, Debug)]
pub(super) struct Stated {
    /// The index.
    pub(super) index: Placed<String>,
    /// Its first value, with sizes where an access has indices.
    pub(super) from: Affine,
    /// What all of its values are below.
    pub(super) to: Affine,
}

/// Where indices that the target lacks are reduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reduced {
    /// Each term of the right side is summed over those that it has.
    EachTerm,
    /// All of the right side is reduced over all of them.
    Whole(Reduction),
}

/// An expression at indices.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A literal.
    Number(String),
    /// An element.
    Read(Access),
    /// Terms, and whether each is taken away.
    Sum(Vec<(bool, Value)>, Span),
    /// Factors.
    Product(Vec<Value>),
    /// `a / b`, `max(a, b)` and its kin.
    Two(Pointwise, Box<[Value; 2]>),
    /// `exp(a)` and its kin.
    Apply(Function, Box<Value>),
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
    /// Sizes with what they are multiplied by, where a size may stand in an access.
    pub(super) sizes: Vec<(i64, String)>,
    /// What is added.
    pub(super) constant: i64,
    /// Where it is written.
    pub(super) span: Span,
}

impl Affine {
    /// The index that this is, if it is nothing more.
    pub(super) fn plain(&self) -> Option<&str> {
        match (self.terms.as_slice(), self.sizes.as_slice(), self.constant) {
            ([(1, index)], [], 0) => Some(index),
            _ => None,
        }
    }

    /// Whether it moves with this index.
    pub(super) fn mentions(&self, index: &str) -> bool {
        self.terms.iter().any(|(_, name)| name == index)
    }

    /// As it is written, about.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let alone = self.terms.is_empty() && self.sizes.is_empty();
        let constant = (self.constant != 0 || alone).then_some((self.constant, None));
        let names = self.sizes.iter().chain(&self.terms);
        for (by, index) in names.map(|(by, index)| (*by, Some(index))).chain(constant) {
            text += match (text.is_empty(), by < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += &match index {
                Some(index) if by.unsigned_abs() == 1 => index.clone(),
                Some(index) => format!("{} * {index}", by.unsigned_abs()),
                None => by.unsigned_abs().to_string(),
            };
        }
        text
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
        self.value.reads().into_iter()
    }
}

impl Value {
    /// The parts, in order.
    fn parts(&self) -> Vec<&Value> {
        match self {
            Value::Number(_) | Value::Read(_) => vec![],
            Value::Sum(terms, _) => terms.iter().map(|(_, term)| term).collect(),
            Value::Product(factors) => factors.iter().collect(),
            Value::Two(_, both) => both.iter().collect(),
            Value::Apply(_, of) => vec![of],
        }
    }

    /// What it reads, in order.
    pub(super) fn reads(&self) -> Vec<&Access> {
        match self {
            Value::Read(access) => vec![access],
            _ => self.parts().into_iter().flat_map(Value::reads).collect(),
        }
    }

    /// Whether it reads something at this index.
    pub(super) fn has(&self, index: &str) -> bool {
        self.reads().iter().any(|read| read.indices.iter().any(|affine| affine.mentions(index)))
    }

    /// A sum within it, but for itself, in which some term lacks an index that another has and `is_reduced`.
    pub(super) fn uneven(&self, is_reduced: &impl Fn(&str) -> bool) -> Option<Span> {
        self.parts().into_iter().find_map(|part| {
            let here = match part {
                Value::Sum(terms, span) => {
                    let reads = part.reads();
                    let indices = reads.iter().flat_map(|read| &read.indices).flat_map(|a| &a.terms);
                    let lacking = |index: &str| terms.iter().any(|(_, term)| !term.has(index));
                    let mut uneven = indices.filter(|(_, index)| is_reduced(index) && lacking(index));
                    uneven.next().map(|_| *span)
                }
                _ => None,
            };
            here.or_else(|| part.uneven(is_reduced))
        })
    }
}

impl Kernel {
    /// The sizes of a tensor, if they are known.
    pub(super) fn shape(&self, tensor: &str) -> Option<&Shape> {
        self.declared.iter().find(|(name, _)| name.value == tensor).map(|(_, shape)| shape)
    }
}
