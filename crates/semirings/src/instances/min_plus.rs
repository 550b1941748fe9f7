//! `min_plus`: lengths of shortest paths.
//!
//! **Carrier.** The real numbers and positive infinity, as floats. Integers have no infinity: the sum of
//! their largest number and 1 wraps, so zero would not annihilate, and they are not admitted.
//! **Zero, one.** Infinity and 0. **Addition, multiplication.** `min` and `+`.
//! **Laws.** An idempotent commutative semiring.

use crate::{Carrier, Constant, Numbers, Op, Ops, Semiring};
use atl_kernel::{Algebra, Laws};

/// See the module.
pub static MIN_PLUS: Algebra = Algebra {
    name: "min_plus",
    scalars: super::FLOATS,
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &MIN_PLUS,
    carrier: Carrier::RealOrInfinity,
    numbers: Numbers::By(|_| Ops {
        add: Op::Min,
        zero: Constant::PosInf,
        mul: Op::Add,
        one: Constant::Int(0),
    }),
    truth: Ops::AND_OR,
};
