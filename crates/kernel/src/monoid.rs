//! Operations on tuples of scalars that programs declare, and the laws that are claimed of them.
//!
//! A monoid is no algebra: its elements are several scalars, and a sum in it is an iteration with a state
//! for each. What the kernel has of it are its laws, spelt out: [`Rule::Law`](crate::Rule::Law) takes the
//! one side for the other. They are claims; a theorem that rests on one says so
//! ([`Thm::claims`](crate::Thm::claims)).

use crate::ctx::{Ctx, Recorder, Replay, Type};
use crate::error::{Error, Result, TypeError};
use crate::infer::{admit, infer};
use crate::laws::{Laws, Rounding};
use crate::subst::Subst;
use crate::term::{Expr, Label, Node, Number, Prim};
use crate::ty::Elem;
use std::sync::Arc;

/// An operation on tuples with fields of these types, what is neutral to it, and its claims.
#[derive(Debug, PartialEq, Eq)]
pub struct Monoid {
    name: String,
    fields: Vec<Elem>,
    zero: Vec<Expr>,
    sum: Vec<Expr>,
    laws: Laws,
    rounding: Rounding,
}

impl Monoid {
    /// What may be claimed.
    pub const CLAIMS: Laws = Laws::ADD_COMM_MONOID.and(Laws::ADD_IDEM);
    /// The most fields of an element.
    pub const MAX_FIELDS: usize = 1 << 8;

    /// `zero` has a closed term for each field, and `sum` one in which the tensor variables of the levels
    /// from 0 are the fields of the first element, and then of the second.
    ///
    /// # Errors
    /// A term of another type than its field, one that speaks of anything else, or more than fits.
    pub fn new(name: &str, fields: Vec<Elem>, zero: Vec<Expr>, sum: Vec<Expr>, laws: Laws) -> Result<Monoid> {
        let counts = [zero.len(), sum.len()];
        if fields.is_empty() || counts != [fields.len(); 2] || !Monoid::CLAIMS.has(laws) {
            return Err(Error::Mismatch("a monoid with other parts than its fields, or other claims"));
        }
        if fields.len() > Monoid::MAX_FIELDS {
            return Err(Error::TooLarge);
        }
        admit_all(zero.iter().chain(&sum))?;
        // What has a type here speaks of these variables only, and asks for no certificate.
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
        let terms = || zero.iter().chain(&sum);
        let rounding = if !fields.iter().any(|elem| elem.scalar.is_float()) && !terms().any(has_floats) {
            Rounding::Bitwise
        } else if terms().all(chooses) {
            Rounding::Finite
        } else {
            Rounding::Real
        };
        Ok(Monoid { name: name.to_owned(), fields, zero, sum, laws, rounding })
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
        self.sum.iter()
    }

    /// The laws that are claimed.
    pub fn laws(&self) -> Laws {
        self.laws
    }

    /// What its laws preserve in floating point. Where terms only choose, as a minimum does, nothing is
    /// rounded, and NaN is not an element.
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    /// The fields of what two elements are together.
    pub fn sum(&self, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
        let operands: Vec<_> = (0..).zip(a.iter().chain(b).cloned()).collect();
        let subst = Subst { tensor: operands, ..Subst::default() };
        self.sum.iter().map(|sum| subst.expr(sum)).collect()
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
}

/// The terms are small enough to be worked on, all together.
pub(crate) fn admit_all<'e>(terms: impl Iterator<Item = &'e Expr>) -> Result<()> {
    admit(&Arc::new(Node::Bundle([].into(), terms.cloned().collect())))
}

/// Does the term compute with floats anywhere, where its variables are none?
fn has_floats(e: &Expr) -> bool {
    let itself = match &**e {
        Node::Lit(elem, _) | Node::Index(elem, _) | Node::Prim(Prim::Cast(elem), _) => elem.scalar.is_float(),
        Node::Op(def, ..) => has_floats(&def.body),
        _ => false,
    };
    itself || e.children().filter_map(|at| e.child(at)).any(has_floats)
}

/// Does the term only compare and choose? Each number in it is one of every type, so that none is rounded.
fn chooses(e: &Expr) -> bool {
    match &**e {
        Node::Lit(elem, Number::Decimal(m, x)) if elem.scalar.is_float() => {
            *x == 0 && m.unsigned_abs() <= 1 << 8
        }
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
