//! `matrices`: square matrices over another semiring.
//!
//! **Carrier.** `n * n` elements, row by row. **Zero, one.** All zero, and the identity. **Addition, multiplication.** Of
//! matrices.
//! **Laws.** A semiring over a semiring. The order of factors counts, and two nonzero factors may have the product zero.

use crate::{Arithmetic, SEMIRING};
use atl_kernel::Laws;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Matrices<A> {
    /// Of what.
    pub of: A,
    /// How many rows, and columns.
    pub size: usize,
}

impl<A: Arithmetic> Matrices<A> {
    fn collect(&self, mut entry: impl FnMut(usize, usize) -> A::Element) -> Vec<A::Element> {
        (0..self.size * self.size).map(|k| entry(k / self.size, k % self.size)).collect()
    }
}

impl<A: Arithmetic> Arithmetic for Matrices<A> {
    type Element = Vec<A::Element>;

    fn name(&self) -> String {
        format!("{0} by {0} matrices of {1}", self.size, self.of.name())
    }

    fn laws(&self) -> Laws {
        super::over(&self.of, SEMIRING.and(Laws::ADD_IDEM))
    }

    fn zero(&self) -> Self::Element {
        self.collect(|_, _| self.of.zero())
    }

    fn one(&self) -> Self::Element {
        self.collect(|i, j| if i == j { self.of.one() } else { self.of.zero() })
    }

    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        a.iter().zip(b).map(|(a, b)| self.of.add(a, b)).collect()
    }

    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.collect(|i, j| {
            let term = |k: usize| self.of.mul(&a[i * self.size + k], &b[k * self.size + j]);
            (0..self.size).fold(self.of.zero(), |sum, k| self.of.add(&sum, &term(k)))
        })
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> Self::Element {
        self.collect(|_, _| if below(2) == 0 { self.of.zero() } else { self.of.sample(below) })
    }
}
