//! `pairs`: two semirings at once, such as least and count in one pass.
//!
//! **Carrier.** Pairs of elements. **Zero, one, addition, multiplication.** Of each by itself.
//! **Laws.** Those that both have.

use crate::Arithmetic;
use atl_kernel::Laws;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<A, B>(pub A, pub B);

impl<A: Arithmetic, B: Arithmetic> Arithmetic for Pairs<A, B> {
    type Element = (A::Element, B::Element);

    fn name(&self) -> String {
        format!("({}, {})", self.0.name(), self.1.name())
    }

    fn laws(&self) -> Laws {
        let (first, second) = (self.0.laws(), self.1.laws());
        first.minus(first.minus(second))
    }

    fn zero(&self) -> Self::Element {
        (self.0.zero(), self.1.zero())
    }

    fn one(&self) -> Self::Element {
        (self.0.one(), self.1.one())
    }

    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        (self.0.add(&a.0, &b.0), self.1.add(&a.1, &b.1))
    }

    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        (self.0.mul(&a.0, &b.0), self.1.mul(&a.1, &b.1))
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> Self::Element {
        (self.0.sample(below), self.1.sample(below))
    }
}
