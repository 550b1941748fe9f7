//! `and_or`: the dual of `or_and`; its sums are the reduction `all`.
//!
//! **Carrier.** The truth values.
//! **Zero, one.** True and false. **Addition, multiplication.** Conjunction and disjunction.
//! **Laws.** An idempotent commutative semiring.

use crate::{Carrier, Numbers, Ops, Semiring};
use atl_kernel::{Algebra, Laws, Scalar};

/// See the module.
pub static AND_OR: Algebra = Algebra {
    name: "and_or",
    scalars: &[Scalar::Bool],
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &AND_OR,
    carrier: Carrier::Real,
    numbers: Numbers::Of(Ops::AND_OR),
    truth: Ops::AND_OR,
};
