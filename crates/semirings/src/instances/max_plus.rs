//! `max_plus`: lengths of longest paths; scores that are logarithms.
//!
//! **Carrier.** The real numbers and negative infinity, as floats. Integers are not admitted, for the
//! reason that `min_plus` gives.
//! **Zero, one.** Negative infinity and 0. **Addition, multiplication.** `max` and `+`.
//! **Laws.** An idempotent commutative semiring.

use crate::{Carrier, Constant, Numbers, Op, Ops, Semiring};
use atl_kernel::{Algebra, Laws};

/// See the module.
pub static MAX_PLUS: Algebra = Algebra {
    name: "max_plus",
    scalars: super::FLOATS,
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &MAX_PLUS,
    carrier: Carrier::RealOrNegInfinity,
    numbers: Numbers::By(|_| Ops {
        add: Op::Max,
        zero: Constant::NegInf,
        mul: Op::Add,
        one: Constant::Int(0),
    }),
    truth: Ops::OR_AND,
};
