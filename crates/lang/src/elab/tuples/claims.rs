//! The laws that a monoid or a semiring on tuples claims: `laws associative, commutative;`.
//!
//! The one idea: its parts are functions of scalars, and their terms are what the kernel has of it. Whether
//! the laws hold is not decided here: what loads a program tests them before anything rests on them.

use super::super::Functions;
use super::parts_of;
use crate::module::Function;
use atl_diag::{Diagnostic, Span, err};
use atl_kernel::{Elem, Expr as Term, Laws, Node};
use atl_syntax::ast::{Monoid, Name};
use std::sync::Arc;

/// A declared monoid, or a semiring on tuples, and where it claims its laws.
#[derive(Clone, Debug)]
pub struct DeclaredMonoid {
    /// Its sums, with the laws that are claimed of them.
    pub sum: Arc<atl_kernel::Monoid>,
    /// A semiring's products, with the one in place of the zero. Then it is claimed, too, that products
    /// distribute over sums on both sides, and that the zero times anything is the zero, on both sides.
    pub product: Option<Arc<atl_kernel::Monoid>>,
    /// Where the claims are written.
    pub claims: Span,
}

impl DeclaredMonoid {
    /// Its sums, and its products if it has any.
    pub fn operations(&self) -> impl Iterator<Item = &Arc<atl_kernel::Monoid>> {
        std::iter::once(&self.sum).chain(&self.product)
    }
}

/// What the item claims, if it claims something; none if one of its parts was refused.
///
/// # Errors
/// A law that there is not, or a formula of which none can be claimed.
pub(in super::super) fn declared(
    item: &Monoid,
    functions: &Functions,
) -> Result<Option<DeclaredMonoid>, Box<Diagnostic>> {
    let claimed = item.laws.iter().map(|law| named(item, law)).collect::<Result<Vec<_>, _>>()?;
    let all = |laws: Laws, more: &Laws| laws.and(*more);
    let claimed = claimed.iter().fold(Laws::NONE, all);
    let is_semiring = item.product.is_some();
    if !is_semiring && claimed.is_empty() {
        return Ok(None);
    }
    let mut parts = Vec::new();
    for (part, _) in parts_of(item) {
        let Some(Some(function)) = functions.get(&part) else { return Ok(None) };
        parts.push(function);
    }
    let made = |name: &str, parts: &[&Function], laws| {
        let [neutral, together] = parts else { return None };
        let fields = fields(neutral);
        let (neutral, together) = (ends(&neutral.body, fields.len()), ends(&together.body, fields.len()));
        atl_kernel::Monoid::new(name, fields, neutral, together, laws).ok().map(Arc::new)
    };
    let name = &item.name.text;
    let (laws_of_sum, laws_of_product) = match is_semiring {
        false => (claimed, Laws::NONE),
        true => {
            let idempotent = if claimed.has(Laws::ADD_IDEM) { Laws::ADD_IDEM } else { Laws::NONE };
            let commutative = if claimed.has(Laws::ADD_COMM) { Laws::ADD_COMM } else { Laws::NONE };
            (Laws::ADD_COMM_MONOID.and(idempotent), Laws::ADD_MONOID.and(commutative))
        }
    };
    let sum = made(name, &parts[..2], laws_of_sum);
    let product = is_semiring.then(|| made(&format!("{name}.mul"), &parts[2..], laws_of_product));
    let (Some(sum), None | Some(Some(_))) = (sum, &product) else {
        return Err(Box::new(
            err!(E0253, item.name.span, "no laws of `{name}` can be claimed: its formulas are not of scalars alone")
                .note("a law is a theorem about scalars, and a formula with loops or reads of tensors has conditions")
                .help("write the formula with operators, functions of numbers and `select`"),
        ));
    };
    let claims = match &item.laws[..] {
        [first, .., last] => first.span.to(last.span),
        [law] => law.span,
        [] => item.name.span,
    };
    Ok(Some(DeclaredMonoid { sum, product: product.flatten(), claims }))
}

/// The laws of this name. A semiring always claims those of a semiring.
fn named(item: &Monoid, law: &Name) -> Result<Laws, Box<Diagnostic>> {
    match law.text.as_str() {
        "associative" if item.product.is_none() => Ok(Laws::ADD_MONOID),
        "commutative" => Ok(Laws::ADD_COMM),
        "idempotent" => Ok(Laws::ADD_IDEM),
        _ => Err(Box::new(err!(E0253, law.span, "there is no law `{}` to claim", law.text).help(
            match item.product {
                None => {
                    "`associative` says that `(a + b) + c = a + (b + c)` and that the zero is neutral, \
                         `commutative` that `a + b = b + a`, `idempotent` that `a + a = a`"
                }
                Some(_) => {
                    "`commutative` says that `a * b = b * a`, `idempotent` that `a + a = a`; those of a \
                            semiring are always claimed"
                }
            },
        ))),
    }
}

/// The types of a function's results.
fn fields(function: &Function) -> Vec<Elem> {
    match &function.several[..] {
        [] => vec![function.result.elem],
        several => several.iter().map(|part| part.ty.elem).collect(),
    }
}

/// The terms of the values that a body ends in.
fn ends(body: &Term, count: usize) -> Vec<Term> {
    let end = |k: usize| {
        let mut lets = Vec::new();
        let mut rest = body;
        while let Node::Let(label, bound, inside) = &**rest {
            lets.push((label, bound));
            rest = inside;
        }
        let end = match &**rest {
            Node::Bundle(_, parts) => parts.get(k)?.clone(),
            _ => rest.clone(),
        };
        Some(
            lets.into_iter()
                .rev()
                .fold(end, |body, (label, bound)| Arc::new(Node::Let(label.clone(), bound.clone(), body))),
        )
    };
    (0..count).filter_map(end).collect()
}
