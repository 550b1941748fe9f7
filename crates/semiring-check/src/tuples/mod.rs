//! Operations on tuples that programs declare: whether they have the laws that are claimed.
//!
//! An element has a value for each field. Of floats, it is any real number, or one of the infinities that
//! zero or one has in that field; of other types, any value. Nothing else is known of elements, since any
//! terms may be summed. Where formulas only compare and choose, as a minimum does, their laws are those
//! of floats up to NaN, so there each float may be infinite.
//!
//! Claims are tried on numbers first ([`trial`]), since numbers at which one fails explain best, and then
//! proved ([`proof`]). What neither decides is refused.

mod approximate;
mod formula;
mod fraction;
mod linear;
mod proof;
mod symbolic;
#[cfg(test)]
mod tests;
mod trial;
mod way;

use crate::statement::Statement;
use atl_diag::{Diagnostic, Span, err};
use atl_interp::Number;
use atl_kernel::{Elem, Expr, Laws, Monoid, Node, Prim, Scalar};

/// What is claimed of operations on tuples.
#[derive(Clone, Debug)]
pub struct TupleClaims {
    /// What messages call it.
    pub name: String,
    /// The types of an element's fields.
    pub fields: Vec<Elem>,
    /// The fields of the zero: closed terms.
    pub zero: Vec<Expr>,
    /// The fields of the one, of a semiring.
    pub one: Option<Vec<Expr>>,
    /// The fields of a sum. The free tensor variables of the levels from 0 are the fields of its first
    /// element, and then of the second.
    pub add: Vec<Expr>,
    /// The fields of a product, in the same way; of a semiring.
    pub mul: Option<Vec<Expr>>,
    /// The laws.
    pub laws: Laws,
}

impl From<&Monoid> for TupleClaims {
    fn from(monoid: &Monoid) -> TupleClaims {
        TupleClaims {
            name: monoid.name().to_owned(),
            fields: monoid.fields().to_vec(),
            zero: monoid.zero().to_vec(),
            one: None,
            add: monoid.formulas().cloned().collect(),
            mul: None,
            laws: monoid.laws(),
        }
    }
}

/// Why a monoid of tuples is refused; none if it has every law that it claims.
pub fn refused_monoid(monoid: &Monoid, claims: Span) -> Option<Diagnostic> {
    refused_tuples(&TupleClaims::from(monoid), claims)
}

/// Why operations on tuples are refused; none if they have every law that is claimed of them.
pub fn refused_tuples(claimed: &TupleClaims, claims: Span) -> Option<Diagnostic> {
    if claimed.laws.is_empty() {
        return None;
    }
    let unknown = |what: String| {
        err!(E0417, claims, "it is not known whether `{}` {what}", claimed.name)
            .label("claimed here")
            .note("no counterexample was found, but that is not a proof")
            .help(
                "claim fewer laws, or write the formulas with comparisons, `select`, `+`, `-`, `*`, `exp`, and quotients \
                 by what a comparison says is not zero",
            )
    };
    if !claimed.is_understood() {
        return Some(unknown(format!("has the laws `{}`", claimed.laws)));
    }
    let tuples = Tuples::of(claimed);
    if let Some((message, notes)) = tuples.refuted() {
        let refusal = err!(E0416, claims, "`{}` {message}", claimed.name).label("claimed here");
        let refusal = notes.into_iter().fold(refusal, Diagnostic::note);
        return Some(refusal.help(
            "claim fewer laws, or let the formulas say what such elements are; a schedule that needs a missing law names it",
        ));
    }
    tuples.unproved().map(unknown)
}

/// Claims with what is known of the elements.
struct Tuples<'a> {
    claimed: &'a TupleClaims,
    /// Do the formulas only compare and choose?
    chooses: bool,
    /// May a field be the one infinity, and the other?
    infinite: Vec<[bool; 2]>,
}

impl Tuples<'_> {
    fn of(claimed: &TupleClaims) -> Tuples<'_> {
        let chooses = claimed.terms().all(formula::chooses);
        let constants = [Some(&claimed.zero), claimed.one.as_ref()];
        let constants = constants.into_iter().flatten().filter_map(|terms| trial::constant(terms));
        let constants: Vec<_> = constants.collect();
        let may_be = |field: usize| {
            let is_float = claimed.fields[field].scalar.is_float();
            let has = |x| constants.iter().any(|constant| constant.get(field) == Some(&x));
            [Number::Infinity, Number::NegInfinity].map(|x| is_float && (chooses || has(x)))
        };
        let infinite = (0..claimed.fields.len()).map(may_be).collect();
        Tuples { claimed, chooses, infinite }
    }
}

impl TupleClaims {
    /// The laws that are claimed, as they are stated.
    fn stated(&self) -> Vec<Statement> {
        Statement::all().into_iter().filter(|statement| self.laws.has(statement.law)).collect()
    }

    /// Are all parts there, small, and of ordinary scalars, and is it known what each law states?
    fn is_understood(&self) -> bool {
        let count = self.fields.len();
        let is_part = |terms: &[Expr]| terms.len() == count && terms.iter().all(formula::is_scalar);
        let parts = [Some(&self.zero), self.one.as_ref(), Some(&self.add), self.mul.as_ref()];
        let stated = self.stated().iter().fold(Laws::NONE, |laws, statement| laws.and(statement.law));
        let of_products = self.laws.minus(Monoid::CLAIMS).is_empty();
        // Where no field is a float, laws are those of the bits, so nothing rounds on the way to them.
        let is_float = |elem: &Elem| elem.scalar.is_float();
        let rounds = |node: &Node| match node {
            Node::Lit(elem, _) | Node::Prim(Prim::Cast(elem), _) => is_float(elem),
            _ => false,
        };
        count > 0
            && self.fields.iter().all(|elem| atl_lang::is_ordinary(*elem))
            && parts.into_iter().flatten().all(|terms| is_part(terms))
            && (self.fields.iter().any(is_float)
                || !self.terms().any(|term| formula::any(term, &mut |node| rounds(node))))
            && stated == self.laws
            && (of_products || (self.one.is_some() && self.mul.is_some()))
    }

    /// Every term of the formulas, of zero, and of one.
    fn terms(&self) -> impl Iterator<Item = &Expr> {
        let others = [self.one.as_ref(), self.mul.as_ref()];
        self.zero.iter().chain(&self.add).chain(others.into_iter().flatten().flatten())
    }

    /// The literals of the formulas, with their types.
    fn literals(&self) -> Vec<(Scalar, atl_kernel::Number)> {
        let mut found = Vec::new();
        for term in self.terms() {
            formula::any(term, &mut |node| {
                if let Node::Lit(elem, number) = node {
                    found.push((elem.scalar, *number));
                }
                false
            });
        }
        found
    }
}
