//! Carriers and their laws: what `+`, `*`, zero and one mean in each algebra of the language.
//!
//! The kernel knows an algebra only as a name and a set of claimed laws ([`atl_kernel::Algebra`]). This
//! crate says what the name means on each machine scalar, and its tests compare every claim with the
//! operations. One instance is one file of [`instances`]; [`ALL`] is the table of them.
//!
//! For the language it computes nothing: the interpreter and lowering read the [`Ops`] of an instance and do the work.
//! A program may declare one too ([`declare`]), whose multiplication may be a [`Formula`]; whoever reads the program tests it.
//! Semirings of other elements, such as matrices, polynomials or paths, are values that compute: [`Arithmetic`], with those of
//! [`carriers`].
//!
//! ```
//! use atl_kernel::Scalar;
//! use atl_semirings::{Constant, Op, by_name};
//!
//! let min_plus = by_name("min_plus").unwrap().on(Scalar::F32).unwrap();
//! assert_eq!((min_plus.add, min_plus.mul), (Op::Min, Op::Add));
//! assert_eq!((min_plus.zero, min_plus.one), (Constant::PosInf, Constant::Int(0)));
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod arithmetic;
pub mod carriers;
mod formula;
pub mod instances;
mod own;
mod semiring;

pub use arithmetic::{Arithmetic, SEMIRING, counterexample, false_claim};
pub use formula::{Formula, Multiplication};
pub use instances::{ALL, REDUCTIONS};
pub use own::{declare, multiplication};
pub use semiring::{Carrier, Constant, Numbers, Op, Ops, Semiring};

use atl_kernel::{Algebra, Elem, Scalar};

/// The instance with this surface name.
pub fn by_name(name: &str) -> Option<&'static Semiring> {
    ALL.iter().copied().find(|s| s.algebra.name == name)
}

/// The instance that gives this algebra its meaning, be it a program's own; `None` for an algebra from elsewhere.
pub fn of(algebra: &Algebra) -> Option<&'static Semiring> {
    ALL.iter().copied().find(|s| std::ptr::eq(s.algebra, algebra)).or_else(|| own::of(algebra))
}

/// The element type `name<scalar>`; `None` if there is no such algebra or it does not admit the scalar.
pub fn elem(scalar: Scalar, name: &str) -> Option<Elem> {
    let semiring = by_name(name)?;
    semiring.admits(scalar).then_some(Elem { scalar, algebra: semiring.algebra })
}

/// The algebra whose sum is the reduction `prod`, `max`, `min`, `any` or `all`.
pub fn reduction(name: &str) -> Option<&'static Semiring> {
    REDUCTIONS.iter().find(|(n, _)| *n == name).map(|(_, s)| *s)
}
