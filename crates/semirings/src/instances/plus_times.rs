//! `plus_times`: the ordinary algebra, which a bare element type means.
//!
//! **Carrier.** The real numbers; for integer types, the integers modulo 2 to their width; for `bool`, the
//! truth values with disjunction and conjunction.
//! **Zero, one.** 0 and 1. **Addition, multiplication.** `+` and `*`.
//! **Laws.** A commutative semiring in which indices count: `n` is the sum of `n` ones. Idempotence holds on `bool` only, so it is not claimed.

use crate::{Carrier, Constant, Numbers, Op, Ops, Semiring};
use atl_kernel::{Algebra, Laws, Scalar};

/// See the module.
pub static PLUS_TIMES: Algebra = Algebra {
    name: "plus_times",
    scalars: &Scalar::ALL,
    laws: Laws::COMM_SEMIRING.and(Laws::INDEX_COUNTS),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &PLUS_TIMES,
    carrier: Carrier::Real,
    numbers: Numbers::By(|_| Ops {
        add: Op::Add,
        zero: Constant::Int(0),
        mul: Op::Mul,
        one: Constant::Int(1),
    }),
    truth: Ops::OR_AND,
};
