//! What is read: a variable of the context, or a term in the place of one; and the indices of its reads.

use atl_kernel::{Entry, Expr, Ix, Node, Result as Kernel, Type, Var};
use atl_rules::Cx;
use atl_rules::occurrences::{mentions, variable};
use std::sync::Arc;

/// A tensor that is read through a buffer.
#[derive(Clone, Copy)]
pub(crate) enum Tensor<'a> {
    /// The context's variable at this level.
    Variable(u32),
    /// What a `let` bound and its inlining has put wherever its name stood: this very term, by its address.
    /// Its reads are moved as those of a variable are, and the buffer computes what it holds.
    Inlined(&'a Expr),
}

impl Tensor<'_> {
    pub(crate) fn term(self) -> Expr {
        match self {
            Tensor::Variable(level) => variable(level),
            Tensor::Inlined(term) => term.clone(),
        }
    }

    /// Is it the tensor?
    pub(crate) fn is(self, e: &Expr) -> bool {
        match self {
            Tensor::Variable(level) => matches!(&**e, Node::Var(Var::Free(l)) if *l == level),
            Tensor::Inlined(term) => Arc::ptr_eq(e, term),
        }
    }

    /// Does the tensor stand in the term?
    pub(crate) fn is_in(self, e: &Expr) -> bool {
        match self {
            Tensor::Variable(level) => mentions(e, level),
            Tensor::Inlined(_) => {
                self.is(e) || e.children().filter_map(|at| e.child(at)).any(|e| self.is_in(e))
            }
        }
    }

    /// The indices of a full access to it, outermost first.
    pub(crate) fn read(self, e: &Expr, rank: usize) -> Option<Vec<Ix>> {
        let (mut indices, mut e) = (Vec::new(), e);
        while let (Node::Get(array, i), false) = (&**e, self.is(e)) {
            indices.push(i.clone());
            e = array;
        }
        indices.reverse();
        (self.is(e) && indices.len() == rank).then_some(indices)
    }

    pub(crate) fn ty(self, cx: &mut Cx<'_>) -> Kernel<Option<Type>> {
        match self {
            Tensor::Variable(level) => match cx.ctx.entry(level) {
                Some(Entry::Tensor(_, ty)) => Ok(Some(ty.clone())),
                _ => Ok(None),
            },
            Tensor::Inlined(term) => cx.type_of(term).map(Some),
        }
    }
}

/// The level of the variable that a chain of accesses is to, and its indices, outermost first.
pub(crate) fn access(e: &Expr) -> Option<(u32, Vec<Ix>)> {
    let (mut indices, mut e) = (Vec::new(), e);
    while let Node::Get(array, i) = &**e {
        indices.insert(0, i.clone());
        e = array;
    }
    let Node::Var(Var::Free(level)) = **e else { return None };
    Some((level, indices))
}

/// The indices of a full access to the tensor at `level`, outermost first.
pub(crate) fn read_of(e: &Expr, level: u32, rank: usize) -> Option<Vec<Ix>> {
    access(e).filter(|(at, indices)| *at == level && indices.len() == rank).map(|(_, indices)| indices)
}
