//! Sums that keep every bit in any order, and those that keep every number.
//!
//! One idea: integers wrap, so sums of them are the same however they are grouped; least and greatest
//! floats are, but for NaN and the sign of zeros. What is not seen to be one of these counts as neither:
//! the judge refuses what a script may not change, so this only spares it the attempt.

use crate::Request;
use atl_kernel::{Expr, Node, Prim, Rounding, Scalar, Var};
use atl_loops::Name;
use std::collections::BTreeMap;

/// The algebras whose addition chooses one of its operands.
const CHOICES: [&str; 2] = ["max_min", "min_max"];

/// Which sums a script may regroup.
#[derive(Clone, Copy)]
pub(super) struct Exact<'r> {
    /// What is searched for.
    pub(super) request: &'r Request<'r>,
    /// The types of the parameters.
    pub(super) types: &'r BTreeMap<Name, Scalar>,
}

impl Exact<'_> {
    /// Does the rounding class of the request allow regrouping a sum of these terms?
    pub(super) fn allows(&self, term: &Expr) -> bool {
        match self.request.rounding {
            Rounding::Real => true,
            Rounding::Finite => chooses(term) || self.is_integer(term),
            Rounding::Bitwise => self.is_integer(term),
        }
    }

    /// How many numbers of the widest type that the term is seen to compute fill a vector.
    pub(super) fn lanes(&self, term: &Expr) -> Option<u32> {
        Some(crate::space::lanes(&self.request.machine, u32::try_from(self.widest(term)?).ok()?))
    }

    fn widest(&self, term: &Expr) -> Option<usize> {
        let own = match &**term {
            Node::Lit(elem, _) | Node::Index(elem, _) | Node::Prim(Prim::Cast(elem), _) => {
                Some(elem.scalar.size())
            }
            Node::Var(var) => self.type_of(var).map(Scalar::size),
            _ => None,
        };
        let inside = term.children().filter_map(|at| self.widest(term.child(at)?));
        inside.chain(own).max()
    }

    /// The type of a parameter.
    pub(super) fn type_of(&self, var: &Var) -> Option<Scalar> {
        let Var::Free(level) = var else { return None };
        self.types.get(&Name::new(self.request.names.get(level)?)).copied()
    }

    /// Is the term visibly an integer?
    fn is_integer(&self, term: &Expr) -> bool {
        match &**term {
            Node::Lit(elem, _) | Node::Index(elem, _) | Node::Prim(Prim::Cast(elem), _) => {
                elem.scalar.is_integer()
            }
            Node::Prim(prim, _) if is_of_integers(*prim) => true,
            Node::Prim(prim, args) if keeps(*prim) => args.last().is_some_and(|last| self.is_integer(last)),
            Node::View(_, inner)
            | Node::Guard(_, inner)
            | Node::Select(_, inner, _)
            | Node::Let(_, _, inner)
            | Node::Sum(_, _, inner) => self.is_integer(inner),
            Node::Get(base, _) => self.is_integer(base),
            Node::Var(var) => self.type_of(var).is_some_and(Scalar::is_integer),
            _ => false,
        }
    }
}

/// Is a sum of these terms one of its terms?
fn chooses(term: &Expr) -> bool {
    matches!(&**term, Node::View(algebra, _) if CHOICES.contains(&algebra.0.name))
}

/// Has the result the type of the last operand?
fn keeps(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Div
            | Prim::Min
            | Prim::Max
            | Prim::Where
            | Prim::Neg
            | Prim::Abs
    )
}

/// Are there operands of no other type, and is the result an integer?
fn is_of_integers(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Rem
            | Prim::BitAnd
            | Prim::BitOr
            | Prim::BitXor
            | Prim::BitNot
            | Prim::Shl
            | Prim::Shr
            | Prim::MulHi
            | Prim::Popcount
            | Prim::Clz
            | Prim::Ctz
    )
}
