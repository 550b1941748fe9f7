//! Index arithmetic and conditions over it.

use super::{Elem, Value, expr, name};
use atl_syntax::ast::{BinaryOp, CompareOp, Expr, ExprKind, UnaryOp};

/// An integer: a size, a binder's variable, or arithmetic over them. Division and remainder floor.
#[derive(Clone, PartialEq, Debug)]
pub struct Index(pub(super) Expr);

/// A condition on indices.
#[derive(Clone, PartialEq, Debug)]
pub struct Cond(pub(super) Expr);

impl Index {
    pub(super) fn named(text: &str) -> Index {
        Index(expr(ExprKind::Name(text.to_owned())))
    }

    fn compare(&self, op: CompareOp, other: impl Into<Index>) -> Cond {
        Cond(expr(ExprKind::Compare(Box::new(self.0.clone()), vec![(op, other.into().0)])))
    }

    /// `self < other`
    pub fn lt(&self, other: impl Into<Index>) -> Cond {
        self.compare(CompareOp::Lt, other)
    }

    /// `self <= other`
    pub fn le(&self, other: impl Into<Index>) -> Cond {
        self.compare(CompareOp::Le, other)
    }

    /// `self > other`
    pub fn gt(&self, other: impl Into<Index>) -> Cond {
        self.compare(CompareOp::Gt, other)
    }

    /// `self >= other`
    pub fn ge(&self, other: impl Into<Index>) -> Cond {
        self.compare(CompareOp::Ge, other)
    }

    /// `self == other`
    pub fn equals(&self, other: impl Into<Index>) -> Cond {
        self.compare(CompareOp::Eq, other)
    }

    /// `self != other`
    pub fn differs(&self, other: impl Into<Index>) -> Cond {
        self.compare(CompareOp::Ne, other)
    }

    fn call(&self, function: &str, other: impl Into<Index>) -> Index {
        Index(expr(ExprKind::Call { callee: name(function), args: vec![self.0.clone(), other.into().0] }))
    }

    /// The smaller of the two.
    pub fn min(&self, other: impl Into<Index>) -> Index {
        self.call("min", other)
    }

    /// The larger of the two.
    pub fn max(&self, other: impl Into<Index>) -> Index {
        self.call("max", other)
    }

    /// Division, rounded up.
    pub fn ceil_div(&self, divisor: impl Into<Index>) -> Index {
        self.call("ceil_div", divisor)
    }

    /// The index as a number of this element type.
    pub fn to(&self, elem: Elem) -> Value {
        Value(elem.convert(self.0.clone()))
    }
}

impl Cond {
    fn join(op: BinaryOp, a: Cond, b: Cond) -> Cond {
        Cond(expr(ExprKind::Binary(op, Box::new(a.0), Box::new(b.0))))
    }

    /// `[self] * value`: the value where the condition holds, else zeros.
    pub fn guard(&self, value: impl Into<Value>) -> Value {
        let (predicate, body) = (Box::new(self.0.clone()), Box::new(value.into().0));
        Value(expr(ExprKind::Guard { predicate, body }))
    }
}

impl std::ops::BitAnd for Cond {
    type Output = Cond;

    fn bitand(self, other: Cond) -> Cond {
        Cond::join(BinaryOp::And, self, other)
    }
}

impl std::ops::BitOr for Cond {
    type Output = Cond;

    fn bitor(self, other: Cond) -> Cond {
        Cond::join(BinaryOp::Or, self, other)
    }
}

impl std::ops::Not for Cond {
    type Output = Cond;

    fn not(self) -> Cond {
        Cond(expr(ExprKind::Unary(UnaryOp::Not, Box::new(self.0))))
    }
}

impl From<&Index> for Index {
    fn from(index: &Index) -> Index {
        index.clone()
    }
}

impl From<i64> for Index {
    fn from(n: i64) -> Index {
        Index(integer(n))
    }
}

/// An integer literal.
pub(super) fn integer(n: i64) -> Expr {
    let digits = expr(ExprKind::Int(n.unsigned_abs()));
    if n < 0 { expr(ExprKind::Unary(UnaryOp::Neg, Box::new(digits))) } else { digits }
}

/// A list of indices or extents: an array, or a tuple whose members may be `Index`, `&Index` or `i64`.
pub trait Indices {
    /// The list.
    fn into_indices(self) -> Vec<Index>;
}

impl<T: Into<Index>, const RANK: usize> Indices for [T; RANK] {
    fn into_indices(self) -> Vec<Index> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($($(($member:ident $type:ident))+;)*) => {$(
        impl<$($type: Into<Index>),+> Indices for ($($type,)+) {
            fn into_indices(self) -> Vec<Index> {
                let ($($member,)+) = self;
                vec![$($member.into()),+]
            }
        }
    )*};
}

tuples! {
    (a A);
    (a A)(b B);
    (a A)(b B)(c C);
    (a A)(b B)(c C)(d D);
    (a A)(b B)(c C)(d D)(e E);
    (a A)(b B)(c C)(d D)(e E)(f F);
}
