//! What each law states, as data: two sides, in elements, the zero, the one, sums and products.

use atl_kernel::Laws;

/// A side of a law.
pub(super) enum Side {
    Zero,
    One,
    /// The first, second or third element.
    Element(usize),
    Sum(Box<Side>, Box<Side>),
    Product(Box<Side>, Box<Side>),
}

/// A law: that two sides are equal.
pub(super) struct Statement {
    pub(super) law: Laws,
    pub(super) text: &'static str,
    /// How many elements it is about.
    pub(super) arity: usize,
    pub(super) lhs: Side,
    pub(super) rhs: Side,
}

use Side::{One, Zero};

const A: Side = Side::Element(0);
const B: Side = Side::Element(1);
const C: Side = Side::Element(2);

fn sum(x: Side, y: Side) -> Side {
    Side::Sum(Box::new(x), Box::new(y))
}

fn product(x: Side, y: Side) -> Side {
    Side::Product(Box::new(x), Box::new(y))
}

impl Statement {
    /// What each law states that a program may claim: all but what an index is as an element, which the language says.
    pub(super) fn all() -> Vec<Statement> {
        let law = |law, text, arity, lhs, rhs| Statement { law, text, arity, lhs, rhs };
        vec![
            law(Laws::ADD_0_L, "0 + a = a", 1, sum(Zero, A), A),
            law(Laws::ADD_0_R, "a + 0 = a", 1, sum(A, Zero), A),
            law(Laws::ADD_COMM, "a + b = b + a", 2, sum(A, B), sum(B, A)),
            law(Laws::ADD_ASSOC, "(a + b) + c = a + (b + c)", 3, sum(sum(A, B), C), sum(A, sum(B, C))),
            law(Laws::MUL_0_L, "0 * a = 0", 1, product(Zero, A), Zero),
            law(Laws::MUL_0_R, "a * 0 = 0", 1, product(A, Zero), Zero),
            law(Laws::MUL_1_L, "1 * a = a", 1, product(One, A), A),
            law(Laws::MUL_1_R, "a * 1 = a", 1, product(A, One), A),
            law(
                Laws::MUL_ASSOC,
                "(a * b) * c = a * (b * c)",
                3,
                product(product(A, B), C),
                product(A, product(B, C)),
            ),
            law(Laws::MUL_COMM, "a * b = b * a", 2, product(A, B), product(B, A)),
            law(
                Laws::DISTR_L,
                "a * (b + c) = a * b + a * c",
                3,
                product(A, sum(B, C)),
                sum(product(A, B), product(A, C)),
            ),
            law(
                Laws::DISTR_R,
                "(a + b) * c = a * c + b * c",
                3,
                product(sum(A, B), C),
                sum(product(A, C), product(B, C)),
            ),
            law(Laws::ADD_IDEM, "a + a = a", 1, sum(A, A), A),
        ]
    }

    /// The law's name.
    pub(super) fn name(&self) -> String {
        let named = Laws::TABLE.iter().find(|(_, law)| *law == self.law);
        named.map_or_else(String::new, |(name, _)| name.to_lowercase())
    }
}

/// What a sum and a product are.
pub(super) type Operations<'a, T, E> = (&'a dyn Fn(T, T) -> Result<T, E>, &'a dyn Fn(T, T) -> Result<T, E>);

impl Side {
    /// Its value, by what zero, one, a sum and a product are.
    pub(super) fn fold<T: Clone, E>(
        &self,
        elements: &[T],
        constants: [&T; 2],
        (add, mul): Operations<T, E>,
    ) -> Result<T, E> {
        let of = |side: &Side| side.fold(elements, constants, (add, mul));
        match self {
            Side::Zero => Ok(constants[0].clone()),
            Side::One => Ok(constants[1].clone()),
            Side::Element(k) => Ok(elements[*k].clone()),
            Side::Sum(x, y) => add(of(x)?, of(y)?),
            Side::Product(x, y) => mul(of(x)?, of(y)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_that_a_program_may_claim_has_a_statement() {
        let stated: Vec<_> = Statement::all().iter().map(|statement| statement.law).collect();
        let known = Laws::TABLE.iter().map(|(_, law)| *law).filter(|law| *law != Laws::INDEX_COUNTS);
        assert_eq!(stated, known.collect::<Vec<_>>());
    }
}
