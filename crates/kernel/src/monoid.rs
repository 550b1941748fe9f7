//! Operations on tuples of scalars that programs declare, and the laws that are claimed of them.
//!
//! A monoid is no algebra: its elements are several scalars, and a sum in it is an iteration with a state for
//! each. What the kernel has of it are its laws, spelt out: [`Rule::Law`] takes the one side
//! for the other. They are claims; a theorem that rests on one says so ([`Thm::claims`](crate::Thm::claims)).

use crate::ctx::{Ctx, Recorder, Replay, Type};
use crate::define::Definition;
use crate::error::{Error, Result, TypeError};
use crate::infer::infer;
use crate::laws::{Laws, Rounding};
use crate::rules::Rule;
use crate::subst::Subst;
use crate::term::{Expr, Label, Node, Prim};
use crate::ty::Elem;
use std::sync::Arc;

/// An operation on tuples with fields of these types, what is neutral to it, and its claims.
#[derive(Debug, PartialEq)]
pub struct Monoid {
    name: String,
    fields: Vec<Elem>,
    zero: Vec<Expr>,
    sum: Vec<Definition>,
    laws: Laws,
}

impl Monoid {
    /// What may be claimed.
    pub const CLAIMS: Laws = Laws::ADD_COMM_MONOID.and(Laws::ADD_IDEM);

    /// `zero` has a closed term for each field, and `sum` one in which the tensor variables of the levels from 0
    /// are the fields of the first element, and then of the second.
    ///
    /// # Errors
    /// A term of another type than its field, or one that speaks of anything else.
    pub fn new(name: &str, fields: Vec<Elem>, zero: Vec<Expr>, sum: Vec<Expr>, laws: Laws) -> Result<Monoid> {
        if zero.len() != fields.len() || sum.len() != fields.len() || !Monoid::CLAIMS.has(laws) {
            return Err(Error::Mismatch("a monoid with other parts than its fields"));
        }
        // Scalars have types that ask for no certificate.
        let (mut operands, mut none) = (Ctx::new(), Replay([].iter()));
        let mut rec = Recorder::new(&mut none);
        let scalar = |elem| Type { elem, shape: Vec::new() };
        for elem in fields.iter().chain(&fields) {
            operands.push_tensor(Label::new("operand"), scalar(*elem));
        }
        let mut typed = |ctx: &Ctx, e: &Expr, elem: Elem| match infer(ctx, e, &mut rec)? {
            ty if ty == scalar(elem) => Ok(()),
            ty => Err(Error::IllTyped(TypeError::Elems(elem, ty.elem), e.clone())),
        };
        for ((elem, zero), sum) in fields.iter().zip(&zero).zip(&sum) {
            typed(&Ctx::new(), zero, *elem)?;
            typed(&operands, sum, *elem)?;
        }
        let closed = |body| Definition {
            name: "sum",
            index_params: 0,
            tensor_params: vec![0; 2 * fields.len()],
            body,
        };
        let sum: Vec<_> = sum.into_iter().map(closed).collect();
        if !sum.iter().all(Definition::is_closed) {
            return Err(Error::Mismatch("a monoid's formula that speaks of more than two elements"));
        }
        Ok(Monoid { name: name.to_owned(), fields, zero, sum, laws })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The types of an element's fields.
    pub fn fields(&self) -> &[Elem] {
        &self.fields
    }

    /// The fields of what is neutral.
    pub fn zero(&self) -> &[Expr] {
        &self.zero
    }

    /// The terms of a sum's fields, as in [`Monoid::new`].
    pub fn formulas(&self) -> impl Iterator<Item = &Expr> {
        self.sum.iter().map(|sum| &sum.body)
    }

    /// The laws that are claimed.
    pub fn laws(&self) -> Laws {
        self.laws
    }

    /// The fields of what two elements are together.
    pub fn sum(&self, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
        let operands: Vec<_> = (0..).zip(a.iter().chain(b).cloned()).collect();
        let subst = Subst { tensor: operands, ..Subst::default() };
        self.sum.iter().map(|sum| subst.expr(&sum.body)).collect()
    }

    /// Both sides of a law that is claimed, at these elements; none if it is not, or is about fewer or more.
    pub(crate) fn sides(&self, law: Laws, elements: &[Vec<Expr>]) -> Option<(Vec<Expr>, Vec<Expr>)> {
        if !self.laws.has(law) || elements.iter().any(|element| element.len() != self.fields.len()) {
            return None;
        }
        let sum = |a: &[Expr], b: &[Expr]| self.sum(a, b);
        let sides = match elements {
            [a] if law == Laws::ADD_0_L => (sum(&self.zero, a), a.clone()),
            [a] if law == Laws::ADD_0_R => (sum(a, &self.zero), a.clone()),
            [a] if law == Laws::ADD_IDEM => (sum(a, a), a.clone()),
            [a, b] if law == Laws::ADD_COMM => (sum(a, b), sum(b, a)),
            [a, b, c] if law == Laws::ADD_ASSOC => (sum(&sum(a, b), c), sum(a, &sum(b, c))),
            _ => return None,
        };
        Some(sides)
    }

    /// What a law preserves in floating point. Where a formula only chooses, as a minimum does, nothing is rounded, and NaN is
    /// not an element.
    pub fn rounding(&self) -> Rounding {
        if !self.fields.iter().any(|elem| elem.scalar.is_float()) {
            return Rounding::Bitwise;
        }
        if self.formulas().all(chooses) { Rounding::Finite } else { Rounding::Real }
    }
}

/// Does the term only compare and choose?
fn chooses(e: &Expr) -> bool {
    match &**e {
        Node::Var(_) | Node::Lit(..) => true,
        Node::Let(_, bound, body) => chooses(bound) && chooses(body),
        Node::Prim(
            Prim::Where
            | Prim::Eq
            | Prim::Lt
            | Prim::Le
            | Prim::And
            | Prim::Or
            | Prim::Not
            | Prim::Min
            | Prim::Max,
            args,
        ) => args.iter().all(chooses),
        _ => false,
    }
}

/// Monoids, each once, with laws of theirs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims(pub(crate) Vec<(Arc<Monoid>, Laws)>);

impl Claims {
    /// What a rule rests on.
    pub(crate) fn of(rule: &Rule) -> Claims {
        if let Rule::Law(monoid, law, ..) = rule {
            Claims(vec![(monoid.clone(), *law)])
        } else {
            Claims::default()
        }
    }

    /// All of both.
    pub(crate) fn and(mut self, other: &Claims) -> Claims {
        for (monoid, laws) in &other.0 {
            match self.0.iter_mut().find(|(known, _)| known == monoid) {
                Some((_, known)) => *known = known.and(*laws),
                None => self.0.push((monoid.clone(), *laws)),
            }
        }
        self
    }
}
