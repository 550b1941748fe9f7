//! Values with operators: what a sequence of operations is written in.
//!
//! [`Real`], [`Word`] and [`Mask`] hold a value beside the [`Arithmetic`] that it belongs to, so `a + b * c` performs
//! [`Arithmetic::mul`] and then [`Arithmetic::add`]. Operands are evaluated from left to right: the order of the
//! operations is that of the text.

use crate::coefficients::Both;
use crate::{Arithmetic, Format, RoundTo};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

/// A float.
pub(crate) struct Real<'a, A: Arithmetic> {
    pub(crate) on: &'a A,
    pub(crate) value: A::Float,
}

/// An integer as wide as a float.
pub(crate) struct Word<'a, A: Arithmetic> {
    on: &'a A,
    value: A::Int,
}

/// A truth value.
pub(crate) struct Mask<'a, A: Arithmetic> {
    on: &'a A,
    value: A::Mask,
}

macro_rules! copies {
    ($($ty:ident)*) => {
        $(impl<A: Arithmetic> Clone for $ty<'_, A> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<A: Arithmetic> Copy for $ty<'_, A> {})*
    };
}

copies! { Real Word Mask }

/// What a float is computed with: another, or a number of the format.
pub(crate) trait Operand<'a, A: Arithmetic>: Copy {
    /// The float.
    fn on(self, on: &'a A) -> Real<'a, A>;
}

impl<'a, A: Arithmetic> Operand<'a, A> for Real<'a, A> {
    fn on(self, _: &'a A) -> Real<'a, A> {
        self
    }
}

impl<'a, A: Arithmetic> Operand<'a, A> for f64 {
    fn on(self, on: &'a A) -> Real<'a, A> {
        Real { on, value: on.float(self) }
    }
}

macro_rules! operator {
    ($operator:ident $function:ident) => {
        operator!($operator $function $function);
    };
    ($operator:ident $function:ident $operation:ident) => {
        impl<'a, A: Arithmetic, B: Operand<'a, A>> $operator<B> for Real<'a, A> {
            type Output = Real<'a, A>;

            fn $function(self, other: B) -> Real<'a, A> {
                let other = other.on(self.on);
                Real { value: self.on.$operation(self.value, other.value), ..self }
            }
        }
    };
}

operator!(Add add);
operator!(Sub sub);
operator!(Mul mul);
operator!(Div div);

impl<'a, A: Arithmetic> Neg for Real<'a, A> {
    type Output = Real<'a, A>;

    fn neg(self) -> Real<'a, A> {
        Real { value: self.on.neg(self.value), ..self }
    }
}

impl<'a, A: Arithmetic> Real<'a, A> {
    pub(crate) fn format(self) -> Format {
        self.on.format()
    }

    /// A number of the format.
    pub(crate) fn number(self, value: f64) -> Real<'a, A> {
        value.on(self.on)
    }

    /// The numbers for the format.
    pub(crate) fn of(self, both: &Both) -> &'static [f64] {
        self.by(both.double, both.single)
    }

    /// The first for doubles, the second for singles.
    pub(crate) fn by<T>(self, double: T, single: T) -> T {
        match self.format() {
            Format::F32 => single,
            Format::F64 => double,
        }
    }

    /// `self * b + c`, rounded once.
    pub(crate) fn mul_add(self, b: impl Operand<'a, A>, c: impl Operand<'a, A>) -> Real<'a, A> {
        let (b, c) = (b.on(self.on), c.on(self.on));
        Real { value: self.on.mul_add(self.value, b.value, c.value), ..self }
    }

    /// The product, for a place where it is added to something: it cannot be fused with that.
    pub(crate) fn times(self, b: impl Operand<'a, A>) -> Real<'a, A> {
        self.mul_add(b, -0.0)
    }

    pub(crate) fn sqrt(self) -> Real<'a, A> {
        Real { value: self.on.sqrt(self.value), ..self }
    }

    /// An integral number beside it.
    pub(crate) fn rounded(self, to: RoundTo) -> Real<'a, A> {
        Real { value: self.on.rounded(to, self.value), ..self }
    }

    pub(crate) fn less(self, b: impl Operand<'a, A>) -> Mask<'a, A> {
        let b = b.on(self.on);
        Mask { on: self.on, value: self.on.less(self.value, b.value) }
    }

    /// Is it more than the other?
    pub(crate) fn above(self, b: impl Operand<'a, A>) -> Mask<'a, A> {
        b.on(self.on).less(self)
    }

    pub(crate) fn equals(self, b: impl Operand<'a, A>) -> Mask<'a, A> {
        let b = b.on(self.on);
        Mask { on: self.on, value: self.on.equal(self.value, b.value) }
    }

    /// It is no NaN.
    pub(crate) fn is_number(self) -> Mask<'a, A> {
        self.equals(self)
    }

    /// The nearest number from `low` to `high`. NaN stays.
    pub(crate) fn between(self, low: f64, high: f64) -> Real<'a, A> {
        let below = self.at_most(high);
        below.less(low).choose(low, below)
    }

    /// The number itself, or `high` where it is above. NaN stays.
    pub(crate) fn at_most(self, high: f64) -> Real<'a, A> {
        self.above(high).choose(high, self)
    }

    pub(crate) fn bits(self) -> Word<'a, A> {
        Word { on: self.on, value: self.on.bits(self.value) }
    }

    /// The absolute value.
    pub(crate) fn abs(self) -> Real<'a, A> {
        Real { value: self.on.abs(self.value), ..self }
    }

    /// The bit of the sign, and no other.
    pub(crate) fn sign(self) -> Word<'a, A> {
        self.bits() & self.format().sign()
    }

    /// The bits differ in those of a word: in the sign, mostly.
    pub(crate) fn flipped(self, by: Word<'a, A>) -> Real<'a, A> {
        (self.bits() ^ by).float()
    }

    /// Is the sign that of a negative number? Also of -0.
    pub(crate) fn has_sign(self) -> Mask<'a, A> {
        self.sign().is_set()
    }

    /// `c[0] + x * (c[1] + x * (c[2] + ..))`.
    pub(crate) fn polynomial(self, coefficients: &[f64]) -> Real<'a, A> {
        let mut rest = coefficients.iter().rev();
        let mut value = self.number(rest.next().copied().unwrap_or(0.0));
        for coefficient in rest {
            value = self.mul_add(value, *coefficient);
        }
        value
    }

    /// The result of an operation on floats of twice the width, rounded.
    pub(crate) fn widened(
        self,
        f: impl for<'w> FnOnce(Real<'w, A::Wide>) -> Real<'w, A::Wide>,
    ) -> Real<'a, A> {
        let wide = self.on.wide();
        let value = f(Real { on: &wide, value: self.on.widen(self.value) }).value;
        Real { value: self.on.narrow(value), ..self }
    }

    /// The same of two operands.
    pub(crate) fn widened_with(
        self,
        other: Real<'a, A>,
        f: impl for<'w> FnOnce(Real<'w, A::Wide>, Real<'w, A::Wide>) -> Real<'w, A::Wide>,
    ) -> Real<'a, A> {
        let wide = self.on.wide();
        let of = |x: Real<'a, A>| Real { on: &wide, value: self.on.widen(x.value) };
        let value = f(of(self), of(other)).value;
        Real { value: self.on.narrow(value), ..self }
    }
}

