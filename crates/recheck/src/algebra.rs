//! Scalars, algebras and their laws, rounding classes, and the types of pointwise operations.
//!
//! These tables are the checker's own: a file names their rows and cannot change them.

use std::fmt;

/// What a cell of a tensor holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Scalar {
    F32,
    F64,
    I32,
    I64,
    U8,
    Bool,
}

const SCALARS: [(&str, Scalar); 6] = [
    ("f32", Scalar::F32),
    ("f64", Scalar::F64),
    ("i32", Scalar::I32),
    ("i64", Scalar::I64),
    ("u8", Scalar::U8),
    ("bool", Scalar::Bool),
];

impl Scalar {
    pub(crate) fn named(name: &str) -> Option<Scalar> {
        SCALARS.iter().find(|(n, _)| *n == name).map(|(_, scalar)| *scalar)
    }

    fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}

/// What `+`, `*`, zero and one are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Algebra {
    PlusTimes,
    Times,
    MinPlus,
    MaxPlus,
    MinMax,
    MaxMin,
    MaxTimes,
    OrAnd,
    AndOr,
}

const ALGEBRAS: [(&str, Algebra); 9] = [
    ("plus_times", Algebra::PlusTimes),
    ("times", Algebra::Times),
    ("min_plus", Algebra::MinPlus),
    ("max_plus", Algebra::MaxPlus),
    ("min_max", Algebra::MinMax),
    ("max_min", Algebra::MaxMin),
    ("max_times", Algebra::MaxTimes),
    ("or_and", Algebra::OrAnd),
    ("and_or", Algebra::AndOr),
];

impl Algebra {
    pub(crate) fn named(name: &str) -> Option<Algebra> {
        ALGEBRAS.iter().find(|(n, _)| *n == name).map(|(_, algebra)| *algebra)
    }

    pub(crate) fn name(self) -> &'static str {
        ALGEBRAS.iter().find(|(_, algebra)| *algebra == self).map_or("", |(name, _)| name)
    }

    pub(crate) fn laws(self) -> Laws {
        match self {
            Algebra::PlusTimes => Laws::ALL.without(Laws::ADD_IDEM),
            Algebra::Times => {
                Laws::ADD.and(Laws::MUL_1_L).and(Laws::MUL_1_R).and(Laws::MUL_ASSOC).and(Laws::MUL_COMM)
            }
            _ => Laws::ALL,
        }
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Element {
    pub(crate) scalar: Scalar,
    pub(crate) algebra: Algebra,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalar = SCALARS.iter().find(|(_, s)| *s == self.scalar).map_or("", |(name, _)| name);
        if self.algebra == Algebra::PlusTimes {
            write!(f, "{scalar}")
        } else {
            write!(f, "{}<{scalar}>", self.algebra.name())
        }
    }
}

/// A set of laws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Laws(u16);

const LAWS: [&str; 13] = [
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
];

impl Laws {
    pub(crate) const NONE: Laws = Laws(0);
    pub(crate) const ADD_0_L: Laws = Laws(1);
    pub(crate) const ADD_0_R: Laws = Laws(1 << 1);
    pub(crate) const ADD_COMM: Laws = Laws(1 << 2);
    pub(crate) const ADD_ASSOC: Laws = Laws(1 << 3);
    pub(crate) const MUL_0_L: Laws = Laws(1 << 4);
    pub(crate) const MUL_0_R: Laws = Laws(1 << 5);
    pub(crate) const MUL_1_L: Laws = Laws(1 << 6);
    pub(crate) const MUL_1_R: Laws = Laws(1 << 7);
    pub(crate) const MUL_ASSOC: Laws = Laws(1 << 8);
    pub(crate) const MUL_COMM: Laws = Laws(1 << 9);
    pub(crate) const DISTR_L: Laws = Laws(1 << 10);
    pub(crate) const DISTR_R: Laws = Laws(1 << 11);
    pub(crate) const ADD_IDEM: Laws = Laws(1 << 12);
    /// The four of addition.
    pub(crate) const ADD: Laws = Laws(0b1111);
    pub(crate) const ALL: Laws = Laws((1 << 13) - 1);

    pub(crate) const fn and(self, more: Laws) -> Laws {
        Laws(self.0 | more.0)
    }

    pub(crate) const fn without(self, fewer: Laws) -> Laws {
        Laws(self.0 & !fewer.0)
    }

    pub(crate) const fn within(self, more: Laws) -> bool {
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

/// How far floating point may differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Rounding {
    Bitwise,
    Finite,
    Real,
}

const ROUNDING: [(&str, Rounding); 3] =
    [("bitwise", Rounding::Bitwise), ("finite", Rounding::Finite), ("real", Rounding::Real)];

impl Rounding {
    pub(crate) fn named(name: &str) -> Option<Rounding> {
        ROUNDING.iter().find(|(n, _)| *n == name).map(|(_, class)| *class)
    }
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ROUNDING.iter().find(|(_, class)| class == self).map_or("", |(name, _)| name))
    }
}

/// A pointwise operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Function {
    Add,
    Mul,
    Sub,
    Div,
    Min,
    Max,
    Neg,
    Abs,
    Exp,
    Log,
    Sqrt,
    Floor,
    And,
    Or,
    Not,
    Eq,
    Lt,
    Le,
    Where,
    Cast(Element),
}

const FUNCTIONS: [(&str, Function); 19] = [
    ("add", Function::Add),
    ("mul", Function::Mul),
    ("sub", Function::Sub),
    ("div", Function::Div),
    ("min", Function::Min),
    ("max", Function::Max),
    ("neg", Function::Neg),
    ("abs", Function::Abs),
    ("exp", Function::Exp),
    ("log", Function::Log),
    ("sqrt", Function::Sqrt),
    ("floor", Function::Floor),
    ("and", Function::And),
    ("or", Function::Or),
    ("not", Function::Not),
    ("eq", Function::Eq),
    ("lt", Function::Lt),
    ("le", Function::Le),
    ("where", Function::Where),
];

impl Function {
    /// The operation of a name; `cast` has an element type besides, and is not found.
    pub(crate) fn named(name: &str) -> Option<Function> {
        FUNCTIONS.iter().find(|(n, _)| *n == name).map(|(_, function)| *function)
    }

    pub(crate) fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, function)| *function == self).map_or("cast", |(name, _)| name)
    }

    pub(crate) fn operands(self) -> usize {
        match self {
            Function::Neg | Function::Abs | Function::Exp | Function::Log | Function::Sqrt => 1,
            Function::Floor | Function::Not | Function::Cast(_) => 1,
            Function::Where => 3,
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
            Function::Sub | Function::Div | Function::Min | Function::Max => (!is_bool).then_some(*first),
            Function::Neg | Function::Abs => (!is_bool).then_some(*first),
            Function::Exp | Function::Log | Function::Sqrt | Function::Floor => {
                first.scalar.is_float().then_some(*first)
            }
            Function::And | Function::Or | Function::Not => is_bool.then_some(*first),
            Function::Eq | Function::Lt | Function::Le => {
                Some(Element { scalar: Scalar::Bool, algebra: first.algebra })
            }
            Function::Cast(to) => (to.algebra == first.algebra).then_some(to),
            Function::Where => None,
        }
    }
}
