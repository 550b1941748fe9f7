//! Operations on tuples that programs declare: whether they have the laws that are claimed.
//!
//! An element has a value for each field. Of floats, it is any real number, or one of the infinities that
//! zero or one has in that field; of other types, any value. Nothing else is known of elements, since any
//! terms may be summed. Where formulas only compare and choose, as a minimum does, their laws are those
//! of floats up to NaN, so there each float may be infinite.
//!
//! Claims are tried on numbers first ([`trial`]), since numbers at which one fails explain best, and then
//! proved ([`proof`], and [`two_valued`] of minima, maxima and bits). What neither decides is refused.

mod approximate;
mod differences;
mod formula;
mod fraction;
mod linear;
mod proof;
#[cfg(test)]
mod random;
mod symbolic;
#[cfg(test)]
mod tests;
mod trial;
mod two_valued;
mod way;

use crate::statement::Statement;
use atl_diag::{Diagnostic, Span, err};
use atl_interp::Number;
use atl_kernel::{Elem, Expr, Laws, Monoid, Node, Prim, Scalar};
use atl_lang::DeclaredMonoid;

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

/// Why operations that a program declares on tuples are refused; none if they have the laws that it
/// claims, and a semiring those that every semiring has.
pub fn refused_declared(declared: &DeclaredMonoid) -> Option<Diagnostic> {
    let mut claimed = TupleClaims::from(&*declared.sum);
    let Some(product) = &declared.product else { return refused_tuples(&claimed, declared.claims) };
    claimed.one = Some(product.zero().to_vec());
    claimed.mul = Some(product.formulas().cloned().collect());
    let of_products = [
        (Laws::ADD_0_L, Laws::MUL_1_L),
        (Laws::ADD_0_R, Laws::MUL_1_R),
        (Laws::ADD_ASSOC, Laws::MUL_ASSOC),
        (Laws::ADD_COMM, Laws::MUL_COMM),
    ];
    let mut others = product.laws();
    for (law, of_products) in of_products {
        if others.has(law) {
            claimed.laws = claimed.laws.and(of_products);
            others = others.minus(law);
        }
    }
    let both = [Laws::MUL_0_L, Laws::MUL_0_R, Laws::DISTR_L, Laws::DISTR_R];
    claimed.laws = both.into_iter().fold(claimed.laws, Laws::and);
    let of_product = TupleClaims { laws: others, ..TupleClaims::from(&**product) };
    refused_tuples(&claimed, declared.claims).or_else(|| refused_tuples(&of_product, declared.claims))
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
    let groups = claimed.groups();
    if let Some((message, notes)) = groups.iter().find_map(Tuples::refuted) {
        let refusal = err!(E0416, claims, "`{}` {message}", claimed.name).label("claimed here");
        let refusal = notes.into_iter().fold(refusal, Diagnostic::note);
        return Some(refusal.help(
            "claim fewer laws, or let the formulas say what such elements are; a schedule that needs a missing law names it",
        ));
    }
    let way = way::Way::new(proof::WORK);
    let mut open = groups.iter().filter(|group| !group.hold_of_two_values());
    let refusal = open.find_map(|group| group.unproved(&way)).map(unknown);
    let more = "its cases are more than are looked at: a proof takes one for each order of what is compared";
    refusal.map(|refusal| if way.is_spent() { refusal.note(more) } else { refusal })
}

/// Laws of the same operations, with what is known of the elements.
struct Tuples<'a> {
    claimed: &'a TupleClaims,
    laws: Vec<Statement>,
    /// The operations that they are about, and what messages call a result.
    operations: Vec<(&'static str, &'a [Expr])>,
    /// Do the formulas only compare and choose?
    chooses: bool,
    /// May a field be the one infinity, and the other?
    infinite: Vec<[bool; 2]>,
    /// Zero, and the finite numbers of a float type that the formulas mention: numerators and denominators.
    mentioned: Vec<(i128, i128)>,
}

