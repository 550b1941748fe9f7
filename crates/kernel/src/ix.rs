//! Index terms over the integers and decidable predicates between them.
//!
//! Division and modulus are Rocq's total ones: they floor, `x / 0 = 0` and `x % 0 = x`. `ceil_div` is
//! not primitive: `ceil_div a b` *is* `(a + b - 1) / b`.

use std::sync::Arc;

/// A variable: bound inside the term at hand (de Bruijn index, innermost binder 0), or free in it and
/// then named by its level in the context. A free variable is never captured; a bound one never leaves
/// its term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Var {
    /// The entry of the context at this level.
    Free(u32),
    /// The binder this many binders outward.
    Bound(u32),
}

/// A binary operation on index terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IxOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Floor division; `x / 0 = 0`.
    Div,
    /// Remainder of floor division, with the divisor's sign; `x % 0 = x`.
    Mod,
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

/// An index term.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ix {
    /// An integer.
    Lit(i64),
    /// An index variable or a size.
    Var(Var),
    /// An operation.
    Bin(IxOp, Arc<(Ix, Ix)>),
    /// The element of an integer tensor at these indices; out of range, 0.
    Read(Var, Arc<[Ix]>),
}

impl Ix {
    /// The integer zero.
    pub const ZERO: Ix = Ix::Lit(0);
    /// The integer one.
    pub const ONE: Ix = Ix::Lit(1);

    /// The context's variable at `level`.
    pub fn free(level: u32) -> Ix {
        Ix::Var(Var::Free(level))
    }

    /// An operation, with the identities that need no context applied: literals folded where they do
    /// not overflow, `x + 0`, `x - 0`, `x * 1`, `x * 0`, `x / 1`, and `x + (y - x)`, the extent of two parts.
    pub fn bin(op: IxOp, a: Ix, b: Ix) -> Ix {
        use IxOp::*;
        match (op, &a, &b) {
            (_, Ix::Lit(x), Ix::Lit(y)) => {
                match eval_op(op, i128::from(*x), i128::from(*y)).map(i64::try_from) {
                    Some(Ok(v)) => Ix::Lit(v),
                    _ => Ix::Bin(op, Arc::new((a, b))),
                }
            }
            (Add | Sub, _, Ix::Lit(0)) | (Mul | Div, _, Ix::Lit(1)) => a,
            (Add, Ix::Lit(0), _) | (Mul, Ix::Lit(1), _) => b,
            (Add, x, Ix::Bin(Sub, yx)) if yx.1 == *x => yx.0.clone(),
            (Mul, Ix::Lit(0), _) | (Mul, _, Ix::Lit(0)) => Ix::ZERO,
            _ => Ix::Bin(op, Arc::new((a, b))),
        }
    }

    /// `ceil_div(a, b)`, which is `(a + b - 1) / b`.
    pub fn ceil_div(a: Ix, b: Ix) -> Ix {
        (a + b.clone() - Ix::ONE) / b
    }

    /// The smaller of two.
    pub fn min(a: Ix, b: Ix) -> Ix {
        Ix::bin(IxOp::Min, a, b)
    }

    /// The larger of two.
    pub fn max(a: Ix, b: Ix) -> Ix {
        Ix::bin(IxOp::Max, a, b)
    }

    /// Does the context variable at `level` occur, be it an index or an array that is read?
    pub fn mentions(&self, level: u32) -> bool {
        match self {
            Ix::Lit(_) => false,
            Ix::Var(v) => *v == Var::Free(level),
            Ix::Bin(_, ab) => ab.0.mentions(level) || ab.1.mentions(level),
            Ix::Read(v, at) => *v == Var::Free(level) || at.iter().any(|i| i.mentions(level)),
        }
    }
}

