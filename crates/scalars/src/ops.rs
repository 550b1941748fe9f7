//! The operations: tables of what there is, and one place where each is evaluated.
//!
//! A new operation on integers is a row and a line of `integer_unary` or `integer_binary`. The kernel's `Prim` has the same
//! names. Functions of floats are those of `atl_elementary`.

use crate::value::{Integer, Value};
use atl_elementary::{Double, Single};
use atl_kernel::{Function, Prim, Scalar};

/// The types that an operation is defined on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Numbers,
    Truth,
}

impl On {
    fn has(self, scalar: Scalar) -> bool {
        match self {
            On::Numbers => scalar != Scalar::Bool,
            On::Truth => scalar == Scalar::Bool,
        }
    }
}

macro_rules! operations {
    ($(#[$about:meta])* $kind:ident; $($(#[$doc:meta])* $name:ident $on:ident $text:literal;)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $kind {
            $($(#[$doc])* $name,)*
        }

        impl $kind {
            /// Every one, in the order of the table.
            pub const ALL: &[$kind] = &[$($kind::$name),*];

            /// The operation of terms, if it is one of these.
            pub fn of(prim: Prim) -> Option<$kind> {
                match prim {
                    $(Prim::$name => Some($kind::$name),)*
                    _ => None,
                }
            }

            /// Is the operation defined on this type?
            pub fn accepts(self, scalar: Scalar) -> bool {
                match self {
                    $($kind::$name => On::$on.has(scalar),)*
                }
            }

            /// The operator or the function, as the loop IR writes it.
            pub fn text(self) -> &'static str {
                match self {
                    $($kind::$name => $text,)*
                }
            }
        }
    };
}

operations! {
    /// A unary operation; the result has the type of the operand.
    UnOp;
    /// Negation of a number.
    Neg Numbers "-";
    /// Absolute value of a number.
    Abs Numbers "abs";
    /// Negation of a truth value.
    Not Truth "!";
}

operations! {
    /// A binary operation; both operands and the result have one type.
    BinOp;
    /// Sum of numbers.
    Add Numbers "+";
    /// Difference of numbers.
    Sub Numbers "-";
    /// Product of numbers.
    Mul Numbers "*";
    /// Quotient of numbers; floor division on integers.
    Div Numbers "/";
    /// The smaller number.
    Min Numbers "min";
    /// The larger number.
    Max Numbers "max";
    /// Conjunction of truth values.
    And Truth "&&";
    /// Disjunction of truth values.
    Or Truth "||";
}

macro_rules! float_unary {
    ($op:expr, $x:expr) => {
        match $op {
            UnOp::Neg => -$x,
            UnOp::Abs => $x.abs(),
            UnOp::Not => return None,
        }
    };
}

macro_rules! float_binary {
    ($op:expr, $x:expr, $y:expr) => {
        match $op {
            BinOp::Add => $x + $y,
            BinOp::Sub => $x - $y,
            BinOp::Mul => $x * $y,
            BinOp::Div => $x / $y,
            BinOp::Min => pick($y < $x, $y, $x),
            BinOp::Max => pick($x < $y, $y, $x),
            BinOp::And | BinOp::Or => return None,
        }
    };
}

/// The exact value of an operation on an integer.
fn integer_unary(op: UnOp, x: i128) -> Option<i128> {
    Some(match op {
        UnOp::Neg => -x,
        UnOp::Abs => x.abs(),
        UnOp::Not => return None,
    })
}

/// The value of an operation on two integers of at most 64 bits, modulo 2 to the 128.
fn integer_binary(op: BinOp, x: i128, y: i128) -> Option<i128> {
    Some(match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div => floor_div(x, y),
        BinOp::Min => x.min(y),
        BinOp::Max => x.max(y),
        BinOp::And | BinOp::Or => return None,
    })
}

/// The quotient rounded down; 0 where the divisor is 0.
fn floor_div(x: i128, y: i128) -> i128 {
    match (x.checked_div(y), x.checked_rem(y)) {
        (Some(quotient), Some(rest)) if rest != 0 && (rest < 0) != (y < 0) => quotient - 1,
        (quotient, _) => quotient.unwrap_or(0),
    }
}

