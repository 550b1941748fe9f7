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
    Integers,
    /// Integers of at most 32 bits.
    Narrow,
    Truth,
}

impl On {
    fn has(self, scalar: Scalar) -> bool {
        match self {
            On::Numbers => scalar != Scalar::Bool,
            On::Integers => scalar.is_integer(),
            On::Narrow => scalar.is_integer() && scalar.bits() <= 32,
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
    /// The bits of an integer, inverted.
    BitNot Integers "bit_not";
    /// How many bits of an integer are set.
    Popcount Integers "popcount";
    /// How many bits of an integer stand above the highest that is set; all of 0.
    Clz Integers "clz";
    /// How many bits of an integer stand below the lowest that is set; all of 0.
    Ctz Integers "ctz";
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
    /// Remainder of integers with the sign of the divisor; `x` by 0.
    Rem Integers "%";
    /// And of the bits of integers.
    BitAnd Integers "bit_and";
    /// Or of the bits of integers.
    BitOr Integers "bit_or";
    /// Exclusive or of the bits of integers.
    BitXor Integers "bit_xor";
    /// Bits moved up by a count; 0 where that is negative or at least the width.
    Shl Integers "shl";
    /// Bits moved down by a count, with copies of the sign above; by a count that is negative or at least
    /// the width, all are copies.
    Shr Integers "shr";
    /// The high half of the exact product of integers of at most 32 bits.
    MulHi Narrow "mulhi";
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
            UnOp::BitNot | UnOp::Popcount | UnOp::Clz | UnOp::Ctz | UnOp::Not => return None,
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
            _ => return None,
        }
    };
}

/// The value of an operation on an integer of this many bits, modulo 2 to the 128.
fn integer_unary(op: UnOp, bits: u32, x: i128) -> Option<i128> {
    let own = x.cast_unsigned() & ((1 << bits) - 1);
    Some(match op {
        UnOp::Neg => -x,
        UnOp::Abs => x.abs(),
        UnOp::BitNot => !x,
        UnOp::Popcount => own.count_ones().into(),
        UnOp::Clz => (own.leading_zeros() - (128 - bits)).into(),
        UnOp::Ctz => own.trailing_zeros().min(bits).into(),
        UnOp::Not => return None,
    })
}

/// The value of an operation on two integers of this many bits, modulo 2 to the 128.
fn integer_binary(op: BinOp, bits: u32, x: i128, y: i128) -> Option<i128> {
    let count = u32::try_from(y).ok().filter(|count| *count < bits);
    Some(match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div => floor_div(x, y),
        BinOp::Rem => x - floor_div(x, y) * y,
        BinOp::BitAnd => x & y,
        BinOp::BitOr => x | y,
        BinOp::BitXor => x ^ y,
        BinOp::Shl => count.map_or(0, |count| x << count),
        // Beyond the width, every bit is a copy of the sign.
        BinOp::Shr => x >> count.unwrap_or(127),
        BinOp::MulHi if bits <= 32 => (x * y) >> bits,
        BinOp::MulHi => return None,
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
            Value::F16(x) => Value::F16(float_unary!(self, x)),
            Value::BF16(x) => Value::BF16(float_unary!(self, x)),
            Value::F32(x) => Value::F32(float_unary!(self, x)),
            Value::F64(x) => Value::F64(float_unary!(self, x)),
            Value::Int(x) => {
                Value::Int(Integer::wrapping(x.scalar(), integer_unary(self, x.scalar().bits(), x.get())?)?)
            }
            Value::Bool(x) => Value::Bool(if self == UnOp::Not { !x } else { return None }),
        })
    }
}

