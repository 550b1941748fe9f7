//! The instances, one file each.

mod and_or;
mod max_min;
mod max_plus;
mod max_times;
mod min_max;
mod min_plus;
mod or_and;
mod plus_times;
mod times;

pub use and_or::AND_OR;
pub use max_min::MAX_MIN;
pub use max_plus::MAX_PLUS;
pub use max_times::MAX_TIMES;
pub use min_max::MIN_MAX;
pub use min_plus::MIN_PLUS;
pub use or_and::OR_AND;
pub use plus_times::PLUS_TIMES;
pub use times::TIMES;

use crate::Semiring;
use atl_kernel::Scalar;

/// Every instance, by name.
pub const ALL: &[&Semiring] = &[
    &and_or::SEMIRING,
    &max_min::SEMIRING,
    &max_plus::SEMIRING,
    &max_times::SEMIRING,
    &min_max::SEMIRING,
    &min_plus::SEMIRING,
    &or_and::SEMIRING,
    &plus_times::SEMIRING,
    &times::SEMIRING,
];

/// The reductions of the surface language other than `sum`, by name, with the algebras whose sums they are:
/// `prod i < n { e }` is a sum over `times` of `e`'s view there, viewed back.
pub const REDUCTIONS: &[(&str, &Semiring)] = &[
    ("all", &and_or::SEMIRING),
    ("any", &or_and::SEMIRING),
    ("max", &max_min::SEMIRING),
    ("min", &min_max::SEMIRING),
    ("prod", &times::SEMIRING),
];

/// The scalars with arithmetic.
const NUMBERS: &[Scalar] = {
    let [numbers @ .., Scalar::Bool] = &Scalar::ALL else { panic!("the last type is that of truth values") };
    numbers
};
/// The scalars with infinities.
const FLOATS: &[Scalar] = &[Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64];