impl TupleClaims {
    /// The laws that are claimed: those of sums, those of products, and those of both. The first two are
    /// used without the others, so elements are what they are to the one operation.
    fn groups(&self) -> Vec<Tuples<'_>> {
        let of_products = [Laws::MUL_1_L, Laws::MUL_1_R, Laws::MUL_ASSOC, Laws::MUL_COMM];
        let of_products = of_products.into_iter().fold(Laws::NONE, Laws::and);
        let of_both = self.laws.minus(Monoid::CLAIMS).minus(of_products);
        let sum = ("sum", &self.add[..]);
        let product = self.mul.as_ref().map(|mul| ("product", &mul[..]));
        let groups = [
            (Monoid::CLAIMS, vec![sum]),
            (of_products, product.into_iter().collect()),
            (of_both, product.into_iter().chain([sum]).collect()),
        ];
        let claimed = |(laws, operations): (Laws, _)| {
            let stated = Statement::all().into_iter();
            let laws: Vec<_> = stated.filter(|law| laws.has(law.law) && self.laws.has(law.law)).collect();
            (!laws.is_empty()).then(|| self.group(laws, operations))
        };
        groups.into_iter().filter_map(claimed).collect()
    }

    fn group<'a>(&'a self, laws: Vec<Statement>, operations: Vec<(&'static str, &'a [Expr])>) -> Tuples<'a> {
        let chooses = operations.iter().flat_map(|(_, terms)| *terms).all(formula::chooses);
        let constants: Vec<_> = self.constants().filter_map(|terms| trial::constant(terms)).collect();
        let may_be = |field: usize| {
            let is_float = self.fields[field].scalar.is_float();
            let has = |x| constants.iter().any(|constant| constant.get(field) == Some(&x));
            [Number::Infinity, Number::NegInfinity].map(|x| is_float && (chooses || has(x)))
        };
        let infinite = (0..self.fields.len()).map(may_be).collect();
        let of_floats = self.literals().into_iter().filter(|(scalar, _)| scalar.is_float());
        let ratios = of_floats.filter_map(|(scalar, number)| symbolic::represented(scalar, number));
        let ratios = ratios.map(|ratio| (ratio.numerator(), ratio.denominator()));
        let mentioned = std::iter::once((0, 1)).chain(ratios).collect();
        Tuples { claimed: self, laws, operations, chooses, infinite, mentioned }
    }

    /// The zero, and the one if there is one.
    fn constants(&self) -> impl Iterator<Item = &Vec<Expr>> {
        [Some(&self.zero), self.one.as_ref()].into_iter().flatten()
    }

    /// Are all parts there, small, and of ordinary scalars, and is it known what each law states?
    fn is_understood(&self) -> bool {
        let count = self.fields.len();
        let mut parts = self.constants().chain([&self.add]).chain(&self.mul);
        let stated = Statement::all().into_iter().map(|statement| statement.law);
        let stated = stated.filter(|law| self.laws.has(*law)).fold(Laws::NONE, Laws::and);
        let of_products = self.laws.minus(Monoid::CLAIMS).is_empty();
        // Where no field is a float, laws are those of the bits, so nothing rounds on the way to them.
        let is_float = |elem: &Elem| elem.scalar.is_float();
        let rounds = |node: &Node| match node {
            Node::Lit(elem, _) | Node::Prim(Prim::Cast(elem), _) => is_float(elem),
            _ => false,
        };
        // Where formulas only choose, each infinity is a number, of which there is no arithmetic.
        let is_literal = |term: &Expr| matches!(**term, Node::Lit(..));
        count > 0
            && self.fields.iter().all(|elem| atl_lang::is_ordinary(*elem))
            && parts.all(|terms| terms.len() == count)
            && formula::are_scalars(self.terms())
            && (self.fields.iter().any(is_float)
                || !self.terms().any(|term| formula::any(term, &mut |node| rounds(node))))
            && (self.constants().flatten().all(is_literal)
                || !self.groups().iter().any(|group| group.chooses))
            && stated == self.laws
            && (of_products || (self.one.is_some() && self.mul.is_some()))
    }

    /// Every term of the formulas, of zero, and of one.
    fn terms(&self) -> impl Iterator<Item = &Expr> {
        self.constants().chain([&self.add]).chain(&self.mul).flatten()
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
