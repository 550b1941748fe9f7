//! Machine scalars under an instance of the language.
//!
//! **Carrier.** What the instance's carrier has of the scalar type. **Zero, one, addition, multiplication, laws.** The
//! instance's. Samples are small, so that no operation on them rounds.

use crate::{Arithmetic, Carrier, Constant, Op, Ops, Semiring};
use atl_kernel::{Laws, Scalar};
use std::fmt::Debug;

/// A machine scalar.
pub trait Number: Copy + PartialEq + Debug + 'static {
    /// Its type.
    const SCALAR: Scalar;

    /// The constant in this type.
    fn constant(constant: Constant) -> Self;

    /// The operation. Those of truth values are of truth values alone, and those of numbers of numbers.
    fn apply(op: Op, a: Self, b: Self) -> Self;

    /// Some elements of a carrier.
    fn samples(carrier: Carrier) -> Vec<Self>;
}

impl Number for f64 {
    const SCALAR: Scalar = Scalar::F64;

    fn constant(constant: Constant) -> f64 {
        match constant {
            Constant::Int(n) => n as f64,
            Constant::PosInf => f64::INFINITY,
            Constant::NegInf => f64::NEG_INFINITY,
        }
    }

    fn apply(op: Op, a: f64, b: f64) -> f64 {
        match op {
            Op::Add => a + b,
            Op::Mul => a * b,
            Op::Min | Op::And => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            Op::Max | Op::Or => {
                if b < a {
                    a
                } else {
                    b
                }
            }
            Op::Own(_) => unreachable!("`try_new` takes operations of the machine"),
        }
    }

    fn samples(carrier: Carrier) -> Vec<f64> {
        let all = [0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, f64::INFINITY, f64::NEG_INFINITY];
        all.into_iter().filter(|x| carrier.contains(*x)).collect()
    }
}

impl Number for i64 {
    const SCALAR: Scalar = Scalar::I64;

    fn constant(constant: Constant) -> i64 {
        match constant {
            Constant::Int(n) => n as i64,
            Constant::PosInf => i64::MAX,
            Constant::NegInf => i64::MIN,
        }
    }

    fn apply(op: Op, a: i64, b: i64) -> i64 {
        match op {
            Op::Add => a.wrapping_add(b),
            Op::Mul => a.wrapping_mul(b),
            Op::Min | Op::And => a.min(b),
            Op::Max | Op::Or => a.max(b),
            Op::Own(_) => unreachable!("`try_new` takes operations of the machine"),
        }
    }

    fn samples(carrier: Carrier) -> Vec<i64> {
        let all = [0, 1, -1, 2, 3, -7, 1 << 33, i64::MAX, i64::MIN];
        all.into_iter().filter(|n| carrier != Carrier::NonNegative || *n >= 0).collect()
    }
}

impl Number for bool {
    const SCALAR: Scalar = Scalar::Bool;

    fn constant(constant: Constant) -> bool {
        !matches!(constant, Constant::Int(0) | Constant::NegInf)
    }

    fn apply(op: Op, a: bool, b: bool) -> bool {
        match op {
            Op::Or | Op::Max => a | b,
            Op::And | Op::Min | Op::Mul => a & b,
            Op::Add => a ^ b,
            Op::Own(_) => unreachable!("`try_new` takes operations of the machine"),
        }
    }

    fn samples(_: Carrier) -> Vec<bool> {
        vec![false, true]
    }
}

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Machine<T> {
    semiring: &'static Semiring,
    ops: Ops,
    zero: T,
    one: T,
}

impl<T: Number> Machine<T> {
    /// The scalars under this instance, if it admits them and its operations are the machine's.
    ///
    /// ```
    /// use atl_semirings::{Arithmetic, carriers::Machine, by_name};
    ///
    /// let min_plus = Machine::<f64>::try_new(by_name("min_plus").unwrap()).unwrap();
    /// assert_eq!((min_plus.add(&2.0, &3.0), min_plus.mul(&2.0, &3.0)), (2.0, 5.0));
    /// assert!(Machine::<i64>::try_new(by_name("min_plus").unwrap()).is_none());
    /// ```
    pub fn try_new(semiring: &'static Semiring) -> Option<Machine<T>> {
        let ops = semiring.on(T::SCALAR).filter(|ops| !matches!(ops.mul, Op::Own(_)))?;
        Some(Machine { semiring, ops, zero: T::constant(ops.zero), one: T::constant(ops.one) })
    }
}

impl<T: Number> Arithmetic for Machine<T> {
    type Element = T;

    fn name(&self) -> String {
        format!("{}<{}>", self.semiring.algebra.name, T::SCALAR)
    }

    fn laws(&self) -> Laws {
        self.semiring.algebra.laws.minus(Laws::INDEX_COUNTS)
    }

    fn zero(&self) -> T {
        self.zero
    }

    fn one(&self) -> T {
        self.one
    }

    fn add(&self, a: &T, b: &T) -> T {
        T::apply(self.ops.add, *a, *b)
    }

    fn mul(&self, a: &T, b: &T) -> T {
        T::apply(self.ops.mul, *a, *b)
    }

    fn sample(&self, below: &mut dyn FnMut(usize) -> usize) -> T {
        let samples = T::samples(self.semiring.carrier);
        samples[below(samples.len())]
    }
}
