//! Semirings that programs declare.
//!
//! The kernel knows an algebra by where it lives, so a declaration gets a place for as long as the process lives; an equal one
//! gets the same. Nothing is found here by its name: two programs may mean different things by one.

use crate::{Carrier, Formula, Multiplication, Numbers, Op, Ops, Semiring};
use atl_kernel::{Algebra, Laws, Scalar};
use std::sync::{Mutex, PoisonError};

static FORMULAS: Mutex<Vec<&'static Multiplication>> = Mutex::new(Vec::new());
static DECLARED: Mutex<Vec<&'static Semiring>> = Mutex::new(Vec::new());

/// The semiring with this name, these operations on this type, and these claims. The caller has them tested before a theorem
/// may rest on them.
pub fn declare(name: &str, scalar: Scalar, carrier: Carrier, ops: Ops, laws: Laws) -> &'static Semiring {
    let same = |s: &&'static Semiring| {
        let algebra = s.algebra;
        (algebra.name, algebra.scalars, algebra.laws) == (name, &[scalar][..], laws)
            && (s.carrier, s.numbers.on(scalar)) == (carrier, ops)
    };
    let mut declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = declared.iter().copied().find(same) {
        return known;
    }
    let name = String::leak(name.to_owned());
    let scalars = Vec::leak(vec![scalar]);
    let semiring = Semiring {
        algebra: Box::leak(Box::new(Algebra { name, scalars, laws, formula: matches!(ops.mul, Op::Own(_)) })),
        carrier,
        numbers: Numbers::Of(ops),
        truth: if scalar == Scalar::Bool { ops } else { Ops::OR_AND },
    };
    let place = Box::leak(Box::new(semiring));
    declared.push(place);
    place
}

/// The multiplication by a formula; an equal one has the same place.
pub fn multiplication(scalar: Scalar, formula: Formula) -> &'static Multiplication {
    let wanted = Multiplication { scalar, formula };
    let mut formulas = FORMULAS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = formulas.iter().copied().find(|known| **known == wanted) {
        return known;
    }
    let place = Box::leak(Box::new(wanted));
    formulas.push(place);
    place
}

/// The declaration that gives this algebra its meaning.
pub(crate) fn of(algebra: &Algebra) -> Option<&'static Semiring> {
    let declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    declared.iter().copied().find(|s| std::ptr::eq(s.algebra, algebra))
}
