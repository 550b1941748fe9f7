//! `min_max`: the bottleneck of a path; its sums are the reduction `min`.
//!
//! **Carrier.** Any numbers in order, the infinities included.
//! **Zero, one.** The greatest and the least. **Addition, multiplication.** `min` and `max`.
//! **Laws.** An idempotent commutative semiring, as every distributive lattice is.

use crate::{Carrier, Constant, Numbers, Op, Ops, Semiring};
use atl_kernel::{Algebra, Laws};

/// See the module.
pub static MIN_MAX: Algebra = Algebra {
    name: "min_max",
    scalars: super::NUMBERS,
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &MIN_MAX,
    carrier: Carrier::Extended,
    numbers: Numbers::By(|s| Ops {
        add: Op::Min,
        zero: Constant::greatest(s),
        mul: Op::Max,
        one: Constant::least(s),
    }),
    truth: Ops::AND_OR,
};
