//! `times`: numbers under multiplication, whose sums are the products `prod` of the ordinary algebra.
//!
//! **Carrier.** That of `plus_times`.
//! **Zero, one.** Both 1. **Addition, multiplication.** Both `*` (on `bool`, conjunction).
//! **Laws.** Both are commutative monoids. One operation does not distribute over itself (`2*(2*2)` is not
//! `(2*2)*(2*2)`) and 1 annihilates nothing, so those laws are not claimed.

use crate::{Carrier, Constant, Numbers, Op, Ops, Semiring};
use atl_kernel::{Algebra, Laws, Scalar};

/// See the module.
pub static TIMES: Algebra = Algebra {
    name: "times",
    scalars: &Scalar::ALL,
    laws: Laws::ADD_COMM_MONOID
        .and(Laws::MUL_1_L)
        .and(Laws::MUL_1_R)
        .and(Laws::MUL_ASSOC)
        .and(Laws::MUL_COMM),
    formula: false,
};

pub(crate) static SEMIRING: Semiring = Semiring {
    algebra: &TIMES,
    carrier: Carrier::Real,
    numbers: Numbers::By(|_| Ops {
        add: Op::Mul,
        zero: Constant::Int(1),
        mul: Op::Mul,
        one: Constant::Int(1),
    }),
    truth: Ops { add: Op::And, zero: Constant::Int(1), mul: Op::And, one: Constant::Int(1) },
};
