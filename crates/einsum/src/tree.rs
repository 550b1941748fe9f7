//! What a notation says: a result, and an expression over operands read at indices.
//!
//! Both spellings, index notation and einsum strings, become this tree. Sums that the notation leaves out are
//! put in by `sums`; nothing here knows of programs.

use atl_diag::{Diagnostic, Span};
use atl_syntax::ast::Name;

/// A refusal, boxed since it is large.
pub type Refusal = Box<Diagnostic>;

/// `y(i) = body`.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// What is computed.
    pub(crate) result: Access,
    /// What it is.
    pub(crate) body: Expr,
    /// Who says what is summed over.
    pub(crate) sums: Sums,
}

/// Who says what is summed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sums {
    /// An index that is absent on the left is.
    LeftOut,
    /// Only what a `sum` names is: there is one with braces.
    Written,
}

/// `A(i, j)`, or `s` for a scalar.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The tensor.
    pub(crate) tensor: Name,
    /// Its indices, one a dimension.
    pub(crate) indices: Vec<Name>,
    /// All of it.
    pub(crate) span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// Which one.
    pub(crate) kind: Kind,
    /// Where it is written.
    pub(crate) span: Span,
}

/// The expressions.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A literal, as written.
    Number(String),
    /// An operand's element.
    Access(Access),
    /// `-e`.
    Neg(Box<Expr>),
    /// At least two terms, each added or taken away.
    Add(Vec<(Sign, Expr)>),
    /// At least two factors.
    Mul(Vec<Expr>),
    /// `sum(j, k, e)`, `sum j, k { e }`.
    Sum(Vec<Name>, Box<Expr>),
}

/// Whether a term is added or taken away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    /// `+`
    Plus,
    /// `-`, at this place.
    Minus(Span),
}

impl Expr {
    /// The expressions directly below this one.
    pub(crate) fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Number(_) | Kind::Access(_) => vec![],
            Kind::Neg(e) | Kind::Sum(_, e) => vec![e],
            Kind::Add(terms) => terms.iter().map(|(_, e)| e).collect(),
            Kind::Mul(factors) => factors.iter().collect(),
        }
    }

    /// The operands read, in the order written.
    pub(crate) fn accesses(&self) -> Vec<&Access> {
        match &self.kind {
            Kind::Access(access) => vec![access],
            _ => self.children().into_iter().flat_map(Expr::accesses).collect(),
        }
    }

    /// The indices that no `sum` in it binds, each once, in the order written.
    pub(crate) fn free(&self) -> Vec<&Name> {
        let found = match &self.kind {
            Kind::Access(access) => access.indices.iter().collect(),
            Kind::Sum(bound, e) => {
                let inside = e.free().into_iter();
                inside.filter(|i| !bound.iter().any(|b| b.text == i.text)).collect()
            }
            _ => self.children().into_iter().flat_map(Expr::free).collect(),
        };
        distinct(found)
    }

    /// Where something is taken away, if anything is.
    pub(crate) fn difference(&self) -> Option<Span> {
        let here = match &self.kind {
            Kind::Neg(_) => Some(self.span),
            Kind::Add(terms) => terms.iter().find_map(|(sign, _)| match sign {
                Sign::Minus(place) => Some(*place),
                Sign::Plus => None,
            }),
            _ => None,
        };
        here.or_else(|| self.children().into_iter().find_map(Expr::difference))
    }

    /// How deep the program of this expression nests.
    pub(crate) fn depth(&self) -> usize {
        let chain = match &self.kind {
            Kind::Add(terms) => terms.len(),
            Kind::Mul(factors) => factors.len(),
            _ => 1,
        };
        chain + self.children().into_iter().map(Expr::depth).max().unwrap_or(0)
    }
}

/// Each name once, where it is first.
pub(crate) fn distinct(names: Vec<&Name>) -> Vec<&Name> {
    let mut found: Vec<&Name> = Vec::new();
    for name in names {
        if !found.iter().any(|known| known.text == name.text) {
            found.push(name);
        }
    }
    found
}