impl<'a, A: Arithmetic> Word<'a, A> {
    pub(crate) fn new(on: &'a A, value: A::Int) -> Word<'a, A> {
        Word { on, value }
    }

    pub(crate) fn value(self) -> A::Int {
        self.value
    }

    /// The float of these bits.
    pub(crate) fn float(self) -> Real<'a, A> {
        Real { on: self.on, value: self.on.of_bits(self.value) }
    }

    /// Has it a bit?
    pub(crate) fn is_set(self) -> Mask<'a, A> {
        Mask { on: self.on, value: self.on.is_set(self.value) }
    }

    /// `2^k` for an exponent `k` of a normal number.
    pub(crate) fn power_of_two(self) -> Real<'a, A> {
        let format = self.on.format();
        ((self + format.bias()) << format.fraction()).float()
    }
}

macro_rules! word_operator {
    ($operator:ident $function:ident ($ty:ty) $operation:ident |$other:ident| $value:expr) => {
        impl<'a, A: Arithmetic> $operator<$ty> for Word<'a, A> {
            type Output = Word<'a, A>;

            fn $function(self, $other: $ty) -> Word<'a, A> {
                Word { value: self.on.$operation(self.value, $value), ..self }
            }
        }
    };
}

word_operator!(Add add (i64) add_int |n| n);
word_operator!(Sub sub (Word<'a, A>) sub_int |n| n.value);
word_operator!(Mul mul (i64) mul_int |n| n);
word_operator!(BitAnd bitand (i64) and_int |n| n);
word_operator!(BitXor bitxor (Word<'a, A>) xor_int |n| n.value);
word_operator!(Shl shl (u32) shift_left |n| n);
word_operator!(Shr shr (u32) shift_right |n| n);

impl<'a, A: Arithmetic> Mask<'a, A> {
    pub(crate) fn value(self) -> A::Mask {
        self.value
    }

    /// The first where it holds, else the second.
    pub(crate) fn choose(self, a: impl Operand<'a, A>, b: impl Operand<'a, A>) -> Real<'a, A> {
        let (a, b) = (a.on(self.on), b.on(self.on));
        Real { on: self.on, value: self.on.choose(self.value, a.value, b.value) }
    }
}

impl<'a, A: Arithmetic> BitAnd for Mask<'a, A> {
    type Output = Mask<'a, A>;

    fn bitand(self, other: Mask<'a, A>) -> Mask<'a, A> {
        Mask { value: self.on.both(self.value, other.value), ..self }
    }
}

impl<'a, A: Arithmetic> BitOr for Mask<'a, A> {
    type Output = Mask<'a, A>;

    fn bitor(self, other: Mask<'a, A>) -> Mask<'a, A> {
        Mask { value: self.on.either(self.value, other.value), ..self }
    }
}

impl<'a, A: Arithmetic> Not for Mask<'a, A> {
    type Output = Mask<'a, A>;

    fn not(self) -> Mask<'a, A> {
        Mask { value: self.on.not(self.value), ..self }
    }
}
