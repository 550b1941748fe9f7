//! What a semiring computes with, whatever its elements are.
//!
//! The instances of the language choose among machine operations ([`Ops`](crate::Ops)). [`Arithmetic`] is for everything else:
//! elements may be matrices, polynomials or paths, and the semiring is a value, so that it may have parameters. It claims
//! laws as an algebra of the kernel does, and [`counterexample`] compares a claim with the operations.

use atl_kernel::Laws;
use std::fmt::Debug;

/// Elements with a zero, a one, sums and products.
pub trait Arithmetic {
    /// An element.
    type Element: Clone + PartialEq + Debug + 'static;

    /// What to call it in reports.
    fn name(&self) -> String;

    /// The laws that it claims; none of them about an index, of which these elements are not made.
    fn laws(&self) -> Laws;

    /// The empty sum, and what an absent entry is.
    fn zero(&self) -> Self::Element;

    /// The empty product.
    fn one(&self) -> Self::Element;

    /// A sum.
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;

    /// A product, in this order.
    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;

    /// An element made of choices, of which `below(n)` makes one among `n`: laws are tested on these, so all that is peculiar
    /// must come up soon.
    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> Self::Element;
}

/// A semiring whose products may depend on their order.
pub const SEMIRING: Laws = Laws::COMM_SEMIRING.minus(Laws::MUL_COMM);

/// Elements at which this law is false; `None` if it holds for all of these.
///
/// ```
/// use atl_kernel::Laws;
/// use atl_semirings::{carriers::Counts, counterexample};
///
/// assert_eq!(counterexample(&Counts, Laws::ADD_COMM, &[0, 1, u64::MAX]), None);
/// assert_eq!(counterexample(&Counts, Laws::ADD_IDEM, &[0, 1]), Some([1, 0, 0]));
/// ```
///
/// # Panics
/// If this is not one of the laws of [`Laws::TABLE`] that are about a zero, a one, sums and products: these elements have no
/// counts for [`Laws::INDEX_COUNTS`].
pub fn counterexample<A: Arithmetic>(
    arithmetic: &A,
    law: Laws,
    elements: &[A::Element],
) -> Option<[A::Element; 3]> {
    let add = |a: &A::Element, b: &A::Element| arithmetic.add(a, b);
    let mul = |a: &A::Element, b: &A::Element| arithmetic.mul(a, b);
    let (zero, one) = (arithmetic.zero(), arithmetic.one());
    let holds = |a: &A::Element, b: &A::Element, c: &A::Element| match law {
        Laws::ADD_0_L => add(&zero, a) == *a,
        Laws::ADD_0_R => add(a, &zero) == *a,
        Laws::ADD_COMM => add(a, b) == add(b, a),
        Laws::ADD_ASSOC => add(&add(a, b), c) == add(a, &add(b, c)),
        Laws::MUL_0_L => mul(&zero, a) == zero,
        Laws::MUL_0_R => mul(a, &zero) == zero,
        Laws::MUL_1_L => mul(&one, a) == *a,
        Laws::MUL_1_R => mul(a, &one) == *a,
        Laws::MUL_ASSOC => mul(&mul(a, b), c) == mul(a, &mul(b, c)),
        Laws::MUL_COMM => mul(a, b) == mul(b, a),
        Laws::DISTR_L => mul(a, &add(b, c)) == add(&mul(a, b), &mul(a, c)),
        Laws::DISTR_R => mul(&add(a, b), c) == add(&mul(a, c), &mul(b, c)),
        Laws::ADD_IDEM => add(a, a) == *a,
        _ => panic!("not one law: {law}"),
    };
    let pairs = || elements.iter().flat_map(|b| elements.iter().map(move |c| (b, c)));
    elements.iter().find_map(|a| {
        let (b, c) = pairs().find(|(b, c)| !holds(a, b, c))?;
        Some([a.clone(), b.clone(), c.clone()])
    })
}

/// A law that is claimed and false for some of these elements, by name.
pub fn false_claim<A: Arithmetic>(
    arithmetic: &A,
    elements: &[A::Element],
) -> Option<(&'static str, [A::Element; 3])> {
    let mut claimed = Laws::TABLE.iter().filter(|(_, law)| arithmetic.laws().has(*law));
    claimed.find_map(|(name, law)| Some((*name, counterexample(arithmetic, *law, elements)?)))
}
