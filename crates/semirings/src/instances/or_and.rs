//! `or_and`: reachability; its sums are the reduction `any`.
//!
//! **Carrier.** The truth values. Where `plus_times<bool>` has the same operations, this algebra claims
//! idempotence as well.
//! **Zero, one.** False and true. **Addition, multiplication.** Disjunction and conjunction.
//! **Laws.** An idempotent commutative semiring.

use crate::{Carrier, Numbers, Ops, Semiring};
use atl_kernel::{Algebra, Laws, Scalar};

/// See the module.
pub static OR_AND: Algebra = Algebra {
    name: "or_and",
    scalars: &[Scalar::Bool],
    laws: Laws::COMM_SEMIRING.and(Laws::ADD_IDEM),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &OR_AND,
    carrier: Carrier::Real,
    numbers: Numbers::Of(Ops::OR_AND),
    truth: Ops::OR_AND,
};
