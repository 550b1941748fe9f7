//! `max_min`: the widest path; its sums are the reduction `max`.
//!
//! **Carrier.** Any numbers in order, the infinities included.
//! **Zero, one.** The least and the greatest. **Addition, multiplication.** `max` and `min`.
//! **Laws.** An idempotent commutative semiring, as every distributive lattice is.

use crate::{Carrier, Constant, Numbers, Op, Ops, Semiring};
use atl_kernel::{Algebra, Laws};

/// See the module.
pub static MAX_MIN: Algebra = Algebra {
    name: "max_min",
    scalars: super::NUMBERS,
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &MAX_MIN,
    carrier: Carrier::Extended,
    numbers: Numbers::By(|s| Ops {
        add: Op::Max,
        zero: Constant::least(s),
        mul: Op::Min,
        one: Constant::greatest(s),
    }),
    truth: Ops::OR_AND,
};
