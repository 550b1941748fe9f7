//! Scalars, algebras and their laws, rounding classes, and the types of pointwise operations.
//!
//! These tables are the checker's own: a file names their rows and cannot change them.

use crate::names::named;
use std::fmt;

named! {
    /// What a cell of a tensor holds.
    Scalar {
        F16 "f16", BF16 "bf16", F32 "f32", F64 "f64", I8 "i8", I16 "i16", I32 "i32", I64 "i64", U8 "u8", U16 "u16",
        U32 "u32", U64 "u64", Bool "bool",
    }
}

impl Scalar {
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64)
    }

    /// Whether it is an integer of 64 bits.
    fn is_wide(self) -> bool {
        matches!(self, Scalar::I64 | Scalar::U64)
    }

    /// The least and the greatest value, if index terms may read it: each of its values is an integer of 64
    /// signed bits.
    pub(crate) fn index_range(self) -> Option<(i64, i64)> {
        Some(match self {
            Scalar::I8 => (-0x80, 0x7f),
            Scalar::I16 => (-0x8000, 0x7fff),
            Scalar::I32 => (-0x8000_0000, 0x7fff_ffff),
            Scalar::I64 => (i64::MIN, i64::MAX),
            Scalar::U8 => (0, 0xff),
            Scalar::U16 => (0, 0xffff),
            Scalar::U32 => (0, 0xffff_ffff),
            Scalar::Bool => (0, 1),
            Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64 | Scalar::U64 => return None,
        })
    }

    /// Whether index terms may read it.
    pub(crate) fn is_index(self) -> bool {
        self.index_range().is_some()
    }
}

named! {
    /// What `+`, `*`, zero and one are.
    Algebra {
        PlusTimes "plus_times", Times "times", MinPlus "min_plus", MaxPlus "max_plus", MinMax "min_max",
        MaxMin "max_min", MaxTimes "max_times", OrAnd "or_and", AndOr "and_or",
    }
}

/// The laws of a commutative semiring.
const SEMIRING: &str =
    "add_0_l add_0_r add_comm add_assoc mul_0_l mul_0_r mul_1_l mul_1_r mul_assoc mul_comm distr_l distr_r";

impl Algebra {
    pub(crate) fn laws(self) -> Laws {
        match self {
            Algebra::Times => {
                Laws::of("add_0_l add_0_r add_comm add_assoc mul_1_l mul_1_r mul_assoc mul_comm")
            }
            Algebra::PlusTimes => Laws::of(&format!("{SEMIRING} index_counts")),
            _ => Laws::of(&format!("{SEMIRING} add_idem")),
        }
    }

    /// Whether a sum is one of its operands: a minimum, a maximum, a conjunction, a disjunction.
    pub(crate) fn selects(self) -> bool {
        Laws::of("add_idem").within(self.laws())
    }

    /// Whether the laws hold over a scalar. A truth value may stand in any algebra: comparisons do.
    pub(crate) fn admits(self, scalar: Scalar) -> bool {
        match self {
            _ if scalar == Scalar::Bool => true,
            Algebra::PlusTimes | Algebra::Times | Algebra::MinMax | Algebra::MaxMin => true,
            Algebra::MinPlus | Algebra::MaxPlus | Algebra::MaxTimes => scalar.is_float(),
            Algebra::OrAnd | Algebra::AndOr => false,
        }
    }
}

/// An element type: a scalar with an algebra.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Element {
    pub(crate) scalar: Scalar,
    pub(crate) algebra: Algebra,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}<{}>", self.algebra.name(), self.scalar.name())
    }
}

/// A set of laws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Laws(u16);

const LAWS: [&str; 14] = [
    "add_0_l",
    "add_0_r",
    "add_comm",
    "add_assoc",
    "mul_0_l",
    "mul_0_r",
    "mul_1_l",
    "mul_1_r",
    "mul_assoc",
    "mul_comm",
    "distr_l",
    "distr_r",
    "add_idem",
    "index_counts",
];

impl Laws {
    pub(crate) const NONE: Laws = Laws(0);
    /// All of them, and one that nobody knows.
    const UNKNOWN: Laws = Laws(u16::MAX);

    /// The laws of these names; of a wrong name, what no algebra has.
    pub(crate) fn of(names: &str) -> Laws {
        Laws::listed(&names.split(' ').collect::<Vec<_>>()).unwrap_or(Laws::UNKNOWN)
    }

    pub(crate) fn and(self, more: Laws) -> Laws {
        Laws(self.0 | more.0)
    }

    pub(crate) fn within(self, more: Laws) -> bool {
        self.0 & !more.0 == 0
    }

    /// The laws that a header lists: in the table's order, each at most once.
    pub(crate) fn listed(names: &[&str]) -> Option<Laws> {
        if names == ["none"] {
            return Some(Laws::NONE);
        }
        let mut laws = Laws::NONE;
        let mut next = 0;
        for name in names {
            let place = next + LAWS[next..].iter().position(|law| law == name)?;
            laws = Laws(laws.0 | 1 << place);
            next = place + 1;
        }
        (laws != Laws::NONE).then_some(laws)
    }
}

