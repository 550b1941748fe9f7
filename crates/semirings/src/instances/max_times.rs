//! `max_times`: the likeliest of alternatives.
//!
//! **Carrier.** The real numbers from 0 up, as floats. Below 0 neither is `max(0, a) = a` nor does `*`
//! distribute over `max`. Integers wrap, which does not respect `max`, and are not admitted.
//! **Zero, one.** 0 and 1. **Addition, multiplication.** `max` and `*`.
//! **Laws.** An idempotent commutative semiring.

use crate::{Carrier, Constant, Numbers, Op, Ops, Semiring};
use atl_kernel::{Algebra, Laws};

/// See the module.
pub static MAX_TIMES: Algebra = Algebra {
    name: "max_times",
    scalars: super::FLOATS,
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &MAX_TIMES,
    carrier: Carrier::NonNegative,
    numbers: Numbers::By(|_| Ops {
        add: Op::Max,
        zero: Constant::Int(0),
        mul: Op::Mul,
        one: Constant::Int(1),
    }),
    truth: Ops::OR_AND,
};