fn pick<T>(first: bool, x: T, y: T) -> T {
    if first { x } else { y }
}

impl UnOp {
    /// The value of the operation, if it is defined on the type.
    pub fn apply(self, a: Value) -> Option<Value> {
        Some(match a {
            Value::F32(x) => Value::F32(float_unary!(self, x)),
            Value::F64(x) => Value::F64(float_unary!(self, x)),
            Value::Int(x) => Value::Int(Integer::wrapping(x.scalar(), integer_unary(self, x.get())?)?),
            Value::Bool(x) => Value::Bool(if self == UnOp::Not { !x } else { return None }),
        })
    }
}

impl BinOp {
    /// The value of the operation, if it is defined on the type of both.
    pub fn apply(self, a: Value, b: Value) -> Option<Value> {
        Some(match (a, b) {
            (Value::F32(x), Value::F32(y)) => Value::F32(float_binary!(self, x, y)),
            (Value::F64(x), Value::F64(y)) => Value::F64(float_binary!(self, x, y)),
            (Value::Int(x), Value::Int(y)) if x.scalar() == y.scalar() => {
                Value::Int(Integer::wrapping(x.scalar(), integer_binary(self, x.get(), y.get())?)?)
            }
            (Value::Bool(x), Value::Bool(y)) => match self {
                BinOp::And => Value::Bool(x && y),
                BinOp::Or => Value::Bool(x || y),
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// A comparison, of index terms or of scalars. `a > b` is `b < a`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    /// Equal.
    Eq,
    /// Different.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

impl CmpOp {
    /// The comparison of terms, if it is one of these.
    pub fn of(prim: Prim) -> Option<CmpOp> {
        match prim {
            Prim::Eq => Some(CmpOp::Eq),
            Prim::Lt => Some(CmpOp::Lt),
            Prim::Le => Some(CmpOp::Le),
            _ => None,
        }
    }

    /// The comparison of two values of any partially ordered type (every one but `!=` is false on NaN).
    pub fn apply<T: PartialOrd>(self, a: &T, b: &T) -> bool {
        match self {
            CmpOp::Eq => a == b,
            CmpOp::Ne => a != b,
            CmpOp::Lt => a < b,
            CmpOp::Le => a <= b,
        }
    }

    /// The comparison of two values of one type.
    pub fn apply_values(self, a: Value, b: Value) -> Option<bool> {
        match (a, b) {
            (Value::F32(x), Value::F32(y)) => Some(self.apply(&x, &y)),
            (Value::F64(x), Value::F64(y)) => Some(self.apply(&x, &y)),
            _ if a.scalar() == b.scalar() => Some(self.apply(&a.to_integer()?, &b.to_integer()?)),
            _ => None,
        }
    }
}

/// The value of a function of floats, if the operands are floats of one type, and as many as it takes.
pub fn call(function: Function, operands: &[Value]) -> Option<Value> {
    let (mut singles, mut doubles) = ([0.0; 3], [0.0; 3]);
    let (count, scalar) = (operands.len(), operands.first()?.scalar());
    for (k, operand) in operands.iter().enumerate() {
        match operand {
            Value::F32(x) if scalar == Scalar::F32 => *singles.get_mut(k)? = *x,
            Value::F64(x) if scalar == Scalar::F64 => *doubles.get_mut(k)? = *x,
            _ => return None,
        }
    }
    match scalar {
        Scalar::F32 => Single::call(function, &singles[..count]).map(Value::F32),
        _ => Double::call(function, &doubles[..count]).map(Value::F64),
    }
}

/// The value of a pointwise operation of terms, if it is defined on the types; `+` and `*` are those of numbers.
pub fn pointwise(prim: Prim, args: &[Value]) -> Option<Value> {
    match (prim, args) {
        (Prim::Cast(to), [x]) => Some(x.convert(to.scalar)),
        (Prim::Where, [Value::Bool(c), a, b]) => Some(if *c { *a } else { *b }),
        (Prim::Call(function), _) => call(function, args),
        (_, [a]) => UnOp::of(prim)?.apply(*a),
        (_, [a, b]) => match CmpOp::of(prim) {
            Some(op) => op.apply_values(*a, *b).map(Value::Bool),
            None => BinOp::of(prim)?.apply(*a, *b),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prim: Prim, args: &[Value], expected: Value) {
        assert_eq!(pointwise(prim, args), Some(expected), "{prim:?} {args:?}");
    }

    #[test]
    fn integers_wrap_and_division_floors() {
        let (i32, i64, u8) = (Value::i32, Value::i64, Value::u8);
        check(Prim::Add, &[i32(i32::MAX), i32(1)], i32(i32::MIN));
        check(Prim::Mul, &[i64(i64::MIN), i64(-1)], i64(i64::MIN));
        check(Prim::Mul, &[u8(16), u8(17)], u8(16));
        check(Prim::Sub, &[u8(3), u8(5)], u8(254));
        check(Prim::Div, &[i32(-7), i32(2)], i32(-4));
        check(Prim::Div, &[i32(7), i32(0)], i32(0));
        check(Prim::Div, &[i32(i32::MIN), i32(-1)], i32(i32::MIN));
        check(Prim::Div, &[i64(i64::MIN), i64(-1)], i64(i64::MIN));
        check(Prim::Div, &[u8(200), u8(7)], u8(28));
        check(Prim::Neg, &[i32(i32::MIN)], i32(i32::MIN));
        check(Prim::Abs, &[i64(i64::MIN)], i64(i64::MIN));
        check(Prim::Abs, &[u8(200)], u8(200));
        check(Prim::Min, &[i32(-1), i32(2)], i32(-1));
        check(Prim::Lt, &[u8(200), u8(7)], Value::Bool(false));
    }

    #[test]
    fn floats_round_once_and_the_first_operand_wins_ties() {
        use Value::{Bool, F32, F64};
        check(Prim::Add, &[F32(16_777_216.0), F32(1.0)], F32(16_777_216.0));
        check(Prim::Min, &[F32(f32::NAN), F32(1.0)], F32(f32::NAN));
        check(Prim::Min, &[F32(1.0), F32(f32::NAN)], F32(1.0));
        check(Prim::Max, &[F64(0.0), F64(-0.0)], F64(0.0));
        check(Prim::Max, &[F64(-0.0), F64(0.0)], F64(-0.0));
        check(Prim::Max, &[F64(2.0), F64(-1.0)], F64(2.0));
        check(Prim::Le, &[F64(f64::NAN), F64(f64::NAN)], Bool(false));
        check(Prim::Eq, &[F64(0.0), F64(-0.0)], Bool(true));
        check(Prim::Call(Function::Floor), &[F64(-0.5)], F64(-1.0));
    }

    #[test]
    fn each_operation_is_defined_on_the_types_that_it_accepts() {
        for scalar in Scalar::ALL {
            let one = Value::of_integer(scalar, 1);
            for op in UnOp::ALL {
                assert_eq!(op.apply(one).is_some(), op.accepts(scalar), "{op:?} {scalar}");
            }
            for op in BinOp::ALL {
                assert_eq!(op.apply(one, one).is_some(), op.accepts(scalar), "{op:?} {scalar}");
            }
        }
        let mixed = [Value::i32(1), Value::i64(1)];
        assert_eq!(pointwise(Prim::Add, &mixed), None);
        assert_eq!(pointwise(Prim::Lt, &mixed), None);
        assert_eq!(pointwise(Prim::Neg, &[]), None);
        let pow = Prim::Call(Function::Pow);
        check(pow, &[Value::F32(2.0), Value::F32(3.0)], Value::F32(8.0));
        for refused in [&[Value::F64(1.0)][..], &[Value::F64(1.0), Value::F32(1.0)], &[Value::i32(2); 2]] {
            assert_eq!(pointwise(pow, refused), None);
        }
    }
}