impl fmt::Display for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            LAWS.iter().enumerate().filter(|(k, _)| self.0 >> k & 1 == 1).map(|(_, name)| *name).collect();
        f.write_str(&if names.is_empty() { "none".to_owned() } else { names.join(" ") })
    }
}

named! {
    /// How far floating point may differ, the least first.
    Rounding { Bitwise "bitwise", Finite "finite", Real "real", }
}

named! {
    /// A pointwise operation.
    Function {
        Add "add", Mul "mul", Sub "sub", Div "div", Min "min", Max "max", Neg "neg", Abs "abs",
        Rem "rem", BitAnd "bit_and", BitOr "bit_or", BitXor "bit_xor", BitNot "bit_not", Shl "shl", Shr "shr",
        MulHi "mulhi", Popcount "popcount", Clz "clz", Ctz "ctz",
        And "and", Or "or", Not "not", Eq "eq", Lt "lt", Le "le", Where "where",
        Acos "acos", Asin "asin", Atan "atan", Atan2 "atan2", Cbrt "cbrt", Ceil "ceil", Copysign "copysign", Cos "cos",
        Cosh "cosh", Erf "erf", Erfc "erfc", Exp "exp", Exp10 "exp10", Exp2 "exp2", Expm1 "expm1", Floor "floor",
        Fma "fma", Fmod "fmod", Hypot "hypot", Log "log", Log10 "log10", Log1p "log1p", Log2 "log2", Pow "pow",
        Round "round", Rsqrt "rsqrt", Sign "sign", Sin "sin", Sinh "sinh", Sqrt "sqrt", Tan "tan", Tanh "tanh",
        Trunc "trunc",
    }
    Cast(Element) "cast"
}

impl Function {
    /// The functions that take and give integers alone.
    fn is_of_integers(self) -> bool {
        use Function::{BitAnd, BitNot, BitOr, BitXor, Clz, Ctz, MulHi, Popcount, Rem, Shl, Shr};
        matches!(self, Rem | BitAnd | BitOr | BitXor | BitNot | Shl | Shr | MulHi | Popcount | Clz | Ctz)
    }

    /// The functions that take and give floats.
    fn is_of_floats(self) -> bool {
        !self.is_of_integers()
            && !matches!(
                self,
                Function::Add
                    | Function::Mul
                    | Function::Sub
                    | Function::Div
                    | Function::Min
                    | Function::Max
                    | Function::Neg
                    | Function::Abs
                    | Function::And
                    | Function::Or
                    | Function::Not
                    | Function::Eq
                    | Function::Lt
                    | Function::Le
                    | Function::Where
                    | Function::Cast(_)
            )
    }

    pub(crate) fn operands(self) -> usize {
        match self {
            Function::Neg | Function::Abs | Function::Not | Function::Cast(_) => 1,
            Function::BitNot | Function::Popcount | Function::Clz | Function::Ctz => 1,
            Function::Where | Function::Fma => 3,
            Function::Atan2 | Function::Copysign | Function::Fmod | Function::Hypot | Function::Pow => 2,
            function if function.is_of_floats() => 1,
            _ => 2,
        }
    }

    /// The element type of the result, if the operands' are as they must be.
    pub(crate) fn result(self, operands: &[Element]) -> Option<Element> {
        let (first, rest) = operands.split_first()?;
        if operands.len() != self.operands() {
            return None;
        }
        if self == Function::Where {
            let fits = first.scalar == Scalar::Bool && rest[0] == rest[1];
            return fits.then(|| rest[0]);
        }
        if rest.iter().any(|e| e != first) {
            return None;
        }
        let is_bool = first.scalar == Scalar::Bool;
        match self {
            Function::Add | Function::Mul => Some(*first),
            Function::Sub | Function::Div | Function::Min | Function::Max | Function::Neg | Function::Abs => {
                (!is_bool).then_some(*first)
            }
            Function::And | Function::Or | Function::Not => is_bool.then_some(*first),
            Function::Eq | Function::Lt | Function::Le => {
                Some(Element { scalar: Scalar::Bool, algebra: first.algebra })
            }
            Function::Cast(to) => (to.algebra == first.algebra).then_some(to),
            Function::Where => None,
            Function::MulHi if first.scalar.is_wide() => None,
            function if function.is_of_integers() => (!is_bool && !first.scalar.is_float()).then_some(*first),
            _ => first.scalar.is_float().then_some(*first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_laws_of_algebras_are_spelt_as_the_format_spells_them() {
        let counts = [(Algebra::PlusTimes, 13), (Algebra::Times, 8), (Algebra::MinPlus, 13)];
        for (algebra, count) in counts {
            assert_eq!(algebra.laws().0.count_ones(), count, "{}", algebra.name());
        }
    }
}