/// What the operation computes; `None` when it leaves `i128`.
pub fn eval_op(op: IxOp, a: i128, b: i128) -> Option<i128> {
    match op {
        IxOp::Add => a.checked_add(b),
        IxOp::Sub => a.checked_sub(b),
        IxOp::Mul => a.checked_mul(b),
        IxOp::Div if b == 0 => Some(0),
        IxOp::Div => {
            let (q, r) = (a.checked_div(b)?, a.checked_rem(b)?);
            if r != 0 && ((r < 0) != (b < 0)) { q.checked_sub(1) } else { Some(q) }
        }
        IxOp::Mod => a.checked_sub(b.checked_mul(eval_op(IxOp::Div, a, b)?)?),
        IxOp::Min => Some(a.min(b)),
        IxOp::Max => Some(a.max(b)),
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $op:ident),*) => {$(
        impl std::ops::$trait for Ix {
            type Output = Ix;
            fn $method(self, other: Ix) -> Ix {
                Ix::bin(IxOp::$op, self, other)
            }
        }
    )*};
}
operator!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Mod);

/// A comparison of index terms. The other three are spelt with these: `a > b` is `b < a`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cmp {
    /// Equal.
    Eq,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

/// A decidable predicate on index terms.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Pred {
    /// Always holds.
    True,
    /// Never holds.
    False,
    /// A comparison.
    Cmp(Cmp, Ix, Ix),
    /// Negation.
    Not(Arc<Pred>),
    /// Conjunction.
    And(Arc<(Pred, Pred)>),
    /// Disjunction.
    Or(Arc<(Pred, Pred)>),
}

impl Pred {
    /// `a == b`.
    pub fn eq(a: Ix, b: Ix) -> Pred {
        Pred::Cmp(Cmp::Eq, a, b)
    }

    /// `a < b`.
    pub fn lt(a: Ix, b: Ix) -> Pred {
        Pred::Cmp(Cmp::Lt, a, b)
    }

    /// `a <= b`.
    pub fn le(a: Ix, b: Ix) -> Pred {
        Pred::Cmp(Cmp::Le, a, b)
    }

    /// `0 <= i && i < n`.
    pub fn in_range(i: &Ix, n: &Ix) -> Pred {
        Pred::and(Pred::le(Ix::ZERO, i.clone()), Pred::lt(i.clone(), n.clone()))
    }

    /// Conjunction, with `true` and `false` absorbed.
    pub fn and(a: Pred, b: Pred) -> Pred {
        match (&a, &b) {
            (Pred::True, _) | (_, Pred::False) => b,
            (_, Pred::True) | (Pred::False, _) => a,
            _ => Pred::And(Arc::new((a, b))),
        }
    }

    /// Disjunction, with `true` and `false` absorbed.
    pub fn or(a: Pred, b: Pred) -> Pred {
        match (&a, &b) {
            (Pred::False, _) | (_, Pred::True) => b,
            (_, Pred::False) | (Pred::True, _) => a,
            _ => Pred::Or(Arc::new((a, b))),
        }
    }

    /// Negation.
    #[allow(clippy::should_implement_trait)]
    pub fn not(p: Pred) -> Pred {
        match p {
            Pred::True => Pred::False,
            Pred::False => Pred::True,
            Pred::Not(q) => (*q).clone(),
            p => Pred::Not(Arc::new(p)),
        }
    }

    /// `p` and `q` have the same truth value.
    pub fn iff(p: &Pred, q: &Pred) -> Pred {
        Pred::or(Pred::and(p.clone(), q.clone()), Pred::and(Pred::not(p.clone()), Pred::not(q.clone())))
    }

    /// Does the context variable at `level` occur?
    pub fn mentions(&self, level: u32) -> bool {
        match self {
            Pred::True | Pred::False => false,
            Pred::Cmp(_, a, b) => a.mentions(level) || b.mentions(level),
            Pred::Not(p) => p.mentions(level),
            Pred::And(pq) | Pred::Or(pq) => pq.0.mentions(level) || pq.1.mentions(level),
        }
    }
}
