//! Named laws of an algebra, and the rounding class of an equation.
//!
//! A theorem carries the exact set of equations it used, in the spelling of the Rocq development;
//! words such as "semiring" are abbreviations for sets of these.

use std::fmt;

/// A set of named equations between scalars.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Laws(u32);

macro_rules! laws {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        impl Laws {
            $($(#[$doc])* pub const $name: Laws = Laws(1 << $bit);)*
            /// Every law with its name.
            pub const TABLE: &'static [(&'static str, Laws)] = &[$((stringify!($name), Laws::$name)),*];
        }
    };
}

laws! {
    /// `0 + a = a`
    ADD_0_L = 0;
    /// `a + 0 = a`
    ADD_0_R = 1;
    /// `a + b = b + a`
    ADD_COMM = 2;
    /// `(a + b) + c = a + (b + c)`
    ADD_ASSOC = 3;
    /// `0 * a = 0`
    MUL_0_L = 4;
    /// `a * 0 = 0`
    MUL_0_R = 5;
    /// `1 * a = a`
    MUL_1_L = 6;
    /// `a * 1 = a`
    MUL_1_R = 7;
    /// `(a * b) * c = a * (b * c)`
    MUL_ASSOC = 8;
    /// `a * b = b * a`
    MUL_COMM = 9;
    /// `a * (b + c) = a * b + a * c`
    DISTR_L = 10;
    /// `(a + b) * c = a * c + b * c`
    DISTR_R = 11;
    /// `a + a = a`, where `a + b` is one of the two
    ADD_IDEM = 12;
    /// `index(0) = 0`, and `index(k + 1) = index(k) + 1` for `0 <= k`, where `index` takes an integer to the carrier
    INDEX_COUNTS = 13;
}

impl Laws {
    /// No law: the equation holds for any operations whatever.
    pub const NONE: Laws = Laws(0);
    /// Addition is a monoid with zero.
    pub const ADD_MONOID: Laws = Laws(0b1011);
    /// Addition is a commutative monoid with zero.
    pub const ADD_COMM_MONOID: Laws = Laws(0b1111);
    /// A semiring with commutative multiplication.
    pub const COMM_SEMIRING: Laws = Laws(0b1111_1111_1111);

    /// Both sets.
    pub const fn and(self, other: Laws) -> Laws {
        Laws(self.0 | other.0)
    }

    /// Does this set hold every law of `other`?
    pub const fn has(self, other: Laws) -> bool {
        self.0 & other.0 == other.0
    }

    /// The laws of this set that `other` lacks.
    pub const fn minus(self, other: Laws) -> Laws {
        Laws(self.0 & !other.0)
    }

    /// Is the set empty?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names, in table order, lower case: `add_0_l`.
    pub fn names(self) -> Vec<String> {
        Laws::TABLE.iter().filter(|(_, l)| self.has(*l)).map(|(n, _)| n.to_lowercase()).collect()
    }
}

impl fmt::Display for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { f.write_str("none") } else { f.write_str(&self.names().join(", ")) }
    }
}

/// What an equation preserves in floating point, from most to least.
///
/// Each class is an equality, so it holds of whatever is composed of equations of the class. For `Finite`, that is
/// equality in the *quotient* arithmetic: the machine's, but that zero times anything is zero (infinity and NaN
/// included), a zero has no sign, and there is one NaN. A side computes on the machine what it is there, unless on the way it multiplies a
/// zero by an infinity or a NaN, or looks at the sign of a zero (as a division by it does). So where neither side does so, the two
/// results are the same, but for the sign of a zero. NaN is not an element of an algebra whose addition is
/// idempotent: the minimum of a NaN and a number depends on which comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Rounding {
    /// The same operations on the same values, in the same order of accumulation.
    #[default]
    Bitwise,
    /// The same where no zero meets an infinity or NaN in a product, and no zero's sign is looked at.
    Finite,
    /// Equal over exact numbers only: operations are reassociated.
    Real,
}

impl Rounding {
    /// The surface name.
    pub fn name(self) -> &'static str {
        match self {
            Rounding::Bitwise => "bitwise",
            Rounding::Finite => "finite",
            Rounding::Real => "real",
        }
    }
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