impl BinOp {
    /// The value of the operation, if it is defined on the type of both.
    pub fn apply(self, a: Value, b: Value) -> Option<Value> {
        Some(match (a, b) {
            (Value::F16(x), Value::F16(y)) => Value::F16(float_binary!(self, x, y)),
            (Value::BF16(x), Value::BF16(y)) => Value::BF16(float_binary!(self, x, y)),
            (Value::F32(x), Value::F32(y)) => Value::F32(float_binary!(self, x, y)),
            (Value::F64(x), Value::F64(y)) => Value::F64(float_binary!(self, x, y)),
            (Value::Int(x), Value::Int(y)) if x.scalar() == y.scalar() => Value::Int(Integer::wrapping(
                x.scalar(),
                integer_binary(self, x.scalar().bits(), x.get(), y.get())?,
            )?),
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
            (Value::F16(x), Value::F16(y)) => Some(self.apply(&x, &y)),
            (Value::BF16(x), Value::BF16(y)) => Some(self.apply(&x, &y)),
            (Value::F32(x), Value::F32(y)) => Some(self.apply(&x, &y)),
            (Value::F64(x), Value::F64(y)) => Some(self.apply(&x, &y)),
            _ if a.scalar() == b.scalar() => Some(self.apply(&a.to_integer()?, &b.to_integer()?)),
            _ => None,
        }
    }
}

/// The value of a function of floats, if the operands are floats of one type, and as many as it takes. Of
/// 16 bits it is that of `f32`, rounded, but for a fused operation, which rounds once.
pub fn call(function: Function, operands: &[Value]) -> Option<Value> {
    match (function, operands) {
        (Function::Fma, [Value::F16(a), Value::F16(b), Value::F16(c)]) => {
            return Some(Value::F16(a.mul_add(*b, *c)));
        }
        (Function::Fma, [Value::BF16(a), Value::BF16(b), Value::BF16(c)]) => {
            return Some(Value::BF16(a.mul_add(*b, *c)));
        }
        (_, [first @ (Value::F16(_) | Value::BF16(_)), rest @ ..]) => {
            let scalar = first.scalar();
            let same = rest.iter().all(|operand| operand.scalar() == scalar);
            let wide: Vec<Value> = operands.iter().map(|operand| operand.convert(Scalar::F32)).collect();
            return Some(call(function, &wide).filter(|_| same)?.convert(scalar));
        }
        _ => {}
    }
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
    fn remainders_have_the_sign_of_the_divisor_and_bits_are_those_of_the_width() {
        let (i8, i32, i64, u8, u32) = (Value::i8, Value::i32, Value::i64, Value::u8, Value::u32);
        check(Prim::Rem, &[i32(-7), i32(2)], i32(1));
        check(Prim::Rem, &[i32(7), i32(-2)], i32(-1));
        check(Prim::Rem, &[i32(7), i32(0)], i32(7));
        check(Prim::Rem, &[i64(i64::MIN), i64(-1)], i64(0));
        check(Prim::BitNot, &[u8(0x0f)], u8(0xf0));
        check(Prim::BitXor, &[i8(-1), i8(0x55)], i8(-0x56));
        check(Prim::BitAnd, &[i64(-1), i64(i64::MIN)], i64(i64::MIN));
        check(Prim::BitOr, &[u32(1 << 31), u32(1)], u32(0x8000_0001));
        check(Prim::Shl, &[i32(1), i32(31)], i32(i32::MIN));
        check(Prim::Shl, &[i32(1), i32(32)], i32(0));
        check(Prim::Shl, &[i32(1), i32(-1)], i32(0));
        check(Prim::Shr, &[i8(-128), i8(3)], i8(-16));
        check(Prim::Shr, &[i8(-1), i8(100)], i8(-1));
        check(Prim::Shr, &[i8(100), i8(-1)], i8(0));
        check(Prim::Shr, &[u8(255), u8(8)], u8(0));
        check(Prim::MulHi, &[u32(u32::MAX), u32(u32::MAX)], u32(u32::MAX - 1));
        check(Prim::MulHi, &[i8(-128), i8(3)], i8(-2));
        check(Prim::Popcount, &[i8(-1)], i8(8));
        check(Prim::Clz, &[i64(0)], i64(64));
        check(Prim::Clz, &[i8(1)], i8(7));
        check(Prim::Ctz, &[u8(0)], u8(8));
        check(Prim::Ctz, &[i64(i64::MIN)], i64(63));
        assert_eq!(pointwise(Prim::MulHi, &[i64(1), i64(1)]), None);
        assert_eq!(pointwise(Prim::BitAnd, &[Value::F32(1.0), Value::F32(1.0)]), None);
        assert_eq!(pointwise(Prim::BitAnd, &[Value::Bool(true), Value::Bool(true)]), None);
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
