//! Multiplications that are formulas of their operands, as a program's own semiring may have.
//!
//! A formula chooses among the machine's operations, so whoever interprets or compiles a term reads it by [`Formula::fold`]
//! and needs no other case. Additions stay operations of the machine: sums are kept in one cell by one operation.

use atl_kernel::{Number, Prim, Scalar};

/// A multiplication of a program's own semiring.
#[derive(PartialEq, Eq, Debug)]
pub struct Multiplication {
    /// What it multiplies.
    pub scalar: Scalar,
    /// The product.
    pub formula: Formula,
}

/// A term in two operands; `+` and `*` in it are those of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// The left operand.
    Left,
    /// The right operand.
    Right,
    /// A decimal or an infinity.
    Number(Number),
    /// A pointwise operation.
    Apply(Prim, Vec<Formula>),
}

impl Formula {
    /// How many parts it has, if its operands have so many.
    pub fn size(&self, left: usize, right: usize) -> usize {
        match self {
            Formula::Left => left,
            Formula::Right => right,
            Formula::Number(_) => 1,
            Formula::Apply(_, args) => args.iter().fold(1, |n, arg| n.saturating_add(arg.size(left, right))),
        }
    }

    /// What the formula is of these operands, by what its numbers and its operations are.
    ///
    /// # Errors
    /// The first number or operation that is refused.
    pub fn fold<T: Clone, E>(
        &self,
        operands: (&T, &T),
        number: &impl Fn(Number) -> Result<T, E>,
        apply: &impl Fn(Prim, Vec<T>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.evaluate(operands, number, apply, &|_| None)
    }

    /// The same where it is known whether a condition holds: of a choice, only the case that is taken. The other may have no value,
    /// as `a * b` has none in `select(a == 0, 0, a * b)` where `a` is zero and `b` infinite.
    ///
    /// # Errors
    /// The first number or operation that is refused.
    pub fn evaluate<T: Clone, E>(
        &self,
        (left, right): (&T, &T),
        number: &impl Fn(Number) -> Result<T, E>,
        apply: &impl Fn(Prim, Vec<T>) -> Result<T, E>,
        holds: &impl Fn(&T) -> Option<bool>,
    ) -> Result<T, E> {
        let of = |part: &Formula| part.evaluate((left, right), number, apply, holds);
        match self {
            Formula::Left => Ok(left.clone()),
            Formula::Right => Ok(right.clone()),
            Formula::Number(n) => number(*n),
            Formula::Apply(Prim::Where, args) if let [condition, then, rest] = &args[..] => {
                let condition = of(condition)?;
                match holds(&condition) {
                    Some(true) => of(then),
                    Some(false) => of(rest),
                    None => apply(Prim::Where, vec![condition, of(then)?, of(rest)?]),
                }
            }
            Formula::Apply(prim, args) => apply(*prim, args.iter().map(of).collect::<Result<_, E>>()?),
        }
    }
}
